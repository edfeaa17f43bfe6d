/* The drawing interface: a rectangle of a grid, in its own coordinates, that nothing drawn into it
 * can leave. Panels get one each. */
#ifndef VIEW_CANVAS_H
#define VIEW_CANVAS_H

#include "view/grid.h"

struct rect {
    int x, y, columns, rows;
};

struct canvas {
    struct grid *grid;
    const struct theme *theme;
    struct rect area;
};

/* A part of a canvas, cut to fit into it. */
struct canvas canvas_sub(const struct canvas *canvas, struct rect area);
/* Text from a column on; returns the column after it. Without UTF-8 arrows and dots become ASCII. */
int canvas_text(const struct canvas *canvas, int x, int y, enum style style, const char *text);
/* The same, cut at a blank and ended with dots where the whole does not fit: no word or number is
 * shown in part. */
int canvas_text_cut(const struct canvas *canvas, int x, int y, enum style style, const char *text);
void canvas_fill(const struct canvas *canvas, struct rect area, enum style style);
void canvas_rule(const struct canvas *canvas, int y, enum style style);
void canvas_cell(const struct canvas *canvas, int x, int y, struct cell cell);
/* The cell itself, to change a part of its look; NULL outside. */
struct cell *canvas_at(const struct canvas *canvas, int x, int y);
/* Columns that a character, and that a text takes on this canvas. */
int canvas_character_columns(const struct canvas *canvas, uint32_t character);
int canvas_columns(const struct canvas *canvas, const char *text);

#endif
