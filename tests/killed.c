/* The end that no program sees: SIGKILL at random moments under a stream of keys, many runs at a
 * time.
 *
 * A session in this process gets the same keys and remembers what was unsaved after each of them,
 * and when each was sent. What lies in the folder after a kill has to be, each file for itself,
 * something whole that the session really had, and no older than the promised delay allows;
 * nothing can lie there only where nothing was unsaved since. One more run looks whether a program
 * that has nothing to write sleeps.
 *
 *     PIPEGANTT=program killed [RUNS [SEED]]
 *     KILLED_LONG=1    every fourth run goes on for longer than ten seconds */
#define _GNU_SOURCE 1
#include "app/config.h"
#include "app/desk.h"
#include "app/keys.h"
#include "app/recovery.h"
#include "app/ticker.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_KEYS = 400, SLACK = 1500, JOBS = 12 };

/* After a key: when it was sent, and what was unsaved then; "": nothing. */
struct step {
    int64_t sent;
    char *changes, *moves;
};

struct run {
    struct session *session; /* the second account */
    struct desk desk;
    struct cli cli;
    pid_t program;
    int terminal;
    struct step steps[MOST_KEYS + 1];
    int count;
    int64_t killed;
    char folder[200];
};

static uint32_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)seed * n >> 32);
}

static _Noreturn void fail(const struct run *run, const char *what)
{
    printf("FAIL: %s, after %d keys; the folder is %s\n", what, run->count, run->folder);
    fflush(stdout);
    kill(run->program, SIGKILL);
    _exit(1);
}

/* ---- the second account ---- */

static char *text_of_moves(const struct session *session)
{
    struct unsaved built;
    size_t size = session_build_size(session);
    char *moves = malloc(size);
    struct text text;

    text_init(&text, moves, size);
    if (session_unsaved_build(session, &built))
        session_build_write(session, &text);
    return moves;
}

/* In a table that is in no file the name is missing, but not its order. */
static char *text_of_scenario(const struct scenario *scenario)
{
    struct outcome outcome = {.block = NULL};
    struct refusal refusal;
    char *ini = config_text(scenario), *whole;
    struct text text;

    if (scenario->table == NULL || !outcome_run(&outcome, scenario, &refusal))
        return ini;
    size_t size = strlen(ini) + table_write_size(&outcome.plan);
    whole = malloc(size);
    text_init(&text, whole, size);
    text_add(&text, ini);
    table_write(&outcome.plan, &text);
    outcome_free(&outcome);
    free(ini);
    return whole;
}

static void note(struct run *run, int64_t when)
{
    struct snapshot snapshot;

    session_snapshot(run->session, &snapshot);
    run->steps[run->count] = (struct step){
        when,
        session_is_unsaved(run->session) ? text_of_scenario(snapshot.scenario) : strdup(""),
        text_of_moves(run->session),
    };
}

static enum mode mode_of(struct run *run)
{
    struct snapshot snapshot;

    session_snapshot(run->session, &snapshot);
    return snapshot.mode;
}

/* ---- the program ---- */

/* Reads what it draws for so long. */
static void wait_for(struct run *run, int64_t milliseconds)
{
    int64_t until = ticker_now() + milliseconds;
    static char bytes[65536];

    for (int64_t now; (now = ticker_now()) < until;) {
        struct pollfd wait = {run->terminal, POLLIN, 0};
        if (poll(&wait, 1, (int)(until - now)) > 0 && read(run->terminal, bytes, sizeof bytes) <= 0)
            fail(run, "the program ended");
    }
}

static void start(struct run *run)
{
    struct winsize size = {.ws_row = 24, .ws_col = 80};

    run->program = forkpty(&run->terminal, NULL, NULL, &size);
    if (run->program == 0) {
        setenv("TERM", "xterm-256color", 1);
        execl(getenv("PIPEGANTT"), "pipegantt", (char *)NULL);
        _exit(127);
    }
    struct pollfd wait = {run->terminal, POLLIN, 0};
    if (run->program < 0 || poll(&wait, 1, 10000) <= 0)
        fail(run, "it does not start");
    wait_for(run, 150);
}

static void send_key(struct run *run, char key)
{
    char buffer[32];

    if (write(run->terminal, &key, 1) != 1)
        fail(run, "a key could not be sent");
    session_key(run->session, key_of_character((unsigned char)key, buffer, sizeof buffer));
    if (session_take_request(run->session).kind != REQUEST_NONE)
        fail(run, "the test asks for more than keys");
    run->count++;
    note(run, ticker_now());
}

static void send_some_key(struct run *run)
{
    static const char chart[] = "MMMmPPpsSfFbBwWtTcCuuUUjkHE";
    static const char build[] = "\r\r\r\r\rFBIWuUjjkH&";

    if (mode_of(run) == MODE_CHART) {
        send_key(run, chart[below(sizeof chart - 1)]);
        return;
    }
    if (mode_of(run) != MODE_BUILD)
        fail(run, "the test got lost");
    switch (below(30)) {
    case 0: /* leaves, or stays where nothing is placed */
        send_key(run, 'E');
        if (mode_of(run) == MODE_BUILD)
            send_key(run, 'y');
        break;
    case 1:
        send_key(run, 'c');
        send_key(run, 'b');
        break;
    case 2:
        send_key(run, 't');
        break;
    default:
        send_key(run, build[below(sizeof build - 1)]);
    }
}

static void play(struct run *run, bool is_long)
{
    int keys = is_long ? 60 + (int)below(100) : 1 + (int)below(40);

    for (int i = 0; i < keys && run->count < MOST_KEYS - 4; i++) {
        send_some_key(run);
        uint32_t kind = below(40);
        wait_for(run, is_long    ? below(250)
                      : kind == 0 ? RECOVERY_PAUSE + below(2 * SLACK)
                      : kind < 6  ? below(400)
                      : kind < 20 ? below(20) : 0);
    }
    switch (below(3)) {
    case 0:
        wait_for(run, below(60));
        break;
    case 1: /* as it is about to write, or does */
        wait_for(run, RECOVERY_PAUSE - 20 + below(60));
        break;
    default:
        wait_for(run, RECOVERY_PAUSE + SLACK + below(500));
    }
}

/* ---- what is left ---- */

/* The last key whose changes have to be there. */
static int oldest_allowed(const struct run *run)
{
    int oldest = 0;

    for (int i = 0; i <= run->count; i++) {
        int64_t next = i < run->count ? run->steps[i + 1].sent : run->killed;
        if (next - run->steps[i].sent >= RECOVERY_PAUSE + SLACK ||
            run->steps[i].sent <= run->killed - RECOVERY_LONGEST - SLACK)
            oldest = i;
    }
    return oldest;
}

static bool is_allowed(const struct run *run, const char *got, bool is_moves)
{
    for (int i = oldest_allowed(run); i <= run->count; i++)
        if (strcmp(is_moves ? run->steps[i].moves : run->steps[i].changes, got) == 0)
            return true;
    return false;
}

/* All files that lie there are whole; of each kind there is one at most. */
static int look(struct run *run, char **changes, char **moves)
{
    char path[700];
    int count = 0;

    *changes = *moves = NULL;
    snprintf(path, sizeof path, "%s/pipegantt", run->folder);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        struct stat status;
        struct config config;
        struct file_error error;
        char *built, *ini;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/pipegantt/%s", run->folder, entry->d_name);
        int file = open(path, O_RDONLY);
        bool is_whole = kept_is_whole(file);
        if (fstat(file, &status) != 0 || (!is_whole && status.st_size != 0))
            fail(run, "a torn file");
        close(file);
        if (!is_whole)
            continue;
        if (!kept_read(path, &config, &built, &error))
            fail(run, error.report.text);
        ini = text_of_scenario(&config.scenario);
        char **to = built != NULL ? moves : changes;
        if (*to != NULL)
            fail(run, "two files of one kind");
        *to = built != NULL ? built : ini;
        if (built != NULL)
            free(ini);
        config_free(&config);
        count++;
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}

static void judge(struct run *run)
{
    struct recovery recovery;
    char *changes, *moves;
    int count = look(run, &changes, &moves);

    if (!is_allowed(run, changes == NULL ? "" : changes, false))
        fail(run, changes == NULL ? "nothing is kept of the changes"
                                  : "the changes are none that the session had, or too old");
    if (!is_allowed(run, moves == NULL ? "" : moves, true))
        fail(run, moves == NULL ? "nothing is kept of what was built"
                                : "what was built is nothing that the session had, or too old");
    recovery_init(&recovery);
    recovery_offer(&recovery, run->session, false);
    if ((int)recovery.count != count)
        fail(run, "not all of it is offered");
    recovery_free(&recovery);
    free(changes);
    free(moves);
}

static void clear(struct run *run)
{
    char command[300];

    snprintf(command, sizeof command, "rm -rf '%s'", run->folder);
    if (system(command) != 0)
        fail(run, "the folder cannot be removed");
}

static void begin(struct run *run, const char *box, int number)
{
    struct file_error error;

    *run = (struct run){.terminal = -1};
    snprintf(run->folder, sizeof run->folder, "%s/%d", box, number);
    mkdir(run->folder, 0700);
    setenv("XDG_STATE_HOME", run->folder, 1);
    run->desk.cli = &run->cli;
    run->session = session_make();
    if (run->session == NULL || !desk_show_slide(&run->desk, run->session, 0, &error))
        fail(run, "no session");
    start(run);
    note(run, ticker_now());
}

/* Exits with what came of it; 10 and more: so many files were there. */
static _Noreturn void one_run(const char *box, int number)
{
    struct run run;
    int status;

    seed += (uint32_t)number * 2654435761u;
    begin(&run, box, number);
    play(&run, getenv("KILLED_LONG") != NULL && number % 4 == 0);
    kill(run.program, SIGKILL);
    run.killed = ticker_now();
    waitpid(run.program, &status, 0);
    if (!WIFSIGNALED(status))
        fail(&run, "it ended before");
    judge(&run);
    char *changes, *moves;
    int count = look(&run, &changes, &moves);
    clear(&run);
    _exit(10 + count);
}

/* ---- sleep ---- */

/* How often the program gave up the processor by itself, as it does each time it falls asleep. */
static long naps(const struct run *run)
{
    char path[64], line[200];
    long count = -1;

    snprintf(path, sizeof path, "/proc/%ld/status", (long)run->program);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "voluntary_ctxt_switches: %ld", &count);
    if (file != NULL)
        fclose(file);
    return count;
}

static void sleeps(struct run *run, const char *when)
{
    long before = naps(run);

    wait_for(run, 3000);
    if (naps(run) != before) {
        printf("%ld times awake %s\n", naps(run) - before, when);
        fail(run, "it does not sleep");
    }
}

static _Noreturn void idle_run(const char *box, int number)
{
    struct run run;
    char *changes, *moves;

    begin(&run, box, number);
    sleeps(&run, "with nothing unsaved");
    send_key(&run, 'M');
    wait_for(&run, RECOVERY_PAUSE + SLACK);
    if (look(&run, &changes, &moves) != 1)
        fail(&run, "nothing was written");
    sleeps(&run, "with all written");
    send_key(&run, 'u');
    wait_for(&run, SLACK);
    if (look(&run, &changes, &moves) != 0)
        fail(&run, "what was undone is still there");
    sleeps(&run, "with all undone");
    kill(run.program, SIGKILL);
    waitpid(run.program, NULL, 0);
    clear(&run);
    _exit(10);
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 24, jobs = 0, failed = 0, kept = 0, done = 0;
    char box[] = "/tmp/killed-XXXXXX";
    int status;

    if (getenv("PIPEGANTT") == NULL || mkdtemp(box) == NULL)
        return 99;
    seed = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
    for (int i = 0; i <= runs || jobs > 0; i++) {
        if (jobs == JOBS || i > runs) {
            wait(&status);
            int result = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
            failed += result < 10;
            kept += result > 10;
            jobs--;
            done++;
        }
        if (i > runs)
            continue;
        if (fork() == 0) {
            if (i == 0)
                idle_run(box, i);
            one_run(box, i);
        }
        jobs++;
    }
    printf("killed: %d runs, %d left something, %d failed\n", done, kept, failed);
    rmdir(box);
    return failed > 0;
}
