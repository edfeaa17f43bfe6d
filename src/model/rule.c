/* What a family can do, and what to say where it cannot.
 *
 * The core writes a rule down once, in words, with terms of P, M, V, G and L in braces. Here such a
 * term is followed by the number it comes to, and a refusal goes on with the nearest values that the
 * family accepts, found by asking it: "dualpipe: needs P even, M even and at least 2P = 16; try M=16
 * or P=2". A new family has all of this from its row. */
#include "model/resolve.h"

#include <string.h>

struct pg_problem scenario_counts(const struct scenario *scenario)
{
    static const double one = 1;

    return (struct pg_problem){
        .family = scenario->schedule,
        .devices = scenario->stages,
        .chunks = scenario->chunks,
        .micro_batches = scenario->micro_batches,
        .group = scenario->group,
        .table = scenario->table == NULL ? NULL : &scenario->table->core,
        .forward = {&one, 1},
        .backward = {&one, 1},
        .transfer = scenario->transfer,
        .fused = scenario->fused,
    };
}

bool counts_legal(const struct scenario *scenario)
{
    struct pg_problem problem = scenario_counts(scenario);
    return scenario->schedule->can(&problem);
}

bool counts_good(const struct scenario *scenario)
{
    struct pg_problem problem = scenario_counts(scenario);
    struct pg_fault fault;
    return pg_problem_check(&problem, &fault) == PG_OK;
}

/* ---- the rule in words ---- */

/* What a letter of a term stands for; 1 for any other, so that a bare number is itself. */
static int64_t letter_value(const struct pg_problem *problem, char letter)
{
    uint32_t m = problem->micro_batches, group;

    switch (letter) {
    case 'P':
        return problem->devices;
    case 'M':
        return m;
    case 'V':
        return pg_problem_chunks(problem);
    case 'G':
        return pg_problem_group(problem);
    case 'L': /* the last group's size */
        group = pg_problem_group(problem);
        return m % group == 0 ? group : m % group;
    default:
        return 1;
    }
}

/* The value of a sum such as 2P-1-G. */
static int64_t term_value(const struct pg_problem *problem, const char *term, size_t length)
{
    int64_t sum = 0, sign = 1;

    for (size_t i = 0; i < length;) {
        if (term[i] == '+' || term[i] == '-')
            sign = term[i++] == '-' ? -1 : 1;
        int64_t factor = 0;
        bool has_factor = false;
        for (; i < length && term[i] >= '0' && term[i] <= '9'; i++) {
            factor = factor * 10 + (term[i] - '0');
            has_factor = true;
        }
        bool has_letter = i < length && term[i] != '+' && term[i] != '-';
        sum += sign * (has_factor ? factor : 1) *
               (has_letter ? letter_value(problem, term[i]) : 1);
        i += has_letter;
    }
    return sum;
}

void rule_words(const struct pg_family *family, const struct pg_problem *problem, struct text *out)
{
    const char *at = family->rule;

    while (*at != '\0') {
        size_t plain = strcspn(at, "{");
        text_addf(out, "%.*s", (int)plain, at);
        at += plain;
        if (*at == '\0')
            return;
        size_t length = strcspn(++at, "}");
        text_addf(out, "%.*s", (int)length, at);
        if (problem != NULL)
            text_addf(out, " = %lld", (long long)term_value(problem, at, length));
        at += length + (at[length] == '}');
    }
}

/* ---- the nearest values ---- */

/* What can be tried, one at a time. */
enum trial { TRY_MICRO_BATCHES, TRY_STAGES, TRY_CHUNKS, TRY_GROUP, TRIALS };

static const char *const trial_names[TRIALS] = {"M", "P", "V", "group"};

static bool can_try(const struct pg_problem *problem, enum trial trial)
{
    return trial == TRY_CHUNKS  ? problem->family->fixed_chunks == 0
           : trial == TRY_GROUP ? problem->family->has_group
                                : true;
}

static bool is_possible(const struct pg_problem *problem, enum trial trial, uint32_t value)
{
    struct pg_problem probe = *problem;
    static const uint32_t most[TRIALS] = {PG_MAX_MICRO_BATCHES, PG_MAX_DEVICES, PG_MAX_CHUNKS,
                                          PG_MAX_MICRO_BATCHES};

    if (value < 1 || value > most[trial])
        return false;
    *(trial == TRY_MICRO_BATCHES ? &probe.micro_batches
      : trial == TRY_STAGES      ? &probe.devices
      : trial == TRY_CHUNKS      ? &probe.chunks
                                 : &probe.group) = value;
    return problem->family->can(&probe) && pg_problem_ops(&probe) <= PG_MAX_OPS;
}

static uint32_t present(const struct pg_problem *problem, enum trial trial)
{
    return trial == TRY_MICRO_BATCHES ? problem->micro_batches
           : trial == TRY_STAGES      ? problem->devices
           : trial == TRY_CHUNKS      ? problem->chunks
                                      : pg_problem_group(problem);
}

/* How far away it is looked for; beyond the most operations there is no need to. */
static uint32_t reach_of(const struct pg_problem *problem, enum trial trial)
{
    struct pg_problem least = *problem;
    uint32_t from = present(problem, trial), reach = 2 * PG_MAX_DEVICES;

    if (trial != TRY_MICRO_BATCHES)
        return reach;
    least.micro_batches = 1;
    double most = PG_MAX_OPS / pg_problem_ops(&least), above = most > from ? most - from : 0;
    return above < reach && from < reach ? (uint32_t)(above > from ? above : from) : reach;
}

/* The nearest value that is possible, of two the larger; 0 when there is none in reach. */
static uint32_t nearest(const struct pg_problem *problem, enum trial trial)
{
    uint32_t from = present(problem, trial), reach = reach_of(problem, trial);

    for (uint32_t away = 1; away <= reach; away++) {
        if (is_possible(problem, trial, from + away))
            return from + away;
        if (from > away && is_possible(problem, trial, from - away))
            return from - away;
    }
    return 0;
}

/* Where no value alone is enough: the nearest P that some M goes with, and that M. */
static void write_nearest_both(const struct pg_problem *problem, struct text *out)
{
    struct pg_problem probe = *problem;

    for (uint32_t away = 1; away < PG_MAX_DEVICES; away++)
        for (int side = 0; side < 2; side++) {
            if (side == 1 && problem->devices <= away)
                continue;
            probe.devices = side == 0 ? problem->devices + away : problem->devices - away;
            uint32_t m = probe.devices > PG_MAX_DEVICES ? 0 : nearest(&probe, TRY_MICRO_BATCHES);
            if (m == 0)
                continue;
            text_addf(out, "; try P=%u and M=%u", probe.devices, m);
            return;
        }
}

static void write_nearest(const struct pg_problem *problem, struct text *out)
{
    char found[TRIALS][32];
    int count = 0;

    for (enum trial trial = 0; trial < TRIALS; trial++) {
        uint32_t value = can_try(problem, trial) ? nearest(problem, trial) : 0;
        struct text text;
        if (value == 0)
            continue;
        text_init(&text, found[count], sizeof found[count]);
        text_addf(&text, "%s=%u", trial_names[trial], value);
        count++;
    }
    for (int i = 0; i < count; i++)
        text_addf(out, "%s%s", i == 0 ? "; try " : i + 1 < count ? ", " : " or ", found[i]);
    if (count == 0)
        write_nearest_both(problem, out);
}

void rule_write(const struct scenario *scenario, bool with_nearest, struct text *out)
{
    struct pg_problem problem = scenario_counts(scenario);

    text_addf(out, "%s: needs ", scenario->schedule->name);
    rule_words(scenario->schedule, &problem, out);
    if (with_nearest)
        write_nearest(&problem, out);
}

/* ---- the parameter to blame ---- */

/* Least is what counts, and a group least of all: P, M and V are what one wants to look at. */
enum param rule_culprit(const struct scenario *scenario, const bool given[PARAM_COUNT])
{
    static const enum param params[TRIALS] = {PARAM_MICRO_BATCHES, PARAM_STAGES, PARAM_CHUNKS,
                                              PARAM_GROUP};
    struct pg_problem problem = scenario_counts(scenario);
    enum param culprit = PARAM_COUNT;
    double least = 0;
    bool is_alone = false;

    for (enum trial trial = 0; trial < TRIALS; trial++) {
        uint32_t value = can_try(&problem, trial) ? nearest(&problem, trial) : 0;
        if (value == 0)
            continue;
        is_alone = true;
        double factor = (double)value / present(&problem, trial);
        factor = trial == TRY_GROUP ? 1 : factor < 1 ? 1 / factor : factor;
        if (!given[params[trial]] || (culprit != PARAM_COUNT && factor >= least))
            continue;
        culprit = params[trial];
        least = factor;
    }
    if (culprit != PARAM_COUNT)
        return culprit;
    if (!is_alone && (given[PARAM_STAGES] || given[PARAM_MICRO_BATCHES]))
        return given[PARAM_STAGES] ? PARAM_STAGES : PARAM_MICRO_BATCHES;
    return given[PARAM_SCHEDULE] ? PARAM_SCHEDULE : PARAM_COUNT;
}
