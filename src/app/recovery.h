/* Unsaved changes that outlive the program: files of their own under the state folder.
 *
 * Whenever something unsaved changes, its text is made ready in memory; the end of the program,
 * be it a crash, has only system calls left to do. Every file is made new, under a name that
 * nobody has, and is good only with its last line, so that nothing is overwritten and nothing
 * half-written is offered. */
#ifndef APP_RECOVERY_H
#define APP_RECOVERY_H

#include "app/cli.h"
#include "model/session.h"

struct kept;

#define RECOVERY_MOST 64 /* kept changes that one run looks at */

struct recovery {
    char folder[3072]; /* "": nothing can be kept */
    struct kept *volatile kept; /* ready to be written; NULL when nothing is unsaved */
    uint64_t moves;    /* of the session, when that was made */
    bool is_short;     /* not all that is unsaved could be made ready */
    bool is_discarded; /* the user said so */
    char *names[RECOVERY_MOST]; /* of earlier runs, in the order in which they are offered */
    uint32_t count, offered;
};

enum recovered { RECOVERED_NOTHING, RECOVERED_KEPT, RECOVERED_FAILED };

/* Finds the folder, and touches nothing. */
void recovery_init(struct recovery *recovery);
void recovery_free(struct recovery *recovery);

/* Makes what is unsaved ready. Cheap when nothing has changed. */
void recovery_keep(struct recovery *recovery, const struct session *session);
/* Writes what is ready and drops what that replaces. For signal handlers too. */
enum recovered recovery_write(const struct recovery *recovery);
/* The user answered that what is unsaved may be lost. */
void recovery_discard(struct recovery *recovery);
/* The state was just saved; the session does not know yet. */
void recovery_saved(struct recovery *recovery, const struct session *session);

/* Finds what earlier runs kept, and says so. */
void recovery_offer(struct recovery *recovery, struct session *session, bool is_said);
/* Does what was answered. */
void recovery_serve(struct recovery *recovery, struct session *session,
                    const struct request *request);

#endif
