/* What a plan can be asked: the list of its operations, what runs when, where an operation is, why
 * it starts when it does. Every answer found by bisection is compared with one found by looking at
 * everything. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>

/* ---- all operations, the slow way ---- */

struct all {
    const struct pg_plan *plan;
    struct pg_op *op; /* [ops], device after device */
    uint32_t *index;  /* in the run of its device */
    size_t count;
};

static struct all all_of(const struct pg_plan *plan)
{
    struct all all = {plan, calloc(plan->ops, sizeof *all.op), calloc(plan->ops, sizeof *all.index),
                      0};

    assert_true(all.op && all.index);
    for (uint32_t d = 0; d < plan->devices; d++)
        for (uint32_t i = 0; i < plan->run[d].count; i++) {
            all.index[all.count] = i;
            pg_op_at(plan, d, i, &all.op[all.count++]);
        }
    assert_int_equal(all.count, plan->ops);
    return all;
}

static void all_free(struct all *all)
{
    free(all->op);
    free(all->index);
}

static uint32_t cell_of(const struct pg_plan *plan, const struct pg_op *op)
{
    return op->replica * plan->stages + op->stage;
}

/* ---- the list ---- */

static int by_list_order(const void *left, const void *right)
{
    const struct pg_op *a = left, *b = right;
    const double key[5][2] = {{a->start, b->start},
                              {a->stage, b->stage},
                              {a->kind, b->kind},
                              {a->micro_batch, b->micro_batch},
                              {a->replica, b->replica}};

    for (int i = 0; i < 5; i++)
        if (key[i][0] != key[i][1])
            return key[i][0] < key[i][1] ? -1 : 1;
    return 0;
}

static void check_list(const struct all *all)
{
    struct pg_op *list = calloc(all->count, sizeof *list);
    struct pg_op *scratch = calloc(all->count, sizeof *scratch);

    assert_true(list && scratch);
    pg_plan_list(all->plan, list, scratch);
    for (size_t i = 0; i < all->count; i++)
        scratch[i] = all->op[i];
    qsort(scratch, all->count, sizeof *scratch, by_list_order);
    for (size_t i = 0; i < all->count; i++)
        assert_true(golden_same_op(&list[i], &scratch[i]));
    free(list);
    free(scratch);
}

/* ---- what runs when ---- */

static void check_after(const struct all *all, uint32_t device, double time)
{
    uint32_t expected = all->plan->run[device].count;

    for (size_t n = all->count; n-- > 0;)
        if (all->op[n].device == device && all->op[n].end > time)
            expected = all->index[n];
    assert_int_equal(pg_op_after(all->plan, device, time), expected);
}

static void check_times(const struct all *all, struct golden_dice *dice)
{
    for (uint32_t d = 0; d < all->plan->devices; d++) {
        check_after(all, d, -1);
        check_after(all, d, 0);
        check_after(all, d, all->plan->makespan);
        check_after(all, d, INFINITY);
        for (int i = 0; i < 30; i++) {
            const struct pg_op *op = &all->op[golden_roll(dice, (uint32_t)all->count)];
            check_after(all, d, op->start);
            check_after(all, d, op->end);
            check_after(all, d, (op->start + op->end) / 2);
        }
    }
}

/* ---- where an operation is ---- */

static void check_find(const struct all *all)
{
    const struct pg_plan *plan = all->plan;

    for (size_t n = 0; n < all->count; n++) {
        const struct pg_op *op = &all->op[n];
        uint32_t cell = cell_of(plan, op), device = PG_NONE;
        assert_int_equal(pg_op_find(plan, cell, op->micro_batch, op->kind, &device), all->index[n]);
        assert_int_equal(device, op->device);
        if (op->kind == PG_INPUT_GRAD)
            assert_int_equal(pg_op_find(plan, cell, op->micro_batch, PG_BACKWARD, &device),
                             all->index[n]);
        if (op->kind != PG_BACKWARD)
            continue;
        assert_int_equal(pg_op_find(plan, cell, op->micro_batch, PG_INPUT_GRAD, &device), PG_NONE);
        assert_int_equal(pg_op_find(plan, cell, op->micro_batch, PG_WEIGHT_GRAD, &device), PG_NONE);
        assert_int_equal(pg_op_find(plan, cell, plan->micro_each, PG_FORWARD, &device), PG_NONE);
        assert_int_equal(pg_op_find(plan, cell, PG_NONE, PG_FORWARD, &device), PG_NONE);
    }
}

/* ---- why it starts then ---- */

static double arrival(const struct pg_plan *plan, const struct pg_op *op, const struct pg_op *other)
{
    return op->device == other->device ? other->end : other->end + plan->transfer;
}

/* Latest arrival of what operation n, or the other half of its pair, needs; -1 if nothing. */
static double latest_arrival(const struct all *all, size_t n)
{
    double latest = -1;

    for (size_t half = n > 0 ? n - 1 : 0; half <= n + 1 && half < all->count; half++) {
        const struct pg_op *op = &all->op[half];
        if (half != n && (!op->is_fused || !all->op[n].is_fused || op->start != all->op[n].start ||
                          op->device != all->op[n].device))
            continue;
        for (size_t other = 0; other < all->count; other++)
            if (golden_needs(all->plan, op, &all->op[other]))
                latest = fmax(latest, arrival(all->plan, op, &all->op[other]));
    }
    return latest;
}

static void check_data(const struct all *all, size_t n, const struct pg_why *why)
{
    const struct pg_op *op = &all->op[n];
    double latest = latest_arrival(all, n);
    struct pg_op data;

    assert_int_equal(why->has_data, latest >= 0);
    if (!why->has_data)
        return;
    assert_exact(why->data_arrival, latest);
    pg_op_at(all->plan, why->data_device, why->data_index, &data);
    assert_exact(why->data_end, data.end);
    assert_exact(arrival(all->plan, op, &data), latest);
    if (!op->is_fused)
        assert_true(golden_needs(all->plan, op, &data));
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Half of the same pair? */
static bool is_partner(const struct all *all, size_t a, size_t b)
{
    const struct pg_op *p = &all->op[a], *q = &all->op[b];
    return p->is_fused && q->is_fused && p->device == q->device && p->start == q->start &&
           (a > b ? a - b : b - a) == 1;
}

/* Does more than one thing set the start of n, whose pair begins at `first`? What the device did
 * just before and a need from it are one thing, and so are two needs from one pair. */
static bool has_tie(const struct all *all, size_t n, size_t first)
{
    bool by_device = all->index[first] > 0 && is_close(all->op[first - 1].end, all->op[n].start);
    size_t found[4], count = 0, last = all->op[first].is_fused ? first + 1 : first;

    if (by_device)
        found[count++] = first - 1;
    for (size_t half = first; half <= last; half++)
        for (size_t other = 0; other < all->count; other++) {
            bool is_new = golden_needs(all->plan, &all->op[half], &all->op[other]) &&
                          is_close(arrival(all->plan, &all->op[half], &all->op[other]),
                                   all->op[n].start);
            for (size_t i = 0; i < count && is_new; i++)
                is_new = other != found[i] && !is_partner(all, other, found[i]);
            if (is_new)
                found[count++] = other;
        }
    return count > 1;
}

static void check_why(const struct all *all, size_t n)
{
    const struct pg_op *op = &all->op[n];
    struct pg_why why;
    size_t before = n; /* of the whole pair */

    pg_op_why(all->plan, op->device, all->index[n], &why);
    check_data(all, n, &why);
    if (all->plan->run[op->device].code[all->index[n]] & PG_CODE_FUSED_SECOND)
        before--;
    assert_int_equal(why.has_previous, all->index[before] > 0);
    bool by_device = why.has_previous && all->op[before - 1].end == op->start;
    bool by_data = why.has_data && why.data_arrival == op->start;
    if (why.has_previous)
        assert_exact(why.previous_end, all->op[before - 1].end);
    assert_int_equal(why.bound, by_device ? PG_BOUND_DEVICE
                                : by_data ? PG_BOUND_DATA
                                          : PG_BOUND_ORIGIN);
    if (why.is_tied != has_tie(all, n, before))
        fail_msg("operation %zu: tied %d", n, why.is_tied);
    if (why.is_tied) {
        struct pg_op tied;
        pg_op_at(all->plan, why.tied.device, why.tied.index, &tied);
        assert_true(is_close(arrival(all->plan, op, &tied), op->start));
        assert_true(!by_device || why.tied.device != op->device);
    }
    if (why.bound == PG_BOUND_ORIGIN)
        assert_exact(op->start, 0);
}

/* ---- tests ---- */

static void check_plan(const struct pg_plan *plan, struct golden_dice *dice)
{
    struct all all = all_of(plan);

    check_list(&all);
    check_times(&all, dice);
    check_find(&all);
    for (size_t n = 0; n < all.count; n++)
        check_why(&all, n);
    all_free(&all);
}

static void test_any_order(void **state)
{
    struct golden_dice dice = {99};

    (void)state;
    for (int i = 0; i < 400; i++) {
        struct golden_order order;
        struct pg_fault fault;
        golden_order_random(&order, &dice);
        assert_int_equal(golden_order_time(&order, &fault), PG_OK);
        check_plan(&order.plan, &dice);
        golden_order_free(&order);
    }
}

static void check_family(const char *name, uint32_t devices, uint32_t micro_batches, double forward,
                         double backward, double transfer)
{
    struct golden_dice dice = {5};
    struct pg_plan plan;
    struct pg_arena arena =
        golden_plan(&plan, name, devices, micro_batches, forward, backward, transfer);

    check_plan(&plan, &dice);
    golden_arena_free(&arena);
}

static void test_families(void **state)
{
    (void)state;
    for (uint32_t devices = 1; devices <= 6; devices++)
        for (uint32_t m = 1; m <= 9; m += 2) {
            check_family("gpipe", devices, m, 1, 2, 0);
            check_family("1f1b", devices, m, 1, 2, 0.5);
            check_family("gpipe", devices, m, 0.1, 0.3, 0.7);
            check_family("gpipe", devices, m, 1e20, 1e-3, 0); /* too little to move the clock */
            check_family("1f1b", devices, m, 1e20, 1e-3, 0);
        }
}

static void expect_why(const struct pg_plan *plan, uint32_t device, uint32_t index,
                       struct pg_why expected)
{
    struct pg_why why;

    pg_op_why(plan, device, index, &why);
    assert_int_equal(why.bound, expected.bound);
    assert_int_equal(why.is_tied, expected.is_tied);
    assert_int_equal(why.has_previous, expected.has_previous);
    assert_exact(why.previous_end, expected.previous_end);
    assert_int_equal(why.has_data, expected.has_data);
    assert_int_equal(why.data_device, expected.data_device);
    assert_int_equal(why.data_index, expected.data_index);
    assert_exact(why.data_end, expected.data_end);
    assert_exact(why.data_arrival, expected.data_arrival);
    if (why.is_tied)
        assert_true(why.tied.device == expected.tied.device &&
                    why.tied.index == expected.tied.index);
}

/* F, I and W of 1, B of 2, a transfer of 0.5:
 * device 0: F0 0…1, F1 1…2, B0 6…8, B1 8…10
 * device 1: F0 1.5…2.5, F1+B0 2.5…5.5 (3 in all), I1 5.5…6.5, W1 6.5…7.5 */
static void test_by_hand(void **state)
{
    struct golden_order order;
    struct pg_fault fault;

    (void)state;
    golden_order_read(&order, "P: 2\nM: 2\nV: 1\nchains: 0-1\nplace 0: 0\nplace 1: 1\n"
                              "rank 0: F0.0 F0.1 B0.0 B0.1\n"
                              "rank 1: F1.0 F1.1+B1.0 I1.1 W1.1\n");
    order.plan.transfer = 0.5;
    assert_int_equal(golden_order_time(&order, &fault), PG_OK);
    const struct pg_plan *plan = &order.plan;
    expect_why(plan, 0, 0,
               (struct pg_why){PG_BOUND_ORIGIN, false, false, 0, false, PG_NONE, PG_NONE, 0,
                               0, {0, 0}});
    expect_why(plan, 0, 1,
               (struct pg_why){PG_BOUND_DEVICE, false, true, 1, false, PG_NONE, PG_NONE, 0,
                               0, {0, 0}});
    expect_why(plan, 1, 0,
               (struct pg_why){PG_BOUND_DATA, false, false, 0, true, 0, 0, 1, 1.5, {0, 0}});
    for (uint32_t half = 1; half <= 2; half++) /* F needs 2.5, B its own forward at 2.5 */
        expect_why(plan, 1, half,
                   (struct pg_why){PG_BOUND_DEVICE, true, true, 2.5, true, 0, 1, 2, 2.5, {0, 1}});
    /* What these two need is what their device did just before: no tie. */
    expect_why(plan, 1, 3,
               (struct pg_why){PG_BOUND_DEVICE, false, true, 5.5, true, 1, 1, 5.5, 5.5, {0, 0}});
    expect_why(plan, 1, 4,
               (struct pg_why){PG_BOUND_DEVICE, false, true, 6.5, true, 1, 3, 6.5, 6.5, {0, 0}});
    expect_why(plan, 0, 2,
               (struct pg_why){PG_BOUND_DATA, false, true, 2, true, 1, 2, 5.5, 6, {0, 0}});
    expect_why(plan, 0, 3,
               (struct pg_why){PG_BOUND_DEVICE, false, true, 8, true, 1, 3, 6.5, 7, {0, 0}});
    golden_order_free(&order);
}

/* Asking of every operation of a long run: done in no time, or in minutes if each walked the run.
 */
static void test_long_run(void **state)
{
    struct pg_plan plan;
    struct pg_arena arena = golden_plan(&plan, "1f1b", 2, 100000, 1, 2, 0);
    struct pg_why why;

    (void)state;
    for (uint32_t i = 1; i < plan.run[1].count; i++) {
        pg_op_why(&plan, 1, i, &why);
        assert_int_equal(why.bound, PG_BOUND_DEVICE);
        assert_true(why.has_data);
    }
    golden_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_long_run),
    };
    return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
