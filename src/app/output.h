/* Results on their way out of the program: to a file, whole or not at all. */
#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include "model/scenario.h"
#include "model/text.h"

#include <stddef.h>

/* Every byte, however often a write is interrupted or the other end has no room; false with errno.
 * Only system calls: a signal handler may use it. */
bool output_write_all(int file, const char *bytes, size_t count);
/* Replaces the file's contents: written beside it, flushed to disk, renamed over it; the old file's
 * mode is kept, a symbolic link is followed. On failure the old file is as it was and the report says
 * why. What is no regular file is refused, for it could keep a screen waiting for ever. */
bool output_replace(const char *path, const char *bytes, size_t count, struct report *report);
/* The same, but devices and pipes are written straight. */
bool output_write(const char *path, const char *bytes, size_t count, struct report *report);

#endif
