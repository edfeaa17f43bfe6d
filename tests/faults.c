/* A disk that fails, or a power cut, at any moment: preloaded into the program, this fails or
 * kills it at the Nth call that has to do with a folder.
 *
 *     LD_PRELOAD=tests/faults.so FAULT_UNDER=/folder FAULT_AT=N FAULT_HOW=HOW FAULT_LOG=file \
 *         program
 *
 * FAULT_NOLOCK=1: files there cannot be locked, as on some file systems.
 *
 * HOW: a number: the call fails with that errno; "all NUMBER": it and all later ones do; "kill":
 * killed before the call; "after": killed when it is done; "half": killed in the middle, where
 * it is a write. A line with the name of the call is appended to the log when it happens. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The compiler must not know what is replaced: no other declaration of these is in sight. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum fate { GOES_ON, FAILS, DIES_BEFORE, DIES_HALFWAY, DIES_AFTER };

static bool is_watched[1024]; /* descriptors of files under the folder */
static long calls;

static void tell(const char *call)
{
    const char *log = getenv("FAULT_LOG");
    int flags = O_WRONLY | O_CREAT | O_APPEND;
    long file = log == NULL ? -1 : syscall(SYS_openat, AT_FDCWD, log, flags, 0600);

    if (file < 0)
        return;
    syscall(SYS_write, file, call, strlen(call));
    syscall(SYS_write, file, "\n", 1);
    syscall(SYS_close, file);
}

static enum fate fate_of(const char *call)
{
    const char *at = getenv("FAULT_AT"), *how = getenv("FAULT_HOW");
    long wanted = at == NULL ? 0 : strtol(at, NULL, 10);
    bool is_all = how != NULL && strncmp(how, "all ", 4) == 0;

    calls++;
    if (wanted == 0 || how == NULL || (is_all ? calls < wanted : calls != wanted))
        return GOES_ON;
    tell(call);
    if (strcmp(how, "kill") == 0)
        return DIES_BEFORE;
    if (strcmp(how, "after") == 0)
        return DIES_AFTER;
    if (strcmp(how, "half") == 0)
        return DIES_HALFWAY;
    errno = atoi(is_all ? how + 4 : how);
    return FAILS;
}

static void die(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

static bool is_under(const char *path)
{
    const char *folder = getenv("FAULT_UNDER");
    return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static bool is_ours(int file)
{
    return file >= 0 && file < 1024 && is_watched[file];
}

/* `make` is the real call, only evaluated when it is to happen. */
#define CALL(type, name, make)                                                                     \
    do {                                                                                           \
        enum fate fate = fate_of(name);                                                            \
        if (fate == FAILS)                                                                         \
            return (type)-1;                                                                       \
        if (fate == DIES_BEFORE || fate == DIES_HALFWAY)                                           \
            die();                                                                                 \
        type result = (make);                                                                      \
        if (fate == DIES_AFTER)                                                                    \
            die();                                                                                 \
        return result;                                                                             \
    } while (0)

static int watch(int file)
{
    if (file >= 0 && file < 1024)
        is_watched[file] = true;
    return file;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    mode_t mode = 0;

    va_start(rest, flags);
    if (flags & O_CREAT)
        mode = (mode_t)va_arg(rest, int);
    va_end(rest);
    if (!is_under(path))
        return REAL(open)(path, flags, mode);
    CALL(int, "open", watch(REAL(open)(path, flags, mode)));
}

int close(int file)
{
    if (!is_ours(file))
        return REAL(close)(file);
    is_watched[file] = false;
    enum fate fate = fate_of("close");
    int why = errno;
    if (fate == DIES_BEFORE || fate == DIES_HALFWAY)
        die();
    int result = REAL(close)(file); /* closed it is in any case */
    if (fate == DIES_AFTER)
        die();
    if (fate == FAILS)
        errno = why;
    return fate == FAILS ? -1 : result;
}

ssize_t write(int file, const void *bytes, size_t count)
{
    if (!is_ours(file))
        return REAL(write)(file, bytes, count);
    enum fate fate = fate_of("write");
    if (fate == FAILS)
        return -1;
    if (fate == DIES_BEFORE)
        die();
    ssize_t result = REAL(write)(file, bytes, fate == DIES_HALFWAY ? count / 2 : count);
    if (fate != GOES_ON)
        die();
    return result;
}

int fsync(int file)
{
    if (!is_ours(file))
        return REAL(fsync)(file);
    CALL(int, "fsync", REAL(fsync)(file));
}

int flock(int file, int what)
{
    if (getenv("FAULT_NOLOCK") != NULL && is_ours(file)) {
        errno = ENOSYS;
        return -1;
    }
    return REAL(flock)(file, what);
}

int fchmod(int file, mode_t mode)
{
    if (!is_ours(file))
        return REAL(fchmod)(file, mode);
    CALL(int, "fchmod", REAL(fchmod)(file, mode));
}

int fchown(int file, uid_t owner, gid_t group)
{
    if (!is_ours(file))
        return REAL(fchown)(file, owner, group);
    CALL(int, "fchown", REAL(fchown)(file, owner, group));
}

int rename(const char *from, const char *to)
{
    if (!is_under(from) && !is_under(to))
        return REAL(rename)(from, to);
    CALL(int, "rename", REAL(rename)(from, to));
}

int unlink(const char *path)
{
    if (!is_under(path))
        return REAL(unlink)(path);
    CALL(int, "unlink", REAL(unlink)(path));
}

int mkdir(const char *path, mode_t mode)
{
    if (!is_under(path))
        return REAL(mkdir)(path, mode);
    CALL(int, "mkdir", REAL(mkdir)(path, mode));
}
