/* The terminal of a test: the emulator, the processes behind it, and how it is known that these
 * have nothing left to do. */
#include "tuitest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pty.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SETTLE_MS = 10000, HANGUP_MS = 2000, QUIET_MS = 30, SHORT_NAP_MS = 700 };

struct report { /* from the session leader: the job was started, or has ended */
    pid_t pid;
    int ended, status;
};

volatile sig_atomic_t interrupted;

/* ---- what is on the screen ---- */

static void print_colour(FILE *f, const VTermColor *c)
{
    if (c->type & VTERM_COLOR_DEFAULT_MASK)
        fputc('-', f);
    else if (VTERM_COLOR_IS_INDEXED(c))
        fprintf(f, "%d", c->indexed.idx);
    else
        fprintf(f, "#%02x%02x%02x", c->rgb.red, c->rgb.green, c->rgb.blue);
}

/* Nothing is seen of the ink of a blank. */
static bool is_inkless(const VTermScreenCell *c)
{
    return (!c->chars[0] || c->chars[0] == ' ') && !c->attrs.underline && !c->attrs.reverse;
}

static bool same_paper(const VTermScreenCell *a, const VTermScreenCell *b)
{
    return vterm_color_is_equal(&a->bg, &b->bg) && a->attrs.reverse == b->attrs.reverse &&
           a->attrs.underline == b->attrs.underline;
}

static bool same_ink(const VTermScreenCell *a, const VTermScreenCell *b)
{
    return vterm_color_is_equal(&a->fg, &b->fg) && a->attrs.bold == b->attrs.bold;
}

static void print_run(FILE *f, int first, int last, const VTermScreenCell *run, const char **before)
{
    const VTermScreenCellAttrs a = run->attrs;
    bool has_ink = !is_inkless(run), is_bold = has_ink && a.bold;
    if (VTERM_COLOR_IS_DEFAULT_BG(&run->bg) && !is_bold && !a.underline && !a.reverse &&
        (!has_ink || VTERM_COLOR_IS_DEFAULT_FG(&run->fg)))
        return;
    fprintf(f, "%s%d-%d:", *before, first, last);
    if (has_ink)
        print_colour(f, &run->fg);
    else
        fputc('-', f);
    fputc('/', f);
    print_colour(f, &run->bg);
    if (is_bold || a.underline || a.reverse)
        fputc('+', f);
    fprintf(f, "%s%s%s", is_bold ? "B" : "", a.underline ? "U" : "", a.reverse ? "R" : "");
    *before = " ";
}

/* The runs of cells of a row that look alike, but for those that look the default way. A blank goes
 * with what is to its left. */
static void print_runs(FILE *f, int row)
{
    VTermScreenCell c = {0}, run = {0};
    const char *before = "~ ";
    int first = 0;
    for (int col = 0; col < t.cols; col++) {
        vterm_screen_get_cell(t.screen, (VTermPos){row, col}, &c);
        if (c.chars[0] == UINT32_MAX)
            continue;
        bool goes_on = col && same_paper(&c, &run);
        if (goes_on && (is_inkless(&c) || (!is_inkless(&run) && same_ink(&c, &run))))
            continue;
        if (col && !(goes_on && is_inkless(&run))) {
            print_run(f, first, col - 1, &run, &before);
            first = col;
        }
        run = c;
    }
    print_run(f, first, t.cols - 1, &run, &before);
    if (*before == ' ')
        fputc('\n', f);
}

char *screen_text(bool with_attributes)
{
    char line[32768], *text = NULL;
    size_t len;
    FAIL_IF(!t.vt, "nothing has been run");
    FILE *f = open_memstream(&text, &len);
    if (!f)
        abort();
    for (int row = 0; row < t.rows; row++) {
        VTermRect all = {.start_row = row, .end_row = row + 1, .start_col = 0, .end_col = t.cols};
        size_t n = vterm_screen_get_text(t.screen, line, sizeof line, all);
        while (n && line[n - 1] == ' ')
            n--;
        fprintf(f, "%.*s\n", (int)n, line);
        if (with_attributes)
            print_runs(f, row);
    }
    fclose(f);
    return text;
}

void show_screen(bool with_attributes)
{
    VTermPos at;
    char *text = screen_text(with_attributes);
    vterm_state_get_cursorpos(vterm_obtain_state(t.vt), &at);
    fprintf(stderr, "    %dx%d, cursor %s at column %d row %d; the program ", t.cols, t.rows,
            t.cursor_visible ? "visible" : "hidden", at.col, at.row);
    if (!t.ended)
        fprintf(stderr, "has not ended\n");
    else if (WIFSIGNALED(t.status))
        fprintf(stderr, "ended by signal %d\n", WTERMSIG(t.status));
    else
        fprintf(stderr, "ended with status %d\n", WEXITSTATUS(t.status));
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        fprintf(stderr, "    |%.*s\n", (int)(end - line), line);
    free(text);
}

static int set_property(VTermProp prop, VTermValue *value, void *user)
{
    (void)user;
    if (prop == VTERM_PROP_CURSORVISIBLE)
        t.cursor_visible = value->boolean;
    if (prop == VTERM_PROP_ALTSCREEN)
        t.alternate = value->boolean;
    if (prop == VTERM_PROP_MOUSE)
        t.mouse = value->number;
    return 1;
}

void send_bytes(const char *s, size_t len, void *user)
{
    (void)user;
    buf_add(&t.out, s, len);
}

void feed_emulator(void)
{
    size_t from = t.fed;
    t.fed = t.raw.len;
    if (t.fed > from)
        vterm_input_write(t.vt, t.raw.data + from, t.fed - from);
}

/* ---- what the program is doing ---- */

/* System calls in which a process waits for others, and which argument says for how long. */
enum limit { FOREVER, MILLISECONDS, TIMEVAL, TIMESPEC };
static const struct waiting {
    long call;
    enum limit limit;
    int argument;
} waits[] = {
    {SYS_read, FOREVER, 0},
    {SYS_wait4, FOREVER, 0},
    {SYS_waitid, FOREVER, 0},
    {SYS_rt_sigsuspend, FOREVER, 0},
    {SYS_ppoll, TIMESPEC, 2},
    {SYS_pselect6, TIMESPEC, 4},
    {SYS_epoll_pwait, MILLISECONDS, 3},
    {SYS_restart_syscall, FOREVER, 0},
#ifdef SYS_poll /* newer architectures such as aarch64 go without these */
    {SYS_poll, MILLISECONDS, 2},
    {SYS_select, TIMEVAL, 4},
    {SYS_epoll_wait, MILLISECONDS, 3},
    {SYS_pause, FOREVER, 0},
#endif
};

struct nap {           /* of all processes of the job together */
    bool alive, awake; /* any that lives; any of these that is not stopped */
    bool busy, blind;  /* any that works; any that cannot be told */
    long limit;        /* the longest of short naps, ms */
};

/* Reads /proc/PID/NAME from an offset, and puts a NUL behind what fits. */
static bool read_proc(pid_t pid, const char *name, off_t offset, char *data, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    memset(data, 0, size);
    ssize_t n = fd < 0 ? -1 : pread(fd, data, size - 1, offset);
    if (fd >= 0)
        close(fd);
    return n >= 0;
}

/* Visits the descendants of a process, parents first. The leader adopts orphans: none is missed. */
void each_below(pid_t pid, void (*visit)(pid_t, void *), void *arg)
{
    char s[4096], name[32], *at = s;
    snprintf(name, sizeof name, "task/%d/children", (int)pid);
    if (!read_proc(pid, name, 0, s, sizeof s)) /* a kernel without this file */
        snprintf(s, sizeof s, "%d",
                 (int)(pid == t.leader   ? t.job
                       : pid == getpid() ? t.leader
                                         : 0));
    for (long child; (child = strtol(at, &at, 10)) > 0;) {
        visit((pid_t)child, arg);
        each_below((pid_t)child, visit, arg);
    }
}

char process_state(pid_t pid, long *ticks)
{
    char s[1024], state = 'X', *name_end;
    long user = 0, system = 0;
    if (read_proc(pid, "stat", 0, s, sizeof s) && (name_end = strrchr(s, ')')))
        sscanf(name_end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &state, &user,
               &system);
    *ticks += user + system;
    return state;
}

static long nap_limit(pid_t pid, const struct waiting *w, unsigned long long argument)
{
    long time[2]; /* seconds and parts of a second */
    char s[sizeof time + 1];
    if (w->limit == MILLISECONDS)
        return (int)argument;
    if (w->limit == FOREVER || !argument)
        return -1;
    bool known = read_proc(pid, "mem", (off_t)argument, s, sizeof s);
    memcpy(time, s, sizeof time);
    if (!known || time[0] > 60)
        return -1;
    return time[0] * 1000 + time[1] / (w->limit == TIMEVAL ? 1000 : 1000000);
}

static void look_at(pid_t pid, void *arg)
{
    struct nap *nap = arg;
    char s[256], *at = s;
    unsigned long long argument[6] = {0};
    char state = process_state(pid, &(long){0});
    if (state == 'Z' || state == 'X')
        return;
    nap->alive = true;
    if (state == 'T' || state == 't')
        return;
    nap->awake = true;
    if (state == 'S' && !read_proc(pid, "syscall", 0, s, sizeof s)) {
        nap->blind = true;
        return;
    }
    long call = state == 'S' ? strtol(s, &at, 10) : -1; /* the text may be "running" */
    for (int i = 0; at > s && i < 6; i++)
        argument[i] = strtoull(at, &at, 16);
    for (size_t i = 0; at > s && i < LENGTH(waits); i++) {
        if (waits[i].call != call)
            continue;
        long limit = nap_limit(pid, &waits[i], argument[waits[i].argument]);
        if (limit < SHORT_NAP_MS && limit > nap->limit)
            nap->limit = limit;
        return;
    }
    nap->busy = true;
}

static void describe(pid_t pid, void *arg)
{
    char name[64], call[256];
    read_proc(pid, "comm", 0, name, sizeof name);
    read_proc(pid, "syscall", 0, call, sizeof call);
    fprintf(arg, "    process %d, state %c, system call %.*s, name %s", (int)pid,
            process_state(pid, &(long){0}), (int)strcspn(call, "\n"), call, name);
}

bool pump(int ms)
{
    char s[65536];
    struct report r;
    ssize_t n;
    bool moved = false;
    struct pollfd p[2] = {{t.master, t.is_stalled ? 0 : POLLIN, 0}, {t.reports, POLLIN, 0}};
    if (t.out.len)
        p[0].events |= POLLOUT;
    FAIL_IF(interrupted, "interrupted");
    if (poll(p, 2, ms) <= 0)
        return false;
    if (p[1].revents) {
        FAIL_IF(read(t.reports, &r, sizeof r) != (ssize_t)sizeof r, "the session leader died");
        t.job = r.pid;
        t.ended = r.ended;
        t.status = r.status;
        moved = true;
    }
    if (p[0].revents & POLLIN && (n = read(t.master, s, sizeof s)) > 0) {
        buf_add(&t.raw, s, (size_t)n);
        if (!t.storm)
            feed_emulator();
        moved = true;
    }
    if (p[0].revents & POLLOUT && (n = write(t.master, t.out.data, t.out.len)) > 0) {
        memmove(t.out.data, t.out.data + n, t.out.len -= (size_t)n);
        moved = true;
    }
    return moved;
}

/* Waits until the program has nothing left to do. Order matters: first its input, then whether it
 * sleeps, then what it wrote before it fell asleep. poll() makes the kernel hand over what is under
 * way, so neither queue lies. All of it twice, for processes could wake each other up. Where one
 * sleeps for a short time only (after an Esc that may begin a sequence), that time has to pass. */
void settle(void)
{
    const long start = now();
    long since = start;
    while (t.is_stalled && !t.ended && now() - start < 50) /* it may wait for us */
        pump(1);
    for (int calm = 0; t.leader && !t.hung_up && !(t.is_stalled && !t.ended);) {
        struct nap nap = {.limit = -1};
        int unread = 0;
        poll(&(struct pollfd){t.slave, POLLIN, 0}, 1, 0);
        ioctl(t.slave, FIONREAD, &unread);
        each_below(t.leader, look_at, &nap);
        bool quiet = t.ended || (nap.alive && !nap.busy && !(unread && nap.awake));
        bool moved = pump(quiet && !calm ? 0 : 1);
        calm = quiet && !moved && !t.out.len ? calm + 1 : 0;
        if (!calm)
            since = now();
        long wait = nap.limit < 0 ? 0 : nap.limit + scaled(20);
        long quiet_ms = scaled(t.quiet ? t.quiet : nap.blind ? QUIET_MS : 0);
        if (wait < quiet_ms)
            wait = quiet_ms;
        if (calm > 1 && (t.ended || now() - since >= wait))
            return;
        if (now() - start < scaled(SETTLE_MS))
            continue;
        each_below(t.leader, describe, stderr);
        fail("not settled after %ld ms, %d bytes not read", now() - start, unread);
    }
}

/* ---- starting and ending it ---- */

/* Stands in for the shell: leads the session, starts one foreground job and reports its end. It has
 * to outlive the job, for the kernel hangs the terminal up when the leader goes; and the job must
 * not lead itself, for the kernel does not stop (Ctrl-Z) what has no parent in its session. */
static _Noreturn void lead_session(int reports, char *const argv[])
{
    struct report r = {0};
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    close(t.master);
    setsid();
    ioctl(t.slave, TIOCSCTTY, 0);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL); /* a signal ignored by make stays ignored */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if ((r.pid = fork()) == 0) {
        setpgid(0, 0);
        signal(SIGTTOU, SIG_IGN);
        tcsetpgrp(t.slave, getpid());
        signal(SIGTTOU, SIG_DFL);
        for (int i = 0; i < 3; i++)
            dup2(t.slave, i);
        for (int i = 3; i < 1024; i++)
            close(i);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        if (chdir(t.tmp) == 0)
            execv(argv[0], argv);
        dprintf(2, "tuitest: cannot run %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    setpgid(r.pid, r.pid);
    signal(SIGHUP, SIG_IGN); /* do_hangup() passes it on */
    for (;;) {
        if (write(reports, &r, sizeof r) < 0)
            _exit(1);
        while (waitpid(-1, &r.status, 0) != r.pid) {
            if (errno == ECHILD)
                pause();
        }
        r.ended = true;
    }
}

static void kill_one(pid_t pid, void *arg)
{
    (void)arg;
    kill(pid, SIGKILL);
}

static void end_session(void)
{
    do
        each_below(getpid(), kill_one, NULL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
    if (t.master >= 0)
        close(t.master);
    if (t.slave >= 0)
        close(t.slave);
    if (t.reports >= 0)
        close(t.reports);
    if (t.vt)
        vterm_free(t.vt);
    t.master = t.slave = t.reports = -1;
    t.leader = t.job = 0;
    t.vt = NULL;
}

/* Unsaved changes of one run are no affair of the next one, unless that is what is tested. */
static void forget_unsaved(void)
{
    char *folder = strdup(path_in(t.tmp, ".local/state/pipegantt"));
    DIR *dir = folder && !t.keeps_unsaved ? opendir(folder) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (strncmp(entry->d_name, "unsaved-", 8) == 0)
            unlink(path_in(folder, entry->d_name));
    if (dir)
        closedir(dir);
    free(folder);
}

void start(char *const argv[], bool is_shell)
{
    static const VTermScreenCallbacks callbacks = {.settermprop = set_property};
    struct winsize ws = {.ws_row = (unsigned short)t.rows, .ws_col = (unsigned short)t.cols};
    int ends[2];
    end_session();
    forget_unsaved();
    if (openpty(&t.master, &t.slave, NULL, NULL, &ws) || tcgetattr(t.slave, &t.before))
        skip("no pseudo-terminal");
    FAIL_IF(fcntl(t.master, F_SETFL, O_NONBLOCK) || pipe(ends), "%s", strerror(errno));
    t.raw.len = t.out.len = t.fed = t.mark = 0;
    buf_add(&t.raw, "", 0);
    t.ended = t.hung_up = t.is_stalled = false;
    t.storm = t.is_hasty;
    t.is_shell = is_shell;
    t.vt = vterm_new(t.rows, t.cols);
    t.screen = vterm_obtain_screen(t.vt);
    vterm_set_utf8(t.vt, 1);
    vterm_output_set_callback(t.vt, send_bytes, NULL);
    vterm_screen_set_callbacks(t.screen, &callbacks, NULL);
    vterm_screen_enable_altscreen(t.screen, 1);
    vterm_screen_reset(t.screen, 1);
    t.reports = ends[0];
    t.leader = fork();
    if (t.leader == 0)
        lead_session(ends[1], argv);
    close(ends[1]);
    for (long begin = now(); !t.job; pump(10))
        FAIL_IF(now() - begin > scaled(SETTLE_MS), "no process");
    if (!t.is_hasty)
        settle();
}

void need_program(void)
{
    FAIL_IF(!t.leader || t.ended || t.hung_up, "no program is running");
}

void wait_for_end(void)
{
    long begin = now(), limit = scaled(t.hung_up ? HANGUP_MS : END_MS);
    FAIL_IF(!t.leader, "nothing has been run");
    for (; !t.ended; pump(10))
        FAIL_IF(now() - begin > limit, "still running after %ld ms", limit);
    settle();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    if (type == FTW_D || type == FTW_DNR)
        return chmod(path, 0700); /* the first time round */
    return type == FTW_DP ? rmdir(path) : unlink(path);
}

void clean_up(void)
{
    end_session();
    if (*t.tmp) {
        nftw(t.tmp, remove_one, 16, FTW_PHYS);
        nftw(t.tmp, remove_one, 16, FTW_PHYS | FTW_DEPTH);
    }
    for (size_t i = 0; i < LENGTH(t.saved); i++) {
        free(t.saved[i].name);
        free(t.saved[i].text);
    }
    free(t.source.data);
    free(t.raw.data);
    free(t.out.data);
    free(t.program);
}
