/* From figures to suggestions: what to do, why, and the scenario that applying one leads to. Each
 * suggestion is written anew whenever figures come in; what it cannot tell yet is not known. */
#include "model/advice.h"

#include "model/edit.h"

#include <math.h>
#include <string.h>

/* Two makespans that differ by less than this share are the same: the rest is rounding. */
#define SAME 1e-9

static bool is_shorter(double a, double b)
{
    return a < b - SAME * b;
}

static struct suggestion *fresh(struct advice *advice, enum advice_kind kind)
{
    struct suggestion *out = &advice->suggestion[kind];

    out->is_known = out->can_apply = false;
    out->what[0] = out->why[0] = '\0';
    out->value = NAN;
    return out;
}

static void start(struct suggestion *out, struct text *what, struct text *why)
{
    text_init(what, out->what, sizeof out->what);
    text_init(why, out->why, sizeof out->why);
    out->is_known = true;
}

static void from_to(struct text *text, double from, double to)
{
    text_brief(text, from);
    if (from == to)
        return;
    text_add(text, " to ");
    text_brief(text, to);
}

/* "-22.7%" */
static void change(struct text *text, double from, double to)
{
    text_add(text, to < from ? " (-" : " (+");
    text_percent(text, fabs(to - from) / from);
    text_add(text, ")");
}

/* ---- cost ---- */

/* "-8 per unit shorter, +8 per unit longer" */
static void write_slope(struct text *text, const struct slope *slope)
{
    text_brief(text, slope->shorter);
    text_add(text, " per unit shorter, ");
    text_add(text, slope->longer >= 0 ? "+" : "");
    text_brief(text, slope->longer);
    text_add(text, " per unit longer");
}

struct pick {
    uint32_t row;
    enum advice_cost cost;
    double slope;
    uint32_t ties;        /* others that shorten as much */
    uint32_t tied_row;    /* the first of them */
    enum advice_cost tied_cost;
};

/* False while a difference is missing. */
static bool pick_cost(const struct advice *advice, struct pick *pick)
{
    uint32_t costs = advice_cost_count(advice) > 1 ? 2 : 1;

    *pick = (struct pick){.slope = 0};
    for (uint32_t i = 0; i < advice->stage_count; i++) {
        for (uint32_t c = 0; c < costs; c++) {
            const struct slope *slope = &advice->stages[i].slope[c];
            if (!slope->is_known)
                return false;
            if (slope->shorter < pick->slope - SAME * fabs(pick->slope)) {
                *pick = (struct pick){.row = i, .cost = (enum advice_cost)c,
                                      .slope = slope->shorter};
            } else if (slope->shorter < 0 && slope->shorter <= pick->slope * (1 - SAME)) {
                if (pick->ties++ == 0) {
                    pick->tied_row = i;
                    pick->tied_cost = (enum advice_cost)c;
                }
            }
        }
    }
    return true;
}

static double cost_now(const struct scenario *scenario, enum advice_cost cost, uint32_t stage)
{
    struct scenario copy = *scenario; /* borrowed */
    const struct list *list = *scenario_costs(&copy, advice_param(cost));
    uint32_t stages = scenario_stages(scenario);

    if (list->n == stages)
        return list->v[stage];
    return list->v[list->n == 1 ? 0 : scenario_device(scenario, stage)] / scenario_chunks(scenario);
}

static void write_ties(const struct advice *advice, const struct pick *pick, struct text *why)
{
    if (pick->ties == 1)
        text_addf(why, "; as much: %s of stage %u", advice_letter(pick->tied_cost),
                  advice->stages[pick->tied_row].stage);
    else if (pick->ties > 1)
        text_addf(why, "; %u others do as much", pick->ties);
}

static void write_cost(struct advice *advice)
{
    struct suggestion *out = fresh(advice, ADVICE_COST);
    struct refusal refusal;
    struct text what, why;
    struct pick pick;

    if (!advice->has_slopes || !pick_cost(advice, &pick))
        return;
    start(out, &what, &why);
    if (pick.slope == 0) {
        text_add(&what, "no single cost shortens the makespan");
        text_add(&why, "each is off one of several critical paths that are equally long");
        return;
    }
    uint32_t stage = advice->stages[pick.row].stage;
    out->value = pick.slope;
    out->can_apply = advice_step_down(advice, stage, pick.cost, &out->scenario, &refusal) &&
                     scenario_check(&out->scenario, &refusal);
    text_addf(&what, "%s of stage %u", advice_letter(pick.cost), stage);
    text_add(&why, "makespan ");
    write_slope(&why, &advice->stages[pick.row].slope[pick.cost]);
    if (out->can_apply) {
        text_add(&what, " one step shorter, ");
        from_to(&what, cost_now(&advice->costs, pick.cost, stage),
                cost_now(&out->scenario, pick.cost, stage));
    }
    write_ties(advice, &pick, &why);
    if (!advice->has_all_stages)
        text_addf(&why, "; of the %u stages that the critical path has most of",
                  advice->stage_count);
    if (advice->has_layers)
        text_add(&why, "; costs come from layers, this makes them costs per stage");
    out->figures = advice->step_figures;
    if (!advice->has_step)
        out->figures.is_possible = false;
}

/* ---- micro-batches ---- */

/* A bubble beside the target: with more decimals where rounding would make them the same. */
static void write_beside(struct text *text, double bubble, double target)
{
    char a[TEXT_NUMBER_SIZE], b[TEXT_NUMBER_SIZE];
    struct text first, second;

    text_init(&first, a, sizeof a);
    text_percent(&first, bubble);
    text_init(&second, b, sizeof b);
    text_percent(&second, target);
    bool is_alike = strcmp(a, b) == 0;
    for (int digits = 2; is_alike && digits < 8 && fabs(bubble - target) > ADVICE_MARGIN; digits++) {
        text_init(&first, a, sizeof a);
        text_init(&second, b, sizeof b);
        text_addf(&first, "%.*f%%", digits, 100 * bubble);
        text_addf(&second, "%.*f%%", digits, 100 * target);
        is_alike = strcmp(a, b) == 0;
    }
    text_add(text, a);
}

static void write_found(struct advice *advice, struct suggestion *out, struct text *what,
                        struct text *why)
{
    const struct micro_answer *answer = &advice->answer;
    uint32_t m = answer->micro_batches;

    out->value = answer->figures.bubble_fraction;
    if (answer->figures.is_over_limit) {
        text_addf(what, "M=%u would do, but not under the memory limit", m);
        text_add(why, "it needs ");
        text_brief(why, answer->figures.peak_memory);
        text_add(why, ", the limit is ");
        text_brief(why, advice->base.memory_limit);
        return;
    }
    out->can_apply = m != advice->base.micro_batches;
    if (out->can_apply) {
        scenario_copy(&out->scenario, &advice->base);
        out->scenario.micro_batches = m;
        out->figures = answer->figures;
        text_addf(what, "M %u to %u", advice->base.micro_batches, m);
        text_add(what, m < advice->base.micro_batches ? " would do" : "");
    } else {
        text_addf(what, "M=%u is right", m);
    }
    text_add(why, answer->is_least ? "the least M with" : "found by bisection:");
    text_add(why, " a bubble under ");
    text_percent(why, advice->target);
    text_add(why, ": it has ");
    write_beside(why, out->value, advice->target);
}

/* What the M before has, from its run or from the bound: it shows how strict "under" is. */
static void write_before(const struct advice *advice, struct text *why)
{
    const struct micro_answer *answer = &advice->answer;
    uint32_t before = answer->micro_batches - 1;
    double bubble = before == 0 ? 0 : bound_bubble(&advice->bound, before);
    bool is_run = false;

    for (uint32_t i = 0; i < advice->micro_count; i++) {
        if (advice->micro[i].micro_batches == before && advice->micro[i].figures.is_possible) {
            bubble = advice->micro[i].figures.bubble_fraction;
            is_run = true;
        }
    }
    if (!answer->is_least || answer->figures.is_over_limit || (!is_run && bubble < advice->target - ADVICE_MARGIN))
        return; /* the rule excludes it, not its bubble */
    text_addf(why, is_run ? ", %u has " : ", %u at least ", before);
    write_beside(why, bubble, advice->target);
}

static void write_none(struct advice *advice, struct suggestion *out, struct text *what,
                       struct text *why)
{
    const struct micro_answer *answer = &advice->answer;

    text_add(what, "no M brings the bubble under ");
    text_percent(what, advice->target);
    if (answer->verdict == MICRO_BEYOND) {
        if (answer->figures.is_possible) {
            text_addf(why, "not even M=%u, the most that can be run: it has ",
                      answer->micro_batches);
            text_percent(why, answer->figures.bubble_fraction);
            out->value = answer->figures.bubble_fraction;
        } else {
            text_addf(why, "it would need at least M=%u, more than can be run",
                      answer->micro_batches);
        }
        return;
    }
    out->value = answer->limit;
    if (answer->verdict == MICRO_LIMIT) {
        text_add(why, "it tends to ");
        text_percent(why, answer->limit);
        text_add(why, " = 1 - ");
        text_brief(why, advice->bound.mean);
        text_add(why, "/");
        text_brief(why, advice->bound.slowest);
        text_addf(why, ": mean work of a device over that of device %u", advice->bound.device);
        return;
    }
    text_add(why, "it tends to ");
    text_percent(why, answer->limit);
    text_add(why, ": each further micro-batch takes ");
    text_brief(why, answer->each);
    text_add(why, ", mean work is ");
    text_brief(why, advice->bound.mean);
}

static void write_micro(struct advice *advice)
{
    struct suggestion *out = fresh(advice, ADVICE_MICRO);
    struct text what, why;

    if (advice->answer.verdict == MICRO_OPEN)
        return;
    start(out, &what, &why);
    if (advice->answer.verdict == MICRO_FIXED) {
        text_addf(&what, "the table fixes M=%u", advice->base.micro_batches);
        text_add(&why, "a family leaves it free");
    } else if (advice->answer.verdict == MICRO_FOUND) {
        write_found(advice, out, &what, &why);
        write_before(advice, &why);
    } else {
        write_none(advice, out, &what, &why);
    }
}

/* ---- family ---- */

/* Shorter, or as short with less stash, or then the present one. */
static bool is_better(const struct advice *advice, const struct advice_family *a,
                      const struct advice_family *b)
{
    if (is_shorter(a->figures.makespan, b->figures.makespan) ||
        is_shorter(b->figures.makespan, a->figures.makespan))
        return a->figures.makespan < b->figures.makespan;
    if (a->figures.peak_memory != b->figures.peak_memory)
        return a->figures.peak_memory < b->figures.peak_memory;
    return a->family == advice->base.schedule && b->family != a->family;
}

static bool is_rival(const struct advice *advice, const struct advice_family *row)
{
    return row->figures.is_possible &&
           row->family->is_forward_only == advice->base.schedule->is_forward_only;
}

struct field {
    const struct advice_family *best, *next, *tied, *least; /* least: stash, of those over the limit */
    uint32_t able, ties;
};

static struct field survey(const struct advice *advice)
{
    struct field field = {.best = NULL};

    for (uint32_t i = 0; i < advice->family_count; i++) {
        const struct advice_family *row = &advice->families[i];
        if (!is_rival(advice, row))
            continue;
        field.able++;
        if (row->figures.is_over_limit) {
            if (field.least == NULL || row->figures.peak_memory < field.least->figures.peak_memory)
                field.least = row;
        } else if (field.best == NULL || is_better(advice, row, field.best)) {
            field.best = row;
        }
    }
    for (uint32_t i = 0; i < advice->family_count && field.best != NULL; i++) {
        const struct advice_family *row = &advice->families[i];
        if (!is_rival(advice, row) || row->figures.is_over_limit || row == field.best)
            continue;
        if (!is_shorter(field.best->figures.makespan, row->figures.makespan)) {
            field.ties++;
            if (field.tied == NULL || is_better(advice, row, field.tied))
                field.tied = row;
        } else if (field.next == NULL || is_better(advice, row, field.next)) {
            field.next = row;
        }
    }
    return field;
}

static void write_stash(struct text *text, const struct advice_family *row)
{
    text_add(text, " (stash ");
    text_brief(text, row->figures.peak_memory);
    text_add(text, ")");
}

static void write_rivals(const struct field *field, struct text *why)
{
    text_addf(why, "; best of %u that can do this", field->able);
    if (field->tied != NULL) {
        text_addf(why, "; as short: %s", field->tied->family->title);
        write_stash(why, field->tied);
        if (field->ties > 1)
            text_addf(why, " and %u more", field->ties - 1);
    } else if (field->next != NULL) {
        text_addf(why, "; next %s ", field->next->family->title);
        text_brief(why, field->next->figures.makespan);
        write_stash(why, field->next);
    }
}

static void write_best(struct advice *advice, struct suggestion *out, const struct field *field,
                       struct text *what, struct text *why)
{
    const struct figures *best = &field->best->figures, *now = &advice->present;
    struct refusal refusal;
    /* Over the limit anything that keeps it is better. */
    bool is_better_now = is_shorter(best->makespan, now->makespan) || now->is_over_limit ||
                         (!is_shorter(now->makespan, best->makespan) &&
                          best->peak_memory < now->peak_memory);

    out->value = best->makespan;
    if (is_better_now && field->best->family != advice->base.schedule) {
        scenario_copy(&out->scenario, &advice->base);
        out->can_apply = edit_schedule(&out->scenario, field->best->family, &refusal);
        out->figures = *best;
        scenario_write_schedule(&advice->base, what);
        text_addf(what, " to %s", field->best->family->title);
    } else {
        scenario_write_schedule(&advice->base, what);
        text_add(what, " is the right family");
    }
    text_add(why, "makespan ");
    if (out->can_apply)
        from_to(why, now->makespan, best->makespan);
    else
        text_brief(why, now->makespan);
    if (out->can_apply && best->makespan != now->makespan)
        change(why, now->makespan, best->makespan);
    text_add(why, ", stash ");
    if (out->can_apply && best->peak_memory != now->peak_memory)
        from_to(why, now->peak_memory, best->peak_memory);
    else
        text_brief(why, out->can_apply ? best->peak_memory : now->peak_memory);
    if (out->can_apply && field->best->family->placement == PG_BIDIRECTIONAL)
        text_add(why, ", weights twice");
    write_rivals(field, why);
}

static void note_best(struct advice *advice, const struct advice_family *best)
{
    struct scenario probe;
    struct refusal refusal;
    struct bound bound;

    advice->best = best;
    advice->best_bound = NAN;
    if (best == NULL)
        return;
    memset(&probe, 0, sizeof probe);
    scenario_copy(&probe, &advice->base);
    if (edit_schedule(&probe, best->family, &refusal) && bound_make(&bound, &probe)) {
        advice->best_bound = bound_makespan(&bound, probe.micro_batches);
        bound_free(&bound);
    }
    scenario_free(&probe);
}

static void write_family(struct advice *advice)
{
    struct suggestion *out = fresh(advice, ADVICE_FAMILY);
    struct text what, why;

    for (uint32_t i = 0; i < advice->family_count; i++)
        if (!advice->families[i].is_known)
            return;
    struct field field = survey(advice);
    if (advice->best != field.best)
        note_best(advice, field.best);
    start(out, &what, &why);
    if (advice->base.schedule->is_forward_only) {
        text_add(&what, "no other family does forward passes only");
    } else if (field.best == NULL) {
        text_add(&what, "no family keeps the memory limit");
        text_add(&why, "the least stash is ");
        if (field.least != NULL) {
            text_brief(&why, field.least->figures.peak_memory);
            text_addf(&why, ", of %s; the limit is ", field.least->family->title);
        }
        text_brief(&why, advice->base.memory_limit);
    } else {
        write_best(advice, out, &field, &what, &why);
    }
}

/* ---- split, transfer, bound ---- */

static const char *split_name(const struct scenario *scenario)
{
    return scenario->split == SPLIT_BALANCED  ? "balanced"
           : scenario->split == SPLIT_UNIFORM ? "uniform" : "given";
}

static void write_split(struct advice *advice)
{
    struct suggestion *out = fresh(advice, ADVICE_SPLIT);
    const struct figures *other = &advice->split_figures, *now = &advice->present;
    struct text what, why;

    if (advice->has_other_split && !advice->has_split)
        return;
    start(out, &what, &why);
    if (!advice->has_other_split || !other->is_possible) {
        text_add(&what, advice->has_layers ? "there is no other split to compare with"
                                           : "all stages cost the same already");
        return;
    }
    out->value = other->makespan;
    out->can_apply = is_shorter(other->makespan, now->makespan);
    if (out->can_apply) {
        scenario_copy(&out->scenario, &advice->other_split);
        out->figures = *other;
    }
    if (advice->has_layers && out->can_apply)
        text_addf(&what, "split %s to %s", split_name(&advice->base),
                  split_name(&advice->other_split));
    else if (advice->has_layers)
        text_addf(&what, "the %s split is right", split_name(&advice->base));
    else
        text_add(&what, out->can_apply ? "equal costs, their total kept"
                                       : "equal costs would not help");
    if (advice->has_layers && !out->can_apply)
        text_addf(&why, "%s: ", split_name(&advice->other_split));
    text_add(&why, "makespan ");
    from_to(&why, now->makespan, other->makespan);
    if (other->makespan != now->makespan)
        change(&why, now->makespan, other->makespan);
    else
        text_add(&why, " as it is");
    text_add(&why, ", the slowest device's work ");
    from_to(&why, now->floor, other->floor);
}

static void write_transfer(struct advice *advice)
{
    struct suggestion *out = fresh(advice, ADVICE_TRANSFER);
    struct text what, why;

    if (advice->base.transfer > 0 && !advice->has_transfer)
        return;
    start(out, &what, &why);
    if (!(advice->base.transfer > 0)) {
        text_add(&what, "transfer is 0 already");
        if (advice->transfer.is_known) {
            text_add(&why, "makespan +");
            text_brief(&why, advice->transfer.longer);
            text_add(&why, " per unit of transfer");
        }
        return;
    }
    out->value = advice->without_transfer;
    out->can_apply = true;
    out->figures = advice->transfer_figures;
    scenario_copy(&out->scenario, &advice->base);
    out->scenario.transfer = 0;
    text_add(&what, "transfer ");
    from_to(&what, advice->base.transfer, 0);
    text_add(&why, "makespan ");
    from_to(&why, advice->present.makespan, advice->without_transfer);
    text_add(&why, ": all that hiding transfers better could give");
    if (advice->transfer.is_known) {
        text_add(&why, "; ");
        write_slope(&why, &advice->transfer);
    }
}

/* "45 is 7.1% above it" */
static void write_above(struct text *why, double makespan, double bound, const char *it)
{
    text_brief(why, makespan);
    if (is_shorter(bound, makespan)) {
        text_add(why, " is ");
        text_percent(why, (makespan - bound) / bound);
        text_addf(why, " above %s", it);
    } else {
        text_addf(why, " reaches %s", it);
    }
}

static void write_bound(struct advice *advice)
{
    struct suggestion *out = fresh(advice, ADVICE_BOUND);
    uint32_t m = advice->base.micro_batches;
    struct text what, why;

    start(out, &what, &why);
    out->value = bound_makespan(&advice->bound, m);
    text_add(&what, "no order of these operations is shorter than ");
    text_brief(&what, out->value);
    text_add(&why, "now ");
    write_above(&why, advice->present.makespan, out->value, "it");
    if (advice->bound.is_exact_work) {
        text_addf(&why, "; work of device %u alone is ", advice->bound.device);
        text_brief(&why, bound_floor(&advice->bound, m));
    }
    if (advice->best != NULL && !isnan(advice->best_bound)) {
        text_addf(&why, "; best family (%s) ", advice->best->family->title);
        bool is_own = fabs(advice->best_bound - out->value) > SAME * out->value;
        write_above(&why, advice->best->figures.makespan, advice->best_bound,
                    is_own ? "its own, " : "it");
        if (is_own)
            text_brief(&why, advice->best_bound);
    }
}

void advice_write(struct advice *advice)
{
    write_family(advice); /* first: the bound speaks of the best one */
    write_cost(advice);
    write_micro(advice);
    write_split(advice);
    write_transfer(advice);
    write_bound(advice);
}
