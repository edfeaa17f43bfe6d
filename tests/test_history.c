/* Undo and redo: every change there is, what comes back with it, what is forgotten when, and how
 * much is remembered. */
#include "driver.h"
#include "model/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

/* All that undo must bring back. */
struct kept {
    struct scenario scenario;
    struct selection selection;
    struct window window;
    struct baseline baseline;
    char name[80], path[80];
    bool is_unsaved;
    double makespan, bubble, first_start;
    uint64_t ops;
};

static struct kept keep(struct session *session)
{
    struct snapshot now = look(session);
    struct kept kept = {
        .selection = now.selection,
        .window = now.window,
        .baseline = now.baseline,
        .is_unsaved = now.is_unsaved,
        .makespan = now.outcome->metrics.makespan,
        .bubble = now.outcome->metrics.bubble_fraction,
        .first_start = now.outcome->plan.run[now.outcome->plan.devices - 1].start[0],
        .ops = now.outcome->plan.ops,
    };
    struct text text;

    text_init(&text, kept.name, sizeof kept.name);
    text_add(&text, now.name);
    text_init(&text, kept.path, sizeof kept.path);
    text_add(&text, session_path(session) == NULL ? "" : session_path(session));
    scenario_copy(&kept.scenario, now.scenario);
    return kept;
}

static bool is_kept(struct session *session, const struct kept *kept)
{
    struct kept now = keep(session);
    bool is_same =
        scenario_equal(&now.scenario, &kept->scenario) && now.makespan == kept->makespan &&
        now.bubble == kept->bubble && now.ops == kept->ops &&
        now.first_start == kept->first_start && now.is_unsaved == kept->is_unsaved &&
        now.selection.is_all == kept->selection.is_all &&
        now.selection.device == kept->selection.device &&
        now.selection.index == kept->selection.index &&
        now.selection.is_gap == kept->selection.is_gap &&
        now.window.is_fit == kept->window.is_fit && now.window.start == kept->window.start &&
        now.window.span == kept->window.span && now.baseline.makespan == kept->baseline.makespan &&
        now.baseline.bubble == kept->baseline.bubble &&
        now.baseline.peak_stash == kept->baseline.peak_stash && strcmp(now.name, kept->name) == 0 &&
        strcmp(now.path, kept->path) == 0;

    scenario_free(&now.scenario);
    return is_same;
}

/* ---- every change ---- */

struct change {
    const char *keys, *line;
};

static const struct change changes[] = {
    {"P", NULL},
    {"7 M", NULL},
    {"S", NULL},
    {"F", NULL},
    {"5 B", NULL},
    {"T", NULL},
    {"H", NULL},
    {"P", NULL},
    {"b", NULL},
    {NULL, "title x"},
    {NULL, "notes y z"},
    {NULL, "time ms"},
    {NULL, "chunks 3"},
    {NULL, "transfer 0.5"},
    {NULL, "hold stage"},
    {"Down Down F", NULL},
    {"p", NULL},
    {"P P", NULL},
    {NULL, "forward 3"},
    {NULL, "m 100"},
    {NULL, "schedule gpipe"},
    {"m", NULL},
    {"s", NULL},
    {"e Ctrl-U 3 Space 4 Enter", NULL},
    {NULL, "memory_limit 30"},
    {NULL, "group 4"},
    {NULL, "memory_limit default"},
    {NULL, "group default"},
    {NULL, "forward default"},
    {NULL, "title ="},
    {NULL, "layers 20*1"},
    {NULL, "split uniform"},
    {NULL, "backward_ratio 3"},
    {"P", NULL},
    {"F y", NULL},
    {"F", NULL},
};
#define CHANGES (sizeof changes / sizeof changes[0])

static void make_change(struct session *session, const struct change *change)
{
    if (change->line != NULL)
        command(session, change->line);
    else
        press(session, change->keys);
}

static void test_each_change(void **state)
{
    struct session *session = session_after("");

    (void)state;
    for (size_t i = 0; i < CHANGES; i++) {
        struct kept before = keep(session);
        make_change(session, &changes[i]);
        assert_false(look(session).is_error);
        assert_false(scenario_equal(look(session).scenario, &before.scenario));
        scenario_free(&before.scenario);
        before = keep(session); /* the last of them, where there are two */
        press(session, "u");
        assert_false(scenario_equal(look(session).scenario, &before.scenario));
        press(session, "U");
        assert_true(is_kept(session, &before));
        scenario_free(&before.scenario);
    }
    session_free(session);
}

static void test_all_there_and_back(void **state)
{
    struct session *session = session_after("");
    struct kept kept[CHANGES + 2];
    size_t count = 0;

    (void)state;
    kept[count++] = keep(session);
    for (size_t i = 0; i < CHANGES; i++) {
        if (changes[i].keys != NULL && strcmp(changes[i].keys, "P P") == 0)
            continue;
        make_change(session, &changes[i]);
        if (i % 3 == 0)
            command(session, "m 12");
        command(session, "m 0"); /* refused: no step of the history */
        kept[count++] = keep(session);
        if (i % 3 == 0) {
            press(session, "u U");
            assert_true(is_kept(session, &kept[count - 1]));
            press(session, "u");
            scenario_free(&kept[--count].scenario);
            kept[count++] = keep(session);
        }
    }
    for (int round = 0; round < 2; round++) {
        for (size_t i = count - 1; i > 0; i--) {
            press(session, "u");
            assert_true(scenario_equal(look(session).scenario, &kept[i - 1].scenario));
            assert_true(look(session).outcome->metrics.makespan == kept[i - 1].makespan);
            assert_true(look(session).is_unsaved == kept[i - 1].is_unsaved);
        }
        press(session, "u");
        assert_true(is_kept(session, &kept[0]));
        assert_false(look(session).is_unsaved);
        for (size_t i = 1; i < count; i++) {
            press(session, "U");
            assert_true(scenario_equal(look(session).scenario, &kept[i].scenario));
            assert_true(look(session).outcome->metrics.makespan == kept[i].makespan);
        }
        press(session, "U");
        assert_true(scenario_equal(look(session).scenario, &kept[count - 1].scenario));
    }
    while (count > 0)
        scenario_free(&kept[--count].scenario);
    session_free(session);
}

static void test_messages(void **state)
{
    struct session *session = session_after("");

    (void)state;
    press(session, "u");
    assert_string_equal(look(session).message, "nothing to undo");
    press(session, "U");
    assert_string_equal(look(session).message, "nothing to redo");
    press(session, "S M u");
    assert_string_equal(look(session).message,
                        "undone: makespan 36→33, bubble 25%→27.3%; U redoes");
    press(session, "U");
    assert_string_equal(look(session).message, "redone: makespan 33→36, bubble 27.3%→25%");
    session_free(session);
}

static void test_counts(void **state)
{
    struct session *session = session_after("");

    (void)state;
    press(session, "M M M M M 3 u");
    assert_int_equal(look(session).scenario->micro_batches, 10);
    press(session, "2 U");
    assert_int_equal(look(session).scenario->micro_batches, 12);
    press(session, "9 9 u");
    assert_int_equal(look(session).scenario->micro_batches, 8);
    press(session, "9 9 9 9 9 9 9 9 U");
    assert_int_equal(look(session).scenario->micro_batches, 13);
    session_free(session);
}

static void test_what_is_no_change(void **state)
{
    struct session *session = session_after("");
    struct kept before = keep(session);

    (void)state;
    press(session, "8 M 4 P t 0 v ? q Esc 5 0 0 0 P x");
    command(session, "m 8");
    command(session, "title");
    command(session, "forward 0");
    command(session, "nonsense");
    press(session, "e Esc H H"); /* the two are changes, and cancel out */
    assert_true(scenario_equal(look(session).scenario, &before.scenario));
    press(session, "2 u u");
    assert_string_equal(look(session).message, "nothing to undo");
    assert_true(is_kept(session, &before));
    scenario_free(&before.scenario);
    session_free(session);
}

static void test_new_change_forgets_redo(void **state)
{
    struct session *session = session_after("");

    (void)state;
    press(session, "M M M u u P");
    assert_int_equal(look(session).scenario->micro_batches, 9);
    assert_int_equal(look(session).scenario->stages, 5);
    press(session, "U");
    assert_string_equal(look(session).message, "nothing to redo");
    assert_int_equal(look(session).scenario->micro_batches, 9);
    press(session, "u u");
    assert_int_equal(look(session).scenario->micro_batches, 8);
    press(session, "2 U");
    assert_int_equal(look(session).scenario->stages, 5);

    press(session, "u");
    command(session, "m 9"); /* as it is: not a change, forgets nothing */
    command(session, "m 0");
    press(session, "U");
    assert_int_equal(look(session).scenario->stages, 5);
    press(session, "u");
    load(session, SCENARIO("m", "3"), (struct origin){"b", "b.ini", false});
    press(session, "U");
    assert_string_equal(look(session).message, "nothing to redo");
    session_free(session);
}

/* ---- what comes back with it ---- */

static void test_selection_and_window(void **state)
{
    struct session *session = session_after("");
    struct kept before, after;

    (void)state;
    press(session, "3 j 9 l + + +");
    before = keep(session);
    press(session, "M");
    assert_true(look(session).window.start == before.window.start); /* the axis stays */
    assert_true(look(session).window.span == before.window.span);
    press(session, "2 k 4 h z > >");
    after = keep(session);
    press(session, "u");
    assert_true(is_kept(session, &before));
    press(session, "g 0");
    press(session, "U");
    assert_true(is_kept(session, &after));
    scenario_free(&before.scenario);
    scenario_free(&after.scenario);
    session_free(session);
}

/* A window that has been moved away from the selection is no reason to come back elsewhere. */
static void test_window_away_from_selection(void **state)
{
    struct session *session = session_after("");
    struct kept before, after;

    (void)state;
    press(session, "j g z 2 0 0 >");
    before = keep(session);
    assert_true(before.window.start > 6);
    press(session, "M");
    assert_true(look(session).window.start == before.window.start);
    assert_true(look(session).window.span == before.window.span);
    after = keep(session);
    press(session, "u");
    assert_true(is_kept(session, &before));
    press(session, "U");
    assert_true(is_kept(session, &after));
    scenario_free(&before.scenario);
    scenario_free(&after.scenario);
    session_free(session);
}

/* B0 of stage 0 ends at 33; one more micro-batch moves it to 36. Back at 33 the lane below has its
 * last gap there, not what lies there at 36. */
static void test_time_aimed_at(void **state)
{
    struct session *session = session_after("");
    struct snapshot now;

    (void)state;
    press(session, "j g");
    /* In the gap of stage 0, 8 … 17; below that is F7 until 9. */
    session_select_at(session, 0, 9.5);
    press(session, "1 6 M u j");
    now = look(session);
    assert_int_equal(now.selection.device, 1);
    assert_true(now.selection.is_gap); /* 9 … 15 */
    assert_int_equal(now.selection.index, 8);
    session_free(session);
}

static void test_loading(void **state)
{
    struct session *session = session_after("");
    struct kept a, b;

    (void)state;
    /* The first one: nothing before it. */
    load(session, SCENARIO("m", "8"), (struct origin){"a", "/x/a.ini", false});
    press(session, "u");
    assert_string_equal(look(session).message, "nothing to undo");
    press(session, "M 2 j l z");
    a = keep(session);
    assert_true(a.is_unsaved);
    assert_true(look(session).has_baseline);

    load(session, SCENARIO("m", "64"), (struct origin){"b", NULL, false});
    assert_false(look(session).has_baseline);
    assert_false(look(session).is_unsaved);
    assert_true(look(session).window.is_fit);
    assert_true(look(session).selection.is_all);
    assert_string_equal(look(session).name, "b");
    assert_null(session_path(session));
    press(session, "M 3 j l");
    b = keep(session);

    press(session, "2 u");
    assert_true(is_kept(session, &a));
    assert_true(look(session).has_baseline);
    assert_true(look(session).baseline.makespan == 33);
    assert_string_equal(session_path(session), "/x/a.ini");
    press(session, "2 U");
    assert_int_equal(look(session).scenario->micro_batches, 65);
    assert_true(is_kept(session, &b));
    assert_true(look(session).baseline.makespan == 201);
    scenario_free(&a.scenario);
    scenario_free(&b.scenario);
    session_free(session);

    session = session_after(""); /* what one has made of the default is not lost either */
    press(session, "M");
    load(session, SCENARIO("m", "64"), (struct origin){"a", "/x/a.ini", false});
    press(session, "u");
    assert_int_equal(look(session).scenario->micro_batches, 9);
    assert_true(look(session).is_unsaved);
    assert_null(session_path(session));
    session_free(session);
}

static void test_load_that_fails(void **state)
{
    struct session *session = session_after("");
    struct scenario wrong;
    struct refusal refusal;
    struct kept before;

    (void)state;
    press(session, "M M u j");
    before = keep(session);
    assert_true(scenario_init(&wrong));
    assert_true(scenario_set(&wrong, PARAM_FORWARD, "1,2,3", &refusal.report));
    assert_false(session_load(session, &wrong, &(struct origin){.name = "wrong"}, &refusal));
    assert_int_equal(refusal.param, PARAM_FORWARD);
    assert_true(look(session).is_error);
    assert_true(is_kept(session, &before));
    press(session, "U");
    assert_int_equal(look(session).scenario->micro_batches, 10);
    scenario_free(&before.scenario);
    scenario_free(&wrong);
    session_free(session);
}

/* ---- saving ---- */

/* Unsaved means: not what the file holds, whichever way one came there. */
static void test_saving_then_undoing(void **state)
{
    struct session *session = session_after("");

    (void)state;
    load(session, SCENARIO("m", "8"), (struct origin){"a.ini", "/x/a.ini", false});
    press(session, "M M");
    session_saved(session, "/x/a.ini");
    assert_false(look(session).is_unsaved);
    press(session, "u");
    assert_true(look(session).is_unsaved); /* 9, and the file has 10 */
    press(session, "u");
    assert_true(look(session).is_unsaved); /* 8, and the file has 10 */
    press(session, "U U");
    assert_false(look(session).is_unsaved);
    press(session, "u");
    session_saved(session, "/x/a.ini");
    press(session, "U");
    assert_true(look(session).is_unsaved); /* 10, and the file has 9 */
    press(session, "2 u M");
    assert_false(look(session).is_unsaved);
    session_free(session);
}

static void test_saving_under_a_name(void **state)
{
    struct session *session = session_after("");

    (void)state;
    press(session, "M");
    session_saved(session, "/x/new.ini");
    assert_string_equal(look(session).name, "new.ini");
    assert_string_equal(session_path(session), "/x/new.ini");
    press(session, "u");
    assert_true(look(session).is_unsaved);
    assert_string_equal(session_path(session), "/x/new.ini"); /* saving is no change to undo */
    assert_string_equal(look(session).name, "new.ini");

    load(session, SCENARIO("m", "8"), (struct origin){"b.ini", "/x/b.ini", false});
    press(session, "M");
    session_saved(session, "/x/b.ini");
    press(session, "2 u"); /* another file: it has nothing to do with that */
    assert_string_equal(session_path(session), "/x/new.ini");
    assert_true(look(session).is_unsaved);
    session_free(session);
}

/* The same file read twice is still one file. */
static void test_saving_after_reloading(void **state)
{
    struct session *session = session_after("");

    (void)state;
    load(session, SCENARIO("m", "8"), (struct origin){"a.ini", "/x/a.ini", false});
    load(session, SCENARIO("m", "8"), (struct origin){"a.ini", "/x/a.ini", false});
    press(session, "M");
    session_saved(session, "/x/a.ini");
    press(session, "2 u");
    assert_int_equal(look(session).scenario->micro_batches, 8);
    assert_true(look(session).is_unsaved);
    session_free(session);
}

/* Also when other files were looked at in between, or it is written from another one. */
static void test_one_file_in_several_loads(void **state)
{
    struct session *session = session_after("");

    (void)state;
    load(session, SCENARIO("m", "8"), (struct origin){"a.ini", "/x/a.ini", false});
    load(session, SCENARIO("m", "8"), (struct origin){"b.ini", "/x/b.ini", false});
    load(session, SCENARIO("m", "8"), (struct origin){"a.ini", "/x/a.ini", false});
    press(session, "M");
    session_saved(session, "/x/a.ini");
    press(session, "3 u");
    assert_int_equal(look(session).scenario->micro_batches, 8);
    assert_string_equal(look(session).name, "a.ini");
    assert_true(look(session).is_unsaved); /* there are 9 in it now */
    press(session, "M");
    assert_false(look(session).is_unsaved);
    load(session, SCENARIO("m", "8"), (struct origin){"b.ini", "/x/b.ini", false});
    press(session, "3 M");
    session_saved(session, "/x/a.ini");
    press(session, "2 u");
    assert_int_equal(look(session).scenario->micro_batches, 9);
    assert_true(look(session).is_unsaved);
    session_free(session);
}

/* ---- how much ---- */

static size_t bytes_of(const struct history *history)
{
    size_t bytes = 0;

    for (size_t i = 0; i < history->past_count; i++) {
        const struct scenario *s = &history->past[i].scenario;
        const struct list *lists[] = {s->forward, s->backward, s->layers, s->counts};
        bytes += sizeof history->past[i];
        for (int k = 0; k < 4; k++)
            bytes += lists[k] == NULL ? 0 : lists[k]->n * sizeof(double);
    }
    return bytes;
}

static struct state make_state(uint32_t values)
{
    struct state made;
    struct list *list = list_make(values);

    memset(&made, 0, sizeof made);
    assert_true(scenario_init(&made.scenario));
    assert_non_null(list);
    for (uint32_t i = 0; i < values; i++)
        list->v[i] = i + 1;
    list_put(&made.scenario.forward, list);
    made.file = calloc(1, sizeof *made.file);
    assert_non_null(made.file);
    made.file->refs = 1;
    scenario_copy(&made.file->saved, &made.scenario);
    return made;
}

static void test_many_small_states(void **state)
{
    struct history history = {.past = NULL};
    struct state now = make_state(1);

    (void)state;
    for (uint32_t i = 0; i < 10050; i++) {
        now.scenario.micro_batches = i + 1;
        assert_true(history_push(&history, &now));
    }
    assert_true(history.past_count >= 1000 && history.past_count <= 10000);
    assert_int_equal(history.bytes, bytes_of(&history));
    size_t count = history.past_count;
    now.scenario.micro_batches = 20000;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(history_undo(&history, &now));
        assert_int_equal(now.scenario.micro_batches, 10050 - i); /* the newest are kept */
    }
    assert_false(history_undo(&history, &now));
    assert_int_equal(history.bytes, 0);
    assert_int_equal(history.future_count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(history_redo(&history, &now));
    assert_false(history_redo(&history, &now));
    assert_int_equal(now.scenario.micro_batches, 20000);
    assert_int_equal(history.bytes, bytes_of(&history));
    history_free(&history);
    state_free(&now);
}

static void test_few_large_states(void **state)
{
    struct history history = {.past = NULL};

    (void)state;
    for (uint32_t i = 0; i < 300; i++) { /* a megabyte each */
        struct state now = make_state(1u << 17);
        now.scenario.micro_batches = i + 1;
        assert_true(history_push(&history, &now));
        state_free(&now);
    }
    assert_true(history.past_count > 1 && history.past_count < 100);
    assert_true(history.bytes <= (size_t)64 << 20);
    assert_int_equal(history.bytes, bytes_of(&history));
    assert_int_equal(history.past[history.past_count - 1].scenario.micro_batches, 300);
    history_free(&history);
}

static void test_one_huge_state(void **state)
{
    struct history history = {.past = NULL};
    struct state now = make_state(9u << 20); /* larger than all that is kept */

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(history_push(&history, &now));
        assert_int_equal(history.past_count, 1); /* the last change can always be undone */
    }
    assert_true(history_undo(&history, &now));
    assert_int_equal(history.bytes, 0);
    history_free(&history);
    state_free(&now);
}

static void test_states_share(void **state)
{
    struct state now = make_state(4), copy;
    struct history history = {.past = NULL};
    uint32_t refs = now.scenario.forward->refs;

    (void)state;
    state_copy(&copy, &now);
    assert_ptr_equal(copy.scenario.forward, now.scenario.forward);
    assert_true(history_push(&history, &now));
    assert_ptr_equal(history.past[0].scenario.forward, now.scenario.forward);
    assert_true(now.scenario.forward->refs >= refs + 2);
    state_free(&copy);
    history_free(&history);
    assert_int_equal(now.scenario.forward->refs, refs);
    state_free(&now);
}

/* ---- tables ---- */

/* The history never looks at a table's actions, so one need not have those that it counts. */
static void pretend(struct table *table, struct pg_table_run *run, uint32_t count)
{
    static char path[] = "steps.csv";
    static const uint32_t devices[] = {0};

    *run = (struct pg_table_run){NULL, count};
    *table = (struct table){
        .refs = 1, .core = {1, 1, 1, 1, false, devices, run}, .path = path};
}

/* A state with that table becomes the past. */
static void push(struct session *session, struct table *table)
{
    struct state state;

    state_copy(&state, &session->now);
    state.table = table_share(table);
    assert_true(history_push(&session->history, &state));
    state_free(&state);
}

/* Tables count: once where states that follow each other share one, again where another lies
 * between; and what is counted is given back to the last byte, whatever was dropped. */
static void test_table_bytes(void **state)
{
    const size_t size = (size_t)16 << 20, bound = (size_t)64 << 20;
    struct session *session = session_after("");
    struct history *history = &session->history;
    struct table a, b;
    struct pg_table_run run_a, run_b;

    (void)state;
    pretend(&a, &run_a, 4u << 20);
    pretend(&b, &run_b, 4u << 20);
    assert_true(table_bytes(&a) > size && table_bytes(&a) < size + 1000);
    push(session, NULL);
    size_t before = history->bytes;
    for (int i = 0; i < 100; i++)
        push(session, &a);
    assert_int_equal(history->past_count, 101);
    assert_true(history->bytes > before + size && history->bytes < before + size + (1 << 20));
    for (int i = 0; i < 20; i++) {
        push(session, i % 2 == 0 ? &b : &a);
        assert_true(history->bytes <= bound);
    }
    assert_int_equal(history->past_count, 3); /* a fourth would pass the bound with its lists */
    push(session, &a);
    push(session, &a);
    while (history->past_count > 0)
        assert_true(history_undo(history, &session->now));
    assert_int_equal(history->bytes, 0);
    session_free(session);
    assert_int_equal(a.refs, 1);
    assert_int_equal(b.refs, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_change),
        cmocka_unit_test(test_all_there_and_back),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_what_is_no_change),
        cmocka_unit_test(test_new_change_forgets_redo),
        cmocka_unit_test(test_selection_and_window),
        cmocka_unit_test(test_window_away_from_selection),
        cmocka_unit_test(test_time_aimed_at),
        cmocka_unit_test(test_loading),
        cmocka_unit_test(test_load_that_fails),
        cmocka_unit_test(test_saving_then_undoing),
        cmocka_unit_test(test_saving_under_a_name),
        cmocka_unit_test(test_saving_after_reloading),
        cmocka_unit_test(test_one_file_in_several_loads),
        cmocka_unit_test(test_many_small_states),
        cmocka_unit_test(test_few_large_states),
        cmocka_unit_test(test_one_huge_state),
        cmocka_unit_test(test_states_share),
        cmocka_unit_test(test_table_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
