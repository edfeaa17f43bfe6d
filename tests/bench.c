/* bench - how long the core, a frame and a key take, and how many bytes a key sends.
 *
 *     bench [--format=csv] [--rounds=N] [core] [process] [frame] [keys]
 *
 * No name means all four. The environment names what is measured: PIPEGANTT is the program
 * (./pipegantt), BARE the bare one (tests/bare), SRCDIR the source directory (.), RUSTC the Rust compiler (rustc). Only figures are
 * printed, nothing is judged: the exit status is 0 unless the command line is wrong. */
#include "bench.h"

#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LABEL_COLUMNS 32
#define VALUE_COLUMNS 11

/* ---- time ---- */

double bench_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double bench_work(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double bench_median(double *values, int count)
{
    if (count < 1)
        return NAN;
    qsort(values, (size_t)count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

int bench_rounds(const struct bench *bench, double nanoseconds)
{
    double rounds = bench->rounds * 1e6 / fmax(nanoseconds, 1e6);
    return rounds < 5 ? 5 : (int)rounds;
}

/* ---- tables ---- */

void bench_say(const struct bench *bench, const char *format, ...)
{
    va_list arguments;

    if (bench->is_csv)
        return;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

struct bench_table table_begin(const struct bench *bench, const char *name, const char *title,
                         const struct column *columns, int count)
{
    struct bench_table table = {bench, name, columns, count};

    if (bench->is_csv)
        return table;
    printf("\n%s\n%-*s", title, LABEL_COLUMNS, "");
    for (int i = 0; i < count; i++)
        printf(" %*s", VALUE_COLUMNS, columns[i].name);
    putchar('\n');
    fflush(stdout);
    return table;
}

void table_row(const struct bench_table *table, const char *label, const double *values)
{
    if (!table->bench->is_csv)
        printf("%-*s", LABEL_COLUMNS, label);
    for (int i = 0; i < table->count; i++) {
        const struct column *column = &table->columns[i];
        bool is_given = !isnan(values[i]);
        if (!table->bench->is_csv && !is_given)
            printf(" %*s", VALUE_COLUMNS, "-");
        else if (!table->bench->is_csv)
            printf(" %*.*f", VALUE_COLUMNS, column->decimals, values[i]);
        else if (is_given)
            printf("%s,\"%s\",\"%s\",%.*f\n", table->name, label, column->name, column->decimals,
                   values[i]);
    }
    if (!table->bench->is_csv)
        putchar('\n');
    fflush(stdout);
}

/* ---- the program ---- */

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : otherwise;
}

static const struct part {
    const char *name;
    void (*run)(const struct bench *bench);
} parts[] = {
    {"core", bench_core},
    {"process", bench_process},
    {"frame", bench_frame},
    {"keys", bench_keys},
};

enum { PART_COUNT = sizeof parts / sizeof parts[0] };

static int part_find(const char *name)
{
    for (int i = 0; i < PART_COUNT; i++)
        if (strcmp(parts[i].name, name) == 0)
            return i;
    return -1;
}

/* False when the command line is wrong. */
static bool take_arguments(struct bench *bench, bool *is_wanted, int argc, char **argv)
{
    static const struct option options[] = {
        {"format", required_argument, NULL, 'f'},
        {"rounds", required_argument, NULL, 'r'},
        {NULL, 0, NULL, 0},
    };
    bool is_any = false;

    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'f' && (strcmp(optarg, "csv") == 0 || strcmp(optarg, "text") == 0))
            bench->is_csv = optarg[0] == 'c';
        else if (option == 'r' && strtol(optarg, NULL, 10) > 0 && strlen(optarg) < 7)
            bench->rounds = (int)strtol(optarg, NULL, 10);
        else
            return false;
    }
    for (int i = optind; i < argc; i++) {
        int part = part_find(argv[i]);
        if (part < 0)
            return false;
        is_wanted[part] = is_any = true;
    }
    for (int i = 0; i < PART_COUNT; i++)
        is_wanted[i] = is_wanted[i] || !is_any;
    return true;
}

static void say_how_built(const struct bench *bench)
{
#ifdef __OPTIMIZE__
    const char *how = "optimised";
#else
    const char *how = "NOT OPTIMISED: times say little";
#endif
    bench_say(bench, "Medians of runs that alternate with what they are compared with. How to read "
                     "this: assets/doc/benchmarks.md.");
    bench_say(bench, "Compiler: %s, %s.", __VERSION__, how);
}

int main(int argc, char **argv)
{
    struct bench bench = {
        .program = setting("PIPEGANTT", "./pipegantt"),
        .bare = setting("BARE", "tests/bare"),
        .source = setting("SRCDIR", "."),
        .rustc = setting("RUSTC", "rustc"),
        .rounds = 101,
    };
    bool is_wanted[PART_COUNT] = {false};

    if (!take_arguments(&bench, is_wanted, argc, argv)) {
        fputs("usage: bench [--format=csv] [--rounds=N] [core] [process] [frame] [keys]\n", stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN); /* a child that died is told from what it does not answer */
    if (bench.is_csv)
        puts("table,row,column,value");
    say_how_built(&bench);
    for (int i = 0; i < PART_COUNT; i++)
        if (is_wanted[i])
            parts[i].run(&bench);
    return 0;
}
