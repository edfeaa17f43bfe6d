/* What unit tests of the model do over and over: see driver.h. */
#include "driver.h"

#include "core/internal.h"
#include "model/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- assertions ---- */

void near_or_fail(double actual, double expected, const char *file, int line)
{
    if (fabs(actual - expected) <= 1e-12 * fabs(expected))
        return;
    print_error("%.17g is not near %.17g\n", actual, expected);
    _fail(file, line);
}

void in_or_fail(const char *part, const char *whole, const char *file, int line)
{
    if (strstr(whole, part) != NULL)
        return;
    print_error("no '%s' in '%s'\n", part, whole);
    _fail(file, line);
}

void assert_verified(const struct pg_plan *plan)
{
    size_t size = pg_verify_size(plan);
    void *block = malloc(size);
    struct pg_arena arena;
    struct pg_fault fault;

    assert_non_null(block);
    pg_arena_init(&arena, block, size);
    assert_int_equal(pg_plan_verify(plan, &arena, &fault), PG_OK);
    free(block);
}

/* ---- scenarios ---- */

struct scenario fresh_scenario(void)
{
    struct scenario scenario;

    assert_true(scenario_init(&scenario));
    return scenario;
}

struct scenario scenario_with(const char *const *settings)
{
    struct scenario scenario = fresh_scenario();

    for (; *settings != NULL; settings += 2)
        set(&scenario,
            strcmp(settings[0], "layers") == 0 ? PARAM_LAYERS : param_find(settings[0]),
            settings[1]);
    return scenario;
}

void set(struct scenario *scenario, enum param param, const char *value)
{
    struct report report;

    assert_true(param < PARAM_COUNT);
    if (!scenario_set(scenario, param, value, &report))
        fail_msg("%s = '%s' was refused: %s", param_info(param)->key, value, report.text);
}

void set_count(struct scenario *scenario, enum param param, uint32_t count)
{
    char value[16];
    struct text text;

    text_init(&text, value, sizeof value);
    text_addf(&text, "%u", count);
    set(scenario, param, value);
}

char *written(const struct scenario *scenario, enum param param)
{
    size_t size = scenario_write_size(scenario, param);
    char *buffer = malloc(size);
    struct text text;

    assert_non_null(buffer);
    text_init(&text, buffer, size);
    scenario_write(scenario, param, &text);
    assert_false(text.is_cut);
    return buffer;
}

void assert_written(const struct scenario *scenario, enum param param, const char *expected)
{
    char *text = written(scenario, param);

    assert_string_equal(text, expected);
    free(text);
}

void emit_there_and_back(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    uint32_t slots = pg_problem_chunks(problem);

    (void)device;
    for (uint32_t slot = 0; slot < slots; slot++)
        for (uint32_t m = 0; m < problem->micro_batches; m++)
            put(out, PG_FORWARD, slot, m);
    for (uint32_t slot = slots; slot-- > 0;)
        for (uint32_t m = problem->micro_batches; m-- > 0;)
            put(out, PG_BACKWARD, slot, m);
}

bool can_any(const struct pg_problem *problem)
{
    (void)problem;
    return true;
}

/* ---- sessions ---- */

/* A character as a key; the text goes on behind it. */
static void take_character(const char **text, char *key)
{
    const char *from = *text;

    text_decode(text);
    memcpy(key, from, (size_t)(*text - from));
    key[*text - from] = '\0';
    if (strcmp(key, " ") == 0)
        strcpy(key, "Space");
}

bool next_key(struct keys *keys)
{
    if (keys->is_typing && *keys->at == '>') {
        keys->is_typing = false;
        keys->at++;
    }
    if (!keys->is_typing) {
        keys->at += strspn(keys->at, " ");
        if (keys->at[0] == '<' && keys->at[1] != ' ' && keys->at[1] != '\0') {
            keys->is_typing = true;
            keys->at++;
        }
    }
    if (*keys->at == '\0') {
        assert_false(keys->is_typing);
        return false;
    }
    if (keys->is_typing) {
        take_character(&keys->at, keys->key);
        return true;
    }
    size_t length = strcspn(keys->at, " ");
    assert_true(length < sizeof keys->key);
    memcpy(keys->key, keys->at, length);
    keys->key[length] = '\0';
    keys->at += length;
    return true;
}

struct session *session_after(const char *keys)
{
    struct session *session = session_make();

    assert_non_null(session);
    press(session, keys);
    return session;
}

void press(struct session *session, const char *keys)
{
    for (struct keys at = {.at = keys}; next_key(&at);)
        session_key(session, at.key);
}

void type(struct session *session, const char *text)
{
    char key[8];

    while (*text != '\0') {
        take_character(&text, key);
        session_key(session, key);
    }
}

void command(struct session *session, const char *line)
{
    session_key(session, ":");
    type(session, line);
    session_key(session, "Enter");
}

struct snapshot look(struct session *session)
{
    struct snapshot snapshot;

    session_snapshot(session, &snapshot);
    return snapshot;
}

void load(struct session *session, struct scenario scenario, struct origin origin)
{
    struct refusal refusal;

    if (!session_load(session, &scenario, &origin, &refusal))
        fail_msg("%s was refused: %s", origin.name, refusal.report.text);
    scenario_free(&scenario);
}

struct origin from_file(const char *path)
{
    return (struct origin){path == NULL ? "" : path, path, false};
}

void assert_request(struct session *session, enum request_kind kind)
{
    assert_int_equal(session_take_request(session).kind, kind);
    assert_int_equal(session_take_request(session).kind, REQUEST_NONE);
}

/* ---- chance and work ---- */

uint64_t roll_bits(uint64_t *dice)
{
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    return *dice * 0x2545f4914f6cdd1du;
}

uint32_t roll(uint64_t *dice, uint32_t sides)
{
    return (uint32_t)(roll_bits(dice) >> 33) % sides;
}

uint32_t rounds(uint32_t many)
{
    const char *preload = getenv("LD_PRELOAD");
    return preload != NULL && strstr(preload, "vgpreload") != NULL ? many / 50 : many;
}

void run_batch(struct batch *batch)
{
    struct outcome scratch = {.block = NULL};

    while (batch != NULL && batch_run_next(batch, &scratch))
        ;
    outcome_free(&scratch);
}
