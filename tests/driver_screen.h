/* A session and what is drawn of it, for unit tests of whole frames: every key is followed by a
 * frame, as in the program. */
#ifndef TESTS_DRIVER_SCREEN_H
#define TESTS_DRIVER_SCREEN_H

#include "driver.h"
#include "view/screen.h"

struct screen {
    struct session *session;
    struct theme theme;
    struct grid grid;
    struct snapshot snapshot;
    struct frame frame;
};

/* A new session in 256 colours. */
void start_screen(struct screen *s, int columns, int rows);
void end_screen(struct screen *s);
void redraw(struct screen *s);
void resize(struct screen *s, int columns, int rows);
/* Keys as in driver.h, a frame after each; "tick" is a twentieth of a second. */
void press_on(struct screen *s, const char *keys);
/* A line after `:`, and Enter; it must be taken. */
void command_on(struct screen *s, const char *line);

#endif
