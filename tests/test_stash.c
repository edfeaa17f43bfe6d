/* What devices keep at any time, and the moments at which something changes: against a slow count
 * that looks at every operation, against the peaks of the metrics, and against closed forms. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the slow way ---- */

/* When operation `i` of a run changes what is kept: a forward when it starts, all else when it
 * ends; in a pair whose forward stands second both when the pair starts. */
static double changes_at(const struct pg_plan *plan, uint32_t device, uint32_t i)
{
    const struct pg_run *run = &plan->run[device];
    struct pg_op op;

    pg_op_at(plan, device, i, &op);
    bool is_first = run->code[i] & PG_CODE_FUSED_FIRST;
    if (op.kind == PG_FORWARD || (is_first && pg_code_kind(run->code[i + 1]) == PG_FORWARD))
        return op.start;
    return op.end;
}

static double share_of(const struct pg_plan *plan, const struct pg_op *op, bool is_late)
{
    size_t cell = (size_t)op->replica * plan->stages + op->stage;
    return plan->stash == NULL ? 1 : plan->stash[2 * cell + is_late];
}

/* What a device keeps at a time, over all its operations. */
static double kept(const struct pg_plan *plan, uint32_t device, double time)
{
    double sum = 0;

    for (uint32_t i = 0; i < plan->run[device].count; i++) {
        struct pg_op op;
        pg_op_at(plan, device, i, &op);
        if (changes_at(plan, device, i) > time)
            continue;
        double whole = share_of(plan, &op, false), late = share_of(plan, &op, true);
        if (op.kind == PG_FORWARD)
            sum += whole;
        else if (op.kind == PG_BACKWARD)
            sum -= whole;
        else if (op.kind == PG_INPUT_GRAD)
            sum -= whole - late;
        else
            sum -= late;
    }
    return plan->stash == NULL ? sum / plan->chunks : sum;
}

static double most_kept(const struct pg_plan *plan, uint32_t device, double from, double to)
{
    double most = kept(plan, device, from);

    for (uint32_t i = 0; i < plan->run[device].count; i++) {
        double at = changes_at(plan, device, i);
        if (at > from && at < to)
            most = fmax(most, kept(plan, device, at));
    }
    return most;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All starts and ends, sorted; to be freed. */
static double *all_events(const struct pg_plan *plan, size_t *count)
{
    double *events = malloc((size_t)plan->ops * 2 * sizeof *events);

    assert_non_null(events);
    *count = 0;
    for (uint32_t d = 0; d < plan->devices; d++)
        for (uint32_t i = 0; i < plan->run[d].count; i++) {
            struct pg_op op;
            pg_op_at(plan, d, i, &op);
            events[(*count)++] = op.start;
            events[(*count)++] = op.end;
        }
    qsort(events, *count, sizeof *events, by_value);
    return events;
}

/* ---- help ---- */

static struct pg_arena stash_of(const struct pg_plan *plan, struct pg_stash *stash)
{
    struct pg_arena arena = golden_arena(pg_stash_size(plan));

    assert_int_equal(pg_stash_build(&arena, plan, stash), PG_OK);
    return arena;
}

/* Never lets more than what is kept go with the input gradient, so that levels rise at forwards. */
static bool is_falling(const struct pg_plan *plan)
{
    for (size_t c = 0; plan->stash != NULL && c < (size_t)plan->replicas * plan->stages; c++)
        if (plan->stash[2 * c + 1] > plan->stash[2 * c])
            return false;
    return true;
}

static void check_times(const struct pg_plan *plan, const struct pg_stash *stash,
                        struct golden_dice *dice)
{
    double slack = 1e-9 * fmax(1, stash->largest);

    for (int n = 0; n < 40; n++) {
        uint32_t d = golden_roll(dice, plan->devices), i = golden_roll(dice, plan->run[d].count);
        double a = plan->makespan * (golden_roll(dice, 1201) / 1000.0 - 0.1);
        double b = plan->makespan * (golden_roll(dice, 1201) / 1000.0 - 0.1);
        if (n % 3 == 0) /* at the very moments of change too */
            a = n % 2 == 0 ? plan->run[d].start[i] : pg_op_end(plan, d, i);
        if (n % 4 == 0)
            b = changes_at(plan, d, golden_roll(dice, plan->run[d].count));
        assert_true(fabs(pg_stash_at(stash, d, a) - kept(plan, d, a)) <= slack);
        if (a < b && is_falling(plan))
            assert_true(fabs(pg_stash_most(stash, d, a, b) - most_kept(plan, d, a, b)) <= slack);
    }
}

static void check_peaks(const struct pg_plan *plan, const struct pg_stash *stash)
{
    struct pg_arena arena = golden_arena(pg_metrics_size(plan->devices));
    struct pg_metrics metrics;

    assert_int_equal(pg_plan_judge(plan, &arena, &metrics), PG_OK);
    for (uint32_t d = 0; d < plan->devices; d++) {
        const struct pg_stash_peak *peak = &stash->peak[d];
        assert_exact(peak->value, metrics.device_memory[d]);
        if (plan->stash == NULL)
            assert_exact(peak->value, metrics.stage_peak_stash[d]);
        assert_exact(pg_stash_most(stash, d, -1, plan->makespan + 1), peak->value);
        if (!is_falling(plan))
            continue;
        assert_exact(pg_stash_at(stash, d, peak->start), peak->value);
        assert_true(peak->start == 0 || pg_stash_most(stash, d, 0, peak->start) < peak->value);
        assert_true(peak->end > peak->start);
        assert_exact(pg_stash_most(stash, d, peak->start, peak->end), peak->value);
    }
    assert_exact(stash->largest, metrics.peak_memory);
    golden_arena_free(&arena);
}

/* Forwards through all events and backwards again: each is met once, and none is left out. */
static void check_events(const struct pg_plan *plan)
{
    size_t count;
    int met = 0;
    double *events = all_events(plan, &count), near = plan->makespan * 1e-10, time = -1;
    double first = 0, last = 0;

    for (size_t i = 0; i < count;) {
        first = events[i];
        while (i < count && events[i] - first <= near)
            last = events[i++];
        double next = pg_event_after(plan, time);
        assert_true(next >= first && next <= last);
        assert_exact(pg_event_at(plan, next), next);
        assert_exact(pg_event_at(plan, next + near), next);
        time = next;
        met++;
    }
    assert_true(!isfinite(pg_event_after(plan, time)));
    for (; isfinite(time); met--)
        time = pg_event_before(plan, time);
    assert_int_equal(met, 0);
    free(events);
}

static void check_plan(const struct pg_plan *plan, struct golden_dice *dice)
{
    struct pg_stash stash;
    struct pg_arena arena = stash_of(plan, &stash);

    check_peaks(plan, &stash);
    check_times(plan, &stash, dice);
    check_events(plan);
    golden_arena_free(&arena);
}

/* ---- tests ---- */

/* Less where a virtual machine runs us fifty times slower. */
static uint32_t size_of(uint32_t many)
{
    const char *preload = getenv("LD_PRELOAD");
    return preload != NULL && strstr(preload, "vgpreload") != NULL ? many / 10 : many;
}

/* Every family, with and without weights, at sizes below and above a block and a block of
 * blocks. */
static void test_families(void **state)
{
    const uint32_t sizes[][2] = {{1, 1}, {2, 2}, {4, 8}, {4, 12}, {6, 36}, {2, size_of(300)}};
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    struct golden_dice dice = {7};

    (void)state;
    for (uint32_t n = 0; n < count * 6 * 3; n++) {
        double forward[64], backward[64], weight[64], whole[64], late[64];
        struct pg_problem problem = {.family = &families[n / 18],
                                     .devices = sizes[n / 3 % 6][0],
                                     .micro_batches = sizes[n / 3 % 6][1],
                                     .chunks = 2,
                                     .fused = n % 3 == 1 ? 0.8 : 1,
                                     .transfer = n % 3 == 0 ? 0 : 0.3};
        uint32_t stages = pg_problem_stages(&problem);
        for (uint32_t s = 0; s < stages; s++) {
            forward[s] = n % 3 == 0 ? 1 : (1 + golden_roll(&dice, 50)) / 10.0;
            backward[s] = n % 3 == 0 ? 2 : (2 + golden_roll(&dice, 90)) / 10.0;
            weight[s] = backward[s] * (n % 3 == 0 ? 0.5 : 0.3);
            whole[s] = 1 + golden_roll(&dice, 30) / 7.0;
            late[s] = whole[s] * (n % 3 == 1 ? 0.4 : 1.3);
        }
        problem.forward = (struct pg_list){forward, stages};
        problem.backward = (struct pg_list){backward, stages};
        problem.weight = (struct pg_list){weight, stages};
        if (n % 3 > 0)
            problem.activation = (struct pg_list){whole, stages};
        if (n % 3 > 0)
            problem.weight_activation = (struct pg_list){late, stages};
        struct pg_fault fault;
        if (pg_problem_check(&problem, &fault) != PG_OK)
            continue;
        struct pg_arena arena = golden_arena(pg_plan_size(&problem));
        struct pg_plan plan;
        assert_int_equal(pg_plan_build(&arena, &problem, &plan, &fault), PG_OK);
        check_plan(&plan, &dice);
        golden_arena_free(&arena);
    }
}

/* Orders that no family makes, pairs of anything with anything included. */
static void test_any_order(void **state)
{
    struct golden_dice dice = {11};

    (void)state;
    for (int n = 0; n < (int)size_of(300); n++) {
        struct golden_order order;
        struct pg_fault fault;
        golden_order_random(&order, &dice);
        assert_int_equal(golden_order_time(&order, &fault), PG_OK);
        check_plan(&order.plan, &dice);
        golden_order_free(&order);
    }
}

/* 1F1B keeps min(P-r, M) micro-batches on stage r, for the first time when forward number
 * min(P-r, M) starts: with F 1 that is at r + min(P-r, M) - 1 as long as none has to wait. */
static void test_closed_forms(void **state)
{
    (void)state;
    for (uint32_t p = 1; p <= 6; p++)
        for (uint32_t m = 1; m <= 9; m++) {
            struct pg_plan plan;
            struct pg_stash stash;
            struct pg_arena arena = golden_plan(&plan, "1f1b", p, m, 1, 2, 0);
            struct pg_arena more = stash_of(&plan, &stash);
            for (uint32_t r = 0; r < p; r++) {
                uint32_t peak = p - r < m ? p - r : m;
                assert_exact(stash.peak[r].value, peak);
                assert_exact(stash.peak[r].start, r + peak - 1);
                assert_exact(pg_stash_at(&stash, r, r), 1);
                assert_exact(pg_stash_at(&stash, r, plan.makespan), 0);
            }
            golden_arena_free(&more);
            golden_arena_free(&arena);
            arena = golden_plan(&plan, "gpipe", p, m, 1, 2, 0);
            more = stash_of(&plan, &stash);
            for (uint32_t r = 0; r < p; r++) {
                assert_exact(stash.peak[r].value, m);
                /* All in at r + M - 1; the first one goes when the last stages have let it go. */
                assert_exact(stash.peak[r].start, r + m - 1);
                assert_exact(pg_stash_at(&stash, r, m + p - 1 + 2 * (p - 1 - r)), m);
                assert_exact(pg_stash_at(&stash, r, m + p - 1 + 2 * (p - r)), m - 1);
            }
            golden_arena_free(&more);
            golden_arena_free(&arena);
        }
}

/* GPipe P 2 M 2, F 1, B 2: F at 0 1 and 1 2, B at 3 5 and 5 7. */
static void test_by_hand(void **state)
{
    static const double events[] = {0, 1, 2, 3, 5, 7, 9};
    static const double levels[][2] = {{1, 0}, {2, 1}, {2, 2}, {2, 2}, {2, 1}, {1, 0}, {0, 0}};
    struct pg_plan plan;
    struct pg_stash stash;
    struct pg_arena arena = golden_plan(&plan, "gpipe", 2, 2, 1, 2, 0);
    struct pg_arena more = stash_of(&plan, &stash);
    double time = -1;

    (void)state;
    for (size_t i = 0; i < 7; i++) {
        time = pg_event_after(&plan, time);
        assert_exact(time, events[i]);
        assert_exact(pg_stash_at(&stash, 0, time), levels[i][0]);
        assert_exact(pg_stash_at(&stash, 1, time), levels[i][1]);
    }
    assert_exact(pg_event_before(&plan, 9), 7);
    assert_exact(pg_event_before(&plan, 4), 3);
    assert_exact(pg_event_at(&plan, 4), 3);
    assert_true(!isfinite(pg_event_before(&plan, 0)));
    assert_true(!isfinite(pg_event_after(&plan, 9)));
    golden_arena_free(&more);
    golden_arena_free(&arena);
}

/* The peaks that another program computed. */
static void check_golden(const struct golden_case *golden)
{
    struct pg_plan plan;
    struct pg_arena arena = golden_plan_case(&plan, golden);
    struct pg_stash stash;

    struct pg_arena more = stash_of(&plan, &stash);
    for (uint32_t s = 0; s < golden->stages; s++)
        assert_exact(stash.peak[s].value, golden->stage_peak_stash.v[s]);
    assert_exact(stash.largest, golden->peak_stash);
    golden_arena_free(&more);
    golden_arena_free(&arena);
}

static void test_golden(void **state)
{
    FILE *file = golden_open("seed/metrics.txt");
    struct golden_case *golden = malloc(sizeof *golden);
    unsigned cases = 0;

    (void)state;
    assert_non_null(golden);
    while (file != NULL && golden_next(file, golden))
        if (!golden->is_error && golden->stage_peak_stash.n > 0) {
            check_golden(golden);
            cases++;
        }
    free(golden);
    if (cases == 0)
        skip();
}

/* Too little memory is refused and leaves the arena as it was. */
static void test_memory(void **state)
{
    struct pg_plan plan;
    struct pg_stash stash;
    struct pg_arena arena = golden_plan(&plan, "1f1b", 4, 40, 1, 2, 0);
    size_t size = pg_stash_size(&plan);

    (void)state;
    for (size_t less = 64; less < size; less += 64) {
        struct pg_arena small = golden_arena(size - less);
        size_t mark = pg_arena_mark(&small);
        enum pg_status status = pg_stash_build(&small, &plan, &stash);
        assert_true(status == PG_OK || (status == PG_E_MEMORY && pg_arena_mark(&small) == mark));
        assert_true(status == PG_E_MEMORY || less <= 5 * 64);
        golden_arena_free(&small);
    }
    golden_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families), cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_golden), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
