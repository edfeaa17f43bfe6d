/* Two outcomes in numbers: see compare.h. */
#include "model/compare.h"

#include <math.h>
#include <string.h>

static const struct compare_info infos[COMPARE_COUNT] = {
#define METRIC(id, name, label, heading, form, better, value)                                      \
    {name, label, heading, FORM_##form, BETTER_##better},
#include "model/compare.def"
#undef METRIC
};

const struct compare_info *compare_info(enum compare_metric metric)
{
    return &infos[metric];
}

/* ---- units ---- */

static const struct {
    const char *name;
    double seconds;
} units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"μs", 1e-6}, {"ns", 1e-9},
             {"min", 60}};

static double unit_seconds(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].name, name) == 0)
            return units[i].seconds;
    return 0;
}

void compare_make(struct compared *compared, const struct side *a, const struct side *b)
{
    const char *mine = string_text(a->scenario->time), *other = string_text(b->scenario->time);
    double from = unit_seconds(mine), to = unit_seconds(other);

    *compared = (struct compared){
        .a = *a,
        .b = *b,
        .unit = from > 0 && to > 0 && from != to ? from / to : 1,
        .is_unit_alike = strcmp(mine, other) == 0 || mine[0] == '\0' || other[0] == '\0' ||
                         (from > 0 && to > 0),
    };
}

double compare_extent(const struct compared *compared)
{
    return fmax(compared->a.outcome->plan.makespan * compared->unit,
                compared->b.outcome->plan.makespan);
}

/* ---- values ---- */

void compare_values(const struct side *side, double unit, double values[COMPARE_COUNT])
{
    const struct pg_metrics *m = &side->outcome->metrics;
    const struct pg_idle *i = &side->idle->all;
    const double by_form[] = {[FORM_TIME] = unit, [FORM_RATE] = 1 / unit, [FORM_SHARE] = 1,
                              [FORM_COUNT] = 1};
    const double raw[COMPARE_COUNT] = {
#define METRIC(id, name, label, heading, form, better, value) value,
#include "model/compare.def"
#undef METRIC
    };

    for (int k = 0; k < COMPARE_COUNT; k++)
        values[k] = raw[k] * by_form[infos[k].form];
}

enum verdict compare_verdict(enum compare_metric metric, double a, double b)
{
    double change = fabs(b - a);
    const struct compare_info *info = &infos[metric];

    /* What would be shown as a change of 0 is none. */
    if (info->form == FORM_SHARE ? change < 0.0005 : change <= 1e-9 * fmax(fabs(a), fabs(b)))
        return VERDICT_SAME;
    if (info->better == BETTER_NEITHER)
        return VERDICT_OTHER;
    return (b < a) == (info->better == BETTER_LOWER) ? VERDICT_BETTER : VERDICT_WORSE;
}

const char *verdict_word(enum verdict verdict)
{
    return verdict == VERDICT_BETTER ? "better" : verdict == VERDICT_WORSE ? "worse" : "";
}

/* A rate has no natural number of digits: four are told. */
static double four_digits(double number)
{
    if (number == 0 || !isfinite(number))
        return number;
    double unit = pow(10, floor(log10(fabs(number))) - 3);
    return round(number / unit) * unit;
}

void compare_write(enum compare_metric metric, double value, struct text *text)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text brief;

    if (infos[metric].form == FORM_SHARE) {
        text_percent(text, value);
        return;
    }
    text_init(&brief, buffer, sizeof buffer);
    text_brief(&brief, infos[metric].form == FORM_RATE ? four_digits(value) : value);
    text_add(text, buffer);
}

void compare_write_change(enum compare_metric metric, double a, double b, struct text *text)
{
    if (compare_verdict(metric, a, b) == VERDICT_SAME) {
        text_add(text, "0");
        return;
    }
    text_add(text, b > a ? "+" : "-");
    compare_write(metric, fabs(b - a), text);
}
