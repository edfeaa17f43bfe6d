/* One-sided differences of the makespan by every cost.
 *
 * With its orders fixed a plan's makespan is the longest of many sums, each of which contains a
 * stage's cost a whole number of times (a backward may bring half of a weight gradient along). So it
 * is piecewise linear, and a difference over a step that stays within a piece is exact but for
 * rounding. The step is a power of two, so that adding it to round costs rounds nothing: 2^-20 of
 * the smallest cost, but not below 2^-34 of the makespan, where rounding would begin to show. A
 * difference that is no multiple of a half after all ran over a bend: it is taken again with a step
 * 64 times smaller. */
#include "model/advice.h"

#include "model/edit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STAGES 128u
/* Operations that all of these runs may have together, and bytes of their lists of costs. */
#define MOST_OPS (1ull << 29)
#define MOST_BYTES (1ull << 28)
#define FINER 64

uint32_t advice_cost_count(const struct advice *advice)
{
    const struct pg_family *family = advice->base.schedule;
    return family->is_forward_only ? 1 : family->splits ? 3 : 2;
}

enum param advice_param(enum advice_cost cost)
{
    return cost == ADVICE_FORWARD    ? PARAM_FORWARD
           : cost == ADVICE_BACKWARD ? PARAM_BACKWARD
                                     : PARAM_WEIGHT;
}

const char *advice_letter(enum advice_cost cost)
{
    static const char *const letters[ADVICE_COSTS] = {"F", "B", "W"};
    return letters[cost];
}

static double smallest(const double *values, uint32_t count, double least)
{
    for (uint32_t i = 0; i < count; i++)
        least = values[i] < least ? values[i] : least;
    return least;
}

/* The smallest cost of an operation. */
static double least_cost(const struct advice *advice)
{
    uint32_t stages = scenario_stages(&advice->costs), costs = advice_cost_count(advice);
    double *values = malloc(2 * (size_t)stages * sizeof *values), least = INFINITY;

    if (values == NULL)
        return 0;
    costs_effective(&advice->costs, PARAM_FORWARD, values);
    least = smallest(values, stages, least);
    if (costs > 1) {
        costs_effective(&advice->costs, PARAM_BACKWARD, values);
        least = smallest(values, stages, least);
    }
    if (costs > 2) { /* input gradients are what is left of backwards */
        costs_effective(&advice->costs, PARAM_WEIGHT, values + stages);
        least = smallest(values + stages, stages, least);
        for (uint32_t s = 0; s < stages; s++)
            values[s] -= values[stages + s];
        least = smallest(values, stages, least);
    }
    free(values);
    return least;
}

static int exponent_of(double value)
{
    int exponent = 0;
    (void)frexp(value, &exponent);
    return exponent - 1;
}

static double choose_step(const struct advice *advice)
{
    double least = least_cost(advice);
    int step = exponent_of(least) - 20, coarsest = exponent_of(least) - 2;
    int readable = exponent_of(advice->present.makespan) - 34;

    if (!(least > 0)) /* no memory to look */
        return 0;
    step = step > readable ? step : readable;
    return ldexp(1, step < coarsest ? step : coarsest);
}

/* How many stages to run, so that this ends in good time. */
static uint32_t affordable(const struct advice *advice, uint64_t ops)
{
    uint64_t runs = 2 * (uint64_t)advice_cost_count(advice), most = MOST_STAGES;
    uint64_t stages = scenario_stages(&advice->costs);

    if (most > MOST_OPS / (runs * ops))
        most = MOST_OPS / (runs * ops);
    if (most > MOST_BYTES / (runs * 2 * sizeof(double) * stages))
        most = MOST_BYTES / (runs * 2 * sizeof(double) * stages);
    most = most < 4 ? 4 : most;
    return (uint32_t)(most < stages ? most : stages);
}

struct share {
    double work;
    uint32_t stage;
};

static int by_work(const void *a, const void *b)
{
    const struct share *first = a, *second = b;

    if (first->work != second->work)
        return first->work < second->work ? 1 : -1;
    return first->stage < second->stage ? -1 : first->stage > second->stage;
}

static int by_stage(const void *a, const void *b)
{
    const struct sensitivity *first = a, *second = b;
    return first->stage < second->stage ? -1 : first->stage > second->stage;
}

/* Where not all can be run, those that the critical path has most of: what is not on it shortens
 * nothing. */
bool slopes_choose(struct advice *advice, struct outcome *outcome)
{
    uint32_t stages = scenario_stages(&advice->costs);
    uint32_t count = affordable(advice, outcome->plan.ops);
    const struct pg_path *path = count < stages ? outcome_path(outcome) : NULL;
    struct share *shares = calloc(stages, sizeof *shares);
    size_t raws = ((size_t)count + 1) * ADVICE_COSTS * 2;

    advice->stage_count = count;
    advice->has_all_stages = count == stages;
    advice->stages = calloc(count, sizeof *advice->stages);
    advice->need_finer = calloc((size_t)count + 1, 1);
    advice->raw = malloc(raws * sizeof *advice->raw);
    advice->step = choose_step(advice);
    if (shares == NULL || advice->stages == NULL || advice->need_finer == NULL ||
        advice->raw == NULL || (count < stages && path == NULL)) {
        free(shares);
        return false;
    }
    for (size_t i = 0; i < raws; i++)
        advice->raw[i] = NAN;
    for (uint32_t s = 0; s < stages; s++)
        shares[s] = (struct share){path == NULL ? 0 : path->stage_work[s], s};
    qsort(shares, stages, sizeof *shares, by_work);
    for (uint32_t i = 0; i < count; i++)
        advice->stages[i].stage = shares[i].stage;
    qsort(advice->stages, count, sizeof *advice->stages, by_stage);
    free(shares);
    return true;
}

static double step_of(const struct advice *advice, uint32_t index)
{
    return advice->is_finer && advice->need_finer[index] ? advice->step / FINER : advice->step;
}

bool slopes_moved(const struct advice *advice, const struct advice_slot *slot,
                  struct scenario *scenario)
{
    double step = step_of(advice, slot->index), by = slot->is_growth ? step : -step;
    enum param param = advice_param((enum advice_cost)slot->cost);
    struct refusal refusal;

    scenario_copy(scenario, &advice->costs);
    if (step == 0)
        return false;
    if (slot->index == advice->stage_count) {
        scenario->transfer += by;
        return scenario->transfer >= 0;
    }
    uint32_t stages = scenario_stages(scenario), stage = advice->stages[slot->index].stage;
    double *values = malloc(stages * sizeof *values);
    if (values == NULL)
        return false;
    costs_effective(scenario, param, values);
    double cost = values[stage] + by;
    free(values);
    return edit_cost(scenario, param, stage, cost, &refusal);
}

/* A half more often than not: see above. */
static double whole(double slope, double tolerance)
{
    double near = round(2 * slope) / 2;
    return fabs(slope - near) <= tolerance ? near : NAN;
}

/* Makespans to a slope. False when the step ran over a bend. */
static bool settle(const struct advice *advice, uint32_t index, const double raw[2],
                   struct slope *slope)
{
    bool is_fused = advice->base.schedule->has_fused && advice->base.fused != 1;
    double step = step_of(advice, index), base = advice->present.makespan;
    double found[2] = {(raw[0] - base) / step, (raw[1] - base) / step};
    bool is_good = true;

    for (int i = 0; i < 2 && !is_fused; i++) {
        double exact = whole(found[i], advice->is_finer ? 0.1 : 1e-3);
        is_good = is_good && (isnan(found[i]) || !isnan(exact));
        found[i] = isnan(exact) ? found[i] : exact;
    }
    *slope = (struct slope){true, found[0] + 0.0, found[1] + 0.0}; /* no -0 */
    return is_good;
}

void slopes_take(struct advice *advice, const struct advice_slot *slot, double makespan)
{
    uint32_t index = slot->index;
    double *raw = advice->raw + ((size_t)index * ADVICE_COSTS + slot->cost) * 2;
    struct slope *slope = index == advice->stage_count ? &advice->transfer
                                                       : &advice->stages[index].slope[slot->cost];

    raw[slot->is_growth] = makespan;
    if (slot->is_growth && !settle(advice, index, raw, slope))
        advice->need_finer[index] = 1; /* taken up when all are through */
}

bool advice_best_cost(const struct sensitivity *row, uint32_t costs, enum advice_cost *best)
{
    double most = 0;

    for (uint32_t c = 0; c < costs && c < ADVICE_WEIGHT; c++) {
        if (row->slope[c].is_known && row->slope[c].shorter < most) {
            most = row->slope[c].shorter;
            *best = (enum advice_cost)c;
        }
    }
    return most < 0;
}

bool advice_step_down(const struct advice *advice, uint32_t stage, enum advice_cost cost,
                      struct scenario *scenario, struct refusal *refusal)
{
    scenario_copy(scenario, &advice->costs);
    return edit_cost_step(scenario, advice_param(cost), stage, -1, refusal);
}
