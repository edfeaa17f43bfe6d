/* The program to compare with: tests/reference.rs, compiled where a Rust compiler is at hand. It is
 * started once a problem and asked for one run at a time, so that its runs and ours alternate. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define REFERENCE "tests/reference"

static bool wait_for(pid_t pid)
{
    int status;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool reference_compile(const struct bench *bench)
{
    char source[4096];
    struct stat old, new;
    int length = snprintf(source, sizeof source, "%s/tests/reference.rs", bench->source);

    if (length < 0 || (size_t)length >= sizeof source || stat(source, &new) != 0)
        return false;
    if (stat(REFERENCE, &old) == 0 && old.st_mtime >= new.st_mtime)
        return true;
    pid_t pid = fork();
    if (pid == 0) {
        execlp(bench->rustc, bench->rustc, "-O", "-o", REFERENCE, source, (char *)NULL);
        _exit(127);
    }
    return pid > 0 && wait_for(pid);
}

struct peer peer_start(const char *family, unsigned devices, unsigned micro_batches)
{
    struct peer none = {.to = -1};
    char devices_text[16], micro_text[16];
    int to[2], from[2];

    if (pipe(to) != 0)
        return none;
    if (pipe(from) != 0) {
        close(to[0]);
        close(to[1]);
        return none;
    }
    snprintf(devices_text, sizeof devices_text, "%u", devices);
    snprintf(micro_text, sizeof micro_text, "%u", micro_batches);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[1]);
        close(from[0]);
        execl("./" REFERENCE, REFERENCE, "bench-loop", family, devices_text, micro_text,
              (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    return (struct peer){pid > 0 ? pid : 0, to[1], fdopen(from[0], "r")};
}

double peer_run(struct peer *peer)
{
    char line[64];

    if (peer->pid == 0 || peer->from == NULL || write(peer->to, "\n", 1) != 1 ||
        fgets(line, sizeof line, peer->from) == NULL)
        return NAN;
    return strtod(line, NULL);
}

void peer_stop(struct peer *peer)
{
    if (peer->to >= 0)
        close(peer->to);
    if (peer->from != NULL)
        fclose(peer->from);
    if (peer->pid > 0)
        wait_for(peer->pid); /* it ends where its input does */
}
