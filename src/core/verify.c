/* An independent check of any plan.
 *
 * A new family is a few lines of order, and an order that is subtly wrong still draws a plausible
 * chart. So this file takes nothing on trust: it reads codes from their description in pg.h, adds
 * costs itself, and knows the rules of a training step but neither emitters nor the clock. First a
 * roll call (is everything there once, and at home?), then the times, operation by operation. */
#include "core/internal.h"

#include <math.h>
#include <string.h>

enum half { ALONE, FIRST, SECOND };

/* An operation as its code spells it, before anything about it is believed. */
struct item {
    uint32_t device, index, cell, micro_batch, kind, half;
};

struct check {
    const struct pg_plan *plan;
    struct pg_fault *fault;
    size_t cells;
    uint8_t *seen;    /* [cells][micro_each]: a bit a kind, and four bits up, which have passed */
    double *end;      /* [cells][2][micro_each]: of the forward, of the B or I */
    double latest;    /* end so far, */
    struct item last; /* and whose */
};

static size_t line_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static size_t pairs_of(const struct pg_plan *plan)
{
    return (size_t)plan->replicas * plan->stages * plan->micro_each;
}

size_t pg_verify_size(const struct pg_plan *plan)
{
    return 64 + line_up(pairs_of(plan)) + line_up(pairs_of(plan) * 2 * sizeof(double));
}

static enum pg_status report(const struct check *check, const struct item *item,
                             enum pg_status status, double value, double limit)
{
    *check->fault = fault_make(status);
    check->fault->device = item->device;
    check->fault->index = item->index;
    check->fault->micro_batch = item->micro_batch;
    check->fault->kind = (int)item->kind;
    if (item->cell < check->cells)
        check->fault->stage = item->cell % check->plan->stages;
    check->fault->value = value;
    check->fault->limit = limit;
    return status;
}

static struct item item_read(const struct pg_plan *plan, uint32_t device, uint32_t index)
{
    uint32_t code = plan->run[device].code[index];
    uint32_t slot = code >> 22 & 63;
    struct item item = {device, index, PG_NONE, code & 0xfffff, code >> 20 & 3, code >> 28};

    if (slot < plan->slots)
        item.cell = plan->slot_cell[(size_t)device * plan->slots + slot];
    return item;
}

static bool is_at_home(const struct check *check, const struct item *item)
{
    return item->cell < check->cells && check->plan->cell_device[item->cell] == item->device &&
           item->micro_batch < check->plan->micro_each && item->half <= SECOND;
}

static size_t pair_index(const struct check *check, uint32_t cell, uint32_t micro_batch)
{
    return (size_t)cell * check->plan->micro_each + micro_batch;
}

static double *end_of(const struct check *check, uint32_t cell, bool is_gradient,
                      uint32_t micro_batch)
{
    return &check->end[((size_t)cell * 2 + is_gradient) * check->plan->micro_each + micro_batch];
}

/* ---- the roll call ---- */

enum { F = 1 << PG_FORWARD, B = 1 << PG_BACKWARD, I = 1 << PG_INPUT_GRAD, W = 1 << PG_WEIGHT_GRAD };

static enum pg_status call_roll(struct check *check)
{
    static const uint8_t excludes[PG_KINDS] = {F, B | I | W, B | I, B | W};

    for (uint32_t d = 0; d < check->plan->devices; d++)
        for (uint32_t i = 0; i < check->plan->run[d].count; i++) {
            struct item item = item_read(check->plan, d, i);
            if (!is_at_home(check, &item))
                return report(check, &item, PG_E_PLACE, 0, 0);
            uint8_t *seen = &check->seen[pair_index(check, item.cell, item.micro_batch)];
            if (*seen & excludes[item.kind])
                return report(check, &item, PG_E_DOUBLED, 0, 0);
            *seen |= (uint8_t)(1u << item.kind);
        }
    return PG_OK;
}

static enum pg_kind missing_of(uint8_t seen)
{
    if (!(seen & F))
        return PG_FORWARD;
    if (seen & I)
        return PG_WEIGHT_GRAD;
    return seen & W ? PG_INPUT_GRAD : PG_BACKWARD;
}

static enum pg_status find_missing(struct check *check)
{
    for (uint32_t cell = 0; cell < check->cells; cell++)
        for (uint32_t m = 0; m < check->plan->micro_each; m++) {
            uint8_t seen = check->seen[pair_index(check, cell, m)];
            bool is_inference = check->plan->family->is_forward_only;
            if (is_inference ? seen == F : seen == (F | B) || seen == (F | I | W))
                continue;
            struct item item = {
                check->plan->cell_device[cell], PG_NONE, cell, m, missing_of(seen), ALONE};
            return report(check, &item, PG_E_MISSING, 0, 0);
        }
    return PG_OK;
}

/* ---- times ---- */

static double start_of(const struct pg_plan *plan, const struct item *item)
{
    return plan->run[item->device].start[item->index];
}

static double cost_of(const struct pg_plan *plan, const struct item *item)
{
    return plan->cost[(size_t)item->cell * PG_KINDS + item->kind];
}

/* How long it takes its device; not a number for half of a pair without the other half. */
static double duration_of(const struct pg_plan *plan, const struct item *item)
{
    if (item->half == ALONE)
        return cost_of(plan, item);
    if (item->half == FIRST ? item->index + 1 == plan->run[item->device].count : item->index == 0)
        return NAN;

    uint32_t beside = item->half == FIRST ? item->index + 1 : item->index - 1;
    struct item other = item_read(plan, item->device, beside);
    if (item->half + other.half != FIRST + SECOND)
        return NAN;
    return (cost_of(plan, item) + cost_of(plan, &other)) * plan->fused;
}

static enum pg_status record_ends(struct check *check)
{
    for (uint32_t d = 0; d < check->plan->devices; d++)
        for (uint32_t i = 0; i < check->plan->run[d].count; i++) {
            struct item item = item_read(check->plan, d, i);
            double duration = duration_of(check->plan, &item);
            if (isnan(duration))
                return report(check, &item, PG_E_PLACE, 0, 0);
            if (item.kind != PG_WEIGHT_GRAD)
                *end_of(check, item.cell, item.kind != PG_FORWARD, item.micro_batch) =
                    start_of(check->plan, &item) + duration;
        }
    return PG_OK;
}

/* When what `cell` did for this micro-batch is there for `item`. On its own device it must also
 * come before it in the run: a cost can be too small to move the clock, and then times alone would
 * let the two stand either way round. */
static double arrival_of(const struct check *check, const struct item *item, uint32_t cell,
                         bool is_gradient)
{
    double end = *end_of(check, cell, is_gradient, item->micro_batch);
    uint8_t passed = check->seen[pair_index(check, cell, item->micro_batch)] >> PG_KINDS;

    if (check->plan->cell_device[cell] != item->device)
        return end + check->plan->transfer;
    if (passed & (is_gradient ? B | I : F) || end > start_of(check->plan, item))
        return end;
    return INFINITY;
}

/* When everything is there that `item` needs. */
static double needs_until(const struct check *check, const struct item *item)
{
    uint32_t stage = item->cell % check->plan->stages;
    double own, other;

    switch (item->kind) {
    case PG_FORWARD:
        return stage > 0 ? arrival_of(check, item, item->cell - 1, false) : 0;
    case PG_WEIGHT_GRAD:
        return arrival_of(check, item, item->cell, true);
    default:
        own = arrival_of(check, item, item->cell, false);
        if (stage + 1 == check->plan->stages)
            return own;
        other = arrival_of(check, item, item->cell + 1, true);
        return own > other ? own : other;
    }
}

/* The plan writes down the end of everything but a W, and the two halves of a pair share times. */
static enum pg_status judge_end(const struct check *check, const struct item *item, double end)
{
    const struct pg_plan *plan = check->plan;
    size_t row = (size_t)item->cell * 2 + (item->kind != PG_FORWARD);

    if (item->half == SECOND) {
        struct item first = item_read(plan, item->device, item->index - 1);
        if (start_of(plan, item) != start_of(plan, &first))
            return report(check, item, PG_E_DURATION, end,
                          start_of(plan, &first) + duration_of(plan, &first));
    }
    double recorded = item->kind == PG_WEIGHT_GRAD
                          ? end
                          : plan->done[row * plan->done_stride + item->micro_batch];
    if (recorded != end || !isfinite(end))
        return report(check, item, PG_E_DURATION, recorded, end);
    return PG_OK;
}

static void pass(struct check *check, const struct item *item)
{
    check->seen[pair_index(check, item->cell, item->micro_batch)] |=
        (uint8_t)(1u << (item->kind + PG_KINDS));
}

/* A pair takes its device as one: both halves see the same `free_at`, and neither has passed when
 * the other is judged. */
static enum pg_status judge_item(struct check *check, const struct item *item, double *free_at)
{
    double start = start_of(check->plan, item);
    double end = start + duration_of(check->plan, item);
    double needs = needs_until(check, item);

    if (!(start >= *free_at))
        return report(check, item, PG_E_OVERLAP, start, *free_at);
    if (!(start >= needs))
        return report(check, item, PG_E_DEPENDENCY, start, needs);
    enum pg_status status = judge_end(check, item, end);
    if (status != PG_OK || item->half == FIRST)
        return status;
    *free_at = end;
    pass(check, item);
    if (item->half == SECOND) {
        struct item first = item_read(check->plan, item->device, item->index - 1);
        pass(check, &first);
    }
    if (end > check->latest) {
        check->latest = end;
        check->last = *item;
    }
    return PG_OK;
}

static enum pg_status judge_times(struct check *check)
{
    for (uint32_t d = 0; d < check->plan->devices; d++) {
        double free_at = 0;
        for (uint32_t i = 0; i < check->plan->run[d].count; i++) {
            struct item item = item_read(check->plan, d, i);
            enum pg_status status = judge_item(check, &item, &free_at);
            if (status != PG_OK)
                return status;
        }
    }
    if (check->plan->makespan != check->latest)
        return report(check, &check->last, PG_E_DURATION, check->plan->makespan, check->latest);
    return PG_OK;
}

enum pg_status pg_plan_verify(const struct pg_plan *plan, struct pg_arena *arena,
                              struct pg_fault *fault)
{
    size_t mark = pg_arena_mark(arena), pairs = pairs_of(plan);
    struct check check = {
        .plan = plan,
        .fault = fault,
        .cells = (size_t)plan->replicas * plan->stages,
        .seen = pg_arena_take(arena, pairs, 1),
        .end = pg_arena_take(arena, pairs * 2, sizeof(double)),
    };
    enum pg_status status = PG_E_MEMORY;

    if (check.seen != NULL && check.end != NULL) {
        memset(check.seen, 0, pairs);
        status = call_roll(&check);
        if (status == PG_OK)
            status = find_missing(&check);
        if (status == PG_OK)
            status = record_ends(&check);
        if (status == PG_OK)
            status = judge_times(&check);
    }
    pg_arena_reset(arena, mark);
    if (status == PG_E_MEMORY) {
        *fault = fault_make(PG_E_MEMORY);
        fault->value = (double)(pg_verify_size(plan) - (arena->size - arena->used));
    }
    return status;
}
