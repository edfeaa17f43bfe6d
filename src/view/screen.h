/* A whole frame: layout, chart and panels into a grid. The one entry into the view. */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include "model/session.h"
#include "view/chart.h"

/* What the program around it needs to know about the frame. */
struct frame {
    struct layout layout;
    struct axis axis;
    struct session_view view; /* to be given back to the session */
    int cursor_x, cursor_y;   /* of a line being typed; -1: none */
    bool is_short;            /* there was not enough memory to draw all of it */
};

/* Fills the grid. Interactive frames have message line and key bar. */
void screen_draw(struct grid *grid, const struct theme *theme, const struct snapshot *snapshot,
                 bool is_interactive, struct frame *frame);
/* Rows that a printed chart of a width takes. */
int screen_printed_rows(const struct snapshot *snapshot, int columns);

#endif
