/* Frames, one after another: what is shown, what is wanted, and when anything is sent.
 *
 * A session is drawn into a grid, which is compared with the one that the terminal shows. What
 * differs goes out as bytes of our own (wire.c) where the terminal speaks ECMA-48, else cell by cell
 * through the library that has the screen; a frame like the one before sends nothing. Both ways lead
 * through a display, so that nothing here knows a terminal or curses. */
#ifndef APP_FRAMES_H
#define APP_FRAMES_H

#include "app/terminal.h"
#include "view/screen.h"

/* Where frames go. As bytes: */
struct display {
    void (*clear)(void); /* the terminal, whatever it shows */
    void (*send)(const char *bytes, size_t count);
    /* Or as cells, which are all shown at once, the cursor at (x, y): */
    void (*put)(const struct theme *theme, int x, int y, const struct cell *cell);
    void (*show)(int x, int y);
};

struct frames {
    const struct display *display;
    struct theme theme;
    bool is_wired;             /* frames go out as bytes: */
    struct wire wire;
    char sync[2][SYNC_SIZE];   /* around a frame: hold it back, show it */
    struct frame frame;        /* the last one */
    bool has_begun;            /* something was drawn */
    bool is_stale;             /* what is shown is not to be relied on */

    struct grid grid, shown, spare;
    char *bytes;               /* room for a frame */
    size_t room;
    bool has_cursor;           /* that stands at the line that is typed, */
    int cursor_x, cursor_y;    /* here */
};

/* Draws the session on a terminal of that size. `is_whole`: on a blank one. False when there is not
 * enough memory for the size: nothing was sent, the screen is the caller's to say so, and the next
 * call tries again. */
bool frames_draw(struct frames *frames, struct session *session, int columns, int rows,
                 bool is_whole);
void frames_free(struct frames *frames);

#endif
