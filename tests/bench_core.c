/* The core: nanoseconds an operation for order, timeline and metrics, without and with the sorted
 * list of operations, in turn with an independent program that does the same; how that grows with
 * the problem; and what memory costs, in bytes and in first touches. */
#include "bench.h"
#include "core/pg.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define NO_ADVICE (-1)
#ifdef MADV_HUGEPAGE
#    define HUGE_PAGES MADV_HUGEPAGE
#else
#    define HUGE_PAGES NO_ADVICE
#endif
#define LARGE_PAGE ((size_t)2 << 20)

#define MOST_ROUNDS 1000

/* ---- one problem in one block ---- */

struct job {
    const char *family;
    uint32_t devices, micro_batches;
    struct pg_problem problem;
    struct pg_plan plan;
    struct pg_metrics metrics;
    void *block;
    size_t size;                 /* of the block: plan and metrics */
    struct pg_op *ops, *scratch; /* NULL without a list */
};

static const double forward_cost = 1, backward_cost = 2;

/* Metrics ask for a few numbers a device. */
static size_t job_size(const struct job *job)
{
    return pg_plan_size(&job->problem) + pg_metrics_size(job->devices) + 64;
}

static struct job job_of(const char *family, uint32_t devices, uint32_t micro_batches)
{
    struct job job = {.family = family, .devices = devices, .micro_batches = micro_batches};

    job.problem = (struct pg_problem){
        .family = pg_family_find(family),
        .devices = devices,
        .chunks = 1,
        .micro_batches = micro_batches,
        .forward = {&forward_cost, 1},
        .backward = {&backward_cost, 1},
        .fused = 1,
    };
    job.size = job_size(&job);
    return job;
}

static double job_ops(const struct job *job)
{
    return 2.0 * job->devices * job->micro_batches;
}

/* Order, timeline, metrics into the block; nanoseconds. */
static double job_run(struct job *job)
{
    struct pg_arena arena;
    struct pg_fault fault;
    double began = bench_work();

    pg_arena_init(&arena, job->block, job->size);
    if (pg_plan_build(&arena, &job->problem, &job->plan, &fault) != PG_OK ||
        pg_plan_judge(&job->plan, &arena, &job->metrics) != PG_OK)
        return NAN;
    return bench_work() - began;
}

/* The same, and the operations sorted. */
static double job_run_list(struct job *job)
{
    double began = bench_work();

    if (isnan(job_run(job)))
        return NAN;
    pg_plan_list(&job->plan, job->ops, job->scratch);
    return bench_work() - began;
}

/* Memory for it, touched; false when there is none. */
static bool job_open(struct job *job, bool has_list)
{
    size_t list = has_list ? (size_t)job_ops(job) * sizeof *job->ops : 0;

    job->block = malloc(job->size);
    job->ops = has_list ? malloc(list) : NULL;
    job->scratch = has_list ? malloc(list) : NULL;
    if (job->block == NULL || (has_list && (job->ops == NULL || job->scratch == NULL)))
        return false;
    return !isnan(has_list ? job_run_list(job) : job_run(job));
}

static void job_close(struct job *job)
{
    free(job->block);
    free(job->ops);
    free(job->scratch);
}

/* ---- beside the reference ---- */

static void compare(const struct bench_table *table, struct job *job, struct peer *peer,
                    double wanted)
{
    static double plan[MOST_ROUNDS], list[MOST_ROUNDS], theirs[MOST_ROUNDS];
    double ops = job_ops(job);
    int rounds = bench_rounds(table->bench, ops * 100);
    char label[80];

    rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
    peer_run(peer);
    for (int i = 0; i < rounds; i++) {
        plan[i] = job_run(job) / ops;
        theirs[i] = peer_run(peer) / ops;
        list[i] = job_run_list(job) / ops;
    }
    double other = bench_median(theirs, rounds);
    double ours = bench_median(plan, rounds), sorted = bench_median(list, rounds);
    snprintf(label, sizeof label, "%s P=%u M=%u", job->family, (unsigned)job->devices,
             (unsigned)job->micro_batches);
    table_row(table, label, (double[]){ours, other, other / ours, wanted});
    snprintf(label, sizeof label, "%s P=%u M=%u, list", job->family, (unsigned)job->devices,
             (unsigned)job->micro_batches);
    table_row(table, label, (double[]){sorted, other, other / sorted, NAN});
}

static void compare_all(const struct bench *bench)
{
    static const struct column columns[] = {
        {"ns/op", 2}, {"reference", 2}, {"times", 1}, {"wanted <=", 2}};
    static const struct {
        const char *family;
        uint32_t devices, micro_batches;
        double wanted;
    } jobs[] = {{"1f1b", 64, 1024, 519.0 / 60},
                {"gpipe", 64, 1024, NAN},
                {"1f1b", 128, 8192, 635.0 / 50},
                {"gpipe", 128, 8192, NAN}};
    bool has_reference = reference_compile(bench);
    struct bench_table table = table_begin(
        bench, "core", "core: order, timeline, metrics in warm memory; list: and the sorted list",
        columns, 4);

    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        struct job job = job_of(jobs[i].family, jobs[i].devices, jobs[i].micro_batches);
        struct peer peer = {.to = -1};
        if (has_reference)
            peer = peer_start(job.family, job.devices, job.micro_batches);
        if (job_open(&job, true))
            compare(&table, &job, &peer, jobs[i].wanted);
        job_close(&job);
        peer_stop(&peer);
    }
    bench_say(bench, "Wanted: a 60th and a 50th of 519 and 635, which another core took on the "
                     "machine where this began. What the study of the clock found stands "
                     "at the head of src/core/timeline.c.");
    if (has_reference)
        bench_say(bench, "Runs alternate, so each finds the caches full of the other's data. The "
                         "reference always sorts, and its memory is new at every run.");
    else
        bench_say(bench,
                  "No comparison: %s/tests/reference.rs is not there, or %s does not "
                  "compile it.",
                  bench->source, bench->rustc);
}

/* ---- memory ---- */

/* New memory from the system, as large as the job's block and aligned to large pages. */
struct region {
    void *start;
    size_t size;
};

static bool region_map(struct region *region, struct job *job, int advice)
{
    region->size = job->size + LARGE_PAGE;
    region->start =
        mmap(NULL, region->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region->start == MAP_FAILED)
        return false;
    size_t skew = (LARGE_PAGE - (uintptr_t)region->start % LARGE_PAGE) % LARGE_PAGE;
    job->block = (char *)region->start + skew;
    if (advice >= 0)
        madvise(job->block, job->size, advice);
    return true;
}

/* Bytes of this process that are in memory; NAN where the system does not tell. */
static double resident(void)
{
    double pages[2] = {NAN, NAN};
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL)
        return NAN;
    if (fscanf(file, "%lf %lf", &pages[0], &pages[1]) != 2)
        pages[1] = NAN;
    fclose(file);
    return pages[1] * (double)sysconf(_SC_PAGESIZE);
}

/* What the system has to give for a run, metrics included, by operation. */
static double bytes_each(const struct job *like)
{
    struct job job = *like;
    struct region region;
    double before = resident();

    if (!region_map(&region, &job, NO_ADVICE))
        return NAN;
    double took = job_run(&job), bytes = resident() - before;
    munmap(region.start, region.size);
    return isnan(took) ? NAN : bytes / (double)job.plan.ops;
}

/* ---- families ---- */

/* In turn with 1F1B, so that both suffer alike from what else the machine does. */
static void time_family(const struct bench_table *table, const struct pg_family *family,
                        struct job *one)
{
    static double theirs[MOST_ROUNDS], ours[MOST_ROUNDS];
    struct job job = job_of(family->name, one->devices, one->micro_batches);
    char label[80];

    job.problem.chunks = 2; /* of families without a number of their own */
    job.size = job_size(&job);
    if (job_open(&job, false)) {
        double ops = (double)job.plan.ops, one_ops = job_ops(one);
        int rounds = bench_rounds(table->bench, (ops + one_ops) * 10);
        rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
        for (int i = 0; i < rounds; i++) {
            theirs[i] = job_run(one) / one_ops;
            ours[i] = job_run(&job) / ops;
        }
        double other = bench_median(theirs, rounds), mine = bench_median(ours, rounds);
        snprintf(label, sizeof label, "%s V=%u", family->name, (unsigned)job.plan.chunks);
        table_row(table, label,
                  (double[]){ops, mine, other, mine / other, bytes_each(&job)});
    }
    job_close(&job);
}

static void time_families(const struct bench *bench)
{
    static const struct column columns[] = {
        {"operations", 0}, {"ns/op", 2}, {"1f1b ns/op", 2}, {"ratio", 2}, {"bytes/op", 1}};
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    struct job one = job_of("1f1b", 64, 1024);
    struct bench_table table = table_begin(bench, "families",
                                     "families, P=64 M=1024: order, timeline, metrics in warm "
                                     "memory, in turn with 1f1b",
                                     columns, 5);

    for (uint32_t i = 0; i < count && job_open(&one, false); i++) {
        time_family(&table, &families[i], &one);
        job_close(&one);
    }
    bench_say(bench, "Wanted: a ratio of at most 1.3, and 24 bytes an operation that the system has "
                     "to give.");
}

/* ---- growth ---- */

static double grown(const struct bench *bench, struct job *job)
{
    static double times[MOST_ROUNDS];
    int rounds = bench_rounds(bench, job_ops(job) * 10);

    rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
    for (int i = 0; i < rounds; i++)
        times[i] = job_run(job) / job_ops(job);
    return bench_median(times, rounds);
}

static void grow(const struct bench_table *table, uint32_t devices, uint32_t micro_batches)
{
    struct job one = job_of("1f1b", devices, micro_batches);
    struct job other = job_of("gpipe", devices, micro_batches);
    char label[80];

    snprintf(label, sizeof label, "P=%u M=%u", (unsigned)devices, (unsigned)micro_batches);
    if (job_open(&one, false) && job_open(&other, false)) {
        double values[] = {job_ops(&one), grown(table->bench, &one), grown(table->bench, &other),
                           bytes_each(&one)};
        table_row(table, label, values);
    }
    job_close(&one);
    job_close(&other);
}

static void grow_all(const struct bench *bench)
{
    static const struct column columns[] = {
        {"operations", 0}, {"1f1b ns/op", 2}, {"gpipe ns/op", 2}, {"bytes/op", 1}};
    struct bench_table table = table_begin(
        bench, "growth", 
        "growth: ns/op stay level where time is linear; memory that the system has to give",
        columns, 4);

    for (uint32_t m = 256; m <= 16384; m *= 4)
        grow(&table, 64, m);
    for (uint32_t p = 8; p <= 512; p *= 2)
        grow(&table, p, 1024);
    grow(&table, 128, 8192);
}

/* ---- first touch ---- */

/* A run in memory that was never used, and then another: `cold` and `warm`. */
static void run_twice(struct job *job, int advice, double *cold, double *warm)
{
    struct region region;

    *cold = *warm = NAN;
    if (!region_map(&region, job, advice))
        return;
    *cold = job_run(job) / job_ops(job);
    *warm = job_run(job) / job_ops(job);
    munmap(region.start, region.size);
    job->block = NULL;
}

static void touch_all(const struct bench *bench)
{
    static const struct column columns[] = {
        {"cold", 2}, {"warm", 2}, {"cold, huge", 2}, {"warm, huge", 2}};
    static double times[4][MOST_ROUNDS];
    struct bench_table table = table_begin(bench, "touch",
                                     "first touch, 1f1b, ns/op: new memory (cold) and then the "
                                     "same again, without and with huge pages",
                                     columns, 4);

    for (uint32_t m = 256; m <= 16384; m *= 4) {
        struct job job = job_of("1f1b", 64, m);
        double ops = job_ops(&job);
        int rounds = bench_rounds(bench, ops * 60);
        char label[80];
        rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
        for (int i = 0; i < rounds; i++) {
            run_twice(&job, NO_ADVICE, &times[0][i], &times[1][i]);
            run_twice(&job, HUGE_PAGES, &times[2][i], &times[3][i]);
        }
        snprintf(label, sizeof label, "P=64 M=%u", (unsigned)m);
        table_row(&table, label,
                  (double[]){bench_median(times[0], rounds), bench_median(times[1], rounds),
                             bench_median(times[2], rounds), bench_median(times[3], rounds)});
    }
}

void bench_core(const struct bench *bench)
{
    compare_all(bench);
    time_families(bench);
    grow_all(bench);
    touch_all(bench);
}
