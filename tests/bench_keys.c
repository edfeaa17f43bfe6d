/* The program in a terminal: how many bytes a key sends, which is what a slow line feels, and how
 * long it takes until the last of them is there.
 *
 * The terminal is a pseudo-terminal whose other end only counts. Keys go in one at a time. An
 * answer is complete when the program has read the key, sleeps, and nothing came for a while; so
 * nothing is cut short on a busy machine, and the while is no part of the times. */
#include "bench.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define QUIET_MS 20
#define LONGEST_NS 5e9
#define REPEATS 7
#define START_ROUNDS 21
#define HELD 100

/* ---- terminals and charts ---- */

enum { SMALL, SMALL_TMUX, LARGE, LARGE_TMUX, TERMINAL_COUNT };

static const struct {
    const char *type;
    unsigned short columns, rows;
} terminals[TERMINAL_COUNT] = {
    {"xterm-256color", 80, 24},
    {"tmux-256color", 80, 24},
    {"xterm-256color", 200, 60},
    {"tmux-256color", 200, 60},
};

/* Charts: as large as the one that a first start shows, and one that fills the screen. */
static const struct chart {
    const char *bytes, *times; /* names of the tables */
    const char *title;
    const char *stages[TERMINAL_COUNT], *micro_batches[TERMINAL_COUNT];
} charts[] = {
    {"bytes-few", "latency-few", "P=4 M=8", {"4", "4", "4", "4"}, {"8", "8", "8", "8"}},
    {"bytes-many",
     "latency-many",
     "P=16 M=64 at 80x24, P=48 M=192 at 200x60",
     {"16", "16", "48", "48"},
     {"64", "64", "192", "192"}},
};

/* ---- a program in a terminal ---- */

struct program {
    pid_t pid;
    int master, slave;
};

/* What was received, and when the last of it was, counted from the input on. */
struct answer {
    double bytes, nanoseconds;
};

/* `chart`: NULL for the bare program. */
static _Noreturn void become(const struct bench *bench, const struct chart *chart, int t, int slave)
{
    /* What would change how it draws. */
    static const char *const unwanted[] = {"NO_COLOR", "COLORTERM", "LINES", "COLUMNS",
                                           "SSH_CONNECTION"};

    setsid();
    ioctl(slave, TIOCSCTTY, 0);
    for (int fd = 0; fd < 3; fd++)
        dup2(slave, fd);
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++)
        unsetenv(unwanted[i]);
    setenv("TERM", terminals[t].type, 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("XDG_STATE_HOME", "/dev/null", 1); /* nothing is kept of these runs */
    if (chart == NULL)
        execl(bench->bare, "bare", (char *)NULL);
    else
        execl(bench->program, "pipegantt", "-s", "1f1b", "-p", chart->stages[t], "-m",
              chart->micro_batches[t], (char *)NULL);
    _exit(127);
}

static bool program_start(struct program *program, const struct bench *bench,
                          const struct chart *chart, int t)
{
    struct winsize size = {.ws_row = terminals[t].rows, .ws_col = terminals[t].columns};
    const char *name;

    *program = (struct program){.slave = -1};
    program->master = posix_openpt(O_RDWR | O_NOCTTY);
    if (program->master < 0 || grantpt(program->master) != 0 || unlockpt(program->master) != 0)
        return false;
    name = ptsname(program->master);
    program->slave = name == NULL ? -1 : open(name, O_RDWR | O_NOCTTY);
    if (program->slave < 0 || ioctl(program->slave, TIOCSWINSZ, &size) != 0)
        return false;
    fcntl(program->master, F_SETFD, FD_CLOEXEC);
    fcntl(program->slave, F_SETFD, FD_CLOEXEC);
    program->pid = fork();
    if (program->pid == 0)
        become(bench, chart, t, program->slave);
    return program->pid > 0;
}

/* Does it wait for something? Where /proc cannot tell, yes. */
static bool is_asleep(pid_t pid)
{
    char path[64], line[512];
    bool is_waiting = true;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return true;
    if (fgets(line, sizeof line, file) != NULL) {
        const char *state = strrchr(line, ')'); /* "pid (name) S ..." */
        is_waiting = state == NULL || state[1] == '\0' || state[2] != 'R';
    }
    fclose(file);
    return is_waiting;
}

/* Everything that comes until nothing more will. */
static struct answer listen_to(const struct program *program, double began)
{
    struct pollfd wait = {program->master, POLLIN, 0};
    struct answer answer = {0, 0};
    static char bytes[65536];

    while (bench_now() - began < LONGEST_NS) {
        int unread = 0;
        if (poll(&wait, 1, QUIET_MS) > 0) {
            ssize_t count = read(program->master, bytes, sizeof bytes);
            if (count <= 0)
                break;
            answer.bytes += (double)count;
            answer.nanoseconds = bench_now() - began;
        } else if ((ioctl(program->slave, FIONREAD, &unread) != 0 || unread == 0) &&
                   is_asleep(program->pid)) {
            break;
        }
    }
    return answer;
}

static struct answer press(const struct program *program, const char *keys)
{
    double began = bench_now();

    if (write(program->master, keys, strlen(keys)) < 0)
        return (struct answer){NAN, NAN};
    return listen_to(program, began);
}

/* Bytes in so many milliseconds in which no key is pressed. */
/* After the last change it says, once, that nothing can be kept: see XDG_STATE_HOME above. */
#define SETTLED_MS 2000

static double idle_bytes(const struct program *program, int milliseconds)
{
    struct pollfd wait = {program->master, POLLIN, 0};

    return poll(&wait, 1, milliseconds) == 0 ? 0 : listen_to(program, bench_now()).bytes;
}

static void program_stop(struct program *program)
{
    if (program->pid > 0) {
        press(program, "Q");
        for (int i = 0; i < 100 && waitpid(program->pid, NULL, WNOHANG) == 0; i++) {
            if (i == 99) {
                kill(program->pid, SIGKILL);
                waitpid(program->pid, NULL, 0);
            }
            poll(NULL, 0, 10);
        }
    }
    if (program->slave >= 0)
        close(program->slave);
    if (program->master >= 0)
        close(program->master);
}

/* ---- what is pressed ---- */

/* In this order in one run of the program. `before` gets it ready; `back` takes back what `keys`
 * did, so that all repeats answer the same. Budgets of bytes at 80x24 and at 200x60; NAN: none. */
static const struct action {
    const char *name, *before, *keys, *back;
    double small_budget, large_budget;
} actions[] = {
    {"select next", "\033OC", "\033OC", "\033OD", 300, 550},
    {"lane below", "", "\033OB", "\033OA", 300, 550},
    {"one micro-batch more", "", "M", "m", 10000, 35000},
    {"undo", "M", "u", "U", 10000, 35000},
    {"next schedule", "", "S", "s", 10000, 35000},
    {"redraw", "", "\014", "", 10000, 35000},
    {"help", "", "?", "q", 10000, 35000},
    {"zoom in", "", "+", "-", 10000, 35000},
    {"pan one cell, 3 steps in", "+++", "1>", "", 2500, 6000},
    {"pan one cell, 8 steps in", "+++++", "1>", "", 2500, 6000},
    {"pan four cells", "", ">", "", 10000, 35000},
};

enum { ACTION_COUNT = sizeof actions / sizeof actions[0] };

/* Medians, by terminal. */
struct results {
    struct answer start[TERMINAL_COUNT], action[ACTION_COUNT][TERMINAL_COUNT];
    double idle[TERMINAL_COUNT];
};

static struct answer middle(struct answer *answers, int count)
{
    double bytes[REPEATS], times[REPEATS];

    for (int i = 0; i < count; i++) {
        bytes[i] = answers[i].bytes;
        times[i] = answers[i].nanoseconds;
    }
    return (struct answer){bench_median(bytes, count), bench_median(times, count)};
}

/* Starts it several times, the last of which goes on; false when it does not start. */
static bool measure_start(const struct bench *bench, const struct chart *chart, int t,
                          struct program *program, struct answer *result)
{
    struct answer answers[REPEATS];

    for (int i = 0; i < REPEATS; i++) {
        double began = bench_now();
        bool is_started = program_start(program, bench, chart, t);
        if (is_started)
            answers[i] = listen_to(program, began);
        if (!is_started || waitpid(program->pid, NULL, WNOHANG) != 0) {
            program->pid = 0;
            program_stop(program);
            return false;
        }
        if (i + 1 < REPEATS)
            program_stop(program);
    }
    *result = middle(answers, REPEATS);
    return true;
}

static void measure_actions(int t, const struct program *program, struct results *results)
{
    struct answer answers[REPEATS];

    for (int a = 0; a < ACTION_COUNT; a++) {
        if (actions[a].before[0] != '\0')
            press(program, actions[a].before);
        for (int i = 0; i < REPEATS; i++) {
            answers[i] = press(program, actions[a].keys);
            if (actions[a].back[0] != '\0')
                press(program, actions[a].back);
        }
        results->action[a][t] = middle(answers, REPEATS);
    }
    idle_bytes(program, SETTLED_MS);
    results->idle[t] = idle_bytes(program, 1000);
}

/* ---- the first frame ---- */

/* Milliseconds: as a clock has them, and of the processor's work. */
struct cost {
    double elapsed, worked;
};

/* Of a process so far; NAN where the system does not tell. */
static double worked(pid_t pid)
{
    char path[64];
    double nanoseconds = NAN;

    snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return NAN;
    if (fscanf(file, "%lf", &nanoseconds) != 1)
        nanoseconds = NAN;
    fclose(file);
    return nanoseconds / 1e6;
}

static struct cost middle_cost(const struct cost *costs, int count)
{
    double elapsed[START_ROUNDS], done[START_ROUNDS];

    for (int i = 0; i < count; i++) {
        elapsed[i] = costs[i].elapsed;
        done[i] = costs[i].worked;
    }
    return (struct cost){bench_median(elapsed, count), bench_median(done, count)};
}

/* From exec to the last byte of the first frame; the program is gone afterwards. */
static struct cost first_frame(const struct bench *bench, const struct chart *chart, int t)
{
    struct program program;
    struct cost cost = {NAN, NAN};
    double began = bench_now();

    if (program_start(&program, bench, chart, t)) {
        cost.elapsed = listen_to(&program, began).nanoseconds / 1e6;
        cost.worked = worked(program.pid);
        program_stop(&program);
    }
    return cost;
}

/* In turn with a program that does nothing but fill the screen. */
static void compare_start(const struct bench *bench)
{
    static const struct column columns[] = {{"ms", 2},    {"bare ms", 2}, {"ratio", 2},
                                            {"cpu ms", 2}, {"bare cpu", 2}, {"cpu ratio", 2}};
    static struct cost ours[START_ROUNDS], theirs[START_ROUNDS];
    struct bench_table table = table_begin(
        bench, "start", "start: from exec to the last byte of the first frame, beside a bare curses "
                        "program that fills the screen",
        columns, 6);

    for (size_t c = 0; c < sizeof charts / sizeof charts[0]; c++)
        for (int t = 0; t < TERMINAL_COUNT; t += 2) {
            char label[64];
            for (int i = 0; i < START_ROUNDS; i++) {
                ours[i] = first_frame(bench, &charts[c], t);
                theirs[i] = first_frame(bench, NULL, t);
            }
            struct cost mine = middle_cost(ours, START_ROUNDS);
            struct cost other = middle_cost(theirs, START_ROUNDS);
            snprintf(label, sizeof label, "%ux%u P=%s M=%s", (unsigned)terminals[t].columns,
                     (unsigned)terminals[t].rows, charts[c].stages[t], charts[c].micro_batches[t]);
            table_row(&table, label,
                      (double[]){mine.elapsed, other.elapsed, mine.elapsed / other.elapsed,
                                 mine.worked, other.worked, mine.worked / other.worked});
        }
    bench_say(bench, "Wanted: at most 1.5. cpu: processor time, without waiting for the reader.");
}

/* ---- a key that is held ---- */

/* Pressed again and again, and as often the key that takes it back. */
static const struct {
    const char *name, *before, *key, *back, *after;
} held[] = {
    {"one micro-batch more", "", "M", "m", ""},   {"one stage more", "", "P", "p", ""},
    {"forward cost up", "", "F", "f", ""},        {"next schedule", "", "S", "s", ""},
    {"zoom in", "", "+", "", "0"},                {"pan one cell", "++++", "1>", "", "0"},
    {"select next", "\033OC", "\033OC", "", "\033"},
};

/* Keys that come faster than frames: one frame answers many. Milliseconds and bytes a key until the
 * last state is shown, beside those of a key alone. */
static void hold_keys(const struct bench *bench)
{
    static const struct column columns[] = {{"alone ms", 2}, {"held ms", 3}, {"alone cpu", 2},
                                            {"held cpu", 3}, {"alone B", 0}, {"held B", 1}};
    static const struct chart large = {"", "", "", {"64", "64", "64", "64"},
                                       {"1024", "1024", "1024", "1024"}};
    struct bench_table table = table_begin(
        bench, "held", "held: a key alone, and each of 100 that come at once, until the last byte; "
                       "1f1b P=64 M=1024 at 200x60",
        columns, 6);
    struct program program;

    if (!program_start(&program, bench, &large, LARGE))
        return;
    listen_to(&program, bench_now());
    for (size_t k = 0; k < sizeof held / sizeof held[0]; k++) {
        struct cost costs[2][REPEATS];
        double bytes[2][REPEATS];
        char keys[HELD * 4] = "", back[HELD * 4] = "";
        for (int i = 0; i < HELD; i++) {
            strcat(keys, held[k].key);
            strcat(back, held[k].back);
        }
        for (int i = 0; i < REPEATS; i++)
            for (int is_held = 0; is_held < 2; is_held++) {
                press(&program, held[k].before);
                double before = worked(program.pid);
                struct answer answer = press(&program, is_held ? keys : held[k].key);
                double count = is_held ? HELD : 1;
                costs[is_held][i].worked = (worked(program.pid) - before) / count;
                costs[is_held][i].elapsed = answer.nanoseconds / 1e6 / count;
                bytes[is_held][i] = answer.bytes / count;
                press(&program, is_held ? back : held[k].back);
                press(&program, held[k].after);
            }
        struct cost one = middle_cost(costs[0], REPEATS), each = middle_cost(costs[1], REPEATS);
        table_row(&table, held[k].name,
                  (double[]){one.elapsed, each.elapsed, one.worked, each.worked,
                             bench_median(bytes[0], REPEATS), bench_median(bytes[1], REPEATS)});
    }
    program_stop(&program);
}

/* ---- tables ---- */

static void bytes_row(const struct bench_table *table, const char *name, const double *by_terminal,
                      double small_budget, double large_budget)
{
    table_row(table, name,
              (double[]){by_terminal[SMALL], by_terminal[SMALL_TMUX], small_budget,
                         by_terminal[LARGE], by_terminal[LARGE_TMUX], large_budget});
}

static void print_bytes(const struct bench *bench, const struct chart *chart,
                        const struct results *results)
{
    static const struct column columns[] = {{"80x24", 0},  {"tmux 80x24", 0},  {"<= 80x24", 0},
                                            {"200x60", 0}, {"tmux 200x60", 0}, {"<= 200x60", 0}};
    char title[160];
    double bytes[TERMINAL_COUNT];

    snprintf(title, sizeof title,
             "keys: bytes to xterm- and tmux-256color, and budgets (<=); 1f1b, %s", chart->title);
    struct bench_table table = table_begin(bench, chart->bytes, title, columns, 6);

    for (int t = 0; t < TERMINAL_COUNT; t++)
        bytes[t] = results->start[t].bytes;
    bytes_row(&table, "start", bytes, NAN, NAN);
    for (int a = 0; a < ACTION_COUNT; a++) {
        for (int t = 0; t < TERMINAL_COUNT; t++)
            bytes[t] = results->action[a][t].bytes;
        bytes_row(&table, actions[a].name, bytes, actions[a].small_budget, actions[a].large_budget);
    }
    bytes_row(&table, "idle, 1 s", results->idle, 0, 0);
}

static void times_row(const struct bench_table *table, const char *name,
                      const struct answer *answers)
{
    double values[TERMINAL_COUNT];

    for (int t = 0; t < TERMINAL_COUNT; t++)
        values[t] = answers[t].nanoseconds / 1e6;
    table_row(table, name, values);
}

static void print_times(const struct bench *bench, const struct chart *chart,
                        const struct results *results)
{
    static const struct column columns[] = {
        {"80x24", 2}, {"tmux 80x24", 2}, {"200x60", 2}, {"tmux 200x60", 2}};
    struct bench_table table =
        table_begin(bench, chart->times, "keys: milliseconds until the last byte; start: from exec",
                    columns, TERMINAL_COUNT);

    times_row(&table, "start", results->start);
    for (int a = 0; a < ACTION_COUNT; a++)
        times_row(&table, actions[a].name, results->action[a]);
}

/* False when the program does not start. */
static bool measure_chart(const struct bench *bench, const struct chart *chart,
                          struct results *results)
{
    for (int t = 0; t < TERMINAL_COUNT; t++) {
        struct program program;
        if (!measure_start(bench, chart, t, &program, &results->start[t]))
            return false;
        measure_actions(t, &program, results);
        program_stop(&program);
    }
    return true;
}

void bench_keys(const struct bench *bench)
{
    static struct results results;

    compare_start(bench);
    hold_keys(bench);
    for (size_t i = 0; i < sizeof charts / sizeof charts[0]; i++) {
        if (!measure_chart(bench, &charts[i], &results)) {
            bench_say(bench, "\nNo keys: %s does not start in a terminal.", bench->program);
            return;
        }
        print_bytes(bench, &charts[i], &results);
        print_times(bench, &charts[i], &results);
    }
}
