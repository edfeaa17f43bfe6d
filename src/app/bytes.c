/* A stream into memory: see bytes.h.
 *
 * That of the C library is not to be trusted: when open_memstream cannot grow, only the one call that
 * wanted to write learns of it, ferror and fclose do not, and a file saved from it would be cut short
 * and taken for whole. Where streams can have functions of their own this one has, and a write that
 * fails marks the stream as any failed write does. */
#define _GNU_SOURCE 1 /* fopencookie */
#include "app/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_FOPENCOOKIE
static ssize_t take(void *cookie, const char *from, size_t count)
{
    struct bytes *bytes = cookie;

    if (bytes->room - bytes->count <= count) {
        size_t room = bytes->room * 2 + count + 4096;
        char *larger = realloc(bytes->text, room);
        if (larger == NULL) {
            errno = ENOMEM;
            return 0;
        }
        bytes->text = larger;
        bytes->room = room;
    }
    memcpy(bytes->text + bytes->count, from, count);
    bytes->count += count;
    bytes->text[bytes->count] = '\0';
    return (ssize_t)count;
}

FILE *bytes_open(struct bytes *bytes)
{
    *bytes = (struct bytes){.text = NULL};
    return fopencookie(bytes, "w", (cookie_io_functions_t){.write = take});
}
#else
FILE *bytes_open(struct bytes *bytes)
{
    *bytes = (struct bytes){.text = NULL};
    return open_memstream(&bytes->text, &bytes->count);
}
#endif

bool bytes_close(FILE *out, struct bytes *bytes)
{
    bool is_whole = fflush(out) == 0 && !ferror(out);

    is_whole = fclose(out) == 0 && is_whole;
    if (is_whole && bytes->text == NULL) { /* nothing was written */
        bytes->text = calloc(1, 1);
        is_whole = bytes->text != NULL;
    }
    if (!is_whole) {
        free(bytes->text);
        *bytes = (struct bytes){.text = NULL};
    }
    return is_whole;
}
