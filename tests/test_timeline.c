/* The clock: orders timed by hand, orders without end, and every kind of order at random against a
 * clock so plain that it is right. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>

/* ---- by hand ---- */

/* Costs 1, 1 and 1, so a B takes 2. `stash` is the same on every device. */
static void check_starts(const char *text, double transfer, double fused, const double *starts,
                         double makespan, double busy, double stash)
{
    struct golden_order order;
    struct pg_fault fault;
    struct pg_metrics metrics;

    golden_order_read(&order, text);
    order.plan.transfer = transfer;
    order.plan.fused = fused;
    assert_int_equal(golden_order_time(&order, &fault), PG_OK);
    for (uint32_t d = 0; d < order.plan.devices; d++)
        for (uint32_t i = 0; i < order.plan.run[d].count; i++)
            assert_exact(order.plan.run[d].start[i], *starts++);
    assert_exact(order.plan.makespan, makespan);

    struct pg_arena arena = golden_arena(pg_metrics_size(order.plan.devices));
    assert_int_equal(pg_plan_judge(&order.plan, &arena, &metrics), PG_OK);
    assert_exact(metrics.total_busy_time, busy);
    assert_close(metrics.utilization, busy / (order.plan.devices * makespan));
    assert_true(isnan(metrics.analytical_bubble_fraction));
    for (uint32_t d = 0; d < order.plan.devices; d++)
        assert_exact(metrics.stage_peak_stash[d], stash);
    golden_arena_free(&arena);
    golden_order_free(&order);
}

static void test_orders_by_hand(void **state)
{
    (void)state;
    /* Two chunks a device in a loop. */
    check_starts("P: 2\nM: 2\nV: 2\nchains: 0-3\nplace 0: 0 2\nplace 1: 1 3\n"
                 "rank 0: F0.0 F0.1 F2.0 F2.1 B2.0 B2.1 B0.0 B0.1\n"
                 "rank 1: F1.0 F1.1 F3.0 F3.1 B3.0 B3.1 B1.0 B1.1\n",
                 0, 1, (double[]){0, 1, 2, 3, 7, 9, 11, 13, 1, 2, 3, 4, 5, 7, 9, 11}, 15, 24, 2);
    /* Down and up again: no transfer where the pipeline turns. */
    check_starts("P: 2\nM: 1\nV: 2\nchains: 0-3\nplace 0: 0 3\nplace 1: 1 2\n"
                 "rank 0: F0.0 F3.0 B3.0 B0.0\nrank 1: F1.0 F2.0 B2.0 B1.0\n",
                 1, 1, (double[]){0, 5, 6, 14, 2, 3, 9, 11}, 16, 12, 1);
    /* Two replicas in opposite directions leave no gap. */
    check_starts("P: 2\nM: 2\nV: 2\nchains: 0-1 2-3\nplace 0: 0 3\nplace 1: 1 2\n"
                 "rank 0: F0.0 F3.0 B3.0 B0.0\nrank 1: F2.0 F1.0 B1.0 B2.0\n",
                 0, 1, (double[]){0, 1, 2, 4, 0, 1, 2, 4}, 6, 12, 2);
    /* Only the input gradient is waited for. */
    check_starts("P: 2\nM: 1\nV: 1\nchains: 0-1\nplace 0: 0\nplace 1: 1\n"
                 "rank 0: F0.0 I0.0 W0.0\nrank 1: F1.0 I1.0 W1.0\n",
                 0.25, 1, (double[]){0, 3.5, 4.5, 1.25, 2.25, 3.25}, 5.5, 6, 1);
    /* A fused pair: from when both can start, for half of 3. */
    check_starts("P: 2\nM: 2\nV: 1\nchains: 0-1\nplace 0: 0\nplace 1: 1\n"
                 "rank 0: F0.0 F0.1 B0.0 B0.1\nrank 1: F1.0 F1.1+B1.0 B1.1\n",
                 0, 0.5, (double[]){0, 1, 3.5, 5.5, 1, 2, 2, 3.5}, 7.5, 10.5, 2);
    /* What was stashed is kept until its W. */
    check_starts("P: 1\nM: 2\nV: 1\nchains: 0-0\nplace 0: 0\n"
                 "rank 0: F0.0 I0.0 F0.1 I0.1 W0.0 W0.1\n",
                 0, 1, (double[]){0, 1, 2, 3, 4, 5}, 6, 6, 2);
}

/* ---- orders without end ---- */

static void check_deadlock(const char *text, uint32_t device, uint32_t index, enum pg_kind kind,
                           uint32_t stage, uint32_t micro_batch)
{
    struct golden_order order;
    struct pg_fault fault, expected = golden_fault(PG_E_DEADLOCK, PG_FIELD_NONE, 0, 0);

    expected.device = device;
    expected.index = index;
    expected.kind = (int)kind;
    expected.stage = stage;
    expected.micro_batch = micro_batch;
    golden_order_read(&order, text);
    assert_int_equal(golden_order_time(&order, &fault), PG_E_DEADLOCK);
    golden_same_fault(&fault, &expected);
    golden_order_free(&order);
}

static void test_deadlocks(void **state)
{
    (void)state;
    /* It waits for itself. */
    check_deadlock("P: 1\nM: 1\nV: 1\nchains: 0-0\nplace 0: 0\nrank 0: B0.0 F0.0\n", 0, 0,
                   PG_BACKWARD, 0, 0);
    check_deadlock("P: 1\nM: 1\nV: 1\nchains: 0-0\nplace 0: 0\nrank 0: F0.0 W0.0 I0.0\n", 0, 1,
                   PG_WEIGHT_GRAD, 0, 0);
    check_deadlock("P: 1\nM: 1\nV: 1\nchains: 0-0\nplace 0: 0\nrank 0: F0.0+B0.0\n", 0, 0,
                   PG_FORWARD, 0, 0);
    /* Each waits for the other; stage 0 lies on device 1. */
    check_deadlock("P: 2\nM: 2\nV: 1\nchains: 0-1\nplace 0: 1\nplace 1: 0\n"
                   "rank 0: F1.1 F1.0 B1.1 B1.0\nrank 1: F0.0 B0.0 F0.1 B0.1\n",
                   0, 0, PG_FORWARD, 1, 1);
    /* The second half of a pair is what waits. */
    check_deadlock("P: 2\nM: 2\nV: 1\nchains: 0-1\nplace 0: 0\nplace 1: 1\n"
                   "rank 0: F0.0 F0.1+B0.0 B0.1\nrank 1: F1.0 F1.1 B1.0 B1.1\n",
                   0, 1, PG_FORWARD, 0, 1);
}

/* ---- the plain clock ---- */

struct plain {
    const struct pg_plan *plan;
    double *end; /* [cells][micro_each][PG_KINDS], -1 before */
    uint32_t at[16];
    double now[16];
};

static double *plain_end(const struct plain *plain, uint32_t cell, uint32_t m, uint32_t kind)
{
    return &plain->end[(cell * plain->plan->micro_each + m) * PG_KINDS + kind];
}

static uint32_t cell_at(const struct pg_plan *plan, uint32_t device, uint32_t index)
{
    return plan->slot_cell[device * plan->slots + pg_code_slot(plan->run[device].code[index])];
}

/* Raises `start` to when one needed thing is there; false if it is not done yet. */
static bool wait_until(const struct plain *plain, uint32_t device, uint32_t cell, double end,
                       double *start)
{
    double arrival = end + (plain->plan->cell_device[cell] == device ? 0 : plain->plan->transfer);

    *start = fmax(*start, arrival);
    return end >= 0;
}

static bool plain_can(const struct plain *plain, uint32_t device, uint32_t index, double *start)
{
    pg_code code = plain->plan->run[device].code[index];
    uint32_t cell = cell_at(plain->plan, device, index), m = pg_code_micro(code);
    uint32_t stage = cell % plain->plan->stages;

    switch (pg_code_kind(code)) {
    case PG_FORWARD:
        return stage == 0 || wait_until(plain, device, cell - 1,
                                        *plain_end(plain, cell - 1, m, PG_FORWARD), start);
    case PG_WEIGHT_GRAD:
        return wait_until(plain, device, cell, *plain_end(plain, cell, m, PG_INPUT_GRAD), start);
    default:
        if (stage + 1 < plain->plan->stages &&
            !wait_until(plain, device, cell + 1,
                        fmax(*plain_end(plain, cell + 1, m, PG_BACKWARD),
                             *plain_end(plain, cell + 1, m, PG_INPUT_GRAD)),
                        start))
            return false;
        return wait_until(plain, device, cell, *plain_end(plain, cell, m, PG_FORWARD), start);
    }
}

static double plain_cost(const struct pg_plan *plan, uint32_t device, uint32_t index)
{
    return plan->cost[cell_at(plan, device, index) * PG_KINDS +
                      pg_code_kind(plan->run[device].code[index])];
}

/* Runs the next operation or pair of a device, if it can. */
static bool plain_step(struct plain *plain, uint32_t device, double *starts)
{
    const struct pg_run *run = &plain->plan->run[device];
    uint32_t first = plain->at[device];
    if (first == run->count)
        return false;

    uint32_t last = run->code[first] & PG_CODE_FUSED_FIRST ? first + 1 : first;
    double start = plain->now[device], cost = 0;
    for (uint32_t i = first; i <= last; i++) {
        if (!plain_can(plain, device, i, &start))
            return false;
        cost += plain_cost(plain->plan, device, i);
    }
    plain->now[device] = start + (last > first ? cost * plain->plan->fused : cost);
    plain->at[device] = last + 1;
    for (uint32_t i = first; i <= last; i++) {
        starts[i] = start;
        *plain_end(plain, cell_at(plain->plan, device, i), pg_code_micro(run->code[i]),
                   pg_code_kind(run->code[i])) = plain->now[device];
    }
    return true;
}

/* Times the order both ways and compares; returns whether it came to an end. */
static bool compare_clocks(struct golden_order *order)
{
    const struct pg_plan *plan = &order->plan;
    size_t all = (size_t)plan->replicas * plan->stages * plan->micro_each * PG_KINDS;
    struct plain plain = {.plan = plan, .end = malloc(all * sizeof(double))};
    double *starts = malloc(16 * 1024 * sizeof *starts), makespan = 0;
    struct pg_fault fault;
    bool has_moved = true, is_done = true;

    assert_true(plain.end && starts && plan->devices <= 16);
    for (size_t i = 0; i < all; i++)
        plain.end[i] = -1;
    while (has_moved) {
        has_moved = false;
        for (uint32_t d = 0; d < plan->devices; d++)
            has_moved = plain_step(&plain, d, starts + d * 1024) || has_moved;
    }
    enum pg_status status = golden_order_time(order, &fault);
    for (uint32_t d = 0; d < plan->devices; d++) {
        if (is_done && plain.at[d] < plan->run[d].count) {
            is_done = false;
            assert_int_equal(status, PG_E_DEADLOCK);
            assert_int_equal(fault.device, d);
            assert_int_equal(fault.index, plain.at[d]);
        }
        for (uint32_t i = 0; i < plain.at[d]; i++)
            assert_exact(plan->run[d].start[i], starts[d * 1024 + i]);
        makespan = fmax(makespan, plain.now[d]);
    }
    if (is_done) {
        assert_int_equal(status, PG_OK);
        assert_exact(plan->makespan, makespan);
    }
    free(plain.end);
    free(starts);
    return is_done;
}

static void test_any_order(void **state)
{
    struct golden_dice dice = {20};
    int done = 0, stuck = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        struct golden_order order;
        golden_order_random(&order, &dice);
        assert_true(compare_clocks(&order));
        golden_order_shuffle(&order, &dice);
        *(compare_clocks(&order) ? &done : &stuck) += 1;
        golden_order_free(&order);
    }
    assert_true(done > 100 && stuck > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders_by_hand),
        cmocka_unit_test(test_deadlocks),
        cmocka_unit_test(test_any_order),
    };
    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
