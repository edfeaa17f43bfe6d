/* Changes to a scenario by themselves: the ladder of costs, and what a change of P, V, family or
 * one cost does to the lists. What is expected is worked out here in another way than there. */
#include "core/internal.h"
#include "driver.h"
#include "model/edit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

#define assert_same(a, b) same_or_fail(a, b, __FILE__, __LINE__)

static void same_or_fail(double actual, double expected, const char *file, int line)
{
    if (actual == expected)
        return;
    print_error("%.17g is not %.17g\n", actual, expected);
    _fail(file, line);
}

static struct scenario make(const char *stages, const char *forward, const char *backward)
{
    struct scenario scenario = fresh_scenario();

    set(&scenario, PARAM_STAGES, stages);
    set(&scenario, PARAM_FORWARD, forward);
    set(&scenario, PARAM_BACKWARD, backward);
    return scenario;
}

static double sum(const struct list *list)
{
    double total = 0;

    for (uint32_t i = 0; i < list->n; i++)
        total += list->v[i];
    return total;
}

static const struct pg_family loop = {.name = "loop",
                                      .title = "Loop",
                                      .rule = "",
                                      .formula = "",
                                      .placement = PG_LOOP,
                                      .can = can_any,
                                      .emit = emit_there_and_back};
static const struct pg_family vee = {.name = "vee",
                                     .title = "Vee",
                                     .rule = "",
                                     .formula = "",
                                     .placement = PG_V,
                                     .can = can_any,
                                     .emit = emit_there_and_back};
static const struct pg_family vee2 = {.name = "vee2",
                                      .title = "Vee2",
                                      .rule = "",
                                      .formula = "",
                                      .placement = PG_V,
                                      .fixed_chunks = 2,
                                      .can = can_any,
                                      .emit = emit_there_and_back};

/* Work of each device, as the whole way to the plan makes it. */
static void device_work(const struct scenario *scenario, double *work)
{
    struct outcome outcome = {.block = NULL};
    struct refusal refusal;

    if (!outcome_run(&outcome, scenario, &refusal))
        fail_msg("%s", refusal.report.text);
    memcpy(work, outcome.metrics.device_work, scenario->stages * sizeof *work);
    outcome_free(&outcome);
}

/* ---- the ladder ---- */

/* The ladder within a decade, as the interface says it: 27 steps from 1 to 10. */
static const char *const rungs[] = {"1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8",
                                    "1.9", "2.0", "2.2", "2.4", "2.6", "2.8", "3.0", "3.2", "3.4",
                                    "3.6", "3.8", "4.0", "4.2", "4.4", "4.6", "4.8", "5.0", "5.5",
                                    "6.0", "6.5", "7.0", "7.5", "8.0", "8.5", "9.0", "9.5"};
#define RUNGS (sizeof rungs / sizeof rungs[0])

static double rung(size_t i, int decade)
{
    char text[40];

    decade += (int)(i / RUNGS);
    snprintf(text, sizeof text, "%se%d", rungs[i % RUNGS], decade);
    return strtod(text, NULL);
}

static void test_ladder_up_and_down(void **state)
{
    (void)state;
    for (int decade = -8; decade <= 8; decade++)
        for (size_t i = 0; i < RUNGS; i++) {
            double here = rung(i, decade), next = rung(i + 1, decade);
            assert_same(ladder_step(here, 1), next);
            assert_same(ladder_step(next, -1), here);
            assert_same(ladder_step(here, 0), here);
            assert_same(ladder_floor(here), here);
        }
}

static void test_ladder_several_steps(void **state)
{
    (void)state;
    assert_same(ladder_step(1, 5), 1.5);
    assert_same(ladder_step(1, 10), 2);
    assert_same(ladder_step(2, 5), 3);
    assert_same(ladder_step(5, 10), 10);
    assert_same(ladder_step(1, (int)RUNGS), 10);
    assert_same(ladder_step(1, (int)RUNGS * 3), 1000);
    assert_same(ladder_step(1000, -(int)RUNGS * 6), 0.001);
    for (int n = 1; n < 80; n++)
        assert_same(ladder_step(ladder_step(1, n), -n), 1);
}

static void test_ladder_off_the_rungs(void **state)
{
    (void)state;
    assert_same(ladder_step(1.05, 1), 1.1);
    assert_same(ladder_step(1.05, -1), 1);
    assert_same(ladder_step(2.1, 1), 2.2);
    assert_same(ladder_step(2.1, -1), 2);
    assert_same(ladder_step(9.9, 1), 10);
    assert_same(ladder_step(9.9, -1), 9.5);
    assert_same(ladder_step(0.98, 1), 1);
    assert_same(ladder_step(0.98, -1), 0.95);
    assert_same(ladder_step(1234, 1), 1300);
    assert_same(ladder_step(1234, -1), 1200);
    assert_same(ladder_floor(1.05), 1);
    assert_same(ladder_floor(0.0999), 0.095);
    for (int decade = -2; decade <= 2; decade++)
        for (size_t i = 0; i < RUNGS; i++) {
            double low = rung(i, decade), high = rung(i + 1, decade);
            double between[] = {nextafter(low, high), (low + high) / 2, nextafter(high, low)};
            for (int k = 0; k < 3; k++) {
                assert_same(ladder_step(between[k], 1), high);
                assert_same(ladder_step(between[k], -1), low);
                assert_same(ladder_floor(between[k]), low);
            }
        }
}

static void test_ladder_ends(void **state)
{
    const double ends[] = {1e300,  1e290,  1e285,  1e-285,
                           1e-290, 1e-300, 5e-324, 1.7976931348623157e308};

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        int outwards = ends[i] > 1 ? 1 : -1;
        for (int steps = 1; steps <= 1000000; steps *= 10) {
            double far = ladder_step(ends[i], steps * outwards);
            assert_true(isfinite(far) && far > 0);
            assert_true(ends[i] > 1 ? far >= ends[i] : far <= ends[i]);
        }
        double back = ladder_step(ends[i], -outwards);
        assert_true(isfinite(back) && back > 0);
        assert_true(ends[i] > 1 ? back < ends[i] : back > ends[i]);
    }
}

/* ---- P ---- */

static void stages_become(const char *from, const char *forward, enum hold hold, uint32_t stages,
                          const char *expected)
{
    struct scenario scenario = make(from, forward, "2");
    struct refusal refusal;

    scenario.hold = hold;
    assert_true(edit_stages(&scenario, stages, &refusal));
    assert_int_equal(scenario.stages, stages);
    assert_written(&scenario, PARAM_FORWARD, expected);
    scenario_free(&scenario);
}

static void test_hold_stage(void **state)
{
    (void)state;
    stages_become("4", "1", HOLD_STAGE, 7, "1");
    stages_become("4", "1", HOLD_STAGE, 1, "1");
    stages_become("4", "1,2,3,4", HOLD_STAGE, 5, "1, 2, 3, 4, 4");
    stages_become("4", "1,2,3,4", HOLD_STAGE, 7, "1, 2, 3, 4, 4, 4, 4");
    stages_become("4", "1,2,3,4", HOLD_STAGE, 3, "1, 2, 3");
    stages_become("4", "1,2,3,4", HOLD_STAGE, 1, "1");
    stages_become("4", "1,2,3,4", HOLD_STAGE, 4, "1, 2, 3, 4");
    stages_become("4", "2,1,1,1", HOLD_STAGE, 2, "2, 1");
}

static void test_hold_model_by_hand(void **state)
{
    (void)state;
    stages_become("4", "1", HOLD_MODEL, 2, "2");
    stages_become("4", "1", HOLD_MODEL, 8, "0.5");
    stages_become("4", "1,1,1,5", HOLD_MODEL, 2, "2, 6");
    stages_become("2", "2,6", HOLD_MODEL, 4, "1, 1, 3, 3");
    stages_become("4", "1,2,3,4", HOLD_MODEL, 1, "10");
    stages_become("2", "3,6", HOLD_MODEL, 3, "2, 3, 4"); /* 2; 1 and 2; 4 */
    stages_become("3", "2,4,6", HOLD_MODEL, 2, "4, 8");  /* 2 and half of 4 */
}

/* Every old stage cut into `to` slices and every new one put together from `from` of them. */
static void check_resampling(uint32_t from, uint32_t to)
{
    struct scenario scenario = make("1", "1", "1");
    struct list *list = list_make(from);
    struct refusal refusal;

    assert_non_null(list);
    for (uint32_t i = 0; i < from; i++)
        list->v[i] = 0.3 + (i * 7 % 5) * 1.7 + (i == from - 1 ? 100 : 0);
    double total = sum(list);
    scenario.stages = from;
    scenario.hold = HOLD_MODEL;
    list_put(&scenario.forward, list);
    list->refs++; /* kept to compare with */
    assert_true(edit_stages(&scenario, to, &refusal));
    assert_int_equal(scenario.forward->n, from == 1 ? 1 : to);
    assert_near(scenario.forward->n == 1 ? sum(scenario.forward) * to : sum(scenario.forward),
                total);
    for (uint32_t d = 0; d < scenario.forward->n; d++) {
        double expected = 0;
        for (uint32_t slice = d * from; slice < (d + 1) * from; slice++)
            expected += list->v[slice / to] / to;
        assert_near(scenario.forward->v[d], expected);
    }
    assert_near(sum(scenario.backward) * to, from); /* 1 for each of them before */
    list_release(&list);
    scenario_free(&scenario);
}

static void test_hold_model_keeps_totals(void **state)
{
    (void)state;
    for (uint32_t from = 1; from <= 12; from++)
        for (uint32_t to = 1; to <= 24; to++)
            check_resampling(from, to);
    check_resampling(64, 1024);
    check_resampling(1000, 37);
    check_resampling(4095, 3);
    check_resampling(500, 501);
}

static void test_layers_stay(void **state)
{
    (void)state;
    for (int hold = 0; hold < 2; hold++) {
        struct scenario scenario = make("4", "1", "2");
        struct refusal refusal;
        scenario.hold = (enum hold)hold;
        set(&scenario, PARAM_LAYERS, "8*1, 3");
        set(&scenario, PARAM_SPLIT, "uniform");
        assert_true(edit_stages(&scenario, 3, &refusal));
        assert_written(&scenario, PARAM_LAYERS, "8*1, 3");
        assert_written(&scenario, PARAM_SPLIT, "uniform");

        set(&scenario, PARAM_SPLIT, "3,3,3"); /* counts of stages that will be others */
        assert_true(edit_stages(&scenario, 3, &refusal));
        assert_written(&scenario, PARAM_SPLIT, "3*3");
        assert_true(edit_stages(&scenario, 4, &refusal));
        assert_written(&scenario, PARAM_SPLIT, "balanced");
        assert_null(scenario.counts);

        scenario.schedule = &loop;
        set(&scenario, PARAM_SPLIT, "2,2,2,3");
        assert_true(edit_chunks(&scenario, 2, &refusal));
        assert_written(&scenario, PARAM_SPLIT, "balanced");
        assert_written(&scenario, PARAM_LAYERS, "8*1, 3");
        scenario_free(&scenario);
    }
}

static void test_edits_leave_copies_alone(void **state)
{
    struct scenario scenario = make("4", "1,2,3,4", "2"), copy;
    struct refusal refusal;

    (void)state;
    memset(&copy, 0, sizeof copy);
    for (int hold = 0; hold < 2; hold++) {
        scenario_copy(&copy, &scenario);
        assert_true(scenario_equal(&copy, &scenario));
        copy.hold = (enum hold)hold;
        assert_true(edit_stages(&copy, 7, &refusal));
        assert_true(edit_cost(&copy, PARAM_FORWARD, 0, 9, &refusal));
        assert_true(edit_cost_step(&copy, PARAM_BACKWARD, PG_NONE, 1, &refusal));
        assert_written(&scenario, PARAM_FORWARD, "1, 2, 3, 4");
        assert_written(&scenario, PARAM_BACKWARD, "2");
    }
    scenario_free(&copy);
    scenario_free(&scenario);
}

/* ---- V and family ---- */

static void check_work(const struct scenario *scenario, const double *expected)
{
    double work[64];

    device_work(scenario, work);
    for (uint32_t d = 0; d < scenario->stages; d++)
        assert_near(work[d], expected[d]);
}

/* A list by device is the work of a device whatever V is and wherever its chunks lie. */
static void test_device_lists(void **state)
{
    static const struct pg_family *const families[] = {&loop, &vee};
    const double expected[] = {8 * 3, 8 * 4, 8 * 5, 8 * 6};

    (void)state;
    for (size_t f = 0; f < 2; f++) {
        struct scenario scenario = make("4", "1,2,3,4", "2");
        struct refusal refusal;
        assert_true(edit_schedule(&scenario, families[f], &refusal));
        for (uint32_t chunks = 1; chunks <= 4; chunks++) {
            assert_true(edit_chunks(&scenario, chunks, &refusal));
            check_work(&scenario, expected);
        }
        assert_written(&scenario, PARAM_FORWARD, "1, 2, 3, 4");
        scenario_free(&scenario);
    }
}

static struct scenario make_chunked(const struct pg_family *family)
{
    struct scenario scenario = make("3", "1", "6");

    scenario.schedule = family;
    scenario.chunks = 2;
    set(&scenario, PARAM_FORWARD, "1,2,3,4,5,7");
    return scenario;
}

static void test_changing_chunks_gathers(void **state)
{
    struct scenario round = make_chunked(&loop), fro = make_chunked(&vee);
    struct refusal refusal;
    const double round_work[] = {8 * 11, 8 * 13, 8 * 16}, fro_work[] = {8 * 14, 8 * 13, 8 * 13};

    (void)state;
    check_work(&round, round_work);
    check_work(&fro, fro_work);
    assert_true(edit_chunks(&round, 2, &refusal)); /* no change: nothing is gathered */
    assert_written(&round, PARAM_FORWARD, "1, 2, 3, 4, 5, 7");
    assert_true(edit_chunks(&round, 3, &refusal));
    assert_true(edit_chunks(&fro, 3, &refusal));
    assert_written(&round, PARAM_FORWARD, "5, 7, 10");
    assert_written(&fro, PARAM_FORWARD, "8, 7, 7");
    assert_written(&round, PARAM_BACKWARD, "6");
    check_work(&round, round_work);
    check_work(&fro, fro_work);
    scenario_free(&round);
    scenario_free(&fro);
}

static void test_changing_stages_gathers(void **state)
{
    struct scenario round = make_chunked(&loop), fro = make_chunked(&vee);
    struct refusal refusal;

    (void)state;
    assert_true(edit_stages(&round, 4, &refusal));
    assert_written(&round, PARAM_FORWARD, "5, 7, 10, 10");
    fro.hold = HOLD_MODEL;
    assert_true(edit_stages(&fro, 1, &refusal));
    assert_written(&fro, PARAM_FORWARD, "22");
    assert_written(&fro, PARAM_BACKWARD, "18");
    scenario_free(&round);
    scenario_free(&fro);
}

static void test_changing_family_gathers(void **state)
{
    struct scenario scenario = make_chunked(&loop);
    struct refusal refusal;
    const double work[] = {8 * 11, 8 * 13, 8 * 16};

    (void)state;
    assert_true(edit_schedule(&scenario, &vee, &refusal)); /* same V, other devices */
    assert_written(&scenario, PARAM_FORWARD, "5, 7, 10");
    check_work(&scenario, work);
    set(&scenario, PARAM_FORWARD, "1,2,3,4,5,7");
    assert_true(edit_schedule(&scenario, &vee2, &refusal)); /* same V, same devices */
    assert_written(&scenario, PARAM_FORWARD, "1, 2, 3, 4, 5, 7");
    assert_true(edit_chunks(&scenario, 5, &refusal)); /* wanted, but not what it uses */
    assert_written(&scenario, PARAM_FORWARD, "1, 2, 3, 4, 5, 7");
    assert_true(edit_chunks(&scenario, 2, &refusal));
    assert_true(edit_schedule(&scenario, pg_family_find("1f1b"), &refusal));
    assert_written(&scenario, PARAM_FORWARD, "8, 7, 7");
    assert_int_equal(scenario.chunks, 2);
    assert_int_equal(scenario_chunks(&scenario), 1);
    scenario_free(&scenario);
}

static void test_wanted_chunks_are_remembered(void **state)
{
    struct scenario scenario = make("4", "1", "2");
    struct refusal refusal;

    (void)state;
    assert_true(edit_chunks(&scenario, 3, &refusal)); /* gpipe has none */
    assert_int_equal(scenario_chunks(&scenario), 1);
    assert_true(edit_schedule(&scenario, &loop, &refusal));
    assert_int_equal(scenario_chunks(&scenario), 3);
    assert_true(edit_schedule(&scenario, &vee2, &refusal));
    assert_int_equal(scenario_chunks(&scenario), 2);
    assert_true(edit_schedule(&scenario, &loop, &refusal));
    assert_int_equal(scenario_chunks(&scenario), 3);
    scenario_free(&scenario);
}

/* ---- one cost ---- */

static void test_one_cost(void **state)
{
    struct scenario scenario = make("4", "1", "2");
    struct refusal refusal;

    (void)state;
    assert_true(edit_cost(&scenario, PARAM_FORWARD, 2, 2.5, &refusal));
    assert_written(&scenario, PARAM_FORWARD, "1, 1, 2.5, 1");
    assert_written(&scenario, PARAM_BACKWARD, "2");
    assert_true(edit_cost(&scenario, PARAM_BACKWARD, PG_NONE, 7, &refusal));
    assert_written(&scenario, PARAM_BACKWARD, "7");
    assert_true(edit_cost(&scenario, PARAM_FORWARD, PG_NONE, 3, &refusal));
    assert_written(&scenario, PARAM_FORWARD, "3");
    scenario_free(&scenario);

    scenario = make_chunked(&loop);
    set(&scenario, PARAM_FORWARD, "2,4,6");
    assert_true(edit_cost(&scenario, PARAM_FORWARD, 4, 9, &refusal));
    assert_written(&scenario, PARAM_FORWARD, "1, 2, 3, 1, 9, 3");
    scenario_free(&scenario);
}

static void test_costs_refused(void **state)
{
    const double wrong[] = {0, -1, NAN, INFINITY, -INFINITY, 1e301, 1.7e308};
    struct scenario scenario = make("4", "1,2,3,4", "2");
    struct refusal refusal;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        for (uint32_t stage = 0; stage < 2; stage++) {
            refusal.param = PARAM_COUNT;
            assert_false(
                edit_cost(&scenario, PARAM_FORWARD, stage == 0 ? 0 : PG_NONE, wrong[i], &refusal));
            assert_int_equal(refusal.param, PARAM_FORWARD);
            assert_true(refusal.report.text[0] != '\0');
            assert_written(&scenario, PARAM_FORWARD, "1, 2, 3, 4");
        }
    scenario_free(&scenario);
}

static void test_cost_steps(void **state)
{
    struct scenario scenario = make("4", "1", "2");
    struct refusal refusal;

    (void)state;
    assert_true(edit_cost_step(&scenario, PARAM_FORWARD, PG_NONE, 3, &refusal));
    assert_written(&scenario, PARAM_FORWARD, "1.3");
    assert_true(edit_cost_step(&scenario, PARAM_BACKWARD, 1, -1, &refusal));
    assert_written(&scenario, PARAM_BACKWARD, "2, 1.9, 2, 2");
    assert_true(edit_cost_step(&scenario, PARAM_BACKWARD, PG_NONE, 1, &refusal));
    assert_written(&scenario, PARAM_BACKWARD, "2.2, 2, 2.2, 2.2");
    scenario_free(&scenario);
}

static void test_layers_to_costs(void **state)
{
    struct scenario scenario = make("4", "1", "2");
    struct refusal refusal;

    (void)state;
    set(&scenario, PARAM_LAYERS, "8*1, 3");
    set(&scenario, PARAM_SPLIT, "2,2,2,3");
    set(&scenario, PARAM_RATIO, "3");
    assert_true(edit_layers_to_costs(&scenario, &refusal));
    assert_written(&scenario, PARAM_FORWARD, "2, 2, 2, 5");
    assert_written(&scenario, PARAM_BACKWARD, "6, 6, 6, 15");
    assert_null(scenario.layers);
    assert_null(scenario.counts);
    assert_true(scenario_is_default(&scenario, PARAM_SPLIT));
    assert_true(scenario_is_default(&scenario, PARAM_RATIO));

    set(&scenario, PARAM_LAYERS, "1,1");
    assert_false(edit_layers_to_costs(&scenario, &refusal)); /* too few of them */
    assert_written(&scenario, PARAM_FORWARD, "2, 2, 2, 5");
    assert_non_null(scenario.layers);
    scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ladder_up_and_down),
        cmocka_unit_test(test_ladder_several_steps),
        cmocka_unit_test(test_ladder_off_the_rungs),
        cmocka_unit_test(test_ladder_ends),
        cmocka_unit_test(test_hold_stage),
        cmocka_unit_test(test_hold_model_by_hand),
        cmocka_unit_test(test_hold_model_keeps_totals),
        cmocka_unit_test(test_layers_stay),
        cmocka_unit_test(test_edits_leave_copies_alone),
        cmocka_unit_test(test_device_lists),
        cmocka_unit_test(test_changing_chunks_gathers),
        cmocka_unit_test(test_changing_stages_gathers),
        cmocka_unit_test(test_changing_family_gathers),
        cmocka_unit_test(test_wanted_chunks_are_remembered),
        cmocka_unit_test(test_one_cost),
        cmocka_unit_test(test_costs_refused),
        cmocka_unit_test(test_cost_steps),
        cmocka_unit_test(test_layers_to_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
