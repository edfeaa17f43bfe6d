/* What would help, against what does not know it: differences of the core's own makespans with other
 * steps, a linear search for M, all families run one by one, every order there is of tiny steps. */
#include "app/workers.h"
#include "driver.h"
#include "model/advice_page.h"
#include "model/edit.h"
#include "model/families.h"
#include "view/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tools ---- */

static uint64_t seed = 12345;

static double random_share(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 40) / (1 << 24);
}

static uint32_t random_below(uint32_t most)
{
    return (uint32_t)(random_share() * most);
}

static struct scenario make(const char *family, uint32_t stages, uint32_t micro_batches)
{
    struct scenario scenario;
    struct refusal refusal;

    memset(&scenario, 0, sizeof scenario);
    assert_true(scenario_init(&scenario));
    assert_true(edit_stages(&scenario, stages, &refusal));
    assert_true(edit_schedule(&scenario, pg_family_find(family), &refusal));
    scenario.micro_batches = micro_batches;
    return scenario;
}

/* Lists of full length: a list of one or P is shared out over chunks, here nothing is. */
static void give_costs(struct scenario *scenario, double (*cost)(void))
{
    static const enum param params[] = {PARAM_FORWARD, PARAM_BACKWARD};

    for (int p = 0; p < 2; p++) {
        struct list *list = list_make(scenario_stages(scenario));
        assert_non_null(list);
        for (uint32_t s = 0; s < list->n; s++)
            list->v[s] = (p + 1) * cost();
        list_put(scenario_costs(scenario, params[p]), list);
    }
}

static double round_cost(void)
{
    return 1 + random_below(5) * 0.5;
}

static double odd_cost(void)
{
    return 0.5 + random_share();
}

static void run_by_hand(struct advice *advice)
{
    for (struct batch *batch; (batch = advice_batch(advice)) != NULL;)
        run_batch(batch);
    assert_true(advice_is_done(advice) && !advice->is_out_of_memory);
}

static struct advice *ready(const struct scenario *scenario, double target)
{
    struct outcome outcome = {.block = NULL};
    struct refusal refusal;

    if (!outcome_run(&outcome, scenario, &refusal))
        fail_msg("%s", refusal.report.text);
    struct advice *advice = advice_make(scenario, &outcome, target);
    assert_non_null(advice);
    outcome_free(&outcome); /* it is not needed any more */
    return advice;
}

static struct advice *advise(const struct scenario *scenario, double target)
{
    struct advice *advice = ready(scenario, target);

    run_by_hand(advice);
    return advice;
}

static void assert_within(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.12g is not %.12g", a, b);
}

/* A random scenario of each family, where it can do one. */
static bool random_scenario(struct scenario *scenario, const struct pg_family *family)
{
    struct refusal refusal;
    uint32_t stages = 2 + random_below(4);

    *scenario = make(family->name, stages, 1 + random_below(12));
    if (family->placement == PG_BIDIRECTIONAL) {
        assert_true(edit_stages(scenario, 2 + 2 * random_below(2), &refusal));
        scenario->micro_batches = scenario->stages * (2 + random_below(2));
    }
    if (family->fixed_chunks == 0)
        assert_true(edit_chunks(scenario, 1 + random_below(3), &refusal));
    give_costs(scenario, random_below(2) ? round_cost : odd_cost);
    scenario->transfer = random_below(2) ? 0 : random_share();
    if (scenario_check(scenario, &refusal))
        return true;
    scenario_free(scenario);
    return false;
}

/* ---- sensitivities ---- */

/* The makespan with one cost moved, straight from the core. `which` 3: transfer. */
static double makespan_with(const struct scenario *scenario, uint32_t stage, int which, double by)
{
    uint32_t stages = scenario_stages(scenario);
    double *values = malloc(3 * stages * sizeof *values);
    struct pg_problem problem = {
        .family = scenario->schedule,
        .devices = scenario->stages,
        .chunks = scenario->chunks,
        .micro_batches = scenario->micro_batches,
        .group = scenario->group,
        .forward = {values, stages},
        .backward = {values + stages, stages},
        .transfer = scenario->transfer + (which == 3 ? by : 0),
        .fused = scenario->fused,
    };
    struct pg_arena arena;
    struct pg_plan plan;
    struct pg_fault fault;

    assert_non_null(values);
    memcpy(values, scenario->forward->v, stages * sizeof *values);
    memcpy(values + stages, scenario->backward->v, stages * sizeof *values);
    for (uint32_t s = 0; s < stages; s++)
        values[2 * stages + s] = values[stages + s] / 2;
    if (which < 3)
        values[(uint32_t)which * stages + stage] += by;
    if (which == 2)
        problem.weight = (struct pg_list){values + 2 * stages, stages};
    size_t size = pg_plan_size(&problem);
    assert_true(size > 0);
    void *block = malloc(size);
    pg_arena_init(&arena, block, size);
    assert_int_equal(pg_plan_build(&arena, &problem, &plan, &fault), PG_OK);
    free(block);
    free(values);
    return plan.makespan;
}

/* Another step than the model's, and no power of two. */
static void check_slope(const struct scenario *scenario, uint32_t stage, int which,
                        const struct slope *slope)
{
    const double step = 1e-7;
    double now = makespan_with(scenario, stage, which, 0);
    bool can_shrink = which < 3 || scenario->transfer > step;

    assert_true(slope->is_known);
    if (can_shrink)
        assert_within(slope->shorter, (makespan_with(scenario, stage, which, -step) - now) / step,
                    1e-4);
    else
        assert_true(isnan(slope->shorter));
    assert_within(slope->longer, (makespan_with(scenario, stage, which, step) - now) / step, 1e-4);
}

static void slopes_are_differences_of_the_core(void **state)
{
    uint32_t count, checked = 0;
    const struct pg_family *families = pg_families(&count);
    struct scenario scenario;

    (void)state;
    for (uint32_t i = 0; i < count * 12; i++) {
        const struct pg_family *family = &families[i % count];
        if (!random_scenario(&scenario, family))
            continue;
        scenario.fused = random_below(3) == 0 ? 0.75 : 1;
        struct advice *advice = advise(&scenario, 0.1);
        assert_true(advice->has_all_stages);
        assert_int_equal(advice->stage_count, scenario_stages(&scenario));
        for (uint32_t s = 0; s < advice->stage_count; s++) {
            assert_int_equal(advice->stages[s].stage, s);
            for (uint32_t c = 0; c < advice_cost_count(advice); c++, checked++)
                check_slope(&scenario, s, (int)c, &advice->stages[s].slope[c]);
        }
        check_slope(&scenario, 0, 3, &advice->transfer);
        advice_free(&advice);
        assert_null(advice);
        scenario_free(&scenario);
    }
    assert_true(checked > 1000);
}

/* A bend 2e-7 away from these costs: the first step runs over it, the finer one does not. With F of
 * the two stages f and f + d the slower one has M-1 more of the step than the other. */
static void steps_do_not_run_over_a_bend(void **state)
{
    struct scenario scenario = make("forward-only", 2, 8);

    (void)state;
    set(&scenario, PARAM_FORWARD, "1,1.0000002");
    struct advice *advice = advise(&scenario, 0.1);
    assert_true(advice->is_finer);
    assert_true(advice->stages[0].slope[0].shorter == -1 && advice->stages[0].slope[0].longer == 1);
    assert_true(advice->stages[1].slope[0].shorter == -8 && advice->stages[1].slope[0].longer == 8);
    advice_free(&advice);
    scenario_free(&scenario);
}

static void slopes_of_layers_are_those_of_their_costs(void **state)
{
    struct scenario layers = make("1f1b", 4, 8), costs = make("1f1b", 4, 8);

    (void)state;
    set(&layers, PARAM_LAYERS, "8*1, 3");
    set(&layers, PARAM_SPLIT, "uniform");
    set(&costs, PARAM_FORWARD, "3,2,2,4");
    set(&costs, PARAM_BACKWARD, "6,4,4,8");
    struct advice *a = advise(&layers, 0.1), *b = advise(&costs, 0.1);
    for (uint32_t s = 0; s < 4; s++)
        for (uint32_t c = 0; c < 2; c++)
            assert_memory_equal(&a->stages[s].slope[c], &b->stages[s].slope[c],
                                sizeof(struct slope));
    assert_non_null(strstr(a->suggestion[ADVICE_COST].why, "layers"));
    /* Uniform takes 117, balanced 96: numbers of the literature's example. */
    assert_true(a->suggestion[ADVICE_SPLIT].can_apply);
    assert_within(a->suggestion[ADVICE_SPLIT].value, 117 - 21, 1e-9);
    advice_free(&a);
    advice_free(&b);
    scenario_free(&layers);
    scenario_free(&costs);
}

/* ---- M for a target ---- */

struct found {
    uint32_t least, least_kept; /* 0: none up to `most`; the second keeps the memory limit as well */
};

static struct found search_linearly(const struct scenario *scenario, double target, uint32_t most)
{
    struct outcome outcome = {.block = NULL};
    struct scenario probe = *scenario; /* borrowed */
    struct found found = {0, 0};
    struct refusal refusal;

    for (uint32_t m = 1; m <= most && found.least_kept == 0; m++) {
        probe.micro_batches = m;
        if (!outcome_run(&outcome, &probe, &refusal) ||
            outcome.metrics.bubble_fraction >= target - 1e-9)
            continue;
        found.least = found.least == 0 ? m : found.least;
        if (scenario->memory_limit == 0 ||
            outcome.metrics.peak_memory <= scenario->memory_limit)
            found.least_kept = m;
    }
    outcome_free(&outcome);
    return found;
}

static void check_micro(const struct scenario *scenario, double target)
{
    const uint32_t most = 200;
    struct advice *advice = advise(scenario, target);
    const struct micro_answer *answer = &advice->answer;
    struct found found = search_linearly(scenario, target, most);

    assert_true(answer->verdict != MICRO_OPEN);
    if (found.least != 0) {
        assert_int_equal(answer->verdict, MICRO_FOUND);
        assert_int_equal(answer->micro_batches, found.least);
        assert_true(answer->is_least);
        assert_int_equal(answer->figures.is_over_limit, found.least_kept == 0);
        assert_int_equal(advice->suggestion[ADVICE_MICRO].can_apply,
                         found.least_kept != 0 && found.least != scenario->micro_batches);
    } else if (answer->verdict == MICRO_FOUND) {
        assert_true(answer->micro_batches > most);
    }
    advice_free(&advice);
}

static void least_m_is_that_of_a_linear_search(void **state)
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    struct scenario scenario;

    (void)state;
    for (uint32_t i = 0; i < count * 8; i++) {
        if (!random_scenario(&scenario, &families[i % count]))
            continue;
        if (random_below(2) == 0) { /* the other half has costs that M can do little about */
            list_put(&scenario.forward, list_make(1));
            list_put(&scenario.backward, list_make(1));
            scenario.forward->v[0] = 1;
            scenario.backward->v[0] = 2;
        }
        scenario.memory_limit = random_below(2) * (1 + random_below(20));
        check_micro(&scenario, 0.02 + 0.4 * random_share());
        scenario_free(&scenario);
    }
}

static void gpipe_needs_28(void **state)
{
    struct scenario scenario = make("gpipe", 4, 8);
    struct advice *advice = advise(&scenario, 0.1);

    (void)state;
    assert_int_equal(advice->answer.verdict, MICRO_FOUND);
    assert_int_equal(advice->answer.micro_batches, 28); /* 27 is 10 % exactly */
    assert_true(advice->suggestion[ADVICE_MICRO].figures.makespan == 93);
    assert_int_equal(advice->suggestion[ADVICE_MICRO].scenario.micro_batches, 28);
    /* (P-1)/(M+P-1) < t needs M > 3/t - 3; what was run for one target serves the next. */
    for (uint32_t percent = 1; percent < 60; percent++) {
        advice_set_target(advice, percent / 100.0);
        run_by_hand(advice);
        assert_int_equal(advice->answer.micro_batches, 300 / percent - 3 + 1);
    }
    advice_free(&advice);
    scenario_free(&scenario);
}

static void no_m_cures_a_slow_stage(void **state)
{
    struct scenario scenario = make("1f1b", 4, 8);

    (void)state;
    set(&scenario, PARAM_FORWARD, "1,1,1.5,1");
    set(&scenario, PARAM_BACKWARD, "2,2,3,2");
    struct advice *advice = advise(&scenario, 0.25); /* 1 - (3+3+4.5+3)/4/4.5 */
    assert_int_equal(advice->answer.verdict, MICRO_LIMIT);
    assert_within(advice->answer.limit, 0.25, 1e-12);
    assert_false(advice->suggestion[ADVICE_MICRO].can_apply);
    advice_set_target(advice, 0.26);
    run_by_hand(advice);
    assert_int_equal(advice->answer.verdict, MICRO_FOUND);
    advice_free(&advice);
    /* What 1F1B loses to transfer it loses for every two micro-batches again: 2t on a cycle of two
     * forwards and backwards between neighbours. */
    set(&scenario, PARAM_FORWARD, "1");
    set(&scenario, PARAM_BACKWARD, "2");
    scenario.transfer = 0.5;
    advice = advise(&scenario, 0.15);
    assert_int_equal(advice->answer.verdict, MICRO_STEADY);
    assert_true(search_linearly(&scenario, 0.15, 3000).least == 0);
    assert_true(search_linearly(&scenario, advice->answer.limit - 1e-6, 3000).least == 0);
    assert_true(search_linearly(&scenario, advice->answer.limit + 0.01, 3000).least != 0);
    advice_free(&advice);
    scenario_free(&scenario);
}

/* ---- families ---- */

static void check_family(const struct scenario *scenario)
{
    struct advice *advice = advise(scenario, 0.1);
    const struct suggestion *said = &advice->suggestion[ADVICE_FAMILY];
    uint32_t count;
    struct family_row *rows = families_run(scenario, NULL, &count);
    double best = INFINITY, stash = INFINITY;

    assert_non_null(rows);
    for (uint32_t i = 0; i < count; i++) {
        if (!rows[i].is_possible || rows[i].family->is_forward_only || rows[i].is_over_limit)
            continue;
        if (rows[i].makespan < best * (1 - 1e-9)) {
            best = rows[i].makespan;
            stash = rows[i].peak_memory;
        } else if (rows[i].makespan <= best * (1 + 1e-9) && rows[i].peak_memory < stash) {
            stash = rows[i].peak_memory;
        }
    }
    assert_true(said->is_known);
    assert_int_equal(advice->best == NULL, best == INFINITY);
    if (best < INFINITY) {
        assert_within(said->value, best, 1e-9 * best);
        assert_true(advice->best->figures.peak_memory == stash);
        assert_true(!isnan(advice->best_bound));
        assert_true(best >= advice->best_bound * (1 - 1e-9));
    }
    if (said->can_apply)
        assert_ptr_equal(said->scenario.schedule, advice->best->family);
    free(rows);
    advice_free(&advice);
}

/* 1F1B on two stages with transfer t, f = 1 and b = 2: of every two micro-batches the last stage waits
 * 2t once, so the step takes 3 + M (3 + t), and t more where M is odd. */
static double makespan_of_two(uint32_t m, double t)
{
    return 3 + m * (3 + t) + (m % 2 == 1 ? t : 0);
}

static double bubble_of_two(uint32_t m, double t)
{
    return 1 - 3 * m / makespan_of_two(m, t);
}

/* So near to the 1 - 3/(3 + t) that no M gets below that the least M is too large to try all. It is
 * even, and from the least odd one on every M will do: what is found lies between the two. */
static void a_least_m_far_away_is_cut_out(void **state)
{
    const double t = 0.1, target = 0.0323;
    struct scenario scenario = make("1f1b", 2, 8);
    uint32_t least = 2, least_odd = 1;

    (void)state;
    scenario.transfer = t;
    while (bubble_of_two(least, t) >= target)
        least += 2;
    while (bubble_of_two(least_odd, t) >= target)
        least_odd += 2;
    assert_true(least > 10000 && least < least_odd);
    struct advice *advice = advise(&scenario, target);
    const struct micro_answer *answer = &advice->answer;
    assert_int_equal(answer->verdict, MICRO_FOUND);
    assert_in_range(answer->micro_batches, least, least_odd);
    assert_true(bubble_of_two(answer->micro_batches, t) < target);
    assert_false(answer->is_least); /* and it does not say so */
    assert_within(answer->figures.makespan, makespan_of_two(answer->micro_batches, t), 1e-6);
    assert_true(advice->micro_count < 200);
    advice_free(&advice);
    scenario_free(&scenario);
}

static void a_table_leaves_m_no_choice(void **state)
{
    static const char rows[] = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n";
    struct scenario scenario = make("1f1b", 2, 8);
    struct table_error error;
    struct table *table = table_parse(rows, sizeof rows - 1, "two.csv", &error);

    (void)state;
    assert_non_null(table);
    scenario_set_table(&scenario, table);
    struct advice *advice = advise(&scenario, 0.1);
    assert_int_equal(advice->answer.verdict, MICRO_FIXED);
    assert_int_equal(advice->answer.micro_batches, 2);
    assert_false(advice->suggestion[ADVICE_MICRO].can_apply);
    assert_string_equal(advice->suggestion[ADVICE_MICRO].what, "the table fixes M=2");
    advice_free(&advice);
    scenario_free(&scenario);
}

static void the_best_family_is_that_of_the_table(void **state)
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    struct scenario scenario;

    (void)state;
    for (uint32_t i = 0; i < count * 6; i++) {
        if (families[i % count].is_forward_only || !random_scenario(&scenario, &families[i % count]))
            continue;
        scenario.memory_limit = random_below(2) * (1 + random_below(8));
        check_family(&scenario);
        scenario_free(&scenario);
    }
    scenario = make("gpipe", 4, 8);
    struct advice *advice = advise(&scenario, 0.1);
    assert_string_equal(advice->best->family->name, "zbv");
    assert_within(advice->suggestion[ADVICE_FAMILY].figures.makespan, 25.5, 1e-12);
    advice_free(&advice);
    scenario_free(&scenario);
}

/* ---- bounds ---- */

static void no_family_is_below_its_bound(void **state)
{
    uint32_t count, runs = 0, reached = 0;
    const struct pg_family *families = pg_families(&count);
    struct outcome outcome = {.block = NULL};
    struct scenario scenario;
    struct refusal refusal;
    struct bound bound;

    (void)state;
    for (uint32_t i = 0; i < count * 300; i++) {
        if (!random_scenario(&scenario, &families[i % count]))
            continue;
        scenario.fused = random_below(3) == 0 ? 0.5 + random_share() : 1;
        assert_true(outcome_run(&outcome, &scenario, &refusal));
        assert_true(bound_make(&bound, &scenario));
        double least = bound_makespan(&bound, scenario.micro_batches);
        assert_true(outcome.metrics.makespan >= least * (1 - 1e-12));
        assert_true(outcome.metrics.bubble_fraction >=
                    bound_bubble(&bound, scenario.micro_batches) - 1e-12);
        if (bound.is_exact_work)
            assert_within(bound_floor(&bound, scenario.micro_batches), outcome.metrics.floor,
                        1e-9 * outcome.metrics.floor);
        reached += outcome.metrics.makespan <= least * (1 + 1e-12);
        runs++;
        bound_free(&bound);
        scenario_free(&scenario);
    }
    outcome_free(&outcome);
    assert_true(runs > 3000 && reached > runs / 10); /* it says something */
}

/* Every order of a step of 2 devices and M micro-batches, stages in turn. Kinds: F, B or F, I, W. */
struct tiny {
    double cost[2][3]; /* F, B or I, W */
    double transfer, best;
    uint32_t kinds, micro_batches, ops;
    uint32_t order[2][6];
};

/* Time of the two orders; infinity when they wait for each other. */
static double time_of(const struct tiny *tiny)
{
    double end[2][6], now[2] = {0, 0};
    bool is_done[2][6] = {{false}};
    uint32_t at[2] = {0, 0};

    for (bool is_moving = true; is_moving;) {
        is_moving = false;
        for (uint32_t d = 0; d < 2; d++) {
            if (at[d] == tiny->ops)
                continue;
            uint32_t op = tiny->order[d][at[d]], kind = op / tiny->micro_batches;
            uint32_t m = op % tiny->micro_batches, gradient = tiny->micro_batches + m;
            bool is_from_other = (kind == 0 && d == 1) || (kind == 1 && d == 0);
            uint32_t own = kind == 1 ? m : kind == 2 ? gradient : op;
            if ((own != op && !is_done[d][own]) || (is_from_other && !is_done[1 - d][op]))
                continue;
            double start = now[d];
            if (is_from_other && end[1 - d][op] + tiny->transfer > start)
                start = end[1 - d][op] + tiny->transfer;
            now[d] = end[d][op] = start + tiny->cost[d][kind];
            is_done[d][op] = true;
            at[d]++;
            is_moving = true;
        }
    }
    bool is_whole = at[0] == tiny->ops && at[1] == tiny->ops;
    return !is_whole ? INFINITY : now[0] > now[1] ? now[0] : now[1];
}

static void try_all(struct tiny *tiny, uint32_t device, uint32_t from)
{
    if (from == tiny->ops) {
        if (device == 0) {
            try_all(tiny, 1, 0);
        } else {
            double time = time_of(tiny);
            tiny->best = time < tiny->best ? time : tiny->best;
        }
        return;
    }
    for (uint32_t i = from; i < tiny->ops; i++) {
        uint32_t *order = tiny->order[device], held = order[from];
        order[from] = order[i];
        order[i] = held;
        try_all(tiny, device, from + 1);
        held = order[from];
        order[from] = order[i];
        order[i] = held;
    }
}

static double best_of_all(const struct scenario *scenario, uint32_t kinds)
{
    struct tiny tiny = {.transfer = scenario->transfer, .best = INFINITY, .kinds = kinds,
                        .micro_batches = scenario->micro_batches};

    tiny.ops = kinds * tiny.micro_batches;
    for (uint32_t d = 0; d < 2; d++) {
        tiny.cost[d][0] = scenario->forward->v[d];
        tiny.cost[d][1] = scenario->backward->v[d] / (kinds == 3 ? 2 : 1);
        tiny.cost[d][2] = scenario->backward->v[d] / 2;
        for (uint32_t i = 0; i < tiny.ops; i++)
            tiny.order[d][i] = i;
    }
    try_all(&tiny, 0, 0);
    return tiny.best;
}

static void no_order_at_all_is_below_the_bound(void **state)
{
    uint32_t reached = 0;
    struct bound bound;

    (void)state;
    for (uint32_t i = 0; i < 60; i++) {
        bool is_split = i % 6 == 0; /* 720 * 720 orders */
        struct scenario scenario = make(is_split ? "zb-h1" : "gpipe", 2, 1 + i % 3 % (is_split ? 2 : 3));
        if (is_split)
            scenario.micro_batches = 1 + i / 6 % 2;
        give_costs(&scenario, i % 2 ? round_cost : odd_cost);
        scenario.transfer = i % 4 == 0 ? random_share() : 0;
        assert_true(bound_make(&bound, &scenario));
        double best = best_of_all(&scenario, is_split ? 3 : 2);
        double least = bound_makespan(&bound, scenario.micro_batches);
        assert_true(best < INFINITY);
        assert_true(best >= least * (1 - 1e-12));
        reached += best <= least * (1 + 1e-12);
        bound_free(&bound);
        scenario_free(&scenario);
    }
    assert_true(reached >= 30);
}

/* ---- the rest of it ---- */

static void equal_costs_keep_their_total(void **state)
{
    struct scenario scenario = make("gpipe", 4, 8);

    (void)state;
    set(&scenario, PARAM_FORWARD, "1,1,1,5");
    struct advice *advice = advise(&scenario, 0.1);
    assert_true(advice->suggestion[ADVICE_SPLIT].can_apply);
    assert_within(advice->suggestion[ADVICE_SPLIT].value, (8 + 3) * (2 + 2.0), 1e-9);
    assert_false(advice->suggestion[ADVICE_TRANSFER].can_apply);
    advice_free(&advice);
    scenario.transfer = 0.25; /* the same costs as without: 6 hops of GPipe */
    set(&scenario, PARAM_FORWARD, "1");
    advice = advise(&scenario, 0.1);
    assert_false(advice->suggestion[ADVICE_SPLIT].can_apply);
    assert_true(advice->suggestion[ADVICE_TRANSFER].can_apply);
    assert_true(advice->present.makespan == 33 + 6 * 0.25);
    assert_true(advice->suggestion[ADVICE_TRANSFER].value == 33);
    assert_true(advice->suggestion[ADVICE_TRANSFER].figures.makespan == 33);
    assert_true(advice->transfer.shorter == -6 && advice->transfer.longer == 6);
    advice_free(&advice);
    scenario_free(&scenario);
}

static void many_hands_give_the_same(void **state)
{
    struct scenario scenario = make("1f1b", 8, 32);

    (void)state;
    set(&scenario, PARAM_FORWARD, "1,1,1,1,1,1.3,1,1");
    scenario.transfer = 0.1;
    struct advice *a = advise(&scenario, 0.2), *b = ready(&scenario, 0.2);
    for (struct batch *batch; (batch = advice_batch(b)) != NULL;)
        workers_run(batch, NULL, NULL);
    uint32_t done, of;
    advice_progress(b, &done, &of);
    assert_int_equal(done, of);
    for (int i = 0; i < ADVICE_KINDS; i++) {
        assert_true(b->suggestion[i].is_known);
        assert_string_equal(a->suggestion[i].what, b->suggestion[i].what);
        assert_string_equal(a->suggestion[i].why, b->suggestion[i].why);
        assert_int_equal(a->suggestion[i].can_apply, b->suggestion[i].can_apply);
    }
    assert_memory_equal(a->stages, b->stages, a->stage_count * sizeof *a->stages);
    advice_free(&a);
    advice_free(&b);
    scenario_free(&scenario);
}

/* Of many stages those are run that the critical path has most of. */
static void of_many_stages_the_critical_ones_are_run(void **state)
{
    struct scenario scenario = make("1f1b", 200, 300);
    struct refusal refusal;

    (void)state;
    assert_true(edit_cost(&scenario, PARAM_FORWARD, 150, 1.5, &refusal));
    struct advice *advice = advise(&scenario, 0.5);
    assert_int_equal(advice->stage_count, 128);
    assert_false(advice->has_all_stages);
    bool is_there = false;
    for (uint32_t i = 0; i < advice->stage_count; i++)
        is_there = is_there || advice->stages[i].stage == 150;
    assert_true(is_there);
    assert_non_null(strstr(advice->suggestion[ADVICE_COST].what, "stage 150"));
    assert_non_null(strstr(advice->suggestion[ADVICE_COST].why, "of the 128 stages"));
    advice_free(&advice);
    scenario_free(&scenario);
}

static const struct advice *page_of(struct session *session, struct snapshot *snapshot)
{
    for (struct batch *batch; (batch = session_batch(session)) != NULL;)
        run_batch(batch);
    session_snapshot(session, snapshot);
    assert_int_equal(snapshot->mode, MODE_ADVICE);
    return snapshot->advice->advice;
}

static void the_page_applies_and_undoes(void **state)
{
    struct session *session = session_make();
    struct snapshot snapshot;

    (void)state;
    assert_non_null(session);
    session_key(session, "A");
    session_key(session, "2"); /* nothing is known yet */
    const struct advice *advice = page_of(session, &snapshot);
    assert_int_equal(snapshot.scenario->micro_batches, 8);
    assert_int_equal(advice->answer.micro_batches, 28);
    session_key(session, "2");
    advice = page_of(session, &snapshot);
    assert_int_equal(snapshot.scenario->micro_batches, 28);
    assert_true(advice->present.makespan == 93); /* it was found anew */
    assert_false(advice->suggestion[ADVICE_MICRO].can_apply);
    session_key(session, "u");
    advice = page_of(session, &snapshot);
    assert_int_equal(snapshot.scenario->micro_batches, 8);
    session_key(session, "U");
    page_of(session, &snapshot);
    assert_int_equal(snapshot.scenario->micro_batches, 28);
    session_key(session, "u");
    session_key(session, "Left"); /* 10 to 9 %: M > 3/0.09 - 3 */
    advice = page_of(session, &snapshot);
    assert_int_equal(advice->answer.micro_batches, 31);
    session_key(session, "3");
    page_of(session, &snapshot);
    assert_string_equal(snapshot.scenario->schedule->name, "zbv");
    session_key(session, "u");
    session_key(session, "4"); /* nothing to apply: costs are equal */
    session_key(session, "End");
    advice = page_of(session, &snapshot);
    assert_int_equal(snapshot.advice->cursor, ADVICE_KINDS + 3);
    session_key(session, "Enter"); /* F of stage 3 a step down */
    page_of(session, &snapshot);
    assert_true(snapshot.outcome->resolved.forward[3] == 0.95);
    assert_true(snapshot.outcome->resolved.forward[2] == 1);
    session_key(session, "q");
    assert_null(session_batch(session));
    session_snapshot(session, &snapshot);
    assert_int_equal(snapshot.mode, MODE_CHART);
    session_key(session, "A"); /* and freed while it runs */
    session_free(session);
}

/* Is the mark of the chosen row seen? */
static bool has_mark(const struct grid *grid)
{
    for (int y = 0; y < grid->rows; y++)
        if (grid_at(grid, 0, y)->glyph == '>')
            return true;
    return false;
}

/* At every size, before anything is known and after: nothing is drawn outside, the cursor is seen. */
static void the_page_fits_every_size(void **state)
{
    struct session *session = session_make();
    struct theme theme = {.depth = DEPTH_MONO, .is_ascii = true};
    struct grid grid = {.columns = 0};
    struct snapshot snapshot;
    struct frame frame;

    (void)state;
    session_key(session, "S");
    session_key(session, "3");
    session_key(session, "0");
    session_key(session, "P");
    session_key(session, "A");
    for (int turn = 0; turn < 12; turn++) {
        if (turn == 1)
            page_of(session, &snapshot);
        for (int columns = LAYOUT_LEAST_COLUMNS; columns < 130; columns += 7) {
            for (int rows = LAYOUT_LEAST_ROWS; rows < 45; rows++) {
                assert_true(grid_resize(&grid, columns, rows));
                session_snapshot(session, &snapshot);
                screen_draw(&grid, &theme, &snapshot, true, &frame);
                assert_true(rows < 12 || has_mark(&grid));
            }
        }
        session_key(session, turn < 7 ? "Down" : turn < 9 ? "PageDown" : "End");
    }
    grid_free(&grid);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_differences_of_the_core),
        cmocka_unit_test(steps_do_not_run_over_a_bend),
        cmocka_unit_test(slopes_of_layers_are_those_of_their_costs),
        cmocka_unit_test(least_m_is_that_of_a_linear_search),
        cmocka_unit_test(gpipe_needs_28),
        cmocka_unit_test(no_m_cures_a_slow_stage),
        cmocka_unit_test(a_least_m_far_away_is_cut_out),
        cmocka_unit_test(a_table_leaves_m_no_choice),
        cmocka_unit_test(the_best_family_is_that_of_the_table),
        cmocka_unit_test(no_family_is_below_its_bound),
        cmocka_unit_test(no_order_at_all_is_below_the_bound),
        cmocka_unit_test(equal_costs_keep_their_total),
        cmocka_unit_test(many_hands_give_the_same),
        cmocka_unit_test(of_many_stages_the_critical_ones_are_run),
        cmocka_unit_test(the_page_applies_and_undoes),
        cmocka_unit_test(the_page_fits_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
