/* Orders that other schedulers ran, and what they come to: the `peers` part of the golden
 * directory.
 *
 * A file of an order becomes a `peers_order`, plain lists in the file's own notation; that can be
 * compared with a plan, or made into a plan without a line of the core's plan building. The table
 * of makespans and stashes is read row by row. Mistakes in a file fail the test at once. */
#ifndef TESTS_PEERS_H
#define TESTS_PEERS_H

#include "core/pg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define PEERS_MAX_DEVICES 16

/* An operation as the file has it. Cells count on through the replicas, as in the core. */
struct peers_op {
    enum pg_kind kind;
    uint32_t cell, micro_batch;
    uint32_t fused; /* 0, PG_CODE_FUSED_FIRST or PG_CODE_FUSED_SECOND */
};

struct peers_run {
    struct peers_op *op;
    uint32_t count;
};

struct peers_order {
    uint32_t devices, micro_batches, replicas;
    uint32_t stages; /* of one replica */
    uint32_t slots;  /* of a device, over all replicas */
    uint32_t group;  /* 0: not said */
    uint32_t *cell;  /* [devices*slots] */
    struct peers_run *run;
};

void peers_parse(struct peers_order *order, const char *text);
/* The order of that name ("megatron/1F1B_P2_M4_V1"); false when there is no such file. */
bool peers_read(struct peers_order *order, const char *name);
void peers_free(struct peers_order *order);

/* A plan with a heap block for every array. Stash: a chunk weighs 1 until its B or I. */
struct peers_plan {
    struct pg_family family;
    struct pg_plan plan;
    double *cost, *stash;
    uint32_t *cell_device;
};

/* Room for `micro_each` micro-batches, which may be more or less than the order names. */
void peers_plan_new(struct peers_plan *made, const struct peers_order *order, uint32_t micro_each);
/* Is every micro-batch one that the plan has room for? The clock relies on it. */
bool peers_plan_is_within(const struct peers_plan *made);
void peers_plan_free(struct peers_plan *made);
/* pg_plan_time with room enough. */
enum pg_status peers_time(struct pg_plan *plan, struct pg_fault *fault);
/* pg_plan_verify with room enough. */
enum pg_status peers_verify(const struct pg_plan *plan, struct pg_fault *fault);

/* Forward, input gradient, weight gradient, transfer; and what a pair costs, 0: their sum. */
struct peers_costs {
    double f, b, w, transfer, pair;
};

#define PEERS_COSTS 5
extern const struct peers_costs peers_costs[PEERS_COSTS];

/* A row of the table. Stashes are in chunks. */
struct peers_row {
    char name[128];    /* "sail/group_interleaved_P2_M4_V2_G1" */
    char schedule[64]; /* "sail/group_interleaved" */
    uint32_t devices, micro_batches, per_device, group;
    double makespan[PEERS_COSTS]; /* NAN: no such number */
    double peak;
    double until_w[PEERS_MAX_DEVICES]; /* held until B or W, */
    double until_i[PEERS_MAX_DEVICES]; /* and until B or I */
};

/* NULL when there is no golden directory: $PIPEGANTT_GOLDEN, or ../shared/golden from $SRCDIR. */
FILE *peers_open(const char *name);
/* The next row; false, and the file closed, after the last one. */
bool peers_next(FILE *table, struct peers_row *row);

#endif
