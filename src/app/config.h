/* Scenario files: INI text to a scenario and back. */
#ifndef APP_CONFIG_H
#define APP_CONFIG_H

#include "model/resolve.h"

#include <stdio.h>

/* What is wrong with a file: where ("slow.ini:7", or the file alone), the sentence, and the exit
 * status it deserves: 1 could not read, 2 wrong contents. */
struct file_error {
    char where[320];
    struct report report;
    int status;
};

/* The place of an error about a file as a whole; of a long name the end. There is room for a line
 * and a cell behind it. */
void file_error_name(struct file_error *error, const char *name);

/* A scenario as read: with the lines its parameters stand on, so that what only turns out later to
 * be wrong (a list of the wrong length, a stage without cost) can still be placed. */
struct config {
    struct scenario scenario;
    bool has_comments;
    unsigned lines[PARAM_COUNT]; /* 0: not in the file */
};

/* Reads a stream to its end; `name` is what messages call it. The config is freed with config_free
 * only when this succeeds. A scenario that reads well has also been run through the core's checks
 * of lengths, bounds and layers. */
bool config_read(FILE *stream, const char *name, struct config *config, struct file_error *error);
/* The same where a table that is in no file of its own is at hand: one without a name is that. */
bool config_read_with(FILE *stream, const char *name, struct table *table, struct config *config,
                      struct file_error *error);
/* Opens and reads; refuses what is no regular file or larger than 16 MiB. "-": standard input. */
bool config_read_file(const char *path, struct config *config, struct file_error *error);
void config_free(struct config *config);

/* The scenario as INI text, to be freed; NULL when out of memory. Reads back to the same scenario
 * bit for bit. */
char *config_text(const struct scenario *scenario);
/* The same for a file that will be `path`: a table is named as seen from its folder. */
char *config_text_for(const struct scenario *scenario, const char *path);
/* The same for a file that may be anywhere: a table is named from the root. */
char *config_text_from_root(const struct scenario *scenario);
/* What such a file could not give back; NULL when nothing stands in the way. */
const char *config_flaw(const struct scenario *scenario);

#endif
