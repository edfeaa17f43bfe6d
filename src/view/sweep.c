/* The page of sweeps: curves at the left, all families with their exact values under the cursor at
 * the right, what happens at the cursor in words below. */
#include "view/panels.h"

#include "model/sweep_page.h"
#include "view/plot.h"

#include <string.h>

#define LIST_COLUMNS 34

/* ---- what is looked at ---- */

static void draw_heading(const struct canvas *canvas, const struct snapshot *snapshot)
{
    const struct sweep_page *page = snapshot->sweep;
    const struct batch *batch = page->sweep->batch;
    uint32_t done = batch_done(batch);
    char buffer[400];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, "%s over %s", measure_info(page->measure)->title, page->range);
    if (page->swept == SWEPT_STAGES) /* what stays is half of what such a curve says */
        text_add(&text, snapshot->scenario->hold == HOLD_STAGE ? "  hold=stage" : "  hold=model");
    int x = canvas_text(canvas, 0, 0, STYLE_HEADING, buffer);
    if (done == batch->count)
        return;
    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, "%s %u of %u", batch_is_stopped(batch) ? "stopped after" : "running:", done,
              batch->count);
    if (!batch_is_stopped(batch))
        text_add(&text, "  Esc stops");
    int room = canvas->area.columns - (int)text.length;
    canvas_text(canvas, room > x + 2 ? room : x + 2, 0, STYLE_BUBBLE, buffer);
}

/* ---- families ---- */

static void write_number(const struct sweep_page *page, uint32_t shown, struct text *out)
{
    const struct figures *figures =
        shown == PG_NONE ? NULL : sweep_figures(page->sweep, page->value, shown);
    double number;

    if (shown == PG_NONE)
        return;
    if (figures == NULL)
        text_add(out, "…");
    else if (sweep_measure(page->sweep, page->measure, page->value, shown, &number))
        measure_write(page->measure, number, out);
    else
        text_add(out, "cannot");
    if (figures != NULL && figures->is_over_limit)
        text_add(out, "!");
}

static void draw_family(const struct canvas *canvas, int y, const struct sweep_page *page,
                        uint32_t family, bool is_present)
{
    uint32_t shown = sweep_page_shown(page, family);
    bool is_chosen = family == page->family;
    enum style style = is_chosen ? STYLE_LABEL_SELECTED : shown != PG_NONE ? STYLE_LABEL
                                                                           : STYLE_FAINT;
    char letter[2] = {plot_letter(family), '\0'}, buffer[80];
    struct text text;

    canvas_text(canvas, 0, y, style, is_chosen ? "▸" : " ");
    canvas_text(canvas, 1, y, style, is_present ? "*" : " ");
    canvas_text(canvas, 2, y, shown != PG_NONE ? plot_style(shown) : STYLE_FAINT,
                shown != PG_NONE ? letter : "-");
    text_init(&text, buffer, sizeof buffer);
    write_number(page, shown, &text);
    int columns = canvas_columns(canvas, buffer), at = canvas->area.columns - columns;
    struct canvas name = canvas_sub(canvas, (struct rect){4, y, at - 5, 1});
    canvas_text(&name, 0, 0, style, page->families[family]->name);
    canvas_text(canvas, at, y, shown != PG_NONE && is_chosen ? STYLE_NUMBER : style, buffer);
}

static void draw_list(const struct canvas *canvas, const struct snapshot *snapshot)
{
    const struct sweep_page *page = snapshot->sweep;
    int rows = canvas->area.rows - 1;
    char buffer[120];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_add(&text, "at ");
    sweep_value_write(page->sweep, page->value, &text);
    canvas_text(canvas, 4, 0, STYLE_HEADING, buffer);
    if (rows < 1)
        return;
    uint32_t top = page->family >= (uint32_t)rows ? page->family - (uint32_t)rows + 1 : 0;
    for (int y = 0; y < rows && top + (uint32_t)y < page->family_count; y++) {
        uint32_t family = top + (uint32_t)y;
        draw_family(canvas, y + 1, page, family,
                    page->families[family] == snapshot->scenario->schedule);
    }
}

/* ---- in words ---- */

/* The crossovers at the cursor; else where the next ones are, before or behind it. */
static void write_crossings(const struct sweep_page *page, struct text *out)
{
    uint32_t before = 0, here = 0, behind = 0;

    for (uint32_t i = 0; i < page->crossing_count; i++) {
        const struct crossing *crossing = &page->crossings[i];
        before += crossing->value < page->value;
        behind += crossing->value > page->value;
        if (crossing->value != page->value)
            continue;
        text_add(out, here++ == 0 ? "crossover: " : "; ");
        crossing_write(page->sweep, page->measure, crossing, out);
    }
    if (here > 0)
        return;
    if (before + behind == 0) {
        const struct batch *batch = page->sweep->batch;
        bool is_done = batch_done(batch) == batch->count;
        text_add(out, page->sweep->family_count < 2 ? ""
                      : is_done ? "no crossover: no two of these curves change places"
                                : "no crossover in what has been run");
        return;
    }
    const struct crossing *near = &page->crossings[behind > 0 ? before : before - 1];
    text_add(out, behind > 0 ? "next crossover (n): " : "last crossover (N): ");
    crossing_write(page->sweep, page->measure, near, out);
}

/* What is to be known of the family under the cursor: why it has no value, or all of its figures. */
static void write_family(const struct sweep_page *page, struct text *out)
{
    uint32_t shown = sweep_page_shown(page, page->family);
    const struct figures *figures =
        shown == PG_NONE ? NULL : sweep_figures(page->sweep, page->value, shown);

    text_addf(out, "%s: ", page->families[page->family]->name);
    if (shown == PG_NONE) {
        text_add(out, "not shown; Space shows it");
    } else if (figures == NULL) {
        text_add(out, "not run yet");
    } else if (!figures->is_possible) {
        text_add(out, figures->reason);
    } else {
        for (enum measure m = 0; m < MEASURE_COUNT; m++) {
            double number;
            sweep_measure(page->sweep, m, page->value, shown, &number);
            text_addf(out, "%s%s ", m == 0 ? "" : ", ", measure_info(m)->title);
            measure_write(m, number, out);
        }
        if (figures->is_over_limit)
            text_add(out, ", over the memory limit");
    }
}

static void draw_message(const struct canvas *canvas, const struct snapshot *snapshot, int *cursor)
{
    const struct sweep_page *page = snapshot->sweep;

    if (page->is_typing) {
        int x = canvas_text(canvas, 0, 0, STYLE_PROMPT, "sweep: ");
        int room = canvas->area.columns - 1 - x, length = (int)strlen(page->typed);
        const char *from = page->typed + (length > room && room > 0 ? length - room : 0);
        *cursor = canvas_text(canvas, x, 0, STYLE_PROMPT, from) + 1; /* the canvas begins at 1 */
        return;
    }
    canvas_text_cut(canvas, 0, 0, snapshot->is_error ? STYLE_REFUSAL : STYLE_MESSAGE,
                    snapshot->message);
}

static void draw_keys(const struct canvas *canvas, int y, bool is_typing)
{
    static const char *const lines[] = {
        ("pmctfbw what  Tab measure  Up Down family  Space shows  + - : range  n N crossover  "
         "Enter takes  q closes"),
        "pmctfbw what  Tab measure  Space shows  +-: range  n N cross  Enter takes  q",
        "pmctfbw Tab Space +-: n N Enter q",
    };
    const char *line = "values such as m=1..64, m=8..512*2, transfer=0..2:0.1, f=1..3:0.5@2";

    canvas_fill(canvas, (struct rect){0, y, canvas->area.columns, 1}, STYLE_KEY_TEXT);
    for (size_t i = 0; !is_typing && i < sizeof lines / sizeof lines[0]; i++) {
        line = lines[i];
        if ((int)strlen(line) + 1 < canvas->area.columns)
            break;
    }
    canvas_text_cut(canvas, 1, y, STYLE_KEY_TEXT, line);
}

/* Rows of a sentence, broken at blanks; the last one is cut. */
static void draw_wrapped(const struct canvas *canvas, int y, int rows, enum style style,
                         const char *sentence)
{
    char line[600];
    struct text text;

    for (; rows > 1 && canvas_columns(canvas, sentence) > canvas->area.columns; rows--, y++) {
        size_t length = 0, end = 0;
        int columns = 0;
        for (const char *at = sentence; *at != '\0' && columns <= canvas->area.columns;) {
            if (*at == ' ')
                end = length;
            columns += canvas_character_columns(canvas, text_decode(&at));
            length = (size_t)(at - sentence);
        }
        if (end == 0)
            break;
        text_init(&text, line, sizeof line);
        text_addf(&text, "%.*s", (int)end, sentence);
        canvas_text(canvas, 0, y, style, line);
        sentence += end + 1;
    }
    canvas_text_cut(canvas, 0, y, style, sentence);
}

static void draw_words(const struct canvas *canvas, const struct sweep_page *page)
{
    char buffer[900];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    write_crossings(page, &text);
    if (canvas->area.rows > 0)
        canvas_text_cut(canvas, 0, 0, STYLE_LABEL, buffer);
    text_init(&text, buffer, sizeof buffer);
    write_family(page, &text);
    if (canvas->area.rows > 1)
        draw_wrapped(canvas, 1, canvas->area.rows - 1, STYLE_FAINT, buffer);
}

void panel_sweep(const struct canvas *canvas, const struct snapshot *snapshot, int *cursor)
{
    const struct sweep_page *page = snapshot->sweep;
    int columns = canvas->area.columns, rows = canvas->area.rows;
    int list = columns >= 70 ? LIST_COLUMNS : columns >= 40 ? columns * 2 / 5 : 0;
    int words = rows < 8 ? 0 : rows < 14 ? 1 : columns < 130 ? 3 : 2;
    int area = rows - 4 - words;
    uint32_t marks[SWEEP_MOST_FAMILIES], count = 0;

    struct canvas title = canvas_sub(canvas, (struct rect){0, 0, columns, 1});
    struct canvas heading = canvas_sub(canvas, (struct rect){1, 1, columns - 2, 1});
    struct canvas curves = canvas_sub(canvas, (struct rect){1, 2, columns - list - 2, area});
    struct canvas families = canvas_sub(canvas, (struct rect){columns - list, 2, list - 1, area});
    struct canvas sentences = canvas_sub(canvas, (struct rect){1, 2 + area, columns - 2, words});
    struct canvas line = canvas_sub(canvas, (struct rect){1, rows - 2, columns - 2, 1});
    for (uint32_t f = 0; f < page->family_count; f++)
        if (page->is_shown[f])
            marks[count++] = f;
    struct plot plot = {page->sweep,     page->measure,        marks, page->value,
                        page->crossings, page->crossing_count};
    panel_title(&title, snapshot, false);
    draw_heading(&heading, snapshot);
    plot_draw(&curves, &plot);
    draw_list(&families, snapshot);
    draw_words(&sentences, page);
    draw_message(&line, snapshot, cursor);
    draw_keys(canvas, rows - 1, page->is_typing);
}
