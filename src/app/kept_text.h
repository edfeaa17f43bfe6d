/* The contents of a file of unsaved changes: text out of them, and back. */
#ifndef APP_KEPT_TEXT_H
#define APP_KEPT_TEXT_H

#include "app/config.h"
#include "model/session.h"

/* Whose changes a file has, and which program keeps it or did. */
struct owner {
    char name[300], path[4096];
    char host[80];
    long process; /* 0: not said */
    bool is_built; /* not changes, but a schedule that is being built by hand */
};

/* The host's name as it stands in files and their names. */
void kept_host(char *host, size_t size);

/* To be freed, `size` bytes; NULL when out of memory. Of what is being built by hand (`session`)
 * the moves go with it, of changes (NULL) nothing. */
char *kept_text(const struct unsaved *unsaved, const struct session *session, size_t *size);
/* Why no file can hold these changes; NULL when one can. */
const char *kept_flaw(const struct scenario *scenario);

/* Is this open file one of ours, and written to its end? */
bool kept_is_whole(int file);
void kept_owner(const char *path, struct owner *owner);
/* Reads it back: a scenario, to be freed with config_free, and the moves of what was built, to be
 * freed, NULL where it was none. False with the error, and nothing to be freed. */
bool kept_read(const char *path, struct config *config, char **moves, struct file_error *error);

#endif
