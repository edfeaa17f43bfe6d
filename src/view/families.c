/* The table of families on the present costs. */
#include "view/panels.h"

#include <string.h>

/* Where the columns begin. */
enum { AT_NAME = 3, AT_MAKESPAN = 23, AT_BUBBLE = 34, AT_IDEAL = 43, AT_SPAN = 55, AT_STASH = 64 };

static int column_at(enum family_column column)
{
    static const int places[FAMILY_COLUMNS] = {AT_NAME, AT_MAKESPAN, AT_BUBBLE, AT_SPAN, AT_STASH};
    return places[column];
}

static void draw_number(const struct canvas *canvas, int x, int y, enum style style, double number)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_brief(&text, number);
    canvas_text(canvas, x, y, style, buffer);
}

static void draw_share(const struct canvas *canvas, int x, int y, enum style style, double share)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_percent(&text, share);
    canvas_text(canvas, x, y, style, buffer);
}

/* A reason without the family's name, which stands before it, and without "needs": the values that could be
 * tried stand at its end, and are not to be cut. */
static const char *brief_reason(const struct family_row *row)
{
    size_t length = strlen(row->family->name);
    static const char needs[] = ": needs ";

    if (strncmp(row->reason, row->family->name, length) != 0 ||
        strncmp(row->reason + length, needs, sizeof needs - 1) != 0)
        return row->reason;
    return row->reason + length + sizeof needs - 1;
}

static void draw_row(const struct canvas *canvas, int y, const struct family_row *row,
                     bool is_chosen, bool is_present)
{
    enum style style = is_chosen ? STYLE_LABEL_SELECTED : row->is_possible ? STYLE_LABEL : STYLE_FAINT;

    canvas_text(canvas, 0, y, style, is_chosen ? "▸" : " ");
    canvas_text(canvas, 1, y, style, is_present ? "*" : " ");
    struct canvas name = canvas_sub(
        canvas, (struct rect){AT_NAME, y, AT_MAKESPAN - AT_NAME - 1, 1});
    char shown[120];
    struct text text;
    text_init(&text, shown, sizeof shown);
    text_printable(&text, row->name);
    canvas_text_cut(&name, 0, 0, style, shown);
    if (!row->is_possible) {
        canvas_text_cut(canvas, AT_MAKESPAN, y, STYLE_FAINT, brief_reason(row));
        return;
    }
    draw_number(canvas, AT_MAKESPAN, y, style, row->makespan);
    draw_share(canvas, AT_BUBBLE, y, style, row->bubble);
    draw_share(canvas, AT_IDEAL, y, style, row->idle_over_ideal);
    draw_share(canvas, AT_SPAN, y, style, row->span_bubble);
    draw_number(canvas, AT_STASH, y, style, row->peak_memory);
    if (row->is_over_limit)
        canvas_text(canvas, AT_STASH + 7, y, STYLE_REFUSAL, "over limit");
}

static void draw_heading(const struct canvas *canvas, enum family_column sorted,
                         const struct scenario *scenario)
{
    canvas_text(canvas, AT_IDEAL, 1, STYLE_HEADING, "idle/ideal");
    for (enum family_column c = 0; c < FAMILY_COLUMNS; c++) {
        int x = canvas_text(canvas, column_at(c), 1, STYLE_HEADING,
                            family_column_name(c, scenario));
        if (c == sorted)
            canvas_text(canvas, x, 1, STYLE_HEADING, canvas->theme->is_ascii ? "^" : "▲");
    }
}

void panel_families(const struct canvas *canvas, const struct snapshot *snapshot)
{
    const struct families_view *view = &snapshot->families;
    int rows = canvas->area.rows - 3;
    uint32_t top = view->cursor >= (uint32_t)(rows > 0 ? rows : 1)
                       ? view->cursor - (uint32_t)rows + 1 : 0;
    struct canvas title = canvas_sub(canvas, (struct rect){0, 0, canvas->area.columns, 1});

    panel_title(&title, snapshot, false);
    draw_heading(canvas, view->sorted, snapshot->scenario);
    for (int y = 0; y < rows && top + (uint32_t)y < view->count; y++) {
        const struct family_row *row = &view->rows[top + (uint32_t)y];
        draw_row(canvas, y + 2, row, top + (uint32_t)y == view->cursor,
                 row->family == snapshot->scenario->schedule);
    }
    int last = canvas->area.rows - 1;
    canvas_fill(canvas, (struct rect){0, last, canvas->area.columns, 1}, STYLE_KEY_TEXT);
    canvas_text_cut(canvas, 1, last, STYLE_KEY_TEXT,
                    "Enter takes the family   Left Right sort by   q closes   "
                    "* present one");
}
