/* The end that nobody asked for: see ending.h. */
#include "app/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PATIENCE 500     /* ms for a terminal that takes nothing */
#define SECONDS_TO_END 2 /* for the loop to notice that it should */

enum role { ROLE_END, ROLE_NOTICED, ROLE_CRASH, ROLE_IGNORED, ROLE_LEFT };

/* Whatever has no row ends the program: so would it by itself, but leave the terminal as it is. */
static const struct {
    int number;
    enum role role;
} roles[] = {
    {SIGWINCH, ROLE_NOTICED}, {SIGTSTP, ROLE_NOTICED}, {SIGCONT, ROLE_NOTICED},
    {SIGSEGV, ROLE_CRASH},    {SIGBUS, ROLE_CRASH},    {SIGFPE, ROLE_CRASH},
    {SIGILL, ROLE_CRASH},     {SIGABRT, ROLE_CRASH},   {SIGSYS, ROLE_CRASH},
    {SIGTRAP, ROLE_CRASH},    {SIGXCPU, ROLE_CRASH},
    /* errors of writing are reported where they happen */
    {SIGPIPE, ROLE_IGNORED},  {SIGXFSZ, ROLE_IGNORED},
    {SIGKILL, ROLE_LEFT},     {SIGSTOP, ROLE_LEFT},    {SIGTTIN, ROLE_LEFT},
    {SIGTTOU, ROLE_LEFT},     {SIGCHLD, ROLE_LEFT},    {SIGURG, ROLE_LEFT},
};

static enum role role_of(int number)
{
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (roles[i].number == number)
            return roles[i].role;
    return ROLE_END;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigfillset(&action.sa_mask);
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(number, &action, NULL);
}

/* nohup(1) asks for that. */
static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void ending_catch(const struct handlers *handlers, void *stack, size_t stack_size)
{
    stack_t other = {.ss_sp = stack, .ss_size = stack_size};

    sigaltstack(&other, NULL);
    for (int number = 1; number < NSIG; number++) {
        enum role role = role_of(number);
        if (role == ROLE_IGNORED)
            signal(number, SIG_IGN);
        else if (role != ROLE_LEFT && !(number == SIGHUP && is_ignored(number)))
            handle(number, role == ROLE_NOTICED ? handlers->notice
                                  : role == ROLE_CRASH ? handlers->crash
                                                       : handlers->end);
    }
}

bool ending_write(int terminal, const char *bytes, size_t count)
{
    while (count > 0) {
        struct pollfd room = {.fd = terminal, .events = POLLOUT};
        int ready = poll(&room, 1, PATIENCE);
        if (ready < 0 && errno == EINTR)
            continue;
        ssize_t written = ready > 0 ? write(terminal, bytes, count) : -1;
        if (written < 0 && ready > 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

bool ending_open(struct ending *ending)
{
    if (pipe(ending->wake) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        fcntl(ending->wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(ending->wake[i], F_SETFL, O_NONBLOCK);
    }
    return true;
}

void ending_notice(struct ending *ending, int number)
{
    int kept = errno;
    char byte = (char)number;

    if (number == SIGTSTP || number == SIGCONT)
        ending->is_stopping = number == SIGTSTP;
    ssize_t written = write(ending->wake[1], &byte, 1);
    (void)written;
    errno = kept;
}

void ending_stop(struct ending *ending, bool is_asked, void (*notice)(int))
{
    sigset_t before, waiting;

    ending_hold(&before, false);
    signal(SIGTSTP, SIG_DFL);
    if (is_asked)
        kill(0, SIGTSTP);
    else
        raise(SIGTSTP);
    /* It waits. What has come since it was due lets it be dropped, what comes later drops it. */
    sigpending(&waiting);
    if ((!is_asked && !ending->is_stopping) || ending->number != 0 ||
        sigismember(&waiting, SIGCONT))
        signal(SIGTSTP, SIG_IGN);
    ending_release(&before); /* stops here */
    handle(SIGTSTP, notice);
}

bool ending_is_lost(int keys, short events)
{
    int waiting = 0;

    if (events & (POLLERR | POLLNVAL))
        return true;
    if (ioctl(keys, FIONREAD, &waiting) != 0)
        return true;
    return waiting == 0 && (events & POLLHUP || events & POLLIN);
}

bool ending_begins(struct ending *ending, int number)
{
    if (ending->number != 0)
        return false;
    ending->number = number;
    alarm(SECONDS_TO_END);
    return true;
}

void ending_hold(sigset_t *before, bool lets_crashes)
{
    sigset_t all;

    sigfillset(&all);
    for (size_t i = 0; lets_crashes && i < sizeof roles / sizeof roles[0]; i++)
        if (roles[i].role == ROLE_CRASH)
            sigdelset(&all, roles[i].number);
    sigprocmask(SIG_BLOCK, &all, before);
}

void ending_release(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}

void ending_keep(struct ending *ending)
{
    sigset_t before;

    if (ending->recovery == NULL)
        return;
    ending_hold(&before, false); /* not twice */
    if (!ending->is_kept)
        ending->kept = recovery_write(ending->recovery);
    ending->is_kept = true;
    ending_release(&before);
}

const char *ending_word(const struct ending *ending)
{
    return ending->kept == RECOVERED_KEPT ? "unsaved changes were kept; the next start offers them"
           : ending->kept == RECOVERED_FAILED ? "unsaved changes could not be kept" : NULL;
}

void ending_restore(const struct ending *ending)
{
    if (ending->has_before)
        tcsetattr(ending->terminal, TCSANOW, &ending->before);
}

static bool say(const char *words)
{
    return ending_write(STDERR_FILENO, words, strlen(words));
}

/* Who takes nothing is waited for once, not at every word. */
void ending_say(const struct ending *ending)
{
    if (ending_word(ending) != NULL && say("pipegantt: ") && say(ending_word(ending)))
        say("\r\n");
}

void ending_now(struct ending *ending, int number, bool is_crash)
{
    ending_keep(ending); /* first: the terminal may not be there any more */
    bool is_taken = ending_write(ending->terminal, ending->goodbye, ending->goodbye_size);
    ending_restore(ending);
    if (!is_taken && isatty(STDERR_FILENO))
        ending_by(number); /* no words to a terminal that takes nothing */
    if (is_crash)
        say("\r\npipegantt: crashed; the terminal was given back. Please report what you did: "
            "see REPORTING BUGS in pipegantt(1).\r\n");
    ending_say(ending);
    ending_by(number);
}

void ending_by(int number)
{
    sigset_t only;

    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
}
