/* Why an operation is where it is.
 *
 * A start is the latest of three moments: zero, the end of what the device did before, and the
 * arrival of what the operation needs. Whoever looks at a bubble wants to know which. The answer is
 * read off the plan around one operation, so that asking costs a few bisections however long the
 * runs are. */
#include "core/internal.h"

static uint32_t cell_at(const struct pg_plan *plan, uint32_t device, uint32_t index)
{
    pg_code code = plan->run[device].code[index];
    return plan->slot_cell[(size_t)device * plan->slots + pg_code_slot(code)];
}

/* Index of the first half of a fused pair, or the operation itself; *halves: 2 or 1. */
static uint32_t first_half(const struct pg_plan *plan, uint32_t device, uint32_t index,
                           uint32_t *halves)
{
    pg_code code = plan->run[device].code[index];

    *halves = pg_code_is_fused(code) ? 2 : 1;
    return code & PG_CODE_FUSED_SECOND ? index - 1 : index;
}

static uint32_t add_place(const struct pg_plan *plan, uint32_t cell, uint32_t micro_batch,
                          enum pg_kind kind, struct pg_place *out, uint32_t count)
{
    struct pg_place at;

    at.index = pg_op_find(plan, cell, micro_batch, kind, &at.device);
    if (at.index != PG_NONE)
        out[count++] = at;
    return count;
}

uint32_t pg_op_needs(const struct pg_plan *plan, uint32_t device, uint32_t index,
                     struct pg_place out[PG_MOST_NEEDS])
{
    uint32_t halves, first = first_half(plan, device, index, &halves), count = 0;

    for (uint32_t i = first; i < first + halves; i++) {
        pg_code code = plan->run[device].code[i];
        uint32_t cell = cell_at(plan, device, i), stage = cell % plan->stages;
        uint32_t micro = pg_code_micro(code);
        if (pg_code_kind(code) == PG_WEIGHT_GRAD) {
            count = add_place(plan, cell, micro, PG_INPUT_GRAD, out, count);
        } else if (pg_code_kind(code) == PG_FORWARD) {
            if (stage > 0)
                count = add_place(plan, cell - 1, micro, PG_FORWARD, out, count);
        } else {
            if (stage + 1 < plan->stages)
                count = add_place(plan, cell + 1, micro, PG_BACKWARD, out, count);
            count = add_place(plan, cell, micro, PG_FORWARD, out, count);
        }
    }
    return count;
}

uint32_t pg_op_unblocks(const struct pg_plan *plan, uint32_t device, uint32_t index,
                        struct pg_place out[PG_MOST_NEEDS])
{
    uint32_t halves, first = first_half(plan, device, index, &halves), count = 0;

    for (uint32_t i = first; i < first + halves; i++) {
        pg_code code = plan->run[device].code[i];
        uint32_t cell = cell_at(plan, device, i), stage = cell % plan->stages;
        uint32_t micro = pg_code_micro(code);
        enum pg_kind kind = pg_code_kind(code);
        if (kind == PG_FORWARD) {
            if (stage + 1 < plan->stages)
                count = add_place(plan, cell + 1, micro, PG_FORWARD, out, count);
            if (!plan->family->is_forward_only)
                count = add_place(plan, cell, micro, PG_BACKWARD, out, count);
        } else if (kind != PG_WEIGHT_GRAD) {
            if (stage > 0)
                count = add_place(plan, cell - 1, micro, PG_BACKWARD, out, count);
            if (kind == PG_INPUT_GRAD)
                count = add_place(plan, cell, micro, PG_WEIGHT_GRAD, out, count);
        }
    }
    return count;
}

/* Equal but for rounding: sums of the same costs in another order. */
static bool is_same_time(double a, double b)
{
    return a - b <= 1e-9 * a && b - a <= 1e-9 * b;
}

/* Are both halves of one pair, or the same? */
static bool is_one(const struct pg_plan *plan, struct pg_place a, struct pg_place b)
{
    uint32_t halves;

    return a.device == b.device && first_half(plan, a.device, a.index, &halves) ==
                                       first_half(plan, b.device, b.index, &halves);
}

/* Looks for a need that came when something else did as well. What the device did just before came
 * with its end: that is no tie. */
static void find_tie(const struct pg_plan *plan, uint32_t device, uint32_t first,
                     const struct pg_place *needs, uint32_t count, struct pg_why *why)
{
    double start = plan->run[device].start[first];
    bool by_device = why->has_previous && is_same_time(start, why->previous_end);
    struct pg_place before = {device, first - 1}, data = {why->data_device, why->data_index};

    for (uint32_t i = 0; i < count && !why->is_tied; i++) {
        double end = pg_op_end(plan, needs[i].device, needs[i].index);
        if (!is_same_time(needs[i].device == device ? end : end + plan->transfer, start))
            continue;
        why->is_tied = by_device ? !is_one(plan, needs[i], before) : !is_one(plan, needs[i], data);
        why->tied = needs[i];
    }
}

void pg_op_why(const struct pg_plan *plan, uint32_t device, uint32_t index, struct pg_why *why)
{
    uint32_t halves, first = first_half(plan, device, index, &halves);
    struct pg_place needs[PG_MOST_NEEDS];
    uint32_t count = pg_op_needs(plan, device, index, needs);

    *why = (struct pg_why){.bound = PG_BOUND_ORIGIN,
                           .has_previous = first > 0,
                           .data_device = PG_NONE,
                           .data_index = PG_NONE};
    for (uint32_t i = 0; i < count; i++) {
        double end = pg_op_end(plan, needs[i].device, needs[i].index);
        double arrival = needs[i].device == device ? end : end + plan->transfer;
        if (why->has_data && arrival <= why->data_arrival)
            continue;
        why->has_data = true;
        why->data_device = needs[i].device;
        why->data_index = needs[i].index;
        why->data_end = end;
        why->data_arrival = arrival;
    }
    if (why->has_previous)
        why->previous_end = pg_op_end(plan, device, first - 1);
    find_tie(plan, device, first, needs, count, why);
    if (why->has_previous && !(why->has_data && why->data_arrival > why->previous_end))
        why->bound = PG_BOUND_DEVICE;
    else if (why->has_data)
        why->bound = PG_BOUND_DATA;
}

double pg_op_slack(const struct pg_plan *plan, const double *const *latest, uint32_t device,
                   uint32_t index)
{
    double slack = latest[device][index] - pg_op_end(plan, device, index);
    return slack > 1e-9 * plan->makespan ? slack : 0;
}

/* ---- the chain behind a gap ---- */

static struct pg_link link_of(const struct pg_plan *plan, struct pg_place from,
                              const struct pg_why *why)
{
    struct pg_link link = {.bound = why->bound, .is_tied = why->is_tied};

    if (why->bound == PG_BOUND_DEVICE) {
        uint32_t halves;
        link.at.device = from.device;
        link.at.index = first_half(plan, from.device, from.index, &halves) - 1;
        return link;
    }
    link.at = (struct pg_place){why->data_device, why->data_index};
    link.lag = why->data_arrival - why->data_end;
    return link;
}

/* A walk along the chain behind a gap. */
struct walk {
    const struct pg_plan *plan;
    struct pg_place at;
    double begin; /* of the gap */
    bool is_over;
};

static struct walk walk_make(const struct pg_plan *plan, uint32_t device, uint32_t index)
{
    return (struct walk){plan, {device, index}, index == 0 ? 0 : pg_op_end(plan, device, index - 1),
                         index >= plan->run[device].count};
}

static bool walk_on(struct walk *walk, struct pg_link *link)
{
    struct pg_why why;

    if (walk->is_over)
        return false;
    pg_op_why(walk->plan, walk->at.device, walk->at.index, &why);
    if (why.bound == PG_BOUND_ORIGIN)
        return false;
    *link = link_of(walk->plan, walk->at, &why);
    walk->at = link->at;
    walk->is_over = walk->plan->run[walk->at.device].start[walk->at.index] <= walk->begin;
    return true;
}

uint32_t pg_gap_chain(const struct pg_plan *plan, uint32_t device, uint32_t index,
                      struct pg_link *link, uint32_t room, uint32_t most)
{
    struct walk walk = walk_make(plan, device, index);
    struct pg_link step;
    uint32_t count = 0;

    while (count < most && walk_on(&walk, &step)) {
        if (count < room)
            link[count] = step;
        count++;
    }
    return count;
}

bool pg_gap_chain_last(const struct pg_plan *plan, uint32_t device, uint32_t index,
                       struct pg_link *last, uint32_t most)
{
    struct walk walk = walk_make(plan, device, index);
    uint32_t count = 0;

    while (count < most && walk_on(&walk, last))
        count++;
    return count > 0;
}
