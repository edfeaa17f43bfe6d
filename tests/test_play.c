/* Play and memory lanes: a session driven by keys and ticks, the words for a moment, and the frames
 * that come out, held against what operations say one by one and against closed forms. */
#include "driver_screen.h"
#include "model/narrate.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a screen ---- */

static void tick(struct screen *s, double seconds)
{
    session_tick(s->session, seconds);
    redraw(s);
}

static void start(struct screen *s, const char *schedule, uint32_t stages, uint32_t micro_batches)
{
    char line[64];

    start_screen(s, 80, 24);
    snprintf(line, sizeof line, "p %u", stages);
    command_on(s, line);
    snprintf(line, sizeof line, "m %u", micro_batches);
    command_on(s, line);
    snprintf(line, sizeof line, "schedule %s", schedule);
    command_on(s, line);
}

static const struct pg_plan *plan_of(const struct screen *s)
{
    return &s->snapshot.outcome->plan;
}

static double time_of(const struct screen *s)
{
    return s->snapshot.play.time;
}

static void copy_grid(struct grid *to, const struct grid *from)
{
    assert_true(grid_resize(to, from->columns, from->rows));
    memcpy(to->cells, from->cells,
           (size_t)from->columns * (size_t)from->rows * sizeof *from->cells);
}

static bool is_same(const struct grid *a, const struct grid *b)
{
    for (int y = 0; y < a->rows; y++)
        for (int x = 0; x < a->columns; x++)
            if (!cell_equal(grid_at(a, x, y), grid_at(b, x, y)))
                return false;
    return a->columns == b->columns && a->rows == b->rows;
}

/* ---- time ---- */

/* Twenty seconds whatever the unit of time, half of that at twice the speed; the end is the end,
 * and then it begins again. */
static void test_ticks(void **state)
{
    static const char *const costs[] = {"forward 1", "forward 1000", "forward 0.001"};
    struct screen s;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        start(&s, "1f1b", 4, 8);
        command_on(&s, costs[i]);
        double makespan = plan_of(&s)->makespan;
        tick(&s, 5); /* nothing plays yet */
        assert_false(s.snapshot.play.is_on);
        press_on(&s, "Space");
        assert_true(session_is_playing(s.session) && time_of(&s) == 0);
        tick(&s, 5);
        assert_true(fabs(time_of(&s) - makespan / 4) < 1e-9 * makespan);
        press_on(&s, "}");
        tick(&s, 2.5);
        assert_true(fabs(time_of(&s) - makespan / 2) < 1e-9 * makespan);
        press_on(&s, "{ {");
        tick(&s, 10);
        assert_true(fabs(time_of(&s) - makespan * 3 / 4) < 1e-9 * makespan);
        press_on(&s, "Space");
        tick(&s, 5);
        assert_true(fabs(time_of(&s) - makespan * 3 / 4) < 1e-9 * makespan);
        press_on(&s, "Space");
        tick(&s, 100);
        assert_true(time_of(&s) == makespan && s.snapshot.play.is_on);
        assert_false(session_is_playing(s.session));
        press_on(&s, "Space");
        assert_true(time_of(&s) == 0 && session_is_playing(s.session));
        press_on(&s, "q");
        assert_false(s.snapshot.play.is_on || session_is_playing(s.session));
        end_screen(&s);
    }
}

/* Nothing moves where the moment is not seen. */
static void test_modes(void **state)
{
    struct screen s;

    (void)state;
    start(&s, "1f1b", 4, 8);
    press_on(&s, "Space ?");
    tick(&s, 5);
    assert_true(time_of(&s) == 0);
    press_on(&s, "Esc"); /* closes the help, and not play */
    tick(&s, 5);
    assert_true(s.snapshot.play.is_on && time_of(&s) > 0);
    press_on(&s, "7 Esc"); /* drops the number */
    assert_true(s.snapshot.play.is_on);
    press_on(&s, "Esc");
    assert_false(s.snapshot.play.is_on);
    press_on(&s, "M q"); /* with no moment on, q asks as ever */
    assert_int_equal(s.snapshot.mode, MODE_CONFIRM);
    end_screen(&s);
}

/* The speed has bounds, and no number of keys breaks it. */
static void test_speed(void **state)
{
    struct screen s;

    (void)state;
    start(&s, "1f1b", 2, 2);
    for (int i = 0; i < 50; i++)
        press_on(&s, "}");
    press_on(&s, "Space");
    assert_true(s.snapshot.play.speed == 64);
    for (int i = 0; i < 50; i++)
        press_on(&s, "{");
    assert_true(s.snapshot.play.speed == 1.0 / 64);
    end_screen(&s);
}

/* 1F1B P 2 M 2 with F 1 and B 2: stage 0 runs F0 F1 . B0 . B1 at 0 1 4 7, stage 1 F0 B0 F1 B1 at
 * 1 2 4 5. */
static void test_steps(void **state)
{
    static const double events[] = {0, 1, 2, 4, 5, 6, 7, 9};
    struct screen s;

    (void)state;
    start(&s, "1f1b", 2, 2);
    for (int i = 0; i < 8; i++) {
        press_on(&s, ".");
        assert_true(time_of(&s) == events[i]);
    }
    press_on(&s, ".");
    assert_true(time_of(&s) == 9 && strstr(s.snapshot.message, "end of the step") != NULL);
    for (int i = 7; i-- > 0;) {
        press_on(&s, ",");
        assert_true(time_of(&s) == events[i]);
    }
    press_on(&s, ",");
    assert_true(time_of(&s) == 0 && strstr(s.snapshot.message, "start of the step") != NULL);
    press_on(&s, "3 .");
    assert_true(time_of(&s) == 4);
    press_on(&s, "Esc ,"); /* from the end backwards */
    assert_true(time_of(&s) == 9);
    press_on(&s, "Esc 3 .");
    assert_true(time_of(&s) == 2);
    press_on(&s, "Space tick");
    assert_true(time_of(&s) > 2);
    press_on(&s, "."); /* a step pauses */
    assert_true(time_of(&s) == 4 && !session_is_playing(s.session));
    end_screen(&s);
}

/* A change leaves the moment where it is, or at the end of a step that is shorter; undo brings
 * back. */
static void test_changes(void **state)
{
    struct screen s;

    (void)state;
    start(&s, "1f1b", 4, 8);
    press_on(&s, "9 .");
    double time = time_of(&s);
    press_on(&s, "M M s");
    assert_true(time_of(&s) == time && s.snapshot.play.is_on);
    press_on(&s, "u u u");
    press_on(&s, ",");
    for (int i = 0; i < 5; i++)
        press_on(&s, "9 .");
    time = time_of(&s);
    assert_true(time > 20);
    press_on(&s, "1 m");
    assert_true(time_of(&s) == plan_of(&s)->makespan && plan_of(&s)->makespan < time);
    press_on(&s, "u");
    assert_true(time_of(&s) == time);
    /* The selection and the window are as free as ever. */
    press_on(&s, "Down Right + 0");
    assert_true(s.snapshot.selection.device == 0 && !s.snapshot.selection.is_all);
    assert_true(time_of(&s) == time);
    end_screen(&s);
}

/* A window that does not show the moment follows it. */
static void test_window(void **state)
{
    struct screen s;

    (void)state;
    start(&s, "1f1b", 4, 64);
    press_on(&s, "Down + + + + Space");
    while (session_is_playing(s.session)) {
        tick(&s, 0.05);
        const struct window *window = &s.snapshot.window;
        double time = time_of(&s);
        assert_true(time >= window->start && time <= window->start + window->span);
    }
    press_on(&s, ", , ,");
    assert_true(time_of(&s) >= s.snapshot.window.start);
    press_on(&s, "0 , + + + + + + + +"); /* a few of 197 units: those about the moment */
    assert_true(s.snapshot.window.span < 9 && time_of(&s) > 180);
    assert_true(time_of(&s) >= s.snapshot.window.start &&
                time_of(&s) <= s.snapshot.window.start + s.snapshot.window.span);
    end_screen(&s);
}

/* The same keys and ticks, the same screens, in two sessions side by side. */
static void test_deterministic(void **state)
{
    static const char *const script = "Space tick tick tick M tick Down . . , a } Space tick S "
                                      "tick + tick Right tick a u tick Space , Esc a 4 . v Space tick";
    struct screen a, b;
    char key[32];

    (void)state;
    start(&a, "zbv", 4, 8);
    start(&b, "zbv", 4, 8);
    for (const char *at = script; *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        memcpy(key, at, length);
        key[length] = '\0';
        press_on(&a, key);
        press_on(&b, key);
        assert_true(is_same(&a.grid, &b.grid));
        at += length;
    }
    end_screen(&a);
    end_screen(&b);
}

/* Beside a pinned step the moment runs to the end of the longer one and stops at events of either.
 * GPipe P 1 M 1 is F 0 1, B 1 3; with F 1.5 it is F 0 1.5, B 1.5 3.5. */
static void test_comparison(void **state)
{
    static const double events[] = {0, 1, 1.5, 3, 3.5};
    struct screen s;

    (void)state;
    start(&s, "gpipe", 1, 1);
    press_on(&s, "d");
    command_on(&s, "forward 1.5");
    for (int swapped = 0; swapped < 2; swapped++) {
        for (int i = 0; i < 5; i++) {
            press_on(&s, ".");
            assert_true(time_of(&s) == events[i]);
        }
        press_on(&s, ".");
        assert_true(time_of(&s) == 3.5);
        press_on(&s, "Esc Space");
        tick(&s, 10);
        assert_true(fabs(time_of(&s) - 1.75) < 1e-9);
        assert_non_null(s.snapshot.compared.a.stash);
        press_on(&s, "Esc D");
    }
    press_on(&s, "a"); /* there is no room for them */
    assert_true(s.snapshot.is_error && !s.snapshot.has_memory);
    end_screen(&s);
}

/* ---- words ---- */

static void check_words(const struct pg_plan *plan, double time, const char *expected)
{
    char line[400];
    struct text text;

    text_init(&text, line, sizeof line);
    narrate(plan, time, 300, &text);
    assert_string_equal(line, expected);
}

static void test_words(void **state)
{
    struct screen s;

    (void)state;
    start(&s, "1f1b", 2, 2);
    const struct pg_plan *plan = plan_of(&s);
    check_words(plan, 0, "t=0: stage 0 begins F0");
    check_words(plan, 0.7, "t=0: stage 0 begins F0");
    check_words(plan, 1, "t=1: stage 1 begins F0; stage 0 ends F0, begins F1");
    check_words(plan, 2, "t=2: stage 0 ends F1 and waits for the gradient of micro-batch 0 from "
                         "stage 1; stage 1 ends F0, begins B0");
    check_words(plan, 4, "t=4: stage 0 begins B0; stage 1 ends B0, begins F1");
    check_words(plan, 5, "t=5: stage 1 ends F1, begins B1");
    check_words(plan, 6, "t=6: stage 0 ends B0 and waits for the gradient of micro-batch 1 from "
                         "stage 1");
    check_words(plan, 7, "t=7: stage 0 begins B1; stage 1 ends B1 and with it all its work");
    check_words(plan, 9, "t=9: the step is over; stage 0 ends B1 and with it all its work");
    /* With a transfer of 1: stage 0 F0 0 1, F1 1 2; stage 1 F0 2 3, B0 3 5; stage 0 B0 6 8. */
    command_on(&s, "transfer 1");
    check_words(plan_of(&s), 5.5, "t=5: stage 1 ends B0, begins F1");
    struct moment moment = moment_of(plan_of(&s), 0, 5.5);
    char line[200];
    struct text text;
    text_init(&text, line, sizeof line);
    wait_write(plan_of(&s), 0, &moment, 5.5, TELL_ALL, &text);
    assert_string_equal(line, "waits for the gradient of micro-batch 0, on its way from stage 1");
    text_init(&text, line, sizeof line);
    wait_write(plan_of(&s), 0, &moment, 4, TELL_BRIEF, &text);
    assert_string_equal(line, "waits for B0 from stage 1");
    end_screen(&s);
}

/* Devices with several stages say which; pairs are named by both halves. */
static void test_words_of_chunks(void **state)
{
    struct screen s;
    char line[200];
    struct text text;

    (void)state;
    start(&s, "zbv", 2, 4);
    /* Stage 0 and 3 on device 0, F costs half: F0 of stage 0 at 0, of stage 1 at 0.5. */
    check_words(plan_of(&s), 0, "t=0: dev 0 begins F0 of stage 0");
    end_screen(&s);
    start(&s, "dualpipev", 2, 8);
    bool has_pair = false;
    for (uint32_t i = 0; i < plan_of(&s)->run[0].count; i++) {
        pg_code code = plan_of(&s)->run[0].code[i];
        if (!(code & PG_CODE_FUSED_FIRST))
            continue;
        char expected[32];
        has_pair = true;
        snprintf(expected, sizeof expected, "F%u&B%u", pg_code_micro(code),
                 pg_code_micro(plan_of(&s)->run[0].code[i + 1]));
        text_init(&text, line, sizeof line);
        doing_write(plan_of(&s), 0, i, true, &text);
        assert_string_equal(line, expected);
    }
    assert_true(has_pair);
    end_screen(&s);
}

/* What a device does, against a look at every operation. */
static void check_moment(const struct pg_plan *plan, uint32_t device, double time)
{
    struct moment moment = moment_of(plan, device, time);
    const struct pg_run *run = &plan->run[device];
    uint32_t running = PG_NONE, next = run->count;

    for (uint32_t i = run->count; i-- > 0;) {
        if (run->code[i] & PG_CODE_FUSED_SECOND)
            continue;
        double close = pg_op_end(plan, device, i);
        if (run->start[i] <= time && time < close)
            running = i;
        next = close > time ? i : next;
        if (moment.has_ended && moment.ended == i)
            assert_true(fabs(close - time) <= 1e-9 * plan->makespan);
    }
    assert_int_equal(moment.is_running, running != PG_NONE);
    assert_int_equal(moment.index, next);
    if (moment.has_begun)
        assert_true(fabs(run->start[moment.index] - time) <= 1e-9 * plan->makespan);
}

/* At every event of every family, in any width: bounded, told whole, and each device that starts or
 * ends something is either named or counted. */
static void test_any_words(void **state)
{
    static const int widths[] = {10, 20, 38, 60, 78, 118, 198};
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    struct screen s;

    (void)state;
    for (uint32_t f = 0; f < count; f++) {
        start(&s, "gpipe", 4, 8);
        command_on(&s, "transfer 0.25");
        char line[80];
        snprintf(line, sizeof line, "schedule %s", families[f].name);
        command_on(&s, line);
        const struct pg_plan *plan = plan_of(&s);
        for (double t = pg_event_after(plan, -1); isfinite(t); t = pg_event_after(plan, t)) {
            uint32_t news = 0;
            for (uint32_t d = 0; d < plan->devices; d++) {
                struct moment moment = moment_of(plan, d, t);
                check_moment(plan, d, t);
                news += moment.has_begun || moment.has_ended;
            }
            assert_true(news > 0);
            for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
                char told[600];
                struct text text;
                text_init(&text, told, sizeof told);
                narrate(plan, t, widths[w], &text);
                uint32_t clauses = 1, more = 0;
                for (const char *at = told; (at = strstr(at, "; ")) != NULL; at += 2)
                    clauses++;
                const char *tail = strstr(told, " more");
                if (tail != NULL) {
                    const char *number = tail;
                    while (number[-1] != ' ')
                        number--;
                    more = (uint32_t)strtoul(number, NULL, 10);
                    clauses--;
                }
                if (strstr(told, "the step is over") != NULL)
                    clauses--;
                if (strstr(told, " event") == NULL)
                    assert_int_equal(clauses + more, news);
                assert_true(widths[w] < 60 || text_columns(told) <= widths[w]);
            }
        }
        end_screen(&s);
    }
}

/* ---- frames ---- */

static bool is_digit(const struct cell *cell)
{
    return cell != NULL && ((cell->glyph >= '0' && cell->glyph <= '9') || cell->glyph == '&');
}

/* Is a cell of a number that reaches to the line? Such a number is taken away, whole. */
static bool is_crossed(const struct grid *before, int x, int line, int y)
{
    for (int step = x < line ? 1 : -1; x != line + step; x += step)
        if (!is_digit(grid_at(before, x, y)) ||
            grid_at(before, x, y)->paper != grid_at(before, line, y)->paper)
            return false;
    return true;
}

/* Left of the moment the lanes are as they were, right of it nothing is painted; Esc brings all
 * of it back. At every depth, size and shape of lane. */
static void check_sweep(struct screen *s)
{
    struct grid before = {.cells = NULL};

    copy_grid(&before, &s->grid);
    press_on(s, ".");
    while (time_of(s) < plan_of(s)->makespan) {
        const struct layout *layout = &s->frame.layout;
        int line = axis_column(&s->frame.axis, time_of(s));
        for (int y = layout->lanes.y; y < layout->lanes.y + layout->lanes.rows; y++)
            for (int x = 0; x < s->frame.axis.columns; x++) {
                const struct cell *now = grid_at(&s->grid, layout->gutter + x, y);
                const struct cell *old = grid_at(&before, layout->gutter + x, y);
                bool is_cut = is_crossed(&before, layout->gutter + x, layout->gutter + line, y);
                if (x < line && is_cut)
                    assert_false(is_digit(now));
                else if (x < line)
                    assert_true(cell_equal(now, old));
                else if (x > line)
                    assert_true(now->paper == COLOUR_OWN);
                else
                    assert_true(now->glyph == (s->theme.is_ascii ? '|' : 0x2503));
            }
        press_on(s, "3 .");
    }
    press_on(s, "Esc");
    assert_true(is_same(&before, &s->grid));
    grid_free(&before);
}

static void test_sweep(void **state)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {40, 10}, {20, 6}, {200, 60}};
    static const uint32_t shapes[][2] = {{1, 1}, {4, 8}, {3, 12}, {32, 4}};

    (void)state;
    for (int look = 0; look < 4; look++)
        for (int size = 0; size < 5; size++)
            for (int shape = 0; shape < 4; shape++) {
                struct screen s;
                start(&s, "1f1b", shapes[shape][0], shapes[shape][1]);
                s.theme.is_ascii = look % 2 == 1;
                s.theme.depth = look >= 2 ? DEPTH_MONO : DEPTH_256;
                press_on(&s, "Esc");
                resize(&s, sizes[size][0], sizes[size][1]);
                check_sweep(&s);
                end_screen(&s);
            }
}

/* What a device keeps at a time, operation by operation. */
static double kept(const struct pg_plan *plan, uint32_t device, double time)
{
    double sum = 0;

    for (uint32_t i = 0; i < plan->run[device].count; i++) {
        struct pg_op op;
        pg_op_at(plan, device, i, &op);
        size_t cell = (size_t)op.replica * plan->stages + op.stage;
        double whole = plan->stash == NULL ? 1.0 / plan->chunks : plan->stash[2 * cell];
        double late = plan->stash == NULL ? whole : plan->stash[2 * cell + 1];
        if (op.kind == PG_FORWARD)
            sum += op.start <= time ? whole : 0;
        else if (op.end <= time)
            sum -= op.kind == PG_BACKWARD     ? whole
                   : op.kind == PG_INPUT_GRAD ? whole - late
                                              : late;
    }
    return sum;
}

/* The most in a column, looked at in every four hundredth of it. */
static double most_kept(const struct screen *s, uint32_t device, int x)
{
    double most = 0;

    for (int i = 1; i < 400; i++)
        most = fmax(most, kept(plan_of(s), device, axis_time(&s->frame.axis, x + i / 400.0)));
    return most;
}

/* Eighths of height that a column of a memory lane is filled with; -1: a mark covers that. */
static int height_of(const struct screen *s, int x, int y, int rows)
{
    int height = 0;

    for (int row = 0; row < rows; row++) {
        uint32_t glyph = grid_at(&s->grid, x, y + row)->glyph;
        if (glyph == 0x25b2)
            return -1;
        if (glyph >= 0x2581 && glyph <= 0x2588)
            height += (int)(glyph - 0x2580);
    }
    return height;
}

/* Bars are as high as what is kept, by the metrics' own largest number at full height; the mark
 * stands in the column of forward number min(P-r, M) of stage r, which starts at r + min(P-r, M)
 * - 1. */
static void check_bars(const struct screen *s, bool is_1f1b)
{
    const struct layout *layout = &s->frame.layout;
    const struct pg_metrics *metrics = &s->snapshot.outcome->metrics;
    uint32_t devices = plan_of(s)->devices, micro_batches = plan_of(s)->micro_batches;

    assert_true(layout->memory_rows > 0 && layout->visible == devices);
    for (uint32_t d = 0; d < devices; d++) {
        int y = layout->lanes.y + (int)d * layout->lane_step + layout->lane_rows, marks = 0;
        for (int x = 0; x < s->frame.axis.columns; x++) {
            int height = height_of(s, layout->gutter + x, y, layout->memory_rows);
            double level = most_kept(s, d, x) / metrics->peak_memory * layout->memory_rows * 8;
            int wanted = level > 1e-9 && level < 0.5 ? 1 : (int)floor(level + 0.5);
            uint32_t peak = devices - d < micro_batches ? devices - d : micro_batches;
            if (height >= 0) {
                assert_int_equal(height, wanted);
                continue;
            }
            assert_true(fabs(most_kept(s, d, x) - metrics->device_memory[d]) < 1e-9);
            if (is_1f1b)
                assert_int_equal(x, axis_column(&s->frame.axis, d + peak - 1));
            marks++;
        }
        if (s->snapshot.window.is_fit)
            assert_int_equal(marks, 1);
    }
}

/* Other units, and a window that shows a part: there the scale is the same. */
static void test_memory_units(void **state)
{
    struct screen s;

    (void)state;
    start(&s, "zb1p", 4, 8);
    command_on(&s, "activation 1.5,2,2,2.5");
    command_on(&s, "weight_activation 0.5");
    press_on(&s, "a");
    assert_true(s.snapshot.stash->is_weighted);
    check_bars(&s, false);
    press_on(&s, "Down 6 Right + + + >");
    assert_false(s.snapshot.window.is_fit);
    check_bars(&s, false);
    end_screen(&s);
}

static void test_memory(void **state)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    static const char *const families[] = {"1f1b", "gpipe", "zbv", "zb1p", "dualpipev"};

    (void)state;
    for (int size = 0; size < 3; size++)
        for (size_t f = 0; f < 5; f++) {
            struct screen s;
            start(&s, families[f], 4, 8);
            resize(&s, sizes[size][0], sizes[size][1]);
            press_on(&s, "a");
            assert_true(s.snapshot.has_memory);
            check_bars(&s, f == 0);
            if (strcmp(families[f], "dualpipev") != 0) { /* a change makes new levels */
                press_on(&s, "M M M");
                check_bars(&s, f == 0);
                press_on(&s, "u");
                check_bars(&s, f == 0);
            }
            press_on(&s, "a");
            assert_true(!s.snapshot.has_memory && s.frame.layout.memory_rows == 0);
            end_screen(&s);
        }
}

/* Where a device is over its limit every column says so, without colour too. */
static void test_limit(void **state)
{
    struct screen s;

    (void)state;
    for (int look = 0; look < 4; look++) {
        start(&s, "1f1b", 4, 8);
        s.theme.is_ascii = look % 2 == 1;
        s.theme.depth = look >= 2 ? DEPTH_MONO : DEPTH_256;
        command_on(&s, "memory_limit 2");
        press_on(&s, "a");
        assert_non_null(strstr(s.snapshot.message, "over the limit of 2: stages 0, 1"));
        const struct layout *layout = &s.frame.layout;
        for (uint32_t d = 0; d < 4; d++)
            for (int x = 0; x < s.frame.axis.columns; x++) {
                int y = layout->lanes.y + (int)d * layout->lane_step + layout->lane_rows;
                bool is_marked = false;
                for (int row = 0; row < layout->memory_rows; row++) {
                    uint32_t glyph = grid_at(&s.grid, layout->gutter + x, y + row)->glyph;
                    bool is_peak = glyph == 0x25b2 || glyph == '^';
                    is_marked = is_marked || glyph == '!' || (is_peak && d < 2);
                }
                assert_int_equal(is_marked, most_kept(&s, d, x) > 2);
            }
        command_on(&s, "memory_limit 5");
        press_on(&s, "a a");
        assert_non_null(strstr(s.snapshot.message, "within the limit of 5"));
        end_screen(&s);
    }
}

/* Frames with both, at every size there may be: sound, and as they were afterwards. */
static void test_every_size(void **state)
{
    static const int sizes[][2] = {{1, 1},   {20, 6},   {21, 30}, {40, 10},
                                   {80, 24}, {120, 40}, {300, 90}};
    static const uint32_t stages[] = {1, 4, 16, 64};

    (void)state;
    for (int p = 0; p < 4; p++) {
        struct screen s;
        start(&s, "1f1b", stages[p], 16);
        for (int size = 0; size < 7; size++) {
            struct grid before = {.cells = NULL};
            press_on(&s, "Esc");
            resize(&s, sizes[size][0], sizes[size][1]);
            copy_grid(&before, &s.grid);
            press_on(&s, "a 7 . Down Down n + , , > > Space tick tick 0 Up Up Up Esc a v v Esc");
            assert_true(s.snapshot.selection.is_all);
            assert_true(is_same(&before, &s.grid));
            grid_free(&before);
        }
        end_screen(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),         cmocka_unit_test(test_modes),
        cmocka_unit_test(test_speed),         cmocka_unit_test(test_steps),
        cmocka_unit_test(test_changes),       cmocka_unit_test(test_window),
        cmocka_unit_test(test_deterministic), cmocka_unit_test(test_words),
        cmocka_unit_test(test_words_of_chunks), cmocka_unit_test(test_any_words),
        cmocka_unit_test(test_comparison),    cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_units),
        cmocka_unit_test(test_limit),         cmocka_unit_test(test_every_size),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
