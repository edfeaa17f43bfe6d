/* The course that comes with the program, step by step: each right answer is taken, each wrong one
 * gets the word that fits it, and every number that is said is so. Answers and numbers stand here
 * as literals or closed forms, not as the lesson files have them. And what a session does around a
 * course. */
#include "app/lesson.h"
#include "driver.h"
#include "view/panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

static struct lessons lessons;

static int open_course(void **state)
{
    struct report note;
    struct file_error error;

    (void)state;
    unsetenv("HOME");
    unsetenv("XDG_STATE_HOME");
    if (!lessons_open(&lessons, NULL, &note, &error))
        fail_msg("%s: %s", error.where, error.report.text);
    assert_string_equal(note.text, "");
    return 0;
}

static int close_course(void **state)
{
    (void)state;
    lessons_free(&lessons);
    return 0;
}

static uint32_t step_called(const char *id)
{
    for (uint32_t i = 0; i < lessons.course.count; i++)
        if (strcmp(lessons.course.steps[i].id, id) == 0)
            return i;
    fail_msg("there is no step %s", id);
    return 0;
}

static struct session *start(uint32_t step)
{
    struct session *session = session_after("");

    session_begin_course(session, &lessons.course, step);
    assert_int_equal(look(session).lesson.number, step + 1);
    return session;
}

/* ---- right and wrong answers ---- */

struct trial {
    const char *id, *keys;
    const char *typed; /* NULL: the state is the answer */
    enum reply_kind kind;
    const char *says;
};

#define RIGHT REPLY_RIGHT
#define WRONG REPLY_WRONG
#define UNCLEAR REPLY_UNCLEAR

static const struct trial trials[] = {
    {"01-idle", "", "50%", RIGHT, "3 time units, and the step takes 6"},
    {"01-idle", "", "1/2", RIGHT, "3 time units"},
    {"01-idle", "", "0.5", RIGHT, "3 time units"},
    {"01-idle", "", "50 %", RIGHT, "3 time units"},
    {"01-idle", "", "100", WRONG, "compares idle with busy time"},
    {"01-idle", "", "0", WRONG, "device 0 itself does not"},
    {"01-idle", "", "33", WRONG, "One third"},
    {"01-idle", "", "2/6", WRONG, "One third"},
    {"01-idle", "", "20", WRONG, "Read it off the ruler"},
    {"01-idle", "", "half", UNCLEAR, "'half' is no number"},
    {"02-depth", "", "75", RIGHT, "(P-1)/P"},
    {"02-depth", "", "25", WRONG, "utilization"},
    {"02-depth", "", "50", WRONG, "two devices"},
    {"02-depth", "", "300", WRONG, "36 idle over 12 busy"},
    {"02-depth", "", "3/1", WRONG, "36 idle over 12 busy"},
    {"02-depth", "", "60", WRONG, "Four devices for 12 time units make 48"},
    {"03-micro-batches", "", "28", RIGHT, "3/31 is 9.7 %"},
    {"03-micro-batches", "", "27", WRONG, "exactly 10 %"},
    {"03-micro-batches", "", "31", WRONG, "ratio idle over busy"},
    {"03-micro-batches", "", "30", WRONG, "M+P-1, not M"},
    {"03-micro-batches", "", "64", WRONG, "not for the first time"},
    {"03-micro-batches", "", "12", WRONG, "3 of 15 parts, 20 %"},
    {"03-micro-batches", "", "x", UNCLEAR, "is no number"},
    {"03-micro-batches", "", "28 %", UNCLEAR,
     "'28 %' is a share, but a plain number is asked for: type it as 12, 1.5"},
    {"04-two-bubbles", "", "31", RIGHT, "3/31"},
    {"04-two-bubbles", "", "28", WRONG, "idle over all time"},
    {"04-two-bubbles", "", "30", WRONG, "exactly 10 %"},
    {"04-two-bubbles", "", "27", WRONG, "exactly 10 %. Here"},
    {"04-two-bubbles", "", "40", WRONG, "not for the first time"},
    {"04-two-bubbles", "", "24", WRONG, "3/24, 12.5 %"},
    {"05-one-f-one-b", "", "b", RIGHT, "Makespan 105 and bubble 8.6 % in both"},
    {"05-one-f-one-b", "", "B", RIGHT, "from 32 to 4"},
    {"05-one-f-one-b", "", "a", WRONG, "105 both times"},
    {"05-one-f-one-b", "", "c", WRONG, "Half of it is right"},
    {"05-one-f-one-b", "", "d", WRONG, "32 with GPipe"},
    {"05-one-f-one-b", "", "e", UNCLEAR, "letters a to d"},
    {"06-too-few", "", "c", RIGHT, "33, 63.6 % and a stash of 4"},
    {"06-too-few", "", "a", WRONG, "which is 8"},
    {"06-too-few", "", "b", WRONG, "33 in both"},
    {"07-why", "", "6", RIGHT, "From 4 to 10"},
    {"07-why", "", "9", WRONG, "all idle time of stage 0"},
    {"07-why", "", "2", WRONG, "one backward"},
    {"07-why", "", "10", WRONG, "when the gap ends"},
    {"07-why", "", "5", WRONG, "Select the gap"},
    {"08-slow-stage", "", "c", RIGHT, "40.5, 42, 43.5 and 45"},
    {"08-slow-stage", "", "a", WRONG, "40.5, the least"},
    {"08-slow-stage", "", "b", WRONG, "42 and 43.5"},
    {"08-slow-stage", "", "d", WRONG, "The floor is 36 wherever"},
    {"09-no-cure", "", "25", RIGHT, "a third of the time"},
    {"09-no-cure", "", "0", WRONG, "when all stages are alike"},
    {"09-no-cure", "", "26.9", WRONG, "M=64"},
    {"09-no-cure", "", "1/3", WRONG, "A third"},
    {"09-no-cure", "", "10", WRONG, "37.9% at your M"},
    {"10-split", "<:split balanced> Enter", NULL, RIGHT, "96: the head of 3 has a stage to itself"},
    {"10-split", "<:split 2,3,3,1> Enter", NULL, RIGHT, "96: "},
    {"10-split", "", NULL, WRONG, "Still 138. The last stage has the head and 2 layers more"},
    {"10-split", "<:split uniform> Enter", NULL, WRONG, "117: as many layers each"},
    {"10-split", "4 M", NULL, WRONG, "another amount of work"},
    {"10-split", "<:split 4,2,2,1> Enter", NULL, WRONG, "The stages cost 12, 6, 6 and 9"},
    {"10-split", "<:schedule zb1p> Enter", NULL, WRONG, "Another schedule moves the waiting about"},
    {"11-transfer", "", "b", RIGHT, "36 again, at a stash of 7"},
    {"11-transfer", "", "a", WRONG, "three borders twice"},
    {"11-transfer", "", "c", WRONG, "Nothing is recomputed"},
    {"12-chunks", "", "b", RIGHT, "34.2, 31.3 and 32.25"},
    {"12-chunks", "", "c", WRONG, "free transfers"},
    {"12-chunks", "", "a", WRONG, "longest fill"},
    {"13-zero-bubble", "<:schedule zb1p> Enter", NULL, RIGHT, "27 at a stash of 4"},
    {"13-zero-bubble", "<:schedule zbv> Enter", NULL, RIGHT, "25.5 at a stash of 4"},
    {"13-zero-bubble", "", NULL, WRONG, "27.3% at a stash of 4. Look"},
    {"13-zero-bubble", "2 8 M", NULL, WRONG, "the batch and the hardware are given"},
    {"13-zero-bubble", "1 P", NULL, WRONG, "the batch and the hardware are given"},
    {"13-zero-bubble", "<:schedule dualpipev> Enter", NULL, WRONG, "stash went from 4 to 4.5"},
    {"13-zero-bubble", "<:schedule forward-only> Enter", NULL, WRONG, "nothing is trained"},
    {"13-zero-bubble", "f f f f", NULL, WRONG, "another model"},
    {"14-slant", "", "b", RIGHT, "1.5 apart"},
    {"14-slant", "", "a", WRONG, "There is no gap"},
    {"14-slant", "", "c", WRONG, "a step ends when the last device ends"},
    {"15-your-turn", "<:schedule zbv> Enter", NULL, RIGHT,
     "58.1 where 1F1B took 77, at a memory of 8"},
    {"15-your-turn", "<:schedule dualpipe> Enter", NULL, RIGHT, "58.6 where"},
    {"15-your-turn", "<:schedule zb-h2> Enter", NULL, WRONG, "needs room for 15"},
    {"15-your-turn", "<:schedule zb1p> Enter", NULL, WRONG, "20.8%: close"},
    {"15-your-turn", "6 4 M", NULL, WRONG, "batch and hardware are given"},
    {"15-your-turn", "<:transfer 0> Enter", NULL, WRONG, "not yours to change"},
    {"15-your-turn", "<:memory-limit 20> Enter", NULL, WRONG, "not yours to change"},
    {"15-your-turn", "<:schedule forward-only> Enter", NULL, WRONG, "nothing is trained"},
    {"15-your-turn", "", NULL, WRONG, "37.7% at a memory of 8"},
};

enum { TRIALS = sizeof trials / sizeof trials[0] };

static void answer(struct session *session, const struct trial *trial)
{

    press(session, trial->keys);
    session_key(session, ";");
    if (trial->typed == NULL)
        return;
    assert_int_equal(look(session).mode, MODE_PROMPT);
    type(session, trial->typed);
    session_key(session, "Enter");
}

static void test_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < TRIALS; i++) {
        const struct trial *trial = &trials[i];
        uint32_t step = step_called(trial->id);
        struct session *session = start(step);
        lessons.course.steps[step].is_done = false;
        answer(session, trial);
        const struct reply *reply = look(session).lesson.reply;
        if (reply == NULL)
            fail_msg("%s %s %s: no reply, '%s'", trial->id, trial->keys,
                     trial->typed ? trial->typed : "", look(session).message);
        if (reply->kind != trial->kind || strstr(reply->text, trial->says) == NULL)
            fail_msg("%s %s %s: %d '%s'", trial->id, trial->keys, trial->typed ? trial->typed : "",
                     (int)reply->kind, reply->text);
        assert_int_equal(lessons.course.steps[step].is_done, trial->kind == RIGHT);
        assert_int_equal(session_take_request(session).kind,
                         trial->kind == RIGHT ? REQUEST_PROGRESS : REQUEST_NONE);
        session_free(session);
    }
}

/* Every question is tried: once rightly, and so that two misconceptions at least get words of their
 * own. */
static void test_all_are_tried(void **state)
{
    (void)state;
    assert_in_range(lessons.course.count, 12, 99);
    for (uint32_t s = 0; s < lessons.course.count; s++) {
        const struct lesson *step = &lessons.course.steps[s];
        uint32_t right = 0, words = 0;
        for (size_t i = 0; i < TRIALS; i++) {
            if (strcmp(trials[i].id, step->id) != 0)
                continue;
            right += trials[i].kind == RIGHT;
            words += trials[i].kind == WRONG;
        }
        if (right == 0 || words < 2 || step->wrong_count < 2)
            fail_msg("%s: %u right and %u wrong answers are tried, of %u", step->id, right, words,
                     step->wrong_count);
    }
}

/* ---- the numbers ---- */

static double min(double a, double b)
{
    return a < b ? a : b;
}

struct claim {
    const char *id, *keys;
    double makespan, bubble, stash;
};

static void check_claim(const struct claim *claim)
{
    struct session *session = start(step_called(claim->id));
    const struct pg_metrics *metrics;

    press(session, claim->keys);
    metrics = &look(session).outcome->metrics;
    if (fabs(metrics->makespan - claim->makespan) > 1e-9 * claim->makespan ||
        fabs(metrics->bubble_fraction - claim->bubble) > 1e-9 ||
        metrics->peak_stash != claim->stash)
        fail_msg("%s %s: %.12g %.12g %.12g, not %.12g %.12g %.12g", claim->id, claim->keys,
                 metrics->makespan, metrics->bubble_fraction, metrics->peak_stash, claim->makespan,
                 claim->bubble, claim->stash);
    session_free(session);
}

/* All stages 1+2: makespan 3 (M+P-1), bubble (P-1)/(M+P-1). */
static void test_alike(void **state)
{
    static const struct {
        const char *id, *keys;
        double p, m;
        bool is_gpipe;
    } cases[] = {
        {"01-idle", "", 2, 1, true},
        {"02-depth", "", 4, 1, true},
        {"02-depth", "P", 5, 1, true},
        {"03-micro-batches", "", 4, 8, true},
        {"03-micro-batches", "2 7 M", 4, 27, true},
        {"03-micro-batches", "2 8 M", 4, 28, true},
        {"04-two-bubbles", "3 1 M", 4, 31, true},
        {"05-one-f-one-b", "", 4, 32, true},
        {"05-one-f-one-b", "S", 4, 32, false},
        {"06-too-few", "", 8, 4, true},
        {"06-too-few", "S", 8, 4, false},
        {"06-too-few", "1 6 M S", 8, 16, false},
        {"06-too-few", "1 6 M", 8, 16, true},
        {"08-slow-stage", "", 4, 8, false},
        {"08-slow-stage", "Down 5 F 5 B u u", 4, 8, false}, /* as "try" says */
        {"07-why", "", 4, 8, false},
        {"13-zero-bubble", "", 4, 8, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double p = cases[i].p, m = cases[i].m;
        check_claim(&(struct claim){cases[i].id, cases[i].keys, 3 * (m + p - 1),
                                    (p - 1) / (m + p - 1), cases[i].is_gpipe ? m : min(p, m)});
    }
}

/* The others: bubble = 1 - work / (P * makespan), work of M micro-batches on all stages. */
static void test_others(void **state)
{
    static const struct {
        const char *id, *keys;
        double p, work, makespan, stash;
    } cases[] = {
        /* One stage 1.5 times as slow: work 8 * (3 * 3 + 4.5). */
        {"08-slow-stage", "Down 5 F 5 B", 4, 108, 40.5, 4},
        {"08-slow-stage", "Down Down 5 F 5 B", 4, 108, 42, 4},
        {"08-slow-stage", "Down Down Down 5 F 5 B", 4, 108, 43.5, 4},
        {"08-slow-stage", "Down Down Down Down 5 F 5 B", 4, 108, 45, 4},
        {"09-no-cure", "", 4, 108, 43.5, 4},
        {"09-no-cure", "6 4 M", 4, 64 * 13.5, 295.5, 4},
        /* Layers 8 x 1 and 3, forward and backward three times that, 8 micro-batches. */
        {"10-split", "", 4, 264, 138, 4},
        {"10-split", "<:split uniform> Enter", 4, 264, 117, 4},
        {"10-split", "<:split balanced> Enter", 4, 264, 96, 4},
        {"10-split", "<:split 2,3,3,1> Enter", 4, 264, 96, 4},
        {"11-transfer", "", 4, 96, 41, 4},
        {"11-transfer", "<:transfer 0> Enter", 4, 96, 33, 4},
        {"11-transfer", "<:schedule gpipe> Enter", 4, 96, 36, 8},
        {"11-transfer", "<:schedule eager-1f1b> Enter", 4, 96, 36, 7},
        {"12-chunks", "", 4, 96, 34.2, 7},
        {"12-chunks", "2 C", 4, 96, 31.3, 5.5},
        {"12-chunks", "4 C", 4, 96, 32.25, 4.75},
        {"12-chunks", "<:transfer 0> Enter", 4, 96, 33, 7},
        {"12-chunks", "<:transfer 0> Enter 2 C", 4, 96, 28.5, 5.5},
        {"12-chunks", "<:transfer 0> Enter 4 C", 4, 96, 26.25, 4.75},
        {"13-zero-bubble", "<:schedule zb1p> Enter", 4, 96, 27, 4},
        {"13-zero-bubble", "<:schedule zbv> Enter", 4, 96, 25.5, 4},
        {"13-zero-bubble", "<:schedule dualpipev> Enter", 4, 96, 27, 4.5},
        {"14-slant", "", 4, 96, 25.5, 4},
        {"15-your-turn", "", 8, 384, 77, 8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_claim(&(struct claim){cases[i].id, cases[i].keys, cases[i].makespan,
                                    1 - cases[i].work / (cases[i].p * cases[i].makespan),
                                    cases[i].stash});
}

static void test_more_numbers(void **state)
{
    struct session *session = start(step_called("14-slant"));
    const struct pg_metrics *metrics = &look(session).outcome->metrics;
    double first = 1e9, last = 0;

    (void)state;
    for (uint32_t d = 0; d < 4; d++) {
        double begin = look(session).outcome->plan.run[d].start[0];
        first = begin < first ? begin : first;
        last = begin > last ? begin : last;
    }
    assert_true(fabs(metrics->span - 24) < 1e-9 && fabs(metrics->span_bubble) < 1e-9);
    assert_true(fabs(last - first - 1.5) < 1e-9);
    session_free(session);

    /* The first gap of stage 0 in 1F1B: from P forwards to the gradient that climbed P-1 stages. */
    double from, to;
    session = start(step_called("07-why"));
    press(session, "Down n");
    struct snapshot snapshot = look(session);
    assert_true(snapshot.selection.is_gap);
    gap_bounds(&snapshot.outcome->plan, 0, snapshot.selection.index, &from, &to);
    assert_true(from == 4 && to == 4 + 3 * 2);
    session_free(session);

    /* The limit of a bubble: 1 - mean work / largest work, 1 - 13.5 / (4 * 4.5). */
    session = start(step_called("09-no-cure"));
    press(session, "1 0 0 0 0 M");
    assert_true(fabs(look(session).outcome->metrics.bubble_fraction - 0.25) < 0.001);
    session_free(session);

    session = start(step_called("08-slow-stage"));
    press(session, "Down 5 F 5 B");
    assert_true(fabs(look(session).outcome->metrics.floor - 36) < 1e-9);
    session_free(session);
}

/* ---- the panel ---- */

static int panel_rows(struct session *session, int columns, int rows, bool is_ascii)
{
    struct grid grid = {0, 0, NULL};
    struct theme theme = {.depth = DEPTH_256, .is_ascii = is_ascii};
    struct snapshot snapshot = look(session);

    assert_true(grid_resize(&grid, columns, rows));
    struct canvas canvas = {&grid, &theme, {0, 0, columns, rows}};
    int used = lesson_rows(&canvas, &snapshot);
    grid_free(&grid);
    return used;
}

/* At 80x24 the course leaves the chart its rows: seven at most, nothing cut. */
static void test_fits(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < lessons.course.count; s++) {
        struct session *session = start(s);
        int rows = panel_rows(session, 80, 24, false);
        if (rows < 3 || rows > 7 || panel_rows(session, 80, 24, true) > 7)
            fail_msg("%s takes %d rows", lessons.course.steps[s].id, rows);
        session_free(session);
    }
    for (size_t i = 0; i < TRIALS; i++) {
        struct session *session = start(step_called(trials[i].id));
        answer(session, &trials[i]);
        int rows = panel_rows(session, 80, 24, false);
        if (rows < 3 || rows > 7)
            fail_msg("%s after %s %s takes %d rows", trials[i].id, trials[i].keys,
                     trials[i].typed ? trials[i].typed : "", rows);
        /* What there is no room for is not asked for. */
        for (int y = 1; y < 40; y += 3)
            for (int x = 1; x < 100; x += 9)
                assert_true(panel_rows(session, x, y, i % 2 == 0) <= y / 2);
        session_free(session);
    }
}

/* ---- a session around it ---- */

static void test_pages(void **state)
{
    struct session *session = start(0);
    uint32_t count = lessons.course.count;

    (void)state;
    assert_int_equal(look(session).lesson.count, count);
    press(session, "PageUp");
    assert_says(session, "this is the first step");
    press(session, "PageDown PageDown");
    assert_int_equal(look(session).lesson.number, 3);
    press(session, "PageUp");
    assert_int_equal(look(session).lesson.number, 2);
    press(session, "5 PageDown");
    assert_int_equal(look(session).lesson.number, 7);
    press(session, "9 9 9 PageDown");
    assert_int_equal(look(session).lesson.number, count);
    press(session, "PageDown");
    assert_says(session, "this is the last step");
    press(session, "9 9 9 PageUp");
    assert_int_equal(look(session).lesson.number, 1);
    /* Undo leads back over steps, and the panel with it. */
    press(session, "u");
    assert_int_equal(look(session).lesson.number, count);
    press(session, "U");
    assert_int_equal(look(session).lesson.number, 1);
    session_free(session);
}

static void test_reset(void **state)
{
    struct session *session = start(2);

    (void)state;
    press(session, "5 M S T");
    assert_int_equal(look(session).scenario->micro_batches, 5);
    assert_false(look(session).is_unsaved);
    assert_false(session_is_unsaved(session));
    press(session, "r");
    assert_true(scenario_equal(look(session).scenario, &lessons.course.steps[2].scenario));
    press(session, "u");
    assert_int_equal(look(session).scenario->micro_batches, 5);
    press(session, "q");
    assert_int_equal(session_take_request(session).kind, REQUEST_QUIT);
    session_free(session);
}

static void test_reply_goes(void **state)
{
    struct session *session = start(2);

    (void)state;
    press(session, "; 2 7 Enter");
    assert_non_null(look(session).lesson.reply);
    press(session, "M");
    assert_non_null(look(session).lesson.reply); /* it stays to be read */
    press(session, "Esc");
    assert_null(look(session).lesson.reply);
    press(session, "; 2 7 Enter PageDown");
    assert_null(look(session).lesson.reply);
    press(session, "; Esc");
    assert_int_equal(look(session).mode, MODE_CHART);
    press(session, "; Enter");
    assert_null(look(session).lesson.reply);
    assert_says(session, "not answered");
    session_free(session);
}

static void test_hidden(void **state)
{
    struct session *session = start(2);

    (void)state;
    press(session, "L");
    assert_null(look(session).lesson.step);
    assert_says(session, "L shows it again");
    press(session, "PageDown L");
    assert_int_equal(look(session).lesson.number, 4);
    press(session, "L ;");
    assert_non_null(look(session).lesson.step); /* a question cannot be answered unseen */
    session_free(session);
}

static void test_without_course(void **state)
{
    struct session *session = session_after("");

    (void)state;
    press(session, ";");
    assert_says(session, "no lesson runs; L begins the course");
    assert_true(look(session).is_error);
    press(session, "L");
    assert_int_equal(session_take_request(session).kind, REQUEST_LESSON);
    press(session, "M");
    session_begin_course(session, &lessons.course, 3);
    assert_int_equal(look(session).lesson.number, 4);
    press(session, "u");
    assert_int_equal(look(session).scenario->micro_batches, 9); /* what was here before */
    assert_null(look(session).lesson.step);
    press(session, ";");
    assert_says(session, "L goes back to it");
    press(session, "L");
    assert_int_equal(look(session).lesson.number, 4);

    load(session, fresh_scenario(), (struct origin){.name = "x"});
    assert_null(look(session).lesson.step);
    press(session, "PageDown L");
    assert_int_equal(look(session).lesson.number, 4);
    session_free(session);
}

/* Where a course goes on: at the first open question, with what is to be read right before it. */
static void test_first_open(void **state)
{
    static const struct {
        const char *kinds, *done; /* r: to read, q: a question; x: done */
        uint32_t first, asked, answered;
    } cases[] = {
        {"qqq", "...", 0, 3, 0}, {"qqq", "x..", 1, 3, 1}, {"qqq", "x.x", 1, 3, 2},
        {"qqq", "xxx", 0, 3, 3}, {"rqq", "...", 0, 2, 0}, {"rqq", ".x.", 2, 2, 1},
        {"qrq", "x..", 1, 2, 1}, {"qrr", "x..", 0, 1, 1}, {"rrr", "...", 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lesson steps[3];
        struct course course = {steps, 3};
        memset(steps, 0, sizeof steps);
        for (int s = 0; s < 3; s++) {
            steps[s].kind = cases[i].kinds[s] == 'r' ? LESSON_READ : LESSON_STATE;
            steps[s].is_done = cases[i].done[s] == 'x';
        }
        assert_int_equal(course_first_open(&course), cases[i].first);
        assert_int_equal(course_asked(&course), cases[i].asked);
        assert_int_equal(course_done(&course), cases[i].answered);
    }
}

/* Two sessions over two courses know nothing of each other. */
static void test_two(void **state)
{
    struct lessons other;
    struct report note;
    struct file_error error;
    struct session *one = start(2), *two = session_after("");

    (void)state;
    assert_true(lessons_open(&other, NULL, &note, &error));
    session_begin_course(two, &other.course, 2);
    lessons.course.steps[2].is_done = false;
    press(one, "; 2 8 Enter");
    press(two, "; 2 7 Enter");
    assert_int_equal(look(one).lesson.reply->kind, REPLY_RIGHT);
    assert_int_equal(look(two).lesson.reply->kind, REPLY_WRONG);
    assert_true(lessons.course.steps[2].is_done);
    assert_false(other.course.steps[2].is_done);
    session_free(one);
    session_free(two);
    lessons_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_all_are_tried),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_more_numbers),
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_reply_goes),
        cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_without_course),
        cmocka_unit_test(test_first_open),
        cmocka_unit_test(test_two),
    };

    return cmocka_run_group_tests(tests, open_course, close_course);
}
