/* Sweeps: their grammar and what it refuses, values against closed forms, gaps, crossovers of curves
 * that were made up, and the page with its keys, whose runs the test does by hand. */
#include "driver.h"
#include "model/state.h"
#include "model/sweep_page.h"
#include "view/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

/* A sweep that was run; settings are pairs of key and value, ended by NULL. */
static struct sweep *sweep_of(const char *range_text, const char *names,
                              const char *const *settings)
{
    const struct pg_family *families[SWEEP_MOST_FAMILIES];
    struct sweep_range range;
    struct scenario scenario = scenario_with(settings);
    struct report report;
    uint32_t count;

    assert_true(sweep_range_parse(&range, range_text, &report));
    assert_true(sweep_families_parse(names, families, &count, &report));
    struct sweep *sweep = sweep_make(&scenario, &range, families, count, NULL, &report);
    scenario_free(&scenario);
    if (sweep == NULL)
        fail_msg("%s", report.text);
    run_batch(sweep->batch);
    return sweep;
}

#define SWEEP(range, names, ...) sweep_of(range, names, (const char *const[]){__VA_ARGS__ NULL})

static double value_of(const struct sweep *sweep, enum measure measure, uint32_t value,
                       uint32_t family)
{
    double number = NAN;

    assert_true(sweep_measure(sweep, measure, value, family, &number));
    return number;
}

static void assert_close(double actual, double expected)
{
    if (!(fabs(actual - expected) <= 1e-9 * fabs(expected) + 1e-12))
        fail_msg("%.17g is not near %.17g", actual, expected);
}

/* ---- grammar ---- */

static void good_ranges(void **state)
{
    static const struct {
        const char *text;
        enum swept swept;
        uint32_t stage, count;
        double first, second, last;
    } good[] = {
        {"m=1..64", SWEPT_MICRO_BATCHES, PG_NONE, 64, 1, 2, 64},
        {"M=8..512*2", SWEPT_MICRO_BATCHES, PG_NONE, 7, 8, 16, 512},
        {"m=8,16,32", SWEPT_MICRO_BATCHES, PG_NONE, 3, 8, 16, 32},
        {"m=32,8,16,8", SWEPT_MICRO_BATCHES, PG_NONE, 3, 8, 16, 32},
        {"micro-batches=4", SWEPT_MICRO_BATCHES, PG_NONE, 1, 4, NAN, 4},
        {"micro_batches=1..9:4", SWEPT_MICRO_BATCHES, PG_NONE, 3, 1, 5, 9},
        {"m=1..10:4", SWEPT_MICRO_BATCHES, PG_NONE, 3, 1, 5, 9},
        {"m=1..4*1.5", SWEPT_MICRO_BATCHES, PG_NONE, 3, 1, 2, 3}, /* 1 1.5 2.25 3.375 */
        {"m=1..4,8,16..32:8", SWEPT_MICRO_BATCHES, PG_NONE, 8, 1, 2, 32},
        {"p=2..16", SWEPT_STAGES, PG_NONE, 15, 2, 3, 16},
        {"v=1..4", SWEPT_CHUNKS, PG_NONE, 4, 1, 2, 4},
        {"c=1..4", SWEPT_CHUNKS, PG_NONE, 4, 1, 2, 4},
        {"transfer=0..2:0.1", SWEPT_TRANSFER, PG_NONE, 21, 0, 0.1, 2},
        {"t=0.25..4*2", SWEPT_TRANSFER, PG_NONE, 5, 0.25, 0.5, 4},
        {"forward=0.5..3:0.1@2", SWEPT_FORWARD, 2, 26, 0.5, 0.6, 3},
        {"b=1,2@0", SWEPT_BACKWARD, 0, 2, 1, 2, 2},
        {"w=0.1..0.3:0.1", SWEPT_WEIGHT, PG_NONE, 3, 0.1, 0.2, 0.3},
        {"m=1..1000", SWEPT_MICRO_BATCHES, PG_NONE, 1000, 1, 2, 1000},
        {"m=7..7", SWEPT_MICRO_BATCHES, PG_NONE, 1, 7, NAN, 7},
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct sweep_range range;
        struct report report;
        if (!sweep_range_parse(&range, good[i].text, &report))
            fail_msg("%s: %s", good[i].text, report.text);
        assert_int_equal(range.swept, good[i].swept);
        assert_int_equal(range.stage, good[i].stage);
        if (range.count != good[i].count)
            fail_msg("%s: %u values", good[i].text, range.count);
        assert_true(range.values[0] == good[i].first); /* as written: 0.3, not 0.30000000000000004 */
        assert_true(range.count < 2 || range.values[1] == good[i].second);
        assert_true(range.values[range.count - 1] == good[i].last);
    }
}

static void bad_ranges(void **state)
{
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"", "is needed before ="},
        {"m", "m (micro-batches), p (stages), v (chunks)"},
        {"x=1..4", "is needed before ="},
        {"schedule=1", "is needed before ="},
        {"m=", "values are needed as"},
        {"m=,", "values are needed as"},
        {"m=1,", "values are needed as"},
        {"m=1..", "values are needed as"},
        {"m=..4", "values are needed as"},
        {"m=1..2..3", "values are needed as"},
        {"m=1..4:", "values are needed as"},
        {"m=1..4:0", "values are needed as"},
        {"m=1..4*-2", "values are needed as"},
        {"m=nan", "values are needed as"},
        {"m=1;2", "values are needed as"},
        {"m=0..4", "must be a whole number from 1 to 1000000"},
        {"m=1.5", "must be a whole number from 1"},
        {"p=1..4097:4096", "must be a whole number from 1 to 4096"},
        {"v=65", "from 1 to 64"},
        {"m=1..4:0.5", "the step must be a whole number"},
        {"m=4..1", "from the smaller to the larger"},
        {"m=1..1001", "more than 1000 values"},
        {"t=0..2", "a step or a factor is needed"},
        {"t=0..2*2", "the first value more than 0"},
        {"t=1..2*1", "a factor must be at least 1.01"},
        {"t=1..2*1.000000001", "a factor must be at least 1.01"},
        {"t=0..1e300:1e-300", "the step is too small"},
        {"t=-1", "must be a number from 0"},
        {"f=0..1:0.5", "must be a number more than 0"},
        {"m=1..4@2", "@ names the stage of a cost"},
        {"f=1@", "the number of a stage is needed"},
        {"f=1@1.5", "the number of a stage is needed"},
        {"f=1@4096", "the number of a stage is needed"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct sweep_range range;
        struct report report = {.text = ""};
        if (sweep_range_parse(&range, bad[i].text, &report))
            fail_msg("%s was taken", bad[i].text);
        assert_in(bad[i].part, report.text);
    }
}

static void names(void **state)
{
    const struct pg_family *families[SWEEP_MOST_FAMILIES];
    struct report report;
    enum measure measure;
    uint32_t count, all;

    (void)state;
    pg_families(&all);
    assert_true(sweep_families_parse("all", families, &count, &report));
    assert_int_equal(count, all);
    assert_true(sweep_families_parse("zbv,1f1b,zbv", families, &count, &report));
    assert_int_equal(count, 2);
    assert_string_equal(families[0]->name, "zbv");
    assert_false(sweep_families_parse("1f1b,", families, &count, &report));
    assert_false(sweep_families_parse("1f1b,2f2b", families, &count, &report));
    assert_in("'2f2b'", report.text);
    assert_true(measure_parse("stash", &measure, &report) && measure == MEASURE_STASH);
    assert_false(measure_parse("speed", &measure, &report));
    assert_in("bubble, makespan, throughput", report.text);
}

static void assert_number_written(enum measure measure, double number, const char *expected)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    measure_write(measure, number, &text);
    assert_string_equal(buffer, expected);
}

/* Two digits of a small share, which as "0.1%" would hide what it falls to. */
static void numbers_for_reading(void **state)
{
    (void)state;
    assert_number_written(MEASURE_MAKESPAN, 33, "33");
    assert_number_written(MEASURE_BUBBLE, 3.0 / 11, "27.3%");
    assert_number_written(MEASURE_BUBBLE, 0.01, "1%");
    assert_number_written(MEASURE_BUBBLE, 0.0012345, "0.12%");
    assert_number_written(MEASURE_BUBBLE, 0.000098, "0.0098%");
    assert_number_written(MEASURE_BUBBLE, 0, "0%");
}

/* ---- values ---- */

static void micro_batches_and_closed_forms(void **state)
{
    struct sweep *sweep = SWEEP("m=1..64", "gpipe,1f1b", );

    (void)state;
    for (uint32_t v = 0; v < 64; v++) {
        double m = v + 1;
        for (uint32_t f = 0; f < 2; f++) {
            assert_close(value_of(sweep, MEASURE_BUBBLE, v, f), 3 / (m + 3));
            assert_close(value_of(sweep, MEASURE_IDEAL, v, f), 3 / m);
            assert_close(value_of(sweep, MEASURE_MAKESPAN, v, f), 3 * (m + 3));
            assert_close(value_of(sweep, MEASURE_THROUGHPUT, v, f), m / (3 * (m + 3)));
        }
        assert_close(value_of(sweep, MEASURE_STASH, v, 0), m);
        assert_close(value_of(sweep, MEASURE_STASH, v, 1), fmin(m, 4));
    }
    sweep_free(sweep);
}

/* Costs per stage stay, or the model's do: then they shrink as stages grow. */
static void stages_follow_hold(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct sweep *sweep = SWEEP("p=1..32", "1f1b", "hold", i == 0 ? "stage" : "model", );
        for (uint32_t v = 0; v < 32; v++) {
            double p = v + 1, cost = i == 0 ? 3 : 3 * 4 / p;
            assert_close(value_of(sweep, MEASURE_BUBBLE, v, 0), (p - 1) / (8 + p - 1));
            assert_close(value_of(sweep, MEASURE_MAKESPAN, v, 0), cost * (8 + p - 1));
        }
        sweep_free(sweep);
    }
}

static void chunks_and_gaps(void **state)
{
    struct sweep *sweep = SWEEP("v=1..4", "interleaved,gpipe,zbv", );
    double number;

    (void)state;
    for (uint32_t v = 0; v < 4; v++) {
        assert_close(value_of(sweep, MEASURE_BUBBLE, v, 0), 3.0 / (8 * (v + 1) + 3));
        assert_int_equal(sweep_measure(sweep, MEASURE_BUBBLE, v, 1, &number), v == 0);
        assert_int_equal(sweep_measure(sweep, MEASURE_BUBBLE, v, 2, &number), v == 1);
    }
    assert_string_equal(sweep_figures(sweep, 2, 1)->reason, "gpipe always has V=1");
    sweep_free(sweep);

    sweep = SWEEP("m=6..12", "dualpipe,dualpipev", );
    for (uint32_t v = 0; v < 7; v++) {
        uint32_t m = v + 6;
        assert_int_equal(sweep_measure(sweep, MEASURE_BUBBLE, v, 0, &number), m >= 8 && m % 2 == 0);
        assert_int_equal(sweep_measure(sweep, MEASURE_BUBBLE, v, 1, &number), m >= 8);
    }
    assert_in("dualpipe: needs", sweep_figures(sweep, 3, 0)->reason);
    sweep_free(sweep);
}

/* One slow stage, F 1.5 and B 3 of P 4, M 8: 45 at the end, 40.5 at the start (README). */
static void one_stage(void **state)
{
    struct sweep *sweep = SWEEP("f=1,1.5@3", "1f1b,zbv", "backward", "2,2,2,3", );

    (void)state;
    assert_close(value_of(sweep, MEASURE_MAKESPAN, 1, 0), 45);
    /* At equal work, whatever V is. */
    assert_close(sweep_figures(sweep, 1, 0)->floor, 36);
    assert_close(sweep_figures(sweep, 1, 1)->floor, 36);
    sweep_free(sweep);
    sweep = SWEEP("f=1,1.5@0", "1f1b", "backward", "3,2,2,2", );
    assert_close(value_of(sweep, MEASURE_MAKESPAN, 1, 0), 40.5);
    sweep_free(sweep);

    /* All alike: only their sum counts, (F + B)(M + P - 1). */
    sweep = SWEEP("b=0.5..4:0.5", "gpipe", );
    for (uint32_t v = 0; v < 8; v++)
        assert_close(value_of(sweep, MEASURE_MAKESPAN, v, 0), (1 + 0.5 * (v + 1)) * 11);
    sweep_free(sweep);

    /* A list by stage stays one: of device 1 of 2 the stages are 1 and 3, of 4 with V 2. */
    sweep = SWEEP("f=6@1", "interleaved", "schedule", "interleaved", "stages", "2", "chunks", "2",
                  "forward", "1,2,3,4", "backward", "2", );
    const struct list *list = sweep_scenario(sweep, 0, 0)->forward;
    assert_int_equal(list->n, 4);
    assert_true(list->v[0] == 1 && list->v[1] == 3 && list->v[2] == 3 && list->v[3] == 3);
    sweep_free(sweep);

    /* The weight part that is not given is half of the backward. */
    sweep = SWEEP("w=1.5@0", "zb1p", );
    list = sweep_scenario(sweep, 0, 0)->weight;
    assert_int_equal(list->n, 4);
    assert_true(list->v[0] == 1.5 && list->v[1] == 1 && list->v[3] == 1);
    sweep_free(sweep);

    /* From layers, one of them costs 3: costs by stage are what is swept. */
    sweep = SWEEP("f=2@1", "gpipe", "stages", "2", "layers", "4*1", );
    assert_null(sweep_scenario(sweep, 0, 0)->layers);
    assert_close(sweep_figures(sweep, 0, 0)->floor, (2 + 4) * 8); /* B stays 4 */
    sweep_free(sweep);
}

static void transfer(void **state)
{
    struct sweep *sweep = SWEEP("t=0..1:0.5", "gpipe,1f1b", );

    (void)state;
    assert_close(value_of(sweep, MEASURE_MAKESPAN, 0, 0), 33);
    assert_close(value_of(sweep, MEASURE_MAKESPAN, 1, 0), 36); /* three hops there, three back */
    assert_close(value_of(sweep, MEASURE_MAKESPAN, 1, 1), 41);
    assert_close(value_of(sweep, MEASURE_MAKESPAN, 2, 0), 39);
    sweep_free(sweep);
}

static void weight_and_limit(void **state)
{
    struct sweep *sweep = SWEEP("w=0.5..2.5:0.5", "1f1b,zb1p", "memory_limit", "3", );

    (void)state;
    assert_in("does not split the backward", sweep_figures(sweep, 0, 0)->reason);
    assert_true(sweep_figures(sweep, 2, 1)->is_possible);
    assert_true(sweep_figures(sweep, 2, 1)->is_over_limit);
    assert_false(sweep_figures(sweep, 3, 1)->is_possible); /* no less than the whole backward */
    sweep_free(sweep);
}

static void a_stage_that_is_not_there(void **state)
{
    const struct pg_family *family = pg_family_find("gpipe");
    struct sweep_range range;
    struct scenario scenario;
    struct report report;

    (void)state;
    assert_true(scenario_init(&scenario));
    assert_true(sweep_range_parse(&range, "f=1@4", &report));
    assert_null(sweep_make(&scenario, &range, &family, 1, NULL, &report));
    assert_string_equal(report.text, "stage 4 is not there: stages 0 to 3 are");
    scenario_free(&scenario);
}

static void figures_are_taken_over(void **state)
{
    struct sweep *old = SWEEP("m=1..8", "gpipe,1f1b", );
    const struct pg_family *families[] = {pg_family_find("zbv"), pg_family_find("1f1b")};
    struct scenario scenario;
    struct report report;

    (void)state;
    assert_true(scenario_init(&scenario));
    struct sweep *sweep = sweep_make(&scenario, &old->range, families, 2, old, &report);
    assert_non_null(sweep);
    assert_int_equal(batch_done(sweep->batch), 8);
    assert_close(value_of(sweep, MEASURE_MAKESPAN, 7, 1), 33);
    sweep_free(old);
    run_batch(sweep->batch);
    assert_int_equal(batch_done(sweep->batch), 16);
    assert_close(value_of(sweep, MEASURE_MAKESPAN, 7, 0), 25.5);
    scenario_free(&scenario);
    sweep_free(sweep);
}

/* ---- crossovers ---- */

/* Curves that were made up take the place of what was run; NAN: a gap. */
static struct sweep *make_up(const double (*curves)[2], uint32_t count)
{
    char range[40];
    struct text text;

    text_init(&text, range, sizeof range);
    text_addf(&text, "m=1..%u", count);
    struct sweep *sweep = sweep_of(range, "gpipe,1f1b", (const char *const[]){NULL});
    for (uint32_t v = 0; v < count; v++)
        for (uint32_t f = 0; f < 2; f++) {
            struct figures *figures = &sweep->batch->jobs[v * 2 + f].figures;
            figures->is_possible = !isnan(curves[v][f]);
            figures->makespan = figures->throughput = curves[v][f];
        }
    return sweep;
}

static void crossovers(void **state)
{
    static const struct {
        double curves[6][2];
        uint32_t count;
        struct crossing expected[3];
        const char *words;
    } cases[] = {
        {{{1, 2}, {1, 2}, {1, 3}, {1, 2}, {0, 2}, {1, 2}}, 0, {{0}}, ""},
        {{{1, 1}, {2, 2}, {3, 3}, {3, 3}, {4, 4}, {5, 5}}, 0, {{0}}, ""},
        {{{3, 2}, {3, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}},
         1, {{CROSSING_CROSS, 2, 0, 1}}, "gpipe below 1f1b from M=3"},
        {{{1, 2}, {3, 2}, {1, 2}, {1, 2}, {3, 2}, {3, 2}},
         3, {{CROSSING_CROSS, 1, 1, 0}, {CROSSING_CROSS, 2, 0, 1}, {CROSSING_CROSS, 4, 1, 0}},
         "1f1b below gpipe from M=2"},
        /* equal in between: named where the other one is better */
        {{{1, 2}, {2, 2}, {2, 2}, {3, 2}, {3, 2}, {3, 2}},
         1, {{CROSSING_CROSS, 3, 1, 0}}, "1f1b below gpipe from M=4"},
        {{{1, 2}, {2, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}}, 0, {{0}}, ""},
        {{{2, 2}, {2, 2}, {2, 1}, {2, 1}, {2, 1}, {2, 1}},
         1, {{CROSSING_PART, 2, 1, 0}}, "1f1b below gpipe from M=3, equal before"},
        {{{2, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 2}, {2, 2}},
         1, {{CROSSING_MEET, 4, 0, 1}}, "1f1b equal to gpipe from M=5 on"},
        /* nothing is known of a gap: the first value that both can do is named */
        {{{1, 2}, {NAN, 2}, {9, NAN}, {3, 2}, {3, 2}, {3, 2}},
         1, {{CROSSING_CROSS, 3, 1, 0}}, "1f1b below gpipe from M=4"},
        {{{NAN, 2}, {NAN, 2}, {NAN, 2}, {3, NAN}, {3, NAN}, {3, NAN}}, 0, {{0}}, ""},
        /* costs counted in operations: makespans and throughputs of any size cross as well */
        {{{1e-14, 2e-14}, {1e-14, 2e-14}, {1e-14, 2e-14}, {3e-14, 2e-14}, {3e-14, 2e-14},
          {3e-14, 2e-14}},
         1, {{CROSSING_CROSS, 3, 1, 0}}, "1f1b below gpipe from M=4"},
        /* sums in another order are no difference */
        {{{1, 2}, {0.3, 0.1 + 0.2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}}, 0, {{0}}, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sweep *sweep = make_up(cases[i].curves, 6);
        struct crossing found[8];
        char words[120] = "";
        struct text text;
        uint32_t count = sweep_crossings(sweep, MEASURE_MAKESPAN, found, 8);
        if (count != cases[i].count)
            fail_msg("case %zu: %u crossovers", i, count);
        for (uint32_t c = 0; c < count; c++)
            assert_memory_equal(&found[c], &cases[i].expected[c], sizeof found[c]);
        text_init(&text, words, sizeof words);
        if (count > 0)
            crossing_write(sweep, MEASURE_MAKESPAN, &found[0], &text);
        assert_string_equal(words, cases[i].words);
        /* Of throughput more is better. */
        assert_int_equal(sweep_crossings(sweep, MEASURE_THROUGHPUT, found, 8), count);
        if (count > 0)
            assert_int_equal(found[0].better, cases[i].expected[0].worse);
        /* Fewer than there are: the first ones. */
        assert_int_equal(sweep_crossings(sweep, MEASURE_MAKESPAN, found, 1), count);
        if (count > 0)
            assert_int_equal(found[0].value, cases[i].expected[0].value);
        sweep_free(sweep);
    }
}

/* Every two curves of real families, once more by looking at all values. */
static void crossovers_of_families(void **state)
{
    struct sweep *sweep = SWEEP("m=1..24", "all", );
    struct crossing found[2000];
    uint32_t count = sweep_crossings(sweep, MEASURE_MAKESPAN, found, 2000), last = 0;

    (void)state;
    assert_true(count > 0 && count <= 2000);
    for (uint32_t i = 0; i < count; i++) {
        double a, b;
        assert_true(found[i].value >= last);
        last = found[i].value;
        a = value_of(sweep, MEASURE_MAKESPAN, found[i].value, found[i].better);
        b = value_of(sweep, MEASURE_MAKESPAN, found[i].value, found[i].worse);
        assert_true(found[i].kind == CROSSING_MEET ? fabs(a - b) < 1e-9 : a < b);
    }
    sweep_free(sweep);
}

/* ---- the page ---- */

static const struct sweep_page *page_of(struct session *session, struct snapshot *snapshot)
{
    session_snapshot(session, snapshot);
    return snapshot->sweep;
}

static void page(void **state)
{
    struct session *session = session_after("");
    struct snapshot snapshot;

    (void)state;
    assert_null(session_batch(session));
    press(session, "y");
    const struct sweep_page *page = page_of(session, &snapshot);
    assert_int_equal(snapshot.mode, MODE_SWEEP);
    assert_string_equal(page->range, "m=1..16");
    assert_true(page->sweep->range.values[page->value] == 8); /* as the state */
    assert_int_equal(page->sweep->family_count, 6);
    assert_null(sweep_figures(page->sweep, 0, 0));
    run_batch(session_batch(session));
    page = page_of(session, &snapshot);
    assert_true(sweep_figures(page->sweep, 15, 5)->is_possible);
    assert_true(page->crossing_count > 0);
    /* to the first crossover and no further than the last */
    press(session, "Home n");
    page = page_of(session, &snapshot);
    assert_int_equal(page->value, page->crossings[0].value);
    press(session, "N");
    page_of(session, &snapshot);
    assert_string_equal(snapshot.message, "there is no crossover to the left");
    /* what is swept, and back with the usual range */
    press(session, "t");
    assert_string_equal(page_of(session, &snapshot)->range, "transfer=0..2:0.05");
    press(session, "P + +");
    assert_string_equal(page_of(session, &snapshot)->range, "p=1..32");
    press(session, "- - -");
    assert_string_equal(page_of(session, &snapshot)->range, "p=1..4");
    press(session, "f");
    assert_string_equal(page_of(session, &snapshot)->range, "forward=0.1..3:0.1");
    press(session, "Tab Tab");
    assert_int_equal(page_of(session, &snapshot)->measure, MEASURE_THROUGHPUT);
    press(session, "Shift-Tab v Shift-Tab");
    assert_int_equal(page_of(session, &snapshot)->measure, MEASURE_MAKESPAN);
    press(session, "y");
    page_of(session, &snapshot);
    assert_int_equal(snapshot.mode, MODE_CHART);
    session_free(session);
}

static void page_takes(void **state)
{
    struct session *session = session_after("");
    struct snapshot snapshot;

    (void)state;
    press(session, "y : Ctrl-U m = 8");
    session_paste(session, "..\n5\x1b" "12*2\xc3\xa4"); /* what has no place there is left out */
    press(session, "3 Backspace Enter");
    session_paste(session, "nothing is being typed");
    run_batch(session_batch(session));
    assert_string_equal(page_of(session, &snapshot)->range, "m=8..512*2");
    press(session, "End Down Enter"); /* the present family is the first one */
    page_of(session, &snapshot);
    assert_int_equal(snapshot.mode, MODE_CHART);
    assert_int_equal(snapshot.scenario->micro_batches, 512);
    assert_string_equal(snapshot.scenario->schedule->name, "1f1b");
    assert_close(snapshot.outcome->metrics.makespan, 3 * 515);
    assert_in("M=512, GPipe→1F1B: makespan 33→1545", snapshot.message);
    press(session, "u");
    page_of(session, &snapshot);
    assert_int_equal(snapshot.scenario->micro_batches, 8);
    assert_string_equal(snapshot.scenario->schedule->name, "gpipe");
    /* settings are kept; a gap cannot be taken, nor what was not run */
    press(session, "y");
    assert_string_equal(page_of(session, &snapshot)->range, "m=8..512*2");
    press(session, "Enter");
    page_of(session, &snapshot);
    assert_true(snapshot.mode == MODE_SWEEP && snapshot.is_error);
    press(session, "m Home s Enter"); /* forward-only comes before the first: not shown */
    page_of(session, &snapshot);
    assert_in("Space shows it", snapshot.message);
    press(session, "s s s s s s s s s s Home");
    assert_string_equal(page_of(session, &snapshot)->families[snapshot.sweep->family]->name,
                        "dualpipev");
    run_batch(session_batch(session));
    press(session, "Enter");
    page_of(session, &snapshot);
    assert_true(snapshot.mode == MODE_SWEEP && snapshot.is_error);
    assert_in("dualpipev: needs M at least 2P", snapshot.message);
    session_free(session);
}

static void page_families(void **state)
{
    struct session *session = session_after("");
    struct snapshot snapshot;

    (void)state;
    press(session, "y");
    run_batch(session_batch(session));
    press(session, "Space"); /* gpipe goes; what the others have stays */
    const struct sweep_page *page = page_of(session, &snapshot);
    assert_int_equal(page->sweep->family_count, 5);
    assert_int_equal(batch_done(page->sweep->batch), 16 * 5);
    press(session, "Space");
    page = page_of(session, &snapshot);
    assert_int_equal(page->sweep->family_count, 6);
    assert_int_equal(batch_done(page->sweep->batch), 16 * 5);
    /* one has to stay */
    press(session, "Down Space Down Space Down Space Down Space Down Space Up Up Up Up Up Space");
    page_of(session, &snapshot);
    assert_string_equal(snapshot.message, "one family has to stay");
    assert_int_equal(snapshot.sweep->sweep->family_count, 1);
    session_free(session);
}

static void page_stops(void **state)
{
    struct session *session = session_after("");
    struct outcome scratch = {.block = NULL};
    struct snapshot snapshot;

    (void)state;
    press(session, "y");
    for (int i = 0; i < 10; i++)
        assert_true(batch_run_next(session_batch(session), &scratch));
    press(session, "Esc");
    page_of(session, &snapshot);
    assert_int_equal(snapshot.mode, MODE_SWEEP);
    assert_in("stopped", snapshot.message);
    assert_false(batch_run_next(session_batch(session), &scratch));
    assert_non_null(sweep_figures(snapshot.sweep->sweep, 1, 3)); /* what is done is kept */
    assert_null(sweep_figures(snapshot.sweep->sweep, 1, 4));
    press(session, "Esc");
    page_of(session, &snapshot);
    assert_int_equal(snapshot.mode, MODE_CHART);
    assert_null(session_batch(session));
    outcome_free(&scratch);
    session_free(session);
}

static void page_of_a_stage(void **state)
{
    struct session *session = session_after("");
    struct snapshot snapshot;

    (void)state;
    press(session, "Down Down y b");
    assert_string_equal(page_of(session, &snapshot)->range, "backward=0.2..6:0.2@1");
    run_batch(session_batch(session));
    press(session, "b"); /* again: of all */
    assert_string_equal(page_of(session, &snapshot)->range, "backward=0.2..6:0.2");
    press(session, "b");
    assert_int_equal(page_of(session, &snapshot)->stage, 1);
    run_batch(session_batch(session));
    press(session, "End Enter");
    page_of(session, &snapshot);
    assert_true(snapshot.scenario->backward->v[1] == 6 && snapshot.scenario->backward->v[0] == 2);
    assert_close(snapshot.outcome->metrics.floor, 7 * 8);
    /* a typed range that is refused leaves what there is */
    press(session, "y : Ctrl-U m = 0 Enter");
    page_of(session, &snapshot);
    assert_true(snapshot.is_error);
    assert_int_equal(snapshot.sweep->swept, SWEPT_BACKWARD);
    press(session, "Q");
    assert_int_equal(session_take_request(session).kind, REQUEST_QUIT);
    session_free(session);
}

/* ---- curves ---- */

static uint32_t glyph(const struct grid *grid, int x, int y)
{
    return grid_at(grid, x, y)->glyph;
}

/* A hole in the curve stays one: between its neighbours nothing is drawn. */
static void gaps_are_not_drawn(void **state)
{
    static const double curves[][2] = {{1, NAN}, {1, NAN}, {NAN, NAN}, {1, NAN}, {1, NAN}};
    struct sweep *sweep = make_up(curves, 5);
    const uint32_t marks[] = {0, 1};
    struct plot plot = {sweep, MEASURE_MAKESPAN, marks, PG_NONE, NULL, 0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct theme theme = {.depth = DEPTH_MONO, .is_ascii = i == 1};
        struct grid grid = {0, 0, NULL};
        assert_true(grid_resize(&grid, 44, 12));
        struct canvas canvas = {&grid, &theme, {0, 0, 44, 12}};
        plot_draw(&canvas, &plot);
        /* The axis goes from 0 to 1: the curve is in the top row, from the gutter on. */
        int gutter = 0, holes = 0, drawn = 0;
        while (glyph(&grid, gutter, 1) != (i == 0 ? 0x2502u : '|'))
            gutter++;
        gutter++;
        for (int x = gutter; x < 44; x++) {
            bool is_hole = x > gutter + (44 - gutter) / 4 + 1 && x < gutter + (44 - gutter) * 3 / 4 - 1;
            if (is_hole)
                assert_int_equal(glyph(&grid, x, 0), ' ');
            holes += is_hole;
            drawn += glyph(&grid, x, 0) != ' ';
        }
        assert_true(holes > 10 && drawn >= 18);
        grid_free(&grid);
    }
    sweep_free(sweep);
}

/* No size is too small, and nothing is drawn outside. */
static void every_size(void **state)
{
    struct sweep *sweep = SWEEP("m=1..64", "gpipe,1f1b,zbv,dualpipe", );
    const uint32_t marks[] = {0, 1, 2, 3};
    struct plot plot = {sweep, MEASURE_BUBBLE, marks, 5, NULL, 0};
    struct theme theme = {.depth = DEPTH_MONO};

    (void)state;
    for (int columns = 1; columns < 90; columns += 4)
        for (int rows = 1; rows < 30; rows++) {
            struct grid grid = {0, 0, NULL};
            assert_true(grid_resize(&grid, columns + 2, rows + 2));
            struct canvas canvas = {&grid, &theme, {1, 1, columns, rows}};
            plot_draw(&canvas, &plot);
            for (int x = 0; x < columns + 2; x++)
                assert_true(glyph(&grid, x, 0) == ' ' && glyph(&grid, x, rows + 1) == ' ');
            for (int y = 0; y < rows + 2; y++)
                assert_true(glyph(&grid, 0, y) == ' ' && glyph(&grid, columns + 1, y) == ' ');
            grid_free(&grid);
        }
    sweep_free(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_ranges),
        cmocka_unit_test(bad_ranges),
        cmocka_unit_test(names),
        cmocka_unit_test(numbers_for_reading),
        cmocka_unit_test(micro_batches_and_closed_forms),
        cmocka_unit_test(stages_follow_hold),
        cmocka_unit_test(chunks_and_gaps),
        cmocka_unit_test(one_stage),
        cmocka_unit_test(transfer),
        cmocka_unit_test(weight_and_limit),
        cmocka_unit_test(a_stage_that_is_not_there),
        cmocka_unit_test(figures_are_taken_over),
        cmocka_unit_test(crossovers),
        cmocka_unit_test(crossovers_of_families),
        cmocka_unit_test(page),
        cmocka_unit_test(page_takes),
        cmocka_unit_test(page_families),
        cmocka_unit_test(page_stops),
        cmocka_unit_test(page_of_a_stage),
        cmocka_unit_test(gaps_are_not_drawn),
        cmocka_unit_test(every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
