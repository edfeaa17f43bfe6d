/* What other programs computed, read for the tests; and orders that were not made by the core.
 *
 * Two kinds of golden file are known: cases (timelines, metrics, partitions) and orders in the
 * notation `F0.7+B7.3`. Orders become plans without a line of the core's own plan building, so that
 * tests can set its clock, its metrics and its checker to work on something foreign. Mistakes in a
 * file fail the test at once. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "core/pg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Doubles, bit for bit (but +0 and -0 are one), and to a relative 1e-12. */
#define assert_exact(actual, expected) golden_exact(actual, expected, #actual, __FILE__, __LINE__)
#define assert_close(actual, expected) golden_close(actual, expected, #actual, __FILE__, __LINE__)
void golden_exact(double actual, double expected, const char *what, const char *file, int line);
void golden_close(double actual, double expected, const char *what, const char *file, int line);

/* The same numbers on every run and machine. */
struct golden_dice {
    uint64_t state;
};

uint32_t golden_roll(struct golden_dice *dice, uint32_t sides);
/* An arena of exactly that many bytes, so that a sanitizer sees the first byte beyond. */
struct pg_arena golden_arena(size_t size);
void golden_arena_free(struct pg_arena *arena);
/* A plan of a family, all stages alike, in an arena that is to be freed. */
struct pg_arena golden_plan(struct pg_plan *plan, const char *family, uint32_t devices,
                            uint32_t micro_batches, double forward, double backward,
                            double transfer);
/* A fault that names no place; and a test that two are the same in every fact. */
struct pg_fault golden_fault(enum pg_status status, enum pg_field field, double value,
                             double limit);
void golden_same_fault(const struct pg_fault *actual, const struct pg_fault *expected);
bool golden_same_op(const struct pg_op *a, const struct pg_op *b);
/* Must `other` have ended, and its result be there, before `op` can start? */
bool golden_needs(const struct pg_plan *plan, const struct pg_op *op, const struct pg_op *other);

/* ---- cases ---- */

struct golden_numbers {
    double v[64];
    uint32_t n;
};

struct golden_case {
    char name[80], schedule[16];
    bool is_error;
    uint32_t stages, micro_batches, ops, ranges;
    struct golden_numbers forward, backward, layers, stage_peak_stash;
    double makespan, bubble_fraction, utilization, throughput, total_busy_time, peak_stash;
    double analytical_bubble_fraction, analytical_utilization, optimal_max_load;
    struct pg_op op[512];
    struct pg_range range[64];
};

/* A file of the golden directory: $PIPEGANTT_GOLDEN, or ../shared/golden seen from $SRCDIR. NULL
 * when there is no such directory; a test then skips itself. */
FILE *golden_open(const char *name);
/* The next case of a file; false, and the file closed, after the last one. */
bool golden_next(FILE *file, struct golden_case *out);
/* What a case describes, planned by the core, in an arena that is to be freed. */
struct pg_arena golden_plan_case(struct pg_plan *plan, const struct golden_case *golden);

/* ---- orders ---- */

/* A plan with a heap block for every array, each as large as it must be and no larger. */
struct golden_order {
    struct pg_family family;
    struct pg_plan plan;
    uint32_t *cell_device, *slot_cell;
    double *cost;
};

/* An empty order: no cell has a place yet, everything costs 1. */
void golden_order_new(struct golden_order *order, uint32_t devices, uint32_t chunks,
                      uint32_t replicas, uint32_t micro_each);
void golden_order_place(struct golden_order *order, uint32_t device, uint32_t slot, uint32_t cell);
/* Appends to the run of the device that holds the cell; `fused` is 0 or a PG_CODE_FUSED_ flag. */
void golden_order_put(struct golden_order *order, enum pg_kind kind, uint32_t cell,
                      uint32_t micro_batch, uint32_t fused);
/* Costs of every cell: forward, input gradient and weight gradient; a B costs the last two. */
void golden_order_price(struct golden_order *order, double f, double i, double w);
/* An order in the text form of the golden directory, its header line by line and then a run a line:
 * "P: 2", "M: 4", "V: 1", "chains: 0-1", "place 0: 0", …, "rank 0: F0.0 F0.1+B0.0 …". */
void golden_order_read(struct golden_order *order, const char *text);
/* Anything that can run: random shape, placement, kinds, pairs, costs and transfer. */
void golden_order_random(struct golden_order *order, struct golden_dice *dice);
/* Moves an operation some places down the run of its device. It may be that nothing can run then.
 */
void golden_order_shuffle(struct golden_order *order, struct golden_dice *dice);
/* pg_plan_time with a scratch arena that is too large and checked to come back as it was. */
enum pg_status golden_order_time(struct golden_order *order, struct pg_fault *fault);
void golden_order_free(struct golden_order *order);
/* The whole file as text, to be freed; NULL when it is not there. */
char *golden_text(const char *name);

#endif
