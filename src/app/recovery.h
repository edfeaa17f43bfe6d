/* Unsaved changes that outlive the program: files of their own under the state folder.
 *
 * Whenever something unsaved changes, its text is made ready in memory; a little later, or when
 * the program ends, be it by a crash, that is written, with nothing but system calls. Each file
 * belongs to one program as long as that runs (own_file.h) and is whole or not there
 * (kept_text.h), so that nothing of anybody else's is overwritten and nothing half-written or
 * still in use is offered. */
#ifndef APP_RECOVERY_H
#define APP_RECOVERY_H

#include "app/cli.h"
#include "app/own_file.h"
#include "model/session.h"

struct kept;

#define RECOVERY_MOST 64 /* kept changes that one run looks at */
#define RECOVERY_OWN 96  /* files that it writes itself */

/* When what is unsaved is written: so long after the last change, while changes go on so long after
 * the first, and not again before the times given below. All in milliseconds. */
#define RECOVERY_PAUSE 1500
#define RECOVERY_LONGEST 10000
#define RECOVERY_BACK_OFF 10000 /* after a failure; then twice as long each time, */
#define RECOVERY_BACK_OFF_MOST 640000
#define RECOVERY_SHARE 20 /* a disk that is slow gets one part in that of the time */

/* What an earlier run kept. */
struct found {
    char *path;
    int64_t time; /* ns, of the last file of that run */
    int lock;     /* descriptor, once it is opened here; -1: it is not */
    bool is_gone; /* removed here: saved, given up, or taken over by a slot */
};

/* A file of this run. */
struct slot {
    struct own_file file;
    char *key;           /* what of the session it is for; NULL: the slot is free */
    uint32_t number;     /* in its name */
    uint64_t contents;   /* a hash of what lies there; 0: nothing does */
    uint32_t stands_for; /* the changes of an earlier run that it has taken over, from 1; 0: none */
};

struct recovery {
    char folder[3072]; /* "": nothing can be kept */
    char prefix[120];  /* that all names of this run begin with */
    struct kept *volatile kept; /* ready to be written; NULL when nothing is unsaved */
    uint64_t moves;    /* of the session, when that was made */
    bool is_short;     /* not all that is unsaved could be made ready, */
    const char *flaw;  /* because no file can hold it; NULL: there was no memory */
    bool is_discarded; /* the user said so */
    struct slot slots[RECOVERY_OWN];
    bool is_due;       /* something is ready and not written: */
    int64_t since, last;  /* its first and its last change, */
    int64_t not_before;   /* and the earliest time to write */
    int64_t back_off;     /* 0: it went well */
    int why;              /* errno of what did not */
    bool is_told;         /* and that was said */
    uint64_t warned;      /* moves + 1 when the user was last asked whether it may be lost */
    struct found found[RECOVERY_MOST];
    uint32_t order[RECOVERY_MOST]; /* in which they are offered */
    uint32_t count, offered;       /* offered: in that order */
};

enum recovered { RECOVERED_NOTHING, RECOVERED_KEPT, RECOVERED_FAILED };

/* Finds the folder, and touches nothing. */
void recovery_init(struct recovery *recovery);
/* Leaves the files. */
void recovery_free(struct recovery *recovery);

/* Makes what is unsaved ready. Cheap when nothing has changed. */
void recovery_keep(struct recovery *recovery, const struct session *session);
/* Writes what is ready and drops what that replaces. For signal handlers too. */
enum recovered recovery_write(struct recovery *recovery);
/* Both, when it is time to. `now` comes from the clock of the caller. True when something was said
 * in the session. */
bool recovery_tend(struct recovery *recovery, struct session *session, int64_t now);
/* How long to sleep until then, as poll takes it, but no longer than `patience` (-1: for ever). */
int recovery_wait(const struct recovery *recovery, int64_t now, int patience);
/* Both at once: the program is about to stand still. */
void recovery_settle(struct recovery *recovery, const struct session *session);
/* May the program end without a question? False, once for each change, where what is unsaved cannot be
 * written: that is said in the session. */
bool recovery_lets_go(struct recovery *recovery, struct session *session);
/* The user answered that what is unsaved may be lost. */
void recovery_discard(struct recovery *recovery);
/* The state was just saved; the session does not know yet. */
void recovery_saved(struct recovery *recovery, const struct session *session);

/* Where the changes with that number lie; NULL where they do not any more, or are open here. */
const char *recovery_path(const struct recovery *recovery, uint32_t id);
/* They are in another file by now: that of the earlier run goes. For handlers too. */
void recovery_forget(struct recovery *recovery, uint32_t id);
/* Deletes them, wherever they lie; false with errno, EWOULDBLOCK where another program has them. */
bool recovery_give_up(struct recovery *recovery, uint32_t id);

/* recovered.c */
/* Finds what earlier runs kept, and says so. */
void recovery_offer(struct recovery *recovery, struct session *session, bool is_said);
/* Does what was answered. */
void recovery_serve(struct recovery *recovery, struct session *session,
                    const struct request *request);
#endif
