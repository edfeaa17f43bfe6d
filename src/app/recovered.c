/* The next start: what earlier runs kept is found, offered, opened or deleted. See recovery.h.
 *
 * A number from 1 stands for what was found, and means the same for the whole run, so that a
 * session can say which of it its changes are. What is opened here is locked, as if its program
 * ran again; it goes when a file of this run has taken it over, when it is saved, or given up. */
#include "app/recovery.h"

#include "app/desk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- finding ---- */

static char *join(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);

    if (path != NULL) {
        strcpy(path, folder);
        strcat(path, "/");
        strcat(path, name);
    }
    return path;
}

/* Whole, and of no program that runs? */
static bool is_left_behind(const char *path, int64_t *when)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct stat status;

    if (file < 0)
        return false;
    bool is_good = kept_is_whole(file) && fstat(file, &status) == 0 && !own_is_held(file, path);
    if (is_good)
        *when = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    close(file);
    return is_good;
}

static bool is_known(const struct recovery *recovery, const char *path)
{
    for (uint32_t i = 0; i < recovery->count; i++)
        if (!recovery->found[i].is_gone && strcmp(recovery->found[i].path, path) == 0)
            return true;
    return false;
}

static void look_at(struct recovery *recovery, const char *name)
{
    size_t length = strlen(name);
    int64_t when;

    if (length < 12 || strcmp(name + length - 4, ".ini") != 0)
        return;
    char *path = join(recovery->folder, name);
    if (path != NULL && !is_known(recovery, path) && is_left_behind(path, &when))
        recovery->found[recovery->count++] = (struct found){path, when, -1, false};
    else
        free(path);
}

static int is_ours(const struct dirent *entry)
{
    return strncmp(entry->d_name + (entry->d_name[0] == '.'), "unsaved-", 8) == 0;
}

/* By the time at which the run began that has the name, the latest first. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*b)->d_name, (*a)->d_name);
}

/* Length of what the names of one run have in common: all but two numbers. */
static size_t run_length(const char *path)
{
    size_t length = strlen(path);

    for (int dashes = 0; length > 0 && dashes < 2; length--)
        dashes += path[length - 1] == '-';
    return length;
}

static bool is_one_run(const struct found *a, const struct found *b)
{
    size_t length = run_length(a->path);
    return length == run_length(b->path) && strncmp(a->path, b->path, length) == 0;
}

static int64_t time_of_run(const struct recovery *recovery, const struct found *found)
{
    int64_t latest = found->time;

    for (uint32_t i = 0; i < recovery->count; i++)
        if (recovery->found[i].time > latest && is_one_run(&recovery->found[i], found))
            latest = recovery->found[i].time;
    return latest;
}

/* The run that kept something last first; of one run what it left behind last. */
static bool is_before(const struct recovery *recovery, const struct found *a, const struct found *b)
{
    int64_t left = time_of_run(recovery, a), right = time_of_run(recovery, b);
    return left != right ? left > right : strcmp(a->path, b->path) > 0;
}

/* Of more than one run looks at, the latest. */
static void find_kept(struct recovery *recovery)
{
    struct dirent **entries = NULL;
    int count = recovery->folder[0] == '\0'
                    ? 0 : scandir(recovery->folder, &entries, is_ours, by_name);

    for (int i = 0; i < count; i++) {
        if (recovery->count < RECOVERY_MOST) {
            own_clean(recovery->folder, entries[i]->d_name);
            look_at(recovery, entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
    for (uint32_t i = 0; i < recovery->count; i++) {
        uint32_t at = i;
        for (; at > 0 && is_before(recovery, &recovery->found[i],
                                   &recovery->found[recovery->order[at - 1]]); at--)
            recovery->order[at] = recovery->order[at - 1];
        recovery->order[at] = i;
    }
}

/* ---- offering ---- */

static uint32_t offered_id(const struct recovery *recovery)
{
    return recovery->order[recovery->offered] + 1;
}

/* To the first one that is still there, and that no other program has opened meanwhile; false when
 * there is none. */
static bool find_offer(struct recovery *recovery)
{
    for (; recovery->offered < recovery->count; recovery->offered++) {
        const struct found *found = &recovery->found[offered_id(recovery) - 1];
        const char *path = recovery_path(recovery, offered_id(recovery));
        int64_t when;
        if (path != NULL && (found->is_gone || found->lock >= 0 ? access(path, F_OK) == 0
                                                                : is_left_behind(path, &when)))
            return true;
    }
    return false;
}

/* Those that are still to be offered. */
static uint32_t count_offers(const struct recovery *recovery)
{
    uint32_t count = 0;

    for (uint32_t i = recovery->offered; i < recovery->count; i++) {
        const char *path = recovery_path(recovery, recovery->order[i] + 1);
        count += path != NULL && access(path, F_OK) == 0;
    }
    return count;
}

/* "Unsaved work, 1 of 3: WORDS slow.ini, Nov 30 16:03" */
static void write_offer(const struct recovery *recovery, const char *words, struct text *text)
{
    const char *path = recovery_path(recovery, offered_id(recovery));
    char when[40] = "", host[80];
    struct owner owner;
    struct stat status;
    struct tm at;

    kept_owner(path, &owner);
    kept_host(host, sizeof host);
    if (stat(path, &status) == 0 && localtime_r(&status.st_mtime, &at) != NULL)
        strftime(when, sizeof when, ", %b %d %H:%M", &at);
    /* What to do first: where there is no room for all, the end goes missing. */
    text_add(text, "Unsaved work");
    if (count_offers(recovery) > 1)
        text_addf(text, ", 1 of %u", count_offers(recovery));
    text_addf(text, ":  %s ", words);
    if (owner.is_built) {
        text_add(text, "what was built by hand");
    } else {
        text_add(text, "changes to ");
        text_printable(text, owner.name[0] == '\0' ? "the default" : owner.name);
    }
    if (owner.host[0] != '\0' && strcmp(owner.host, host) != 0) {
        text_add(text, " on ");
        text_printable(text, owner.host);
    }
    text_add(text, when);
}

static void ask(const struct recovery *recovery, struct session *session)
{
    char question[600];
    struct text text;

    text_init(&text, question, sizeof question);
    write_offer(recovery, "y opens, n keeps, d deletes", &text);
    session_offer(session, question);
}

/* A message, not a question: the first key belongs to what the user came for. */
void recovery_offer(struct recovery *recovery, struct session *session, bool is_said)
{
    char message[600];
    struct text text;

    find_kept(recovery);
    if (!is_said || !find_offer(recovery))
        return;
    text_init(&text, message, sizeof message);
    write_offer(recovery, "R opens or deletes", &text);
    session_message(session, message, false);
}

/* ---- opening ---- */

static bool is_one_file(const char *a, const char *b)
{
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

/* What a save wrote last, as far as it can be read. */
static bool open_saved(const struct owner *owner, struct opened *saved, struct outcome *outcome)
{
    static const struct cli no_options = {.action = ACTION_RUN};
    struct file_error error;
    const char *what = owner->path[0] != '\0' ? owner->path
                       : owner->name[0] != '\0' ? owner->name : NULL;

    return desk_open(&no_options, what, saved, outcome, &error);
}

/* Changes of a file become the state. */
static bool take_changes(struct session *session, const char *path, const struct scenario *scenario,
                         uint32_t id, struct refusal *refusal)
{
    const char *present = session_path(session);
    struct outcome outcome = {.block = NULL};
    struct opened saved = {.has_comments = false};
    struct owner owner;
    char shown[300];
    struct text name;

    kept_owner(path, &owner);
    bool has_saved = open_saved(&owner, &saved, &outcome);
    outcome_free(&outcome);
    text_init(&name, shown, sizeof shown);
    text_printable(&name, owner.name);
    /* What is there and cannot be read is not to be replaced without a question. */
    bool is_free = has_saved || access(owner.path, F_OK) != 0;
    struct origin origin = {.name = shown, .has_comments = saved.has_comments};
    if (owner.path[0] != '\0' && is_free)
        origin.path = owner.path;
    if (origin.path != NULL && present != NULL && is_one_file(present, origin.path))
        origin.path = present;
    bool is_done = session_recover(session, scenario, has_saved ? &saved.scenario : NULL, &origin,
                                   id, refusal);
    if (has_saved)
        opened_free(&saved);
    return is_done;
}

static bool in_use(struct file_error *error, const char *path)
{
    struct text text;

    file_error_name(error, path);
    text_init(&text, error->report.text, sizeof error->report.text);
    text_add(&text, "another pipegantt has these changes open, or they are gone");
    return false;
}

/* It was not opened after all. */
static void release(struct found *found)
{
    if (found->lock >= 0)
        close(found->lock);
    found->lock = -1;
}

static bool recover(struct recovery *recovery, struct session *session, struct file_error *error)
{
    uint32_t id = offered_id(recovery);
    const char *path = recovery_path(recovery, id);
    struct found *found = &recovery->found[id - 1];
    struct config config;
    struct refusal refusal;
    bool is_held = false;
    char *moves;

    if (!found->is_gone && found->lock < 0) {
        found->lock = own_adopt(path, &is_held);
        if (found->lock < 0 && (is_held || access(path, R_OK) != 0))
            return in_use(error, path);
    }
    if (!kept_read(path, &config, &moves, error)) {
        release(found);
        return false;
    }
    bool is_done = moves != NULL
                       ? session_recover_build(session, &config.scenario, moves, id, &refusal)
                       : take_changes(session, path, &config.scenario, id, &refusal);
    if (!is_done) {
        file_error_name(error, path);
        error->report = refusal.report;
        release(found);
    } else if (moves == NULL && !session_is_unsaved(session)) {
        recovery_give_up(recovery, id); /* the file has them by now */
    }
    free(moves);
    config_free(&config);
    return is_done;
}

static void complain(struct session *session, const char *where, const char *what)
{
    char message[900];
    struct text text;

    text_init(&text, message, sizeof message);
    text_addf(&text, "%s: %s", where, what);
    session_message(session, message, true);
}

void recovery_serve(struct recovery *recovery, struct session *session,
                    const struct request *request)
{
    struct file_error error;

    if (request->kind == REQUEST_KEPT) {
        find_kept(recovery); /* a program may have ended meanwhile */
        recovery->offered = 0;
        if (find_offer(recovery))
            ask(recovery, session);
        else
            session_message(session, "there is no unsaved work of earlier runs", false);
        return;
    }
    if (recovery->offered >= recovery->count ||
        recovery_path(recovery, offered_id(recovery)) == NULL)
        return;
    if (request->kind == REQUEST_RECOVER) {
        if (!recover(recovery, session, &error))
            complain(session, error.where, error.report.text);
        recovery->offered = recovery->count;
        return;
    }
    if (request->kind == REQUEST_FORGET && !recovery_give_up(recovery, offered_id(recovery))) {
        complain(session, "unsaved changes could not be deleted", strerror(errno));
        recovery->offered = recovery->count;
        return;
    }
    recovery->offered++;
    if (find_offer(recovery))
        ask(recovery, session);
    else
        session_message(session, request->kind == REQUEST_FORGET
                                     ? "deleted"
                                     : "the unsaved changes are kept for the next start", false);
}
