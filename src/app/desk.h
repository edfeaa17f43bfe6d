/* The desk: the files a run of the program works on, between command line and session.
 *
 * It finds scenarios (a file, or an installed one by name), puts the options over them, and serves
 * what a session asks for: open, save, reload, the next slide, completing a file's name. It knows
 * files but no terminal, so that the screen and the printed forms share it. */
#ifndef APP_DESK_H
#define APP_DESK_H

#include "app/cli.h"
#include "model/session.h"

struct lessons;
struct recovery;

struct desk {
    const struct cli *cli;
    struct lessons *lessons;   /* classroom.h's; NULL: no course runs */
    struct recovery *recovery; /* for changes that are not saved; NULL: none are kept */
};

/* A scenario made ready: read, options applied, and run once to know that it can be. */
struct opened {
    struct scenario scenario;
    char name[300]; /* shown */
    char path[4096];/* what a save writes; "" where it asks for a name */
    bool has_comments;
};

/* `what` is a file, "-", or the name of an installed scenario; NULL the default. The outcome (zeroed
 * or used before) holds the run. Status 1 or 2 comes with the error. */
bool desk_open(const struct cli *cli, const char *what, struct opened *opened,
               struct outcome *outcome, struct file_error *error);
void opened_free(struct opened *opened);

/* Opens file number `slide` of the command line into the session. */
bool desk_show_slide(struct desk *desk, struct session *session, uint32_t slide,
                     struct file_error *error);
/* Opens the two files of a comparison: the first is pinned, the second the state. */
bool desk_show_compared(struct desk *desk, struct session *session, struct file_error *error);
/* Does what a session asks for, as far as it is about files; messages go to the session. */
void desk_serve(struct desk *desk, struct session *session, const struct request *request);

/* Is it the name of a scenario or of a table, by its ending? */
bool desk_can_open(const char *name);
/* Where an installed scenario of that name lies; false when there is none. */
bool desk_installed_path(const char *name, char *path, size_t size);
/* Where installed files are looked for. */
const char *desk_assets_folder(void);
/* False when there was not enough memory for all of them. */
bool desk_list_scenarios(FILE *out);

#endif
