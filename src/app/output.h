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
 * mode is kept, a symbolic link is followed, devices and pipes are written straight. On failure the
 * old file is as it was and the report says why. */
bool output_write(const char *path, const char *bytes, size_t count, struct report *report);

#endif
