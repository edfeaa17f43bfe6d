/* A file that this program alone writes, again and again, and that says whether it still runs.
 *
 * Everything here but own_init and own_free is system calls: a signal handler may use it, in the
 * middle of another call too. */
#ifndef APP_OWN_FILE_H
#define APP_OWN_FILE_H

#include "app/kept_text.h"

#include <stdbool.h>
#include <stddef.h>

struct own_file {
    char *path;  /* NULL: no file; ends in "-0.ini", the digit counts up while the name is taken */
    char *fresh; /* what the next contents are written into, hidden: ends in "-0.tmp" */
    bool is_claimed; /* the name is ours */
    int lock;    /* descriptor of what lies there, locked; -1: nothing does */
};

/* `name` is the file's without its end. False when out of memory. */
bool own_init(struct own_file *own, const char *folder, const char *name);
/* Leaves what lies there, for others to find. */
void own_free(struct own_file *own);
/* New contents, whole or not at all; false with errno, and the old ones are as they were. */
bool own_write(struct own_file *own, const char *text, size_t size);
/* Does it lie there as it was written, or has somebody taken it away? */
bool own_is_there(const struct own_file *own);
void own_remove(struct own_file *own);
void own_flush_folder(const char *folder);

/* Takes over the file of a program that has ended: it is as if that ran again. The descriptor, -1
 * when it is gone, or a program that runs has it (then *is_held). */
int own_adopt(const char *path, bool *is_held);
/* Is this open file one of a program that still runs? */
bool own_is_held(int file, const char *path);

/* Removes a file that was cut short in `folder` by the end of a program: of a name that only what
 * is not whole can have. */
void own_clean(const char *folder, const char *name);

#endif
