/* The panel of a lesson below the chart: what a step says and asks, and the word on an answer.
 *
 * It is made of blocks of wrapped text. With room all of them are shown; without, an answer's word
 * takes the place of text and trial, and only the first block is ever cut. */
#include "view/panels.h"

#include <string.h>

enum { MOST_BLOCKS = 5 };

struct block {
    enum style label_style;
    const char *label, *text;
};

struct blocks {
    struct block block[MOST_BLOCKS];
    int count;
    char choices[LESSON_MOST_CHOICES * 130];
};

static void add(struct blocks *blocks, const char *label, enum style style, const char *text)
{
    if (text != NULL && text[0] != '\0')
        blocks->block[blocks->count++] = (struct block){style, label, text};
}

static void write_choices(const struct lesson *step, struct blocks *blocks)
{
    struct text text;

    text_init(&text, blocks->choices, sizeof blocks->choices);
    for (uint32_t i = 0; i < step->choice_count; i++)
        text_addf(&text, "%s%c) %s", i > 0 ? "   " : "", (char)('a' + (int)i), step->choices[i]);
}

static void add_reply(struct blocks *blocks, const struct lesson *step, const struct reply *reply)
{
    const char *words = reply->text[0] != '\0' ? reply->text : " ";

    if (reply->kind == REPLY_RIGHT)
        add(blocks, "Right. ", STYLE_NUMBER, words);
    else if (reply->kind == REPLY_WRONG)
        add(blocks, step->kind == LESSON_STATE ? "Not yet. " : "Not quite. ", STYLE_BUBBLE, words);
    else
        add(blocks, "", STYLE_LABEL, words);
}

static void make_blocks(struct blocks *blocks, const struct lesson_view *view, bool is_whole)
{
    const struct lesson *step = view->step;

    blocks->count = 0;
    write_choices(step, blocks);
    if (is_whole || view->reply == NULL) {
        add(blocks, "", STYLE_LABEL, step->text);
        add(blocks, "Try: ", STYLE_NUMBER, step->try_it);
    }
    add(blocks, "Question: ", STYLE_NUMBER, step->question);
    add(blocks, "", STYLE_LABEL, blocks->choices);
    if (view->reply != NULL)
        add_reply(blocks, step, view->reply);
}

/* Bytes of the text that go into a line of so many columns; it ends at a blank if there is one. */
static size_t fitting(const struct canvas *canvas, const char *text, int columns)
{
    const char *at = text, *blank = NULL;
    int used = 0;

    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a block without text is not added */
    while (*at != '\0' && *at != '\n') {
        const char *from = at;
        if (*at == ' ')
            blank = at;
        used += canvas_character_columns(canvas, text_decode(&at));
        if (used > columns && blank != from)
            return blank != NULL ? (size_t)(blank - text) : (size_t)(from - text);
    }
    return (size_t)(at - text);
}

/* Draws the block into at most `rows` rows from y on; returns the rows it takes. Nothing is drawn
 * when rows is 0: then the rows it would need. */
static int draw_block(const struct canvas *canvas, const struct block *block, int y, int rows)
{
    int columns = canvas->area.columns - 2, x = 1, used = 0;
    const char *text = block->text;

    if (rows > 0)
        x = canvas_text(canvas, x, y, block->label_style, block->label);
    else
        x += canvas_columns(canvas, block->label);
    do {
        size_t length = fitting(canvas, text, columns - x + 1);
        char line[1300];
        struct text part;
        bool is_last = rows > 0 && used + 1 == rows;
        text_init(&part, line, sizeof line);
        text_addf(&part, "%.*s", (int)length, text);
        if (is_last && text[length] != '\0')
            text_add(&part, " …………"); /* too long: cut at a blank, with dots */
        struct canvas row = canvas_sub(canvas, (struct rect){0, y + used, columns + 1, 1});
        if (rows > 0)
            canvas_text_cut(&row, x, 0, STYLE_LABEL, line);
        used++;
        text += length;
        text += length == 0 && *text != '\n' && *text != '\0'; /* narrower than a character */
        text += *text == '\n' || *text == ' ';
        text += strspn(text, " ");
        x = 1;
        if (is_last)
            break;
    } while (*text != '\0');
    return used;
}

static int rows_of(const struct canvas *canvas, const struct blocks *blocks)
{
    int rows = 0;

    for (int i = 0; i < blocks->count; i++)
        rows += draw_block(canvas, &blocks->block[i], 0, 0);
    return rows;
}

int lesson_rows(const struct canvas *canvas, const struct snapshot *snapshot)
{
    int rows = canvas->area.rows, most = rows * 5 / 12;
    struct blocks blocks;

    most = most > rows - 8 ? rows - 8 : most;
    if (snapshot->lesson.step == NULL || most < 2)
        return 0;
    make_blocks(&blocks, &snapshot->lesson, true);
    int whole = 1 + rows_of(canvas, &blocks);
    if (whole <= most && (snapshot->lesson.reply == NULL || whole <= rows * 3 / 10))
        return whole;
    make_blocks(&blocks, &snapshot->lesson, false);
    int brief = 1 + rows_of(canvas, &blocks);
    return brief < most ? brief : most;
}

/* The keys that help now, in as many words as fit. */
static const char *const *hints_of(const struct lesson_view *view)
{
    static const char *const right[] = {" PageDown goes on ", " PgDn: on ", ""};
    static const char *const wrong[] = {" ; again  Esc back to the text ", " ; again  Esc back ",
                                        ""};
    static const char *const read[] = {" PageDown goes on  L hides ", " PgDn: on ", ""};
    static const char *const last[] = {" the last step  L hides ", " L hides ", ""};
    static const char *const asked[] = {" ; answers  PageDown skips  r resets  L hides ",
                                        " ; answers  PgDn skips  L hides ", " ; answers ", ""};

    bool is_last = view->number == view->count; /* nothing to go on to */

    if (view->reply != NULL)
        return view->reply->kind != REPLY_RIGHT ? wrong : is_last ? last : right;
    return view->step->kind != LESSON_READ ? asked : is_last ? last : read;
}

static void draw_heading(const struct canvas *canvas, const struct lesson_view *view)
{
    const struct lesson *step = view->step;
    char buffer[200];
    struct text text;
    int columns = canvas->area.columns;
    canvas_fill(canvas, (struct rect){0, 0, columns, 1}, STYLE_TITLE_MORE);
    if (canvas->theme->depth == DEPTH_MONO) /* a band is seen by its colour only */
        canvas_rule(canvas, 0, STYLE_TITLE_MORE);
    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, " Step %u/%u  %s%s ", view->number, view->count, step->title,
              step->is_done ? "  (done)" : "");
    int room = columns - canvas_columns(canvas, buffer) - 1;
    canvas_text_cut(canvas, 0, 0, STYLE_TITLE, buffer);
    const char *const *hint = hints_of(view);
    while (**hint != '\0' && canvas_columns(canvas, *hint) > room)
        hint++;
    canvas_text(canvas, columns - canvas_columns(canvas, *hint), 0, STYLE_TITLE_MORE, *hint);
}

void panel_lesson(const struct canvas *canvas, const struct snapshot *snapshot)
{
    struct blocks blocks;
    int rows = canvas->area.rows, y = 1;

    if (rows == 0)
        return;
    make_blocks(&blocks, &snapshot->lesson, true);
    int needed = 1 + rows_of(canvas, &blocks);
    if (needed > rows) {
        make_blocks(&blocks, &snapshot->lesson, false);
        needed = 1 + rows_of(canvas, &blocks);
    }
    int missing = needed > rows ? needed - rows : 0;
    draw_heading(canvas, &snapshot->lesson);
    for (int i = 0; i < blocks.count && y < rows; i++) {
        int wants = draw_block(canvas, &blocks.block[i], 0, 0);
        int given = wants > missing ? wants - missing : 0;
        missing -= wants - given;
        if (given > 0)
            y += draw_block(canvas, &blocks.block[i], y, given);
    }
}

void panel_lesson_line(const struct canvas *canvas, const struct snapshot *snapshot)
{
    const struct lesson_view *view = &snapshot->lesson;
    struct blocks blocks;
    int at = 0;

    if (view->step == NULL || snapshot->mode != MODE_CHART || snapshot->count > 0 ||
        snapshot->message[0] != '\0')
        return;
    make_blocks(&blocks, view, false);
    while (at + 1 < blocks.count &&
           (view->reply != NULL || blocks.block[at].text != view->step->question))
        at++;
    draw_block(canvas, &blocks.block[at], 0, 1);
}
