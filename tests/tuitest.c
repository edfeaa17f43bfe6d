/* clang-format off */
/* tuitest - plays a script of keys to a program on a terminal of its own and judges the screen.
 *
 * The terminal is libvterm behind a pseudo-terminal, so what is tested is what a user sees, not
 * what the program believes it drew. The one idea: nothing waits for an amount of time. After every
 * key the harness looks whether the program sleeps in read() or poll() (/proc/PID/syscall) with its
 * keyboard queue empty and its output drained; then it is done, on a slow machine as on a fast one.
 *
 *     PIPEGANTT=program SRCDIR=source-directory tuitest SCRIPT   (exit: 0 pass, 1 fail, 77 skip)
 *     UPDATE=1         rewrites golden files
 *     TUITEST_SLOW=N   makes every timeout N times longer (sanitizers, valgrind)
 *     TUITEST_QUIET=MS takes MS without output for settled; 30 where /proc cannot tell
 *
 * The program runs in a new directory, also its $HOME, with TERM=tmux-256color, LC_ALL=C.UTF-8 and
 * no other locale or terminal variables, as the foreground job of a session, as under a shell.
 * A script is one command a line; # starts a comment line; rows and columns count from 0. TEXT is
 * the rest of the line without the blanks and one pair of quotes around it. Blanks at the end of a
 * row of the screen do not count.
 *
 * before the start
 *   size COLS ROWS             80 24 if not said
 *   term NAME                  TERM; not xterm* with LC_ALL=C, as libvterm 0.1 misplaces its REP
 *   env NAME=VALUE             unset NAME
 *   file NAME <<END            the lines up to END become a file
 *   copy SOURCE NAME           copies a file of the source directory
 *   need COMMAND               skips the test where this shell command fails
 * starting
 *   run ARG...                 $PIPEGANTT with these arguments; '...', "..." and \ quote
 *   run-sh COMMAND             by /bin/sh, which knows $PIPEGANTT and $SRCDIR
 * input; each waits until the program has settled
 *   key NAME...                a character, Left Right Up Down Home End PageUp PageDown Insert
 *                              Delete Enter Tab BackTab Backspace Esc Space F1...F12 Ctrl-A...;
 *                              S- C- A- in front add Shift, Ctrl, Alt
 *   keys N NAME                N times at once, not waiting in between
 *   type TEXT                  quotes are typed too
 *   paste TEXT                 bracketed if the program asked for it
 *   raw HEX...                 bytes
 *   mouse WHAT COL ROW         press release drag click wheelup wheeldown; as a terminal, sends
 *                              nothing while the program has the mouse off
 *   resize COLS ROWS
 *   storm N KEY...             N sizes in a row with the keys in between, then the old size
 *   signal NAME                to the program; after run-sh to the foreground process group
 *   hangup                     the terminal goes away
 *   wait [MS]                  settles once more, after MS
 * the screen
 *   expect TEXT                reject TEXT
 *   expect-row N TEXT          row N has it; -1 is the last row
 *   expect-re REGEX            extended, ^ and $ match at the ends of a row
 *   expect-order A || B        A's first row is above B's
 *   screen GOLDEN              equals tests/screens/GOLDEN of the source directory
 *   attrs GOLDEN               the same with attributes, "~ FIRST-LAST:FG/BG+FLAGS ..." below a row;
 *                              colours 0...255, #rrggbb or - for the default; flags B bold,
 *                              U underlined, R reverse (libvterm 0.1 does not know dim)
 *   save NAME                  same NAME, differs NAME compare with it, attributes too
 *   cursor visible|hidden      dump prints the screen
 * costs
 *   bytes <=N                  received since the last input command began
 *   idle SECONDS               no byte is sent and less than 2 clock ticks of processor are used
 * the end
 *   stopped                    exit STATUS, exit-signal NAME: wait up to 5 s for it
 *   restored                   termios as before; no alternate screen, hidden cursor, mouse, paste
 *                              or keypad mode, line-drawing set or attribute left by what was sent
 *   after-exit TEXT            on the main screen
 *   stderr-has TEXT            in what was sent after leaving the alternate screen
 *   filehas NAME TEXT          filelacks NAME TEXT, fileexists NAME
 */
/* clang-format on */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define FAIL_IF(condition, ...)                                                                    \
    do {                                                                                           \
        if (condition)                                                                             \
            fail(__VA_ARGS__);                                                                     \
    } while (0)

enum { SETTLE_MS = 10000, END_MS = 5000, HANGUP_MS = 2000, QUIET_MS = 30, SHORT_NAP_MS = 1200 };

struct buf { /* bytes, with a NUL behind them */
    char *data;
    size_t len, cap;
};

struct report { /* from the session leader: the job was started, or has ended */
    pid_t pid;
    int ended, status;
};

static struct { /* the one test */
    const char *script, *srcdir;
    char *program, tmp[256];
    struct buf source;       /* the script */
    char *next, *verb;       /* its next line; the word that the current line begins with */
    char line[4096];         /* the current line as it was written */
    long line_number, quiet; /* quiet: TUITEST_QUIET, else 0 */
    double slow;
    int cols, rows;
    VTerm *vt; /* NULL before the first run */
    VTermScreen *screen;
    int cursor_visible, alternate, mouse; /* as the program asked for */
    int master, slave, reports;
    struct termios before;
    struct buf raw, out; /* all that was received; what is still to be sent */
    size_t fed, mark;    /* in raw: seen by the emulator; where the last input began */
    bool storm;          /* sizes differ: keep output from the emulator */
    pid_t leader, job;
    bool is_shell, ended, hung_up; /* started by run-sh; has ended; its terminal has gone */
    int status;
    struct {
        char *name, *text;
    } saved[32];
} t = {.cols = 80, .rows = 24, .master = -1, .slave = -1, .reports = -1};

static volatile sig_atomic_t interrupted;

static void show_screen(bool with_attributes);

__attribute__((format(printf, 1, 2))) static _Noreturn void fail(const char *format, ...)
{
    va_list args;
    fprintf(stderr, "%s:%ld: %s\n    ", t.script, t.line_number, t.line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    if (t.vt)
        show_screen(false);
    exit(1); /* which calls clean_up() */
}

static _Noreturn void skip(const char *why)
{
    fprintf(stderr, "%s:%ld: skipped: %s\n", t.script, t.line_number, why);
    exit(77);
}

static long now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (long)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static long scaled(long ms)
{
    return (long)((double)ms * t.slow);
}

/* ---- bytes, files, words ---- */

static void buf_add(struct buf *b, const char *data, size_t len)
{
    if (b->len + len + 1 > b->cap) {
        b->cap = 2 * (b->len + len) + 256;
        b->data = realloc(b->data, b->cap);
        if (!b->data)
            abort();
    }
    if (len)
        memcpy(b->data + b->len, data, len);
    b->data[b->len += len] = 0;
}

static bool read_file(const char *path, struct buf *b)
{
    char s[4096];
    size_t n;
    FILE *f = fopen(path, "r");
    buf_add(b, "", 0);
    while (f && (n = fread(s, 1, sizeof s, f)))
        buf_add(b, s, n);
    return f && fclose(f) == 0;
}

static void write_file(char *path, const struct buf *b)
{
    for (char *slash = path; (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = 0;
        mkdir(path, 0777);
    }
    FILE *f = fopen(path, "w");
    bool done = f && fwrite(b->data, 1, b->len, f) == b->len;
    FAIL_IF(!f || fclose(f) || !done, "cannot write %s: %s", path, strerror(errno));
}

/* "DIRECTORY/NAME", until the next call. */
static char *path_in(const char *directory, const char *name)
{
    static char path[PATH_MAX];
    FAIL_IF(snprintf(path, sizeof path, "%s/%s", directory, name) >= PATH_MAX, "too long");
    return path;
}

/* Cuts off the next word, with or without the quoting of a shell; NULL at the end. */
static char *cut(char **rest, bool quoting)
{
    char *from = *rest + strspn(*rest, " \t"), *word = from, *to = from, quote = 0;
    if (!*from)
        return NULL;
    for (; *from && (quote || !strchr(" \t", *from)); from++) {
        if (quoting && (quote ? *from == quote : *from == '\'' || *from == '"')) {
            quote = quote ? 0 : *from;
        } else {
            if (quoting && *from == '\\' && quote != '\'' && from[1])
                from++;
            *to++ = *from;
        }
    }
    *rest = *from ? from + 1 : from;
    *to = 0;
    return word;
}

static int number(const char *word)
{
    char *end = NULL;
    long n = word ? strtol(word, &end, 10) : 0;
    FAIL_IF(!word || end == word || *end || n < -10000000 || n > 10000000, "a number is needed");
    return (int)n;
}

static char *literal(char *s)
{
    s += strspn(s, " \t");
    size_t n = strlen(s);
    while (n && strchr(" \t", s[n - 1]))
        s[--n] = 0;
    if (n > 1 && (*s == '"' || *s == '\'') && s[n - 1] == *s) {
        s[n - 1] = 0;
        s++;
    }
    FAIL_IF(!*s, "a text is missing");
    return s;
}

static int signal_number(const char *name)
{
    static const char *const names[] = {
        [SIGHUP] = "HUP",   [SIGINT] = "INT",   [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
        [SIGABRT] = "ABRT", [SIGBUS] = "BUS",   [SIGFPE] = "FPE",   [SIGKILL] = "KILL",
        [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2", [SIGPIPE] = "PIPE",
        [SIGALRM] = "ALRM", [SIGTERM] = "TERM", [SIGCONT] = "CONT", [SIGSTOP] = "STOP",
        [SIGTSTP] = "TSTP", [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU", [SIGWINCH] = "WINCH",
    };
    for (int i = 0; i < (int)LENGTH(names); i++)
        if (names[i] && strcmp(name, names[i]) == 0)
            return i;
    fail("there is no signal %s", name);
}

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

static bool looks_alike(const VTermScreenCell *a, const VTermScreenCell *b)
{
    return vterm_color_is_equal(&a->fg, &b->fg) && vterm_color_is_equal(&a->bg, &b->bg) &&
           a->attrs.bold == b->attrs.bold && a->attrs.reverse == b->attrs.reverse &&
           a->attrs.underline == b->attrs.underline;
}

/* The runs of cells of a row that look alike, but for those that look the default way. */
static void print_runs(FILE *f, int row)
{
    VTermScreenCell c = {0}, run = {0};
    const char *before = "~ ";
    for (int col = 0, first = 0; col <= t.cols; col++) {
        if (col < t.cols) {
            vterm_screen_get_cell(t.screen, (VTermPos){row, col}, &c);
            if (c.chars[0] == UINT32_MAX || (col && looks_alike(&c, &run)))
                continue;
        }
        const VTermScreenCellAttrs a = run.attrs;
        bool is_plain = VTERM_COLOR_IS_DEFAULT_FG(&run.fg) && VTERM_COLOR_IS_DEFAULT_BG(&run.bg);
        if (col && !(is_plain && !a.bold && !a.underline && !a.reverse)) {
            fprintf(f, "%s%d-%d:", before, first, col - 1);
            print_colour(f, &run.fg);
            fputc('/', f);
            print_colour(f, &run.bg);
            if (a.bold || a.underline || a.reverse)
                fputc('+', f);
            fprintf(f, "%s%s%s", a.bold ? "B" : "", a.underline ? "U" : "", a.reverse ? "R" : "");
            before = " ";
        }
        run = c;
        first = col;
    }
    if (*before == ' ')
        fputc('\n', f);
}

/* The rows without the blanks at their ends, each ended by a newline. To be freed. */
static char *screen_text(bool with_attributes)
{
    char line[32768], *text = NULL;
    size_t len;
    FAIL_IF(!t.vt, "nothing has been run");
    FILE *f = open_memstream(&text, &len);
    if (!f)
        abort();
    for (int row = 0; row < t.rows; row++) {
        VTermRect all = {row, row + 1, 0, t.cols};
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

static void show_screen(bool with_attributes)
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

static void send_bytes(const char *s, size_t len, void *user)
{
    (void)user;
    buf_add(&t.out, s, len);
}

static void feed_emulator(void)
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
static void each_below(pid_t pid, void (*visit)(pid_t, void *), void *arg)
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

static char process_state(pid_t pid, long *ticks)
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

/* Moves bytes both ways and takes reports, after at most ms. Says whether anything moved. */
static bool pump(int ms)
{
    char s[65536];
    struct report r;
    ssize_t n;
    bool moved = false;
    struct pollfd p[2] = {{t.master, POLLIN, 0}, {t.reports, POLLIN, 0}};
    if (t.out.len)
        p[0].events = POLLIN | POLLOUT;
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
static void settle(void)
{
    const long start = now();
    long since = start;
    for (int calm = 0; t.leader && !t.hung_up;) {
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

static void start(char *const argv[], bool is_shell)
{
    static const VTermScreenCallbacks callbacks = {.settermprop = set_property};
    struct winsize ws = {.ws_row = (unsigned short)t.rows, .ws_col = (unsigned short)t.cols};
    int ends[2];
    end_session();
    if (openpty(&t.master, &t.slave, NULL, NULL, &ws) || tcgetattr(t.slave, &t.before))
        skip("no pseudo-terminal");
    FAIL_IF(fcntl(t.master, F_SETFL, O_NONBLOCK) || pipe(ends), "%s", strerror(errno));
    t.raw.len = t.out.len = t.fed = t.mark = 0;
    buf_add(&t.raw, "", 0);
    t.ended = t.hung_up = t.storm = false;
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
    settle();
}

static void wait_for_end(void)
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

static void clean_up(void)
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

/* ---- commands before and at the start ---- */

struct args { /* of a command, as its row in the table says */
    int number[2];
    char *word[2], *text;
};

static void do_size(const struct args *a)
{
    t.cols = a->number[0];
    t.rows = a->number[1];
    FAIL_IF(t.cols < 1 || t.rows < 1 || t.cols > 1000 || t.rows > 1000, "1 to 1000 each");
}

static void do_env(const struct args *a) /* and unset, term */
{
    char *value = strchr(a->text, '=');
    if (*t.verb == 't') {
        setenv("TERM", a->text, 1);
    } else if (*t.verb == 'u') {
        unsetenv(a->text);
    } else {
        FAIL_IF(!value, "NAME=VALUE is needed");
        *value++ = 0;
        setenv(a->text, value, 1);
    }
}

static char *next_line(void)
{
    char *line = t.next, *end = line + strcspn(line, "\n");
    if (!*line)
        return NULL;
    t.next = end + (*end == '\n');
    *end = 0;
    t.line_number++;
    return line;
}

static void do_file(const struct args *a)
{
    struct buf b = {0};
    char *line;
    FAIL_IF(strncmp(a->word[1], "<<", 2) != 0, "NAME <<END is needed");
    buf_add(&b, "", 0);
    while ((line = next_line()) && strcmp(line, a->word[1] + 2) != 0) {
        buf_add(&b, line, strlen(line));
        buf_add(&b, "\n", 1);
    }
    FAIL_IF(!line, "no %s", a->word[1] + 2);
    write_file(path_in(t.tmp, a->word[0]), &b);
    free(b.data);
}

static void do_copy(const struct args *a)
{
    struct buf b = {0};
    FAIL_IF(!read_file(path_in(t.srcdir, a->word[0]), &b), "%s", strerror(errno));
    write_file(path_in(t.tmp, a->word[1]), &b);
    free(b.data);
}

static void do_need(const struct args *a)
{
    if (system(a->text) != 0)
        skip("it failed");
}

static void do_run(const struct args *a)
{
    char *argv[64] = {t.program}, *rest = a->text;
    FAIL_IF(!t.program, "PIPEGANTT does not name a program");
    for (size_t n = 1; n < LENGTH(argv) - 1 && (argv[n] = cut(&rest, true)); n++)
        continue;
    start(argv, false);
}

static void do_run_sh(const struct args *a)
{
    start((char *[]){"/bin/sh", "-c", a->text, NULL}, true);
}

/* ---- input commands ---- */

static void need_program(void)
{
    FAIL_IF(!t.leader || t.ended || t.hung_up, "no program is running");
}

/* Where terminals differ from xterm, whose keys libvterm sends. */
static const char *other_key(const char *key)
{
    static const struct {
        const char *terms, *key, *bytes;
    } others[] = {
        {"tmux screen linux", "Home", "\033[1~"},
        {"tmux screen linux", "End", "\033[4~"},
        {"linux", "F1", "\033[[A"},
        {"linux", "F2", "\033[[B"},
        {"linux", "F3", "\033[[C"},
        {"linux", "F4", "\033[[D"},
        {"linux", "F5", "\033[[E"},
        {"linux", "BackTab", "\033\t"},
        {"vt100", "Backspace", "\b"},
    };
    char term[16] = "";
    if (getenv("TERM"))
        snprintf(term, sizeof term, "%s", getenv("TERM"));
    term[strcspn(term, "-")] = 0;
    for (size_t i = 0; *term && i < LENGTH(others); i++)
        if (strstr(others[i].terms, term) && strcmp(key, others[i].key) == 0)
            return others[i].bytes;
    return NULL;
}

static VTermKey key_number(const char *key)
{
    static const char *const names[] = {
        [VTERM_KEY_ENTER] = "Enter",
        [VTERM_KEY_TAB] = "Tab",
        [VTERM_KEY_BACKSPACE] = "Backspace",
        [VTERM_KEY_ESCAPE] = "Esc",
        [VTERM_KEY_UP] = "Up",
        [VTERM_KEY_DOWN] = "Down",
        [VTERM_KEY_LEFT] = "Left",
        [VTERM_KEY_RIGHT] = "Right",
        [VTERM_KEY_INS] = "Insert",
        [VTERM_KEY_DEL] = "Delete",
        [VTERM_KEY_HOME] = "Home",
        [VTERM_KEY_END] = "End",
        [VTERM_KEY_PAGEUP] = "PageUp",
        [VTERM_KEY_PAGEDOWN] = "PageDown",
    };
    for (size_t i = 1; i < LENGTH(names); i++)
        if (strcmp(key, names[i]) == 0)
            return (VTermKey)i;
    if (*key == 'F' && key[1] > '0' && key[1] <= '9')
        return (VTermKey)VTERM_KEY_FUNCTION(number(key + 1));
    return VTERM_KEY_NONE;
}

static void send_key(const char *name)
{
    const char *key = name, *other = other_key(name);
    int mod = VTERM_MOD_NONE;
    if (other) {
        send_bytes(other, strlen(other), NULL);
        return;
    }
    for (; key[0] && key[1] == '-' && key[2] && strchr("SCA", *key); key += 2)
        mod |= *key == 'S' ? VTERM_MOD_SHIFT : *key == 'C' ? VTERM_MOD_CTRL : VTERM_MOD_ALT;
    if (strncmp(key, "Ctrl-", 5) == 0) {
        mod |= VTERM_MOD_CTRL;
        key += 5;
    } else if (strcmp(key, "BackTab") == 0) {
        mod |= VTERM_MOD_SHIFT;
        key = "Tab";
    } else if (strcmp(key, "Space") == 0) {
        key = " ";
    }
    if (key_number(key)) {
        vterm_keyboard_key(t.vt, key_number(key), (VTermModifier)mod);
        return;
    }
    size_t n = 1; /* one character, in UTF-8 */
    while (*key && (key[n] & 0xc0) == 0x80)
        n++;
    FAIL_IF(!*key || key[n], "there is no key %s", name);
    if (mod & VTERM_MOD_ALT)
        send_bytes("\033", 1, NULL);
    if (mod & VTERM_MOD_CTRL)
        send_bytes(&(char){(char)(*key & 0x1f)}, 1, NULL);
    else
        send_bytes(key, n, NULL);
}

static void do_key(const struct args *a)
{
    char *rest = a->text;
    for (char *key; (key = cut(&rest, false)); settle()) {
        need_program();
        send_key(key);
    }
}

static void do_keys(const struct args *a)
{
    for (int i = 0; i < a->number[0]; i++)
        send_key(a->text);
}

static void do_type(const struct args *a) /* and paste */
{
    if (*t.verb == 'p')
        vterm_keyboard_start_paste(t.vt);
    send_bytes(a->text, strlen(a->text), NULL);
    if (*t.verb == 'p')
        vterm_keyboard_end_paste(t.vt);
}

static void do_raw(const struct args *a)
{
    unsigned char byte;
    int n;
    for (const char *s = a->text; *s; s += n) {
        FAIL_IF(sscanf(s, "%2hhx %n", &byte, &n) != 1, "hexadecimal digits are needed");
        send_bytes((char *)&byte, 1, NULL);
    }
}

static void do_mouse(const struct args *a)
{
    static const struct {
        const char *name;
        int button;
        bool down, up;
    } actions[] = {
        {"press", 1, true, false}, {"release", 1, false, true}, {"wheelup", 4, true, false},
        {"click", 1, true, true},  {"drag", 0, false, false},   {"wheeldown", 5, true, false},
    };
    size_t i = 0;
    while (i < LENGTH(actions) && strcmp(a->word[0], actions[i].name) != 0)
        i++;
    FAIL_IF(i == LENGTH(actions), "there is no mouse action %s", a->word[0]);
    if (!t.mouse)
        return; /* libvterm 0.1 would send even if the program did not ask for it */
    vterm_mouse_move(t.vt, a->number[1], a->number[0], VTERM_MOD_NONE);
    if (actions[i].down)
        vterm_mouse_button(t.vt, actions[i].button, true, VTERM_MOD_NONE);
    if (actions[i].up)
        vterm_mouse_button(t.vt, actions[i].button, false, VTERM_MOD_NONE);
}

static void set_window_size(int cols, int rows)
{
    struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    FAIL_IF(ioctl(t.master, TIOCSWINSZ, &ws), "TIOCSWINSZ: %s", strerror(errno));
}

static void do_resize(const struct args *a)
{
    settle(); /* what was drawn for the old size goes to the old size */
    do_size(a);
    vterm_set_size(t.vt, t.rows, t.cols);
    set_window_size(t.cols, t.rows);
}

/* The emulator sees it all at the end, at the old size: it must not be resized with output under
 * way, and what remains on the screen is what was drawn for the last size. */
static void do_storm(const struct args *a)
{
    char *keys[16], *rest = a->text;
    int count = 0;
    uint32_t random = 1;
    while (count < 16 && (keys[count] = cut(&rest, false)))
        count++;
    FAIL_IF(!count, "a key is needed");
    t.storm = true;
    for (int i = 0; i < a->number[0]; i++) {
        need_program();
        random = random * 1664525 + 1013904223;
        set_window_size((int)(random >> 8 & 0xff) % 200 + 1, (int)(random >> 16 & 0xff) % 60 + 1);
        send_key(keys[i % count]);
        pump((int)(random >> 28) % 4);
    }
    set_window_size(t.cols, t.rows);
    settle();
    t.storm = false;
    feed_emulator();
}

static void do_signal(const struct args *a)
{
    FAIL_IF(kill(t.is_shell ? -tcgetpgrp(t.master) : t.job, signal_number(a->word[0])), "%s",
            strerror(errno));
}

/* The signal comes from here, as from a shell, and first: read() fails a moment later. */
static void do_hangup(const struct args *a)
{
    (void)a;
    kill(-t.job, SIGHUP);
    kill(-t.job, SIGCONT);
    close(t.master);
    close(t.slave);
    t.master = t.slave = -1;
    t.hung_up = true;
}

static void do_wait(const struct args *a)
{
    for (long end = now() + atol(a->text), left; (left = end - now()) > 0;)
        pump((int)left);
    settle();
}

/* ---- commands that look at the screen ---- */

static bool is_on_screen(const char *what)
{
    char *text = screen_text(false);
    bool is_there = strstr(text, what);
    free(text);
    return is_there;
}

static void do_expect(const struct args *a) /* and reject */
{
    bool wanted = *t.verb == 'e';
    FAIL_IF(is_on_screen(a->text) != wanted, "it is %son the screen", wanted ? "not " : "");
}

static void do_expect_row(const struct args *a)
{
    int row = a->number[0] < 0 ? a->number[0] + t.rows : a->number[0];
    char *text = screen_text(false), *line = text;
    FAIL_IF(row < 0 || row >= t.rows, "there are %d rows", t.rows);
    while (row-- > 0)
        line = strchr(line, '\n') + 1;
    *strchr(line, '\n') = 0;
    FAIL_IF(!strstr(line, a->text), "the row is \"%s\"", line);
    free(text);
}

static void do_expect_re(const struct args *a)
{
    regex_t re;
    char *text = screen_text(false);
    FAIL_IF(regcomp(&re, a->text, REG_EXTENDED | REG_NOSUB | REG_NEWLINE), "a bad regex");
    FAIL_IF(regexec(&re, text, 0, NULL, 0), "no row matches");
    regfree(&re);
    free(text);
}

static int row_of(const char *text, const char *what)
{
    int row = 0;
    const char *found = strstr(text, what);
    FAIL_IF(!found, "\"%s\" is not on the screen", what);
    while (text < found)
        row += *text++ == '\n';
    return row;
}

static void do_expect_order(const struct args *a)
{
    char *bars = strstr(a->text, " || "), *text = screen_text(false);
    FAIL_IF(!bars, "A || B is needed");
    *bars = 0;
    int above = row_of(text, literal(a->text)), below = row_of(text, literal(bars + 4));
    FAIL_IF(above >= below, "they are in rows %d and %d", above, below);
    free(text);
}

/* Fails with the lines that differ, if any. */
static void compare(const char *wanted, const char *got)
{
    if (strcmp(wanted, got) == 0)
        return;
    fprintf(stderr, "%s:%ld: lines wanted - and got +\n", t.script, t.line_number);
    for (int line = 1; *wanted || *got; line++) {
        int w = (int)strcspn(wanted, "\n"), g = (int)strcspn(got, "\n");
        if (w != g || strncmp(wanted, got, (size_t)w) != 0)
            fprintf(stderr, "%5d -%.*s\n%5d +%.*s\n", line, w, wanted, line, g, got);
        wanted += w + (wanted[w] == '\n');
        got += g + (got[g] == '\n');
    }
    fail("the screen is another one");
}

static void do_screen(const struct args *a) /* and attrs */
{
    char *text = screen_text(*t.verb == 'a'), name[300];
    const char *update = getenv("UPDATE");
    struct buf golden = {0}, got = {text, strlen(text), 0};
    snprintf(name, sizeof name, "tests/screens/%s", a->word[0]);
    if (update && strcmp(update, "1") == 0)
        write_file(path_in(t.srcdir, name), &got);
    FAIL_IF(!read_file(path_in(t.srcdir, name), &golden), "no such file; UPDATE=1 writes it");
    compare(golden.data, text);
    free(golden.data);
    free(text);
}

static void do_save(const struct args *a) /* and same, differs */
{
    char *text = screen_text(true);
    size_t i = 0;
    while (t.saved[i].name && strcmp(t.saved[i].name, a->word[0]) != 0)
        i++;
    FAIL_IF(i == LENGTH(t.saved) - 1, "too many names");
    if (strcmp(t.verb, "save") == 0) {
        if (!t.saved[i].name)
            t.saved[i].name = strdup(a->word[0]);
        free(t.saved[i].text);
        t.saved[i].text = text;
        return;
    }
    FAIL_IF(!t.saved[i].name, "nothing was saved under this name");
    if (strcmp(t.verb, "same") == 0)
        compare(t.saved[i].text, text);
    else
        FAIL_IF(strcmp(t.saved[i].text, text) == 0, "nothing differs");
    free(text);
}

static void do_cursor(const struct args *a)
{
    bool visible = strcmp(a->word[0], "visible") == 0;
    FAIL_IF(!visible && strcmp(a->word[0], "hidden") != 0, "visible or hidden is needed");
    FAIL_IF(visible != t.cursor_visible, "it is not");
}

static void do_dump(const struct args *a)
{
    (void)a;
    fprintf(stderr, "%s:%ld: dump\n", t.script, t.line_number);
    show_screen(true);
}

/* ---- commands about costs and the end ---- */

static void do_bytes(const struct args *a)
{
    size_t sent = t.raw.len - t.mark;
    FAIL_IF(strncmp(a->text, "<=", 2) != 0, "<=N is needed");
    FAIL_IF(sent > (size_t)number(a->text + 2), "%zu bytes were sent", sent);
}

static void add_ticks(pid_t pid, void *arg)
{
    process_state(pid, arg);
}

static void do_idle(const struct args *a)
{
    long end = now() + (long)(atof(a->text) * 1000), before = 0, after = 0;
    need_program();
    pump(0);
    size_t len = t.raw.len;
    each_below(t.leader, add_ticks, &before);
    for (long left; (left = end - now()) > 0 && !t.ended;)
        pump((int)left);
    each_below(t.leader, add_ticks, &after);
    FAIL_IF(t.ended, "the program ended");
    FAIL_IF(t.raw.len != len, "%zu bytes were sent", t.raw.len - len);
    FAIL_IF(after - before >= 2, "%ld clock ticks were used", after - before);
}

static void do_stopped(const struct args *a)
{
    (void)a;
    need_program();
    for (long begin = now(); process_state(t.job, &(long){0}) != 'T'; pump(10))
        FAIL_IF(t.ended || now() - begin > scaled(END_MS), "not stopped");
    settle();
}

/* What the program wrote after it left the alternate screen; all if it never did. */
static const char *last_words(void)
{
    const char *words = t.raw.data;
    for (const char *s = words; (s = strstr(s, "\033[?")); s++)
        if (!strncmp(s + 3, "1049l", 5) || !strncmp(s + 3, "1047l", 5))
            words = s + 8;
        else if (!strncmp(s + 3, "47l", 3))
            words = s + 6;
    return words;
}

static void do_exit(const struct args *a) /* and exit-signal */
{
    bool by_signal = strcmp(t.verb, "exit-signal") == 0;
    int wanted = by_signal ? signal_number(a->word[0]) : number(a->word[0]);
    wait_for_end();
    if (by_signal ? WIFSIGNALED(t.status) && WTERMSIG(t.status) == wanted
                  : WIFEXITED(t.status) && WEXITSTATUS(t.status) == wanted)
        return;
    for (const char *s = last_words(); *s; s++) /* a sanitizer's report is longer than a screen */
        if ((unsigned char)*s >= ' ' || *s == '\n' || *s == '\t')
            fputc(*s, stderr);
    fail("it ended otherwise");
}

/* Whether parameters of SGR switch something on: all but 0, 22 to 29, 39 and 49 do. */
static bool switches_on(const char *args)
{
    char *end;
    long n = strtol(args, &end, 10);
    return (n && (n < 22 || n > 29) && n != 39 && n != 49) || (*end == ';' && switches_on(end + 1));
}

/* Prints what the bytes sent so far have left otherwise than a terminal has it at the start. */
static void print_leftovers(FILE *f)
{
    bool changed[4096] = {false}, keypad = false, drawing = false, shifted = false, pen = false;
    for (const char *s = t.raw.data, *end = s + t.raw.len; s < end; s++) {
        if (*s == '\016' || *s == '\017')
            shifted = *s == '\016';
        if (*s != '\033')
            continue;
        const char *args = ++s + 1;
        if (*s == '=' || *s == '>') {
            keypad = *s == '=';
        } else if (*s == '(') {
            drawing = *++s == '0';
        } else if (*s == ']' || *s == 'P') { /* a string, up to BEL or ESC \ */
            while (s < end && *s != '\007' && !(*s == '\033' && s[1] == '\\'))
                s++;
        } else if (*s == '[') {
            s = args + strspn(args, "0123456789;:<=>?!$ ");
            if (*s == 'm' && (s == args || !strchr("<=>?", *args)))
                pen = switches_on(args);
            if (*args++ != '?' || (*s != 'h' && *s != 'l'))
                continue;
            for (char *next; args < s; args = next + 1) {
                unsigned long n = strtoul(args, &next, 10);
                if (n < LENGTH(changed)) /* wrapping (7) and the cursor (25) are on at the start */
                    changed[n] = (*s == 'h') != (n == 7 || n == 25);
            }
        }
    }
    for (size_t n = 0; n < LENGTH(changed); n++)
        if (changed[n])
            fprintf(f, " mode %zu,", n);
    fprintf(f, "%s%s%s", keypad ? " keypad mode," : "", pen ? " attributes," : "",
            drawing || shifted ? " line-drawing characters," : "");
}

static void do_restored(const struct args *a)
{
    struct termios after;
    char *left;
    size_t len;
    (void)a;
    FILE *f = open_memstream(&left, &len);
    FAIL_IF(!t.leader || !f, "nothing has been run");
    print_leftovers(f);
    if (t.slave >= 0) {
        tcgetattr(t.slave, &after);
        if (after.c_iflag != t.before.c_iflag || after.c_oflag != t.before.c_oflag ||
            after.c_cflag != t.before.c_cflag || after.c_lflag != t.before.c_lflag ||
            memcmp(after.c_cc, t.before.c_cc, sizeof after.c_cc) != 0)
            fprintf(f, " termios,");
    }
    fclose(f);
    FAIL_IF(len, "not restored:%.*s", (int)len - 1, left);
    free(left);
}

static void do_after_exit(const struct args *a)
{
    wait_for_end();
    FAIL_IF(t.alternate, "the alternate screen is still on");
    FAIL_IF(!is_on_screen(a->text), "it is not on the screen");
}

static void do_stderr_has(const struct args *a)
{
    wait_for_end();
    FAIL_IF(!strstr(last_words(), a->text), "not in \"%s\"", last_words());
}

static void do_filehas(const struct args *a) /* and filelacks, fileexists */
{
    struct buf b = {0};
    FAIL_IF(!read_file(path_in(t.tmp, a->word[0]), &b), "%s", strerror(errno));
    bool has = a->text && memmem(b.data, b.len, a->text, strlen(a->text));
    FAIL_IF(a->text && has != (strcmp(t.verb, "filehas") == 0), "the file has%s:\n%s",
            has ? "" : " only", b.data);
    free(b.data);
}

/* ---- the script ---- */

/* Arguments: n number, w word, t TEXT, r the rest as it is. INPUT: counts bytes and settles. */
enum { OTHER, INPUT };
static const struct command {
    const char *verb, *arguments;
    void (*run)(const struct args *);
    int kind;
} commands[] = {
    {"size", "nn", do_size, OTHER},
    {"term", "r", do_env, OTHER},
    {"env", "r", do_env, OTHER},
    {"unset", "r", do_env, OTHER},
    {"file", "ww", do_file, OTHER},
    {"copy", "ww", do_copy, OTHER},
    {"need", "r", do_need, OTHER},
    {"run", "r", do_run, OTHER},
    {"run-sh", "r", do_run_sh, OTHER},
    {"key", "r", do_key, INPUT},
    {"keys", "nr", do_keys, INPUT},
    {"type", "r", do_type, INPUT},
    {"paste", "t", do_type, INPUT},
    {"raw", "r", do_raw, INPUT},
    {"mouse", "wnn", do_mouse, INPUT},
    {"resize", "nn", do_resize, INPUT},
    {"storm", "nr", do_storm, INPUT},
    {"signal", "w", do_signal, INPUT},
    {"hangup", "", do_hangup, INPUT},
    {"wait", "r", do_wait, OTHER},
    {"expect", "t", do_expect, OTHER},
    {"reject", "t", do_expect, OTHER},
    {"expect-row", "nt", do_expect_row, OTHER},
    {"expect-re", "t", do_expect_re, OTHER},
    {"expect-order", "r", do_expect_order, OTHER},
    {"screen", "w", do_screen, OTHER},
    {"attrs", "w", do_screen, OTHER},
    {"save", "w", do_save, OTHER},
    {"same", "w", do_save, OTHER},
    {"differs", "w", do_save, OTHER},
    {"cursor", "w", do_cursor, OTHER},
    {"dump", "", do_dump, OTHER},
    {"bytes", "r", do_bytes, OTHER},
    {"idle", "r", do_idle, OTHER},
    {"stopped", "", do_stopped, OTHER},
    {"exit", "w", do_exit, OTHER},
    {"exit-signal", "w", do_exit, OTHER},
    {"restored", "", do_restored, OTHER},
    {"after-exit", "t", do_after_exit, OTHER},
    {"stderr-has", "t", do_stderr_has, OTHER},
    {"filehas", "wt", do_filehas, OTHER},
    {"filelacks", "wt", do_filehas, OTHER},
    {"fileexists", "w", do_filehas, OTHER},
};

static void play(char *line)
{
    struct args args = {.text = NULL};
    const struct command *c = commands, *end = commands + LENGTH(commands);
    int numbers = 0, words = 0;
    snprintf(t.line, sizeof t.line, "%s", line);
    t.verb = cut(&line, false);
    if (!t.verb || *t.verb == '#')
        return;
    while (c < end && strcmp(c->verb, t.verb) != 0)
        c++;
    FAIL_IF(c == end, "there is no such command");
    for (const char *a = c->arguments; *a; a++) {
        if (*a == 'n')
            args.number[numbers++] = number(cut(&line, false));
        else if (*a == 't')
            args.text = literal(line);
        else if (*a == 'r')
            args.text = line;
        else if (!(args.word[words++] = cut(&line, true)))
            fail("an argument is missing");
    }
    FAIL_IF(!args.text && cut(&line, false), "there are too many arguments");
    if (c->kind == INPUT) {
        need_program();
        pump(0);
        t.mark = t.raw.len;
    }
    c->run(&args);
    if (c->kind == INPUT)
        settle();
}

static void interrupt(int signum)
{
    interrupted = signum;
}

int main(int argc, char **argv)
{
    static const char *const unwanted[] = {
        "LINES",          "COLUMNS",         "NO_COLOR",       "COLORTERM",     "LANG",
        "LANGUAGE",       "LC_CTYPE",        "LC_NUMERIC",     "LC_TIME",       "LC_COLLATE",
        "LC_MONETARY",    "LC_MESSAGES",     "TMUX",           "STY",           "ESCDELAY",
        "SSH_CONNECTION", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
    };
    const char *program = getenv("PIPEGANTT"), *tmp = getenv("TMPDIR");
    char cwd[PATH_MAX];
    const char *slow = getenv("TUITEST_SLOW"), *quiet = getenv("TUITEST_QUIET");
    if (argc != 2) {
        fprintf(stderr, "usage: PIPEGANTT=program SRCDIR=directory tuitest SCRIPT\n");
        return 1;
    }
    t.script = argv[1];
    FAIL_IF(!getcwd(cwd, sizeof cwd), "%s", strerror(errno));
    t.slow = slow && atof(slow) > 0 ? atof(slow) : 1;
    t.quiet = quiet ? atol(quiet) : 0;
    if (program && *program)
        t.program = *program == '/' ? strdup(program) : strdup(path_in(cwd, program));
    t.srcdir = realpath(getenv("SRCDIR") ? getenv("SRCDIR") : ".", NULL);
    FAIL_IF(t.srcdir && !read_file(t.script, &t.source) &&
                !read_file(path_in(t.srcdir, t.script), &t.source),
            "%s", strerror(errno));
    snprintf(t.tmp, sizeof t.tmp, "%s/tuitest-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    FAIL_IF(!t.srcdir || !mkdtemp(t.tmp), "%s", strerror(errno));
    atexit(clean_up);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* nothing that a test starts outlives it */
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < 3; i++)
        sigaction((int[]){SIGINT, SIGTERM, SIGHUP}[i], &(struct sigaction){.sa_handler = interrupt},
                  NULL);
    for (size_t i = 0; i < LENGTH(unwanted); i++)
        unsetenv(unwanted[i]);
    setenv("TERM", "tmux-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("HOME", t.tmp, 1);
    setenv("SRCDIR", t.srcdir, 1);
    if (t.program)
        setenv("PIPEGANTT", t.program, 1);
    setlocale(LC_CTYPE, ""); /* for regular expressions */
    t.next = t.source.data;
    for (char *line; (line = next_line());)
        play(line);
    return 0;
}
