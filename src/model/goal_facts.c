/* Conditions and words over the facts of a state: see goal.h. */
#include "model/goal_parts.h"

#include <math.h>
#include <string.h>

/* ---- evaluation ---- */

static double value_of(const struct goal_part *part, const struct facts *facts)
{
    if (part->is_start)
        facts = facts->start;
    if (facts == NULL)
        return NAN;
    const struct scenario *s = facts->scenario;
    const struct pg_metrics *m = &facts->outcome->metrics;
    const struct pg_plan *p = &facts->outcome->plan;
    const struct resolved *r = &facts->outcome->resolved;
    uint32_t i = part->index;
    enum figure_index index = goal_figures[part->figure].index;

    if ((index == INDEX_DEVICE && i >= p->devices) || (index == INDEX_STAGE && i >= r->stages))
        return NAN;
    switch (part->figure) {
#define FIGURE(id, name, index, unit, value)                                                       \
    case FIGURE_##id:                                                                              \
        return value;
#include "model/figure.def"
#undef FIGURE
    default:
        return NAN;
    }
}

bool goal_equal(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + 1e-12;
}

static double join(enum code code, double a, double b)
{
    bool is_known = !isnan(a) && !isnan(b), is_equal = is_known && goal_equal(a, b);

    switch (code) {
    case CODE_ADD:
        return a + b;
    case CODE_SUBTRACT:
        return a - b;
    case CODE_MULTIPLY:
        return a * b;
    case CODE_DIVIDE:
        return b == 0 ? NAN : a / b;
    case CODE_LESS:
        return a < b && !is_equal;
    case CODE_LESS_EQUAL:
        return a < b || is_equal;
    case CODE_MORE:
        return a > b && !is_equal;
    case CODE_MORE_EQUAL:
        return a > b || is_equal;
    case CODE_EQUAL:
        return is_equal;
    case CODE_DIFFERENT:
        return is_known && !is_equal;
    case CODE_AND:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

/* Every part leaves one number more on the stack, or one instead of one or two. */
static double evaluate(const struct goal_part *part, uint32_t count, const struct facts *facts)
{
    double stack[GOAL_MOST_PARTS + 1] = {0};
    uint32_t top = 0;

    for (uint32_t i = 0; i < count; i++, part++) {
        switch (part->code) {
        case CODE_NUMBER:
            stack[top++] = part->number;
            break;
        case CODE_FIGURE:
            stack[top++] = value_of(part, facts);
            break;
        case CODE_ANSWER:
            stack[top++] = facts->answer;
            break;
        case CODE_FAMILY:
            stack[top++] = facts->scenario->schedule == part->family;
            break;
        case CODE_NEGATE:
            stack[top - 1] = -stack[top - 1];
            break;
        case CODE_NOT:
            stack[top - 1] = stack[top - 1] == 0;
            break;
        default:
            top--;
            stack[top - 1] = join(part->code, stack[top - 1], stack[top]);
        }
    }
    return stack[0];
}

bool goal_holds(const struct goal *goal, const struct facts *facts)
{
    return goal->count > 0 && evaluate(goal->part, goal->count, facts) != 0;
}

/* ---- figures that there are not ---- */

static void write_missing(const struct goal_part *part, const struct facts *facts, struct text *out)
{
    const struct figure_info *info = &goal_figures[part->figure];
    bool is_device = info->index == INDEX_DEVICE;
    uint32_t count = is_device ? facts->outcome->plan.devices : facts->outcome->resolved.stages;

    text_addf(out, "%s%s", part->is_start ? "start " : "", info->name);
    if (info->index != INDEX_PLAIN)
        text_addf(out, " %u", part->index);
    if (info->index == INDEX_PLAIN)
        text_addf(out, ": this step has no %s", info->name);
    else if (part->index >= count)
        text_addf(out, ": this step has no %s %u, its last one is %u",
                  is_device ? "device" : "stage", part->index, count - 1);
    else
        text_addf(out, ": the stages of this step have no %s", info->name);
}

/* Only those of the start, or all of them. */
static bool has_figures(const struct goal_part *part, uint32_t count, const struct facts *facts,
                        bool is_only_start, struct report *report)
{
    struct text text;

    text_init(&text, report->text, sizeof report->text);
    for (uint32_t i = 0; i < count; i++, part++) {
        if (is_only_start && !part->is_start)
            continue;
        if (part->code == CODE_FIGURE && isnan(value_of(part, facts)))
            write_missing(part, facts, &text);
        else if (part->code == CODE_ANSWER && isnan(facts->answer))
            text_add(&text, "answer: nothing is typed here");
        else
            continue;
        return false;
    }
    return true;
}

bool goal_fits(const struct goal *goal, const struct facts *facts, struct report *report)
{
    report->is_memory = false;
    return has_figures(goal->part, goal->count, facts, true, report);
}

/* ---- words ---- */

/* A figure as it stands elsewhere on the screen; a quotient, as the throughput there, in three
 * digits, or more where these are whole. */
static void write_value(const struct goal_sum *sum, const struct facts *facts, struct text *out)
{
    double value = evaluate(sum->part, sum->count, facts);
    bool is_figure = sum->count == 1 && sum->part->code == CODE_FIGURE;
    bool is_quotient = is_figure && sum->part->figure == FIGURE_THROUGHPUT;

    for (uint32_t i = 0; i < sum->count; i++)
        is_quotient |= sum->part[i].code == CODE_DIVIDE;
    if (isnan(value))
        text_add(out, "?");
    else if (is_figure && goal_figures[sum->part->figure].unit == UNIT_SHARE)
        text_percent(out, value);
    else if (is_quotient)
        text_three_digits(out, value);
    else
        text_brief(out, value);
}

/* The sum at `words`, which begin with its {; *length: of it with both braces. */
static bool read_sum(const char *words, struct goal_sum *sum, size_t *length, struct report *report)
{
    char copy[200];

    *length = strcspn(words, "}") + 1;
    if (words[*length - 1] == '\0' || *length > sizeof copy + 1) {
        strcpy(report->text, "a { needs a } behind it, and a sum between them");
        return false;
    }
    memcpy(copy, words + 1, *length - 2);
    copy[*length - 2] = '\0';
    return goal_parse_sum(sum, copy, report);
}

/* Goes through the words. Without `out` it only checks them: also whether the facts, where there
 * are any, have every figure. */
static bool walk_words(const char *words, const struct facts *facts, struct text *out,
                       struct report *report)
{
    struct goal_sum sum;
    size_t length;

    while (*words != '\0') {
        size_t plain = strcspn(words, "{");
        if (out != NULL)
            text_addf(out, "%.*s", (int)plain, words);
        words += plain;
        if (*words == '\0')
            break;
        if (!read_sum(words, &sum, &length, report))
            return false;
        words += length;
        if (out != NULL)
            write_value(&sum, facts, out);
        else if (facts != NULL && !has_figures(sum.part, sum.count, facts, false, report))
            return false;
    }
    return true;
}

bool words_check(const char *words, struct report *report)
{
    report->is_memory = false;
    return walk_words(words, NULL, NULL, report);
}

bool words_fit(const char *words, const struct facts *facts, struct report *report)
{
    report->is_memory = false;
    return walk_words(words, facts, NULL, report);
}

void words_write(const char *words, const struct facts *facts, struct text *out)
{
    struct report ignored;

    walk_words(words, facts, out, &ignored);
}
