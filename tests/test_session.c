/* A session driven by names of keys, with no terminal: selection, window, help, questions, requests
 * to the program around it, and a long random walk over everything. Parameters and the `:` line are
 * in test_command.c, undoing in test_history.c. */
#include "driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

/* A new session after the keys, seen through a view of 100 columns and 4 lanes. */
static struct session *start(const char *keys)
{
    struct session *session = session_after(keys);

    session_set_view(session, &(struct session_view){.span = look(session).outcome->plan.makespan,
                                                     .columns = 100,
                                                     .lanes = 4,
                                                     .help_rows = 10,
                                                     .help_lines = 30});
    return session;
}

static bool is_same(const struct selection *a, const struct selection *b)
{
    if (a->is_all || b->is_all)
        return a->is_all == b->is_all;
    return a->device == b->device && a->is_gap == b->is_gap && a->index == b->index;
}

static struct pg_op selected_op(struct session *session)
{
    struct snapshot now = look(session);
    struct pg_op op;

    assert_false(now.selection.is_all);
    assert_false(now.selection.is_gap);
    pg_op_at(&now.outcome->plan, now.selection.device, now.selection.index, &op);
    return op;
}

#define assert_op(session, kind_, stage_, micro_)                                                  \
    do {                                                                                           \
        struct pg_op op_ = selected_op(session);                                                   \
        assert_string_equal(kind_letter(op_.kind), kind_);                                         \
        assert_int_equal(op_.stage, stage_);                                                       \
        assert_int_equal(op_.micro_batch, micro_);                                                 \
    } while (0)

static void bounds(const struct snapshot *now, double *from, double *to)
{
    const struct pg_plan *plan = &now->outcome->plan;
    const struct selection *item = &now->selection;

    if (item->is_gap) {
        gap_bounds(plan, item->device, item->index, from, to);
    } else {
        *from = plan->run[item->device].start[item->index];
        *to = pg_op_end(plan, item->device, item->index);
    }
}

static void assert_gap(struct session *session, double from, double to)
{
    struct snapshot now = look(session);
    double start, end;

    assert_true(now.selection.is_gap);
    bounds(&now, &start, &end);
    assert_true(start == from && end == to);
}

/* ---- selection ---- */

static struct selection step(struct session *session, const char *key)
{
    session_key(session, key);
    return look(session).selection;
}

/* To the beginning of the lane, then right over everything on it: the pieces touch, every operation
 * comes once and in order, a gap only between two that do not touch; and left the same way back. */
static void walk_lane(struct session *session)
{
    struct snapshot now = look(session);
    const struct pg_plan *plan = &now.outcome->plan;
    uint32_t device = now.selection.device, count = plan->run[device].count, ops = 0, steps = 0;
    struct selection at = step(session, "g"), next = step(session, "Left");
    double reached = 0, start, end, slack = plan->makespan * 1e-9;
    bool was_gap = false;

    assert_true(is_same(&at, &next) || (next.is_gap && next.index == 0));
    for (at = next;; at = next, steps++) {
        now = look(session);
        bounds(&now, &start, &end);
        assert_int_equal(at.device, device);
        assert_true(fabs(start - reached) <= slack && end > start);
        assert_int_equal(at.index, ops);
        assert_false(at.is_gap && was_gap);
        ops += !at.is_gap;
        was_gap = at.is_gap;
        reached = end;
        next = step(session, "Right");
        if (is_same(&at, &next))
            break;
    }
    assert_int_equal(ops, count);
    assert_true(fabs(reached - plan->makespan) <= slack);
    assert_true(look(session).message[0] != '\0');
    for (uint32_t back = 0;; back++, at = next) {
        next = step(session, "h");
        if (is_same(&at, &next)) {
            assert_int_equal(back, steps);
            return;
        }
    }
}

static void test_left_and_right_visit_everything(void **state)
{
    static const char *const scripts[] = {
        "",          "S",         "1 P",           "1 M",
        "1 P 1 M S", "9 P 3 M S", "5 P 1 7 M",     "3 T",
        "S 4 T 3 F", "S j j 5 F", "j j j j 9 b T", "7 P S j 3 F j 2 B j 9 F T T"};

    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        struct session *session = start(scripts[i]);
        uint32_t devices = look(session).scenario->stages;
        for (uint32_t d = 0; d < devices; d++) {
            session_select_at(session, d, 0);
            assert_int_equal(look(session).selection.device, d);
            walk_lane(session);
        }
        session_free(session);
    }
}

/* GPipe, P=4, M=8, 1 and 2: idle 8 to 17 on stage 0, …, and 27 to 33 on stage 3. */
static void test_gaps(void **state)
{
    struct session *session = start("j g n");

    (void)state;
    assert_gap(session, 8, 17);
    press(session, "n");
    assert_gap(session, 8, 17);
    assert_string_equal(look(session).message, "no gap after this on the lane");
    press(session, "N");
    assert_gap(session, 8, 17);
    assert_true(look(session).message[0] != '\0');
    press(session, "j g n");
    assert_gap(session, 9, 15);
    press(session, "n");
    assert_gap(session, 31, 33);
    press(session, "N");
    assert_gap(session, 9, 15);
    press(session, "N");
    assert_gap(session, 0, 1);
    press(session, "N");
    assert_gap(session, 0, 1);
    press(session, "2 n");
    assert_gap(session, 31, 33);
    press(session, "G");
    assert_op(session, "B", 1, 0);
    press(session, "N");
    assert_gap(session, 9, 15);
    press(session, "2 j g n");
    assert_gap(session, 27, 33); /* none between F and B on the last stage */
    session_free(session);
}

static void test_first_and_last(void **state)
{
    static const char *const firsts[] = {"g", "Home"}, *const lasts[] = {"G", "End"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct session *session = start("j j");
        press(session, lasts[i]);
        assert_op(session, "B", 1, 0);
        press(session, firsts[i]);
        assert_op(session, "F", 1, 0);
        press(session, "9 l");
        press(session, lasts[i]);
        assert_op(session, "B", 1, 0);
        session_free(session);
    }
}

static void test_follow(void **state)
{
    static const char *const forth[] = {"J", "]"}, *const back[] = {"K", "["};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct session *session = start("S j g 2 l");
        for (uint32_t stage = 0; stage < 4; stage++) {
            assert_op(session, "F", stage, 2);
            press(session, forth[i]);
        }
        assert_op(session, "B", 3, 2); /* where forward ends backward begins */
        for (uint32_t stage = 3; stage > 0; stage--) {
            assert_op(session, "B", stage, 2);
            press(session, back[i]);
        }
        assert_op(session, "B", 0, 2);
        press(session, back[i]);
        assert_op(session, "B", 0, 2);
        assert_true(look(session).message[0] != '\0');
        press(session, forth[i]);
        assert_op(session, "B", 1, 2);
        press(session, "2");
        press(session, forth[i]);
        assert_op(session, "B", 3, 2);
        press(session, "j g");
        assert_op(session, "F", 3, 0);
        press(session, "3");
        press(session, back[i]);
        assert_op(session, "F", 0, 0);
        press(session, back[i]);
        assert_op(session, "F", 0, 0);
        session_free(session);
    }
}

/* Lanes above and below at the time one came from, however long what lies there is. */
static void test_up_and_down_keep_the_time(void **state)
{
    (void)state;
    for (int tenth = 0; tenth < 330; tenth += 7) {
        struct session *session = start("S j j 3 F 5 B");
        double time = tenth / 10.0;
        struct selection lanes[4];
        for (uint32_t d = 0; d < 4; d++) {
            session_select_at(session, d, time);
            lanes[d] = look(session).selection;
            struct snapshot now = look(session);
            double from, to;
            bounds(&now, &from, &to);
            assert_true(from <= time && time < to);
        }
        for (int round = 0; round < 2; round++) {
            for (uint32_t d = 3; d-- > 0;) {
                struct selection at = step(session, round == 0 ? "k" : "Up");
                assert_true(is_same(&at, &lanes[d]));
            }
            assert_true(step(session, "Up").is_all);
            assert_int_equal(look(session).edited_stage, PG_NONE);
            assert_true(step(session, "k").is_all);
            for (uint32_t d = 0; d < 4; d++) {
                struct selection at = step(session, round == 0 ? "j" : "Down");
                assert_true(is_same(&at, &lanes[d]));
                assert_int_equal(look(session).edited_stage, d);
            }
            struct selection last = step(session, "j");
            assert_true(is_same(&last, &lanes[3]));
        }
        session_free(session);
    }
}

/* The time is that of the operation, also when a change has moved it: B0 of GPipe's stage 0 from
 * 31 … 33 to 34 … 36, where stage 1 has finished. */
static void test_time_moves_with_the_operation(void **state)
{
    struct session *session = start("j G M");

    (void)state;
    assert_op(session, "B", 0, 0);
    press(session, "j");
    assert_gap(session, 34, 36);
    session_free(session);
}

static void test_clicks(void **state)
{
    struct session *session = start("S");

    (void)state;
    session_select_at(session, 3, 3.5);
    assert_op(session, "F", 3, 0);
    session_select_at(session, 3, 1);
    assert_gap(session, 0, 3);
    session_select_at(session, 3, 30);
    assert_gap(session, 27, 33);
    session_select_at(session, 0, 32.9);
    assert_op(session, "B", 0, 7);
    session_select_at(session, 0, 1e9); /* beyond the end, where there is no gap */
    assert_op(session, "B", 0, 7);
    session_select_at(session, 4, 1); /* no such lane */
    assert_op(session, "B", 0, 7);
    session_select_all(session);
    assert_true(look(session).selection.is_all);
    session_free(session);
}

static void test_selection_follows_its_operation(void **state)
{
    static const char *const edits[] = {"M", "M", "S", "F",   "4 B",   "P",   "m",   "s",
                                        "T", "u", "U", "9 P", "2 0 M", "3 P", "H P", "6 M"};
    struct session *session = start("j j j g");

    (void)state;
    press(session, "G 3 h");
    assert_op(session, "B", 2, 3);
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        press(session, edits[i]);
        assert_false(look(session).is_error);
        assert_op(session, "B", 2, 3);
        assert_int_equal(look(session).edited_stage, 2);
    }
    press(session, "3 M"); /* it is gone: something that is there, on the same lane */
    assert_int_equal(look(session).selection.device, 2);
    press(session, "1 P");
    assert_int_equal(look(session).selection.device, 0);
    session_free(session);
}

static void test_selected_gap_stays(void **state)
{
    struct session *session = start("j j g h");

    (void)state;
    assert_gap(session, 0, 1); /* before F0, whatever comes later */
    press(session, "M");
    assert_gap(session, 0, 1);
    press(session, "S 5 F");
    assert_gap(session, 0, 1); /* the first stage costs what it did */
    press(session, "s 5 f j G n");
    assert_gap(session, 32, 36); /* after the last operation */
    press(session, "M");
    assert_gap(session, 35, 39);
    press(session, "9 P");
    assert_int_equal(look(session).selection.device, 2);
    press(session, "1 P"); /* no gap left at all */
    assert_false(look(session).selection.is_gap);
    assert_int_equal(look(session).selection.device, 0);
    session_free(session);
}

/* ---- window ---- */

static double share_of(struct session *session, double time)
{
    struct window window = look(session).window;
    return (time - window.start) / window.span;
}

static void test_fit_until_zoomed(void **state)
{
    struct session *session = start("");
    struct window before;

    (void)state;
    press(session, "M P S F j l n 9 M");
    assert_true(look(session).window.is_fit);
    press(session, "+");
    before = look(session).window;
    assert_false(before.is_fit);
    press(session, "M 6 4 M 3 P S F T 2 M u U s v ? Esc");
    assert_true(look(session).window.start == before.start);
    assert_true(look(session).window.span == before.span);
    assert_false(look(session).window.is_fit);
    press(session, "0");
    assert_true(look(session).window.is_fit);
    press(session, "<");
    assert_false(look(session).window.is_fit);
    press(session, "0 M");
    assert_true(look(session).window.is_fit);
    press(session, "1 0 M"); /* this 0 belongs to a number */
    assert_true(look(session).window.is_fit);
    assert_int_equal(look(session).scenario->micro_batches, 10);
    press(session, "+ 1 0 M");
    assert_false(look(session).window.is_fit);
    session_free(session);
}

static void test_zoom_keeps_the_selection_in_place(void **state)
{
    struct session *session = start("S j j 6 l");
    struct snapshot now = look(session);
    double from, to, middle;

    (void)state;
    bounds(&now, &from, &to);
    middle = (from + to) / 2;
    press(session, "+");
    double share = share_of(session, middle), span = look(session).window.span;
    assert_true(fabs(share - middle / 33) < 1e-9);
    assert_true(span < 33);
    press(session, "=");
    assert_true(fabs(share_of(session, middle) - share) < 1e-9);
    assert_true(look(session).window.span < span);
    press(session, "- - ");
    assert_true(fabs(look(session).window.span - 33) < 1e-9);
    assert_true(fabs(look(session).window.start) < 1e-9);
    press(session, "+ +");
    for (int i = 0; i < 200; i++) { /* as far as it goes: it stays where it is */
        press(session, "+");
        assert_true(fabs(share_of(session, middle) - share) < 1e-5);
        assert_true(look(session).window.span > 0);
    }
    for (int i = 0; i < 200; i++)
        press(session, "-");
    assert_true(look(session).window.start >= 0);
    assert_true(look(session).window.span >= 33 && look(session).window.span <= 33 * 10);
    session_free(session);
}

static void test_zoom_by_wheel(void **state)
{
    struct session *session = start("");

    (void)state;
    session_zoom_at(session, 2, 22);
    assert_true(fabs(look(session).window.span - 16.5) < 1e-9);
    assert_true(fabs(look(session).window.start - 11) < 1e-9);
    session_zoom_at(session, 0.5, 22);
    assert_true(fabs(look(session).window.span - 33) < 1e-9);
    assert_true(fabs(look(session).window.start) < 1e-9);
    for (int i = 0; i < 300; i++)
        session_zoom_at(session, 1.5, 22);
    assert_true(fabs(share_of(session, 22) - 2.0 / 3) < 1e-5);
    session_free(session);
}

static void test_zoom_to_selection(void **state)
{
    struct session *session = start("S j j j 9 l");

    (void)state;
    for (int i = 0; i < 12; i++) {
        struct snapshot now;
        double from, to;
        press(session, "l z");
        now = look(session);
        bounds(&now, &from, &to);
        assert_false(now.window.is_fit);
        assert_true(now.window.start <= from && to <= now.window.start + now.window.span);
        assert_true((to - from) / now.window.span > 0.1);
    }
    session_select_all(session);
    press(session, "z");
    assert_true(look(session).window.is_fit);
    session_free(session);
}

static void test_pans(void **state)
{
    static const char *const lefts[] = {"<", "Shift-Left"}, *const rights[] = {">", "Shift-Right"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct session *session = start("+ +");
        struct window before = look(session).window;
        press(session, rights[i]);
        assert_true(look(session).window.start > before.start);
        assert_true(look(session).window.span == before.span);
        press(session, lefts[i]);
        assert_true(fabs(look(session).window.start - before.start) < 1e-9);
        for (int k = 0; k < 200; k++)
            press(session, lefts[i]);
        assert_true(look(session).window.start == 0);
        for (int k = 0; k < 200; k++)
            press(session, rights[i]);
        assert_true(look(session).window.start > 33 - before.span);
        assert_true(look(session).window.start < 33); /* something is still to be seen */
        session_pan_by(session, -1e9);
        assert_true(look(session).window.start == 0);
        session_pan_by(session, 1e9);
        assert_true(look(session).window.start < 33);
        session_free(session);
    }
}

static void test_pages(void **state)
{
    struct session *session = start("+ + + +");
    struct window before;

    (void)state;
    session_pan_by(session, -1e9);
    before = look(session).window;
    press(session, "PageDown");
    assert_true(look(session).window.start <= before.span); /* nothing is skipped */
    assert_true(look(session).window.start >= before.span / 2);
    press(session, "PageUp");
    assert_true(look(session).window.start < 1e-9);
    assert_int_equal(session_take_request(session).kind, REQUEST_NONE);
    session_free(session);
}

/* Moving to what is not on screen brings it there. */
static void test_selection_is_seen(void **state)
{
    struct session *session = start("1 2 P 2 0 M S j g z");

    (void)state;
    for (int i = 0; i < 100; i++) {
        static const char *const keys[] = {"l", "j", "J", "n", "G", "k", "K", "h"};
        struct snapshot now;
        double from, to;
        press(session, keys[i % 8]);
        if (i % 9 == 0)
            press(session, "4 j");
        now = look(session);
        if (now.selection.is_all)
            continue;
        bounds(&now, &from, &to);
        assert_true(to > now.window.start && from < now.window.start + now.window.span);
        assert_true(now.selection.device >= now.lane_top);
        assert_true(now.selection.device < now.lane_top + 4);
    }
    session_free(session);
}

/* ---- help, questions, requests ---- */

static void test_help(void **state)
{
    static const char *const opens[] = {"?", "F1"}, *const closes[] = {"q", "Esc", "?"};

    (void)state;
    for (int i = 0; i < 6; i++) {
        struct session *session = start("");
        press(session, opens[i % 2]);
        assert_int_equal(look(session).mode, MODE_HELP);
        press(session, "M P F u 9 M S o : Ctrl-S");
        assert_int_equal(look(session).mode, MODE_HELP);
        assert_int_equal(look(session).scenario->micro_batches, 8);
        assert_int_equal(session_take_request(session).kind, REQUEST_NONE);
        press(session, "j j k");
        assert_int_equal(look(session).help_top, 1);
        press(session, "PageDown PageDown PageDown PageDown G j");
        assert_int_equal(look(session).help_top, 20); /* 30 lines, 10 at a time */
        press(session, "PageUp");
        assert_true(look(session).help_top >= 10 && look(session).help_top < 20);
        press(session, "g k PageUp");
        assert_int_equal(look(session).help_top, 0);
        press(session, closes[i / 2]);
        assert_int_equal(look(session).mode, MODE_CHART);
        assert_int_equal(session_take_request(session).kind, REQUEST_NONE);
        session_free(session);
    }
}

static void test_quit(void **state)
{
    static const char *const quits[] = {"q", "Ctrl-C"}, *const yes[] = {"y", "Y", "q", "Ctrl-C"};
    static const char *const no[] = {"n", "Esc", "x", "M"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct session *session = start("");
        press(session, quits[i % 2]);
        assert_request(session, REQUEST_QUIT); /* nothing to lose */
        press(session, "M");
        press(session, quits[i % 2]);
        assert_int_equal(look(session).mode, MODE_CONFIRM);
        assert_request(session, REQUEST_NONE);
        press(session, no[i]);
        assert_int_equal(look(session).mode, MODE_CHART);
        assert_int_equal(look(session).scenario->micro_batches, 9);
        assert_false(look(session).is_error);
        assert_request(session, REQUEST_NONE);
        press(session, quits[i % 2]);
        press(session, yes[i]);
        assert_request(session, REQUEST_QUIT);
        press(session, "Q");
        assert_request(session, REQUEST_QUIT);
        press(session, "u q");
        assert_request(session, REQUEST_QUIT);
        session_free(session);
    }
}

static void test_quit_and_save(void **state)
{
    struct session *session = start("");
    struct request request;

    (void)state;
    load(session, fresh_scenario(), from_file("/x/a.ini"));
    press(session, "M q s");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_SAVE);
    assert_string_equal(request.path, "/x/a.ini");
    assert_true(request.quits_after);

    load(session, fresh_scenario(), from_file(NULL)); /* a name is needed first */
    press(session, "M q s");
    assert_int_equal(look(session).mode, MODE_PROMPT);
    type(session, "my own.ini");
    press(session, "Enter");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_SAVE);
    assert_string_equal(request.path, "my own.ini");
    assert_true(request.quits_after);

    press(session, "Ctrl-S b Enter"); /* from here on nobody wants to quit */
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_SAVE);
    assert_false(request.quits_after);
    session_free(session);
}

static void test_save(void **state)
{
    struct session *session = start("");
    struct request request;

    (void)state;
    press(session, "M Ctrl-S");
    assert_int_equal(look(session).mode, MODE_PROMPT);
    assert_request(session, REQUEST_NONE);
    press(session, "Enter");
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_request(session, REQUEST_NONE);
    assert_true(look(session).is_unsaved);
    press(session, "Ctrl-S a b c Enter");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_SAVE);
    assert_string_equal(request.path, "abc");
    assert_false(request.is_forced);
    assert_true(look(session).is_unsaved); /* until it is done */
    session_saved(session, "/x/abc");
    assert_false(look(session).is_unsaved);
    assert_string_equal(look(session).name, "abc");
    press(session, "M Ctrl-S");
    assert_int_equal(look(session).mode, MODE_CHART);
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_SAVE);
    assert_string_equal(request.path, "/x/abc");
    assert_true(look(session).is_unsaved);
    session_free(session);
}

/* The first save over a file with comments asks; nothing is written before the answer. */
static void test_comments(void **state)
{
    struct session *session = start("");
    struct request request;

    (void)state;
    load(session, fresh_scenario(), (struct origin){"/x/a.ini", "/x/a.ini", true});
    press(session, "M Ctrl-S");
    assert_int_equal(look(session).mode, MODE_CONFIRM);
    assert_request(session, REQUEST_NONE);
    press(session, "n");
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_request(session, REQUEST_NONE);
    press(session, "Ctrl-S");
    assert_request(session, REQUEST_NONE);
    press(session, "y");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_SAVE);
    assert_string_equal(request.path, "/x/a.ini");
    assert_true(request.is_forced);
    assert_false(request.quits_after);

    press(session, "q s");
    assert_int_equal(look(session).mode, MODE_CONFIRM);
    assert_request(session, REQUEST_NONE);
    press(session, "y");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_SAVE);
    assert_true(request.quits_after);

    session_saved(session, "/x/a.ini");
    press(session, "M Ctrl-S"); /* they are gone now */
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_request(session, REQUEST_SAVE);
    session_free(session);
}

static void test_program_asks(void **state)
{
    struct session *session = start("");
    struct request request;

    (void)state;
    for (int i = 0; i < 2; i++) {
        press(session, "Ctrl-S a b Enter");
        request = session_take_request(session);
        session_confirm(session, "ab exists. Replace it?", &request);
        assert_string_equal(look(session).message, "ab exists. Replace it?");
        assert_request(session, REQUEST_NONE);
        session_paste(session, "yes\ny"); /* pasting answers nothing */
        assert_int_equal(look(session).mode, MODE_CONFIRM);
        assert_request(session, REQUEST_NONE);
        press(session, i == 0 ? "Esc" : "y");
        request = session_take_request(session);
        assert_int_equal(request.kind, i == 0 ? REQUEST_NONE : REQUEST_SAVE);
        if (i == 1) {
            assert_string_equal(request.path, "ab");
            assert_true(request.is_forced);
        }
    }
    session_free(session);
}

static void test_other_requests(void **state)
{
    struct session *session = start("");
    struct request request;

    (void)state;
    press(session, "Ctrl-L");
    assert_request(session, REQUEST_REPAINT);
    press(session, "Ctrl-Z");
    assert_request(session, REQUEST_SUSPEND);
    press(session, "? Ctrl-L");
    assert_request(session, REQUEST_REPAINT);
    press(session, "Ctrl-Z");
    assert_request(session, REQUEST_SUSPEND);
    press(session, "q : m Ctrl-Z");
    assert_request(session, REQUEST_SUSPEND);
    assert_string_equal(look(session).prompt.line, "m"); /* still there afterwards */
    press(session, "Esc r");
    assert_request(session, REQUEST_NONE);
    assert_true(look(session).is_error);
    press(session, "o");
    assert_int_equal(look(session).mode, MODE_PROMPT);
    type(session, "a b.ini");
    press(session, "Enter");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_OPEN);
    assert_string_equal(request.path, "a b.ini");
    press(session, "o Enter");
    assert_request(session, REQUEST_NONE);
    load(session, fresh_scenario(), from_file("/x/a.ini"));
    press(session, "r");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_RELOAD);
    assert_string_equal(request.path, "/x/a.ini");
    press(session, "v");
    assert_true(look(session).is_bubble_view);
    press(session, "v");
    assert_false(look(session).is_bubble_view);
    session_free(session);
}

static void test_slides(void **state)
{
    static const char *const lines[] = {"n", "p"}, *const keys[] = {"PageDown", "PageUp"};
    struct session *session = start("");

    (void)state;
    command(session, "n");
    assert_true(look(session).is_error);
    assert_request(session, REQUEST_NONE);
    for (uint32_t slide = 0; slide < 3; slide++)
        for (uint32_t back = 0; back < 2; back++)
            for (int is_typed = 0; is_typed < 2; is_typed++) {
                session_set_slides(session, slide, 3);
                if (is_typed)
                    command(session, lines[back]);
                else
                    press(session, keys[back]);
                struct request request = session_take_request(session);
                if (slide == (back ? 0 : 2)) {
                    assert_int_equal(request.kind, REQUEST_NONE);
                    assert_true(look(session).message[0] != '\0');
                } else {
                    assert_int_equal(request.kind, REQUEST_SLIDE);
                    assert_int_equal(request.slide, back ? slide - 1 : slide + 1);
                }
                assert_int_equal(look(session).slide, slide); /* until it is done */
                assert_int_equal(look(session).slides, 3);
            }
    press(session, "r"); /* a slide without a path of its own can be read again too */
    assert_request(session, REQUEST_RELOAD);
    session_free(session);
}

/* ---- two sessions ---- */

static void test_two_sessions(void **state)
{
    static const char *const keys[] = {"M", "P",     "j", "l",     "F",   "F",  "n", "+",
                                       "S", "u",     "3", "P",     "J",   "T",  "e", "Ctrl-U",
                                       "7", "Space", "8", "Enter", "v",   ":",  "m", "Space",
                                       "5", "Enter", ":", "Up",    "Tab", "Esc"};
    struct session *alone = start(""), *one = start(""), *other = start("");

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        session_key(alone, keys[i]);
        session_key(one, keys[i]);
        session_key(other, keys[sizeof keys / sizeof keys[0] - 1 - i]);
        struct snapshot a = look(alone), b = look(one);
        assert_true(scenario_equal(a.scenario, b.scenario));
        assert_true(a.outcome->metrics.makespan == b.outcome->metrics.makespan);
        assert_true(is_same(&a.selection, &b.selection));
        assert_true(a.window.start == b.window.start && a.window.span == b.window.span);
        assert_string_equal(a.message, b.message);
        assert_string_equal(a.prompt.line, b.prompt.line);
        assert_int_equal(a.mode, b.mode);
        assert_int_equal(a.count, b.count);
        assert_true(a.is_bubble_view == b.is_bubble_view);
    }
    session_free(other);
    press(one, "9 9 u");
    assert_int_equal(look(one).scenario->micro_batches, 8);
    session_free(one);
    assert_int_equal(look(alone).scenario->micro_batches, 5);
    session_free(alone);
}

/* ---- a random walk ---- */

static void check_plan(const struct snapshot *now)
{
    const struct pg_plan *plan = &now->outcome->plan;

    assert_verified(plan);
    assert_int_equal(plan->devices, now->scenario->stages);
    assert_int_equal(plan->micro_batches, now->scenario->micro_batches);
    assert_ptr_equal(plan->family, now->scenario->schedule);
    assert_true(plan->transfer == now->scenario->transfer);
    assert_true(now->outcome->metrics.makespan == plan->makespan);
    assert_true(now->outcome->metrics.bubble_fraction >= 0 &&
                now->outcome->metrics.bubble_fraction < 1);
}

static void check_selection(const struct snapshot *now)
{
    const struct pg_plan *plan = &now->outcome->plan;
    const struct selection *item = &now->selection;
    double from, to;

    if (item->is_all) {
        assert_int_equal(now->edited_stage, PG_NONE);
        return;
    }
    assert_true(item->device < plan->devices);
    assert_true(item->index < plan->run[item->device].count + item->is_gap);
    bounds(now, &from, &to);
    assert_true(from >= 0 && from < to && to <= plan->makespan);
    assert_true(plan->cell_device[now->edited_stage] == item->device ||
                (plan->replicas == 2 &&
                 plan->cell_device[plan->stages + now->edited_stage] == item->device));
    assert_true(item->device >= now->lane_top);
}

static bool is_clean(const char *string)
{
    while (*string != '\0') {
        bool is_invalid;
        uint32_t c = text_decode_strict(&string, &is_invalid);
        if (is_invalid || text_is_control(c))
            return false;
    }
    return true;
}

static void check_all(struct session *session)
{
    struct snapshot now = look(session);
    size_t length = strlen(now.prompt.line);

    check_selection(&now);
    assert_true(now.lane_top < now.outcome->plan.devices);
    if (!now.window.is_fit) {
        assert_true(isfinite(now.window.start) && now.window.start >= 0);
        assert_true(isfinite(now.window.span) && now.window.span > 0);
    }
    assert_true(is_clean(now.message) && is_clean(now.prompt.line));
    assert_false(now.is_error && now.message[0] == '\0');
    assert_true(now.prompt.cursor <= length);
    assert_true(((unsigned char)now.prompt.line[now.prompt.cursor] & 0xc0) != 0x80);
    assert_true(now.help_top <= 30);
    assert_true(now.is_unsaved == session_is_unsaved(session));
    const struct list *lists[] = {now.scenario->forward, now.scenario->backward};
    for (int i = 0; i < 2 && now.scenario->layers == NULL; i++)
        assert_true(lists[i]->n == 1 || lists[i]->n == now.scenario->stages ||
                    lists[i]->n == scenario_stages(now.scenario));
}

static void random_line(struct session *session, uint64_t *dice)
{
    static const char *const lines[] = {
        "m 6",
        "m 0",
        "stages 3",
        "p 5",
        "forward 1,2,3,4",
        "forward 2",
        "backward 1,1,1",
        "transfer 0.5",
        "transfer -1",
        "layers 12*1,3",
        "layers 1,2",
        "layers 9*1/3",
        "split uniform",
        "split 4,4,4,1",
        "backward_ratio 3",
        "hold model",
        "forward default",
        "layers default",
        "group default",
        "p default",
        "title =",
        "hold stage",
        "schedule 1f1b",
        "schedule x",
        "title a ; b",
        "title T",
        "chunks 3",
        "chunks 0",
        "w a.ini",
        "w",
        "o b",
        "n",
        "p",
        "q",
        "help",
        "undo",
        "redo",
        "nonsense",
        "fit",
        "",
        "m",
        "title",
        "m = 1e1",
        "zoom-in",
        "costs-type",
    };
    static const char *const keys[] = {"Left",   "Right",  "Home",   "End",    "Backspace",
                                       "Delete", "Ctrl-W", "Ctrl-U", "Ctrl-K", "Up",
                                       "Down",   "Tab",    "é",      "漢",     "x"};

    if (roll(dice, 3) == 0)
        type(session, lines[roll(dice, sizeof lines / sizeof lines[0])]);
    else
        session_key(session, keys[roll(dice, sizeof keys / sizeof keys[0])]);
    if (roll(dice, 4) == 0)
        session_key(session, roll(dice, 8) == 0 ? "Esc" : "Enter");
}

static void random_act(struct session *session, uint64_t *dice)
{
    struct snapshot now = look(session);
    uint32_t what = roll(dice, 100);
    double makespan = now.outcome->plan.makespan;

    if (now.mode == MODE_PROMPT) {
        random_line(session, dice);
    } else if (what < 3) {
        session_select_at(session, roll(dice, 8), makespan * roll(dice, 120) / 100);
    } else if (what < 5) {
        session_zoom_at(session, what == 3 ? 1.5 : 0.4, makespan * roll(dice, 100) / 100);
    } else if (what < 6) {
        session_pan_by(session, makespan * (roll(dice, 100) - 50.0) / 50);
    } else if (what < 7) {
        session_set_view(session, &(struct session_view){.span = makespan,
                                                         .columns = 1 + roll(dice, 200),
                                                         .lanes = 1 + roll(dice, 8),
                                                         .help_rows = 1 + roll(dice, 30),
                                                         .help_lines = 30});
    } else if (what < 8) {
        session_set_slides(session, roll(dice, 3), 3);
    } else if (what < 20) {
        press(session, roll(dice, 3) == 0 ? "U" : "u");
    } else if (what < 25 && now.count < 10) {
        char digit[2] = {(char)('0' + roll(dice, 10)), '\0'};
        session_key(session, digit);
    } else {
        const char *keys = command_info((enum command)roll(dice, COMMAND_COUNT))->keys;
        char key[32];
        keys += roll(dice, 2) == 0 && strchr(keys, ' ') != NULL ? strcspn(keys, " ") + 1 : 0;
        size_t length = strcspn(keys, " ");
        memcpy(key, keys, length);
        key[length] = '\0';
        session_key(session, key);
    }
}

/* Plans stay small enough to look at each. */
static void keep_small(struct session *session)
{
    struct snapshot now = look(session);

    if (now.mode == MODE_CHART && now.scenario->micro_batches > 14)
        press(session, "Esc 6 M");
    if (now.mode == MODE_CHART && now.scenario->stages > 8)
        press(session, "Esc 4 P");
}

/* Out of the puzzle, where undoing is another thing. */
static void leave_puzzle(struct session *session)
{
    while (look(session).mode == MODE_BUILD) {
        press(session, "Esc"); /* it asks when something is built */
        if (look(session).mode == MODE_BUILD)
            press(session, "y");
    }
}

static void undo_all(struct session *session, const char *key)
{
    for (int i = 0; strncmp(look(session).message, "nothing to", 10) != 0; i++) {
        assert_true(i < 20000);
        press(session, key);
        check_all(session);
    }
}

static void test_random_walk(void **state)
{
    const char *sanitize = getenv("SANITIZE");
    int steps = sanitize != NULL && strcmp(sanitize, "no") == 0 ? 4000 : 20000;
    struct session *session = start("");
    struct scenario first, last;
    uint64_t dice = 20240229;
    double makespan = 0;

    (void)state;
    memset(&first, 0, sizeof first);
    memset(&last, 0, sizeof last);
    scenario_copy(&first, look(session).scenario);
    for (int i = 0; i < steps; i++) {
        random_act(session, &dice);
        check_all(session);
        session_take_request(session);
        struct snapshot now = look(session);
        if (now.outcome->plan.makespan != makespan)
            check_plan(&now);
        makespan = now.outcome->plan.makespan;
        keep_small(session);
        if (i % 50 == 0) /* nor does it fill the walk */
            leave_puzzle(session);
    }
    press(session, "Esc Esc Esc");
    leave_puzzle(session);
    press(session, "Esc M"); /* and nothing to redo */
    assert_false(look(session).is_error);
    scenario_copy(&last, look(session).scenario);
    makespan = look(session).outcome->plan.makespan;
    undo_all(session, "u");
    assert_true(scenario_equal(look(session).scenario, &first));
    assert_true(look(session).outcome->plan.makespan == 33);
    assert_false(look(session).is_unsaved);
    press(session, "Esc");
    undo_all(session, "U");
    assert_true(scenario_equal(look(session).scenario, &last));
    assert_true(look(session).outcome->plan.makespan == makespan);
    scenario_free(&first);
    scenario_free(&last);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left_and_right_visit_everything),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_first_and_last),
        cmocka_unit_test(test_follow),
        cmocka_unit_test(test_up_and_down_keep_the_time),
        cmocka_unit_test(test_time_moves_with_the_operation),
        cmocka_unit_test(test_clicks),
        cmocka_unit_test(test_selection_follows_its_operation),
        cmocka_unit_test(test_selected_gap_stays),
        cmocka_unit_test(test_fit_until_zoomed),
        cmocka_unit_test(test_zoom_keeps_the_selection_in_place),
        cmocka_unit_test(test_zoom_by_wheel),
        cmocka_unit_test(test_zoom_to_selection),
        cmocka_unit_test(test_pans),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_selection_is_seen),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_quit),
        cmocka_unit_test(test_quit_and_save),
        cmocka_unit_test(test_save),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_program_asks),
        cmocka_unit_test(test_other_requests),
        cmocka_unit_test(test_slides),
        cmocka_unit_test(test_two_sessions),
        cmocka_unit_test(test_random_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
