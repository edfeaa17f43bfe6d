/* What a terminal can do, judged by its description.
 *
 * Frames and modes rely on few capabilities. Each is looked up here, compared with what ECMA-48 or
 * xterm says, and becomes a decision. Whoever has a description answers by the names of terminfo:
 * the curses file, or a test. */
#ifndef APP_TERMINAL_H
#define APP_TERMINAL_H

#include "app/wire.h"

#define SYNC_SIZE 16

struct description {
    const char *(*string)(const char *name); /* NULL: it has none */
    /* The same with its parameters; good until the next. */
    const char *(*expand)(const char *name, int a, int b);
    int (*number)(const char *name); /* below 0: none */
    bool (*flag)(const char *name);
};

/* Modes that curses does not know: what switches them on, and off again. */
struct modes {
    char on[60], off[60];
};

/* Of a terminal that has this many colours. `is_sparing`: not more than sixteen. */
enum depth terminal_depth(const struct description *description, int colours, bool is_sparing);
/* Does it say what ECMA-48 does, in all that frames need? What it can do beyond is in the wire. */
bool terminal_has_wire(const struct description *description, const struct theme *theme,
                       struct wire *wire);
/* What goes around a frame, so that it is shown when it is complete; left alone where nothing is. */
void terminal_take_sync(const struct description *description, char sync[2][SYNC_SIZE]);
/* Reports of the mouse, and marks around what is pasted. False, and none, where it is no xterm. */
bool terminal_take_modes(const struct description *description, bool has_mouse,
                         struct modes *modes);
/* What gives the screen back, all modes off. */
void terminal_add_goodbye(const struct description *description, const struct modes *modes,
                          struct text *text);

#endif
