/* What must hold of any frame: every cell can be sent to a terminal as it is, the cursor is on the
 * screen, and no number is shown in part. */
#include "script.h"

#include "view/panels.h"

#include <stdlib.h>
#include <string.h>

#define WIDE_COLUMNS 700
#define WIDE_ROWS 3
#define ROW_SIZE (WIDE_COLUMNS * 4 + 1)

static void check_cells(const struct grid *grid, bool is_ascii)
{
    for (int y = 0; y < grid->rows; y++) {
        bool is_awaited = false; /* the right half of a wide character */
        for (int x = 0; x < grid->columns; x++) {
            const struct cell *cell = &grid->cells[(size_t)y * (size_t)grid->columns + (size_t)x];
            must(is_awaited == (cell->glyph == 0));
            is_awaited = false;
            must(cell->ink < COLOUR_COUNT && cell->paper < COLOUR_COUNT);
            if (cell->glyph >= ' ' && cell->glyph < 0x7f)
                continue;
            must(cell->glyph == 0 || !is_ascii);
            if (cell->glyph == 0)
                continue;
            must(!text_is_control(cell->glyph) && cell->glyph <= 0x10ffff);
            must(cell->glyph < 0xd800 || cell->glyph > 0xdfff);
            int width = text_width(cell->glyph);
            must(width == 1 || width == 2);
            is_awaited = width == 2;
        }
        must(!is_awaited);
    }
}

/* ---- words ---- */

static void read_row(const struct grid *grid, int y, char *row, size_t size)
{
    const struct cell *cells = grid->cells + (size_t)y * (size_t)grid->columns;
    int columns = grid->columns;
    struct text text;

    text_init(&text, row, size);
    while (columns > 0 && cells[columns - 1].glyph == ' ')
        columns--;
    for (int x = 0; x < columns; x++)
        if (cells[x].glyph != 0)
            text_add_character(&text, cells[x].glyph);
}

static bool has_word(const char *row, const char *word, size_t length)
{
    for (const char *at = row; *at != '\0'; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (strcspn(at, " ") == length && strncmp(at, word, length) == 0)
            return true;
    }
    return false;
}

static bool is_cut(const char *word, size_t length)
{
    for (size_t i = 0; i + 3 <= length; i++)
        if (strncmp(word + i, "…", 3) == 0 || strncmp(word + i, "...", 3) == 0)
            return true;
    return false;
}

static bool has_digit(const char *word, size_t length)
{
    return strcspn(word, "0123456789") < length;
}

static bool is_known(char rows[WIDE_ROWS][ROW_SIZE], const char *word, size_t length)
{
    for (int i = 0; i < WIDE_ROWS; i++)
        if (has_word(rows[i], word, length))
            return true;
    return false;
}

/* Every word with a number in it that the panel shows must be one that it shows where there is room
 * for everything. */
static void check_metrics(const struct script *script)
{
    static struct grid wide;
    static char wide_rows[WIDE_ROWS][ROW_SIZE], row[ROW_SIZE];
    const struct rect *panel = &script->frame.layout.metrics;

    if (wide.cells == NULL)
        must(grid_resize(&wide, WIDE_COLUMNS, WIDE_ROWS));
    grid_clear(&wide);
    struct canvas canvas = {&wide, &script->theme, {0, 0, WIDE_COLUMNS, WIDE_ROWS}};
    panel_metrics(&canvas, &script->snapshot);
    for (int y = 0; y < WIDE_ROWS; y++)
        read_row(&wide, y, wide_rows[y], sizeof wide_rows[y]);
    for (int y = 0; y < panel->rows; y++) {
        read_row(&script->grid, panel->y + y, row, sizeof row);
        for (const char *at = row; *at != '\0';) {
            at += strspn(at, " ");
            size_t length = strcspn(at, " ");
            must(!has_digit(at, length) || is_cut(at, length) || is_known(wide_rows, at, length));
            at += length;
        }
    }
}

/* The makespan that is shown is the one there is. */
static void check_makespan(const struct script *script)
{
    static char row[ROW_SIZE];
    const struct rect *panel = &script->frame.layout.metrics;
    char expected[80];
    struct text text;

    read_row(&script->grid, panel->y, row, sizeof row);
    const char *at = strstr(row, "makespan=");
    if (at == NULL)
        return;
    text_init(&text, expected, sizeof expected);
    text_brief(&text, script->snapshot.outcome->metrics.makespan);
    at += strlen("makespan=");
    must(strncmp(at, expected, text.length) == 0);
    must(strchr(" \n", at[text.length]) != NULL || at[text.length] > 'a');
}

/* As text and with colours: there is room for all of it, and it is text. */
void check_dumps(const struct script *script)
{
    for (int is_coloured = 0; is_coloured < 2; is_coloured++) {
        size_t size = grid_dump_size(&script->grid, is_coloured);
        char *buffer = malloc(size);
        struct text text;
        must(buffer != NULL);
        text_init(&text, buffer, size);
        if (is_coloured)
            grid_dump_ansi(&script->grid, &script->theme, &text);
        else
            grid_dump(&script->grid, &text);
        must(!text.is_cut && text.length == strlen(buffer));
        if (!is_coloured)
            check_text(buffer);
        free(buffer);
    }
}

void check_frame(const struct script *script)
{
    const struct layout *layout = &script->frame.layout;
    enum mode mode = script->snapshot.mode;

    check_cells(&script->grid, script->theme.is_ascii);
    must(script->frame.cursor_x < script->grid.columns && script->frame.cursor_y < script->grid.rows);
    must(script->frame.cursor_x < 0 || script->frame.cursor_y >= 0);
    bool is_small = script->grid.columns < LAYOUT_LEAST_COLUMNS || script->grid.rows < LAYOUT_LEAST_ROWS;
    bool is_compared = script->snapshot.compared.a.outcome != NULL;
    must(is_compared || layout->is_too_small == is_small);
    bool has_chart = mode == MODE_CHART || mode == MODE_PROMPT || mode == MODE_CONFIRM;
    bool has_metrics = has_chart && !is_small && !is_compared && layout->metrics.rows > 0 &&
                       script->grid.columns < WIDE_COLUMNS && script->snapshot.build == NULL;
    if (!has_metrics)
        return;
    check_makespan(script);
    if (script->seen_columns != script->grid.columns ||
        script->seen_makespan != script->snapshot.outcome->metrics.makespan)
        check_metrics(script);
}
