/* What is unsaved, ready in memory and on the disk: see recovery.h.
 *
 * Each part of what is unsaved (the state, what slides left behind, what is built by hand) has a
 * slot, and a slot has a file. A slot is known by what it is for, so that a newer state of the
 * same thing takes the place of the older one and of nothing else. All that is ready is written
 * before anything is dropped, so that at every moment something whole lies there. */
#include "app/recovery.h"

#include "app/ticker.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PIECES_MOST (UNSAVED_MOST + 1)
#define NO_SLOT RECOVERY_OWN

/* Something unsaved, as it is to be written. */
struct piece {
    char *text; /* NULL: there was no memory for it, or no file can hold it */
    size_t size;
    uint64_t hash;
    uint32_t slot;
    uint32_t recovered; /* what it was recovered from, 0 for nothing */
};

struct kept {
    size_t count;
    struct piece pieces[PIECES_MOST];
};

/* ---- the folder ---- */

void recovery_init(struct recovery *recovery)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct passwd *user = NULL;
    struct text folder;

    memset(recovery, 0, sizeof *recovery);
    for (size_t i = 0; i < RECOVERY_OWN; i++)
        recovery->slots[i].file.lock = -1;
    if (home == NULL || home[0] == '\0')
        user = getpwuid(getuid());
    if (user != NULL)
        home = user->pw_dir;
    text_init(&folder, recovery->folder, sizeof recovery->folder);
    if (state != NULL && state[0] == '/')
        text_addf(&folder, "%s/pipegantt", state);
    else if (home != NULL && home[0] == '/')
        text_addf(&folder, "%s/.local/state/pipegantt", home);
    if (folder.is_cut)
        recovery->folder[0] = '\0';
}

/* The folder and those above it, as far as they are missing. */
static void make_folder(const char *folder)
{
    char path[sizeof ((struct recovery *)0)->folder];
    size_t length = strlen(folder);

    memcpy(path, folder, length + 1);
    if (mkdir(path, 0700) == 0 || errno != ENOENT)
        return;
    for (size_t i = 1; i <= length; i++)
        if (path[i] == '/' || path[i] == '\0') {
            path[i] = '\0';
            mkdir(path, 0700);
            path[i] = i < length ? '/' : '\0';
        }
}

/* ---- slots ---- */

static void slot_free(struct slot *slot)
{
    own_free(&slot->file);
    free(slot->key);
    *slot = (struct slot){.file.lock = -1};
}

static bool is_wanted(const struct kept *kept, uint32_t slot)
{
    for (size_t i = 0; kept != NULL && i < kept->count; i++)
        if (kept->pieces[i].slot == slot)
            return true;
    return false;
}

/* One that nothing is for and that has nothing is free again. */
static void free_slots(struct recovery *recovery)
{
    for (uint32_t i = 0; i < RECOVERY_OWN; i++)
        if (recovery->slots[i].key != NULL && recovery->slots[i].contents == 0 &&
            !is_wanted(recovery->kept, i))
            slot_free(&recovery->slots[i]);
}

/* The name of a file tells when its run began to keep, and whose it is. */
static bool make_prefix(struct recovery *recovery)
{
    char stamp[20], host[80];
    struct text text;
    struct tm at;
    time_t now = time(NULL);

    if (recovery->prefix[0] != '\0')
        return true;
    if (gmtime_r(&now, &at) == NULL || strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &at) == 0)
        return false;
    kept_host(host, sizeof host);
    text_init(&text, recovery->prefix, sizeof recovery->prefix);
    text_addf(&text, "unsaved-%s-%s-%ld", stamp, host, (long)getpid());
    return true;
}

/* A new one for `key`. Its number is above all others, so that what was left behind last has the
 * highest. */
static uint32_t slot_make(struct recovery *recovery, const char *key)
{
    uint32_t free_one = NO_SLOT, number = 0;
    char name[160];
    struct text text;

    for (uint32_t i = RECOVERY_OWN; i-- > 0;) {
        struct slot *slot = &recovery->slots[i];
        if (slot->key == NULL)
            free_one = i;
        else if (slot->number >= number)
            number = slot->number + 1;
    }
    if (free_one == NO_SLOT || !make_prefix(recovery))
        return NO_SLOT;
    struct slot *slot = &recovery->slots[free_one];
    text_init(&text, name, sizeof name);
    text_addf(&text, "%s-%03u", recovery->prefix, number);
    char *copy = malloc(strlen(key) + 1);
    if (copy == NULL || !own_init(&slot->file, recovery->folder, name)) {
        free(copy);
        return NO_SLOT;
    }
    strcpy(copy, key);
    slot->number = number;
    slot->key = copy;
    return free_one;
}

/* Of changes that were recovered, the one that has taken them over; else that of the key. NO_SLOT
 * when there is none. */
static uint32_t slot_find(const struct recovery *recovery, const char *key, uint32_t recovered)
{
    const struct slot *slots = recovery->slots;

    for (uint32_t i = 0; recovered != 0 && i < RECOVERY_OWN; i++)
        if (slots[i].stands_for == recovered)
            return i;
    for (uint32_t i = 0; i < RECOVERY_OWN; i++)
        if (slots[i].key != NULL && slots[i].stands_for == 0 && strcmp(slots[i].key, key) == 0)
            return i;
    return NO_SLOT;
}

static void slot_drop(struct slot *slot)
{
    own_remove(&slot->file);
    slot->contents = 0;
    slot->stands_for = 0;
}

/* ---- keeping ---- */

static void kept_free(struct kept *kept)
{
    for (size_t i = 0; kept != NULL && i < kept->count; i++)
        free(kept->pieces[i].text);
    free(kept);
}

void recovery_free(struct recovery *recovery)
{
    kept_free(recovery->kept);
    for (uint32_t i = 0; i < RECOVERY_OWN; i++)
        slot_free(&recovery->slots[i]);
    for (uint32_t i = 0; i < recovery->count; i++) {
        free(recovery->found[i].path);
        if (recovery->found[i].lock >= 0)
            close(recovery->found[i].lock);
    }
    memset(recovery, 0, sizeof *recovery);
}

/* FNV-1a; never 0. */
static uint64_t hash_of(const char *text, size_t size)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash == 0 ? 1 : hash;
}

static bool is_same_file(const struct unsaved *a, const struct unsaved *b)
{
    return strcmp(a->name, b->name) == 0 &&
           strcmp(a->path == NULL ? "" : a->path, b->path == NULL ? "" : b->path) == 0;
}

/* What part `at` of the unsaved changes is for: a file, and how many of its states were left behind
 * before, which stays the same while newer ones come and go; what is pinned is one by itself, so that
 * pinning gives no other state its slot. NULL when out of memory. */
static char *key_of(const struct unsaved *unsaved, size_t count, size_t at)
{
    const char *path = unsaved[at].path == NULL ? "" : unsaved[at].path;
    size_t size = strlen(unsaved[at].name) + strlen(path) + 32;
    char *key = malloc(size);
    unsigned before = 0;
    struct text text;

    for (size_t i = at + 1; i < count; i++)
        before += unsaved[i].is_pinned == unsaved[at].is_pinned &&
                  is_same_file(&unsaved[i], &unsaved[at]);
    if (key == NULL)
        return NULL;
    text_init(&text, key, size);
    text_addf(&text, "%s%u %s\n%s", unsaved[at].is_pinned ? "A" : "", before, unsaved[at].name, path);
    return key;
}

/* `session`: of what is built by hand, else NULL. */
static void add_piece(struct recovery *recovery, struct kept *kept, const struct unsaved *unsaved,
                      const char *key, const struct session *session)
{
    struct piece *piece = &kept->pieces[kept->count];

    /* Of several states of a file that was recovered the oldest goes on with it. */
    piece->recovered = unsaved->recovered;
    for (size_t i = 0; i < kept->count; i++)
        if (kept->pieces[i].recovered == piece->recovered)
            piece->recovered = 0;
    piece->slot = key == NULL ? NO_SLOT : slot_find(recovery, key, piece->recovered);
    if (piece->slot == NO_SLOT && key != NULL)
        piece->slot = slot_make(recovery, key);
    if (piece->slot == NO_SLOT) {
        recovery->is_short = true;
        return;
    }
    kept->count++;
    const char *flaw = kept_flaw(unsaved->scenario);
    if (flaw != NULL)
        recovery->flaw = flaw;
    else
        piece->text = kept_text(unsaved, session, &piece->size);
    if (piece->text != NULL)
        piece->hash = hash_of(piece->text, piece->size);
    else
        recovery->is_short = true;
}

/* Those left behind longest first: their files have the lowest numbers. */
static bool kept_make(struct recovery *recovery, const struct session *session, struct kept **out)
{
    struct unsaved unsaved[UNSAVED_MOST], built;
    size_t count = session_unsaved(session, unsaved);
    bool is_building = session_unsaved_build(session, &built);

    *out = NULL;
    recovery->is_short = recovery->folder[0] == '\0' && (count > 0 || is_building);
    recovery->flaw = NULL;
    if (recovery->folder[0] == '\0' || (count == 0 && !is_building))
        return true;
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        recovery->is_short = true;
        return false;
    }
    if (is_building)
        add_piece(recovery, *out, &built, "built", session);
    for (size_t i = count; i-- > 0;) {
        char *key = key_of(unsaved, count, i);
        add_piece(recovery, *out, &unsaved[i], key, NULL);
        free(key);
    }
    return true;
}

static bool is_written(const struct recovery *recovery, const struct piece *piece)
{
    return piece->text != NULL && recovery->slots[piece->slot].contents == piece->hash;
}

/* All that can be? */
static bool is_all_written(const struct recovery *recovery)
{
    const struct kept *kept = recovery->kept;

    if (recovery->folder[0] == '\0')
        return true;
    for (size_t i = 0; kept != NULL && i < kept->count; i++)
        if (kept->pieces[i].text != NULL && !is_written(recovery, &kept->pieces[i]))
            return false;
    return !recovery->is_short || recovery->flaw != NULL;
}

/* Files for which nothing is unsaved any more go, and so does what others have taken over. What was
 * recovered and then undone stays, for nobody gave it up. */
static void drop_rest(struct recovery *recovery)
{
    const struct kept *kept = recovery->kept;

    for (size_t i = 0; kept != NULL && i < kept->count; i++) {
        const struct piece *piece = &kept->pieces[i];
        struct slot *slot = &recovery->slots[piece->slot];
        if (piece->recovered == 0 || slot->stands_for == piece->recovered ||
            !is_written(recovery, piece))
            continue;
        slot->stands_for = piece->recovered; /* before that goes: two are better than none */
        recovery_forget(recovery, piece->recovered);
    }
    for (uint32_t i = 0; i < RECOVERY_OWN; i++) {
        struct slot *slot = &recovery->slots[i];
        if (slot->contents == 0 || slot->stands_for != 0 || is_wanted(kept, i))
            continue;
        slot_drop(slot);
    }
}

/* What was recovered, built on and written to a table is nobody's any more. */
static void drop_written(struct recovery *recovery, const struct session *session)
{
    uint32_t id = session_written_build(session);

    for (uint32_t i = 0; id != 0 && i < RECOVERY_OWN; i++)
        if (recovery->slots[i].stands_for == id && !is_wanted(recovery->kept, i))
            slot_drop(&recovery->slots[i]);
    if (id != 0)
        recovery_forget(recovery, id);
}

void recovery_keep(struct recovery *recovery, const struct session *session)
{
    uint64_t moves = session_moves(session);
    struct kept *kept;

    if (recovery->moves == moves)
        return;
    free_slots(recovery);
    if (!kept_make(recovery, session, &kept)) {
        recovery->is_due = true; /* to be tried again; what was ready stays so */
        return;
    }
    struct kept *old = recovery->kept;
    recovery->kept = kept; /* a crash finds the old one or the new one */
    kept_free(old);
    recovery->moves = moves;
    recovery->is_due = !is_all_written(recovery);
    if (!recovery->is_due)
        drop_rest(recovery);
    drop_written(recovery, session);
}

/* ---- writing ---- */

static bool write_piece(struct recovery *recovery, const struct piece *piece, bool *has_written)
{
    struct slot *slot = &recovery->slots[piece->slot];

    if (piece->text == NULL)
        return false;
    if (slot->contents == piece->hash && own_is_there(&slot->file))
        return true;
    if (!*has_written)
        make_folder(recovery->folder);
    *has_written = true;
    if (!own_write(&slot->file, piece->text, piece->size)) {
        recovery->why = errno;
        return false;
    }
    slot->contents = piece->hash;
    return true;
}

enum recovered recovery_write(struct recovery *recovery)
{
    const struct kept *kept = recovery->kept;
    int why = errno;
    bool is_done = !recovery->is_short, has_written = false;

    if (recovery->is_discarded)
        return RECOVERED_NOTHING;
    recovery->why = 0;
    for (size_t i = 0; kept != NULL && i < kept->count; i++)
        is_done = write_piece(recovery, &kept->pieces[i], &has_written) && is_done;
    if (has_written)
        own_flush_folder(recovery->folder);
    if (is_all_written(recovery))
        drop_rest(recovery);
    errno = why;
    return !is_done ? RECOVERED_FAILED
           : kept == NULL || kept->count == 0 ? RECOVERED_NOTHING : RECOVERED_KEPT;
}

/* ---- when ---- */

static int64_t due_at(const struct recovery *recovery)
{
    int64_t quiet = recovery->last + RECOVERY_PAUSE, late = recovery->since + RECOVERY_LONGEST;
    int64_t due = quiet < late ? quiet : late;
    return due > recovery->not_before ? due : recovery->not_before;
}

static const char *reason_of(const struct recovery *recovery)
{
    return recovery->folder[0] == '\0' ? "there is no folder for them"
           : recovery->flaw != NULL    ? recovery->flaw
           : recovery->why != 0        ? strerror(recovery->why)
                                       : "there is not enough memory";
}

/* Once, and not over a line or a question that is on screen. */
static bool say_failure(struct recovery *recovery, struct session *session)
{
    struct snapshot snapshot;
    char message[600];
    struct text text;

    if (recovery->is_told)
        return false;
    session_snapshot(session, &snapshot);
    if (snapshot.mode != MODE_CHART)
        return false;
    text_init(&text, message, sizeof message);
    text_add(&text, "unsaved changes cannot be kept safe from a crash: ");
    text_add(&text, reason_of(recovery));
    session_message(session, message, true);
    recovery->is_told = true;
    return true;
}

bool recovery_tend(struct recovery *recovery, struct session *session, int64_t now)
{
    bool was_due = recovery->is_due;
    uint64_t moves = recovery->moves;

    recovery_keep(recovery, session);
    if (recovery->moves != moves)
        recovery->last = now;
    if (recovery->is_due && !was_due)
        recovery->since = now;
    if (!recovery->is_due) {
        recovery->back_off = 0;
        return recovery->is_short && say_failure(recovery, session);
    }
    if (now < due_at(recovery))
        return false;
    if (recovery->is_short && recovery->flaw == NULL) { /* there may be memory by now */
        recovery->moves = UINT64_MAX;
        recovery_keep(recovery, session);
    }
    int64_t begin = ticker_now();
    bool is_done = recovery_write(recovery) != RECOVERED_FAILED;
    int64_t took = ticker_now() - begin;
    recovery->is_due = !is_all_written(recovery);
    recovery->since = now;
    if (!recovery->is_due)
        recovery->back_off = 0;
    else if (recovery->back_off == 0)
        recovery->back_off = RECOVERY_BACK_OFF;
    else if (recovery->back_off < RECOVERY_BACK_OFF_MOST)
        recovery->back_off *= 2;
    recovery->not_before = now + took * (1 + RECOVERY_SHARE) + recovery->back_off;
    return !is_done && say_failure(recovery, session);
}

int recovery_wait(const struct recovery *recovery, int64_t now, int patience)
{
    if (!recovery->is_due)
        return patience;
    int64_t due = due_at(recovery);
    int left = due > now ? (int)(due - now) : 0;
    return patience >= 0 && patience < left ? patience : left;
}

void recovery_settle(struct recovery *recovery, const struct session *session)
{
    recovery_keep(recovery, session);
    recovery_write(recovery);
    recovery->is_due = !is_all_written(recovery);
}

bool recovery_lets_go(struct recovery *recovery, struct session *session)
{
    char message[600];
    struct text text;

    recovery_keep(recovery, session);
    if (recovery_write(recovery) != RECOVERED_FAILED || recovery->warned == recovery->moves + 1)
        return true;
    recovery->warned = recovery->moves + 1;
    text_init(&text, message, sizeof message);
    text_addf(&text, "Q again quits: unsaved changes will be lost (%s)", reason_of(recovery));
    session_message(session, message, true);
    return false;
}

/* ---- what is not to be kept ---- */

void recovery_discard(struct recovery *recovery)
{
    const struct kept *kept = recovery->kept;

    for (size_t i = 0; kept != NULL && i < kept->count; i++) {
        if (kept->pieces[i].recovered != 0)
            recovery_forget(recovery, kept->pieces[i].recovered);
        slot_drop(&recovery->slots[kept->pieces[i].slot]);
    }
    drop_rest(recovery);
    recovery->is_discarded = true;
}

void recovery_saved(struct recovery *recovery, const struct session *session)
{
    struct unsaved unsaved[UNSAVED_MOST];
    size_t count = session_is_unsaved(session) ? session_unsaved(session, unsaved) : 0;
    char *key = count == 0 ? NULL : key_of(unsaved, count, 0);
    uint32_t slot = key == NULL ? NO_SLOT : slot_find(recovery, key, unsaved[0].recovered);

    if (slot != NO_SLOT)
        slot_drop(&recovery->slots[slot]);
    if (count > 0 && unsaved[0].recovered != 0)
        recovery_forget(recovery, unsaved[0].recovered);
    free(key);
}

/* ---- what was recovered ---- */

const char *recovery_path(const struct recovery *recovery, uint32_t id)
{
    const struct found *found = &recovery->found[id - 1];
    const struct kept *kept = recovery->kept;

    for (size_t i = 0; kept != NULL && i < kept->count; i++)
        if (kept->pieces[i].recovered == id)
            return NULL;
    if (!found->is_gone)
        return found->path;
    for (uint32_t i = 0; i < RECOVERY_OWN; i++)
        if (recovery->slots[i].stands_for == id)
            return recovery->slots[i].file.path;
    return NULL;
}

void recovery_forget(struct recovery *recovery, uint32_t id)
{
    struct found *found = &recovery->found[id - 1];
    int lock = found->lock;

    if (found->is_gone)
        return;
    found->is_gone = true;
    unlink(found->path);
    found->lock = -1;
    if (lock >= 0)
        close(lock);
}

bool recovery_give_up(struct recovery *recovery, uint32_t id)
{
    struct found *found = &recovery->found[id - 1];

    if (found->is_gone) {
        for (uint32_t i = 0; i < RECOVERY_OWN; i++)
            if (recovery->slots[i].stands_for == id)
                slot_drop(&recovery->slots[i]);
        return true;
    }
    bool is_held = false, is_gone = access(found->path, F_OK) != 0;
    if (found->lock < 0 && !is_gone)
        found->lock = own_adopt(found->path, &is_held);
    if (is_held || (!is_gone && unlink(found->path) != 0 && errno != ENOENT))
        return false;
    recovery_forget(recovery, id);
    return true;
}
