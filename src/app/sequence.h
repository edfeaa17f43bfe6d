/* What a terminal sends behind an Esc at once: keys, reports of the mouse, answers. */
#ifndef APP_SEQUENCE_H
#define APP_SEQUENCE_H

#include "app/mouse.h"

/* Where characters come from. Both give what comes within so many milliseconds, -1 for nothing. */
struct source {
    int (*next)(void *about, int patience);
    int (*next_byte)(void *about, int patience); /* that need be no character */
    void (*put_back)(void *about, int character); /* the last one put back comes first */
    void *about;
    bool has_mouse; /* was the terminal asked for reports? */
};

struct sequence {
    const char *key; /* its name, "Esc" where nothing but that was meant; NULL: none */
    bool is_pointer; /* a report of the mouse */
    struct pointer pointer;
};

/* Takes what belongs to the Esc that was read last. */
struct sequence sequence_take(const struct source *source);

#endif
