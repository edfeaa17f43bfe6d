/* The values of a sweep, to and from text: see sweep.h.
 *
 *   PARAMETER = ITEM[,ITEM]... [@STAGE]     ITEM = A | A..B | A..B:STEP | A..B*FACTOR
 *
 * Values are sorted and each stands once, so that an item may say again what another one said. */
#include "model/edit.h"
#include "model/sweep.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct swept_info swepts[SWEPT_COUNT] = {
#define SWEPT(id, param, letter, symbol) {PARAM_##param, letter, symbol},
#define MEASURE(id, name, title, field, is_share, is_more_better)
#include "model/sweep.def"
#undef SWEPT
#undef MEASURE
};

const struct swept_info *swept_info(enum swept swept)
{
    return &swepts[swept];
}

#define BAD_SIZE 120

/* "'…': what is wrong". What was given is cut where it is long. */
static bool refuse(struct report *report, const char *given, const char *what)
{
    struct text text;
    char shown[BAD_SIZE];

    text_init(&text, shown, sizeof shown);
    text_printable(&text, given);
    text_init(&text, report->text, sizeof report->text);
    text_addf(&text, "'%s': %s", shown, what);
    return false;
}

static bool is_count(enum swept swept)
{
    return param_info(swepts[swept].param)->kind == PARAM_KIND_COUNT;
}

static bool is_cost(enum swept swept)
{
    return param_info(swepts[swept].param)->kind == PARAM_KIND_COSTS;
}

/* By its letter in either case, or as options and scenario files call it. */
static bool find_swept(const char *name, enum swept *swept)
{
    char lower[2] = {(char)tolower((unsigned char)name[0]), '\0'};
    bool is_letter = name[0] != '\0' && name[1] == '\0';

    for (enum swept s = 0; s < SWEPT_COUNT; s++) {
        if ((is_letter && strcmp(lower, swepts[s].letter) == 0) ||
            param_find(is_letter ? lower : name) == swepts[s].param) {
            *swept = s;
            return true;
        }
    }
    return false;
}

static bool refuse_swept(struct report *report, const char *given)
{
    struct text text;
    char what[300];

    text_init(&text, what, sizeof what);
    for (enum swept s = 0; s < SWEPT_COUNT; s++) {
        const char *name = param_info(swepts[s].param)->option;
        text_addf(&text, "%s%s", s == 0 ? "" : s + 1 == SWEPT_COUNT ? " or " : ", ",
                  swepts[s].letter);
        text_addf(&text, " (%s)", name);
    }
    text_add(&text, " is needed before =, such as m=1..64");
    return refuse(report, given, what);
}

/* ---- one item ---- */

struct item {
    double first, last, by;
    char how; /* 0: one value; ':' steps; '*' factors */
};

/* Takes a number off the front, up to any of the characters in `ends` or to "..". */
static bool take_number(const char **at, const char *ends, double *number)
{
    char buffer[TEXT_NUMBER_SIZE];
    size_t length = 0;

    while ((*at)[length] != '\0' && strchr(ends, (*at)[length]) == NULL &&
           strncmp(*at + length, "..", 2) != 0)
        length++;
    if (length == 0 || length >= sizeof buffer)
        return false;
    memcpy(buffer, *at, length);
    buffer[length] = '\0';
    *at += length;
    return number_parse(buffer, number);
}

static bool parse_item(const char **at, struct item *item)
{
    *item = (struct item){.how = 0};
    if (!take_number(at, ",@:*", &item->first))
        return false;
    item->last = item->first;
    if (strncmp(*at, "..", 2) != 0)
        return **at == ',' || **at == '@' || **at == '\0';
    *at += 2;
    if (!take_number(at, ",@:*", &item->last))
        return false;
    item->how = ':';
    if (**at != ':' && **at != '*') /* 0: the step of a count is 1, that of a number is missing */
        return true;
    item->how = **at;
    (*at)++;
    return take_number(at, ",@", &item->by) && item->by > 0;
}

/* 0.1 * 3 as people mean it: twelve digits tell all values that a step can lead to. */
static double tidy(double value)
{
    char buffer[TEXT_NUMBER_SIZE];

    snprintf(buffer, sizeof buffer, "%.12g", value);
    return strtod(buffer, NULL);
}

static bool put_value(struct sweep_range *range, double value, struct report *report)
{
    const struct param_info *info = param_info(swepts[range->swept].param);
    char number[TEXT_NUMBER_SIZE], what[200];
    struct text text;

    bool is_whole = !is_count(range->swept) || value == floor(value);
    if (!param_allows(swepts[range->swept].param, value) || !is_whole) {
        text_init(&text, what, sizeof what);
        text_addf(&text, "%s must be a %snumber ", info->key, is_count(range->swept) ? "whole " : "");
        text_add(&text, info->is_least_excluded ? "more than " : "from ");
        text_number(&text, info->least);
        text_add(&text, info->is_least_excluded ? ", at most " : " to ");
        text_number(&text, info->most);
        return refuse(report, number_write(number, value), what);
    }
    if (range->count == SWEEP_MOST_VALUES) {
        text_init(&text, what, sizeof what);
        text_addf(&text, "more than %u values; a larger step or a factor (8..512*2) makes fewer",
                  SWEEP_MOST_VALUES);
        return refuse(report, number_write(number, value), what);
    }
    range->values[range->count++] = value;
    return true;
}

static bool put_item(struct sweep_range *range, const struct item *item, const char *given,
                     struct report *report)
{
    bool is_whole = is_count(range->swept);
    double by = item->by == 0 && is_whole ? 1 : item->by;

    if (item->how == 0)
        return put_value(range, item->first, report);
    if (item->last < item->first)
        return refuse(report, given, "a range goes from the smaller to the larger value");
    if (by == 0)
        return refuse(report, given, "a step or a factor is needed, such as 0..2:0.1 or 0.5..8*2");
    if (item->how == ':' && is_whole && by != floor(by))
        return refuse(report, given, "the step must be a whole number, for the values are");
    if (item->how == '*' && (by < 1.01 || item->first <= 0))
        return refuse(report, given, "a factor must be at least 1.01, and the first value more than 0");
    if (by <= item->last * 1e-9)
        return refuse(report, given, "the step is too small for values of this size");
    double last = item->last + (item->how == ':' ? by : item->last) * 1e-9, value = item->first;
    for (uint32_t i = 1; value <= last; i++) {
        double rounded = is_whole ? floor(value + 0.5) : tidy(value);
        bool is_new = range->count == 0 || range->values[range->count - 1] != rounded;
        if (is_new && !put_value(range, rounded, report))
            return false;
        value = item->how == ':' ? item->first + i * by : value * by;
    }
    return true;
}

/* ---- the whole ---- */

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static void sort(struct sweep_range *range)
{
    uint32_t count = 0;

    qsort(range->values, range->count, sizeof range->values[0], compare);
    for (uint32_t i = 0; i < range->count; i++)
        if (count == 0 || range->values[i] != range->values[count - 1])
            range->values[count++] = range->values[i];
    range->count = count;
}

static bool parse_stage(struct sweep_range *range, const char *text, const char *given,
                        struct report *report)
{
    uint64_t stage;

    if (!is_cost(range->swept))
        return refuse(report, given, "@ names the stage of a cost: forward, backward or weight");
    if (!count_parse(text, &stage) || stage >= PG_MAX_DEVICES)
        return refuse(report, given, "after @ the number of a stage is needed, from 0 on");
    range->stage = (uint32_t)stage;
    return true;
}

bool sweep_range_parse(struct sweep_range *range, const char *text, struct report *report)
{
    char name[40];
    size_t length = strcspn(text, "=");
    struct item item;

    if (text[length] != '=' || length >= sizeof name)
        return refuse_swept(report, text);
    memcpy(name, text, length);
    name[length] = '\0';
    if (!find_swept(name, &range->swept))
        return refuse_swept(report, text);
    range->stage = PG_NONE;
    range->count = 0;
    const char *at = text + length;
    do {
        at++;
        const char *given = at;
        if (!parse_item(&at, &item) || (*at != '\0' && *at != ',' && *at != '@'))
            return refuse(report, text,
                          "values are needed as 8,16,32 or 1..64 or 1..64:2 or 8..512*2");
        if (!put_item(range, &item, given, report))
            return false;
    } while (*at == ',');
    if (*at == '@' && !parse_stage(range, at + 1, text, report))
        return false;
    sort(range);
    return true;
}

/* ---- families ---- */

static bool put_family(const struct pg_family *family, const struct pg_family **families,
                       uint32_t *count)
{
    for (uint32_t i = 0; i < *count; i++)
        if (families[i] == family)
            return true;
    if (*count == SWEEP_MOST_FAMILIES)
        return false;
    families[(*count)++] = family;
    return true;
}

bool sweep_families_parse(const char *names, const struct pg_family **families, uint32_t *count,
                          struct report *report)
{
    uint32_t all;
    const struct pg_family *table = pg_families(&all);
    char name[40];

    *count = 0;
    if (strcmp(names, "all") == 0) {
        for (uint32_t i = 0; i < all; i++)
            put_family(&table[i], families, count);
        return true;
    }
    for (const char *at = names;; at++) {
        size_t length = strcspn(at, ",");
        const struct pg_family *family = NULL;
        if (length < sizeof name) {
            memcpy(name, at, length);
            name[length] = '\0';
            family = pg_family_find(name);
        }
        if (family == NULL || !put_family(family, families, count))
            return refuse(report, length < sizeof name ? name : names,
                          "no schedule family has this name; all, or names that --list-schedules "
                          "lists, with commas between them, are needed");
        at += length;
        if (*at == '\0')
            return true;
    }
}

/* ---- ranges around what is there ---- */

/* Of a device its whole share, of all devices the mean. */
static double present_cost(const struct scenario *scenario, enum param param, uint32_t stage)
{
    uint32_t stages = scenario_stages(scenario);
    double sum = 0;

    for (uint32_t s = 0; s < stages; s++)
        if (stage == PG_NONE || scenario_device(scenario, s) == stage)
            sum += cost_effective(scenario, param, s);
    return stage == PG_NONE ? sum / scenario->stages : sum;
}

double sweep_present(const struct scenario *scenario, enum swept swept, uint32_t stage)
{
    struct scenario costs;
    struct refusal refusal;

    switch (swept) {
    case SWEPT_MICRO_BATCHES:
        return scenario->micro_batches;
    case SWEPT_STAGES:
        return scenario->stages;
    case SWEPT_CHUNKS:
        return scenario_chunks(scenario);
    case SWEPT_TRANSFER:
        return scenario->transfer;
    default:
        break;
    }
    memset(&costs, 0, sizeof costs);
    scenario_copy(&costs, scenario);
    bool is_good = costs.layers == NULL || edit_layers_to_costs(&costs, &refusal);
    double present = is_good ? present_cost(&costs, swepts[swept].param, stage) : 1;
    scenario_free(&costs);
    return present;
}

#define USUAL_VALUES 64.0

static void write_counts(double present, double least, double most, int scale, struct text *out)
{
    double upper = fmax(least, fmin(most, ldexp(fmax(least, present * 2), scale))), step = 1;

    upper = floor(fmax(upper, 2));
    while (upper / step > USUAL_VALUES)
        step *= 2;
    text_number(out, step);
    text_add(out, "..");
    text_number(out, floor(upper / step) * step);
    if (step > 1) {
        text_add(out, ":");
        text_number(out, step);
    }
}

void sweep_range_usual(const struct scenario *scenario, enum swept swept, uint32_t stage, int scale,
                       struct text *out)
{
    double present = sweep_present(scenario, swept, stage), parts = 10, most = 30, first = 1;
    const struct param_info *info = param_info(swepts[swept].param);

    text_addf(out, "%s=", is_count(swept) ? swepts[swept].letter : info->key);
    if (is_count(swept)) {
        double least = swept == SWEPT_CHUNKS ? 4 : 8;
        write_counts(present, ldexp(least, scale < 0 ? scale : 0), info->most, scale, out);
        return;
    }
    if (swept == SWEPT_TRANSFER) {
        if (present == 0)
            present = sweep_present(scenario, SWEPT_FORWARD, PG_NONE);
        parts = 20;
        most = 40;
        first = 0;
    }
    /* Steps of a tenth or twentieth of what is there, to a round number; they grow with the range. */
    double step = ldexp(ladder_floor(present) / parts, scale);
    text_number(out, tidy(step * first));
    text_add(out, "..");
    text_number(out, tidy(step * most));
    text_add(out, ":");
    text_number(out, tidy(step));
    if (is_cost(swept) && stage != PG_NONE)
        text_addf(out, "@%u", stage);
}
