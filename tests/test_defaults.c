/* `default`, the word for a parameter as if it were not given: typed, undone, saved, read. What it
 * must become is never computed here: it is a scenario in which nobody gave the parameter. */
#include "app/config.h"
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

/* What would be saved, to be freed. */
static char *saved(struct session *session)
{
    char *text = config_text(look(session).scenario);

    assert_non_null(text);
    return text;
}

/* Saving would write exactly this. */
static void assert_saved(struct session *session, const char *expected)
{
    char *text = saved(session);

    assert_string_equal(text, expected);
    free(text);
}

/* Each parameter: what has to be there for it, and a value. */
static const struct row {
    const char *before, *name, *value;
} rows[] = {
    {"", "schedule", "zbv"},
    {"", "stages", "6"},
    {"", "micro_batches", "12"},
    {"schedule interleaved", "chunks", "3"},
    {"", "transfer", "0.5"},
    {"schedule interleaved", "group", "8"},
    {"schedule dualpipev", "fused", "0.75"},
    {"", "memory_limit", "3"},
    {"", "hold", "model"},
    {"", "forward", "1, 2, 3, 4"},
    {"", "backward", "3, 2, 2, 5"},
    {"schedule zb1p", "weight", "0.5"},
    {"", "activation", "1, 2, 1, 1"},
    {"schedule zb1p", "weight_activation", "0.25"},
    {"", "layers", "8*1, 3"},
    {"layers 8*1, 3", "split", "uniform"},
    {"layers 8*1, 3", "backward_ratio", "3"},
};
#define ROWS (sizeof rows / sizeof rows[0])

/* The line of the parameter in a file, NULL where it has none. */
static const char *line_of(const char *text, const struct row *row)
{
    const char *key = strcmp(row->name, "layers") == 0 ? "cost" : row->name;

    for (; text != NULL; text = strchr(text, '\n')) {
        text += *text == '\n';
        if (strncmp(text, key, strlen(key)) == 0 && strchr(" =", text[strlen(key)]) != NULL)
            break;
    }
    return text;
}

/* Has it this value there? */
static bool is_in(const char *text, const struct row *row)
{
    const char *line = line_of(text, row), *value = line == NULL ? NULL : strstr(line, "= ");
    size_t length = strlen(row->value);

    return value != NULL && strncmp(value + 2, row->value, length) == 0 &&
           value[2 + length] == '\n';
}

static void command_of(struct session *session, const char *name, const char *value)
{
    char line[120];

    snprintf(line, sizeof line, "%s %s", name, value);
    command(session, line);
    if (look(session).is_error)
        fail_msg("%s: %s", line, look(session).message);
}

static struct session *prepared(const struct row *row)
{
    struct session *session = session_after("");

    if (row->before[0] != '\0')
        command(session, row->before);
    assert_false(look(session).is_error);
    return session;
}

/* ---- typed ---- */

static void every_parameter_is_there(void **state)
{
    (void)state;
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        size_t i = 0;
        const char *name = p == PARAM_LAYERS ? "layers" : param_info(p)->key;
        while (i < ROWS && strcmp(rows[i].name, name) != 0)
            i++;
        assert_true((i < ROWS) == (param_info(p)->kind != PARAM_KIND_TEXT));
    }
}

/* As if it had never been given; undo and redo go to the value and back; the key is not written. */
static void what_was_set_can_be_unset(void **state)
{
    /* without these nobody could read a file */
    static const char always[] =
        "schedule stages micro_batches forward backward split backward_ratio";

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        struct session *session = prepared(&rows[i]);
        char *without = saved(session);
        double makespan = look(session).outcome->metrics.makespan;
        command_of(session, rows[i].name, rows[i].value);
        char *with = saved(session);
        assert_true(is_in(with, &rows[i]));
        assert_false(is_in(without, &rows[i]));
        assert_true(line_of(without, &rows[i]) == NULL || strstr(always, rows[i].name) != NULL);
        command_of(session, rows[i].name, "default");
        assert_saved(session, without);
        assert_true(look(session).outcome->metrics.makespan == makespan);
        press(session, "u");
        assert_saved(session, with);
        press(session, "U");
        assert_saved(session, without);
        command_of(session, rows[i].name, "default");
        assert_says(session, "as before");
        assert_saved(session, without);
        free(with);
        free(without);
        session_free(session);
    }
}

static void what_it_means_is_said(void **state)
{
    static const struct {
        const char *line, *says;
    } lines[] = {
        {"group", "group = default (the family's own rule)"},
        {"memory_limit", "memory_limit = default (no limit)"},
        {"weight", "weight = default (half of backward)"},
        {"activation", "activation = default (1)"},
        {"weight_activation", "weight_activation = default (all of it)"},
        {"layers", "layers = default (none)"},
        {"fused", "fused = 1"}, /* a value as any other */
        {"title", "title = "},
        {"memory-limit 3", "memory_limit = 3"},
        {"memory-limit default", "memory_limit = default (no limit)"},
        {"fused 2", "fused = 2"},
        {"fused = default", "fused = default (1)"},
        {"p 6", "P 4→6"},
        {"p default", "P 6→4"},
        {"s zbv", "GPipe→ZB-V"},
        {"s default", "ZB-V→GPipe"},
        {"t 2", "transfer 0→2"},
        {"t default", "transfer 2→0"},
    };
    struct session *session = session_after("");

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        command(session, lines[i].line);
        assert_false(look(session).is_error);
        assert_int_equal(strncmp(look(session).message, lines[i].says, strlen(lines[i].says)), 0);
    }
    session_free(session);
}

/* Nothing stays of layers: 8 micro-batches on 4 stages of 1 and 2 take 11 * 3. */
static void layers_go_with_their_split(void **state)
{
    struct session *session = session_after("");

    (void)state;
    command(session, "forward 1,2,3,4");
    command(session, "layers default"); /* there are none: costs stay */
    assert_says(session, "as before");
    assert_written(look(session).scenario, PARAM_FORWARD, "1, 2, 3, 4");
    command(session, "split default"); /* it is */
    assert_says(session, "as before");
    command(session, "split uniform");
    assert_says(session, "there are no layers");
    command(session, "layers 8*1,3");
    command(session, "split uniform");
    command(session, "backward_ratio 4");
    command(session, "layers default");
    assert_near(look(session).outcome->metrics.makespan, 33);
    command(session, "layers 8*1, 3");
    assert_written(look(session).scenario, PARAM_SPLIT, "balanced");
    assert_written(look(session).scenario, PARAM_RATIO, "2");
    command(session, "forward default"); /* a cost of a stage ends layers, and asks */
    assert_int_equal(look(session).mode, MODE_CONFIRM);
    session_free(session);
}

/* A text may be that word; without one it ends as a line of a file would say it. */
static void texts_are_emptied(void **state)
{
    struct session *session = session_after("");

    (void)state;
    command(session, "title default");
    assert_written(look(session).scenario, PARAM_TITLE, "default");
    command(session, "title"); /* asks */
    assert_says(session, "title = default");
    command(session, " title = ");
    assert_written(look(session).scenario, PARAM_TITLE, "");
    assert_says(session, "no title");
    press(session, "u");
    assert_written(look(session).scenario, PARAM_TITLE, "default");
    command(session, "m="); /* no text: shown */
    assert_says(session, "micro_batches = 8");
    session_free(session);
}

static void refusals_name_it(void **state)
{
    static const char *const lines[][2] = {
        {"m 0", "at most 1000000, or default is needed"},
        {"m Default", "or default is needed"},
        {"m default 8", "or default is needed"},
        {"memory_limit none", "a number, more than 0 and at most 1e300, or default is needed"},
        {"forward x", "or default is needed"},
        {"forward 1,default,1,1", "forward, value 2, is 'default': a number, more than 0 and at "
                                  "most 1e300, is needed"},
        {"hold x", "stage, model or default is needed"},
        {"schedule x", "file:NAME for a table, and default"},
        {"layers x", "or default is needed"},
        {"layers 1,default", "value 2, is 'default': F, F/B or N*F/B is needed"},
        {"split x", "or default"},
    };
    struct session *session = session_after("");

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        command(session, lines[i][0]);
        assert_true(look(session).is_error);
        assert_says(session, lines[i][1]);
        assert_false(look(session).is_unsaved);
    }
    session_free(session);
}

static void it_completes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        struct session *session = session_after(":");
        char line[80];
        type(session, rows[i].name);
        type(session, " de");
        press(session, "Tab");
        snprintf(line, sizeof line, "%s default ", rows[i].name);
        assert_string_equal(look(session).prompt.line, line);
        session_free(session);
    }
    struct session *session = session_after(": <title d> Tab");
    assert_string_equal(look(session).prompt.line, "title d");
    session_free(session);
}

/* ---- read ---- */

static void read_text(const char *text, struct config *config)
{
    FILE *stream = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    struct file_error error;

    assert_non_null(stream);
    if (!config_read(stream, "t.ini", config, &error))
        fail_msg("%s: %s in:\n%s", error.where, error.report.text, text);
    fclose(stream);
}

static void assert_same(const char *text, const char *other)
{
    struct config a, b;

    read_text(text, &a);
    read_text(other, &b);
    if (!scenario_equal(&a.scenario, &b.scenario))
        fail_msg("not the same:\n%s\n%s", text, other);
    config_free(&a);
    config_free(&b);
}

static void assert_bad(const char *text, const char *where, const char *words)
{
    FILE *stream = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    struct config config;
    struct file_error error;

    assert_non_null(stream);
    if (config_read(stream, "t.ini", &config, &error))
        fail_msg("accepted:\n%s", text);
    fclose(stream);
    assert_string_equal(error.where, where);
    assert_in(words, error.report.text);
}

/* A key that says default is a key that is not there: every one, in a file that saving wrote. */
static void a_key_may_say_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        struct session *session = prepared(&rows[i]);
        command_of(session, rows[i].name, rows[i].value);
        char *text = saved(session), with[1000], without[1000];
        const char *line = line_of(text, &rows[i]), *rest = strchr(line, '\n') + 1;
        int head = (int)(line - text), key = (int)strcspn(line, " =");
        bool is_layers = strcmp(rows[i].name, "layers") == 0; /* nothing to split without them */
        assert_true(strlen(text) + 20 < sizeof with);
        snprintf(with, sizeof with, "%.*s%.*s = default\n%s", head, text, key, line,
                 is_layers ? "" : rest);
        snprintf(without, sizeof without, "%.*s%s", head, text, is_layers ? "" : rest);
        assert_same(with, without);
        free(text);
        session_free(session);
    }
}

static void files_have_corners(void **state)
{
    (void)state;
    /* [stage N] says nothing then, neither of a list nor of one that is not there */
    assert_same("[costs]\nforward = 5\n[stage 1]\nforward = default\nbackward = 3\n",
                "[costs]\nforward = 5\n[stage 1]\nbackward = 3\n");
    assert_same("[pipeline]\nschedule = zb1p\n[stage 2]\nweight = default\n",
                "[pipeline]\nschedule = zb1p\n");
    /* what says nothing stands beside layers, before and after them */
    assert_same("[costs]\nforward = default\n[layers]\ncost = 8*1\n", "[layers]\ncost = 8*1\n");
    assert_same("[layers]\ncost = 8*1\n[costs]\nbackward = default\n", "[layers]\ncost = 8*1\n");
    assert_same("[layers]\nsplit = default\nbackward_ratio = default\n", "");
    assert_same("[scenario]\ntitle = default\n", "[scenario]\ntitle = default ; as a text\n");
    struct config config;
    read_text("[scenario]\ntitle = default\n", &config);
    assert_written(&config.scenario, PARAM_TITLE, "default");
    config_free(&config);
    assert_bad("[costs]\nforward = 1, 2, 3\n[stage 1]\nforward = default\n", "t.ini:2", "3 values");
    /* twice is twice */
    assert_bad("[pipeline]\nstages = default\nstages = 5\n", "t.ini:3", "stages");
    assert_bad("[pipeline]\nstages = 5\nstages = default\n", "t.ini:3", "stages");
    assert_bad("[pipeline]\nstages = default\nstages = default\n", "t.ini:3", "stages");
    assert_bad("[stage 1]\nforward = default\nforward = 5\n", "t.ini:3", "forward");
    assert_bad("[costs]\nforward = default,\n  2, 3, 4\n", "t.ini:2", "value 1, is 'default'");
    assert_bad("[layers]\ncost = 8*1\n[costs]\nforward = 2\n", "t.ini:4", "[layers]");
    /* nothing is where it was not said */
    assert_bad("[layers]\ncost = default\nsplit = uniform\n", "t.ini:3", "[layers] has no cost");
    assert_bad("[stage 7]\nforward = default\n", "t.ini:1", "there is no stage 7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_is_there),
        cmocka_unit_test(what_was_set_can_be_unset),
        cmocka_unit_test(what_it_means_is_said),
        cmocka_unit_test(layers_go_with_their_split),
        cmocka_unit_test(texts_are_emptied),
        cmocka_unit_test(refusals_name_it),
        cmocka_unit_test(it_completes),
        cmocka_unit_test(a_key_may_say_so),
        cmocka_unit_test(files_have_corners),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
