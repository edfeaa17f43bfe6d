/* What the mouse does to a session: click selects, wheel zooms, drag pans. */
#ifndef APP_MOUSE_H
#define APP_MOUSE_H

#include "view/screen.h"

/* A mouse event in cells of the screen. */
struct pointer {
    int x, y;
    int wheel; /* 1: up, -1: down */
    bool is_pressed, is_released, is_moved;
};

/* `frame` is what was on screen; *drag_x is the column of a drag between events, -1 for none. */
void mouse_take(struct session *session, const struct frame *frame, const struct pointer *pointer,
                int *drag_x);

#endif
