/* The screen without memory: plays the same keys to the program in a terminal again and again, each
 * time with another allocation failing, first those of the program, then those of the libraries too.
 *
 * However it goes the program ends with status 0 or 1, not by a signal and not by hanging, the
 * terminal has its attributes back and its first screen; a status of 1 comes with a message. Only
 * where a library has no memory may it crash too, for curses does not always look at what it got;
 * even then the terminal is given back. That the state is right all the while is test_memory's; this
 * is about what only a terminal shows. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static const char keys[] = "FiqMXqxdddu:m 9\r:schedule zbv\r:layers 30*1\r+>?q:w new.ini\rQQ";

static char output[1 << 20];
static size_t output_size;

struct played {
    int status;
    bool hangs, has_attributes;
    long failed; /* allocations */
};

/* Reads until nothing comes for `quiet` milliseconds after something came; false at the end. */
static bool drain(int terminal, int quiet, int most)
{
    bool has_any = false;

    for (;;) {
        struct pollfd wait = {terminal, POLLIN, 0};
        if (poll(&wait, 1, has_any ? quiet : most) <= 0)
            return true;
        if (output_size + 65536 > sizeof output)
            output_size = 0;
        ssize_t count = read(terminal, output + output_size, 65535);
        if (count <= 0)
            return false;
        has_any = true;
        output_size += (size_t)count;
        output[output_size] = '\0';
    }
}

/* What an earlier run kept is not the next one's. */
static void forget(void)
{
    DIR *folder = opendir("state/pipegantt");
    char path[400];

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        snprintf(path, sizeof path, "state/pipegantt/%s", entry->d_name);
        unlink(path);
    }
    if (folder != NULL)
        closedir(folder);
}

static void start(const char *shim, long at, bool is_ours, char *scenario)
{
    char number[32];

    snprintf(number, sizeof number, "%ld", at);
    setenv("LD_PRELOAD", shim, 1);
    setenv("FAIL_AT", number, 1);
    setenv("FAIL_LOG", "log", 1);
    if (is_ours)
        setenv("FAIL_OURS", "1", 1);
    setenv("TERM", "xterm-256color", 1);
    execl(getenv("PIPEGANTT"), "pipegantt", scenario, (char *)NULL);
    _exit(127);
}

static long read_failed(void)
{
    long count = 0, failed = 0;
    FILE *log = fopen("log", "r");

    if (log == NULL)
        return -1;
    if (fscanf(log, "%ld %ld", &count, &failed) != 2)
        failed = -1;
    fclose(log);
    return failed;
}

static struct played play(const char *shim, long at, bool is_ours)
{
    struct winsize size = {.ws_row = 30, .ws_col = 100};
    struct played played = {.hangs = false};
    struct termios before, after;
    int terminal, program;
    char scenario[] = "plain.ini";

    unlink("log");
    unlink("new.ini");
    forget();
    output_size = 0;
    output[0] = '\0';
    if (openpty(&terminal, &program, NULL, NULL, &size) != 0 || tcgetattr(program, &before) != 0)
        exit(99);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        ioctl(program, TIOCSCTTY, 0);
        for (int fd = 0; fd < 3; fd++)
            dup2(program, fd);
        close(terminal);
        close(program);
        start(shim, at, is_ours, scenario);
    }
    drain(terminal, 20, 2000);
    for (const char *key = keys; *key != '\0' && waitpid(child, &played.status, WNOHANG) == 0; key++)
        if (write(terminal, key, 1) != 1)
            break;
    /* `program` is open here too, so that the end of the child is no end of the terminal. */
    for (int i = 0; waitpid(child, &played.status, WNOHANG) == 0; i++) {
        drain(terminal, 10, 20);
        if (i == 500) {
            kill(child, SIGKILL);
            waitpid(child, &played.status, 0);
            played.hangs = true;
            break;
        }
    }
    drain(terminal, 0, 0);
    played.has_attributes = tcgetattr(program, &after) == 0 && before.c_lflag == after.c_lflag &&
                            before.c_iflag == after.c_iflag && before.c_oflag == after.c_oflag;
    close(program);
    close(terminal);
    played.failed = read_failed();
    return played;
}

static bool judge(const struct played *played, long at, bool is_ours)
{
    const char *wrong = NULL;
    const char *entered = NULL, *left = NULL;
    int status = WIFEXITED(played->status) ? WEXITSTATUS(played->status) : -1;

    for (const char *s = output; (s = strstr(s, "\033[?1049")) != NULL; s++)
        *(s[7] == 'h' ? &entered : &left) = s;
    if (played->hangs)
        wrong = "it hangs";
    else if (status != 0 && status != 1 && (is_ours || strstr(output, "was given back") == NULL))
        wrong = "it does not end with status 0 or 1";
    else if (!played->has_attributes)
        wrong = "the terminal does not have its attributes back";
    else if (entered != NULL && (left == NULL || left < entered))
        wrong = "the first screen is not back";
    else if (status == 1 && strstr(output, "pipegantt:") == NULL && strstr(output, "memory") == NULL)
        wrong = "there is no message";
    if (wrong != NULL) {
        const char *tail = output_size > 300 ? output + output_size - 300 : output;
        printf("allocation %ld of %s: %s (status %x)\n", at,
               is_ours ? "the program" : "all", wrong, (unsigned)played->status);
        for (; *tail != '\0'; tail++)
            putchar((*tail >= ' ' && *tail < 127) || *tail == '\n' ? *tail : '.');
        putchar('\n');
    }
    return wrong == NULL;
}

int main(void)
{
    char shim[4096], folder[] = "/tmp/starve_screen.XXXXXX";
    const char *build = getenv("BUILDDIR"), *sanitize = getenv("SANITIZE");
    int bad = 0, runs = 0;

    snprintf(shim, sizeof shim, "%s/tests/failing.so", build == NULL ? "." : build);
    FILE *so = fopen(shim, "r");
    bool is_there = so != NULL && getc(so) != EOF;
    if (so != NULL)
        fclose(so);
    if (!is_there || getenv("PIPEGANTT") == NULL ||
        (sanitize != NULL && strcmp(sanitize, "yes") == 0)) {
        puts("skipped: no program, no tests/failing.so, or a sanitizer's own allocator");
        return 77;
    }
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return 99;
    char state[60];
    snprintf(state, sizeof state, "%s/state", folder);
    setenv("XDG_STATE_HOME", state, 1);
    FILE *scenario = fopen("plain.ini", "w");
    if (scenario == NULL || fputs("[pipeline]\nstages = 3\nmicro_batches = 4\n", scenario) < 0 ||
        fclose(scenario) != 0)
        return 99;
    for (int ours = 1; ours >= 0; ours--)
        for (long at = 1;; at += ours || at < 20 ? 1 : 5) {
            struct played played = play(shim, at, ours);
            runs++;
            bad += !judge(&played, at, ours);
            if (bad > 10 || (played.failed == 0 && !played.hangs))
                break;
        }
    printf("%d runs, %d bad\n", runs, bad);
    unlink("plain.ini");
    unlink("new.ini");
    unlink("log");
    forget();
    rmdir("state/pipegantt");
    rmdir("state");
    if (chdir("/") == 0)
        rmdir(folder);
    return bad > 0;
}
