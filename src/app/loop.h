/* The order of work while a screen is open: sleep until there is any, then signals, keys, what a
 * session asks for, ticks of play, workers, and one frame for all of it.
 *
 * While there is nothing to do it costs nothing, and keys that come faster than they can be done
 * still show a frame now and then. The loop knows descriptors and a clock; the rest is left to a
 * screen, which is the curses file or a test. */
#ifndef APP_LOOP_H
#define APP_LOOP_H

#include "app/desk.h"
#include "app/workers.h"

/* What is asked of the screen. */
struct screen_calls {
    bool (*take_key)(struct session *session); /* gives the session one; false: none is there */
    void (*take_signals)(struct session *session); /* may end the program */
    void (*draw)(struct session *session, bool is_whole);
    void (*repaint)(void); /* with the next frame: what is shown is not to be relied on */
    void (*suspend)(struct session *session);
    void (*lose)(void); /* the terminal is gone: ends the program */
};

struct loop {
    const struct screen_calls *screen;
    struct desk *desk;
    struct session *session;
    struct workers *workers; /* NULL: there was no memory for them */
    int keys, wake;          /* descriptors: something can be read when there are keys, signals */
};

/* Until the session asks to leave. Returns the exit status. */
int loop_run(const struct loop *loop);

#endif
