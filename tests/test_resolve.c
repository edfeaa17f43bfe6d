/* From a scenario to a timed plan: numbers worked out by hand and by closed form, lists spread over
 * stages, layers split, and every refusal with the parameter that is to blame. */
#include "core/internal.h"
#include "driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

static void run(struct outcome *outcome, const struct scenario *scenario)
{
    struct refusal refusal;

    if (!scenario_check(scenario, &refusal) || !outcome_run(outcome, scenario, &refusal))
        fail_msg("%s", refusal.report.text);
}

static void check_makespan(struct scenario scenario, double makespan)
{
    struct outcome outcome = {.block = NULL};

    run(&outcome, &scenario);
    assert_verified(&outcome.plan);
    assert_near(outcome.metrics.makespan, makespan);
    assert_near(outcome.plan.makespan, makespan);
    outcome_free(&outcome);
    scenario_free(&scenario);
}

static bool can_four(const struct pg_problem *problem)
{
    return problem->micro_batches % 4 == 0;
}

/* Backward first: never runs. */
static void emit_stuck(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    (void)device;
    for (uint32_t m = 0; m < problem->micro_batches; m++)
        put(out, PG_BACKWARD, 0, m);
    for (uint32_t m = 0; m < problem->micro_batches; m++)
        put(out, PG_FORWARD, 0, m);
}

static const struct pg_family loop = {.name = "loop",
                                      .title = "Loop",
                                      .rule = "M in fours",
                                      .placement = PG_LOOP,
                                      .can = can_four,
                                      .emit = emit_there_and_back};
static const struct pg_family vee = {.name = "vee",
                                     .title = "Vee",
                                     .rule = "",
                                     .placement = PG_V,
                                     .can = can_any,
                                     .emit = emit_there_and_back};
static const struct pg_family stuck = {.name = "stuck",
                                       .title = "Stuck",
                                       .rule = "",
                                       .fixed_chunks = 1,
                                       .can = can_any,
                                       .emit = emit_stuck};

/* ---- plans ---- */

static void test_makespans(void **state)
{
    static const char *const both[] = {"gpipe", "1f1b"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        check_makespan(SCENARIO("schedule", both[i]), 33);
        check_makespan(SCENARIO("schedule", both[i], "p", "8", "m", "64"), 213);
        check_makespan(SCENARIO("schedule", both[i], "f", "0.5", "b", "1.5"), 22);
        check_makespan(SCENARIO("schedule", both[i], "p", "1", "m", "1"), 3);
        check_makespan(SCENARIO("schedule", both[i], "layers", "8*1,3", "split", "2,2,2,3"), 138);
        check_makespan(SCENARIO("schedule", both[i], "layers", "8*1,3", "split", "uniform"), 117);
        check_makespan(SCENARIO("schedule", both[i], "layers", "8*1,3"), 96);
    }
    check_makespan(SCENARIO("schedule", "1f1b", "p", "64", "m", "1024"), 3261);
    check_makespan(SCENARIO("schedule", "1f1b", "f", "1.5,1,1,1", "b", "3,2,2,2"), 40.5);
    check_makespan(SCENARIO("schedule", "1f1b", "f", "1,1.5,1,1", "b", "2,3,2,2"), 42);
    check_makespan(SCENARIO("schedule", "1f1b", "f", "1,1,1.5,1", "b", "2,2,3,2"), 43.5);
    check_makespan(SCENARIO("schedule", "1f1b", "f", "1,1,1,1.5", "b", "2,2,2,3"), 45);
    check_makespan(SCENARIO("schedule", "gpipe", "transfer", "0.5"), 36);
    check_makespan(SCENARIO("schedule", "1f1b", "transfer", "0.5"), 41);
}

static void test_metrics(void **state)
{
    (void)state;
    for (uint32_t p = 1; p <= 9; p++)
        for (uint32_t m = 1; m <= 20; m += 1 + m / 4) {
            struct outcome outcome = {.block = NULL};
            struct scenario scenario = SCENARIO("schedule", "1f1b", "f", "0.75", "b", "1.25");
            scenario.stages = p;
            scenario.micro_batches = m;
            run(&outcome, &scenario);
            assert_near(outcome.metrics.makespan, (m + p - 1) * 2.0);
            assert_true(fabs(outcome.metrics.bubble_fraction - (p - 1.0) / (m + p - 1)) < 1e-12);
            assert_near(outcome.metrics.peak_stash, p < m ? p : m);
            for (uint32_t s = 0; s < p; s++)
                assert_near(outcome.metrics.stage_peak_stash[s], p - s < m ? p - s : m);
            assert_near(outcome.metrics.throughput, m / ((m + p - 1) * 2.0));
            outcome_free(&outcome);
            scenario_free(&scenario);
        }
}

/* One outcome for all: growing, shrinking and failing in between must not harm it. */
static void test_outcome_is_used_again(void **state)
{
    static const uint32_t sizes[][2] = {{4, 8},   {64, 64}, {1, 1}, {8, 4},
                                        {3, 700}, {200, 2}, {2, 2}};
    struct outcome outcome = {.block = NULL};
    struct scenario scenario = SCENARIO("schedule", "1f1b"), wrong = SCENARIO("f", "1,2");
    struct refusal refusal;

    (void)state;
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            scenario.stages = sizes[i][0];
            scenario.micro_batches = sizes[i][1];
            run(&outcome, &scenario);
            assert_verified(&outcome.plan);
            assert_near(outcome.metrics.makespan, 3.0 * (sizes[i][0] + sizes[i][1] - 1));
            if (round > 0)
                assert_false(outcome_run(&outcome, &wrong, &refusal));
        }
    outcome_free(&outcome);
    outcome_free(&outcome);
    scenario_free(&scenario);
    scenario_free(&wrong);
}

/* ---- lists ---- */

static void check_spread(const struct pg_family *family, const char *forward,
                         const double *expected)
{
    struct scenario scenario = SCENARIO("p", "3", "chunks", "2", "f", forward, "b", "4");
    struct outcome outcome = {.block = NULL};
    double spread[6];

    scenario.schedule = family;
    assert_int_equal(scenario_chunks(&scenario), 2);
    assert_int_equal(scenario_stages(&scenario), 6);
    costs_spread(&scenario, scenario.forward, spread);
    run(&outcome, &scenario);
    assert_verified(&outcome.plan);
    assert_int_equal(outcome.resolved.stages, 6);
    for (uint32_t s = 0; s < 6; s++) {
        assert_near(spread[s], expected[s]);
        assert_near(outcome.resolved.forward[s], expected[s]);
        assert_near(outcome.resolved.backward[s], 2);
        assert_near(outcome.plan.cost[s * PG_KINDS + PG_FORWARD], expected[s]);
        assert_near(outcome.plan.cost[s * PG_KINDS + PG_BACKWARD], 2);
    }
    outcome_free(&outcome);
    scenario_free(&scenario);
}

static void test_spread(void **state)
{
    const double one[] = {1, 1, 1, 1, 1, 1}, each[] = {1, 2, 3, 4, 5, 6};
    const double loop_devices[] = {1, 2, 3, 1, 2, 3}, vee_devices[] = {1, 2, 3, 3, 2, 1};

    (void)state;
    check_spread(&loop, "2", one);
    check_spread(&loop, "1,2,3,4,5,6", each);
    check_spread(&loop, "2,4,6", loop_devices);
    check_spread(&vee, "2", one);
    check_spread(&vee, "1,2,3,4,5,6", each);
    check_spread(&vee, "2,4,6", vee_devices); /* 2, 4 and 6 are what devices take in all */
}

static void test_fixed_chunks(void **state)
{
    struct scenario scenario = SCENARIO("chunks", "7");

    (void)state;
    assert_int_equal(scenario_chunks(&scenario), 1); /* gpipe has none, whatever is wanted */
    assert_int_equal(scenario_stages(&scenario), 4);
    check_makespan(scenario, 33);
}

/* ---- layers ---- */

struct wanted_range {
    uint32_t start, end;
    double load, forward, backward;
};

static void check_layers(struct scenario scenario, const struct wanted_range *expected)
{
    struct outcome outcome = {.block = NULL};

    run(&outcome, &scenario);
    for (uint32_t s = 0; s < scenario.stages; s++) {
        assert_int_equal(outcome.resolved.ranges[s].start, expected[s].start);
        assert_int_equal(outcome.resolved.ranges[s].end, expected[s].end);
        assert_near(outcome.resolved.ranges[s].load, expected[s].load);
        assert_near(outcome.resolved.forward[s], expected[s].forward);
        assert_near(outcome.resolved.backward[s], expected[s].backward);
    }
    outcome_free(&outcome);
    scenario_free(&scenario);
}

static void test_splits(void **state)
{
    static const struct wanted_range balanced[] = {
        {0, 2, 2, 2, 4}, {2, 5, 3, 3, 6}, {5, 8, 3, 3, 6}, {8, 9, 3, 3, 6}};
    static const struct wanted_range uniform[] = {
        {0, 3, 3, 3, 6}, {3, 5, 2, 2, 4}, {5, 7, 2, 2, 4}, {7, 9, 4, 4, 8}};
    static const struct wanted_range given[] = {
        {0, 1, 1, 1, 2}, {1, 4, 3, 3, 6}, {4, 7, 3, 3, 6}, {7, 9, 4, 4, 8}};

    (void)state;
    check_layers(SCENARIO("layers", "8*1,3"), balanced);
    check_layers(SCENARIO("layers", "8*1,3", "split", "uniform"), uniform);
    check_layers(SCENARIO("layers", "8*1,3", "split", "1,2*3,2"), given);
}

/* What is balanced: F, or F + B as soon as a layer has a B of its own. */
static void test_what_is_balanced(void **state)
{
    static const struct wanted_range forward[] = {{0, 2, 2, 2, 6}, {2, 4, 2, 2, 6}};
    static const struct wanted_range whole[] = {{0, 3, 6, 3, 3}, {3, 4, 10, 1, 9}};
    static const struct wanted_range mixed[] = {{0, 3, 9, 3, 6}, {3, 4, 10, 1, 9}};

    (void)state;
    check_layers(SCENARIO("p", "2", "layers", "4*1", "backward_ratio", "3"), forward);
    check_layers(SCENARIO("p", "2", "layers", "3*1/1,1/9"), whole);
    check_layers(SCENARIO("p", "2", "layers", "3*1,1/9"), mixed);
}

static void test_layers_over_chunks(void **state)
{
    struct scenario scenario = SCENARIO("p", "2", "chunks", "2", "layers", "1,2,3,4");
    struct outcome outcome = {.block = NULL};

    (void)state;
    scenario.schedule = &vee;
    run(&outcome, &scenario);
    assert_int_equal(outcome.resolved.stages, 4);
    assert_near(outcome.metrics.device_work[0], 8 * 3 * (1 + 4.0));
    assert_near(outcome.metrics.device_work[1], 8 * 3 * (2 + 3.0));
    outcome_free(&outcome);
    scenario_free(&scenario);
}

/* ---- refusals ---- */

/* Refused with this parameter to blame and these words in the sentence, by check as by run. */
static void check_refused(struct scenario scenario, enum param param, const char *const *words)
{
    struct outcome outcome = {.block = NULL};
    struct refusal checked, refusal;

    assert_false(scenario_check(&scenario, &checked));
    assert_false(outcome_run(&outcome, &scenario, &refusal));
    assert_string_equal(checked.report.text, refusal.report.text);
    assert_int_equal(refusal.param, param);
    assert_int_equal(checked.param, param);
    assert_false(refusal.is_memory);
    for (; *words != NULL; words++)
        assert_in(*words, refusal.report.text);
    outcome_free(&outcome);
    scenario_free(&scenario);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_counts_refused(void **state)
{
    static const struct {
        uint32_t stages, micro_batches, chunks;
        enum param param;
        const char *words[3];
    } wrong[] = {
        {0, 8, 1, PARAM_STAGES, {"stages", "0", NULL}},
        {4097, 8, 1, PARAM_STAGES, {"4097", "4096", NULL}},
        {4, 0, 1, PARAM_MICRO_BATCHES, {"micro_batches", "0", NULL}},
        {4, 1000001, 1, PARAM_MICRO_BATCHES, {"1000001", "1000000", NULL}},
        {4, 8, 65, PARAM_CHUNKS, {"65", "64", NULL}},
        {UINT32_MAX, UINT32_MAX, UINT32_MAX, PARAM_STAGES, {"4294967295", "4096", NULL}},
        {4096, 1000000, 64, PARAM_COUNT, {"524288000000", "16777216", NULL}},
        {4, 8388608 / 4 / 64 + 4, 64, PARAM_COUNT, {"16779264", "16777216", NULL}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct scenario scenario = SCENARIO("p", "4");
        scenario.schedule = &loop;
        scenario.stages = wrong[i].stages;
        scenario.micro_batches = wrong[i].micro_batches;
        scenario.chunks = wrong[i].chunks;
        check_refused(scenario, wrong[i].param, wrong[i].words);
    }
}

static void test_most_operations(void **state)
{
    struct scenario scenario = SCENARIO("p", "4096", "m", "2048"); /* 2^24 operations */
    struct refusal refusal;

    (void)state;
    assert_true(scenario_check(&scenario, &refusal));
    scenario.micro_batches++;
    check_refused(scenario, PARAM_COUNT, WORDS("16785408", "16777216"));
}

static void test_lists_refused(void **state)
{
    struct scenario scenario = SCENARIO("f", "1,2,3,4,5");

    (void)state;
    check_refused(SCENARIO("f", "1,2,3"), PARAM_FORWARD, WORDS("forward", "3 values", "1 or 4"));
    check_refused(SCENARIO("b", "1,2"), PARAM_BACKWARD, WORDS("backward", "2 values", "1 or 4"));
    scenario.schedule = &loop;
    scenario.chunks = 2;
    check_refused(scenario, PARAM_FORWARD, WORDS("5 values", "4", "8"));
    scenario = SCENARIO("f", "1");
    scenario.forward->v[0] = 1e308;
    check_refused(scenario, PARAM_COUNT, WORDS("more than a number can hold"));
}

static void test_costs_refused(void **state)
{
    struct scenario scenario = SCENARIO("f", "1,2,3,4");

    (void)state;
    scenario.forward->v[2] = -3;
    check_refused(scenario, PARAM_FORWARD, WORDS("forward", "stage 2", "-3", "more than 0"));
    scenario = SCENARIO("b", "7");
    scenario.backward->v[0] = NAN;
    check_refused(scenario, PARAM_BACKWARD, WORDS("backward", "not finite"));
    scenario = SCENARIO("p", "4");
    scenario.transfer = INFINITY;
    check_refused(scenario, PARAM_TRANSFER, WORDS("transfer", "not finite"));
    scenario = SCENARIO("p", "4");
    scenario.transfer = -1;
    check_refused(scenario, PARAM_TRANSFER, WORDS("transfer", "-1"));
}

static void test_layers_refused(void **state)
{
    (void)state;
    check_refused(SCENARIO("layers", "1,1,1"), PARAM_LAYERS, WORDS("3 layers", "4 stages"));
    check_refused(SCENARIO("layers", "1,1,1", "split", "uniform"), PARAM_LAYERS,
                  WORDS("3 layers", "4 stages"));
    check_refused(SCENARIO("layers", "8*1", "split", "2,2,4"), PARAM_SPLIT,
                  WORDS("split", "3 counts", "4 stages"));
    check_refused(SCENARIO("layers", "8*1", "split", "2,2,2,3"), PARAM_SPLIT, WORDS("9", "8"));
    /* Nothing wrong with the split, but a stage of nothing cannot be timed. */
    check_refused(SCENARIO("layers", "1,1,1,0", "split", "uniform"), PARAM_FORWARD,
                  WORDS("stage 3", "0"));
    check_refused(SCENARIO("layers", "1/1,1/1,1/1,1/0"), PARAM_BACKWARD, WORDS("stage 3", "0"));
}

static void test_rule_and_deadlock(void **state)
{
    struct scenario scenario = SCENARIO("m", "6");
    struct outcome outcome = {.block = NULL};
    struct refusal refusal;

    (void)state;
    scenario.schedule = &loop;
    check_refused(scenario, PARAM_COUNT, WORDS("loop: needs M in fours; try M=8"));

    scenario = SCENARIO("m", "6");
    scenario.schedule = &stuck;
    assert_true(scenario_check(&scenario, &refusal)); /* only running it shows */
    assert_false(outcome_run(&outcome, &scenario, &refusal));
    assert_in("never ends", refusal.report.text);
    assert_in("B0 of stage", refusal.report.text);
    outcome_free(&outcome);
    scenario_free(&scenario);
}

/* The rule, the numbers behind it as schedules.md has them, and the nearest values, worked out by
 * hand. */
static void test_refusals_name_numbers(void **state)
{
    static const struct {
        const char *family, *p, *m, *v, *group, *sentence;
    } known[] = {
        {"dualpipe", "8", "6", "1", NULL,
         "dualpipe: needs P even, M even and at least 2P = 16; try M=16 or P=2"},
        {"dualpipe", "8", "17", "1", NULL, "M even and at least 2P = 16; try M=18"},
        {"dualpipe", "5", "6", "1", NULL, "at least 2P = 10; try P=2"},
        {"dualpipe", "3", "5", "1", NULL, "at least 2P = 6; try P=4 and M=8"},
        {"dualpipev", "4", "7", "1", NULL, "dualpipev: needs M at least 2P = 8; try M=8 or P=3"},
        {"dualpipev", "64", "1", "1", NULL, "M at least 2P = 128; try M=128"},
        {"chimera", "4", "6", "1", NULL, "M a multiple of P = 4; try M=8 or P=6"},
        {"chimera", "5", "5", "1", NULL, "M a multiple of P = 5; try P=6 and M=6"},
        {"interleaved", "4", "6", "2", "4",
         "interleaved: needs G = M, or G from P = 4 to M = 6 with a last group, L = 2, of at least "
         "P; try M=8, P=2, V=1 or group=6"},
        {"interleaved", "4", "8", "2", "3",
         "G from P = 4 to M = 8 with a last group, L = 2, of at least P; try M=3, P=2, V=1 or "
         "group=4"},
        {"interleaved-overlap", "4", "6", "3", NULL,
         "interleaved-overlap: needs G at least M = 6, or at least P = 4 with a last group, L = 2, "
         "of at least 2P-1-G = 3 (1 at V = 2); try M=7, P=3, V=1 or group=6"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct scenario scenario = SCENARIO("m", known[i].m);
        struct refusal refusal;
        struct report report;
        assert_true(scenario_set(&scenario, param_find("stages"), known[i].p, &report));
        assert_true(scenario_set(&scenario, param_find("chunks"), known[i].v, &report));
        if (known[i].group != NULL)
            assert_true(scenario_set(&scenario, param_find("group"), known[i].group, &report));
        scenario.schedule = pg_family_find(known[i].family);
        assert_false(scenario_check(&scenario, &refusal));
        assert_in(known[i].sentence, refusal.report.text);
        scenario_free(&scenario);
    }
}

static void test_every_fact_has_a_sentence(void **state)
{
    char seen[PG_E_DURATION + 1][400];

    (void)state;
    for (int status = PG_OK + 1; status <= PG_E_DURATION; status++) {
        struct pg_fault fault = {.status = (enum pg_status)status,
                                 .field = PG_FIELD_FORWARD,
                                 .device = 5,
                                 .stage = 6,
                                 .micro_batch = 7,
                                 .index = 8,
                                 .kind = PG_BACKWARD,
                                 .value = 0.125,
                                 .limit = 77};
        struct text text;
        text_init(&text, seen[status], sizeof seen[status]);
        fault_write(&fault, pg_family_find("1f1b"), &text);
        assert_true(text.length > 10);
        assert_null(strchr(seen[status], '%'));
        for (int other = PG_OK + 1; other < status; other++)
            assert_string_not_equal(seen[other], seen[status]);
    }
    assert_in("B7 of stage 6", seen[PG_E_MISSING]);
    assert_in("B7 of stage 6", seen[PG_E_DEADLOCK]);
    assert_in("device 5", seen[PG_E_DEADLOCK]);
    assert_in("0.125", seen[PG_E_LIMIT]);
    assert_in("77", seen[PG_E_LIMIT]);
    assert_in("layer 8", seen[PG_E_LAYER_COST]);
}

static void test_kinds(void **state)
{
    static const char *const letters[] = {"F", "B", "I", "W"};

    (void)state;
    for (int kind = 0; kind < PG_KINDS; kind++)
        assert_string_equal(kind_letter(kind), letters[kind]);
    assert_non_null(kind_letter(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_makespans),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_outcome_is_used_again),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_fixed_chunks),
        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_what_is_balanced),
        cmocka_unit_test(test_layers_over_chunks),
        cmocka_unit_test(test_counts_refused),
        cmocka_unit_test(test_most_operations),
        cmocka_unit_test(test_lists_refused),
        cmocka_unit_test(test_costs_refused),
        cmocka_unit_test(test_layers_refused),
        cmocka_unit_test(test_rule_and_deadlock),
        cmocka_unit_test(test_refusals_name_numbers),
        cmocka_unit_test(test_every_fact_has_a_sentence),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
