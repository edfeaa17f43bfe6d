/* Schedule tables as files: reading them, and their names in scenario files. */
#ifndef APP_CONFIG_TABLE_H
#define APP_CONFIG_TABLE_H

#include "app/config.h"

/* Reads a stream to its end; `path` is what the table will be known by. NULL with the error, its
 * place "NAME:ROW:CELL" where it has one. */
struct table *table_file_read(FILE *stream, const char *path, struct file_error *error);
/* `may_wait`: for pipes and devices, see input.h. */
struct table *table_file_open(const char *path, bool may_wait, struct file_error *error);

/* All to be freed; NULL when out of memory. */
/* A name that stands in the file `from`, as it can be opened from here. */
char *path_join(const char *from, const char *name);
/* `path`, as it has to stand in the file `from` (NULL: seen from here). */
char *path_from(const char *from, const char *path);

/* What a table says about how it was read; NULL when it is nothing worth saying. */
const char *table_note(const struct scenario *scenario);

#endif
