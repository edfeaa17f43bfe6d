/* Memory that is not there: every allocation of every command, of every kind of file, of undoing and
 * of saving fails once, and once with all that follow. Each time either all is as it was and a
 * message says why, or the whole was done nevertheless; the same key then does what it always does;
 * and at the end nothing is left allocated. */
#include "app/classroom.h"
#include "app/config_table.h"
#include "app/desk.h"
#include "app/output.h"
#include "driver.h"
#include "failing.h"
#include "model/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a session and its files ---- */

static const char plain[] = "[pipeline]\nstages = 3\nmicro_batches = 4\n";
static const char layered[] =
    "; a comment\n[scenario]\ntitle = Layers\nnotes = first\n  second\ntime = ms\n"
    "[pipeline]\nschedule = 1f1b\nstages = 3\nmicro_batches = 4\nhold = model\n"
    "[layers]\ncost = 0.2, 10*4.2/8.4,\n  4.8/9.6\nsplit = 4,4,4\n";
static const char listed[] =
    "[pipeline]\nschedule = interleaved\nstages = 2\nmicro_batches = 4\nchunks = 2\n"
    "memory_limit = 3\n[costs]\nforward = 1, 2, 3, 4\nbackward = 2, 4\nweight = 0.5\n"
    "activation = 1, 2\nweight_activation = 0.5\n[stage 1]\nforward = 2.5\n[stage 3]\nweight = 1\n";
static const char split[] =
    "[pipeline]\nschedule = zb-h1\nstages = 3\nmicro_batches = 6\n[costs]\nbackward = 2, 2, 3\n";
static const char steps[] = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n";
static const char steps_of[] =
    "[pipeline]\nschedule = file:steps.csv\n[costs]\nforward = 1, 2\nbackward = 2\n";

static const char lesson[] =
    "[lesson]\ntitle = Idle\ntext = Hatched is idle.\nquestion = How much?\n"
    "answer = 43%\n[wrong 1]\nwhen = answer > 50%\nsay = Less.\n"
    "[pipeline]\nschedule = gpipe\nstages = 4\nmicro_batches = 4\n";

static const struct {
    const char *name, *text;
} files[] = {{"plain.ini", plain},   {"layered.ini", layered},   {"listed.ini", listed},
             {"split.ini", split},   {"steps.csv", steps},       {"steps.ini", steps_of}};

enum { FILES = sizeof files / sizeof files[0] };

static char folder[64];
static char names[FILES][100];

static bool was_saved; /* into the files, maybe */

static bool write_files(void)
{
    was_saved = false;
    for (int i = 0; i < FILES; i++) {
        FILE *out = fopen(strcpy(names[i], files[i].name), "w");
        if (out == NULL || fputs(files[i].text, out) < 0 || fclose(out) != 0)
            return false;
    }
    return true;
}

/* One lesson, and nowhere to keep progress. */
static bool write_lesson(void)
{
    setenv("PIPEGANTT_ASSETS", folder, 1);
    setenv("XDG_STATE_HOME", "/nowhere", 1);
    FILE *out = mkdir("lessons", 0700) == 0 ? fopen("lessons/01-idle.ini", "w") : NULL;
    return out != NULL && fputs(lesson, out) >= 0 && fclose(out) == 0;
}

static int make_files(void **state)
{
    (void)state;
    /* Where flushing to the disk takes no time, if there is such a place. */
    strcpy(folder, "/dev/shm/test_memory.XXXXXX");
    if (mkdtemp(folder) != NULL)
        return chdir(folder) != 0 || !write_files() || !write_lesson() ? -1 : 0;
    strcpy(folder, "/tmp/test_memory.XXXXXX");
    return mkdtemp(folder) == NULL || chdir(folder) != 0 || !write_files() || !write_lesson() ? -1
                                                                                         : 0;
}

static int drop_files(void **state)
{
    (void)state;
    for (int i = 0; i < FILES; i++)
        unlink(names[i]);
    unlink("new.ini");
    unlink("lessons/01-idle.ini");
    rmdir("lessons");
    return chdir("/") != 0 || rmdir(folder) != 0 ? -1 : 0;
}

/* The program around a session, as the screen is. */
struct run {
    char *argv[FILES];
    struct cli cli;
    struct desk desk;
    struct session *session;
};

static void finish(struct run *run)
{
    session_free(run->session);
    classroom_close(&run->desk);
}

static bool begin(struct run *run, int first, int count)
{
    struct file_error error;

    *run = (struct run){.cli = {.action = ACTION_RUN, .file_count = count}};
    for (int i = 0; i < count; i++)
        run->argv[i] = names[(first + i) % FILES];
    run->cli.files = run->argv;
    run->desk.cli = &run->cli;
    run->session = session_make();
    if (run->session == NULL)
        return false;
    if (!desk_show_slide(&run->desk, run->session, 0, &error)) {
        assert_int_equal(error.status, 1);
        finish(run);
        run->session = NULL;
        return false;
    }
    session_set_view(run->session, &(struct session_view){.span = 20, .columns = 100, .lanes = 3,
                                                          .help_rows = 10, .help_lines = 30});
    return true;
}

static void serve(struct run *run)
{
    struct request request = session_take_request(run->session);

    was_saved |= request.kind == REQUEST_SAVE;
    if (request.kind >= REQUEST_SAVE)
        desk_serve(&run->desk, run->session, &request);
}

static void press_in(struct run *run, const char *keys)
{
    for (struct keys at = {.at = keys}; next_key(&at);) {
        session_key(run->session, at.key);
        serve(run);
    }
}

/* ---- what there is to see of it ---- */

static void add_scenario(FILE *out, const struct scenario *scenario)
{
    char *ini = config_text(scenario);

    assert_non_null(ini);
    fprintf(out, "%s|%s\n", ini, scenario->table == NULL ? "" : scenario->table->path);
    free(ini);
}

static void add_state(FILE *out, const struct state *state)
{
    add_scenario(out, &state->scenario);
    add_scenario(out, &state->file->saved);
    fprintf(out, "file %s %s %d refs\n", string_text(state->file->name),
            string_text(state->file->path), state->file->has_comments);
    if (state->pin != NULL)
        add_scenario(out, &state->pin->scenario);
    fprintf(out, "table %s slide %u\n", state->table == NULL ? "" : state->table->path,
            state->slide);
    fprintf(out, "selection %d %u %d %u %g\n", state->selection.is_all, state->selection.device,
            state->selection.is_gap, state->selection.index, state->aim);
    fprintf(out, "window %d %g %g\n", state->window.is_fit, state->window.start,
            state->window.span);
    fprintf(out, "baseline %g %g %g\n", state->baseline.makespan, state->baseline.bubble,
            state->baseline.peak_stash);
}

/* Everything but the message and the lines given before, as text to be freed. */
static char *describe(struct run *run)
{
    struct session *session = run->session;
    const struct outcome *outcome = session_outcome(session);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    add_state(out, &session->now);
    for (size_t i = 0; i < session->history.past_count; i++)
        add_state(out, &session->history.past[i]);
    fputs("---- future\n", out);
    for (size_t i = 0; i < session->history.future_count; i++)
        add_state(out, &session->history.future[i]);
    fprintf(out, "mode %d confirm %d count %u bubble %d path %d by place %d\n", session->mode,
            session->mode == MODE_CONFIRM ? (int)session->confirm : 0, session->count,
            session->is_bubble_view, session->shows_path, session->idle_by_place);
    fprintf(out, "outcome %g %g %g %u\n", outcome->metrics.makespan,
            outcome->metrics.bubble_fraction, outcome->metrics.peak_stash, outcome->plan.devices);
    for (uint32_t d = 0; d < outcome->plan.devices; d++)
        for (uint32_t i = 0; i < outcome->plan.run[d].count; i++)
            fprintf(out, " %g", outcome->plan.run[d].start[i]);
    if (session->mode == MODE_PROMPT)
        fprintf(out, "line %s%s %zu\n", session->line.label, session->line.text,
                session->line.cursor);
    fprintf(out, "pinned %d\n", session->now.pin != NULL);
    if (session->now.pin != NULL)
        fprintf(out, "A %g\n", session->outcomes[session->pinned].metrics.makespan);
    if (session->mode == MODE_FAMILIES)
        for (uint32_t i = 0; i < session->family_count; i++)
            fprintf(out, "%s %d %g\n", session->families[i].name,
                    session->families[i].is_possible, session->families[i].makespan);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* ---- the trial ---- */

/* Keys in a session over some files: to get somewhere, to open what asks for more (a line being
 * typed, a question, a page), and the one that does it. */
struct trial {
    int first, count; /* files */
    const char *before, *open, *key;
};

static void assert_same(const struct trial *trial, long at, const char *expected, const char *got)
{
    if (strcmp(expected, got) != 0) {
        print_message("%s, %s, %s, allocation %ld\n", trial->before, trial->open, trial->key, at);
        assert_string_equal(got, expected);
    }
}

static bool is_about_memory(const char *message)
{
    return strstr(message, "memory") != NULL || strstr(message, "Cannot allocate") != NULL;
}

/* The same trial without a failure: before, with what asks open, and done. */
struct calm {
    char *was, *asked, *done;
};

static bool is_as_before(const struct calm *calm, const char *now)
{
    return strcmp(now, calm->was) == 0 || strcmp(now, calm->asked) == 0;
}

/* Returns whether an allocation failed. */
static bool try_at(const struct trial *trial, const struct calm *calm, long at, bool is_all)
{
    struct run run;
    long live = failing_live();
    const char *expected = calm->done;

    assert_true((!was_saved || write_files()) && begin(&run, trial->first, trial->count));
    press_in(&run, trial->before);
    press_in(&run, trial->open);
    unlink("new.ini");
    failing_start(at, is_all);
    press_in(&run, trial->key);
    bool has_failed = failing_stop();
    char *now = describe(&run);
    if (strcmp(now, expected) != 0 && run.session->mode == MODE_FAMILIES) {
        bool says_so = false; /* in the rows that could not be run */
        for (uint32_t i = 0; i < run.session->family_count; i++)
            says_so |= run.session->families[i].is_short;
        assert_true(says_so);
        expected = now;
    }
    if (strcmp(now, expected) != 0) {
        const char *message = run.session->message;
        if (!is_as_before(calm, now))
            assert_same(trial, at, calm->was, now);
        if (!run.session->is_error || !is_about_memory(message))
            fail_msg("%s, allocation %ld: '%s'", trial->key, at, message);
        /* What was saved is saved, though the session could not remember under which name. */
        if (strncmp(message, "saved ", 6) != 0)
            assert_int_not_equal(access("new.ini", F_OK), 0);
        unlink("new.ini");
        if (strcmp(now, calm->was) == 0) /* there is memory again */
            press_in(&run, trial->open);
        press_in(&run, trial->key);
        free(now);
        now = describe(&run);
        assert_same(trial, at, expected, now);
    }
    free(now);
    finish(&run);
    if (failing_live() != live)
        fail_msg("%s, allocation %ld: %ld pieces are left", trial->key, at, failing_live() - live);
    return has_failed;
}

static void put_trial(const struct trial *trial)
{
    struct run run;

    assert_true((!was_saved || write_files()) && begin(&run, trial->first, trial->count));
    press_in(&run, trial->before);
    unlink("new.ini");
    struct calm calm = {.was = describe(&run)};
    press_in(&run, trial->open);
    calm.asked = describe(&run);
    press_in(&run, trial->key);
    calm.done = describe(&run);
    finish(&run);
    for (int all = 0; all < 2; all++)
        for (long at = 1; try_at(trial, &calm, at, all); at++)
            assert_true(at < 100000);
    free(calm.was);
    free(calm.asked);
    free(calm.done);
}

/* ---- the tests ---- */

static void test_every_command(void **state)
{
    static const char *const starts[] = {"", "Down Right", "P F u", "S M U", "v x",
                                          "i", "X", "d M", "M d d", "y"};
    char key[32];

    (void)state;
    for (enum command c = 0; c < COMMAND_COUNT; c++)
        for (int f = 0; f < FILES; f++)
            for (size_t b = 0; b < sizeof starts / sizeof starts[0]; b++)
                put_trial(&(struct trial){f, 2, starts[b], "",
                                          command_first_key(c, key, sizeof key)});
}

static void test_every_parameter(void **state)
{
    static const char *const values[PARAM_COUNT] = {
        [PARAM_TITLE] = "Another",     [PARAM_NOTES] = "Look here", [PARAM_TIME] = "us",
        [PARAM_SCHEDULE] = "gpipe",    [PARAM_STAGES] = "5",        [PARAM_MICRO_BATCHES] = "8",
        [PARAM_CHUNKS] = "3",          [PARAM_GROUP] = "4",         [PARAM_TRANSFER] = "0.5",
        [PARAM_FUSED] = "1.5",         [PARAM_MEMORY_LIMIT] = "2",  [PARAM_HOLD] = "model",
        [PARAM_FORWARD] = "3",         [PARAM_BACKWARD] = "4",      [PARAM_WEIGHT] = "0.25",
        [PARAM_ACTIVATION] = "2",      [PARAM_WEIGHT_ACTIVATION] = "0.5",
        [PARAM_LAYERS] = "1,4*2/3,5",  [PARAM_SPLIT] = "uniform",   [PARAM_RATIO] = "3",
    };
    char keys[100];

    (void)state;
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        assert_non_null(values[p]);
        snprintf(keys, sizeof keys, "<:%s %s>",
                 p == PARAM_LAYERS ? "layers" : param_info(p)->key, values[p]);
        for (int f = 0; f < FILES; f++)
            put_trial(&(struct trial){f, 1, "", keys, "Enter"});
    }
}

static void test_typed(void **state)
{
    static const char *const lines[][2] = {
        {"e Ctrl-U <3 4>", "Enter"}, {"e Ctrl-U <3 4 1>", "Enter"}, {"F", "y"}, {"9", "P"},
        {"<:schedule file:steps.csv>", "Enter"}, {"<:layers 100*1>", "Enter"}, {"5", "u"},
        {"<:layers default>", "Enter"}, {"<:forward default>", "Enter"},
        {"<:split 5,5,2>", "Enter"}, {"i Down", "Enter"}, {"i Right", "Right"}, {"64", "C"},
        {"X Down", "Enter"}, {"<:no such thing>", "Enter"}, {"<:st>", "Tab"}, {"<:o pl>", "Tab"}};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        for (int f = 0; f < FILES; f++) {
            put_trial(&(struct trial){f, 1, "", lines[i][0], lines[i][1]});
            put_trial(&(struct trial){f, 1, "F M Down", lines[i][0], lines[i][1]});
        }
}

static void test_files(void **state)
{
    char keys[200];

    (void)state;
    for (int f = 0; f < FILES; f++) {
        snprintf(keys, sizeof keys, "<:o %.99s>", names[f]);
        put_trial(&(struct trial){0, 1, "", keys, "Enter"});
        put_trial(&(struct trial){1, 1, "P u", keys, "Enter"});
        put_trial(&(struct trial){f, FILES, "", "", "PageDown"});
        put_trial(&(struct trial){f, FILES, "PageDown M", "", "PageUp"});
        put_trial(&(struct trial){f, 1, "M", "", "r"});
    }
}

static char *contents(const char *name)
{
    static char buffer[8192];
    FILE *in = fopen(name, "r");
    size_t count = in == NULL ? 0 : fread(buffer, 1, sizeof buffer - 1, in);

    buffer[count] = '\0';
    if (in != NULL)
        fclose(in);
    return buffer;
}

/* A file that is saved is whole, or it is not there. */
static void test_save(void **state)
{
    (void)state;
    for (int f = 0; f < FILES; f++)
        put_trial(&(struct trial){f, 1, "M", "<:w new.ini>", "Enter"});
    for (int f = 0; f < FILES; f++) {
        char *expected = NULL;
        for (long at = 0; at < 100000; at++) {
            struct run run;
            assert_true(begin(&run, f, 1));
            press_in(&run, "F");
            press_in(&run, run.session->mode == MODE_CONFIRM ? "y" : "");
            unlink("new.ini");
            failing_start(at, false);
            press_in(&run, "<:w new.ini> Enter");
            bool has_failed = failing_stop();
            finish(&run);
            if (at == 0) {
                expected = strdup(contents("new.ini"));
                assert_true(strlen(expected) > 20);
            } else if (access("new.ini", F_OK) == 0) {
                assert_string_equal(contents("new.ini"), expected);
            }
            if (at > 0 && !has_failed)
                break;
        }
        free(expected);
    }
}

/* What was bad is bad with a status that says so, or there was no memory to know. */
static void test_bad_files(void **state)
{
    static const char *const bad[] = {
        "[pipeline]\nstages = x\n", "[costs]\nforward = 1,\n  2,\n  x,\n  4\n", "junk\n",
        "[layers]\ncost = 1, 2\n[costs]\nforward = 1\n", "[stage 9]\nforward = 1\n",
        "[costs]\nforward = 1, 2, 3\n", "0F0,0Q1\n", "0F0,0B0\n1B0,1F0\n", "\"0F0\n"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bool is_over = false;
        for (long at = 0; !is_over; at++) {
            struct cli cli = {.action = ACTION_RUN};
            struct outcome outcome = {.block = NULL};
            struct opened opened;
            struct file_error error;
            FILE *out = fopen("new.ini", "w");
            assert_non_null(out);
            fputs(bad[i], out);
            fclose(out);
            long live = failing_live();
            failing_start(at, false);
            bool is_open = desk_open(&cli, "new.ini", &opened, &outcome, &error);
            is_over = !failing_stop() && at > 0;
            assert_false(is_open);
            outcome_free(&outcome);
            assert_int_equal(failing_live(), live);
            if (is_over || at == 0)
                assert_int_equal(error.status, 2);
            else if (error.status == 1)
                assert_true(is_about_memory(error.report.text));
        }
    }
}

static void test_start(void **state)
{
    (void)state;
    for (int f = 0; f < FILES; f++)
        for (int all = 0; all < 2; all++) {
            long live = failing_live();
            bool has_failed = true;
            for (long at = 1; has_failed; at++) {
                struct run run;
                failing_start(at, all);
                bool is_done = begin(&run, f, 1);
                has_failed = failing_stop();
                assert_true(is_done || has_failed);
                finish(&run);
                assert_int_equal(failing_live(), live);
            }
        }
}

/* Status 1, not 2: nothing is wrong with the option. */
static void test_options(void **state)
{
    static const char *const given[][2] = {
        {"--forward", "1,2,3,4"}, {"--layers", "30*1/2"}, {"--stages", "5"}, {"--chunks", "2"},
        {"--schedule", "zbv"},    {"--schedule", "file:steps.csv"}, {"--weight", "0.5"},
        {"--memory-limit", "4"},  {"--activation", "1,1,1,1"}};

    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        bool has_failed = true;
        for (long at = 1; has_failed; at++) {
            char option[40], value[40], *argv[] = {"pipegantt", option, value, NULL};
            struct cli cli;
            struct cli_error cli_error;
            struct file_error error;
            struct outcome outcome = {.block = NULL};
            struct opened opened;
            strcpy(option, given[i][0]);
            strcpy(value, given[i][1]);
            long live = failing_live();
            failing_start(at, false);
            assert_true(cli_parse(&cli, 3, argv, &cli_error));
            bool is_done = desk_open(&cli, NULL, &opened, &outcome, &error);
            has_failed = failing_stop();
            if (is_done)
                opened_free(&opened);
            else
                assert_int_equal(error.status, 1);
            assert_true(is_done || has_failed);
            outcome_free(&outcome);
            assert_int_equal(failing_live(), live);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),      cmocka_unit_test(test_options),
        cmocka_unit_test(test_bad_files),  cmocka_unit_test(test_files),
        cmocka_unit_test(test_save),       cmocka_unit_test(test_typed),
        cmocka_unit_test(test_every_parameter), cmocka_unit_test(test_every_command),
    };
    return cmocka_run_group_tests(tests, make_files, drop_files);
}
