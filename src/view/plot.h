/* Curves of a sweep in a rectangle, with their axes.
 *
 * With UTF-8 a cell has 2 x 4 dots of Braille; without, values are letters and what joins them dots.
 * Each family has a letter that stands on its curve here and there, so that nobody needs colours.
 * Only neighbouring values are joined: a value that cannot be is a hole in the curve. Values stand at
 * equal distances, whatever they are: those of a geometric range on a logarithmic axis. */
#ifndef VIEW_PLOT_H
#define VIEW_PLOT_H

#include "model/sweep.h"
#include "view/canvas.h"

struct plot {
    const struct sweep *sweep;
    enum measure measure;
    const uint32_t *marks;   /* [families of the sweep] number of the letter */
    uint32_t cursor;         /* value; PG_NONE: none */
    const struct crossing *crossings; /* marked on the axis */
    uint32_t crossing_count;
};

#define PLOT_MARKS 26u

void plot_draw(const struct canvas *canvas, const struct plot *plot);
/* 'a' for 0 and so on. */
char plot_letter(uint32_t mark);
/* By number within the sweep: as long as few are shown each has a colour of its own. */
enum style plot_style(uint32_t family);

#endif
