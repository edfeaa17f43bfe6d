/* A whole process, from exec to exit, beside the core alone of the reference program: what is
 * asked on a command line should not have to wait even for that. Processor time on both sides, and
 * of ours the system's work for it as well: pages, libraries, output. */
#include "bench.h"

#include <fcntl.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_ROUNDS 60

static double milliseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

/* Processor time of the children that have ended. */
static double spent(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
}

static double summary(const struct bench *bench, const char *devices, const char *micro_batches)
{
    double before = spent();
    int status = 1;
    pid_t pid = fork();

    if (pid == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDOUT_FILENO);
        execl(bench->program, "pipegantt", "-s", "1f1b", "-p", devices, "-m", micro_batches,
              "--format", "summary", (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        return NAN;
    return spent() - before;
}

void bench_process(const struct bench *bench)
{
    static const struct column columns[] = {
        {"cpu ms", 2}, {"wanted <=", 1}, {"core alone", 2}, {"times", 1}};
    static const struct {
        const char *devices, *micro_batches;
        unsigned p, m;
        int rounds;
        double wanted; /* a fraction of what a slower core was measured to take */
    } jobs[] = {{"64", "1024", 64, 1024, 51, 68.0 / 15}, {"128", "8192", 128, 8192, 11, 1330.0 / 25}};
    static double ours[MOST_ROUNDS], theirs[MOST_ROUNDS];
    bool has_reference = reference_compile(bench);
    struct bench_table table =
        table_begin(bench, "process",
                    "process: pipegantt --format summary from exec to exit, beside the reference's "
                    "core in memory",
                    columns, 4);

    for (size_t j = 0; j < sizeof jobs / sizeof jobs[0]; j++) {
        struct peer peer = {.to = -1};
        char label[64];
        if (has_reference)
            peer = peer_start("1f1b", jobs[j].p, jobs[j].m);
        for (int i = 0; i < jobs[j].rounds; i++) {
            ours[i] = summary(bench, jobs[j].devices, jobs[j].micro_batches);
            theirs[i] = peer_run(&peer) / 1e6;
        }
        double mine = bench_median(ours, jobs[j].rounds);
        double other = bench_median(theirs, jobs[j].rounds);
        snprintf(label, sizeof label, "1f1b P=%u M=%u", jobs[j].p, jobs[j].m);
        table_row(&table, label, (double[]){mine, jobs[j].wanted, other, other / mine});
        peer_stop(&peer);
    }
}
