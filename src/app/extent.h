/* The size of the terminal, as far as it can be drawn. */
#ifndef APP_EXTENT_H
#define APP_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>

/* What the terminal says, cut to what is drawn at most. False when it says nothing. */
bool extent_ask(int terminal, struct winsize *size);
/* Makes LINES and COLUMNS say what curses is to begin with: nothing, or the size that was cut. */
void extent_export(int terminal);
/* Is there memory for curses to begin with? */
bool extent_has_start(void);
/* And for windows of this size? */
bool extent_has_room(const struct winsize *size);

/* How the screen follows its terminal. */
struct extent {
    int unexplained; /* changes of the size that changed nothing */
    bool is_behind;  /* there was no memory for the size that the terminal has */
};

enum extent_change {
    EXTENT_KEPT,
    EXTENT_DOUBTFUL, /* the same, but in between there was one that may have cut the screen off */
    EXTENT_CHANGED,  /* and there is memory for it */
};

/* The size that a screen of these columns and rows is to have. `told`: how often it was said to
 * have changed since. */
enum extent_change extent_follow(struct extent *extent, int terminal, int told, int columns,
                                 int rows, struct winsize *size);

#endif
