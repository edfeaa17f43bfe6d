/* The page of advice: suggestions with what they give, and below them what each cost does. Rows are
 * as high as their words need; the page is scrolled so that the row of the cursor is seen whole. */
#include "view/panels.h"

#include "model/advice_page.h"

#include <math.h>

enum { AT_NAME = 3, AT_WHAT = 18, FIGURES_COLUMNS = 18, AT_SLOPES = 20, SLOPE_COLUMNS = 9 };

/* What is drawn, in lines from the top of the list; `canvas` NULL: only measured. */
struct sheet {
    const struct canvas *canvas;
    const struct advice_page *page;
    int columns, indent, gap; /* gap: lines between suggestions */
};

/* End of the line that a sentence begins with, broken at a blank; *next: what is left, or NULL. */
static size_t line_length(const char *sentence, int columns, const char **next)
{
    size_t end = 0, at = 0;

    for (int width = 0; sentence[at] != '\0'; at++, width++) { /* our own words: ASCII */
        if (sentence[at] == ' ')
            end = at;
        if (width == columns && end > 0) {
            *next = sentence + end + 1;
            return end;
        }
    }
    *next = NULL;
    return at;
}

static int draw_wrapped(const struct sheet *list, int y, enum style style, const char *sentence)
{
    char line[420];
    struct text text;

    while (sentence != NULL && sentence[0] != '\0') {
        const char *next;
        size_t length = line_length(sentence, list->columns - list->indent - 1, &next);
        text_init(&text, line, sizeof line);
        text_addf(&text, "%.*s", (int)length, sentence);
        if (list->canvas != NULL)
            canvas_text_cut(list->canvas, list->indent, y, style, line);
        sentence = next;
        y++;
    }
    return y;
}

static void draw_right(const struct canvas *canvas, int right, int y, enum style style,
                       const char *words)
{
    canvas_text(canvas, right - text_columns(words), y, style, words);
}

static void draw_figures(const struct sheet *list, int y, enum style style,
                         const struct suggestion *at)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text text;

    if (!at->can_apply || !at->figures.is_possible)
        return;
    text_init(&text, buffer, sizeof buffer);
    text_brief(&text, at->figures.makespan);
    draw_right(list->canvas, list->columns - 9, y, style, buffer);
    text_init(&text, buffer, sizeof buffer);
    text_percent(&text, at->figures.bubble_fraction);
    draw_right(list->canvas, list->columns - 1, y, style, buffer);
}

static int draw_suggestion(const struct sheet *list, int y, uint32_t kind)
{
    const struct suggestion *at = &list->page->advice->suggestion[kind];
    bool is_chosen = list->page->cursor == kind;
    enum style style = is_chosen ? STYLE_LABEL_SELECTED : at->can_apply ? STYLE_LABEL : STYLE_FAINT;
    char digit[2] = {(char)('1' + kind), '\0'};

    if (list->canvas != NULL) {
        canvas_text(list->canvas, 0, y, style, is_chosen ? "▸" : " ");
        canvas_text(list->canvas, 1, y, at->can_apply ? STYLE_NUMBER : STYLE_FAINT, digit);
        canvas_text(list->canvas, AT_NAME, y, style, advice_name((enum advice_kind)kind));
        struct canvas what = canvas_sub(list->canvas, (struct rect){
            AT_WHAT, y, list->columns - AT_WHAT - (at->can_apply ? FIGURES_COLUMNS : 1), 1});
        canvas_text_cut(&what, 0, 0, style, at->is_known ? at->what : "...");
        draw_figures(list, y, style, at);
    }
    y = draw_wrapped(list, y + 1, STYLE_FAINT, at->is_known ? at->why : "");
    return y + list->gap;
}

static void draw_slope(const struct sheet *list, int y, uint32_t cost, const struct slope *slope)
{
    const double values[2] = {slope->shorter, slope->longer};

    for (int i = 0; i < 2; i++) {
        char buffer[TEXT_NUMBER_SIZE + 1];
        struct text text;
        int right = AT_SLOPES + SLOPE_COLUMNS * (2 * (int)cost + i + 1) - 2;
        text_init(&text, buffer, sizeof buffer);
        text_add(&text, slope->is_known && values[i] > 0 ? "+" : "");
        if (!slope->is_known)
            text_add(&text, "...");
        else if (isnan(values[i]))
            text_add(&text, "-");
        else
            text_brief(&text, values[i]);
        draw_right(list->canvas, right, y, values[i] < 0 ? STYLE_NUMBER : STYLE_LABEL, buffer);
    }
}

static int draw_stage(const struct sheet *list, int y, uint32_t row)
{
    const struct advice *advice = list->page->advice;
    bool is_chosen = list->page->cursor == ADVICE_KINDS + row;
    enum style style = is_chosen ? STYLE_LABEL_SELECTED : STYLE_LABEL;
    char name[24];
    struct text text;

    if (list->canvas == NULL)
        return y + 1;
    text_init(&text, name, sizeof name);
    text_addf(&text, "stage %u", advice->stages[row].stage);
    canvas_text(list->canvas, 0, y, style, is_chosen ? "▸" : " ");
    canvas_text(list->canvas, AT_NAME, y, style, name);
    for (uint32_t c = 0; c < advice_cost_count(advice); c++)
        draw_slope(list, y, c, &advice->stages[row].slope[c]);
    return y + 1;
}

static int draw_table_heading(const struct sheet *list, int y)
{
    static const char *const names[ADVICE_COSTS][2] = {
        {"F less", "more"}, {"B less", "more"}, {"W less", "more"}};

    if (list->canvas == NULL)
        return y + 1;
    canvas_text(list->canvas, 1, y, STYLE_HEADING, "makespan per unit");
    for (uint32_t c = 0; c < advice_cost_count(list->page->advice); c++)
        for (int i = 0; i < 2; i++)
            draw_right(list->canvas, AT_SLOPES + SLOPE_COLUMNS * (2 * (int)c + i + 1) - 2, y,
                       STYLE_HEADING, names[c][i]);
    return y + 1;
}

/* Draws from line y on; returns the line behind the last. *begin and *end: the row of the cursor. */
static int draw_list(const struct sheet *list, int y, int *begin, int *end)
{
    uint32_t rows = ADVICE_KINDS + list->page->advice->stage_count;

    for (uint32_t i = 0; i < rows; i++) {
        if (i == ADVICE_KINDS)
            y = draw_table_heading(list, y);
        if (i == list->page->cursor)
            *begin = y;
        y = i < ADVICE_KINDS ? draw_suggestion(list, y, i) : draw_stage(list, y, i - ADVICE_KINDS);
        if (i == list->page->cursor)
            *end = y;
    }
    return y;
}

/* What it would help against, and what is wanted. */
static void draw_heading(const struct canvas *canvas, const struct advice_page *page)
{
    char buffer[120];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_add(&text, "What would help  (now ");
    text_brief(&text, page->advice->present.makespan);
    text_add(&text, ", ");
    text_percent(&text, page->advice->present.bubble_fraction);
    text_add(&text, "; wanted under ");
    text_percent(&text, page->target);
    text_add(&text, ")");
    int x = canvas_text_cut(canvas, 1, 1, STYLE_HEADING, buffer);
    if (x + FIGURES_COLUMNS > canvas->area.columns)
        return;
    draw_right(canvas, canvas->area.columns - 9, 1, STYLE_HEADING, "makespan");
    draw_right(canvas, canvas->area.columns - 1, 1, STYLE_HEADING, "bubble");
}

static void draw_keys(const struct canvas *canvas, int y)
{
    const char *line = canvas->area.columns >= 90
                           ? "Enter or 1 to 5 applies   u undoes   Up Down row   "
                             "Left Right bubble wanted   q closes"
                           : "Enter or 1 to 5 applies  u undoes  Left Right bubble  q closes";

    canvas_fill(canvas, (struct rect){0, y, canvas->area.columns, 1}, STYLE_KEY_TEXT);
    canvas_text_cut(canvas, 1, y, STYLE_KEY_TEXT, line);
}

static void draw_message(const struct canvas *canvas, const struct snapshot *snapshot)
{
    char buffer[80];
    struct text text;
    uint32_t done, of;
    int cursor;

    if (snapshot->message[0] != '\0' || advice_is_done(snapshot->advice->advice)) {
        panel_message(canvas, snapshot, true, &cursor);
        return;
    }
    advice_progress(snapshot->advice->advice, &done, &of);
    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, "%u of %u runs are done", done, of);
    canvas_text(canvas, 1, 0, STYLE_MESSAGE, buffer);
}

void panel_advice(const struct canvas *canvas, const struct snapshot *snapshot)
{
    const struct advice_page *page = snapshot->advice;
    int columns = canvas->area.columns, rows = canvas->area.rows, begin = 0, end = 0;
    struct canvas title = canvas_sub(canvas, (struct rect){0, 0, columns, 1});
    struct canvas area = canvas_sub(canvas, (struct rect){0, 2, columns, rows - 4});
    struct canvas line = canvas_sub(canvas, (struct rect){0, rows - 2, columns, 1});
    struct sheet list = {NULL, page, columns, columns >= 100 ? AT_WHAT : AT_NAME + 2,
                        rows >= 36 ? 1 : 0};

    panel_title(&title, snapshot, false);
    draw_heading(canvas, page);
    draw_list(&list, 0, &begin, &end);
    int top = end > area.area.rows ? end - area.area.rows : 0;
    list.canvas = &area;
    int last = draw_list(&list, -(top < begin ? top : begin), &begin, &end);
    if (last > area.area.rows)
        draw_right(&line, columns - 1, 0, STYLE_FAINT, "more below");
    draw_message(&line, snapshot);
    draw_keys(canvas, rows - 1);
}
