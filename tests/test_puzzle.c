/* The puzzle as a session has it: keys, what is refused in which words, hints, the machine,
 * coming back, taking an order as the schedule. Figures by hand: forward 1, backward 2, transfer
 * 0 unless said. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

static struct session *start(const char *settings, const char *keys)
{
    struct session *session = session_after("");
    char buffer[200];

    assert_true(strlen(settings) < sizeof buffer);
    strcpy(buffer, settings);
    for (char *at = strtok(buffer, ";"); at != NULL; at = strtok(NULL, ";"))
        command(session, at);
    assert_false(look(session).is_error);
    press(session, keys);
    return session;
}

static void assert_refused(struct session *session, const char *keys, const char *words)
{
    uint64_t ops = look(session).build->build->plan.ops;

    press(session, keys);
    assert_says(session, words);
    assert_true(look(session).is_error);
    assert_int_equal(look(session).build->build->plan.ops, ops);
}

static void assert_placed(struct session *session, uint64_t ops)
{
    struct snapshot now = look(session);

    assert_int_equal(now.mode, MODE_BUILD);
    assert_non_null(now.build);
    assert_int_equal(now.build->build->plan.ops, ops);
}

static void test_by_hand(void **state)
{
    struct session *session = start("stages 3;m 3", "E");
    const struct build_view *view = look(session).build;

    (void)state;
    assert_placed(session, 0);
    assert_int_equal(view->total, 18);
    assert_true(view->floor == 15); /* 3 * (M + P - 1) */
    assert_true(view->here->makespan == 15);
    assert_int_equal(view->count, 3); /* the forwards of stage 0 */
    press(session, "Enter F Right Enter"); /* the chosen one, the next one, the one and only */
    assert_placed(session, 3);
    assert_says(session, "F2 on stage 0: 2 to 3");
    press(session, "Down Enter Enter Enter Down F B F B F");
    assert_placed(session, 11);
    assert_says(session, "F2 on stage 2: 8 to 9");
    press(session, "B Up B B B Up B B B");
    view = look(session).build;
    assert_placed(session, 18);
    assert_true(view->is_done);
    assert_says(session, "all is placed: makespan 15");
    /* three forwards on stages 0 and 1 before any backward, on stage 2 in turn: eager's warm-up */
    assert_string_equal(view->names, "interleaved, eager-1f1b");
    assert_says(session, "it is interleaved, eager-1f1b");
    session_free(session);
}

static void test_refusals(void **state)
{
    struct session *session = start("stages 3;m 3;memory_limit 2", "E");

    (void)state;
    press(session, "F Down");
    assert_refused(session, "B", "B0 on stage 1 needs F0 of stage 1, which is not placed yet");
    assert_refused(session, "2 F", "F2 on stage 1 needs F2 of stage 0, which is not placed yet");
    press(session, "F");
    assert_refused(session, "B", "B0 on stage 1 needs B0 of stage 2, which is not placed yet");
    assert_refused(session, "0 F", "F0 on stage 1 is placed already");
    assert_refused(session, "7 B", "there is no micro-batch 7: they are 0 to 2");
    assert_refused(session, "I", "there is no I by the rules of gpipe");
    assert_says(session, "zb-h1");
    assert_refused(session, "&", "no fused pairs by the rules of gpipe");
    assert_refused(session, "x", "x does nothing here");
    assert_refused(session, "Enter", "no legal move: F1 on stage 1 needs F1 of stage 0");
    press(session, "Up F");
    assert_refused(session, "F", "F2 on stage 0 does not fit: the stash would be 3, the memory "
                                 "limit is 2");
    assert_refused(session, "t", "only a finished order");
    session_free(session);

    session = start("schedule zb-h1;stages 2;m 2", "E F Down F I");
    assert_refused(session, "0 B", "B0 on stage 1 cannot be: its backward is split, I0 is placed");
    press(session, "Up");
    press(session, "B");
    assert_refused(session, "0 W", "W0 on stage 0 cannot be: its whole backward B0 is placed");
    assert_refused(session, "1 B", "B1 on stage 0 needs F1 of stage 0");
    press(session, "F");
    assert_refused(session, "1 B", "B1 on stage 0 needs B1 or I1 of stage 1");
    session_free(session);
}

static void test_too_large(void **state)
{
    struct session *session = start("stages 4;m 513", "E");

    (void)state;
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_null(look(session).build);
    assert_true(look(session).is_error);
    assert_says(session, "4104 operations, at most 4096");
    command(session, "m 512");
    press(session, "E");
    assert_placed(session, 0);
    press(session, "c b");
    assert_true(look(session).build->is_done);
    assert_non_null(strstr(look(session).build->names, "1f1b"));
    session_free(session);
}

static void test_hints_lead_to_the_best(void **state)
{
    static const struct {
        const char *settings;
        double makespan;
    } cases[] = {
        {"stages 4;m 8", 33},                     /* 1F1B */
        {"schedule zb-h1;stages 4;m 8", 27},      /* ZB-H1: 3M + P - 1 */
        {"schedule zbv;stages 4;m 8", 25.5},      /* (6M + P - 1) / 2 */
        {"schedule chimera;stages 4;m 4", 0},
        {"schedule dualpipe;stages 2;m 4", 0},
        {"schedule forward-only;stages 4;m 8", 11},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct session *session = start(cases[i].settings, "E");
        for (int n = 0; n < 300 && !look(session).build->is_done; n++) {
            press(session, "H");
            assert_says(session, "hint: ");
            press(session, "Enter");
            assert_false(look(session).is_error);
        }
        const struct build_view *view = look(session).build;
        assert_true(view->is_done);
        assert_non_null(strstr(view->names, view->here->family->name));
        assert_true(view->outcome->metrics.makespan == view->here->makespan);
        if (cases[i].makespan != 0)
            assert_true(view->here->makespan == cases[i].makespan);
        session_free(session);
    }
    /* no family begins with micro-batch 1 */
    struct session *session = start("stages 2;m 2", "E 1 F H");
    assert_says(session, "no family begins");
    session_free(session);
}

static void test_undo_and_redo(void **state)
{
    struct session *session = start("stages 2;m 2", "E F F Down F u u");

    (void)state;
    assert_placed(session, 1);
    press(session, "U U");
    assert_placed(session, 3);
    press(session, "U");
    assert_says(session, "nothing to make again");
    press(session, "R");
    assert_placed(session, 0);
    press(session, "U U U u u u u");
    assert_says(session, "nothing is placed");
    press(session, "c f u");
    assert_placed(session, 7);
    press(session, "c Esc");
    assert_placed(session, 7);
    press(session, "c b");
    assert_placed(session, 8);
    session_free(session);
}

static void test_leaving_loses_nothing(void **state)
{
    struct session *session = start("stages 2;m 3", "E q");

    (void)state;
    assert_int_equal(look(session).mode, MODE_CHART); /* nothing was built: no question */
    press(session, "E F F Down F q");
    assert_placed(session, 3);
    assert_says(session, "Leave?");
    press(session, "n");
    assert_placed(session, 3);
    press(session, "Esc y");
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_null(look(session).build);
    /* other costs: the same moves at other times */
    command(session, "forward 2");
    press(session, "E");
    assert_placed(session, 3);
    assert_true(look(session).build->build->plan.makespan == 4);
    /* another family of the same P, M, V: the puzzle keeps its rules, R twice takes the new ones */
    press(session, "q y");
    command(session, "schedule zb-h1");
    press(session, "E");
    assert_placed(session, 3);
    assert_says(session, "rules of gpipe");
    assert_refused(session, "I", "no I by the rules of gpipe");
    press(session, "R R F Down F I");
    assert_placed(session, 3);
    assert_string_equal(look(session).build->scenario->schedule->name, "zb-h1");
    /* another size: what is built waits until it is dropped on purpose */
    press(session, "q y M E");
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_says(session, "what is built is for P=2 M=3 V=1");
    press(session, "m E");
    assert_placed(session, 3);
    press(session, "q y M E");
    assert_says(session, "E again drops it for a new one");
    press(session, "E");
    assert_placed(session, 0);
    /* a limit that what is built does not keep to */
    press(session, "F F F q y");
    command(session, "memory_limit 2");
    press(session, "E");
    assert_placed(session, 2);
    assert_says(session, "as far as the memory limit lets it");
    /* a change typed in the puzzle goes to the chart */
    command(session, "m 8");
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_int_equal(look(session).scenario->micro_batches, 8);
    session_free(session);
}

static void test_taking_a_family(void **state)
{
    struct session *session = start("stages 4;m 8", "E c b t");
    struct snapshot now = look(session);

    (void)state;
    assert_int_equal(now.mode, MODE_CHART);
    assert_string_equal(now.scenario->schedule->name, "1f1b");
    assert_true(now.outcome->metrics.peak_stash == 4);
    press(session, "u");
    assert_string_equal(look(session).scenario->schedule->name, "gpipe");
    press(session, "E");
    assert_placed(session, 64); /* it is still there */
    session_free(session);
}

/* Of equal orders that of the rules is named first, and taken: nothing else was asked for. */
static void test_take_own(void **state)
{
    struct session *session = start("schedule eager-1f1b;stages 2;m 2", "E c b");

    (void)state;
    assert_string_equal(look(session).build->names, "eager-1f1b, 1f1b, interleaved");
    press(session, "t");
    assert_string_equal(look(session).outcome->plan.family->name, "eager-1f1b");
    session_free(session);
}

/* Stage 0 takes micro-batch 1 first: nobody's order, so it becomes a table. */
static void test_taking_an_order_of_its_own(void **state)
{
    struct session *session = start("stages 2;m 2;forward 1,2",
                                    "E 1 F F Down 1 F 1 B F B Up 1 B B");
    struct snapshot now = look(session);
    double makespan = now.build->outcome->metrics.makespan;

    (void)state;
    assert_true(now.build->is_done);
    assert_string_equal(now.build->names, "");
    press(session, "t");
    now = look(session);
    assert_int_equal(now.mode, MODE_CHART);
    assert_non_null(now.scenario->table);
    assert_true(now.scenario->schedule->is_table);
    assert_true(now.outcome->plan.makespan == makespan);
    assert_int_equal(now.outcome->plan.run[0].code[0], 1);
    assert_int_equal(now.outcome->plan.micro_batches, 2);
    assert_true(now.is_unsaved);
    press(session, "i q"); /* other views work on it */
    command(session, "backward 3");
    assert_true(look(session).outcome->plan.makespan > makespan);
    press(session, "u u U E");
    assert_placed(session, 8);
    assert_true(look(session).build->outcome->plan.makespan == makespan);
    session_free(session);

    /* with two replicas only a family can be taken */
    session = start("schedule chimera;stages 2;m 2", "E c b");
    now = look(session);
    assert_true(now.build->is_done);
    if (now.build->names[0] == '\0')
        assert_refused(session, "t", "two replicas");
    session_free(session);
}

static void test_writing(void **state)
{
    struct session *session = start("stages 2;m 2", "E F");
    struct request request;

    (void)state;
    command(session, "w x.csv");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_SAVE);
    assert_string_equal(request.path, "x.csv");
    assert_placed(session, 1); /* still in the puzzle */
    press(session, "Ctrl-S");
    assert_int_equal(look(session).mode, MODE_PROMPT);
    assert_string_equal(look(session).prompt.line, "w ");
    assert_non_null(look(session).build); /* it stays on screen behind the line */
    press(session, "Esc ? q");
    assert_placed(session, 1);
    /* a table without a file gets the name under which it is written */
    press(session, "R 1 F F Down 1 F 1 B F B Up 1 B B t");
    assert_string_equal(look(session).scenario->table->path, "");
    session_table_saved(session, "mine.csv");
    assert_says(session, "mine.csv");
    assert_string_equal(look(session).scenario->table->path, "mine.csv");
    session_free(session);
}

static void test_a_limit_that_leaves_nothing(void **state)
{
    /* V 2, room for one: chunk 0 of both micro-batches fills the device */
    struct session *session = start("schedule interleaved;stages 1;m 2;chunks 2;memory_limit 1",
                                    "E F F");

    (void)state;
    assert_placed(session, 2);
    assert_says(session, "F1 of stage 0"); /* deeper first would have been stage 1 */
    assert_says(session, "leaves no move");
    press(session, "c b");
    assert_placed(session, 2);
    assert_says(session, "nothing is placed");
    press(session, "H");
    assert_says(session, "leaves no move");
    press(session, "u c b");
    assert_true(look(session).build->is_done);
    assert_true(look(session).build->peak <= 1);
    session_free(session);
}

static void test_any_keys(void **state)
{
    static const char *const families[] = {"gpipe", "zbv", "dualpipe", "chimera", "interleaved",
                                           "1f1b-overlap", "zb-h1"};
    uint64_t seed = 1;

    (void)state;
    for (int n = 0; n < 60; n++) {
        struct session *session = start("stages 2;m 4", "");
        char line[60] = "schedule ";
        strcat(line, families[n % 7]);
        command(session, line);
        for (int i = 0; i < 300; i++) {
            static const char *const more[] = {"E", "0", "1",      "7", "y",
                                               "n", "z", "Ctrl-L", "M", "u"};
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            uint32_t roll = (uint32_t)(seed >> 33) % (BUILD_KEY_COUNT + 10);
            const char *keys = roll < BUILD_KEY_COUNT ? build_key_info((enum build_key)roll)->keys
                                                      : more[roll - BUILD_KEY_COUNT];
            char key[32] = "";
            strncat(key, keys, strcspn(keys, " "));
            session_key(session, key);
            if (look(session).mode == MODE_PROMPT)
                session_key(session, "Esc");
            if (i % 50 == 0)
                session_set_view(session, &(struct session_view){.span = 10,
                                                                 .columns = 40,
                                                                 .lanes = 1 + roll % 3,
                                                                 .help_rows = 10,
                                                                 .help_lines = 90});
            struct snapshot now = look(session);
            assert_false(now.is_error && now.message[0] == '\0');
            if (now.build != NULL) {
                assert_true(now.build->count == 0 || now.build->chosen < now.build->count);
                assert_true(now.build->device < now.build->build->plan.devices);
                assert_true(now.build->floor >= now.build->build->plan.makespan);
            }
        }
        session_free(session);
    }
}

static void assert_step(const struct build_view *view, uint32_t move, const char *words)
{
    char buffer[80];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    assert_true(move < view->count);
    build_write_step(&view->build->plan, &view->moves[move], &text);
    assert_string_equal(buffer, words);
}

static void assert_score(struct session *session, const char *words)
{
    const struct build_view *view = look(session).build;
    char buffer[120];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    assert_true(view->is_done);
    build_write_score(view, view->here, &text);
    assert_string_equal(buffer, words);
}

/* Moves and scores as the panel words them. */
static void test_words(void **state)
{
    struct session *session = start("stages 2;m 2;schedule gpipe", "E");

    (void)state;
    assert_step(look(session).build, 0, "F0 at 0");
    assert_step(look(session).build, 1, "F1 at 0");
    press(session, "F Down");
    assert_step(look(session).build, 0, "F0 at 1 (waits 1)");
    press(session, "F B Up B F Down F B Up B"); /* one micro-batch after the other: 2 * 6 */
    assert_score(session, "33.3% longer than gpipe (9, bubble 33.3%, stash 2)");
    session_free(session);

    session = start("stages 1;m 1;schedule gpipe", "E F B");
    assert_score(session, "as long as gpipe (3, bubble 0%, stash 1)");
    session_free(session);

    /* Stages 0 and 2 lie on device 0; each costs half of a whole one. */
    session = start("stages 2;m 2;chunks 2;schedule interleaved", "E F Down F Up");
    assert_step(look(session).build, 0, "F1 s0 at 0.5");
    assert_step(look(session).build, 1, "F0 s2 at 1 (waits 0.5)");
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_hints_lead_to_the_best),
        cmocka_unit_test(test_undo_and_redo),
        cmocka_unit_test(test_leaving_loses_nothing),
        cmocka_unit_test(test_taking_a_family),
        cmocka_unit_test(test_take_own),
        cmocka_unit_test(test_taking_an_order_of_its_own),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_a_limit_that_leaves_nothing),
        cmocka_unit_test(test_any_keys),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
