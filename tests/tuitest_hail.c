/* Signals at random moments: many runs of the program, each busy with keys, sizes and stops when
 * one more signal ends it. Whatever it was doing, it ends by that signal and the terminal is as
 * before. */
#include "tuitest.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const ends[] = {
    "HUP", "INT",    "QUIT", "TERM", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "IO",   "PWR",
    "STKFLT", "RTMIN", "ABRT", "BUS",  "FPE",  "ILL",  "SYS",  "TRAP",   "XCPU", "SEGV",
};
/* Followed by CONT, for some of them stop. */
static const char *const passing[] = {
    "WINCH", "CONT", "TSTP", "STOP", "TTIN", "TTOU", "PIPE", "URG", "CHLD", "XFSZ",
};
static const char *const keys[] = {
    "M", "m", "P", "p", "s", "S", "+", "-", "j", "k", "?", "i", "X", "v", "f", "F", "u", "U",
    ":", "\t", "\r", "\033", "\f", "\033[B", "y", "A", "a", " ", ".", "d",
};

static const char screen_on[] = "\033[?1049h";

static uint32_t below(uint32_t n)
{
    static uint32_t random;
    const char *seed = getenv("TUITEST_SEED");
    if (!random)
        random = (seed ? (uint32_t)strtoul(seed, NULL, 10) : 1) * 2654435761u + 1;
    random = random * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)random * n >> 32);
}

static void send_signal(const char *name)
{
    FAIL_IF(kill(t.job, signal_number(name)) && errno != ESRCH, "%s", strerror(errno));
}

static void disturb(void)
{
    const char *key = keys[below(LENGTH(keys))];
    if (below(3)) {
        send_bytes(key, strlen(key), NULL);
    } else if (below(2)) {
        struct winsize size = {.ws_row = (unsigned short)(below(60) + 1),
                               .ws_col = (unsigned short)(below(200) + 1)};
        ioctl(t.master, TIOCSWINSZ, &size);
    } else {
        send_signal(passing[below(LENGTH(passing))]);
        if (below(2))
            pump((int)below(3));
        send_signal("CONT");
    }
    if (below(2))
        pump((int)below(4));
}

static void one_run(char *const argv[], int number)
{
    const char *end = ends[below(LENGTH(ends))], *sanitize = getenv("SANITIZE");
    if (sanitize && strcmp(sanitize, "yes") == 0 && strstr("ABRT BUS FPE ILL SEGV", end))
        end = "TERM"; /* a sanitizer has its own way with these until the program is up */
    t.storm = true; /* the sizes differ: no emulator */
    start(argv, false);
    if (below(4)) /* the others are hit while they start */
        for (long begin = now(); !strstr(t.raw.data, screen_on) && !t.ended; pump(10))
            FAIL_IF(now() - begin > scaled(END_MS), "run %d: never drawn", number);
    for (uint32_t i = below(30); i > 0; i--)
        disturb();
    send_signal(end);
    send_signal("CONT");
    for (long begin = now(); !t.ended; pump(10))
        FAIL_IF(now() - begin > scaled(END_MS), "run %d: still running after %s", number, end);
    settle();
    if (!strstr(t.raw.data, screen_on) && WIFSIGNALED(t.status) &&
        (WTERMSIG(t.status) == SIGPIPE || WTERMSIG(t.status) == SIGXFSZ))
        return; /* before it could ignore them */
    FAIL_IF(!WIFSIGNALED(t.status) || WTERMSIG(t.status) != signal_number(end),
            "run %d: it ended otherwise than by %s: status %#x", number, end, (unsigned)t.status);
    do_restored(NULL);
}

void do_hail(const struct args *a)
{
    char *argv[64] = {t.program}, *rest = a->text;
    const char *more = getenv("TUITEST_HAIL");
    int runs = more ? number(more) : a->number[0];
    FAIL_IF(!t.program, "PIPEGANTT does not name a program");
    for (size_t n = 1; n < LENGTH(argv) - 1 && (argv[n] = cut(&rest, true)); n++)
        continue;
    t.is_hasty = true;
    for (int i = 0; i < runs; i++)
        one_run(argv, i);
    t.is_hasty = t.storm = false;
}
