/* Results on their way out: see output.h.
 *
 * A file is either replaced whole or left alone: the new contents grow in a file of their own in
 * the same folder and take the name only when they are safely on the disk. What is no file, a
 * terminal, a pipe, /dev/null, has no contents to protect and is written straight. */
#include "app/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_LINK 4096 /* bytes of the target of a symbolic link */
#define MOST_LINKS 40

static bool fail(struct report *report, const char *what, int why)
{
    struct text text;

    text_init(&text, report->text, sizeof report->text);
    text_add(&text, what);
    if (why != 0)
        text_addf(&text, ": %s", strerror(why));
    return false;
}

bool output_write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN) { /* somebody made our pipe or terminal non-blocking */
            poll(&(struct pollfd){.fd = file, .events = POLLOUT}, 1, -1);
            continue;
        }
        if (written <= 0) {
            errno = written == 0 ? EIO : errno;
            return false;
        }
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* ---- straight ---- */

/* The descriptor that a path stands for, -1 for any other. Opening it anew would begin a redirected
 * file from its start. */
static int find_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    uint64_t number;

    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0 && count_parse(path + length, &number) &&
            number < 1 << 20)
            return (int)number;
    }
    return -1;
}

static bool write_straight(const char *path, const char *bytes, size_t count, struct report *report)
{
    int known = find_descriptor(path);
    int file =
        known >= 0 ? fcntl(known, F_DUPFD_CLOEXEC, 0) : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

    if (file < 0)
        return fail(report, "cannot be opened for writing", errno);
    bool is_done = output_write_all(file, bytes, count);
    int why = errno;
    if (close(file) != 0 && is_done && errno != EINTR) {
        is_done = false;
        why = errno;
    }
    /* A reader that left early has what it wanted. */
    return is_done || why == EPIPE || fail(report, "could not be written whole", why);
}

/* ---- by replacing ---- */

/* Length of the folder part of a path, its last slash included. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* `name` as seen from the folder of `path`, to be freed. */
static char *beside(const char *path, const char *name)
{
    size_t folder = name[0] == '/' ? 0 : folder_length(path);
    char *joined = malloc(folder + strlen(name) + 1);

    if (joined != NULL) {
        memcpy(joined, path, folder);
        memcpy(joined + folder, name, strlen(name) + 1);
    }
    return joined;
}

/* Where symbolic links lead, whether or not there is anything yet; to be freed. NULL with errno. */
static char *follow_links(const char *path)
{
    char target[LONGEST_LINK], *at = beside("", path);
    struct stat status;

    for (int i = 0; at != NULL && lstat(at, &status) == 0 && S_ISLNK(status.st_mode); i++) {
        ssize_t length = i < MOST_LINKS ? readlink(at, target, sizeof target) : -1;
        if (length < 0 || (size_t)length >= sizeof target) {
            errno = i >= MOST_LINKS ? ELOOP : length < 0 ? errno : ENAMETOOLONG;
            free(at);
            return NULL;
        }
        target[length] = '\0';
        char *next = beside(at, target);
        free(at);
        at = next;
    }
    return at;
}

/* A new file in the folder of `path`, under a name that nobody else has; its name is to be freed.
 * Only we can read it until it is whole. */
static int create_beside(const char *path, char **name)
{
    struct timespec now;
    char tail[80];

    clock_gettime(CLOCK_REALTIME, &now);
    for (int i = 0; i < 100; i++) {
        snprintf(tail, sizeof tail, ".pipegantt-%ld-%ld-%d.tmp", (long)getpid(), now.tv_nsec, i);
        *name = beside(path, tail);
        if (*name == NULL)
            return -1;
        int file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0)
            return file;
        int why = errno;
        free(*name);
        errno = why;
        if (why != EEXIST)
            break;
    }
    *name = NULL;
    return -1;
}

/* The mode, and as far as we may the owner, of the file that is replaced. */
static bool keep_mode(int file, const struct stat *old)
{
    struct stat fresh;

    if (fstat(file, &fresh) != 0)
        return false;
    bool is_kept = fresh.st_uid == old->st_uid && fresh.st_gid == old->st_gid;
    if (is_kept && fresh.st_mode == old->st_mode)
        return true; /* and no question whether the file system knows modes at all */
    if (!is_kept)    /* the group alone is better than nothing */
        is_kept = fchown(file, old->st_uid, old->st_gid) == 0 ||
                  (fchown(file, (uid_t)-1, old->st_gid) == 0 && fresh.st_uid == old->st_uid);
    /* Set-id bits are for the owner they were given by. */
    return fchmod(file, old->st_mode & (is_kept ? 07777 : 0777)) == 0;
}

/* What a new file has that others may read, as far as the umask lets them. */
static bool open_up(int file)
{
    mode_t mask = umask(077);

    umask(mask);
    fchmod(file, 0666 & ~mask); /* where it cannot be done it stays ours */
    return true;
}

/* Not every file system can do it, and then there is nothing more to be done. */
static bool flush(int file)
{
    return fsync(file) == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
}

static void flush_folder(const char *path)
{
    char *folder = beside(path, ".");
    int file = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (file >= 0) {
        fsync(file);
        close(file);
    }
    free(folder);
}

/* `old`: what is known of the file that is there, NULL when there is none. */
static bool replace(const char *path, const struct stat *old, const char *bytes, size_t count,
                    struct report *report)
{
    char *name;
    int file = create_beside(path, &name);

    if (file < 0)
        return fail(report, "cannot be written: no new file can be made in its folder", errno);
    bool is_done = output_write_all(file, bytes, count) &&
                   (old == NULL ? open_up(file) : keep_mode(file, old)) && flush(file);
    int why = errno;
    if (close(file) != 0 && is_done && errno != EINTR) {
        is_done = false;
        why = errno;
    }
    if (is_done && rename(name, path) != 0) {
        is_done = false;
        why = errno;
    }
    if (is_done)
        flush_folder(path);
    else
        unlink(name);
    free(name);
    return is_done ||
           fail(report,
                old == NULL ? "could not be written" : "could not be written and is as it was",
                why);
}

/* Renaming would get round the protection of a file that must not be written. */
static bool is_writable(const char *path)
{
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (file < 0)
        return false;
    close(file);
    return true;
}

bool output_replace(const char *path, const char *bytes, size_t count, struct report *report)
{
    struct stat status;
    bool is_there = stat(path, &status) == 0;

    if (is_there && S_ISDIR(status.st_mode))
        return fail(report, "is a directory", 0);
    if (is_there && !S_ISREG(status.st_mode))
        return fail(report, "is not a regular file: others could keep this waiting", 0);
    if (is_there && !is_writable(path))
        return fail(report, "cannot be written", errno);
    char *target = follow_links(path);
    if (target == NULL)
        return fail(report, "cannot be written", errno);
    bool is_done = replace(target, is_there ? &status : NULL, bytes, count, report);
    free(target);
    return is_done;
}

bool output_write(const char *path, const char *bytes, size_t count, struct report *report)
{
    struct stat status;

    if (find_descriptor(path) >= 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode) &&
                                       !S_ISDIR(status.st_mode)))
        return write_straight(path, bytes, count, report);
    return output_replace(path, bytes, count, report);
}
