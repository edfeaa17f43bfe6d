/* Files that say whether their program still runs: see own_file.h.
 *
 * A name is taken with O_EXCL, so it was nobody's. From then on new contents are written into a
 * file beside it, safely to the disk, and renamed over it: over a file of our own, nobody else's.
 * The file that lies there is locked as long as the program runs, and not a moment longer: the
 * kernel sees to that whatever ends it, on a network file system the server. flock it is, for
 * locks of fcntl go when any descriptor of the file is closed. Where there are no such locks, the
 * number of the process has to do, on the same host; a file of another host is taken for left
 * behind. */
#include "app/own_file.h"

#include "app/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_TO_WRITE 60 /* what is not whole after that never will be */

static char *join(const char *folder, const char *before, const char *name, const char *behind)
{
    size_t size = strlen(folder) + strlen(before) + strlen(name) + strlen(behind) + 2;
    char *path = malloc(size);

    if (path != NULL)
        snprintf(path, size, "%s/%s%s%s", folder, before, name, behind);
    return path;
}

bool own_init(struct own_file *own, const char *folder, const char *name)
{
    *own = (struct own_file){.lock = -1};
    own->path = join(folder, "", name, "-0.ini");
    own->fresh = join(folder, ".", name, "-0.tmp");
    if (own->path != NULL && own->fresh != NULL)
        return true;
    own_free(own);
    return false;
}

void own_free(struct own_file *own)
{
    if (own->lock >= 0)
        close(own->lock);
    free(own->path);
    free(own->fresh);
    *own = (struct own_file){.lock = -1};
}

/* ---- writing ---- */

/* Under the first name that nobody has. */
static int create(char *path)
{
    char *digit = path + strlen(path) - 5; /* before ".ini" */
    int file = -1;

    for (char c = '0'; file < 0 && c <= '9'; c++) {
        *digit = c;
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0 && errno != EEXIST)
            return -1;
    }
    return file;
}

static bool claim(struct own_file *own)
{
    int file = create(own->path);

    if (file < 0)
        return false;
    close(file);
    own->is_claimed = true;
    return true;
}

/* Not every file system can do it, and then there is nothing more to be done. */
static bool flush(int file)
{
    return fsync(file) == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
}

bool own_write(struct own_file *own, const char *text, size_t size)
{
    if (own->lock >= 0 && !own_is_there(own)) { /* the name may be somebody else's by now */
        close(own->lock);
        own->lock = -1;
        own->is_claimed = false;
    }
    if (!own->is_claimed && !claim(own))
        return false;
    int file = create(own->fresh);
    bool is_done = file >= 0;
    if (is_done) {
        (void)flock(file, LOCK_EX | LOCK_NB); /* nobody has it; where there are no locks, none */
        is_done = output_write_all(file, text, size) && flush(file) &&
                  rename(own->fresh, own->path) == 0;
    }
    if (is_done) {
        int old = own->lock;
        own->lock = file;
        if (old >= 0)
            close(old);
        return true;
    }
    int why = errno;
    if (file >= 0) {
        unlink(own->fresh);
        close(file);
    }
    if (own->lock < 0) { /* the name has nothing yet */
        unlink(own->path);
        own->is_claimed = false;
    }
    errno = why;
    return false;
}

bool own_is_there(const struct own_file *own)
{
    struct stat ours, there;

    return own->lock >= 0 && fstat(own->lock, &ours) == 0 && stat(own->path, &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

void own_remove(struct own_file *own)
{
    int lock = own->lock;

    if (lock < 0)
        return;
    unlink(own->path);
    own->lock = -1;
    own->is_claimed = false;
    close(lock);
}

void own_flush_folder(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (file >= 0) {
        fsync(file);
        close(file);
    }
}

/* ---- those of others ---- */

int own_adopt(const char *path, bool *is_held)
{
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat status;

    *is_held = false;
    if (file < 0)
        return -1;
    /* Somebody who only looks lets go at once. */
    for (int i = 0; flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; i++) {
        *is_held = i == 5;
        if (*is_held)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    if (!*is_held && fstat(file, &status) == 0 && status.st_nlink > 0)
        return file;
    close(file);
    return -1;
}

/* The first word of what the system calls a process; false where it does not say. */
static bool name_of_process(long process, char *name, size_t size)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/comm", process);
    FILE *stream = fopen(path, "r");
    bool is_known = stream != NULL && fgets(name, (int)size, stream) != NULL;
    if (stream != NULL)
        fclose(stream);
    return is_known;
}

/* Where locks do not tell. */
static bool seems_to_run(const char *path)
{
    char host[80], name[64], own[64];
    struct owner owner;

    kept_owner(path, &owner);
    kept_host(host, sizeof host);
    if (owner.process <= 0 || strcmp(owner.host, host) != 0 ||
        (kill((pid_t)owner.process, 0) != 0 && errno == ESRCH))
        return false;
    /* Its number may be another one's by now. */
    return !name_of_process(owner.process, name, sizeof name) ||
           !name_of_process((long)getpid(), own, sizeof own) || strcmp(name, own) == 0;
}

bool own_is_held(int file, const char *path)
{
    if (flock(file, LOCK_SH | LOCK_NB) == 0) {
        flock(file, LOCK_UN);
        return false;
    }
    return errno == EWOULDBLOCK || seems_to_run(path);
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), of_end = strlen(end);
    return length > of_end && strcmp(name + length - of_end, end) == 0;
}

void own_clean(const char *folder, const char *name)
{
    bool is_fresh = strncmp(name, ".unsaved-", 9) == 0 && ends_in(name, ".tmp");
    bool is_claim = strncmp(name, "unsaved-", 8) == 0 && ends_in(name, ".ini");
    char *path = is_fresh || is_claim ? join(folder, "", name, "") : NULL;
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
                                                  O_NOCTTY);
    struct stat status;

    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == geteuid() && (is_fresh || status.st_size == 0) &&
        time(NULL) - status.st_mtime > SECONDS_TO_WRITE && flock(file, LOCK_SH | LOCK_NB) == 0)
        unlink(path);
    if (file >= 0)
        close(file);
    free(path);
}
