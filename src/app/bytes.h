/* A stream into memory that knows whether everything got there. */
#ifndef APP_BYTES_H
#define APP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct bytes {
    char *text; /* of `count` bytes and a NUL; to be freed by who closes it */
    size_t count, room;
};

/* NULL when out of memory. */
FILE *bytes_open(struct bytes *bytes);
/* Closes the stream. False, and nothing is left to be freed, when not all of it found memory. */
bool bytes_close(FILE *out, struct bytes *bytes);

#endif
