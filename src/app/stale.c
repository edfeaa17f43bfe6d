/* A file that somebody else changed meanwhile: see stale.h. */
#include "app/stale.h"

#include "app/desk.h"

#include <sys/stat.h>

/* Read the way that `cli` says, has it something else than the session knows? */
static bool differs(const struct cli *cli, const struct session *session, const char *path)
{
    struct outcome outcome = {.block = NULL};
    struct opened opened;
    struct file_error error;

    bool is_open = desk_open(cli, path, &opened, &outcome, &error);
    outcome_free(&outcome);
    if (!is_open)
        return error.status == 2; /* 1: it could not be read at all */
    bool is_other = !scenario_equal(&opened.scenario, session_saved_scenario(session));
    opened_free(&opened);
    return is_other;
}

bool stale_file(const struct cli *cli, const struct session *session)
{
    static const struct cli no_options = {.action = ACTION_RUN};
    const char *path = session_path(session);
    struct stat status;

    if (path == NULL || session_saved_scenario(session) == NULL || stat(path, &status) != 0 ||
        !S_ISREG(status.st_mode))
        return false;
    /* What was loaded has the options over it, what was saved is the file alone. */
    return differs(&no_options, session, path) && differs(cli, session, path);
}
