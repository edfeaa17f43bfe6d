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
 *   keep-unsaved               what was unsaved in a run is offered in the next one
 *   need COMMAND               skips the test where this shell command fails
 * starting
 *   run ARG...                 $PIPEGANTT with these arguments; '...', "..." and \ quote
 *   run-sh COMMAND             by /bin/sh, which knows $PIPEGANTT and $SRCDIR
 * input; each waits until the program has settled
 *   key NAME...                a character, Left Right Up Down Home End PageUp PageDown Insert
 *                              Delete Enter Tab BackTab Backspace Esc Space F1...F12 Ctrl-A...;
 *                              S- C- A- in front add Shift, Ctrl, Alt
 *   keys N NAME                N times at once, not waiting in between
 *   press NAME...              keys while the program works: not waiting at all
 *   type TEXT                  quotes are typed too
 *   paste TEXT                 bracketed if the program asked for it
 *   raw HEX...                 bytes
 *   mouse WHAT COL ROW         press release drag click wheelup wheeldown; as a terminal, sends
 *                              nothing while the program has the mouse off
 *   resize COLS ROWS
 *   stall                      reads nothing that the program sends, until
 *   flow                       what is under way is read
 *   storm N KEY...             N sizes in a row with the keys in between, then the old size
 *   signal NAME                to the program; after run-sh to the foreground process group
 *   hangup                     the terminal goes away
 *   hail N ARG...              N runs with these arguments, ended by signals at random moments under
 *                              keys, sizes and stops; each ends by its signal and is restored
 *                              (TUITEST_HAIL=N: as many instead; TUITEST_SEED=N: other ones)
 *   wait [MS]                  settles once more, after MS
 * the screen
 *   await TEXT                 waits until it is there, however busy the program is
 *   expect TEXT                reject TEXT
 *   until TEXT                 comes to be there, within 5 s: where several programs work in a row,
 *                              no moment tells that all are done
 *   until-screen GOLDEN        likewise
 *   expect-row N TEXT          row N has it; -1 is the last row
 *   expect-re REGEX            extended, ^ and $ match at the ends of a row
 *   expect-order A || B        A's first row is above B's
 *   screen GOLDEN              equals tests/screens/GOLDEN of the source directory
 *   attrs GOLDEN               the same with attributes, "~ FIRST-LAST:FG/BG+FLAGS ..." below a row;
 *                              colours 0...255, #rrggbb or - for the default; flags B bold,
 *                              U underlined, R reverse (libvterm 0.1 does not know dim); the
 *                              foreground of a blank does not count
 *   save NAME                  same NAME, differs NAME compare with it, attributes too
 *   cursor visible|hidden      dump prints the screen
 * costs
 *   bytes <=N, bytes >=N       received since the last input command began
 *   idle SECONDS               no byte is sent and less than 2 clock ticks of processor are used,
 *                              in one of three such spans at least
 * the end
 *   stopped                    exit STATUS, exit-signal NAME: wait up to 5 s for it
 *   restored                   termios as before; no alternate screen, hidden cursor, mouse, paste
 *                              or keypad mode, line-drawing set or attribute left by what was sent
 *   after-exit TEXT            on the main screen
 *   stderr-has TEXT            in what was sent after leaving the alternate screen
 *   filehas NAME TEXT          filelacks NAME TEXT, fileexists NAME
 */
/* clang-format on */
#include "tuitest.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct test t = {.cols = 80, .rows = 24, .master = -1, .slave = -1, .reports = -1};

_Noreturn void fail(const char *format, ...)
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

_Noreturn void skip(const char *why)
{
    fprintf(stderr, "%s:%ld: skipped: %s\n", t.script, t.line_number, why);
    exit(77);
}

long now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (long)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

long scaled(long ms)
{
    return (long)((double)ms * t.slow);
}

/* ---- bytes, files, words ---- */

void buf_add(struct buf *b, const char *data, size_t len)
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

bool read_file(const char *path, struct buf *b)
{
    char s[4096];
    size_t n;
    FILE *f = fopen(path, "r");
    buf_add(b, "", 0);
    while (f && (n = fread(s, 1, sizeof s, f)))
        buf_add(b, s, n);
    return f && fclose(f) == 0;
}

void write_file(char *path, const struct buf *b)
{
    for (char *slash = path; (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = 0;
        mkdir(path, 0777);
    }
    FILE *f = fopen(path, "w");
    bool done = f && fwrite(b->data, 1, b->len, f) == b->len;
    FAIL_IF(!f || fclose(f) || !done, "cannot write %s: %s", path, strerror(errno));
}

char *path_in(const char *directory, const char *name)
{
    static char path[PATH_MAX];
    FAIL_IF(snprintf(path, sizeof path, "%s/%s", directory, name) >= PATH_MAX, "too long");
    return path;
}

char *cut(char **rest, bool quoting)
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

int number(const char *word)
{
    char *end = NULL;
    long n = word ? strtol(word, &end, 10) : 0;
    FAIL_IF(!word || end == word || *end || n < -10000000 || n > 10000000, "a number is needed");
    return (int)n;
}

char *literal(char *s)
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

int signal_number(const char *name)
{
    static const char *const names[] = {
        [SIGHUP] = "HUP",   [SIGINT] = "INT",   [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
        [SIGABRT] = "ABRT", [SIGBUS] = "BUS",   [SIGFPE] = "FPE",   [SIGKILL] = "KILL",
        [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2", [SIGPIPE] = "PIPE",
        [SIGALRM] = "ALRM", [SIGTERM] = "TERM", [SIGCONT] = "CONT", [SIGSTOP] = "STOP",
        [SIGTSTP] = "TSTP", [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU", [SIGWINCH] = "WINCH",
        [SIGIO] = "IO",     [SIGPWR] = "PWR",   [SIGSYS] = "SYS",   [SIGTRAP] = "TRAP",
        [SIGURG] = "URG",   [SIGCHLD] = "CHLD", [SIGPROF] = "PROF", [SIGXCPU] = "XCPU",
        [SIGXFSZ] = "XFSZ", [SIGSTKFLT] = "STKFLT", [SIGVTALRM] = "VTALRM",
    };
    if (strcmp(name, "RTMIN") == 0)
        return SIGRTMIN;
    for (int i = 0; i < (int)LENGTH(names); i++)
        if (names[i] && strcmp(name, names[i]) == 0)
            return i;
    fail("there is no signal %s", name);
}

/* ---- commands before and at the start ---- */

void do_size(const struct args *a)
{
    t.cols = a->number[0];
    t.rows = a->number[1];
    FAIL_IF(t.cols < 1 || t.rows < 1 || t.cols > 65535 || t.rows > 65535, "1 to 65535 each");
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

static void do_keep_unsaved(const struct args *a)
{
    (void)a;
    t.keeps_unsaved = true;
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
    {"keep-unsaved", "", do_keep_unsaved, OTHER},
    {"need", "r", do_need, OTHER},
    {"run", "r", do_run, OTHER},
    {"run-sh", "r", do_run_sh, OTHER},
    {"key", "r", do_key, INPUT},
    {"keys", "nr", do_keys, INPUT},
    {"press", "r", do_press, OTHER},
    {"type", "r", do_type, INPUT},
    {"paste", "t", do_type, INPUT},
    {"raw", "r", do_raw, INPUT},
    {"mouse", "wnn", do_mouse, INPUT},
    {"resize", "nn", do_resize, INPUT},
    {"storm", "nr", do_storm, INPUT},
    {"stall", "", do_stall, INPUT},
    {"flow", "", do_stall, INPUT},
    {"signal", "w", do_signal, INPUT},
    {"hangup", "", do_hangup, INPUT},
    {"hail", "nr", do_hail, OTHER},
    {"wait", "r", do_wait, OTHER},
    {"await", "t", do_await, OTHER},
    {"expect", "t", do_expect, OTHER},
    {"reject", "t", do_expect, OTHER},
    {"until", "t", do_until, OTHER},
    {"until-screen", "w", do_until, OTHER},
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
