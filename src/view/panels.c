/* Title, legend, notes, message line and key bar: see panels.h. What has more to say has a file of its
 * own: metrics.c, inspector.c, help.c and the pages. */
#include "view/layout.h"
#include "view/panels.h"
#include "view/play.h"

#include <limits.h>
#include <string.h>

/* ---- title ---- */

static bool is_uniform(const double *v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (v[i] != v[0])
            return false;
    return true;
}

/* The name of a table, but of one opened by itself, where it stands at the right already. */
static void write_table(const struct snapshot *snapshot, struct text *text)
{
    const struct scenario *scenario = snapshot->scenario;
    char shown[40];
    struct text name;

    if (scenario->table == NULL || (string_text(scenario->title)[0] == '\0' &&
                                    strcmp(snapshot->name, table_name(scenario->table)) == 0))
        return;
    text_init(&name, shown, sizeof shown - 8);
    text_printable(&name, table_name(scenario->table));
    text_addf(text, " %s%s", shown, name.is_cut ? "…" : "");
}

static void write_family(const struct snapshot *snapshot, const char *space, bool has_name,
                         struct text *text)
{
    const struct scenario *scenario = snapshot->scenario;

    text_add(text, scenario->schedule->title);
    if (has_name)
        write_table(snapshot, text);
    text_addf(text, "%sP=%u%sM=%u", space, scenario->stages, space, scenario->micro_batches);
    if (scenario->schedule->fixed_chunks != 1)
        text_addf(text, "%sV=%u", space, scenario_chunks(scenario));
}

/* Where not even P, M and V fit behind the family its name gives way, never a number. */
static void shorten_family(char *text, int columns)
{
    char *counts = strstr(text, " P=");
    int over = text_columns(text) - columns;

    if (over <= 0 || counts == NULL || counts - text < over + 2)
        return;
    char *end = counts - over;
    end[-1] = '~';
    memmove(end, counts, strlen(counts) + 1);
}

static void write_costs(const struct snapshot *snapshot, struct text *text)
{
    const struct resolved *resolved = &snapshot->outcome->resolved;

    if (is_uniform(resolved->forward, resolved->stages) &&
        is_uniform(resolved->backward, resolved->stages)) {
        text_add(text, "F=");
        text_brief(text, resolved->forward[0]);
        text_add(text, " B=");
        text_brief(text, resolved->backward[0]);
        text_add(text, " ");
    }
    text_add(text, "t=");
    text_brief(text, snapshot->scenario->transfer);
}

static void write_edits(const struct snapshot *snapshot, struct text *text)
{
    if (snapshot->edited_stage == PG_NONE)
        text_add(text, "edits: all");
    else
        text_addf(text, "edits: stage %u", snapshot->edited_stage);
}

/* A piece that is drawn whole or not at all. */
static int draw_piece(const struct canvas *canvas, int x, int gap, int limit, enum style style,
                      const char *piece)
{
    if (x + gap + canvas_columns(canvas, piece) > limit)
        return x;
    return canvas_text(canvas, x + gap, 0, style, piece);
}

static void write_name(const struct snapshot *snapshot, struct text *text)
{
    const char *title = string_text(snapshot->scenario->title);

    if (snapshot->slides > 1)
        text_addf(text, "%u/%u ", snapshot->slide + 1, snapshot->slides);
    text_add(text, title[0] != '\0' ? title : snapshot->name);
    if (snapshot->is_unsaved)
        text_add(text, "*");
}

void panel_title(const struct canvas *canvas, const struct snapshot *snapshot, bool is_interactive)
{
    char buffer[400];
    struct text text;
    int columns = canvas->area.columns;

    canvas_fill(canvas, (struct rect){0, 0, columns, 1}, STYLE_TITLE_MORE);
    text_init(&text, buffer, sizeof buffer);
    write_family(snapshot, "  ", true, &text);
    for (int name = 1; name >= 0 && text_columns(buffer) + 2 > columns; name--) {
        text_init(&text, buffer, sizeof buffer);
        write_family(snapshot, " ", name == 1, &text);
    }
    shorten_family(buffer, columns);
    int x = canvas_text(canvas, columns > text_columns(buffer) ? 1 : 0, 0, STYLE_TITLE, buffer);

    char name[300];
    text_init(&text, name, sizeof name);
    write_name(snapshot, &text);
    int room = columns - x - 2, wanted = canvas_columns(canvas, name);
    int limit = columns;
    /* The name, cut from its end, has what is left when the three pieces have theirs; where that of
     * a table took room, the costs have. */
    int wide = snapshot->scenario->table == NULL ? 70 : 110;
    int pieces = columns >= wide ? 46 : columns >= 50 ? 20 : 0;
    int given = wanted < room - pieces ? wanted : room - pieces;
    if (given >= 4 || (given > 0 && given == wanted)) {
        limit = columns - 1 - given;
        struct canvas right = canvas_sub(canvas, (struct rect){limit, 0, given, 1});
        canvas_text(&right, 0, 0, STYLE_TITLE_MORE, name);
        if (given < wanted)
            canvas_text(&right, given - (canvas->theme->is_ascii ? 3 : 1), 0, STYLE_TITLE_MORE, "…");
        if (given < wanted && snapshot->is_unsaved)
            canvas_text(canvas, columns - 1, 0, STYLE_TITLE, "*");
        limit--;
    } else if (snapshot->is_unsaved && x + 1 < columns) {
        canvas_text(canvas, columns - 1, 0, STYLE_TITLE, "*");
        limit = columns - 2;
    }
    text_init(&text, buffer, sizeof buffer);
    write_costs(snapshot, &text);
    x = draw_piece(canvas, x, 2, limit, STYLE_TITLE_MORE, buffer);
    if (!is_interactive)
        return;
    text_init(&text, buffer, sizeof buffer);
    write_edits(snapshot, &text);
    int edits = canvas_columns(canvas, buffer);
    const char *hold = snapshot->scenario->hold == HOLD_STAGE ? "hold=stage" : "hold=model";
    if (x + 2 + (int)strlen(hold) + 2 + edits <= limit)
        x = draw_piece(canvas, x, 2, limit, STYLE_TITLE_MORE, hold);
    draw_piece(canvas, x, 2, limit, STYLE_TITLE_MORE, buffer);
}

/* ---- legend, notes ---- */

/* What a legend item shows before its words. */
struct sample {
    struct cell cells[3];
    int count;
    const char *words;
};

/* Without colours play draws what is to come with glyphs of their own: one stands beside its kind.
 */
static struct sample kind_sample(const struct theme *theme, int kind, bool is_playing,
                                 const char *words)
{
    struct sample sample = {.count = 2, .words = words};

    for (unsigned i = 0; i < 2; i++) {
        sample.cells[i] = (struct cell){theme_fill(theme, kind, false),
                                        (uint8_t)theme_kind_ink(kind),
                                        (uint8_t)theme_kind_paper(kind, i), 0};
    }
    if (is_playing && theme->depth == DEPTH_MONO)
        sample.cells[1] = (struct cell){theme_future_glyph(theme, kind), COLOUR_OWN, COLOUR_OWN, 0};
    return sample;
}

/* A legend item, whole or not at all; returns where the next one begins. */
static int draw_sample(const struct canvas *canvas, int x, int gap, const struct sample *sample)
{
    int columns = sample->count + (sample->count > 0) + canvas_columns(canvas, sample->words);

    if (x + columns > canvas->area.columns)
        return x;
    for (int i = 0; i < sample->count; i++)
        canvas_cell(canvas, x++, 0, sample->cells[i]);
    return canvas_text(canvas, x + (sample->count > 0), 0, STYLE_LABEL, sample->words) + gap;
}

/* How every other chunk, or the second replica, is told from the first. */
static struct sample second_sample(const struct theme *theme, const struct pg_plan *plan)
{
    struct sample sample = {.count = 2, .words = plan->replicas > 1 ? "replica 1" : "odd chunks"};

    for (int i = 0; i < 2; i++) {
        int kind = i == 0 ? PG_FORWARD : plan->family->is_forward_only ? PG_FORWARD : PG_BACKWARD;
        sample.cells[i] = (struct cell){theme_fill(theme, kind, true),
                                        (uint8_t)theme_kind_ink(kind),
                                        (uint8_t)theme_second_paper(kind, 0), 0};
    }
    return sample;
}

/* Whole backwards of a family: beside split ones only where it has both. */
static bool has_backward(const struct pg_family *family)
{
    return !family->is_forward_only && (!family->splits || family->has_fused || family->is_table ||
                                        strcmp(family->name, "zb-h1") == 0);
}

/* How much a legend says, from all there is to what every family has room for in 80 columns: what
 * is known from elsewhere (the keys and the title name F and B) has to do with less, so that all of
 * the signs in the chart are explained. */
static const struct legend {
    int words, gap;
    int idle; /* cells of it */
    const char *related;
} legends[] = {
    {0, 3, 3, "[ ] selected ( ) needs { } unblocks"},
    {1, 3, 3, "[ ] selected ( ) needs { } unblocks"},
    {1, 2, 3, "[ ] selected ( ) needs { } unblocks"},
    {1, 2, 3, "[] selected () needs {} unblocks"},
    {1, 2, 3, "[] () needs {} unblocks"},
    {2, 2, 2, "[] selected () needs {} unblocks"},
    {2, 2, 2, "[] () needs {} unblocks"},
};

enum { LEGENDS = sizeof legends / sizeof legends[0] };

/* Everything that the lanes are drawn with. Returns where the next item begins. */
static int draw_kinds(const struct canvas *canvas, const struct legend *legend,
                      const struct snapshot *snapshot, bool *fits)
{
    static const char *const words[][5] = {
        {"F forward", "B backward", "I input grad", "W weight grad", "F&B fused"},
        {"F", "B", "I input", "W weight", "F&B"},
        {"F", "B", "I", "W", "F&B"},
    };
    static const int kinds[] = {PG_FORWARD, PG_BACKWARD, PG_INPUT_GRAD, PG_WEIGHT_GRAD, KIND_FUSED};
    const struct theme *theme = canvas->theme;
    const struct pg_plan *plan = &snapshot->outcome->plan;
    const struct outcome *pinned = snapshot->compared.a.outcome;
    const struct pg_plan *beside = pinned == NULL ? plan : &pinned->plan; /* share the legend */
    const struct pg_family *family = plan->family, *other = beside->family;
    bool is_split = family->splits || other->splits;
    const bool has[] = {true, has_backward(family) || has_backward(other), is_split, is_split,
                        family->has_fused || other->has_fused};
    struct sample samples[7], idle = {.count = legend->idle, .words = "idle"};
    int count = 0, x = 1;

    for (int i = 0; i < 5; i++)
        if (has[i])
            samples[count++] = kind_sample(theme, kinds[i], snapshot->play.is_on,
                                           words[legend->words][i]);
    if (plan->slots > 1 || beside->slots > 1)
        samples[count++] = second_sample(theme, plan->slots > 1 ? plan : beside);
    for (int i = 0; i < idle.count; i++)
        idle.cells[i] = (struct cell){theme_idle_glyph(theme), COLOUR_HATCH, COLOUR_IDLE, 0};
    samples[count++] = idle;
    for (int i = 0; i < count; i++) {
        int next = draw_sample(canvas, x, legend->gap, &samples[i]);
        *fits &= next > x;
        x = next;
    }
    return x;
}

/* Returns whether it explains all that there is to see. */
static bool draw_legend(const struct canvas *canvas, const struct legend *legend,
                        const struct snapshot *snapshot)
{
    bool is_op = !snapshot->selection.is_all && !snapshot->selection.is_gap;
    bool opens = canvas->theme->depth == DEPTH_MONO || canvas->theme->is_ascii, fits = true;
    struct sample selected = {.words = is_op ? legend->related : "[ ] selected"};
    struct sample number = {.words = opens ? "a number opens an operation"
                                           : "number = micro-batch"};
    int x = draw_kinds(canvas, legend, snapshot, &fits);
    int after = memory_legend(canvas, x, snapshot);

    fits &= after > x || !snapshot->has_memory || snapshot->stash == NULL ||
            snapshot->compared.a.outcome != NULL;
    x = draw_sample(canvas, after, legend->gap, &selected);
    draw_sample(canvas, x, legend->gap, &number);
    return fits && (x > after || snapshot->selection.is_all);
}

void panel_legend(const struct canvas *canvas, const struct snapshot *snapshot)
{
    for (int i = 0; i < LEGENDS; i++) {
        canvas_fill(canvas, (struct rect){0, 0, canvas->area.columns, 1}, STYLE_PLAIN);
        if (draw_legend(canvas, &legends[i], snapshot))
            return;
    }
}

/* Where a line of text has to end to fit: at a blank if there is one. */
static size_t wrap(const char *text, int columns)
{
    const char *at = text, *blank = NULL;
    int used = 0;

    while (*at != '\0' && *at != '\n') {
        const char *from = at;
        used += text_width(text_decode(&at));
        if (used > columns)
            return blank != NULL ? (size_t)(blank - text) : (size_t)(from - text);
        if (*at == ' ')
            blank = at;
    }
    return (size_t)(at - text);
}

static void draw_notes(const struct canvas *canvas, const char *notes, int columns, int *rows)
{
    *rows = 0;
    while (*notes != '\0') {
        char line[512];
        struct text text;
        size_t length = wrap(notes, columns);
        text_init(&text, line, sizeof line);
        text_addf(&text, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), notes);
        if (canvas != NULL)
            canvas_text(canvas, 1, *rows, STYLE_MESSAGE, line);
        ++*rows;
        notes += length;
        notes += length == 0 && *notes != '\n' && *notes != '\0'; /* narrower than a character */
        notes += *notes == '\n' || *notes == ' ';
    }
}

int notes_rows(const struct scenario *scenario, int columns)
{
    int rows;

    draw_notes(NULL, string_text(scenario->notes), columns - 2, &rows);
    return rows;
}

void panel_notes(const struct canvas *canvas, const struct snapshot *snapshot)
{
    int rows;

    if (canvas->area.rows > 0)
        draw_notes(canvas, string_text(snapshot->scenario->notes), canvas->area.columns - 2, &rows);
}

/* ---- message line and key bar ---- */

/* The line scrolls so that the cursor is seen; a long label gives way to it. */
static void draw_prompt(const struct canvas *canvas, const struct prompt *prompt, int *cursor)
{
    char before[4200];
    struct text text;
    int columns = canvas->area.columns, label = canvas_columns(canvas, prompt->label);

    if (label > columns * 2 / 3)
        label = columns * 2 / 3;
    struct canvas left = canvas_sub(canvas, (struct rect){0, 0, label, 1});
    struct canvas line = canvas_sub(canvas, (struct rect){label, 0, columns - label, 1});
    canvas_text_cut(&left, 0, 0, STYLE_PROMPT, prompt->label);
    text_init(&text, before, sizeof before);
    text_addf(&text, "%.*s", (int)prompt->cursor, prompt->line);
    int at = canvas_columns(canvas, before), skipped = 0;
    const char *shown = prompt->line;
    while (at - skipped >= line.area.columns && *shown != '\0')
        skipped += canvas_character_columns(canvas, text_decode(&shown));
    canvas_text(&line, 0, 0, STYLE_PROMPT, shown);
    *cursor = label + at - skipped;
}

/* Notes that found no room are begun where messages stand while there is none. */
static void draw_note_start(const struct canvas *canvas, const struct snapshot *snapshot)
{
    char line[512];
    struct text text;
    const char *notes = string_text(snapshot->scenario->notes);

    text_init(&text, line, sizeof line);
    text_addf(&text, "%.*s", (int)strcspn(notes, "\n"), notes);
    canvas_text_cut(canvas, 1, 0, STYLE_FAINT, line);
}

void panel_message(const struct canvas *canvas, const struct snapshot *snapshot, bool has_notes,
                   int *cursor)
{
    *cursor = -1;
    if (snapshot->mode == MODE_PROMPT && snapshot->message[0] == '\0') {
        draw_prompt(canvas, &snapshot->prompt, cursor);
        return;
    }
    if (snapshot->mode == MODE_PROMPT) {
        /* What Tab found stands behind the line. */
        draw_prompt(canvas, &snapshot->prompt, cursor);
        canvas_text(canvas, *cursor + 3, 0, STYLE_FAINT, snapshot->message);
        return;
    }
    if (snapshot->count > 0) {
        char buffer[40];
        struct text text;
        text_init(&text, buffer, sizeof buffer);
        text_addf(&text, "%u", snapshot->count);
        canvas_text(canvas, 1, 0, STYLE_PROMPT, buffer);
        return;
    }
    if (snapshot->message[0] == '\0' && !has_notes) {
        draw_note_start(canvas, snapshot);
        return;
    }
    canvas_text_cut(canvas, 1, 0, snapshot->is_error ? STYLE_REFUSAL : STYLE_MESSAGE,
                    snapshot->message);
}

bool panel_has_long_refusal(const struct canvas *canvas, const struct snapshot *snapshot)
{
    return snapshot->is_error && snapshot->mode == MODE_CHART && snapshot->count == 0 &&
           canvas_columns(canvas, snapshot->message) + 1 > canvas->area.columns;
}

void panel_long_refusal(const struct canvas *canvas, const struct snapshot *snapshot)
{
    const char *message = snapshot->message;
    char line[512];
    struct text text;
    size_t length = wrap(message, canvas->area.columns - 1);

    text_init(&text, line, sizeof line);
    text_addf(&text, "%.*s", (int)length, message);
    canvas_fill(canvas, (struct rect){0, 0, canvas->area.columns, 2}, STYLE_PLAIN);
    canvas_text(canvas, 1, 0, STYLE_REFUSAL, line);
    canvas_text_cut(canvas, 1, 1, STYLE_REFUSAL, message + length + (message[length] == ' '));
}

/* Two commands are a pair when their names differ only behind the last hyphen. */
static bool is_pair(enum command first, enum command second)
{
    const char *a = command_info(first)->name, *b = command_info(second)->name;
    const char *dash = strrchr(b, '-');

    return dash != NULL && strncmp(a, b, (size_t)(dash - b) + 1) == 0 &&
           command_info(first)->bar[0] == '\0';
}

static void write_keys(enum command command, struct text *text)
{
    char key[16];

    if (command > 0 && is_pair(command - 1, command))
        text_addf(text, "%s ", command_first_key(command - 1, key, sizeof key));
    text_add(text, command_first_key(command, key, sizeof key));
}

static int bar_item_columns(enum command command, char *keys, size_t size)
{
    struct text text;

    text_init(&text, keys, size);
    write_keys(command, &text);
    return (int)text.length + 2 + (int)strlen(command_info(command)->bar) + 2;
}

static int draw_bar_item(const struct canvas *canvas, int x, enum command command)
{
    char keys[40], padded[48];
    struct text text;

    bar_item_columns(command, keys, sizeof keys);
    text_init(&text, padded, sizeof padded);
    text_addf(&text, " %s ", keys);
    x = canvas_text(canvas, x, 0, STYLE_KEY, padded);
    x = canvas_text(canvas, x, 0, STYLE_KEY_TEXT, command_info(command)->bar);
    return x + 2;
}

void panel_keys(const struct canvas *canvas)
{
    char keys[40];
    int columns = canvas->area.columns, x = 0;
    int help = bar_item_columns(COMMAND_HELP, keys, sizeof keys);
    int quit = bar_item_columns(COMMAND_QUIT, keys, sizeof keys);

    canvas_fill(canvas, (struct rect){0, 0, columns, 1}, STYLE_KEY_TEXT);
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        if (command_info(c)->bar[0] == '\0' || c == COMMAND_HELP || c == COMMAND_QUIT)
            continue;
        if (x + bar_item_columns(c, keys, sizeof keys) + help + quit > columns)
            break;
        x = draw_bar_item(canvas, x, c);
    }
    if (x + help <= columns + 2)
        x = draw_bar_item(canvas, x, COMMAND_HELP);
    if (x + quit <= columns + 2)
        draw_bar_item(canvas, x, COMMAND_QUIT);
}

void panel_too_small(const struct canvas *canvas)
{
    char buffer[80];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, "needs %dx%d", LAYOUT_LEAST_COLUMNS, LAYOUT_LEAST_ROWS);
    canvas_text(canvas, 0, 0, STYLE_PLAIN, buffer);
}
