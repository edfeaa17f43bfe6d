/* The table of commands, every key that changes a parameter, and the `:` line: all by names of
 * keys, as a user would press them, against numbers worked out by hand or by closed form. */
#include "core/internal.h"
#include "driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ---- help ---- */

static double makespan(struct session *session)
{
    return look(session).outcome->metrics.makespan;
}

static void assert_message(struct session *session, const char *expected)
{
    assert_string_equal(look(session).message, expected);
}

static void assert_param(struct session *session, enum param param, const char *expected)
{
    assert_written(look(session).scenario, param, expected);
}

/* Everything a refusal must leave as it was. */
struct before {
    struct scenario scenario;
    double makespan, bubble;
    const struct pg_plan *plan;
    struct selection selection;
    struct window window;
};

static struct before remember(struct session *session)
{
    struct snapshot now = look(session);
    struct before before = {.makespan = now.outcome->metrics.makespan,
                            .bubble = now.outcome->metrics.bubble_fraction,
                            .plan = &now.outcome->plan,
                            .selection = now.selection,
                            .window = now.window};

    scenario_copy(&before.scenario, now.scenario);
    return before;
}

static void assert_unchanged(struct session *session, struct before *before)
{
    struct snapshot now = look(session);

    assert_true(scenario_equal(now.scenario, &before->scenario));
    assert_true(now.outcome->metrics.makespan == before->makespan);
    assert_true(now.outcome->metrics.bubble_fraction == before->bubble);
    assert_ptr_equal(&now.outcome->plan, before->plan);
    assert_true(now.selection.is_all == before->selection.is_all);
    assert_int_equal(now.selection.device, before->selection.device);
    assert_int_equal(now.selection.index, before->selection.index);
    assert_true(now.window.start == before->window.start);
    assert_true(now.window.is_fit == before->window.is_fit);
    scenario_free(&before->scenario);
}

static void assert_refused(struct session *session, const char *keys, const char *reason)
{
    struct before before = remember(session);

    press(session, keys);
    if (!look(session).is_error)
        fail_msg("'%s' was not refused: %s", keys, look(session).message);
    assert_says(session, reason);
    assert_unchanged(session, &before);
}

/* ---- the table ---- */

/* The key table of the interface, row by row. */
static const struct {
    const char *keys;
    enum command command;
} table[] = {
    {"p", COMMAND_STAGES_LESS},
    {"P", COMMAND_STAGES_MORE},
    {"m", COMMAND_MICRO_LESS},
    {"M", COMMAND_MICRO_MORE},
    {"c", COMMAND_CHUNKS_LESS},
    {"C", COMMAND_CHUNKS_MORE},
    {"s", COMMAND_SCHEDULE_PREVIOUS},
    {"S", COMMAND_SCHEDULE_NEXT},
    {"f", COMMAND_FORWARD_LESS},
    {"F", COMMAND_FORWARD_MORE},
    {"b", COMMAND_BACKWARD_LESS},
    {"B", COMMAND_BACKWARD_MORE},
    {"t", COMMAND_TRANSFER_LESS},
    {"T", COMMAND_TRANSFER_MORE},
    {"Enter e", COMMAND_COSTS_TYPE},
    {"H", COMMAND_HOLD},
    {"u", COMMAND_UNDO},
    {"U", COMMAND_REDO},
    {"Left h", COMMAND_MOVE_LEFT},
    {"Right l", COMMAND_MOVE_RIGHT},
    {"Up k", COMMAND_MOVE_UP},
    {"Down j", COMMAND_MOVE_DOWN},
    {"Home g", COMMAND_MOVE_FIRST},
    {"End G", COMMAND_MOVE_LAST},
    {"n", COMMAND_GAP_NEXT},
    {"N", COMMAND_GAP_PREVIOUS},
    {"J ]", COMMAND_FOLLOW_NEXT},
    {"K [", COMMAND_FOLLOW_PREVIOUS},
    {"+ =", COMMAND_ZOOM_IN},
    {"-", COMMAND_ZOOM_OUT},
    {"0", COMMAND_ZOOM_FIT},
    {"z", COMMAND_ZOOM_SELECTION},
    {"< Shift-Left", COMMAND_PAN_LEFT},
    {"> Shift-Right", COMMAND_PAN_RIGHT},
    {"PageDown", COMMAND_PAGE_NEXT},
    {"PageUp", COMMAND_PAGE_PREVIOUS},
    {":", COMMAND_PROMPT},
    {"v", COMMAND_BUBBLE_VIEW},
    {"Ctrl-S", COMMAND_SAVE},
    {"o", COMMAND_OPEN},
    {"r", COMMAND_RELOAD},
    {"? F1", COMMAND_HELP},
    {"Esc", COMMAND_CANCEL},
    {"Ctrl-L", COMMAND_REPAINT},
    {"Ctrl-Z", COMMAND_SUSPEND},
    {"q Ctrl-C", COMMAND_QUIT},
    {"Q", COMMAND_QUIT_NOW},
};

static void test_keys_do_what_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        for (struct keys at = {.at = table[i].keys}; next_key(&at);)
            if (command_of_key(at.key) != table[i].command)
                fail_msg("the key %s is not %s", at.key, command_info(table[i].command)->name);
    }
    assert_int_equal(command_of_key("1"), COMMAND_COUNT); /* digits begin numbers */
    assert_int_equal(command_of_key("9"), COMMAND_COUNT);
    assert_int_equal(command_of_key(""), COMMAND_COUNT);
    assert_int_equal(command_of_key("Ctrl"), COMMAND_COUNT);
    assert_int_equal(command_of_key("Enter e"), COMMAND_COUNT);
}

static void test_no_key_twice(void **state)
{
    char keys[2 * COMMAND_COUNT + 40][32];
    size_t count = 0;

    (void)state;
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        const char *all = command_info(c)->keys;
        char first[32];
        assert_true(*all != '\0' && *all != ' ' && all[strlen(all) - 1] != ' '); /* reachable */
        assert_string_equal(command_first_key(c, first, sizeof first), first);
        for (struct keys at = {.at = all}; next_key(&at);) {
            strcpy(keys[count], at.key);
            assert_int_equal(command_of_key(keys[count]), c);
            for (size_t k = 0; k < count; k++)
                assert_string_not_equal(keys[k], keys[count]);
            if (strcmp(keys[count], first) == 0)
                first[0] = '\0';
            count++;
        }
        assert_int_equal(first[0], '\0');
    }
}

static void test_every_command_is_named(void **state)
{
    (void)state;
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        const struct command_info *info = command_info(c);
        assert_true(strlen(info->name) > 1 && strlen(info->help) > 4);
        assert_true(info->group < GROUP_COUNT);
        assert_true(strlen(command_group_title(info->group)) > 2);
        assert_null(strchr(info->help, '\t')); /* --keys prints columns */
        for (const char *s = info->name; *s != '\0'; s++)
            assert_true((*s >= 'a' && *s <= 'z') || *s == '-');
        for (enum command other = 0; other < c; other++)
            assert_string_not_equal(command_info(other)->name, info->name);
        char key[2];
        assert_int_equal(strlen(command_first_key(c, key, sizeof key)), 1); /* cut, not overrun */
    }
}

/* `:name` does it; hold is a parameter too, and shows itself. */
static void test_every_command_by_name(void **state)
{
    (void)state;
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        struct session *session = session_after("");
        command(session, command_info(c)->name);
        assert_null(strstr(look(session).message, "no parameter and no command"));
        if (c == COMMAND_HOLD)
            assert_message(session, "hold = stage");
        if (c == COMMAND_MICRO_MORE)
            assert_int_equal(look(session).scenario->micro_batches, 9);
        if (c == COMMAND_PROMPT)
            assert_int_equal(look(session).mode, MODE_PROMPT);
        session_free(session);
    }
}

/* ---- P, M, V ---- */

static void test_default(void **state)
{
    struct session *session = session_after("");
    struct snapshot now = look(session);

    (void)state;
    assert_int_equal(now.scenario->stages, 4);
    assert_int_equal(now.scenario->micro_batches, 8);
    assert_string_equal(now.scenario->schedule->name, "gpipe");
    assert_near(now.outcome->metrics.makespan, 33);
    assert_near(now.outcome->metrics.bubble_fraction, 3.0 / 11);
    assert_true(now.window.is_fit && now.selection.is_all && !now.is_unsaved && !now.has_baseline);
    assert_int_equal(now.edited_stage, PG_NONE);
    assert_string_equal(now.name, "");
    session_free(session);
}

static void test_stages_and_micro_batches(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++) {
        struct session *session = session_after(f == 0 ? "" : "S");
        for (uint32_t p = 5; p <= 20; p++) {
            press(session, "P");
            assert_int_equal(look(session).scenario->stages, p);
            assert_near(makespan(session), (8 + p - 1) * 3);
            assert_near(look(session).outcome->metrics.peak_stash, f == 0 ? 8 : p < 8 ? p : 8);
        }
        for (uint32_t m = 7; m >= 1; m--) {
            press(session, "m");
            assert_near(makespan(session), (m + 19) * 3);
            assert_near(look(session).outcome->metrics.bubble_fraction, 19.0 / (m + 19));
        }
        assert_refused(session, "m", "M is 1");
        press(session, "M");
        assert_int_equal(look(session).scenario->micro_batches, 2);
        for (uint32_t p = 19; p >= 1; p--) {
            press(session, "p");
            assert_near(makespan(session), (2 + p - 1) * 3);
        }
        assert_refused(session, "p", "P is 1");
        session_free(session);
    }
}

static void test_numbers(void **state)
{
    struct session *session = session_after("S");

    (void)state;
    press(session, "1 2 8");
    assert_int_equal(look(session).count, 128);
    assert_near(makespan(session), 33);
    press(session, "M");
    assert_near(makespan(session), (128 + 3) * 3);
    assert_int_equal(look(session).count, 0);
    press(session, "1 0 M"); /* the 0 belongs to the number */
    assert_near(makespan(session), (10 + 3) * 3);
    press(session, "1 0 0 m"); /* less or more does not matter */
    assert_near(makespan(session), (100 + 3) * 3);
    press(session, "8 P 6 4 M");
    assert_near(makespan(session), 213);
    press(session, "6 4 P 1 0 2 4 M");
    assert_near(makespan(session), 3261);
    press(session, "4 p 8 M 9 Esc M"); /* dropped */
    assert_near(makespan(session), (9 + 3) * 3);
    press(session, "9 x M"); /* and by a key that does nothing */
    assert_near(makespan(session), (10 + 3) * 3);
    press(session, "+ 0"); /* alone it is a key */
    assert_true(look(session).window.is_fit);
    press(session, "M");
    assert_near(makespan(session), (11 + 3) * 3);
    session_free(session);
}

static void test_bounds(void **state)
{
    struct session *session = session_after("");

    (void)state;
    assert_refused(session, "5 0 0 0 P", "5000");
    assert_refused(session, "5 0 0 0 P", "4096");
    assert_refused(session, "1 0 0 0 0 0 1 M", "1000001");
    assert_refused(session, "1 0 0 0 0 0 1 M", "1000000");
    command(session, "forward 1,2,3,4");
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    assert_refused(session, "9 9 9 9 9 9 9 9 P", "4096");
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 100000); /* nothing was made to see that */
    assert_refused(session, "9 9 9 9 9 9 9 9 9 9 9 9 M", "1000000");
    press(session, "u 1 0 2 4 P");
    assert_refused(session, "9 9 9 9 M", "20477952"); /* operations, 2^24 at most */
    assert_refused(session, "9 9 9 9 M", "16777216");
    press(session, "4 0 9 6 P");
    assert_near(makespan(session), 4103 * 3);
    assert_refused(session, "P", "4096");
    press(session, "1 P 1 0 0 0 0 0 0 M");
    assert_near(makespan(session), 3e6);
    assert_refused(session, "M", "1000000");
    session_free(session);
}

/* ---- a family that cannot do everything ---- */

static bool can_pairs(const struct pg_problem *problem)
{
    return problem->devices % 2 == 0 && problem->micro_batches % 4 == 0 && problem->chunks != 3;
}

static const struct pg_family pairs = {.name = "pairs",
                                       .title = "Pairs",
                                       .rule = "even P, M in fours, V not 3",
                                       .formula = "",
                                       .source = "",
                                       .placement = PG_LOOP,
                                       .can = can_pairs,
                                       .emit = emit_there_and_back};

static struct session *start_pairs(void)
{
    struct session *session = session_after("");
    struct scenario scenario = fresh_scenario();

    scenario.schedule = &pairs;
    scenario.chunks = 2;
    load(session, scenario, (struct origin){.name = "x"});
    return session;
}

static void test_steps_skip_what_cannot_be(void **state)
{
    struct session *session = start_pairs();

    (void)state;
    press(session, "M");
    assert_int_equal(look(session).scenario->micro_batches, 12);
    assert_says(session, "M 8→12");
    assert_says(session, "(pairs: needs even P, M in fours, V not 3)");
    press(session, "P");
    assert_int_equal(look(session).scenario->stages, 6);
    press(session, "m p p");
    assert_int_equal(look(session).scenario->micro_batches, 8);
    assert_int_equal(look(session).scenario->stages, 2);
    assert_says(session, "P 4→2");
    assert_refused(session, "p", "P is 2");
    press(session, "C");
    assert_int_equal(look(session).scenario->chunks, 4);
    assert_says(session, "V 2→4");
    press(session, "c");
    assert_int_equal(look(session).scenario->chunks, 2);
    press(session, "c");
    assert_int_equal(look(session).scenario->chunks, 1);
    assert_null(strstr(look(session).message, "needs"));
    assert_refused(session, "c", "V is 1");
    press(session, "6 4 C");
    assert_int_equal(look(session).scenario->chunks, 64);
    assert_refused(session, "C", "64");
    session_free(session);
}

/* With chunks the cost keys act on the one stage that is selected, not on its device. */
static void test_costs_of_a_chunk(void **state)
{
    struct session *session = start_pairs();

    (void)state;
    press(session, "2 j g");
    for (int i = 0; i < 20; i++) {
        struct snapshot now = look(session);
        struct pg_op op;
        if (!now.selection.is_gap) {
            pg_op_at(&now.outcome->plan, 1, now.selection.index, &op);
            assert_int_equal(now.edited_stage, op.stage);
        }
        press(session, "l");
    }
    press(session, "G F"); /* the last backward is of stage 1 */
    assert_param(session, PARAM_FORWARD, "0.5, 0.55, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5");
    press(session, "g F");
    session_select_at(session, 1, look(session).outcome->plan.run[1].start[8]);
    assert_int_equal(look(session).edited_stage, 5);
    press(session, "f");
    assert_param(session, PARAM_FORWARD, "0.5, 0.6, 0.5, 0.5, 0.5, 0.48, 0.5, 0.5");
    press(session, "P"); /* the sums of devices, and the last one again */
    assert_param(session, PARAM_FORWARD, "1, 1.08, 1, 1, 1, 1");
    session_free(session);
}

static void test_typed_values_that_cannot_be(void **state)
{
    struct session *session = start_pairs();

    (void)state;
    assert_refused(session, "9 M", "M in fours");
    assert_refused(session, "5 P", "even P");
    assert_refused(session, "3 C", "V not 3");
    assert_refused(session, "6 5 C", "64");
    assert_refused(session, ": m Space 9 Enter", "M in fours");
    assert_refused(session, ": c Space 3 Enter", "V not 3");
    press(session, "u u");
    session_free(session);
}

static void test_chunks_of_families_without(void **state)
{
    struct session *session = session_after("");

    (void)state;
    assert_refused(session, "C", "V");
    assert_refused(session, "c", "GPipe");
    assert_refused(session, "2 C", "V");
    session_free(session);
}

/* ---- schedules ---- */

static void test_schedules(void **state)
{
    struct session *session = session_after("");
    const struct pg_family *seen[64];
    uint32_t count = 0, families;

    (void)state;
    pg_families(&families);
    assert_true(families < 64);
    do {
        for (uint32_t i = 0; i < count; i++)
            assert_ptr_not_equal(seen[i], look(session).scenario->schedule);
        assert_true(count < families);
        seen[count++] = look(session).scenario->schedule;
        press(session, "S");
        assert_false(look(session).is_error);
    } while (look(session).scenario->schedule != seen[0]);
    assert_true(count >= 2);
    for (uint32_t i = count; i-- > 0;) {
        press(session, "s");
        assert_ptr_equal(look(session).scenario->schedule, seen[i]);
    }
    command(session, "schedule 1f1b");
    assert_near(look(session).outcome->metrics.peak_stash, 4);
    assert_message(session, "GPipe→1F1B: makespan 33→33, bubble 27.3%→27.3%, peak stash 8→4; "
                            "u undoes");
    session_free(session);
}

/* ---- costs ---- */

static void test_slow_stage(void **state)
{
    static const char *const lanes[] = {"j", "2 j", "3 j", "4 j"};
    static const double makespans[] = {40.5, 42, 43.5, 45};
    static const char *const forwards[] = {"1.5, 1, 1, 1", "1, 1.5, 1, 1", "1, 1, 1.5, 1",
                                           "1, 1, 1, 1.5"};

    (void)state;
    for (uint32_t stage = 0; stage < 4; stage++) {
        struct session *session = session_after("S");
        press(session, lanes[stage]);
        assert_int_equal(look(session).edited_stage, stage);
        press(session, "F F F F F"); /* 1.1 … 1.5 */
        assert_param(session, PARAM_FORWARD, forwards[stage]);
        assert_param(session, PARAM_BACKWARD, "2");
        press(session, "5 B"); /* 2.2 … 3 */
        assert_near(makespan(session), makespans[stage]);
        press(session, "5 f b b b b b");
        assert_param(session, PARAM_FORWARD, "1");
        assert_param(session, PARAM_BACKWARD, "2");
        assert_near(makespan(session), 33);
        session_free(session);
    }
}

static void test_all_stages(void **state)
{
    struct session *session = session_after("F");

    (void)state;
    assert_param(session, PARAM_FORWARD, "1.1");
    assert_near(makespan(session), 11 * 3.1);
    assert_message(session, "all: F 1→1.1: makespan 33→34.1, bubble 27.3%→27.3%; u undoes");
    press(session, "b");
    assert_param(session, PARAM_BACKWARD, "1.9");
    assert_near(makespan(session), 33);
    command(session, "forward 1,2,5,1.05"); /* each goes its own way */
    press(session, "F");
    assert_param(session, PARAM_FORWARD, "1.1, 2.2, 5.5, 1.1");
    press(session, "f");
    assert_param(session, PARAM_FORWARD, "1, 2, 5, 1");
    press(session, "j F"); /* and now stage 0 only */
    assert_param(session, PARAM_FORWARD, "1.1, 2, 5, 1");
    assert_says(session, "stage 0: F 1→1.1");
    press(session, "k f");
    assert_param(session, PARAM_FORWARD, "1, 1.9, 4.8, 0.95");
    session_free(session);
}

static void test_gap_edits_its_lane(void **state)
{
    struct session *session = session_after("3 j g n B");

    (void)state;
    assert_true(look(session).selection.is_gap);
    assert_param(session, PARAM_BACKWARD, "2, 2, 2.2, 2");
    press(session, "G n B");
    assert_param(session, PARAM_BACKWARD, "2, 2, 2.4, 2");
    session_free(session);
}

static void test_many_steps(void **state)
{
    struct session *session = session_after("");

    (void)state;
    press(session, "3 5 F");
    assert_param(session, PARAM_FORWARD, "10");
    press(session, "9 9 9 B"); /* from step 10 of 35 to step 29 of the 28th decade */
    assert_param(session, PARAM_BACKWARD, "7e28");
    press(session, "9 9 9 b");
    assert_param(session, PARAM_BACKWARD, "2");
    press(session, "2 0 0 0 B"); /* more than can be meant: many, not one */
    assert_true(look(session).is_error || look(session).scenario->backward->v[0] > 1e20);
    session_free(session);
}

static void test_transfer(void **state)
{
    struct session *session = session_after("");

    (void)state;
    assert_refused(session, "t", "transfer is 0");
    press(session, "T");
    assert_param(session, PARAM_TRANSFER, "0.1");
    assert_says(session, "transfer 0→0.1");
    press(session, "T");
    assert_param(session, PARAM_TRANSFER, "0.11");
    press(session, "t t");
    assert_param(session, PARAM_TRANSFER, "0");
    press(session, "2 6 T"); /* 0.1 and 25 more */
    assert_param(session, PARAM_TRANSFER, "0.5");
    assert_near(makespan(session), 36);
    command(session, "schedule 1f1b");
    assert_near(makespan(session), 41);
    press(session, "2 5 t");
    assert_param(session, PARAM_TRANSFER, "0.1");
    press(session, "9 t");
    assert_param(session, PARAM_TRANSFER, "0");
    command(session, "transfer 0.103");
    press(session, "t");
    assert_param(session, PARAM_TRANSFER, "0.1");
    command(session, "transfer 0.03"); /* below the first step of the ladder */
    press(session, "t");
    assert_param(session, PARAM_TRANSFER, "0");
    session_free(session);
}

/* The ladder's value at or below a tenth of the least cost, in decimal. */
static void test_first_transfer(void **state)
{
    static const struct {
        const char *forward, *first;
    } cases[] = {
        {"1", "0.1"},    {"0.7", "0.07"},  {"1.4", "0.14"},       {"1.9", "0.19"},
        {"0.6", "0.06"}, {"2.4", "0.2"},   {"0.3", "0.03"},       {"0.21", "0.02"},
        {"1.05", "0.1"}, {"1e-6", "1e-7"}, {"3,2,1.1,9", "0.11"}, {"9.4", "0.2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct session *session = session_after("");
        char line[80];
        snprintf(line, sizeof line, "forward %s", cases[i].forward);
        command(session, line);
        press(session, "T");
        assert_param(session, PARAM_TRANSFER, cases[i].first);
        press(session, "t");
        assert_param(session, PARAM_TRANSFER, "0");
        session_free(session);
    }
}

static void test_typed_costs(void **state)
{
    struct session *session = session_after("S");

    (void)state;
    press(session, "Enter");
    assert_int_equal(look(session).mode, MODE_PROMPT);
    assert_in("all", look(session).prompt.label);
    assert_string_equal(look(session).prompt.line, "1 2");
    press(session, "Ctrl-U");
    type(session, "0.5 1.5");
    press(session, "Enter");
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_near(makespan(session), 22);
    press(session, "u 4 j e");
    assert_in("stage 3", look(session).prompt.label);
    press(session, "Ctrl-U");
    type(session, " 1.5,  3 ");
    press(session, "Enter");
    assert_near(makespan(session), 45);
    assert_param(session, PARAM_FORWARD, "1, 1, 1, 1.5");
    assert_param(session, PARAM_BACKWARD, "2, 2, 2, 3");
    press(session, "u"); /* both in one */
    assert_near(makespan(session), 33);
    press(session, "e Ctrl-U 7 Esc");
    assert_near(makespan(session), 33);
    session_free(session);
}

static void test_typed_costs_refused(void **state)
{
    static const char *const wrong[] = {"",     "1",       "1 2 3",   "0 1",    "1 0",
                                        "-1 2", "x 1",     "1 nan",   "1 inf",  "0x1 2",
                                        "1 2x", "1e400 1", "1e301 1", "1 1e308"};
    struct session *session = session_after("j");

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct before before = remember(session);
        press(session, "e Ctrl-U");
        type(session, wrong[i]);
        press(session, "Enter");
        if (!look(session).is_error)
            fail_msg("'%s' was not refused", wrong[i]);
        assert_unchanged(session, &before);
    }
    press(session, "u");
    assert_message(session, "nothing to undo");
    session_free(session);
}

static void test_hold(void **state)
{
    struct session *session = session_after("S H 8 P");

    (void)state;
    assert_near(makespan(session), (8 + 7) * 1.5); /* half of each */
    press(session, "2 P");
    assert_near(makespan(session), (8 + 1) * 6);
    press(session, "4 P H 8 P");
    assert_near(makespan(session), (8 + 7) * 3);
    press(session, "4 P 4 j 5 F 5 B P"); /* 1.5 and 3 once more */
    assert_param(session, PARAM_FORWARD, "1, 1, 1, 1.5, 1.5");
    press(session, "3 P");
    assert_param(session, PARAM_FORWARD, "1");
    press(session, "u H 1 P");
    assert_param(session, PARAM_FORWARD, "6");
    assert_near(makespan(session), 8 * 18);
    session_free(session);
}

static void test_layers(void **state)
{
    struct session *session = session_after("S");

    (void)state;
    command(session, "layers 8*1,3");
    assert_near(makespan(session), 96);
    command(session, "split uniform");
    assert_near(makespan(session), 117);
    command(session, "split 2,2,2,3");
    assert_near(makespan(session), 138);
    command(session, "split balanced");
    assert_near(makespan(session), 96);
    press(session, "1 P"); /* split again: 11 and 22 */
    assert_near(makespan(session), 8 * 33);
    assert_refused(session, "1 0 P", "9 layers");
    press(session, "4 P");
    command(session, "split 2,2,2,3");
    press(session, "2 P");
    assert_param(session, PARAM_SPLIT, "balanced");
    assert_says(session, "balanced");
    command(session, "split 4,5");
    command(session, "layers 6*1"); /* counts of layers that are no more */
    assert_false(look(session).is_error);
    assert_param(session, PARAM_SPLIT, "balanced");
    assert_near(makespan(session), (8 + 1) * 9);
    session_free(session);
}

/* Layers are instead of costs: a file could not hold both, and a loaded one would differ. */
static void test_layers_replace_costs(void **state)
{
    struct session *session = session_after("");

    (void)state;
    command(session, "forward 1,2,3,4");
    command(session, "backward 5");
    command(session, "layers 8*1");
    assert_param(session, PARAM_FORWARD, "1");
    assert_param(session, PARAM_BACKWARD, "2");
    press(session, "u");
    assert_param(session, PARAM_FORWARD, "1, 2, 3, 4");
    assert_param(session, PARAM_BACKWARD, "5");
    session_free(session);
}

static void test_cost_keys_with_layers(void **state)
{
    static const char *const keys[] = {"f", "F", "b", "B", "Enter", "e"};

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        struct session *session = session_after("S");
        command(session, "layers 8*1,3");
        struct before before = remember(session);
        press(session, keys[i]);
        assert_int_equal(look(session).mode, MODE_CONFIRM);
        press(session, "n");
        assert_int_equal(look(session).mode, MODE_CHART);
        assert_unchanged(session, &before);
        press(session, keys[i]);
        press(session, "y Esc");
        assert_null(look(session).scenario->layers);
        press(session, "9 u 9 U");
        assert_null(look(session).scenario->layers);
        press(session, "9 u U");
        assert_param(session, PARAM_SPLIT, "balanced");
        session_free(session);
    }
}

static void test_layers_become_costs(void **state)
{
    struct session *session = session_after("S");

    (void)state;
    command(session, "layers 8*1,3");
    command(session, "forward 1");
    assert_int_equal(look(session).mode, MODE_CONFIRM);
    press(session, "y");
    assert_near(makespan(session), 96); /* as it was: 2, 3, 3, 3 */
    assert_param(session, PARAM_FORWARD, "2, 3, 3, 3");
    assert_param(session, PARAM_BACKWARD, "4, 6, 6, 6");
    press(session, "u");
    assert_param(session, PARAM_LAYERS, "8*1, 3");
    session_free(session);
}

static void test_messages(void **state)
{
    struct session *session = session_after("S M");

    (void)state;
    assert_message(session, "M 8→9: makespan 33→36, bubble 27.3%→25%; u undoes");
    press(session, "9 M");
    assert_says(session, "as before");
    assert_false(look(session).is_error);
    press(session, "P");
    assert_message(session, "P 4→5: makespan 36→39, bubble 25%→30.8%, peak stash 4→5; u undoes");
    press(session, "Z");
    assert_says(session, "Z");
    assert_true(look(session).is_error);
    press(session, "j");
    assert_message(session, "");
    assert_false(look(session).is_error);
    session_free(session);
}

/* ---- the `:` line ---- */

static void assert_line(struct session *session, const char *line, size_t cursor)
{
    struct snapshot now = look(session);

    assert_int_equal(now.mode, MODE_PROMPT);
    assert_string_equal(now.prompt.line, line);
    assert_int_equal(now.prompt.cursor, cursor);
}

static void test_line_editing(void **state)
{
    struct session *session = session_after(": a b c");

    (void)state;
    assert_string_equal(look(session).prompt.label, ":");
    assert_line(session, "abc", 3);
    press(session, "Left x Right y Right Right z");
    assert_line(session, "abxcyz", 6);
    press(session, "Home Left q End Backspace");
    assert_line(session, "qabxcy", 6);
    press(session, "Ctrl-A Delete Ctrl-D Ctrl-F Ctrl-F Ctrl-B Ctrl-H");
    assert_line(session, "xcy", 0); /* q and a gone, then b */
    press(session, "Backspace Ctrl-E Delete");
    assert_line(session, "xcy", 3);
    press(session, "Left Ctrl-U");
    assert_line(session, "y", 0);
    press(session, "a Space b b Space Space Ctrl-W");
    assert_line(session, "a y", 2);
    press(session, "Ctrl-K");
    assert_line(session, "a ", 2);
    press(session, "Ctrl-W Ctrl-W F5 Shift-Left Ctrl-X PageUp"); /* nothing to do with a line */
    assert_line(session, "", 0);
    press(session, "Backspace"); /* out of an empty one */
    assert_int_equal(look(session).mode, MODE_CHART);
    session_free(session);
}

static void test_line_is_utf8(void **state)
{
    struct session *session = session_after(":");

    (void)state;
    type(session, "aé漢😀");
    assert_line(session, "aé漢😀", 10);
    press(session, "Left");
    assert_line(session, "aé漢😀", 6);
    press(session, "Left Left");
    assert_line(session, "aé漢😀", 1);
    press(session, "Delete");
    assert_line(session, "a漢😀", 1);
    press(session, "End Backspace");
    assert_line(session, "a漢", 4);
    press(session, "Left ö");
    assert_line(session, "aö漢", 3);
    press(session, "Ctrl-U Ctrl-K");
    type(session, "title naïve 漢字");
    press(session, "Enter");
    assert_param(session, PARAM_TITLE, "naïve 漢字");
    session_free(session);
}

static void test_leaving_the_line(void **state)
{
    static const char *const ways[] = {"Esc", "Ctrl-C"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct session *session = session_after(": m Space 9");
        struct before before = remember(session);
        press(session, ways[i]);
        assert_int_equal(look(session).mode, MODE_CHART);
        assert_int_equal(session_take_request(session).kind, REQUEST_NONE);
        press(session, ": Enter"); /* an empty one does nothing */
        assert_int_equal(look(session).mode, MODE_CHART);
        assert_message(session, "");
        assert_unchanged(session, &before);
        session_free(session);
    }
}

static void test_pasting(void **state)
{
    struct session *session = session_after("");
    struct before before = remember(session);
    char *long_text = malloc(20001);

    (void)state;
    session_paste(session, "MMM:m 3\n");
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_unchanged(session, &before);
    press(session, ":");
    session_paste(session, "m 3\nm\t4\x1b[31m\x7f\xff\xc3");
    assert_line(session, "m 3 m 4[31m", 11);
    assert_int_equal(look(session).scenario->micro_batches, 8);
    press(session, "Home");
    session_paste(session, "é");
    assert_line(session, "ém 3 m 4[31m", 2);

    assert_non_null(long_text);
    for (int i = 0; i < 10000; i++)
        memcpy(long_text + 2 * i, "é", 2);
    long_text[20000] = '\0';
    press(session, "Ctrl-E Ctrl-U");
    session_paste(session, long_text);
    size_t length = strlen(look(session).prompt.line);
    assert_true(length >= 1000 && length < 20000 && length % 2 == 0);
    assert_int_equal(look(session).prompt.cursor, length);
    press(session, "x é Enter");
    assert_true(look(session).is_error);
    free(long_text);
    session_free(session);
}

static void test_lines_before(void **state)
{
    struct session *session = session_after("");
    char line[20];

    (void)state;
    press(session, ": Up Down Ctrl-P Ctrl-N");
    assert_line(session, "", 0);
    press(session, "Esc");
    command(session, "m 5");
    command(session, "nonsense"); /* worth correcting */
    command(session, "nonsense");
    press(session, ": Up");
    assert_line(session, "nonsense", 8);
    press(session, "Up");
    assert_line(session, "m 5", 3);
    press(session, "Up");
    assert_line(session, "m 5", 3);
    press(session, "Ctrl-N");
    assert_line(session, "nonsense", 8);
    press(session, "Ctrl-P Backspace 7 Enter");
    assert_int_equal(look(session).scenario->micro_batches, 7);
    press(session, ": a b Up Up Down Down"); /* what was being typed comes back */
    assert_line(session, "ab", 2);
    press(session, "Esc");
    for (int i = 1; i <= 200; i++) {
        snprintf(line, sizeof line, "m %d", i);
        command(session, line);
    }
    press(session, ":");
    for (int i = 0; i < 300; i++)
        press(session, "Up");
    int oldest;
    assert_int_equal(sscanf(look(session).prompt.line, "m %d", &oldest), 1);
    assert_true(oldest > 1 && oldest <= 191);
    press(session, "Esc e Up"); /* costs have no such past */
    assert_string_equal(look(session).prompt.line, "1 2");
    session_free(session);
}

/* ---- completion ---- */

static void complete(struct session *session, const char *typed, const char *expected)
{
    press(session, ":");
    type(session, typed);
    press(session, "Tab");
    assert_line(session, expected, strlen(expected));
    press(session, "Esc");
}

static void test_completion(void **state)
{
    struct session *session = session_after("");

    (void)state;
    complete(session, "titl", "title ");
    complete(session, "micro_", "micro_batches ");
    complete(session, "backward_", "backward_ratio ");
    complete(session, "bub", "bubble-view ");
    complete(session, "lay", "layers ");
    complete(session, "schedule eag", "schedule eager-1f1b ");
    complete(session, "schedule=g", "schedule=gpipe ");
    complete(session, "  schedule  =  g", "  schedule  =  gpipe ");
    complete(session, "hold m", "hold model ");
    complete(session, "split u", "split uniform ");
    complete(session, "micro", "micro"); /* micro_batches, micro-batches-less */
    press(session, ": m i c r o Tab");
    assert_says(session, "micro_batches");
    assert_says(session, "micro-batches-more");
    press(session, "Esc");
    complete(session, "gap", "gap-");
    complete(session, "xyz", "xyz");
    press(session, ": x y z Tab");
    assert_true(look(session).is_error);
    press(session, "Esc");
    complete(session, "title x", "title x");
    complete(session, "schedule x", "schedule x");
    complete(session, "", "");
    assert_int_equal(look(session).scenario->micro_batches, 8);
    session_free(session);
}

/* Whatever can be typed completes from a part of it to itself or to a longer part. */
static void test_every_word_completes(void **state)
{
    struct session *session = session_after("");

    (void)state;
    for (int i = 0; i < (int)COMMAND_COUNT + (int)PARAM_COUNT; i++) {
        const char *word = i < (int)COMMAND_COUNT ? command_info((enum command)i)->name
                           : i - (int)COMMAND_COUNT == (int)PARAM_LAYERS
                               ? "layers"
                               : param_info((enum param)(i - (int)COMMAND_COUNT))->key;
        char part[80];
        for (size_t length = 1; length <= strlen(word); length++) {
            snprintf(part, sizeof part, "%.*s", (int)length, word);
            press(session, ":");
            type(session, part);
            press(session, "Tab");
            const char *line = look(session).prompt.line;
            assert_false(look(session).is_error);
            assert_memory_equal(line, part, length);
            size_t same = strcspn(line, " ");
            assert_true(strncmp(line, word, same) == 0 && same >= length);
            press(session, "Esc");
        }
    }
    session_free(session);
}

static void complete_file(struct session *session, const char *line, const char *typed,
                          const char *answer, const char *expected)
{
    type(session, line);
    press(session, "Tab");
    struct request request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_COMPLETE);
    assert_string_equal(request.path, typed);
    session_complete(session, answer);
    assert_line(session, expected, strlen(expected));
    press(session, "Esc");
}

static void test_files_complete(void **state)
{
    struct session *session = session_after("");

    (void)state;
    press(session, ":");
    complete_file(session, "w fo", "fo", "foobar.ini", "w foobar.ini");
    press(session, ":");
    complete_file(session, "o  a b", "a b", "a b c.ini", "o  a b c.ini");
    press(session, ":");
    complete_file(session, "o ", "", "x/", "o x/");
    press(session, "o");
    complete_file(session, "a b", "a b", "a bc", "a bc");
    press(session, "Ctrl-S");
    complete_file(session, "/x/", "/x/", "/x/y.ini", "/x/y.ini");
    session_free(session);
}

/* ---- what the line says ---- */

static void test_parameters_by_name(void **state)
{
    static const struct {
        const char *line;
        enum param param;
        const char *value;
    } lines[] = {
        {"m 128", PARAM_MICRO_BATCHES, "128"},
        {"micro_batches 9", PARAM_MICRO_BATCHES, "9"},
        {"micro-batches 10", PARAM_MICRO_BATCHES, "10"},
        {"m=11", PARAM_MICRO_BATCHES, "11"},
        {"  m  =  12  ", PARAM_MICRO_BATCHES, "12"},
        {"m =13", PARAM_MICRO_BATCHES, "13"},
        {"m 1e2", PARAM_MICRO_BATCHES, "100"},
        {"m 8", PARAM_MICRO_BATCHES, "8"},
        {"p 5", PARAM_STAGES, "5"},
        {"stages 6", PARAM_STAGES, "6"},
        {"p 4", PARAM_STAGES, "4"},
        {"schedule 1f1b", PARAM_SCHEDULE, "1f1b"},
        {"s gpipe", PARAM_SCHEDULE, "gpipe"},
        {"forward 1,1,2,1", PARAM_FORWARD, "1, 1, 2, 1"},
        {"f 1, 2 ,3, 4", PARAM_FORWARD, "1, 2, 3, 4"},
        {"b 3", PARAM_BACKWARD, "3"},
        {"backward 4,4,4,4", PARAM_BACKWARD, "4"},
        {"t .5", PARAM_TRANSFER, "0.5"},
        {"transfer 1e-3", PARAM_TRANSFER, "0.001"},
        {"hold model", PARAM_HOLD, "model"},
        {"chunks 3", PARAM_CHUNKS, "3"},
        {"c 1", PARAM_CHUNKS, "1"},
        {"title One = two", PARAM_TITLE, "One = two"},
        {"title = x", PARAM_TITLE, "x"},
        {"notes a b", PARAM_NOTES, "a b"},
        {"time ms", PARAM_TIME, "ms"},
        {"layers 8*1, 3", PARAM_LAYERS, "8*1, 3"},
        {"split uniform", PARAM_SPLIT, "uniform"},
        {"split 2,2,2,3", PARAM_SPLIT, "3*2, 3"},
        {"backward_ratio 3", PARAM_RATIO, "3"},
        {"backward-ratio 2.5", PARAM_RATIO, "2.5"},
    };
    struct session *session = session_after("");

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        command(session, lines[i].line);
        if (look(session).is_error)
            fail_msg("'%s': %s", lines[i].line, look(session).message);
        assert_param(session, lines[i].param, lines[i].value);
        assert_int_equal(look(session).mode, MODE_CHART);
    }
    session_free(session);
}

static void test_parameters_are_shown(void **state)
{
    struct session *session = session_after("");
    struct before before = remember(session);

    (void)state;
    command(session, "m");
    assert_message(session, "micro_batches = 8");
    command(session, "forward");
    assert_message(session, "forward = 1");
    command(session, "schedule =");
    assert_message(session, "schedule = gpipe");
    command(session, "hold ");
    assert_message(session, "hold = stage");
    assert_unchanged(session, &before);
    session_free(session);
}

static void test_refused_lines(void **state)
{
    static const struct {
        const char *line, *reason;
    } lines[] = {
        {"m 0", "0"},
        {"m -1", "-1"},
        {"m 1.5", "1.5"},
        {"m 1000001", "1000000"},
        {"m 1e7", "1000000"},
        {"m nan", "nan"},
        {"m 0x10", "0x10"},
        {"m 8x", "8x"},
        {"m 8 9", "8 9"},
        {"p 0", "0"},
        {"stages 4097", "4096"},
        {"chunks 0", "0"},
        {"chunks 65", "64"},
        {"transfer -1", "-1"},
        {"transfer inf", "inf"},
        {"forward 0", "0"},
        {"forward -1", "-1"},
        {"forward 1,2", "1 or 4"},
        {"forward 1,,1,1", "value 2"},
        {"forward 1,2,3,x", "x"},
        {"forward 1,2,3,4,", "value 5"},
        {"backward 1e400", "1e400"},
        {"schedule nope", "gpipe"},
        {"hold maybe", "stage"},
        {"split uniform", "layers"},
        {"backward_ratio 2", "layers"},
        {"layers -1", "-1"},
        {"layers 1,1,1", "4 stages"},
        {"layers 65537*1", "65536"},
        {"layers 1,1,1,0", "stage 3"},
        {"title a ; b", ";"},
        {"title ;", ";"},
        {"nonsense 3", "nonsense"},
        {"nonsense", "nonsense"},
        {"undo 3", "undo"},
        {"q 3", "q"},
        {"n", "one file"},
        {"p 1e300", "4096"},
        {"m 1 000", "1 000"},
        {"p", ""},
        {"wq", "wq"},
        {"= 3", ""},
    };
    struct session *session = session_after("2 j + M");

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct before before = remember(session);
        command(session, lines[i].line);
        bool is_silent = strcmp(lines[i].line, "= 3") == 0; /* nothing is named: nothing is said */
        if (!look(session).is_error && !is_silent)
            fail_msg("'%s' was not refused: %s", lines[i].line, look(session).message);
        assert_says(session, lines[i].reason);
        assert_int_equal(session_take_request(session).kind, REQUEST_NONE);
        assert_unchanged(session, &before);
    }
    press(session, "u u");
    assert_message(session, "nothing to undo");
    session_free(session);
}

static void test_file_commands(void **state)
{
    struct session *session = session_after("M");
    struct request request;

    (void)state;
    command(session, "w my file.ini");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_SAVE);
    assert_string_equal(request.path, "my file.ini");
    assert_false(request.quits_after);
    command(session, "o  other.ini ");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_OPEN);
    assert_string_equal(request.path, "other.ini");
    command(session, "w");
    assert_int_equal(look(session).mode, MODE_PROMPT);
    press(session, "Esc");
    command(session, "o");
    assert_int_equal(look(session).mode, MODE_PROMPT);
    press(session, "Esc");
    command(session, "q");
    assert_int_equal(look(session).mode, MODE_CONFIRM);
    press(session, "n");
    session_saved(session, "a.ini");
    command(session, "w");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_SAVE);
    assert_string_equal(request.path, "a.ini");
    command(session, "q");
    assert_int_equal(session_take_request(session).kind, REQUEST_QUIT);
    press(session, "M");
    command(session, "q!");
    assert_int_equal(session_take_request(session).kind, REQUEST_QUIT);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_do_what_the_table_says),
        cmocka_unit_test(test_no_key_twice),
        cmocka_unit_test(test_every_command_is_named),
        cmocka_unit_test(test_every_command_by_name),
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_stages_and_micro_batches),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_steps_skip_what_cannot_be),
        cmocka_unit_test(test_costs_of_a_chunk),
        cmocka_unit_test(test_typed_values_that_cannot_be),
        cmocka_unit_test(test_chunks_of_families_without),
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_slow_stage),
        cmocka_unit_test(test_all_stages),
        cmocka_unit_test(test_gap_edits_its_lane),
        cmocka_unit_test(test_many_steps),
        cmocka_unit_test(test_transfer),
        cmocka_unit_test(test_first_transfer),
        cmocka_unit_test(test_typed_costs),
        cmocka_unit_test(test_typed_costs_refused),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_layers_replace_costs),
        cmocka_unit_test(test_cost_keys_with_layers),
        cmocka_unit_test(test_layers_become_costs),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_line_editing),
        cmocka_unit_test(test_line_is_utf8),
        cmocka_unit_test(test_leaving_the_line),
        cmocka_unit_test(test_pasting),
        cmocka_unit_test(test_lines_before),
        cmocka_unit_test(test_completion),
        cmocka_unit_test(test_every_word_completes),
        cmocka_unit_test(test_files_complete),
        cmocka_unit_test(test_parameters_by_name),
        cmocka_unit_test(test_parameters_are_shown),
        cmocka_unit_test(test_refused_lines),
        cmocka_unit_test(test_file_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
