/* Unsaved changes that outlive the program: see recovery.h. */
#include "app/recovery.h"

#include "app/desk.h"
#include "app/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STAMP_LENGTH 23 /* of "unsaved-20260131-235959" */
#define LAST_LINE "; end of the unsaved changes\n"

/* One file to be written. */
struct piece {
    char *path; /* ends in "-0.ini"; the digit counts up while the name is taken */
    char *text;
    size_t size;
    const char *replaced; /* what it was recovered from, "" for nothing */
};

struct kept {
    const char *folder;
    size_t count;
    struct piece pieces[UNSAVED_MOST];
};

/* ---- the folder ---- */

void recovery_init(struct recovery *recovery)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct passwd *user = NULL;
    struct text folder;

    memset(recovery, 0, sizeof *recovery);
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

/* ---- keeping ---- */

static void kept_free(struct kept *kept)
{
    for (size_t i = 0; kept != NULL && i < kept->count; i++) {
        free(kept->pieces[i].path);
        free(kept->pieces[i].text);
    }
    free(kept);
}

void recovery_free(struct recovery *recovery)
{
    kept_free(recovery->kept);
    for (uint32_t i = 0; i < recovery->count; i++)
        free(recovery->names[i]);
    memset(recovery, 0, sizeof *recovery);
}

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

static bool has_control(const char *s)
{
    for (; *s != '\0'; s++)
        if ((unsigned char)*s < ' ' || *s == 127)
            return true;
    return false;
}

/* The scenario with what says whose it is. A path is told from the root, for the next start may be
 * elsewhere; the part of it that is there can be resolved, the rest is a name. */
static char *text_of(const struct unsaved *unsaved, size_t *size)
{
    char *bytes = NULL, *ini = config_text_from_root(unsaved->scenario);
    FILE *out = ini == NULL ? NULL : open_memstream(&bytes, size);
    char folder[2048];

    if (out == NULL) {
        free(ini);
        return NULL;
    }
    fputs("; Changes that were unsaved when pipegantt ended: its next start offers them.\n", out);
    fprintf(out, "; name = %s\n", unsaved->name);
    if (unsaved->path != NULL && !has_control(unsaved->path)) {
        if (unsaved->path[0] == '/')
            fprintf(out, "; path = %s\n", unsaved->path);
        else if (getcwd(folder, sizeof folder) != NULL && !has_control(folder))
            fprintf(out, "; path = %s/%s\n", folder, unsaved->path);
    }
    fprintf(out, "%s" LAST_LINE, ini);
    free(ini);
    bool is_good = !ferror(out);
    if (fclose(out) == 0 && is_good)
        return bytes;
    free(bytes);
    return NULL;
}

/* A name that tells when, and who; `i` keeps those of one end apart, and in order. */
static char *path_of(const char *folder, size_t i)
{
    char name[80], stamp[20];
    struct text text;
    struct tm at;
    time_t now = time(NULL);

    if (gmtime_r(&now, &at) == NULL || strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &at) == 0)
        return NULL;
    text_init(&text, name, sizeof name);
    text_addf(&text, "unsaved-%s-%ld-%02zu-0.ini", stamp, (long)getpid(), i);
    return join(folder, name);
}

/* What the changes were recovered from; "" for nothing. */
static const char *origin_of(const struct recovery *recovery, const struct unsaved *unsaved)
{
    uint32_t id = unsaved->recovered;
    return id > 0 && id <= recovery->count ? recovery->names[id - 1] : "";
}

static struct kept *kept_make(struct recovery *recovery, const struct session *session)
{
    struct unsaved unsaved[UNSAVED_MOST];
    size_t count = session_unsaved(session, unsaved);
    struct kept *kept = count == 0 || recovery->folder[0] == '\0' ? NULL : calloc(1, sizeof *kept);

    recovery->is_short = kept == NULL && count > 0;
    if (kept == NULL)
        return NULL;
    kept->folder = recovery->folder;
    for (size_t i = 0; i < count; i++) {
        struct piece *piece = &kept->pieces[kept->count];
        if (config_flaw(unsaved[i].scenario) != NULL) {
            recovery->is_short = true; /* no file can hold it */
            continue;
        }
        piece->path = path_of(recovery->folder, i);
        piece->text = text_of(&unsaved[i], &piece->size);
        piece->replaced = origin_of(recovery, &unsaved[i]);
        kept->count++;
    }
    return kept;
}

void recovery_keep(struct recovery *recovery, const struct session *session)
{
    uint64_t moves = session_moves(session);

    if (recovery->moves == moves)
        return;
    struct kept *old = recovery->kept, *kept = kept_make(recovery, session);
    recovery->kept = kept; /* a crash finds the old one or the new one */
    kept_free(old);
    recovery->moves = moves;
}

/* ---- the end ---- */

static bool write_piece(const struct piece *piece)
{
    size_t digit = strlen(piece->path) - 5; /* before ".ini" */
    int file = -1;

    for (char c = '0'; file < 0 && c <= '9'; c++) {
        piece->path[digit] = c;
        file = open(piece->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0 && errno != EEXIST)
            return false;
    }
    if (file < 0)
        return false;
    bool is_done = output_write_all(file, piece->text, piece->size);
    is_done = is_done && (fsync(file) == 0 || errno == EINVAL || errno == ENOSYS);
    is_done = (close(file) == 0 || errno == EINTR) && is_done;
    if (!is_done)
        unlink(piece->path); /* ours: it did not exist */
    return is_done;
}

static void flush_folder(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (file >= 0) {
        fsync(file);
        close(file);
    }
}

enum recovered recovery_write(const struct recovery *recovery)
{
    const struct kept *kept = recovery->kept;
    int why = errno;
    bool is_done = !recovery->is_short;

    if (recovery->is_discarded)
        return RECOVERED_NOTHING;
    if (kept == NULL || kept->count == 0)
        return is_done ? RECOVERED_NOTHING : RECOVERED_FAILED;
    make_folder(kept->folder);
    for (size_t i = 0; i < kept->count; i++) {
        const struct piece *piece = &kept->pieces[i];
        bool is_kept = piece->path != NULL && piece->text != NULL && write_piece(piece);
        is_done = is_done && is_kept;
    }
    flush_folder(kept->folder);
    for (size_t i = 0; is_done && i < kept->count; i++)
        if (kept->pieces[i].replaced[0] != '\0')
            unlink(kept->pieces[i].replaced);
    errno = why;
    return is_done ? RECOVERED_KEPT : RECOVERED_FAILED;
}

void recovery_discard(struct recovery *recovery)
{
    const struct kept *kept = recovery->kept;

    recovery->is_discarded = true;
    for (size_t i = 0; kept != NULL && i < kept->count; i++)
        if (kept->pieces[i].replaced[0] != '\0')
            unlink(kept->pieces[i].replaced);
}

void recovery_saved(struct recovery *recovery, const struct session *session)
{
    struct unsaved unsaved[UNSAVED_MOST];

    const char *origin =
        session_is_unsaved(session) && session_unsaved(session, unsaved) > 0
            ? origin_of(recovery, &unsaved[0]) : "";
    if (origin[0] != '\0')
        unlink(origin);
}

/* ---- the next start ---- */

/* Ours, and written to its end. */
static bool is_whole(const char *path)
{
    char end[sizeof LAST_LINE] = "";
    struct stat status;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    off_t length = sizeof LAST_LINE - 1;

    if (file < 0)
        return false;
    bool is_good = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                   status.st_uid == geteuid() && status.st_size > length &&
                   pread(file, end, (size_t)length, status.st_size - length) == length;
    close(file);
    return is_good && strcmp(end, LAST_LINE) == 0;
}

/* Newest first; those of one end in the order in which they were written. */
static int by_time(const void *a, const void *b)
{
    const char *left = *(char *const *)a, *right = *(char *const *)b;
    size_t folder = (size_t)(strrchr(left, '/') - left) + 1;
    int newer = strncmp(right + folder, left + folder, STAMP_LENGTH);
    return newer != 0 ? newer : strcmp(left, right);
}

static void find_kept(struct recovery *recovery)
{
    DIR *folder = recovery->folder[0] == '\0' ? NULL : opendir(recovery->folder);

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        const char *name = entry->d_name;
        size_t length = strlen(name);
        if (strncmp(name, "unsaved-", 8) != 0 || length < STAMP_LENGTH + 4 ||
            strcmp(name + length - 4, ".ini") != 0 || recovery->count == RECOVERY_MOST)
            continue;
        char *path = join(recovery->folder, name);
        if (path != NULL && is_whole(path))
            recovery->names[recovery->count++] = path;
        else
            free(path);
    }
    if (folder != NULL)
        closedir(folder);
    qsort(recovery->names, recovery->count, sizeof recovery->names[0], by_time);
}

/* Whose changes a file has. */
struct owner {
    char name[300], path[4096];
};

static bool take_line(char *to, size_t size, const char *line, const char *key)
{
    size_t length = strlen(key);
    struct text text;

    if (strncmp(line, key, length) != 0)
        return false;
    text_init(&text, to, size);
    text_addf(&text, "%.*s", (int)strcspn(line + length, "\n"), line + length);
    return true;
}

static void read_owner(const char *path, struct owner *owner)
{
    char line[4200];
    FILE *stream = fopen(path, "r");

    *owner = (struct owner){"", ""};
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL && line[0] == ';')
        if (!take_line(owner->name, sizeof owner->name, line, "; name = "))
            take_line(owner->path, sizeof owner->path, line, "; path = ");
    if (stream != NULL)
        fclose(stream);
}

/* "Unsaved work, 1 of 3: WORDS slow.ini, Nov 30 16:03" */
static void write_offer(const struct recovery *recovery, const char *words, struct text *text)
{
    const char *path = recovery->names[recovery->offered];
    char when[40] = "";
    struct owner owner;
    struct stat status;
    struct tm at;

    read_owner(path, &owner);
    if (stat(path, &status) == 0 && localtime_r(&status.st_mtime, &at) != NULL)
        strftime(when, sizeof when, ", %b %d %H:%M", &at);
    /* What to do first: where there is no room for all, the end goes missing. */
    text_add(text, "Unsaved work");
    if (recovery->count - recovery->offered > 1)
        text_addf(text, ", 1 of %u", recovery->count - recovery->offered);
    text_addf(text, ":  %s changes to ", words);
    text_printable(text, owner.name[0] == '\0' ? "the default" : owner.name);
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

/* To the first one that is still there; false when there is none. */
static bool find_offer(struct recovery *recovery)
{
    while (recovery->offered < recovery->count &&
           access(recovery->names[recovery->offered], F_OK) != 0)
        recovery->offered++;
    return recovery->offered < recovery->count;
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

static bool recover(struct recovery *recovery, struct session *session, struct file_error *error)
{
    const char *path = recovery->names[recovery->offered], *present = session_path(session);
    struct outcome outcome = {.block = NULL};
    struct opened saved = {.has_comments = false};
    struct config config;
    struct refusal refusal;
    struct owner owner;

    if (!config_read_file(path, &config, error))
        return false;
    read_owner(path, &owner);
    bool has_saved = open_saved(&owner, &saved, &outcome);
    outcome_free(&outcome);
    char shown[300];
    struct text name;
    text_init(&name, shown, sizeof shown);
    text_printable(&name, owner.name);
    /* What is there and cannot be read is not to be replaced without a question. */
    bool is_free = has_saved || access(owner.path, F_OK) != 0;
    struct origin origin = {.name = shown, .has_comments = saved.has_comments};
    if (owner.path[0] != '\0' && is_free)
        origin.path = owner.path;
    if (origin.path != NULL && present != NULL && is_one_file(present, origin.path))
        origin.path = present;
    bool is_done = session_recover(session, &config.scenario, has_saved ? &saved.scenario : NULL,
                                   &origin, recovery->offered + 1, &refusal);
    if (has_saved)
        opened_free(&saved);
    config_free(&config);
    if (!is_done) {
        file_error_name(error, path);
        error->report = refusal.report;
    } else if (!session_is_unsaved(session)) {
        unlink(path); /* the file has them by now */
    }
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
        recovery->offered = 0;
        if (find_offer(recovery))
            ask(recovery, session);
        else
            session_message(session, "there is no unsaved work of earlier runs", false);
        return;
    }
    if (recovery->offered >= recovery->count)
        return;
    const char *path = recovery->names[recovery->offered];
    if (request->kind == REQUEST_RECOVER) {
        if (!recover(recovery, session, &error))
            complain(session, error.where, error.report.text);
        recovery->offered = recovery->count;
        return;
    }
    if (request->kind == REQUEST_FORGET && unlink(path) != 0 && errno != ENOENT) {
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
