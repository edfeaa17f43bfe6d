/* The conditions of lessons: what they mean on states whose figures closed forms give, what is
 * refused and with which words, and words with figures in them. */
#include "driver.h"
#include "model/goal.h"

#include <math.h>
#include <string.h>

/* 1F1B with 4 stages of 1+2 and 8 micro-batches: makespan 3 (M + P - 1) = 33, bubble 3/11, idle
 * over busy 3/8, every device works 24 of 33, stage d keeps P - d. The start has M = 4:
 * makespan 21. */
struct world {
    struct scenario scenario, before;
    struct outcome outcome, earlier;
    struct facts facts, start;
};

static int make_world(void **state)
{
    static struct world world;
    struct refusal refusal;

    memset(&world, 0, sizeof world);
    assert_true(scenario_init(&world.scenario));
    set(&world.scenario, PARAM_SCHEDULE, "1f1b");
    scenario_copy(&world.before, &world.scenario);
    set(&world.before, PARAM_MICRO_BATCHES, "4");
    assert_true(outcome_run(&world.outcome, &world.scenario, &refusal));
    assert_true(outcome_run(&world.earlier, &world.before, &refusal));
    world.start = (struct facts){&world.before, &world.earlier, NULL, NAN};
    world.facts = (struct facts){&world.scenario, &world.outcome, &world.start, 28};
    *state = &world;
    return 0;
}

static int free_world(void **state)
{
    struct world *world = *state;

    outcome_free(&world->outcome);
    outcome_free(&world->earlier);
    scenario_free(&world->scenario);
    scenario_free(&world->before);
    return 0;
}

static bool holds(const struct world *world, const char *text)
{
    struct goal goal;
    struct report report;

    if (!goal_parse(&goal, text, &report))
        fail_msg("'%s': %s", text, report.text);
    bool is_held = goal_holds(&goal, &world->facts);
    goal_free(&goal);
    return is_held;
}

static void test_true(void **state)
{
    static const char *const texts[] = {
        "makespan = 33",
        "bubble = 3/11",
        "bubble < 28% and bubble > 27%",
        "idle_over_ideal = 37.5%",
        "utilization = 8/11",
        "throughput = 8/33",
        "floor = 24",
        "span <= makespan",
        "peak_stash = 4 and stash 0 = 4 and stash 3 = 1",
        "memory = peak_stash",
        "stages = 4 and micro_batches = 8 and chunks = 1 and transfer = 0",
        "idle 0 = 9/33 and idle 3 = 9/33",
        "work 2 = 24",
        "forward 1 = 1 and backward 1 = 2 and cost 1 = 3",
        "schedule = 1f1b",
        "schedule=1f1b and makespan>0",
        "schedule != zb-h1",
        "start makespan = 21",
        "makespan > start makespan and peak_stash = start peak_stash",
        "answer = 28",
        /* Binding: products before sums before comparisons before not before and before or. */
        "1 + 2 * 3 = 7",
        "(1 + 2) * 3 = 9",
        "10 - 4 - 3 = 3",
        "12 / 2 / 3 = 2",
        "-2 + 3 = 1",
        "2 * -3 = -6",
        "not 1 = 2",
        "not 1 = 2 and 2 = 2",
        "1 = 1 or 1 = 2 and 1 = 3",
        "not (1 = 1 and 1 = 2)",
        "( makespan - start makespan ) / 3 = 4",
        "1e2 = 100 and .5 = 50%",
        /* Rounding: neither less nor more, but equal. */
        "0.1 + 0.2 = 0.3",
        "0.1 + 0.2 <= 0.3",
        "0.1 + 0.2 >= 0.3",
        "not 0.1 + 0.2 > 0.3",
        "not 0.3 < 0.1 + 0.2",
        "not 0.1 + 0.2 != 0.3",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!holds(*state, texts[i]))
            fail_msg("'%s' does not hold", texts[i]);
}

static void test_false(void **state)
{
    static const char *const texts[] = {
        "makespan < 33",
        "makespan > 33",
        "makespan != 33",
        "bubble < 3/11",
        "schedule = gpipe",
        "schedule != 1f1b",
        "1 = 1 and 1 = 2",
        "(1 = 1 or 1 = 2) and 1 = 3",
        "not 1 = 1",
        "not 1 = 1 and 1 = 1",
        /* What there is not: no comparison with it holds, whichever way. */
        "idle 4 < 1",
        "idle 4 >= 0",
        "idle 4 != 7",
        "forward 9 = 1",
        "memory_limit > 0",
        "memory_limit <= 0",
        "layers 0 = 1",
        "1 / 0 > 1",
        "1 / 0 != 1",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (holds(*state, texts[i]))
            fail_msg("'%s' holds", texts[i]);
}

/* 3/(27+3) is a tenth and no less, in doubles too. */
static void test_edge(void **state)
{
    struct world *world = *state;
    struct refusal refusal;

    for (int m = 26; m <= 29; m++) {
        char number[8];
        struct text text;
        text_init(&text, number, sizeof number);
        text_addf(&text, "%d", m);
        set(&world->scenario, PARAM_MICRO_BATCHES, number);
        assert_true(outcome_run(&world->outcome, &world->scenario, &refusal));
        assert_int_equal(holds(world, "bubble < 10%"), m > 27);
        assert_int_equal(holds(world, "bubble = 10%"), m == 27);
    }
    /* No start known: nothing about it holds. */
    world->facts.start = NULL;
    assert_false(holds(world, "start makespan > 0"));
    assert_false(holds(world, "start makespan <= 0"));
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *where, *what;
    } cases[] = {
        {"", "at the end", "a number or the name of a figure is needed"},
        {"bubble", "at 'bubble'", "compares nothing"},
        {"7", "at '7'", "compares nothing"},
        {"bubble <", "at the end", "a number or the name of a figure is needed"},
        {"bubble < 0.1 and", "at the end", "is needed"},
        {"peek_stash <= 4", "at 'peek_stash <= 4'",
         "no such figure; there are schedule, answer, makespan"},
        {"Bubble < 1", "at 'Bubble < 1'", "no such figure"},
        {"idle < 1", "at 'idle < 1'", "number of a device"},
        {"forward x < 1", "at 'forward x < 1'", "number of a stage"},
        {"idle 99999999999 < 1", "at 'idle 9", "number of a device"},
        {"schedule = fast", "at 'fast'", "no such family"},
        {"schedule < 1f1b", "at '< 1f1b'", "schedule needs = or !="},
        {"start schedule = 1f1b", "at 'schedule = 1f1b'", "no such figure"},
        {"1 < 2 < 3", "at '1 < 2 < 3'", "a comparison cannot be compared"},
        {"(1 < 2) + 3 = 3", "at '(1 < 2) + 3 = 3'", "a comparison cannot be compared or added"},
        {"bubble and 1 = 1", "at 'bubble and 1 = 1'", "need a comparison on either side"},
        {"1 = 1 or bubble", "at ' bubble'", "a comparison is needed here"},
        {"not bubble", "at ' bubble'", "a comparison is needed here"},
        {"-(1 = 1) = 1", "at '(1 = 1) = 1'", "a number or figure is needed here"},
        {"(bubble < 1", "at the end", "a ) is missing"},
        {"bubble < 1)", "at ')'", "the end is needed"},
        {"bubble < 1 makespan > 2", "at 'makespan > 2'", "and, or, or the end"},
        {"bubble < 1.2.3", "at '1.2.3'", "no number"},
        {"bubble < $5", "at '$5'", "a number or the name of a figure"},
        {"bubble ≤ 5", "at '≤ 5'", "the end is needed"},
        {"bubble < 1\x1b[2J", "at '\xef\xbf\xbd[2J'", "the end is needed"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct goal goal;
        struct report report;
        if (goal_parse(&goal, cases[i].text, &report))
            fail_msg("'%s' was taken", cases[i].text);
        if (strstr(report.text, cases[i].where) == NULL ||
            strstr(report.text, cases[i].what) == NULL)
            fail_msg("'%s': '%s'", cases[i].text, report.text);
    }
}

static void test_sizes(void **state)
{
    char deep[400] = "", longer[2000] = "1 = 1";
    struct goal goal;
    struct report report;

    (void)state;
    memset(deep, '(', 200);
    assert_false(goal_parse(&goal, deep, &report));
    assert_non_null(strstr(report.text, "nested too deeply"));
    for (int i = 0; i < 15; i++)
        strcat(longer, " and 1 = 1");
    assert_true(goal_parse(&goal, longer, &report)); /* 16 comparisons of 3 parts, 15 times and */
    goal_free(&goal);
    strcat(longer, " and 1 = 1");
    assert_false(goal_parse(&goal, longer, &report));
    assert_non_null(strstr(report.text, "at most 64"));
}

static void test_words(void **state)
{
    static const struct {
        const char *words, *said;
    } cases[] = {
        {"plain", "plain"},
        {"", ""},
        {"{makespan} units", "33 units"},
        {"a bubble of {bubble}, {idle_over_ideal}", "a bubble of 27.3%, 37.5%"},
        {"{100 * 1 / 4} {idle 1} {makespan - start makespan}{answer}", "25 27.3% 1228"},
        {"{300 / 29} % {throughput} {answer * 1000 / 3} {start makespan / 2}",
         "10.3 % 0.242 9333 10.5"},
        {"{idle 9}", "?"},
    };
    static const char *const bad[] = {"{", "a {bubble", "{}", "{bubbel}", "{bubble < 1}"};
    struct world *world = *state;
    struct report report;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char said[200];
        struct text text;
        text_init(&text, said, sizeof said);
        assert_true(words_check(cases[i].words, &report));
        words_write(cases[i].words, &world->facts, &text);
        assert_string_equal(said, cases[i].said);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (words_check(bad[i], &report))
            fail_msg("'%s' was taken", bad[i]);
    assert_true(words_fit("{idle 3} {start idle 3} {answer}", &world->facts, &report));
    assert_false(words_fit("{bubble} {idle 4}", &world->facts, &report));
    assert_string_equal(report.text, "idle 4: this step has no device 4, its last one is 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_true, make_world, free_world),
        cmocka_unit_test_setup_teardown(test_false, make_world, free_world),
        cmocka_unit_test_setup_teardown(test_edge, make_world, free_world),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test_setup_teardown(test_words, make_world, free_world),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
