/* Every row of scenario.def, from text and back: what its kind accepts, what it refuses and with
 * which words, and that nothing else changes on the way. A new row of a known kind is tested by
 * being there. */
#include "driver.h"
#include "model/resolve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

/* Refused, with a sentence that has `words` in it, and nothing changed. */
static void assert_refused(struct scenario *scenario, enum param param, const char *value,
                           const char *words)
{
    struct report report = {.text = ""};
    struct scenario before = {.stages = 0};

    scenario_copy(&before, scenario);
    double number;
    const char *comma = strrchr(value, ',');
    bool is_zero = number_parse(comma == NULL ? value : comma + 1, &number) && number == 0;
    if (is_zero && param_info(param)->kind == PARAM_KIND_COSTS && param_allows(param, 0)) {
        scenario_free(&before);
        return; /* what may stay of an activation may be nothing */
    }
    if (scenario_set(scenario, param, value, &report))
        fail_msg("%s = '%s' was accepted", param_info(param)->key, value);
    if (strstr(report.text, words) == NULL)
        fail_msg("%s = '%s': '%s' lacks '%s'", param_info(param)->key, value, report.text, words);
    for (const char *at = report.text; *at != '\0';)
        assert_false(text_is_control(text_decode(&at)));
    assert_true(scenario_equal(&before, scenario));
    scenario_free(&before);
}

static int make(void **state)
{
    static struct scenario scenario;

    *state = &scenario;
    return scenario_init(&scenario) ? 0 : -1;
}

static int drop(void **state)
{
    scenario_free(*state);
    return 0;
}

/* ---- the table ---- */

static void rows_are_whole_and_distinct(void **state)
{
    (void)state;
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        const struct param_info *info = param_info(p);
        assert_true(info->section[0] != '\0' && info->key[0] != '\0');
        assert_true(info->help[0] != '\0' && info->metavar[0] != '\0');
        assert_true(info->least <= info->most);
        for (enum param q = 0; q < p; q++) {
            const struct param_info *other = param_info(q);
            assert_false(strcmp(info->section, other->section) == 0 &&
                         strcmp(info->key, other->key) == 0);
            assert_false(info->letter != 0 && info->letter == other->letter);
            assert_false(info->option[0] != '\0' && strcmp(info->option, other->option) == 0);
        }
    }
}

static void rows_are_found_by_every_name(void **state)
{
    (void)state;
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        const struct param_info *info = param_info(p);
        char letter[] = {info->letter, '\0'};
        if (p != PARAM_LAYERS) /* its key, cost, says nothing outside of its section */
            assert_int_equal(param_find(info->key), p);
        if (info->option[0] != '\0')
            assert_int_equal(param_find(info->option), p);
        if (info->letter != 0)
            assert_int_equal(param_find(letter), p);
    }
    assert_int_equal(param_find(""), PARAM_COUNT);
    assert_int_equal(param_find("cost"), PARAM_COUNT);
    assert_int_equal(param_find("no such"), PARAM_COUNT);
    assert_int_equal(param_find("STAGES"), PARAM_COUNT);
}

static void a_fresh_scenario_is_what_the_table_says(void **state)
{
    const struct scenario *fresh = *state;
    struct scenario other;

    assert_true(scenario_init(&other));
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        const char *fallback = param_info(p)->fallback;
        assert_true(scenario_is_default(fresh, p));
        assert_written(fresh, p, fallback);
        if (fallback[0] != '\0' || param_info(p)->kind == PARAM_KIND_TEXT)
            set(&other, p, fallback);
        assert_true(scenario_equal(fresh, &other));
    }
    scenario_free(&other);
    assert_int_equal(fresh->stages, 4);
    assert_int_equal(fresh->micro_batches, 8);
    assert_int_equal(fresh->chunks, 1);
    assert_string_equal(fresh->schedule->name, "gpipe");
    assert_true(fresh->forward->v[0] == 1 && fresh->backward->v[0] == 2);
}

/* ---- every row by its kind ---- */

struct samples {
    const char *const *good, *const *bad;
};

static struct samples samples_of(enum param_kind kind)
{
    static const char *const schedules[] = {"1f1b", "gpipe", NULL};
    static const char *const no_schedules[] = {"GPipe",      "gpipe ",  "x",
                                               "1f1b,gpipe", "\033[1m", NULL};
    static const char *const no_counts[] = {"-1",  "+-1", "1.5", "x",   " 3",   "3 ",   "0x3",
                                            "nan", "3,4", "1e",  "inf", "1e99", "3\n4", NULL};
    static const char *const no_numbers[] = {"-1",  "x",  " 1",  "1 ",    "0x1",  "nan", "inf",
                                             "1,2", "1e", "1/2", "1e999", "1\n2", "--1", NULL};
    static const char *const costs[] = {"3",         "0.5, 1.5",  "1,2,3,4", "1e-300, 1e300",
                                        " 7\t,\t8 ", "1,\n2,\n3", NULL};
    static const char *const no_costs[] = {"0",     "-1",  "1,0",   "1,",   ",1",  "1,,2",
                                           ",",     "1 2", "1;2",   "2*3",  "1/2", "nan",
                                           "1,inf", "1,x", "1e301", "1\n2", NULL};
    static const char *const layers[] = {
        "0", "1,2,3", "0.2, 80*4.2/8.4, 4.8/9.6", "5*1, 1*7", "3*0/0", "1/ 2", " 2 * 3 / 4 ", NULL};
    static const char *const no_layers[] = {
        "-1",   "1,",    ",", "1/",   "/1",   "1/2/3", "0*1",   "*1",    "2*", "2*3*4",
        "-1*2", "1.5*2", "x", "1/-2", "-1/2", "nan",   "1e301", "1/inf", NULL};
    static const char *const splits[] = {"uniform", "1,2,3", "7,14*8,7", "1", "65536", NULL};
    static const char *const no_splits[] = {"Balanced", "balanced,1", "0",     "1,0", "-1", "1.5",
                                            "1,",       "2*0",        "65537", "0*3", "*",  NULL};
    static const char *const holds[] = {"model", "stage", NULL};
    static const char *const no_holds[] = {"Model", "models", "x", NULL};
    static const char *const texts[] = {"A title",     "#1",    "a;b", "50% = half",
                                        "ümläut 漢字", "a # b", NULL};
    static const char *const no_texts[] = {"a ; b", ";a", "a\t;b", " ;", NULL};
    static const char *const none[] = {NULL};
    switch (kind) {
    case PARAM_KIND_SCHEDULE:
        return (struct samples){schedules, no_schedules};
    case PARAM_KIND_COUNT:
        return (struct samples){none, no_counts};
    case PARAM_KIND_NUMBER:
        return (struct samples){none, no_numbers};
    case PARAM_KIND_COSTS:
        return (struct samples){costs, no_costs};
    case PARAM_KIND_LAYERS:
        return (struct samples){layers, no_layers};
    case PARAM_KIND_SPLIT:
        return (struct samples){splits, no_splits};
    case PARAM_KIND_HOLD:
        return (struct samples){holds, no_holds};
    case PARAM_KIND_TEXT:
        return (struct samples){texts, no_texts};
    }
    fail_msg("kind %d has no samples", kind);
    return (struct samples){none, none};
}

/* Accepted, and what is written sets another scenario to the very same. */
static void assert_round_trip(enum param param, const char *value)
{
    struct scenario scenario, other;

    assert_true(scenario_init(&scenario) && scenario_init(&other));
    set(&scenario, param, value);
    char *first = written(&scenario, param);
    set(&other, param, first);
    assert_written(&other, param, first);
    if (!scenario_equal(&scenario, &other))
        fail_msg("%s = '%s' came back different from '%s'", param_info(param)->key, value, first);
    free(first);
    scenario_free(&scenario);
    scenario_free(&other);
}

static void good_values_come_back(void **state)
{
    (void)state;
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        if (p == PARAM_NOTES) /* a line of its own cannot begin with '#' */
            continue;
        for (const char *const *value = samples_of(param_info(p)->kind).good; *value != NULL;
             value++)
            assert_round_trip(p, *value);
    }
}

static void bad_values_are_refused(void **state)
{
    struct scenario *scenario = *state;

    for (enum param p = 0; p < PARAM_COUNT; p++) {
        const struct param_info *info = param_info(p);
        for (const char *const *value = samples_of(info->kind).bad; *value != NULL; value++)
            assert_refused(scenario, p, *value, "is '");
        if (info->kind != PARAM_KIND_TEXT)
            assert_refused(scenario, p, "", "a value is needed");
    }
}

static void a_number_is_held_to_its_bounds(void **state)
{
    struct scenario *scenario = *state;

    for (enum param p = 0; p < PARAM_COUNT; p++) {
        const struct param_info *info = param_info(p);
        bool is_count = info->kind == PARAM_KIND_COUNT;
        char value[TEXT_NUMBER_SIZE];
        if (!is_count && info->kind != PARAM_KIND_NUMBER && info->kind != PARAM_KIND_COSTS)
            continue;
        assert_round_trip(p, number_write(value, info->most));
        number_write(value, is_count ? info->most + 1 : nextafter(info->most, INFINITY));
        assert_refused(scenario, p, value, value);
        number_write(value, info->least);
        if (info->is_least_excluded)
            assert_refused(scenario, p, value, "more than ");
        else
            assert_round_trip(p, value);
        if (info->is_least_excluded)
            assert_round_trip(p, number_write(value, nextafter(info->least, INFINITY)));
        else if (is_count && info->least > 0)
            assert_refused(scenario, p, number_write(value, info->least - 1), "at least ");
        else if (!is_count)
            assert_refused(scenario, p, number_write(value, nextafter(info->least, -INFINITY)),
                           info->least > 0 ? "at least " : "0 or more");
    }
}

/* A scenario differs from another in any one parameter. */
static void equality_misses_nothing(void **state)
{
    const struct scenario *fresh = *state;

    for (enum param p = 0; p < PARAM_COUNT; p++) {
        const struct param_info *info = param_info(p);
        struct scenario other;
        char most[TEXT_NUMBER_SIZE];
        bool is_number = info->kind == PARAM_KIND_COUNT || info->kind == PARAM_KIND_NUMBER;
        assert_true(scenario_init(&other));
        set(&other, p, is_number ? number_write(most, info->most) : samples_of(info->kind).good[0]);
        assert_false(scenario_equal(fresh, &other));
        assert_false(scenario_is_default(&other, p));
        for (enum param q = 0; q < PARAM_COUNT; q++)
            if (q != p)
                assert_true(scenario_is_default(&other, q));
        scenario_free(&other);
    }
}

/* ---- kinds of their own ---- */

static void whole_numbers_have_many_spellings(void **state)
{
    struct scenario *scenario = *state;

    set(scenario, PARAM_MICRO_BATCHES, "1e3");
    assert_int_equal(scenario->micro_batches, 1000);
    set(scenario, PARAM_MICRO_BATCHES, "016");
    assert_int_equal(scenario->micro_batches, 16);
    set(scenario, PARAM_MICRO_BATCHES, "1e6");
    assert_written(scenario, PARAM_MICRO_BATCHES, "1000000");
    assert_refused(scenario, PARAM_MICRO_BATCHES, "1000001", "at most 1000000");
    assert_refused(scenario, PARAM_MICRO_BATCHES, "18446744073709551617", "at most 1000000");
    assert_refused(scenario, PARAM_MICRO_BATCHES, "2.5", "a whole number");
    assert_refused(scenario, PARAM_STAGES, "4097", "stages is '4097'");
    assert_refused(scenario, PARAM_CHUNKS, "0", "at least 1 and at most 64");
    set(scenario, PARAM_TRANSFER, "-0");
    assert_written(scenario, PARAM_TRANSFER, "0");
}

static void a_list_says_which_value_is_wrong(void **state)
{
    struct scenario *scenario = *state;
    char costs[4 * 4096 + 8] = "";

    assert_refused(scenario, PARAM_FORWARD, "1, 2, x, 4", "forward, value 3, is 'x'");
    assert_refused(scenario, PARAM_FORWARD, "x", "forward is 'x'");
    assert_refused(scenario, PARAM_BACKWARD, "1,", "backward, value 2, is ''");
    assert_refused(scenario, PARAM_LAYERS, "1, 2*3, 4//5", "value 3, is '4//5'");
    for (int i = 0; i < 4096; i++)
        strcat(costs + 4 * (size_t)i, i < 4095 ? "1.5," : "oops");
    assert_refused(scenario, PARAM_FORWARD, costs, "value 4096, is 'oops'");
    memcpy(costs + 4 * 4095, "2.5", 4);
    set(scenario, PARAM_FORWARD, costs);
    assert_int_equal(scenario->forward->n, 4096);
    assert_true(scenario->forward->v[4095] == 2.5 && scenario->forward->v[4094] == 1.5);
    /* A value longer than any number, and one that is all blanks. */
    memset(costs, '1', 1000);
    costs[1000] = '\0';
    assert_refused(scenario, PARAM_FORWARD, costs, "…'");
    assert_refused(scenario, PARAM_FORWARD, "1, , 2", "value 2, is ''");
}

static void equal_costs_are_written_as_one(void **state)
{
    struct scenario *scenario = *state;

    set(scenario, PARAM_FORWARD, "1.5, 1.5, 1.5, 1.5");
    assert_written(scenario, PARAM_FORWARD, "1.5");
    set(scenario, PARAM_FORWARD, "1.5, 1.5, 1.5, 2");
    assert_written(scenario, PARAM_FORWARD, "1.5, 1.5, 1.5, 2");
    /* Five of four devices are no costs of a device: the check must still see that. */
    set(scenario, PARAM_FORWARD, "1,1,1,1,1");
    assert_written(scenario, PARAM_FORWARD, "1, 1, 1, 1, 1");
}

static void random_lists_come_back_bit_for_bit(void **state)
{
    struct scenario *scenario = *state;
    uint64_t dice = 5;

    for (int round = 0; round < 300; round++) {
        char value[40 * TEXT_NUMBER_SIZE], number[TEXT_NUMBER_SIZE];
        struct text text;
        double expected[40];
        uint32_t n = 2 + (uint32_t)(roll_bits(&dice) % 38);
        text_init(&text, value, sizeof value);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t bits = roll_bits(&dice) >> 1;
            memcpy(&expected[i], &bits, sizeof bits);
            if (!(expected[i] > 0 && expected[i] <= 1e300))
                expected[i] = ldexp((double)(1 + bits % 1000), -(int)(bits % 20));
            text_addf(&text, "%s%s", i > 0 ? "," : "", number_write(number, expected[i]));
        }
        assert_false(text.is_cut);
        for (enum param p = 0; p < PARAM_COUNT; p++) {
            struct list **field = scenario_costs(scenario, p);
            assert_int_equal(field != NULL, param_info(p)->kind == PARAM_KIND_COSTS);
            if (field == NULL)
                continue;
            assert_round_trip(p, value);
            set(scenario, p, value);
            assert_int_equal((*field)->n, n);
            assert_memory_equal((*field)->v, expected, n * sizeof expected[0]);
        }
    }
}

static void layers_repeat(void **state)
{
    struct scenario *scenario = *state;

    set(scenario, PARAM_LAYERS, "0.2, 80*4.2/8.4, 4.8/9.6");
    assert_int_equal(layer_count(scenario), 82);
    assert_true(scenario->layers->v[0] == 0.2 && isnan(scenario->layers->v[1]));
    assert_true(scenario->layers->v[2] == 4.2 && scenario->layers->v[3] == 8.4);
    assert_true(scenario->layers->v[160] == 4.2 && scenario->layers->v[161] == 8.4);
    assert_true(scenario->layers->v[162] == 4.8 && scenario->layers->v[163] == 9.6);
    assert_written(scenario, PARAM_LAYERS, "0.2, 80*4.2/8.4, 4.8/9.6");
    set(scenario, PARAM_LAYERS, "1,1,1,1/1,2,2");
    assert_written(scenario, PARAM_LAYERS, "3*1, 1/1, 2*2");
    set(scenario, PARAM_LAYERS, "65536*1");
    assert_int_equal(layer_count(scenario), 65536);
    assert_refused(scenario, PARAM_LAYERS, "65537*1", "65536");
    assert_refused(scenario, PARAM_LAYERS, "65536*1, 2", "65536");
    assert_refused(scenario, PARAM_LAYERS, "2, 65536*1", "65536");
    assert_refused(scenario, PARAM_LAYERS, "18446744073709551615*1", "65536");
    assert_refused(scenario, PARAM_LAYERS, "4294967297*1", "65536");
    assert_int_equal(layer_count(scenario), 65536);
}

static void splits_repeat(void **state)
{
    struct scenario *scenario = *state;

    set(scenario, PARAM_SPLIT, "7, 14*8, 7");
    assert_int_equal(scenario->split, SPLIT_GIVEN);
    assert_int_equal(scenario->counts->n, 16);
    assert_true(scenario->counts->v[0] == 7 && scenario->counts->v[14] == 8);
    assert_written(scenario, PARAM_SPLIT, "7, 14*8, 7");
    assert_refused(scenario, PARAM_SPLIT, "65536*1, 1", "split is");
    assert_refused(scenario, PARAM_SPLIT, "4294967296*1", "split is");
    set(scenario, PARAM_SPLIT, "uniform");
    assert_null(scenario->counts);
    set(scenario, PARAM_SPLIT, "1,2");
    set(scenario, PARAM_SPLIT, "balanced");
    assert_null(scenario->counts);
    assert_true(scenario_is_default(scenario, PARAM_SPLIT));
}

static void a_wrong_schedule_names_the_right_ones(void **state)
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    char words[100];

    snprintf(words, sizeof words, "schedules are %s, %s", families[0].name, families[1].name);
    assert_refused(*state, PARAM_SCHEDULE, "x", words);
    for (uint32_t i = 0; i < count; i++) {
        set(*state, PARAM_SCHEDULE, families[i].name);
        assert_refused(*state, PARAM_SCHEDULE, "x", families[i].name);
    }
}

/* ---- texts ---- */

static void texts_are_made_fit_for_screen_and_file(void **state)
{
    static const struct {
        const char *given, *kept;
    } cases[] = {
        {"  spaced \t", "spaced"},
        {"\033[31mred", "\xef\xbf\xbd[31mred"},
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b"},
        {"a\rb", "a\xef\xbf\xbd"
                 "b"},
        {"   ", ""},
        {"", ""},
        {"[draft] #1 = a:b", "[draft] #1 = a:b"},
    };
    struct scenario *scenario = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set(scenario, PARAM_TITLE, cases[i].given);
        assert_string_equal(string_text(scenario->title), cases[i].kept);
        assert_written(scenario, PARAM_TITLE, cases[i].kept);
    }
    assert_refused(scenario, PARAM_TITLE, "two\nlines", "one line");
    assert_refused(scenario, PARAM_TIME, "ms ; s", "begins a comment");
}

static void notes_have_lines(void **state)
{
    struct scenario *scenario = *state;

    set(scenario, PARAM_NOTES, "\n  First. \r\n\n\t\n  Second;x\n\n\n");
    assert_string_equal(string_text(scenario->notes), "First.\n\n\nSecond;x");
    assert_round_trip(PARAM_NOTES, string_text(scenario->notes));
    assert_refused(scenario, PARAM_NOTES, "a\n; b", "';'");
    assert_refused(scenario, PARAM_NOTES, "a\n  # b", "'#'");
    assert_refused(scenario, PARAM_NOTES, "a\n[costs]", "'['");
    assert_refused(scenario, PARAM_NOTES, "[costs]", "'['");
    assert_refused(scenario, PARAM_NOTES, "a\nb ; c", "begins a comment");
}

/* No longer than what a line of a file can hold, and that counts what replacing makes of it. */
static void a_line_of_text_has_an_end(void **state)
{
    static char value[65600];
    const size_t most = 65536 - 8;

    memset(value, 'x', sizeof value);
    value[most] = '\0';
    set(*state, PARAM_TITLE, value);
    assert_int_equal(strlen(string_text(((struct scenario *)*state)->title)), most);
    value[most] = 'x';
    value[most + 1] = '\0';
    assert_refused(*state, PARAM_TITLE, value, "at most 65528 bytes");
    value[30000] = '\n';
    set(*state, PARAM_NOTES, value);
    memset(value, 0xff, 30000);
    value[30000] = '\0';
    assert_refused(*state, PARAM_TITLE, value, "at most 65528 bytes");
}

/* ---- sharing ---- */

static void copies_do_not_see_each_other(void **state)
{
    struct scenario *scenario = *state, copies[50] = {{.stages = 0}};
    char value[40];

    set(scenario, PARAM_TITLE, "first");
    set(scenario, PARAM_FORWARD, "1,2,3,4");
    set(scenario, PARAM_LAYERS, "8*1");
    set(scenario, PARAM_SPLIT, "2,2,2,2");
    for (int i = 0; i < 50; i++) {
        scenario_copy(&copies[i], i == 0 ? scenario : &copies[i - 1]);
        snprintf(value, sizeof value, "1,2,3,%d", i + 5);
        set(&copies[i], PARAM_FORWARD, value);
        set(&copies[i], PARAM_SPLIT, value);
        set(&copies[i], PARAM_TITLE, value);
        scenario_copy(&copies[i], &copies[i]);
    }
    for (int i = 0; i < 50; i++) {
        snprintf(value, sizeof value, "1,2,3,%d", i + 5);
        assert_string_equal(string_text(copies[i].title), value);
        assert_true(copies[i].forward->v[3] == i + 5 && copies[i].counts->v[3] == i + 5);
        assert_ptr_equal(copies[i].layers, scenario->layers);
    }
    assert_written(scenario, PARAM_FORWARD, "1, 2, 3, 4");
    assert_string_equal(string_text(scenario->title), "first");
    for (int i = 0; i < 50; i++)
        scenario_free(&copies[i]);
    scenario_free(&copies[0]); /* twice does no harm */
}

/* ---- what takes more than one parameter to judge ---- */

static void assert_unfit(const struct scenario *scenario, enum param param, const char *words)
{
    struct outcome outcome = {.block = NULL};
    struct refusal cheap, whole;

    assert_false(scenario_check(scenario, &cheap));
    assert_int_equal(cheap.param, param);
    if (strstr(cheap.report.text, words) == NULL)
        fail_msg("'%s' lacks '%s'", cheap.report.text, words);
    assert_false(outcome_run(&outcome, scenario, &whole));
    assert_string_equal(whole.report.text, cheap.report.text);
    assert_int_equal(whole.param, cheap.param);
    outcome_free(&outcome);
}

static void a_check_says_what_a_run_would(void **state)
{
    struct scenario *scenario = *state;
    struct refusal refusal;

    assert_true(scenario_check(scenario, &refusal));
    set(scenario, PARAM_FORWARD, "1,2,3");
    assert_unfit(scenario, PARAM_FORWARD, "forward has 3 values: 1 or 4");
    set(scenario, PARAM_FORWARD, "1,2,3,4");
    set(scenario, PARAM_BACKWARD, "1,2,3,4,5");
    assert_unfit(scenario, PARAM_BACKWARD, "backward has 5 values");
    set(scenario, PARAM_BACKWARD, "1e300");
    set(scenario, PARAM_MICRO_BATCHES, "1e6");
    assert_true(scenario_check(scenario, &refusal));
    set(scenario, PARAM_STAGES, "16");
    set(scenario, PARAM_FORWARD, "1");
    assert_unfit(scenario, PARAM_COUNT, "16777216");
    set(scenario, PARAM_STAGES, "4");
    set(scenario, PARAM_LAYERS, "65536*1e300");
    assert_unfit(scenario, PARAM_COUNT, "more than a number can hold");
    set(scenario, PARAM_MICRO_BATCHES, "8");
    assert_true(scenario_check(scenario, &refusal));
}

static void layers_have_to_fill_the_stages(void **state)
{
    struct scenario *scenario = *state;
    struct refusal refusal;

    set(scenario, PARAM_LAYERS, "3*1");
    assert_unfit(scenario, PARAM_LAYERS, "3 layers cannot fill 4 stages");
    set(scenario, PARAM_LAYERS, "4*1");
    assert_true(scenario_check(scenario, &refusal));
    set(scenario, PARAM_SPLIT, "1,1,1");
    assert_unfit(scenario, PARAM_SPLIT, "3 counts");
    set(scenario, PARAM_SPLIT, "1,1,1,2");
    assert_unfit(scenario, PARAM_SPLIT, "adds up to 5");
    set(scenario, PARAM_SPLIT, "4*1");
    assert_true(scenario_check(scenario, &refusal));
    set(scenario, PARAM_LAYERS, "1,1,1,0");
    assert_unfit(scenario, PARAM_FORWARD, "stage 3 is 0");
}

#define WITH_SCENARIO(test) cmocka_unit_test_setup_teardown(test, make, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole_and_distinct),
        cmocka_unit_test(rows_are_found_by_every_name),
        WITH_SCENARIO(a_fresh_scenario_is_what_the_table_says),
        cmocka_unit_test(good_values_come_back),
        WITH_SCENARIO(bad_values_are_refused),
        WITH_SCENARIO(a_number_is_held_to_its_bounds),
        WITH_SCENARIO(equality_misses_nothing),
        WITH_SCENARIO(whole_numbers_have_many_spellings),
        WITH_SCENARIO(a_list_says_which_value_is_wrong),
        WITH_SCENARIO(equal_costs_are_written_as_one),
        WITH_SCENARIO(random_lists_come_back_bit_for_bit),
        WITH_SCENARIO(layers_repeat),
        WITH_SCENARIO(splits_repeat),
        WITH_SCENARIO(a_wrong_schedule_names_the_right_ones),
        WITH_SCENARIO(texts_are_made_fit_for_screen_and_file),
        WITH_SCENARIO(notes_have_lines),
        WITH_SCENARIO(a_line_of_text_has_an_end),
        WITH_SCENARIO(copies_do_not_see_each_other),
        WITH_SCENARIO(a_check_says_what_a_run_would),
        WITH_SCENARIO(layers_have_to_fill_the_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
