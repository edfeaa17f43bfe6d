/* A grid of character cells: what a frame is drawn into, and every way to send it out as text.
 *
 * A cell names its colours by meaning; the palette comes in only when the grid leaves (here as plain
 * text or ANSI, in the curses file as a blit), so all outputs show the same cells. */
#ifndef VIEW_GRID_H
#define VIEW_GRID_H

#include "model/text.h"
#include "view/theme.h"

struct cell {
    uint32_t glyph; /* 0: right half of a wide character */
    uint8_t ink, paper; /* enum colour */
    uint8_t attributes;
};

struct grid {
    int columns, rows;
    struct cell *cells; /* [rows][columns] */
};

/* False when out of memory; the grid is then as before. Contents are blank afterwards. */
bool grid_resize(struct grid *grid, int columns, int rows);
void grid_free(struct grid *grid);
void grid_clear(struct grid *grid);
/* NULL outside. */
struct cell *grid_at(const struct grid *grid, int x, int y);
bool cell_equal(const struct cell *a, const struct cell *b);
/* The same on the screen? The ink of a blank is not seen. */
bool cell_looks_equal(const struct cell *a, const struct cell *b);
/* What is sent for a cell. A change of ink sends both colours again, 22 bytes, so where no ink is
 * seen it is that of the cell to the left on the same paper, else of the next glyph to the right on
 * it, else none. */
struct cell cell_as_sent(const struct grid *grid, int x, int y, const struct cell *left);

/* Bytes that a dump can need at most. */
size_t grid_dump_size(const struct grid *grid, bool is_coloured);
/* Rows as UTF-8 lines without trailing blanks. */
void grid_dump(const struct grid *grid, struct text *out);
/* The same with SGR sequences for the theme's depth. */
void grid_dump_ansi(const struct grid *grid, const struct theme *theme, struct text *out);
void text_add_character(struct text *text, uint32_t character);

#endif
