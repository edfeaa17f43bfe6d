/* Comparing within a session: what is pinned, what undo makes of it, exchanging both sides, units of
 * time, and the numbers. Expected values are closed forms worked out here: with forward 1, backward
 * 2, P = 4 and M = 8, GPipe and 1F1B take (M+P-1)*3 = 33, ZB1P M*3 + (P-1)*max(f,b,f+b-w) = 27. */
#include "driver.h"
#include "model/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 1e-9

/* ---- help ---- */

static struct session *start(const char *schedule)
{
    struct session *session = session_after("");
    char line[80];

    snprintf(line, sizeof line, "schedule %s", schedule);
    command(session, line);
    return session;
}

static void assert_makespans(struct session *session, double a, double b)
{
    struct snapshot seen = look(session);

    assert_non_null(seen.compared.a.outcome);
    assert_true(fabs(seen.compared.a.outcome->metrics.makespan - a) < NEAR);
    assert_true(fabs(seen.compared.b.outcome->metrics.makespan - b) < NEAR);
    assert_ptr_equal(seen.compared.b.outcome, seen.outcome);
}

static double difference(struct session *session, enum compare_metric metric)
{
    struct snapshot seen = look(session);
    double a[COMPARE_COUNT], b[COMPARE_COUNT];

    compare_values(&seen.compared.a, seen.compared.unit, a);
    compare_values(&seen.compared.b, 1, b);
    return b[metric] - a[metric];
}

static bool is_pinned(struct session *session)
{
    return look(session).compared.a.outcome != NULL;
}

/* ---- pinning ---- */

static void test_pins(void **state)
{
    (void)state;
    struct session *session = start("gpipe");

    assert_false(is_pinned(session));
    press(session, "d");
    assert_makespans(session, 33, 33);
    assert_false(look(session).has_baseline);
    press(session, "S S S");
    assert_string_equal(look(session).scenario->schedule->name, "zb1p");
    assert_makespans(session, 33, 27);
    assert_true(fabs(difference(session, COMPARE_MAKESPAN) + 6) < NEAR);
    assert_true(fabs(difference(session, COMPARE_BUBBLE) - (12 / 108. - 36 / 132.)) < NEAR);
    assert_true(fabs(difference(session, COMPARE_STASH) + 4) < NEAR);
    assert_true(fabs(difference(session, COMPARE_THROUGHPUT) - (8 / 27. - 8 / 33.)) < NEAR);
    /* differences are against A while it is pinned */
    assert_true(look(session).has_baseline);
    assert_true(fabs(look(session).baseline.makespan - 33) < NEAR);
    press(session, "M"); /* 9 micro-batches: 9*3+3 */
    assert_makespans(session, 33, 30);
    session_free(session);
}

/* d: pin, page of numbers, unpin. On the page changes of B go on. */
static void test_page(void **state)
{
    (void)state;
    struct session *session = start("gpipe");

    press(session, "d M d");
    assert_int_equal(look(session).mode, MODE_COMPARE);
    session_set_view(session, &(struct session_view){.columns = 60, .span = 36, .lanes = 4,
                                                     .help_rows = 10, .help_lines = 25});
    press(session, "Down Down");
    assert_int_equal(look(session).compared.top, 2);
    press(session, "PageDown");
    assert_int_equal(look(session).compared.top, 11);
    press(session, "G");
    assert_int_equal(look(session).compared.top, 15);
    press(session, "3 k");
    assert_int_equal(look(session).compared.top, 12);
    press(session, "1 0 M"); /* a number is one here too */
    assert_int_equal(look(session).mode, MODE_COMPARE);
    assert_makespans(session, 33, 39);
    press(session, "g q");
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_int_equal(look(session).compared.top, 0);
    assert_int_equal(session_take_request(session).kind, REQUEST_NONE);
    press(session, "d Esc d d");
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_false(is_pinned(session));
    /* without A the differences are against the start again */
    assert_true(fabs(look(session).baseline.makespan - 33) < NEAR);
    assert_true(fabs(look(session).outcome->metrics.makespan - 39) < NEAR);
    press(session, "d d u u"); /* pinning undone while the page is open, and unpinning before it */
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_makespans(session, 33, 39);
    session_free(session);
}

static void test_undo(void **state)
{
    (void)state;
    struct session *session = start("gpipe");

    press(session, "M d M M");
    assert_makespans(session, 36, 42);
    press(session, "u u"); /* changes of B: A stays */
    assert_makespans(session, 36, 36);
    press(session, "u"); /* the pin itself */
    assert_false(is_pinned(session));
    assert_true(fabs(look(session).outcome->metrics.makespan - 36) < NEAR);
    press(session, "u");
    assert_false(is_pinned(session));
    press(session, "U U U");
    assert_makespans(session, 36, 39);
    /* another A, and back to the first one */
    press(session, "d d d");
    assert_makespans(session, 39, 39);
    press(session, "M");
    assert_makespans(session, 39, 42);
    press(session, "3 u");
    assert_makespans(session, 36, 39);
    press(session, "3 U");
    assert_makespans(session, 39, 42);
    session_free(session);
}

static void test_swap(void **state)
{
    (void)state;
    struct session *session = start("gpipe");

    press(session, "D");
    assert_true(look(session).is_error);
    assert_non_null(strstr(look(session).message, "d pins"));
    press(session, "d S S S 2 j 0");
    press(session, "D");
    assert_makespans(session, 27, 33);
    assert_string_equal(look(session).scenario->schedule->name, "gpipe");
    assert_string_equal(look(session).compared.a.scenario->schedule->name, "zb1p");
    assert_int_equal(look(session).selection.device, 1);
    press(session, "D");
    assert_makespans(session, 33, 27);
    press(session, "u");
    assert_makespans(session, 27, 33);
    press(session, "u");
    assert_makespans(session, 33, 27);
    press(session, "U M"); /* B is gpipe now */
    assert_makespans(session, 27, 36);
    session_free(session);
}

/* Files: A keeps its name, loading goes into B, and exchanging takes files along. */
static void test_files(void **state)
{
    (void)state;
    struct session *session = start("gpipe");

    load(session, SCENARIO("m", "8"), from_file("a.ini"));
    press(session, "d");
    load(session, SCENARIO("m", "16"), from_file("b.ini"));
    assert_makespans(session, 33, 57);
    assert_string_equal(look(session).compared.a.name, "a.ini");
    assert_string_equal(look(session).name, "b.ini");
    assert_false(session_is_unsaved(session));
    press(session, "M");
    assert_true(session_is_unsaved(session));
    press(session, "D");
    assert_string_equal(look(session).name, "a.ini");
    assert_string_equal(session_path(session), "a.ini");
    assert_string_equal(look(session).compared.a.name, "b.ini");
    assert_false(session_is_unsaved(session));
    press(session, "D");
    assert_true(session_is_unsaved(session));
    press(session, "u u u u");
    assert_makespans(session, 33, 33);
    session_free(session);

    /* two files from the start: nothing to undo */
    session = session_after("");
    load(session, SCENARIO("m", "8"), from_file("a.ini"));
    assert_true(session_pin_loaded(session));
    load(session, SCENARIO("m", "16"), from_file("b.ini"));
    assert_makespans(session, 33, 57);
    press(session, "u");
    assert_non_null(strstr(look(session).message, "nothing to undo"));
    assert_makespans(session, 33, 57);
    session_free(session);
}

/* ---- one axis ---- */

static void test_extent(void **state)
{
    (void)state;
    struct session *session = start("gpipe");

    press(session, "3 2 M d 4 M"); /* A: 35*3 = 105, B: 7*3 = 21 */
    assert_makespans(session, 105, 21);
    struct snapshot seen = look(session);
    assert_true(fabs(snapshot_extent(&seen) - 105) < NEAR);
    /* a window can go where only A is */
    session_set_view(session, &(struct session_view){.span = 105, .columns = 80, .lanes = 4});
    session_zoom_at(session, 10, 100);
    assert_true(look(session).window.start > 80);
    session_pan_by(session, 1000);
    assert_true(look(session).window.start > 90 && look(session).window.start < 105);
    double start = look(session).window.start, span = look(session).window.span;
    press(session, "M"); /* it stands still while B changes */
    assert_true(look(session).window.start == start && look(session).window.span == span);
    session_free(session);
}

static void test_units(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        double unit;
        bool is_alike;
    } rows[] = {
        {"", "", 1, true},       {"ms", "ms", 1, true},    {"s", "ms", 1000, true},
        {"us", "ms", 1e-3, true}, {"µs", "us", 1, true},   {"ns", "s", 1e-9, true},
        {"ms", "", 1, true},     {"steps", "", 1, true},   {"steps", "ticks", 1, false},
        {"steps", "ms", 1, false}, {"min", "s", 60, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct session *session = session_after("");
        load(session, SCENARIO("m", "8", "time", rows[i].a), from_file("a.ini"));
        assert_true(session_pin_loaded(session));
        load(session, SCENARIO("m", "9", "time", rows[i].b), from_file("b.ini"));
        struct snapshot seen = look(session);
        assert_true(fabs(seen.compared.unit - rows[i].unit) <= 1e-12 * rows[i].unit);
        assert_int_equal(seen.compared.is_unit_alike, rows[i].is_alike);
        double a = 33 * rows[i].unit, change = difference(session, COMPARE_MAKESPAN);
        assert_true(fabs(change - (36 - a)) < NEAR * fmax(a, 36));
        assert_true(fabs(snapshot_extent(&seen) - fmax(a, 36)) < NEAR * fmax(a, 36));
        assert_true(fabs(difference(session, COMPARE_THROUGHPUT) -
                         (9 / 36. - 8 / 33. / rows[i].unit)) < NEAR / fmin(1, rows[i].unit));
        /* what has no time in it stays */
        assert_true(fabs(difference(session, COMPARE_BUBBLE) - (1 / 4. - 3 / 11.)) < NEAR);
        session_free(session);
    }
}

/* ---- numbers ---- */

static void test_verdicts(void **state)
{
    (void)state;
    static const struct {
        enum compare_metric metric;
        double a, b;
        enum verdict verdict;
        const char *change;
    } rows[] = {
        {COMPARE_MAKESPAN, 33, 27, VERDICT_BETTER, "-6"},
        {COMPARE_MAKESPAN, 27, 33, VERDICT_WORSE, "+6"},
        {COMPARE_MAKESPAN, 33, 33 * (1 + 1e-12), VERDICT_SAME, "0"},
        {COMPARE_BUBBLE, 0.25, 0.2504, VERDICT_SAME, "0"},
        {COMPARE_BUBBLE, 0.25, 0.3, VERDICT_WORSE, "+5%"},
        {COMPARE_THROUGHPUT, 0.25, 0.5, VERDICT_BETTER, "+0.25"},
        {COMPARE_UTILIZATION, 0.75, 0.5, VERDICT_WORSE, "-25%"},
        {COMPARE_STASH, 8, 4, VERDICT_BETTER, "-4"},
        {COMPARE_BUSY, 96, 108, VERDICT_OTHER, "+12"},
        {COMPARE_TRANSFER, 0, 12, VERDICT_WORSE, "+12"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char buffer[TEXT_NUMBER_SIZE + 8];
        struct text text;
        assert_int_equal(compare_verdict(rows[i].metric, rows[i].a, rows[i].b), rows[i].verdict);
        text_init(&text, buffer, sizeof buffer);
        compare_write_change(rows[i].metric, rows[i].a, rows[i].b, &text);
        assert_string_equal(buffer, rows[i].change);
    }
}

/* Idle time by cause, on cases built for one: transfer 0.5 costs GPipe 3 and 1F1B 8 a device (41);
 * a last stage of 1.5 + 3 has a floor of 36 and takes 45, the three others idle 12 for its sake. */
static void test_causes(void **state)
{
    (void)state;
    struct session *session = start("gpipe");

    press(session, "d");
    command(session, "transfer 0.5");
    assert_makespans(session, 33, 36);
    assert_true(fabs(difference(session, COMPARE_TRANSFER) - 4 * 3) < NEAR);
    assert_true(fabs(difference(session, COMPARE_SCHEDULE)) < NEAR);
    press(session, "S");
    assert_makespans(session, 33, 41);
    assert_true(fabs(difference(session, COMPARE_TRANSFER) - 4 * 8) < NEAR);
    command(session, "transfer 0");
    command(session, "forward 1,1,1,1.5");
    command(session, "backward 2,2,2,3");
    assert_makespans(session, 33, 45);
    assert_true(fabs(difference(session, COMPARE_FLOOR) - 12) < NEAR);
    assert_true(fabs(difference(session, COMPARE_IMBALANCE) - 3 * 12) < NEAR);
    assert_true(fabs(difference(session, COMPARE_SCHEDULE)) < NEAR); /* 4*9 both */
    assert_true(fabs(difference(session, COMPARE_IDLE) - (4 * 45 - 108 - 36)) < NEAR);
    const struct pg_idle *last = &look(session).compared.b.idle->devices[3];
    assert_true(fabs(last->total - 9) < NEAR && fabs(last->imbalance) < NEAR);
    session_free(session);
}

/* ---- a long walk ---- */

/* Whatever was done: A's outcome is that of A's scenario, B's that of the state. */
static void check_sides(struct session *session)
{
    struct snapshot seen = look(session);
    const struct side *sides[] = {&seen.compared.a, &seen.compared.b};

    if (seen.compared.a.outcome == NULL) {
        assert_true(session->now.pin == NULL);
        assert_int_not_equal(seen.mode, MODE_COMPARE);
        return;
    }
    for (int i = 0; i < 2; i++) {
        struct outcome fresh = {.block = NULL};
        struct refusal refusal;
        const struct pg_idle *idle = &sides[i]->idle->all;
        assert_true(outcome_run(&fresh, sides[i]->scenario, &refusal));
        const struct pg_metrics *metrics = &fresh.metrics;
        double idle_time = metrics->makespan * fresh.plan.devices - metrics->total_busy_time;
        assert_true(sides[i]->outcome->metrics.makespan == metrics->makespan);
        assert_true(sides[i]->outcome->metrics.peak_stash == metrics->peak_stash);
        assert_int_equal(sides[i]->outcome->plan.ops, fresh.plan.ops);
        assert_true(fabs(idle->total - idle_time) < NEAR * metrics->makespan * fresh.plan.devices);
        assert_true(fabs(idle->transfer + idle->schedule + idle->imbalance - idle->total) <
                    NEAR * metrics->makespan * fresh.plan.devices);
        outcome_free(&fresh);
    }
    assert_ptr_equal(seen.compared.b.scenario, seen.scenario);
}

static void test_walk(void **state)
{
    (void)state;
    static const char *const keys[] = {"d", "d", "D", "u", "u", "U", "M", "m", "P", "p", "S", "s",
                                       "t", "T", "f", "F", "j", "k", "Right", "C", "Esc", "z", "0"};
    uint32_t random = 12345;
    struct session *session = start("gpipe");

    for (int i = 0; i < 4000; i++) {
        random = random * 1664525u + 1013904223u;
        session_key(session, keys[(random >> 16) % (sizeof keys / sizeof keys[0])]);
        check_sides(session);
        if (i % 500 == 250)
            load(session, SCENARIO("m", "6", "time", i % 1000 == 250 ? "ms" : "s"),
                 from_file(i % 1000 == 250 ? "a.ini" : "b.ini"));
    }
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pins),   cmocka_unit_test(test_page),
        cmocka_unit_test(test_undo),   cmocka_unit_test(test_swap),
        cmocka_unit_test(test_files),  cmocka_unit_test(test_extent),
        cmocka_unit_test(test_units),  cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_causes), cmocka_unit_test(test_walk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
