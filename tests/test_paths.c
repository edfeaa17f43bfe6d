/* What a makespan consists of: slack, the critical path, where idle time comes from, the chain
 * behind a gap. The judge is a clock of the test's own that knows nothing but orders and needs, and
 * in which every single operation can be given a longer duration. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>

/* ---- a clock for single durations ---- */

struct model {
    const struct pg_plan *plan;
    struct pg_op *op;            /* [count], device after device */
    size_t *first_of;            /* [devices] */
    size_t (*needs)[3];          /* [count]: up to three others, SIZE_MAX where fewer */
    double *duration, *start;    /* [count]; of a fused pair the duration of both */
    size_t count;
};

static struct model model_of(const struct pg_plan *plan)
{
    struct model model = {.plan = plan};
    size_t n = (size_t)plan->ops;

    model.op = calloc(n, sizeof *model.op);
    model.first_of = calloc(plan->devices + 1, sizeof *model.first_of);
    model.needs = calloc(n, sizeof *model.needs);
    model.duration = calloc(n, sizeof *model.duration);
    model.start = calloc(n, sizeof *model.start);
    assert_true(model.op && model.first_of && model.needs && model.duration && model.start);
    for (uint32_t d = 0; d < plan->devices; d++) {
        model.first_of[d] = model.count;
        for (uint32_t i = 0; i < plan->run[d].count; i++)
            pg_op_at(plan, d, i, &model.op[model.count++]);
    }
    model.first_of[plan->devices] = model.count;
    for (size_t a = 0; a < n; a++) {
        int found = 0;
        const struct pg_op *op = &model.op[a];
        const double *cost =
            plan->cost + (size_t)(op->replica * plan->stages + op->stage) * PG_KINDS;
        model.needs[a][0] = model.needs[a][1] = model.needs[a][2] = SIZE_MAX;
        model.duration[a] = cost[op->kind];
        for (size_t b = 0; b < n; b++)
            if (golden_needs(plan, op, &model.op[b]))
                model.needs[a][found++] = b;
    }
    for (size_t a = 0; a + 1 < n; a++)
        if (model.op[a].is_fused) {
            double both = (model.duration[a] + model.duration[a + 1]) * plan->fused;
            model.duration[a] = model.duration[a + 1] = both;
            a++;
        }
    return model;
}

static void model_free(struct model *model)
{
    free(model->op);
    free(model->first_of);
    free(model->needs);
    free(model->duration);
    free(model->start);
}

static double earliest(const struct model *model, size_t a, double transfer)
{
    double start = 0;

    for (int i = 0; i < 3 && model->needs[a][i] != SIZE_MAX; i++) {
        size_t b = model->needs[a][i];
        double end = model->start[b] + model->duration[b];
        start = fmax(start, model->op[a].device == model->op[b].device ? end : end + transfer);
    }
    return start;
}

/* Passes over everything until nothing moves any more. */
static double run_clock(struct model *model, double transfer)
{
    bool is_moving = true;
    double makespan = 0;

    for (size_t a = 0; a < model->count; a++)
        model->start[a] = 0;
    while (is_moving) {
        is_moving = false;
        for (uint32_t d = 0; d < model->plan->devices; d++) {
            double free_at = 0;
            for (size_t a = model->first_of[d]; a < model->first_of[d + 1]; a++) {
                double start = fmax(free_at, earliest(model, a, transfer));
                size_t halves = model->op[a].is_fused ? 2 : 1;
                if (halves == 2)
                    start = fmax(start, earliest(model, a + 1, transfer));
                is_moving = is_moving || start != model->start[a];
                model->start[a] = start;
                if (halves == 2)
                    model->start[a + 1] = start;
                free_at = start + model->duration[a];
                makespan = fmax(makespan, free_at);
                a += halves - 1;
            }
        }
    }
    return makespan;
}

static double with_longer(struct model *model, size_t a, double by)
{
    size_t other = a;

    if (model->op[a].is_fused)
        other = model->plan->run[model->op[a].device].code[a - model->first_of[model->op[a].device]] &
                        PG_CODE_FUSED_FIRST ? a + 1 : a - 1;
    double was = model->duration[a];
    model->duration[a] = model->duration[other] = was + by;
    double makespan = run_clock(model, model->plan->transfer);
    model->duration[a] = model->duration[other] = was;
    return makespan;
}

/* ---- the checks ---- */

#define assert_near(a, b) \
    do { \
        if (!(fabs((a) - (b)) <= 1e-9 * (1 + fabs(b)))) \
            fail_msg("%s is %.17g, not %.17g", #a, (double)(a), (double)(b)); \
    } while (0)

static void check_slack(struct model *model)
{
    const struct pg_plan *plan = model->plan;
    struct pg_arena arena = golden_arena(pg_latest_size(plan));
    const double **latest;
    struct pg_fault fault;
    double unit = plan->makespan / 1000;

    assert_int_equal(pg_plan_latest(plan, &arena, &latest, &fault), PG_OK);
    for (size_t a = 0; a < model->count; a++) {
        uint32_t device = model->op[a].device, index = (uint32_t)(a - model->first_of[device]);
        double slack = pg_op_slack(plan, latest, device, index);
        assert_true(slack >= 0);
        assert_near(with_longer(model, a, slack * 0.999), plan->makespan);
        assert_near(with_longer(model, a, slack + unit), plan->makespan + unit);
    }
    golden_arena_free(&arena);
}

static void check_path(struct model *model)
{
    const struct pg_plan *plan = model->plan;
    struct pg_arena arena = golden_arena(pg_path_size(plan));
    struct pg_path path;
    struct pg_fault fault;
    double at = 0, by_stage = 0, by_kind = 0, unit = plan->makespan / 64;

    assert_int_equal(pg_plan_path(plan, &arena, &path, &fault), PG_OK);
    for (uint64_t i = 0; i < path.count; i++) {
        struct pg_op op;
        pg_op_at(plan, path.at[i].device, path.at[i].index, &op);
        if (i > 0 && path.at[i].device != path.at[i - 1].device)
            at += plan->transfer;
        assert_near(op.start, at);
        at = op.end;
        size_t a = model->first_of[path.at[i].device] + path.at[i].index;
        assert_near(with_longer(model, a, unit), plan->makespan + unit);
    }
    assert_near(at, plan->makespan);
    assert_near(path.work + path.transfer, plan->makespan);
    assert_near(path.transfer, (double)path.transfers * plan->transfer);
    for (uint32_t s = 0; s < plan->stages; s++)
        by_stage += path.stage_work[s];
    for (int k = 0; k < PG_KINDS; k++)
        by_kind += path.kind_work[k];
    assert_near(by_stage, path.work);
    assert_near(by_kind, path.work);
    /* The same operations by device. */
    assert_int_equal(path.first[plan->devices], path.count);
    for (uint64_t i = 0; i < path.count; i++) {
        uint32_t d = path.at[i].device, found = 0;
        for (uint64_t k = path.first[d]; k < path.first[d + 1]; k++) {
            found += path.index[k] == path.at[i].index;
            assert_true(k == path.first[d] || path.index[k - 1] < path.index[k]);
        }
        assert_int_equal(found, 1);
    }
    golden_arena_free(&arena);
}

static void add_gaps(const struct model *model, uint32_t device, struct pg_idle *idle)
{
    double busy_until = 0, end = model->plan->makespan;

    for (size_t a = model->first_of[device]; a < model->first_of[device + 1]; a++) {
        double gap = model->op[a].start - busy_until;
        if (gap > 0 && a == model->first_of[device])
            idle->fill += gap;
        else if (gap > 0)
            idle->inside += gap;
        busy_until = fmax(busy_until, model->op[a].end);
    }
    idle->drain += end - busy_until;
    idle->total = idle->fill + idle->inside + idle->drain;
}

static void check_parts(const struct pg_idle *idle, double scale)
{
    const double parts[] = {idle->fill,     idle->inside,   idle->drain,
                            idle->transfer, idle->schedule, idle->imbalance};

    for (int i = 0; i < 6; i++)
        assert_true(parts[i] >= 0);
    assert_true(fabs(parts[0] + parts[1] + parts[2] - idle->total) <= 1e-9 * scale);
    assert_true(fabs(parts[3] + parts[4] + parts[5] - idle->total) <= 1e-9 * scale);
}

static void check_idle(struct model *model)
{
    const struct pg_plan *plan = model->plan;
    struct pg_arena arena = golden_arena(pg_idle_size(plan) + pg_metrics_size(plan->devices));
    struct pg_metrics metrics;
    struct pg_idle_report report;
    struct pg_fault fault;
    double scale = plan->makespan * plan->devices;

    assert_int_equal(pg_plan_judge(plan, &arena, &metrics), PG_OK);
    assert_int_equal(pg_plan_idle(plan, &metrics, &arena, &report, &fault), PG_OK);
    assert_near(report.without_transfer, run_clock(model, 0));
    assert_near(report.makespan, run_clock(model, plan->transfer));
    assert_true(report.ideal <= report.floor * (1 + 1e-12));
    check_parts(&report.all, scale);
    struct pg_idle sum = {0};
    for (uint32_t d = 0; d < plan->devices; d++) {
        struct pg_idle seen = {0};
        check_parts(&report.devices[d], scale);
        add_gaps(model, d, &seen);
        assert_true(fabs(report.devices[d].fill - seen.fill) <= 1e-9 * scale);
        assert_true(fabs(report.devices[d].inside - seen.inside) <= 1e-9 * scale);
        assert_true(fabs(report.devices[d].drain - seen.drain) <= 1e-9 * scale);
        assert_true(fabs(report.devices[d].transfer -
                         (report.makespan - report.without_transfer)) <= 1e-9 * scale);
        sum.total += seen.total;
    }
    assert_true(fabs(sum.total - report.all.total) <= 1e-9 * scale);
    golden_arena_free(&arena);
}

/* Every link must explain the start of the one before, and the last one must have begun by then. */
static void check_chain(struct model *model)
{
    const struct pg_plan *plan = model->plan;
    struct pg_link link[600], last;

    for (uint32_t d = 0; d < plan->devices; d++)
        for (uint32_t i = 0; i <= plan->run[d].count; i++) {
            double begin = i == 0 ? 0 : pg_op_end(plan, d, i - 1);
            double start = i < plan->run[d].count ? plan->run[d].start[i] : begin;
            if (i < plan->run[d].count && (plan->run[d].code[i] & PG_CODE_FUSED_SECOND))
                continue;
            uint32_t count = pg_gap_chain(plan, d, i, link, 600, 600);
            if (start <= begin || i == plan->run[d].count)
                continue;
            assert_in_range(count, 1, 599);
            for (uint32_t k = 0; k < count; k++) {
                struct pg_place at = link[k].at;
                assert_near(pg_op_end(plan, at.device, at.index) + link[k].lag, start);
                start = plan->run[at.device].start[at.index];
                assert_int_equal(start <= begin, k + 1 == count);
            }
            assert_int_equal(pg_gap_chain(plan, d, i, link, 0, 1), 1);
            assert_true(pg_gap_chain_last(plan, d, i, &last, 600));
            assert_memory_equal(&last.at, &link[count - 1].at, sizeof last.at);
        }
}

static void check_places(const struct model *model)
{
    const struct pg_plan *plan = model->plan;
    struct pg_place found[PG_MOST_NEEDS];

    for (size_t a = 0; a < model->count; a++) {
        const struct pg_op *op = &model->op[a];
        uint32_t index = (uint32_t)(a - model->first_of[op->device]);
        uint32_t needs = 0, unblocks = 0;
        bool is_second = plan->run[op->device].code[index] & PG_CODE_FUSED_SECOND;
        size_t first = is_second ? a - 1 : a, last = op->is_fused ? first + 1 : first;
        for (size_t half = first; half <= last; half++)
            for (size_t b = 0; b < model->count; b++) {
                needs += golden_needs(plan, &model->op[half], &model->op[b]);
                unblocks += golden_needs(plan, &model->op[b], &model->op[half]);
            }
        assert_int_equal(pg_op_needs(plan, op->device, index, found), needs);
        assert_int_equal(pg_op_unblocks(plan, op->device, index, found), unblocks);
        for (uint32_t i = 0; i < unblocks; i++) {
            struct pg_op other;
            bool is_right = false;
            pg_op_at(plan, found[i].device, found[i].index, &other);
            for (size_t half = first; half <= last; half++)
                is_right = is_right || golden_needs(plan, &other, &model->op[half]);
            assert_true(is_right);
        }
    }
}

static void check_plan(const struct pg_plan *plan)
{
    struct model model = model_of(plan);

    assert_near(run_clock(&model, plan->transfer), plan->makespan);
    check_slack(&model);
    check_path(&model);
    check_idle(&model);
    check_chain(&model);
    check_places(&model);
    model_free(&model);
}

/* ---- tests ---- */

static void test_any_order(void **state)
{
    struct golden_dice dice = {7};

    (void)state;
    for (int i = 0; i < 300; i++) {
        struct golden_order order;
        struct pg_fault fault;
        golden_order_random(&order, &dice);
        /* Work is told from costs: a backward must cost what its halves do. */
        for (uint32_t c = 0; c < order.plan.replicas * order.plan.stages; c++) {
            double *cost = order.cost + (size_t)c * PG_KINDS;
            cost[PG_BACKWARD] = cost[PG_INPUT_GRAD] + cost[PG_WEIGHT_GRAD];
        }
        assert_int_equal(golden_order_time(&order, &fault), PG_OK);
        check_plan(&order.plan);
        golden_order_free(&order);
    }
}

static struct pg_problem problem_of(const struct pg_family *family, const double *costs,
                                    struct golden_dice *dice)
{
    struct pg_problem problem = {
        .family = family,
        .devices = 1 + golden_roll(dice, 4),
        .chunks = family->fixed_chunks != 0 ? family->fixed_chunks : 1 + golden_roll(dice, 2),
        .micro_batches = 1 + golden_roll(dice, 8),
        .transfer = golden_roll(dice, 3) * 0.3,
        .fused = 1 - golden_roll(dice, 3) * 0.1,
    };

    if (family->placement == PG_BIDIRECTIONAL)
        problem.devices += problem.devices % 2;
    problem.forward = (struct pg_list){costs, pg_problem_stages(&problem)};
    problem.backward = (struct pg_list){costs + 32, pg_problem_stages(&problem)};
    return problem;
}

static void test_families(void **state)
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    struct golden_dice dice = {3};

    (void)state;
    for (uint32_t f = 0; f < count; f++) {
        int done = 0;
        for (int i = 0; i < 400 && done < 40; i++) {
            double costs[64];
            struct pg_plan plan;
            struct pg_fault fault;
            for (int k = 0; k < 64; k++)
                costs[k] = (1 + golden_roll(&dice, 30)) * (k < 32 ? 0.1 : 0.2);
            struct pg_problem problem = problem_of(&families[f], costs, &dice);
            if (pg_problem_check(&problem, &fault) != PG_OK)
                continue;
            struct pg_arena arena = golden_arena(pg_plan_size(&problem));
            assert_int_equal(pg_plan_build(&arena, &problem, &plan, &fault), PG_OK);
            check_plan(&plan);
            golden_arena_free(&arena);
            done++;
        }
        assert_true(done >= 20);
    }
}

/* Cases built for one cause each. P=4, M=8, F=1, B=2: fill and drain of gpipe are (P-1) times 1 and
 * 2 over all devices in a staircase: 0+1+2+3 and 0+2+4+6. */
static void test_causes(void **state)
{
    struct pg_plan plan;
    struct pg_metrics metrics;
    struct pg_idle_report report;
    struct pg_fault fault;
    struct pg_arena arena = golden_plan(&plan, "gpipe", 4, 8, 1, 2, 0);
    struct pg_arena room = golden_arena(1 << 20);

    (void)state;
    assert_int_equal(pg_plan_judge(&plan, &room, &metrics), PG_OK);
    assert_int_equal(pg_plan_idle(&plan, &metrics, &room, &report, &fault), PG_OK);
    assert_exact(report.all.total, 4 * 33 - 96);
    assert_exact(report.all.fill, 6);
    assert_exact(report.all.drain, 12);
    assert_exact(report.all.inside, 18);
    assert_exact(report.all.schedule, 36);
    assert_exact(report.all.transfer, 0);
    assert_exact(report.all.imbalance, 0);
    assert_exact(report.ideal, 24);
    assert_exact(report.floor, 24);
    golden_arena_free(&arena);

    /* One stage on one device cannot lose anything but to nothing. */
    arena = golden_plan(&plan, "gpipe", 1, 8, 1, 2, 0.5);
    assert_int_equal(pg_plan_judge(&plan, &room, &metrics), PG_OK);
    assert_int_equal(pg_plan_idle(&plan, &metrics, &room, &report, &fault), PG_OK);
    assert_exact(report.all.total, 0);
    golden_arena_free(&arena);

    /* Transfer 0.5 on 4 stages, 1F1B: 41 against 33 without, so every device loses 8 to it. */
    arena = golden_plan(&plan, "1f1b", 4, 8, 1, 2, 0.5);
    assert_int_equal(pg_plan_judge(&plan, &room, &metrics), PG_OK);
    assert_int_equal(pg_plan_idle(&plan, &metrics, &room, &report, &fault), PG_OK);
    assert_exact(report.makespan, 41);
    assert_exact(report.without_transfer, 33);
    assert_exact(report.all.transfer, 4 * 8);
    assert_exact(report.all.schedule, 4 * 9);
    golden_arena_free(&arena);
    golden_arena_free(&room);
}

/* The path of gpipe, P=4, M=8, F=1, B=2: seven forwards and one a stage, then backwards likewise. */
static void test_path_by_hand(void **state)
{
    struct pg_plan plan;
    struct pg_path path;
    struct pg_fault fault;
    struct pg_arena arena = golden_plan(&plan, "gpipe", 4, 8, 1, 2, 0);
    struct pg_arena room = golden_arena(pg_path_size(&plan));

    (void)state;
    assert_int_equal(pg_plan_path(&plan, &room, &path, &fault), PG_OK);
    assert_int_equal(path.count, 2 * (8 + 3));
    assert_exact(path.kind_work[PG_FORWARD], 11);
    assert_exact(path.kind_work[PG_BACKWARD], 22);
    assert_int_equal(path.transfers, 6);
    assert_true(path.has_ties);
    golden_arena_free(&room);
    room = golden_arena(64);
    size_t mark = pg_arena_mark(&room); /* a block need not begin where pieces are aligned to */
    assert_int_equal(pg_plan_path(&plan, &room, &path, &fault), PG_E_MEMORY);
    assert_int_equal(pg_arena_mark(&room), mark);
    golden_arena_free(&room);
    golden_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_path_by_hand),
    };
    return cmocka_run_group_tests_name("paths", tests, NULL, NULL);
}
