/* What the parts of the benchmark share: a clock, medians, and tables that print as text or CSV.
 *
 * A part measures and prints; it fails on no figure. Figures vary with the machine and with what
 * else runs on it, so each is a median of several runs, and what is to be compared with something
 * else is measured in turn with it. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* What the command line and the environment say. */
struct bench {
    const char *program; /* pipegantt */
    const char *bare;    /* tests/bare, a curses program and nothing more */
    const char *source;  /* the directory that has tests/reference.rs */
    const char *rustc;
    bool is_csv;
    int rounds; /* runs that a median is taken of, for what takes about a millisecond */
};

/* Nanoseconds of a clock that nobody sets. */
double bench_now(void);
/* Nanoseconds that the processor has worked for this thread: what takes longer than a turn of the
 * scheduler says nothing on a busy machine in any other clock. */
double bench_work(void);
/* Sorts the values. NAN of none. */
double bench_median(double *values, int count);
/* Rounds for something that takes so many nanoseconds: fewer for what is long, at least 5. */
int bench_rounds(const struct bench *bench, double nanoseconds);

/* A column of a table: a number with so many decimals. */
struct column {
    const char *name;
    int decimals;
};

/* A table is printed row by row, as figures come. As CSV every figure is a line of its own:
 * table,row,column,value. */
struct bench_table {
    const struct bench *bench;
    const char *name;
    const struct column *columns;
    int count;
};

/* A sentence on a line of its own; left out of CSV. */
void bench_say(const struct bench *bench, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
struct bench_table table_begin(const struct bench *bench, const char *name, const char *title,
                         const struct column *columns, int count);
/* One value per column; NAN where there is none. */
void table_row(const struct bench_table *table, const char *label, const double *values);

/* Somebody who runs the same problem once for every line it is sent. */
struct peer {
    pid_t pid; /* 0: nobody */
    int to;
    FILE *from;
};

/* bench_peer.c. Compiles it unless that was done before; false when that cannot be. */
bool reference_compile(const struct bench *bench);
struct peer peer_start(const char *family, unsigned devices, unsigned micro_batches);
/* Nanoseconds of a run of theirs; NAN when there is no answer. */
double peer_run(struct peer *peer);
void peer_stop(struct peer *peer);

/* bench_core.c: nanoseconds an operation, beside the reference program; growth; memory. */
void bench_core(const struct bench *bench);
/* bench_frame.c: from key to a grid of cells. */
void bench_frame(const struct bench *bench);
/* bench_process.c: a whole process that prints a summary, beside the reference's core alone. */
void bench_process(const struct bench *bench);
/* bench_keys.c: the first frame beside that of a bare curses program; the program in a terminal: bytes and time per key. */
void bench_keys(const struct bench *bench);

#endif
