/* The grid of cells and its dumps: see grid.h. */
#include "view/grid.h"

#include <stdlib.h>

#define ROW_OVERHEAD 16
#define CELL_PLAIN 4
#define CELL_COLOURED 40

static const struct cell blank = {' ', COLOUR_OWN, COLOUR_OWN, 0};

bool grid_resize(struct grid *grid, int columns, int rows)
{
    size_t count = (size_t)columns * (size_t)rows;
    struct cell *cells = malloc((count > 0 ? count : 1) * sizeof *cells);

    if (cells == NULL)
        return false;
    free(grid->cells);
    grid->columns = columns;
    grid->rows = rows;
    grid->cells = cells;
    grid_clear(grid);
    return true;
}

void grid_free(struct grid *grid)
{
    free(grid->cells);
    *grid = (struct grid){0, 0, NULL};
}

void grid_clear(struct grid *grid)
{
    size_t count = (size_t)grid->columns * (size_t)grid->rows;

    for (size_t i = 0; i < count; i++)
        grid->cells[i] = blank;
}

struct cell *grid_at(const struct grid *grid, int x, int y)
{
    if (x < 0 || y < 0 || x >= grid->columns || y >= grid->rows)
        return NULL;
    return &grid->cells[(size_t)y * (size_t)grid->columns + (size_t)x];
}

bool cell_equal(const struct cell *a, const struct cell *b)
{
    return a->glyph == b->glyph && a->ink == b->ink && a->paper == b->paper &&
           a->attributes == b->attributes;
}

/* A blank on coloured paper: nothing of its ink is seen. (On the terminal's own paper curses knows
 * shorter ways with blanks, if they are left alone.) */
static bool is_inkless(const struct cell *cell)
{
    return cell->glyph == ' ' && cell->paper != COLOUR_OWN &&
           !(cell->attributes & (ATTR_REVERSE | ATTR_REVERSE_MONO));
}

bool cell_looks_equal(const struct cell *a, const struct cell *b)
{
    return cell_equal(a, b) || (is_inkless(a) && is_inkless(b) && a->paper == b->paper);
}

struct cell cell_as_sent(const struct grid *grid, int x, int y, const struct cell *left)
{
    const struct cell *cell = grid_at(grid, x, y), *next = cell;
    struct cell sent = *cell;

    if (!is_inkless(cell))
        return sent;
    if (left->paper == cell->paper && !(left->attributes & (ATTR_REVERSE | ATTR_REVERSE_MONO))) {
        sent.ink = left->ink;
        sent.attributes = left->attributes;
        return sent;
    }
    while (next != NULL && is_inkless(next) && next->paper == cell->paper)
        next = grid_at(grid, ++x, y);
    sent.ink = next != NULL && next->paper == cell->paper ? next->ink : COLOUR_OWN;
    sent.attributes = 0;
    return sent;
}

size_t grid_dump_size(const struct grid *grid, bool is_coloured)
{
    size_t cell = is_coloured ? CELL_COLOURED : CELL_PLAIN;
    return (size_t)grid->rows * ((size_t)grid->columns * cell + ROW_OVERHEAD) + 1;
}

void text_add_character(struct text *text, uint32_t c)
{
    char bytes[5] = {0};

    if (c < 0x80) {
        bytes[0] = (char)c;
    } else if (c < 0x800) {
        bytes[0] = (char)(0xc0u | c >> 6);
        bytes[1] = (char)(0x80u | (c & 0x3fu));
    } else if (c < 0x10000) {
        bytes[0] = (char)(0xe0u | c >> 12);
        bytes[1] = (char)(0x80u | (c >> 6 & 0x3fu));
        bytes[2] = (char)(0x80u | (c & 0x3fu));
    } else {
        bytes[0] = (char)(0xf0u | c >> 18);
        bytes[1] = (char)(0x80u | (c >> 12 & 0x3fu));
        bytes[2] = (char)(0x80u | (c >> 6 & 0x3fu));
        bytes[3] = (char)(0x80u | (c & 0x3fu));
    }
    text_add(text, bytes);
}

/* Columns of a row up to the last cell that shows something. */
static int used_columns(const struct grid *grid, int y)
{
    int used = grid->columns;

    while (used > 0 && cell_equal(grid_at(grid, used - 1, y), &blank))
        used--;
    return used;
}

void grid_dump(const struct grid *grid, struct text *out)
{
    for (int y = 0; y < grid->rows; y++) {
        int used = grid->columns;
        while (used > 0 && grid_at(grid, used - 1, y)->glyph == ' ')
            used--;
        for (int x = 0; x < used; x++)
            if (grid_at(grid, x, y)->glyph != 0)
                text_add_character(out, grid_at(grid, x, y)->glyph);
        text_add(out, "\n");
    }
}

static void add_colour(struct text *out, const struct theme *theme, int index, bool is_ink)
{
    if (index < 0)
        return;
    if (theme->depth == DEPTH_256)
        text_addf(out, ";%d;5;%d", is_ink ? 38 : 48, index);
    else if (index < 8)
        text_addf(out, ";%d", (is_ink ? 30 : 40) + index);
    else
        text_addf(out, ";%d", (is_ink ? 82 : 92) + index);
}

static void add_look(struct text *out, const struct theme *theme, const struct cell *cell)
{
    bool is_mono = theme->depth == DEPTH_MONO;

    text_add(out, "\033[0");
    if (cell->attributes & ATTR_BOLD)
        text_add(out, ";1");
    if (cell->attributes & ATTR_REVERSE || (is_mono && cell->attributes & ATTR_REVERSE_MONO))
        text_add(out, ";7");
    add_colour(out, theme, theme_index(theme, cell->ink), true);
    add_colour(out, theme, theme_index(theme, cell->paper), false);
    text_add(out, "m");
}

static bool same_look(const struct cell *a, const struct cell *b)
{
    return a->ink == b->ink && a->paper == b->paper && a->attributes == b->attributes;
}

void grid_dump_ansi(const struct grid *grid, const struct theme *theme, struct text *out)
{
    for (int y = 0; y < grid->rows; y++) {
        const struct cell *last = &blank;
        for (int x = 0, used = used_columns(grid, y); x < used; x++) {
            const struct cell *cell = grid_at(grid, x, y);
            if (cell->glyph == 0)
                continue;
            if (!same_look(cell, last))
                add_look(out, theme, cell);
            last = cell;
            text_add_character(out, cell->glyph);
        }
        text_add(out, same_look(last, &blank) ? "\n" : "\033[0m\n");
    }
}
