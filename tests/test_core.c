/* The core from problem to plan and metrics, against numbers worked out by hand or by closed form;
 * and everything it must refuse, or do in too little memory, without harm. */
#include "core/internal.h"
#include "golden.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

struct built {
    struct pg_arena arena, more;
    struct pg_plan plan;
    struct pg_metrics metrics;
};

static struct pg_problem problem_of(const char *name, uint32_t devices, uint32_t micro_batches,
                                    const double *forward, const double *backward)
{
    return (struct pg_problem){
        .family = pg_family_find(name),
        .devices = devices,
        .chunks = 1,
        .micro_batches = micro_batches,
        .forward = {forward, 1},
        .backward = {backward, 1},
        .fused = 1,
    };
}

static void build(struct built *built, const struct pg_problem *problem)
{
    struct pg_fault fault;

    built->arena = golden_arena(pg_plan_size(problem));
    assert_int_equal(pg_plan_build(&built->arena, problem, &built->plan, &fault), PG_OK);
    built->more = golden_arena(pg_metrics_size(built->plan.devices));
    assert_int_equal(pg_plan_judge(&built->plan, &built->more, &built->metrics), PG_OK);
}

static void unbuild(struct built *built)
{
    golden_arena_free(&built->arena);
    golden_arena_free(&built->more);
}

/* A family for what the table has no family for: all forwards slot by slot, then back. */
static void emit_all(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    uint32_t replicas = problem->family->placement == PG_BIDIRECTIONAL ? 2 : 1;
    uint32_t slots = pg_problem_chunks(problem) * replicas;
    uint32_t each = problem->micro_batches / replicas;

    (void)device;
    for (uint32_t slot = 0; slot < slots; slot++)
        for (uint32_t m = 0; m < each; m++)
            put(out, PG_FORWARD, slot, m);
    for (uint32_t slot = slots; slot-- > 0;)
        for (uint32_t m = each; m-- > 0;) {
            put(out, problem->family->splits ? PG_INPUT_GRAD : PG_BACKWARD, slot, m);
            if (problem->family->splits)
                put(out, PG_WEIGHT_GRAD, slot, m);
        }
}

static bool even(const struct pg_problem *problem)
{
    return problem->micro_batches % 2 == 0;
}

static const struct pg_family foreign[] = {
    {.placement = PG_LOOP, .can = even, .emit = emit_all},
    {.placement = PG_V, .splits = true, .can = even, .emit = emit_all},
    {.placement = PG_BIDIRECTIONAL,
     .fixed_chunks = 1,
     .splits = true,
     .can = even,
     .emit = emit_all},
};

/* ---- by hand and by closed form ---- */

static void test_known_values(void **state)
{
    static const struct {
        const char *family;
        uint32_t devices, micro_batches;
        double makespan, floor, bubble, stash;
    } known[] = {
        {"gpipe", 4, 8, 33, 24, 3.0 / 11, 8},
        {"1f1b", 4, 8, 33, 24, 3.0 / 11, 4},
        {"gpipe", 8, 64, 213, 192, 7.0 / 71, 64},
        {"1f1b", 8, 64, 213, 192, 7.0 / 71, 8},
        {"gpipe", 8, 4, 33, 12, 7.0 / 11, 4},
        {"1f1b", 1, 5, 15, 15, 0, 1},
        {"1f1b", 64, 1024, 3261, 3072, 63.0 / 1087, 64},
    };
    const double forward = 1, backward = 2;

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct pg_problem problem = problem_of(known[i].family, known[i].devices,
                                               known[i].micro_batches, &forward, &backward);
        struct built built;
        build(&built, &problem);
        assert_exact(built.plan.makespan, known[i].makespan);
        assert_exact(built.metrics.floor, known[i].floor);
        assert_exact(built.metrics.peak_stash, known[i].stash);
        assert_exact(built.metrics.total_busy_time, known[i].floor * known[i].devices);
        assert_true(fabs(built.metrics.bubble_fraction - known[i].bubble) < 1e-12);
        assert_close(built.metrics.throughput, known[i].micro_batches / known[i].makespan);
        assert_true(fabs(built.metrics.idle_over_ideal - known[i].bubble / (1 - known[i].bubble)) <
                    1e-12);
        bool has_formula = !isnan(built.metrics.formula);
        assert_true(has_formula);
        unbuild(&built);
    }
}

static void check_closed_form(const char *family, uint32_t devices, uint32_t micro_batches,
                              double forward, double backward)
{
    struct pg_problem problem = problem_of(family, devices, micro_batches, &forward, &backward);
    double slots = micro_batches + devices - 1;
    struct built built;

    build(&built, &problem);
    assert_true(fabs(built.plan.makespan / (slots * (forward + backward)) - 1) < 1e-12);
    assert_close(built.metrics.analytical_utilization, micro_batches / slots);
    assert_close(built.metrics.analytical_bubble_fraction, (devices - 1) / slots);
    assert_true(fabs(built.metrics.bubble_fraction - (devices - 1) / slots) < 1e-9);
    assert_true(built.metrics.utilization <= 1 && built.metrics.bubble_fraction >= 0);
    for (uint32_t d = 0; d < devices; d++) {
        uint32_t left = strcmp(family, "gpipe") == 0 ? micro_batches : devices - d;
        assert_exact(built.metrics.stage_peak_stash[d],
                     left < micro_batches ? left : micro_batches);
        assert_exact(built.metrics.device_work[d], (forward + backward) * micro_batches);
    }
    unbuild(&built);
}

static void test_closed_forms(void **state)
{
    (void)state;
    for (uint32_t devices = 1; devices <= 12; devices++)
        for (uint32_t m = 1; m <= 40; m++) {
            check_closed_form("gpipe", devices, m, 1, 2);
            check_closed_form("1f1b", devices, m, 1, 2);
            check_closed_form("gpipe", devices, m, 0.1, 0.7);
            check_closed_form("1f1b", devices, m, 0.7, 0.1);
        }
}

static void test_transfer(void **state)
{
    const double forward = 1, backward = 2;
    struct pg_problem problem = problem_of("gpipe", 2, 1, &forward, &backward);
    struct built built;

    (void)state;
    problem.transfer = 0.5; /* F 0…1, F 1.5…2.5, B 2.5…4.5, B 5…7 */
    build(&built, &problem);
    assert_exact(built.plan.run[1].start[0], 1.5);
    assert_exact(built.plan.run[1].start[1], 2.5);
    assert_exact(built.plan.run[0].start[1], 5);
    assert_exact(built.plan.makespan, 7);
    assert_true((bool)isnan(built.metrics.formula));
    unbuild(&built);

    problem.devices = 4;
    problem.micro_batches = 8;
    build(&built, &problem);
    assert_exact(built.plan.makespan, 36);
    unbuild(&built);
    problem.family = pg_family_find("1f1b");
    build(&built, &problem);
    assert_exact(built.plan.makespan, 41);
    unbuild(&built);

    problem.transfer = 0; /* but one stage is slower: no closed form for this either */
    problem.forward = (struct pg_list){(const double[]){1, 1, 1, 2}, 4};
    build(&built, &problem);
    assert_true((bool)isnan(built.metrics.formula));
    unbuild(&built);
}

/* ---- a problem that cannot be done ---- */

static void refuse_at(const struct pg_problem *problem, uint32_t stage, enum pg_status status,
                      enum pg_field field, double value, double limit)
{
    struct pg_fault fault, expected = golden_fault(status, field, value, limit);
    struct pg_arena arena = golden_arena(1 << 16);
    size_t mark = pg_arena_mark(&arena);
    struct pg_plan plan;

    expected.stage = stage;
    assert_int_equal(pg_problem_check(problem, &fault), status);
    golden_same_fault(&fault, &expected);
    assert_int_equal(pg_plan_size(problem), 0);
    assert_int_equal(pg_plan_build(&arena, problem, &plan, &fault), status);
    golden_same_fault(&fault, &expected);
    assert_int_equal(pg_arena_mark(&arena), mark);
    golden_arena_free(&arena);
}

static void refuse(struct pg_problem problem, enum pg_status status, enum pg_field field,
                   double value, double limit)
{
    refuse_at(&problem, PG_NONE, status, field, value, limit);
}

static void test_refused_counts(void **state)
{
    const double one = 1, two = 2;
    struct pg_problem p = problem_of("gpipe", 4, 8, &one, &two), q = p;

    (void)state;
    q.devices = 0;
    refuse(q, PG_E_ZERO, PG_FIELD_STAGES, 0, 4096);
    q.devices = 4097;
    refuse(q, PG_E_LIMIT, PG_FIELD_STAGES, 4097, 4096);
    q.devices = UINT32_MAX;
    refuse(q, PG_E_LIMIT, PG_FIELD_STAGES, UINT32_MAX, 4096);
    q = p;
    q.micro_batches = 0;
    refuse(q, PG_E_ZERO, PG_FIELD_MICRO_BATCHES, 0, 1e6);
    q.micro_batches = 1000001;
    refuse(q, PG_E_LIMIT, PG_FIELD_MICRO_BATCHES, 1000001, 1e6);
    q.micro_batches = 1000000; /* all right by itself, but not times 4096 */
    q.devices = 4096;
    refuse(q, PG_E_OPS, PG_FIELD_NONE, 8192e6, 16777216);
    q = p;
    q.family = &foreign[1];
    q.chunks = 0;
    refuse(q, PG_E_ZERO, PG_FIELD_CHUNKS, 0, 64);
    q.chunks = 65;
    refuse(q, PG_E_LIMIT, PG_FIELD_CHUNKS, 65, 64);
    q.chunks = 1;
    q.micro_batches = 7;
    refuse(q, PG_E_RULE, PG_FIELD_NONE, 0, 0);
    q.micro_batches = 1000000; /* three operations where a backward is split */
    q.devices = 6;
    refuse(q, PG_E_OPS, PG_FIELD_NONE, 18e6, 16777216);
    q.family = pg_family_find("1f1b");
    assert_int_equal(pg_problem_check(&q, &(struct pg_fault){0}), PG_OK);
}

static void test_refused_costs(void **state)
{
    const double bad[] = {0, -1, NAN, INFINITY, -INFINITY, -0.0}, one = 1, two = 2;
    struct pg_problem p = problem_of("1f1b", 4, 8, &one, &two), q;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double list[4] = {1, 1, bad[i], bad[i]};
        q = p;
        q.forward.v = &bad[i];
        refuse(q, PG_E_COST, PG_FIELD_FORWARD, bad[i], 0);
        q.forward = (struct pg_list){list, 4};
        refuse_at(&q, 2, PG_E_COST, PG_FIELD_FORWARD, bad[i], 0);
        q = p;
        q.backward = (struct pg_list){list, 4};
        refuse_at(&q, 2, PG_E_COST, PG_FIELD_BACKWARD, bad[i], 0);
        q.devices = 1;
        q.backward = (struct pg_list){&bad[i], 1};
        refuse_at(&q, 0, PG_E_COST, PG_FIELD_BACKWARD, bad[i], 0);
        q = p;
        q.family = &foreign[1];
        q.weight = (struct pg_list){list, 4};
        refuse_at(&q, 2, PG_E_COST, PG_FIELD_WEIGHT, bad[i], 0);
        q = p;
        q.fused = bad[i];
        refuse(q, PG_E_NUMBER, PG_FIELD_FUSED, bad[i], 0);
        q = p;
        q.transfer = bad[i];
        if (bad[i] != 0)
            refuse(q, PG_E_NUMBER, PG_FIELD_TRANSFER, bad[i], 0);
    }
}

static void test_refused_lists(void **state)
{
    const double one = 1, two = 2, huge = DBL_MAX / 8, list[8] = {1, 1, 1, 2, 1, 1, 1, 1};
    struct pg_problem p = problem_of("gpipe", 4, 8, &one, &two), q = p;

    (void)state;
    q.forward = (struct pg_list){list, 0};
    refuse(q, PG_E_LENGTH, PG_FIELD_FORWARD, 0, 4);
    q.forward = (struct pg_list){list, 3};
    refuse(q, PG_E_LENGTH, PG_FIELD_FORWARD, 3, 4);
    q = p;
    q.backward = (struct pg_list){list, 8};
    refuse(q, PG_E_LENGTH, PG_FIELD_BACKWARD, 8, 4);
    q.family = &foreign[1];
    q.chunks = 2; /* eight stages: that backward is fine now */
    q.weight = (struct pg_list){list, 4};
    refuse(q, PG_E_LENGTH, PG_FIELD_WEIGHT, 4, 8);
    q.weight = (struct pg_list){list, 8}; /* the first weight that is all of its backward */
    refuse_at(&q, 0, PG_E_SPLIT, PG_FIELD_WEIGHT, 1, 1);
    q.backward = (struct pg_list){&two, 1};
    refuse_at(&q, 3, PG_E_SPLIT, PG_FIELD_WEIGHT, 2, 2);
    q.family = pg_family_find("gpipe"); /* which does not split: weight is not looked at */
    assert_int_equal(pg_problem_check(&q, &(struct pg_fault){0}), PG_OK);
    q = p;
    q.forward.v = &huge;
    refuse(q, PG_E_OVERFLOW, PG_FIELD_NONE, INFINITY, 0);
    q = p;
    q.transfer = DBL_MAX;
    refuse(q, PG_E_OVERFLOW, PG_FIELD_NONE, INFINITY, 0);
}

/* ---- memory ---- */

/* Builds in exactly `size` bytes that begin `skew` after a cache line, guarded on both sides. */
static enum pg_status build_within(const struct pg_problem *problem, size_t size, size_t skew,
                                   double *wanted)
{
    size_t whole = (size + skew + 191) / 64 * 64;
    unsigned char *block = aligned_alloc(64, whole);
    struct pg_fault fault = {0};
    struct pg_arena arena;
    struct pg_plan plan;

    assert_non_null(block);
    memset(block, 0xa5, whole);
    pg_arena_init(&arena, block + 64 + skew, size);
    size_t mark = pg_arena_mark(&arena);
    enum pg_status status = pg_plan_build(&arena, problem, &plan, &fault);
    if (status != PG_OK) {
        assert_int_equal(fault.status, status);
        assert_int_equal(pg_arena_mark(&arena), mark);
    }
    for (size_t i = 0; i < 64 + skew; i++)
        assert_int_equal(block[i], 0xa5);
    for (size_t i = 64 + skew + size; i < whole; i++)
        assert_int_equal(block[i], 0xa5);
    free(block);
    *wanted = fault.value;
    return status;
}

static void test_every_arena_size(void **state)
{
    const double one = 1, two = 2;
    struct pg_problem problem = problem_of("1f1b", 3, 5, &one, &two);
    size_t most = pg_plan_size(&problem);
    double wanted, none;

    (void)state;
    for (size_t skew = 0; skew < 64; skew += 21) {
        bool has_fit = false;
        for (size_t size = 0; size < most + 64; size += 3) {
            enum pg_status status = build_within(&problem, size, skew, &wanted);
            assert_true(status == PG_OK || (status == PG_E_MEMORY && !has_fit && size < most));
            has_fit = status == PG_OK;
            if (has_fit)
                continue;
            assert_true(wanted > 0 && wanted <= (double)most);
            assert_int_equal(build_within(&problem, size + (size_t)wanted, skew, &none), PG_OK);
        }
    }
}

static void test_judge_in_little_memory(void **state)
{
    const double one = 1, two = 2;
    struct pg_problem problem = problem_of("gpipe", 9, 2, &one, &two);
    struct pg_metrics metrics;
    struct built built;

    (void)state;
    build(&built, &problem);
    for (size_t size = 0; size <= pg_metrics_size(built.plan.devices); size++) {
        struct pg_arena arena = golden_arena(size);
        size_t mark = pg_arena_mark(&arena);
        enum pg_status status = pg_plan_judge(&built.plan, &arena, &metrics);
        assert_int_equal(status, size < 2 * 128 ? PG_E_MEMORY : status); /* two times 9 doubles */
        assert_true(status == PG_OK || (status == PG_E_MEMORY && pg_arena_mark(&arena) == mark));
        assert_true(status == PG_OK || size < pg_metrics_size(built.plan.devices));
        golden_arena_free(&arena);
    }
    unbuild(&built);
}

/* ---- families of other shapes ---- */

static void test_size_suffices(void **state)
{
    const double one = 1, two = 2;
    double wanted;

    (void)state;
    for (uint32_t devices = 1; devices <= 9; devices++)
        for (uint32_t m = 2; m <= 18; m += 2)
            for (uint32_t n = 0; n < 15; n++) {
                struct pg_problem problem = problem_of("gpipe", devices, m, &one, &two);
                problem.family = n < 9 ? &foreign[n % 3] : &pg_families(&(uint32_t){0})[n % 2];
                problem.chunks = 1 + n / 3;
                size_t size = pg_plan_size(&problem);
                assert_int_equal(build_within(&problem, size, n * 13, &wanted), PG_OK);
            }
}

/* Bytes of lines that a run has written into a block full of a pattern, for an operation. */
static double bytes_written(const struct pg_problem *problem)
{
    enum { LINE = 64 };
    static const uint64_t pattern = 0xa5a5a5a5a5a5a5a5u;
    size_t size = pg_plan_size(problem) + pg_metrics_size(problem->devices), lines = 0;
    unsigned char *block = malloc(size);
    struct pg_arena arena;
    struct pg_plan plan;
    struct pg_metrics metrics;
    struct pg_fault fault;

    assert_non_null(block);
    memset(block, (int)(pattern & 0xff), size);
    pg_arena_init(&arena, block, size);
    assert_int_equal(pg_plan_build(&arena, problem, &plan, &fault), PG_OK);
    assert_int_equal(pg_plan_judge(&plan, &arena, &metrics), PG_OK);
    for (size_t line = 0; line + LINE <= size; line += LINE) {
        bool is_written = false;
        for (size_t at = line; at < line + LINE && !is_written; at += sizeof pattern)
            is_written = memcmp(block + at, &pattern, sizeof pattern) != 0;
        lines += is_written;
    }
    double each = (double)lines * LINE / (double)plan.ops;
    free(block);
    return each;
}

static void test_bytes_of_an_operation(void **state)
{
    const double one = 1, two = 2;
    uint32_t count;
    const struct pg_family *families = pg_families(&count);

    (void)state;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t odd = 0; odd < 2; odd++) {
            struct pg_problem problem = problem_of(families[i].name, 64, 1024 - odd, &one, &two);
            struct pg_fault fault;
            problem.chunks = 2;
            if (pg_problem_check(&problem, &fault) == PG_OK)
                assert_true(bytes_written(&problem) <= 24);
        }
}

static void check_shape(const struct pg_family *family, const uint32_t *devices)
{
    const double forward[6] = {1, 2, 3, 4, 5, 6}, backward[6] = {2, 4, 6, 8, 10, 12};
    const double weight[6] = {0.5, 1, 1.5, 2, 2.5, 3};
    struct pg_problem problem = problem_of("gpipe", 3, 4, forward, backward);
    struct built built;

    problem.family = family;
    problem.chunks = 2;
    uint32_t stages = pg_problem_stages(&problem);
    problem.forward.n = problem.backward.n = problem.weight.n = stages;
    problem.weight.v = weight;
    build(&built, &problem);
    assert_int_equal(built.plan.replicas * built.plan.stages, 6);
    for (uint32_t cell = 0; cell < 6; cell++) {
        uint32_t device = built.plan.cell_device[cell], stage = cell % stages;
        const double *cost = built.plan.cost + (size_t)cell * PG_KINDS;
        assert_int_equal(device, devices[cell]);
        assert_exact(cost[PG_FORWARD], forward[stage]);
        assert_exact(cost[PG_BACKWARD], backward[stage]);
        assert_exact(cost[PG_INPUT_GRAD], backward[stage] - weight[stage]);
        assert_exact(cost[PG_WEIGHT_GRAD], weight[stage]);
    }
    for (uint32_t slot = 0; slot < 6; slot++) /* ascending on every device */
        assert_int_equal(built.plan.cell_device[built.plan.slot_cell[slot]], slot / 2);
    for (uint32_t slot = 0; slot < 6; slot += 2)
        assert_true(built.plan.slot_cell[slot] < built.plan.slot_cell[slot + 1]);
    struct pg_arena arena = golden_arena(pg_verify_size(&built.plan));
    assert_int_equal(pg_plan_verify(&built.plan, &arena, &(struct pg_fault){0}), PG_OK);
    assert_int_equal(built.plan.ops, (family->splits ? 18u : 12u) * built.plan.micro_each);
    golden_arena_free(&arena);
    unbuild(&built);

    problem.weight.n = 0;
    build(&built, &problem);
    assert_exact(built.plan.cost[PG_KINDS + PG_WEIGHT_GRAD], 2);
    unbuild(&built);
}

static void test_shapes(void **state)
{
    (void)state;
    check_shape(&foreign[0], (const uint32_t[]){0, 1, 2, 0, 1, 2});
    check_shape(&foreign[1], (const uint32_t[]){0, 1, 2, 2, 1, 0});
    check_shape(&foreign[2], (const uint32_t[]){0, 1, 2, 2, 1, 0});
}

/* ---- numbers at the edge ---- */

/* A clock at 10^20 does not notice a second more. */
static void test_costs_below_the_clock(void **state)
{
    const double huge = 1e20, tiny = 1e-3;

    (void)state;
    for (uint32_t devices = 1; devices <= 3; devices++) {
        struct pg_problem problem = problem_of("gpipe", devices, 20, &huge, &tiny);
        struct built built;
        build(&built, &problem);
        assert_exact(built.plan.makespan, (20 + devices - 1) * 1e20);
        assert_exact(built.metrics.total_busy_time, devices * 20 * 1e20);
        unbuild(&built);
    }
}

static void test_magnitudes(void **state)
{
    const double units[] = {1e-300, 1e-12, 1e300, DBL_MAX / 64};

    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const double forward = units[i], backward = 2 * units[i];
        struct pg_problem problem = problem_of("1f1b", 4, 5, &forward, &backward);
        struct built built;
        build(&built, &problem);
        assert_close(built.plan.makespan, 24 * units[i]);
        assert_close(built.metrics.utilization, 5.0 / 8);
        assert_close(built.metrics.bubble_fraction, 3.0 / 8);
        assert_close(built.metrics.idle_over_ideal, 3.0 / 5);
        assert_close(built.metrics.floor, 15 * units[i]);
        unbuild(&built);
    }
}

/* The tiniest work there is against any transfer: every figure is still a number. */
static void test_next_to_nothing(void **state)
{
    const double forward = 5e-324, backward = 1e-323;
    struct pg_problem problem = problem_of("gpipe", 3, 4, &forward, &backward);
    struct built built;

    (void)state;
    problem.transfer = 1e300;
    build(&built, &problem);
    assert_true(built.metrics.bubble_fraction == 1 && isfinite(built.metrics.idle_over_ideal));
    assert_true(isfinite(built.metrics.throughput) && isfinite(built.metrics.span_bubble));
    unbuild(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_transfer),
        cmocka_unit_test(test_next_to_nothing),
        cmocka_unit_test(test_refused_counts),
        cmocka_unit_test(test_refused_costs),
        cmocka_unit_test(test_refused_lists),
        cmocka_unit_test(test_every_arena_size),
        cmocka_unit_test(test_judge_in_little_memory),
        cmocka_unit_test(test_size_suffices),
        cmocka_unit_test(test_bytes_of_an_operation),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_costs_below_the_clock),
        cmocka_unit_test(test_magnitudes),
    };
    return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
