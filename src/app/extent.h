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

#endif
