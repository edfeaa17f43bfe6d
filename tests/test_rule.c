/* Refusals of counts, for every family and every P, M, V and group up to 12: what they advise is
 * done, and whatever is nearer is tried.
 *
 * The judge is a run of the core whose plan the verifier accepts. A refusal is read as a user reads
 * it: its sentence ends in "try M=16 or P=2", and the place before it names an option or a line of
 * a file. Each value it names has to be legal with nothing else changed, none nearer may be, and
 * the place has to be one whose change helps. */
#include "app/desk.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MICRO, STAGES, CHUNKS, GROUP, COUNTS };

static const char letters[COUNTS][8] = {"M", "P", "V", "group"};
static const char *const options[COUNTS] = {"--micro-batches", "--stages", "--chunks", "--group"};
static const enum param params[COUNTS] = {PARAM_MICRO_BATCHES, PARAM_STAGES, PARAM_CHUNKS,
                                          PARAM_GROUP};
static const uint32_t defaults[COUNTS] = {8, 4, 1, 0}; /* group 0: not given */

enum { MOST = 12, FAR = 48 }; /* values asked for; values looked at when none nearer may be legal */

struct counts {
    const struct pg_family *family;
    uint32_t v[COUNTS];
};

/* ---- the judge ---- */

static struct outcome outcome;

static bool runs(const struct counts *counts)
{
    static const double one = 1;
    struct pg_problem problem = {
        .family = counts->family,
        .devices = counts->v[STAGES],
        .micro_batches = counts->v[MICRO],
        .chunks = counts->v[CHUNKS],
        .group = counts->v[GROUP],
        .forward = {&one, 1},
        .backward = {&one, 1},
        .fused = 1,
    };
    struct pg_fault fault;
    struct pg_arena arena;
    struct pg_plan plan;
    static char block[1 << 22];

    pg_arena_init(&arena, block, sizeof block);
    enum pg_status status = pg_plan_build(&arena, &problem, &plan, &fault);
    assert_true(status == PG_OK || status == PG_E_RULE);
    if (status == PG_OK)
        assert_int_equal(pg_plan_verify(&plan, &arena, &fault), PG_OK);
    return status == PG_OK;
}

/* Remembered: the same counts are asked for many times. */
static bool is_legal(const struct counts *counts)
{
    static signed char known[FAR + 1][FAR + 1][MOST + 1][FAR + 1];
    static const struct pg_family *family;
    const uint32_t *v = counts->v;

    if (family != counts->family)
        memset(known, 0, sizeof known);
    family = counts->family;
    if (v[MICRO] > FAR || v[STAGES] > FAR || v[CHUNKS] > MOST || v[GROUP] > FAR)
        return runs(counts);
    signed char *at = &known[v[MICRO]][v[STAGES]][v[CHUNKS]][v[GROUP]];
    if (*at == 0)
        *at = runs(counts) ? 1 : -1;
    return *at > 0;
}

/* ---- what is said ---- */

/* The sentence and its place, as the command line has them when the options marked are given. */
static bool open_with_options(const struct counts *counts, const bool given[COUNTS],
                              struct file_error *error)
{
    struct cli cli = {.action = ACTION_RUN};
    struct opened opened;
    char digits[COUNTS][12];

    cli.values[PARAM_SCHEDULE] = counts->family->name;
    for (int i = 0; i < COUNTS; i++) {
        snprintf(digits[i], sizeof digits[i], "%u", counts->v[i]);
        if (given[i])
            cli.values[params[i]] = digits[i];
    }
    bool is_open = desk_open(&cli, NULL, &opened, &outcome, error);
    if (is_open)
        opened_free(&opened);
    return is_open;
}

/* The same of a file with all of them, each in a line of its own: M in line 3 and so on. */
static bool open_file(const struct counts *counts, struct file_error *error)
{
    static const char *const keys[COUNTS] = {"micro_batches", "stages", "chunks", "group"};
    struct config config;
    char text[300];
    int n = snprintf(text, sizeof text, "[pipeline]\nschedule = %s\n", counts->family->name);

    for (int i = 0; i < COUNTS; i++)
        if (counts->v[i] != 0)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s = %u\n", keys[i], counts->v[i]);
    FILE *stream = fmemopen(text, (size_t)n, "r");
    assert_non_null(stream);
    bool is_good = config_read(stream, "t.ini", &config, error);
    fclose(stream);
    if (is_good)
        config_free(&config);
    return is_good;
}

struct advice {
    uint32_t v[COUNTS]; /* 0: nothing */
    bool is_both;       /* all of them together */
};

static void read_advice(const char *sentence, struct advice *advice)
{
    const char *at = strstr(sentence, "; try ");

    memset(advice, 0, sizeof *advice);
    if (at == NULL)
        return;
    advice->is_both = strstr(at, " and ") != NULL;
    for (int i = 0; i < COUNTS; i++) {
        char name[COUNTS + 8];
        snprintf(name, sizeof name, " %.7s=", letters[i]);
        const char *found = strstr(at, name);
        if (found != NULL)
            advice->v[i] = (uint32_t)strtoul(found + strlen(name), NULL, 10);
    }
}

static const char *describe(const struct counts *counts, const char *sentence)
{
    static char text[700];

    snprintf(text, sizeof text, "%s P=%u M=%u V=%u group=%u: %s", counts->family->name,
             counts->v[STAGES], counts->v[MICRO], counts->v[CHUNKS], counts->v[GROUP], sentence);
    return text;
}

static bool is_legal_with(struct counts counts, int which, uint32_t value)
{
    counts.v[which] = value;
    return is_legal(&counts);
}

/* Is a value of it legal that is nearer than so far, or as near and larger? 0: none is in sight. */
static uint32_t nearest(const struct counts *counts, int which)
{
    uint32_t from = counts->v[which];
    uint32_t most = which == CHUNKS ? MOST : FAR;

    if (which == GROUP && from == 0) {
        struct pg_problem problem = {.family = counts->family,
                                     .devices = counts->v[STAGES],
                                     .micro_batches = counts->v[MICRO],
                                     .chunks = counts->v[CHUNKS]};
        from = pg_problem_group(&problem); /* what it is when it is not given */
    }
    for (uint32_t away = 1; away < most; away++) {
        if (from + away <= most && is_legal_with(*counts, which, from + away))
            return from + away;
        if (from > away && is_legal_with(*counts, which, from - away))
            return from - away;
    }
    return 0;
}

/* No count alone helps: the nearest P for which there is an M, and of those the nearest M. */
static void check_both(const struct counts *counts, const struct advice *advice, const char *what)
{
    struct counts probe = *counts;

    if (!advice->is_both || advice->v[STAGES] == 0 || advice->v[MICRO] == 0)
        fail_msg("not both: %s", what);
    for (uint32_t away = 1; away < FAR; away++)
        for (int side = 0; side < 2; side++) {
            if (side == 1 && counts->v[STAGES] <= away)
                continue;
            probe.v[STAGES] = side == 0 ? counts->v[STAGES] + away : counts->v[STAGES] - away;
            uint32_t m = is_legal(&probe) ? probe.v[MICRO] : nearest(&probe, MICRO);
            if (m == 0)
                continue;
            if (advice->v[STAGES] != probe.v[STAGES] || advice->v[MICRO] != m)
                fail_msg("P=%u and M=%u would do: %s", probe.v[STAGES], m, what);
            return;
        }
    fail_msg("nothing helps: %s", what);
}

/* Returns whether some count alone helps. */
static bool check_sentence(const struct counts *counts, const char *sentence, uint32_t best[COUNTS])
{
    struct advice advice;
    const char *what = describe(counts, sentence);
    bool is_any = false;

    read_advice(sentence, &advice);
    for (int i = 0; i < COUNTS; i++) {
        bool is_used = i < CHUNKS || (i == CHUNKS ? counts->family->fixed_chunks == 0
                                                  : counts->family->has_group);
        best[i] = is_used ? nearest(counts, i) : 0;
        is_any |= best[i] != 0;
    }
    if (!is_any) {
        check_both(counts, &advice, what);
        return false;
    }
    if (advice.is_both)
        fail_msg("one is enough: %s", what);
    for (int i = 0; i < COUNTS; i++)
        if (advice.v[i] != best[i])
            fail_msg("%s=%u is nearest: %s", letters[i], best[i], what);
    return true;
}

/* How many times it has to grow or shrink; a group, which nobody looks at, comes before all. */
static double effort(const struct counts *counts, int which, uint32_t value)
{
    double from = counts->v[which];
    return which == GROUP ? 0 : fmax(value / from, from / value);
}

/* The place is that of a count which is given and helps, with the least effort; where none does it
 * is one of the two that have to change, or the family. */
static bool is_to_blame(const struct counts *counts, const bool given[COUNTS],
                        const uint32_t best[COUNTS], bool is_alone, int blamed)
{
    bool is_any = false;

    for (int i = 0; i < COUNTS; i++)
        is_any |= given[i] && best[i] != 0;
    if (!is_any)
        return is_alone || (!given[STAGES] && !given[MICRO])
                   ? blamed == COUNTS
                   : (blamed == STAGES || blamed == MICRO) && given[blamed];
    if (blamed == COUNTS || !given[blamed] || best[blamed] == 0)
        return false;
    for (int i = 0; i < COUNTS; i++)
        if (given[i] && best[i] != 0 &&
            effort(counts, i, best[i]) < effort(counts, blamed, best[blamed]) - 1e-12)
            return false;
    return true;
}

static void check_options(const struct counts *counts, const bool given[COUNTS])
{
    struct file_error error = {.status = 0};
    uint32_t best[COUNTS];
    int blamed = 0;

    bool is_good = open_with_options(counts, given, &error);
    assert_int_equal(is_good, is_legal(counts));
    if (is_good)
        return;
    assert_int_equal(error.status, 2);
    bool is_alone = check_sentence(counts, error.report.text, best);
    while (blamed < COUNTS && strcmp(error.where, options[blamed]) != 0)
        blamed++;
    if (blamed == COUNTS)
        assert_string_equal(error.where, "--schedule");
    if (!is_to_blame(counts, given, best, is_alone, blamed))
        fail_msg("%s is not to blame: %s", error.where, describe(counts, error.report.text));
}

static void check_file(const struct counts *counts)
{
    bool given[COUNTS] = {true, true, true, counts->v[GROUP] != 0};
    struct file_error error = {.status = 0};
    uint32_t best[COUNTS];
    int line = 0;

    bool is_good = open_file(counts, &error);
    assert_int_equal(is_good, is_legal(counts));
    if (is_good)
        return;
    bool is_alone = check_sentence(counts, error.report.text, best);
    assert_int_equal(sscanf(error.where, "t.ini:%d", &line), 1);
    if (!is_to_blame(counts, given, best, is_alone, line == 2 ? COUNTS : line - 3))
        fail_msg("%s is not to blame: %s", error.where, describe(counts, error.report.text));
}

/* Given are all of them, and all but those that are what they would be anyway. */
static void check_counts(const struct counts *counts)
{
    bool all[COUNTS] = {true, true, true, counts->v[GROUP] != 0};
    bool some[COUNTS];
    bool is_less = false;

    check_options(counts, all);
    for (int i = 0; i < COUNTS; i++) {
        some[i] = counts->v[i] != defaults[i];
        is_less |= some[i] != all[i];
    }
    if (is_less)
        check_options(counts, some);
    if (!is_legal(counts))
        check_file(counts);
}

static void test_every_refusal(void **state)
{
    uint32_t families;
    const struct pg_family *family = pg_families(&families);
    /* A virtual machine that runs us fifty times slower has to do with fewer. */
    const char *preload = getenv("LD_PRELOAD");
    uint32_t most = preload != NULL && strstr(preload, "vgpreload") != NULL ? 4 : MOST;
    unsigned long refused = 0;

    (void)state;
    for (uint32_t f = 0; f < families; f++) {
        struct counts counts = {.family = &family[f]};
        uint32_t *v = counts.v;
        for (v[STAGES] = 1; v[STAGES] <= most; v[STAGES]++)
            for (v[MICRO] = 1; v[MICRO] <= most; v[MICRO]++)
                for (v[CHUNKS] = 1; v[CHUNKS] <= (family[f].fixed_chunks ? 1 : most); v[CHUNKS]++)
                    for (v[GROUP] = 0; v[GROUP] <= (family[f].has_group ? most : 0); v[GROUP]++) {
                        check_counts(&counts);
                        refused += !is_legal(&counts);
                    }
    }
    assert_true(refused > most * most);
    print_message("%lu refusals read and followed\n", refused);
    outcome_free(&outcome);
}

/* What is advised is within the limits as well: 2P = 8192 micro-batches on 4096 devices are not. */
static void test_advice_is_within_limits(void **state)
{
    static const struct {
        const char *family;
        uint32_t p, m;
    } wide[] = {{"dualpipe", 4096, 2}, {"dualpipe", 1000, 2}, {"dualpipev", 4096, 1},
                {"dualpipev", 1600, 1}, {"chimera", 4096, 1}, {"chimera", 4095, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        const bool given[COUNTS] = {true, true, false, false};
        struct counts counts = {pg_family_find(wide[i].family), {wide[i].m, wide[i].p, 1, 0}};
        struct file_error error;
        struct advice advice;
        assert_false(open_with_options(&counts, given, &error));
        read_advice(error.report.text, &advice);
        if (advice.v[MICRO] == 0 && advice.v[STAGES] == 0)
            fail_msg("no advice: %s", describe(&counts, error.report.text));
        for (int n = 0; n < 2; n++) {
            struct counts followed = counts;
            if (advice.v[n] == 0)
                continue;
            followed.v[n] = advice.v[n];
            if (advice.is_both)
                followed.v[!n] = advice.v[!n];
            if (!open_with_options(&followed, given, &error))
                fail_msg("%s: %s", describe(&counts, error.report.text), error.where);
        }
    }
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_refusal),
        cmocka_unit_test(test_advice_is_within_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
