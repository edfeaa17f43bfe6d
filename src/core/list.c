/* All operations in one sorted list: start, stage, kind, micro-batch, replica.
 *
 * Runs are sorted by start already, so they are merged pairwise, log2(P) passes over the list. Only
 * operations of one device that start at the same moment (fused pairs, or a cost too small to move
 * the clock) may stand the other way round in a run; so each run is put right first. */
#include "core/internal.h"

static bool is_before(const struct pg_op *a, const struct pg_op *b)
{
    if (a->start != b->start)
        return a->start < b->start;
    if (a->stage != b->stage)
        return a->stage < b->stage;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    if (a->micro_batch != b->micro_batch)
        return a->micro_batch < b->micro_batch;
    return a->replica < b->replica;
}

static void merge(const struct pg_op *a, const struct pg_op *a_end, const struct pg_op *b,
                  const struct pg_op *b_end, struct pg_op *out)
{
    while (a < a_end && b < b_end)
        *out++ = is_before(b, a) ? *b++ : *a++;
    while (a < a_end)
        *out++ = *a++;
    while (b < b_end)
        *out++ = *b++;
}

/* Sorts what is nearly sorted: halves in order are left where they are. */
static void sort_run(struct pg_op *ops, size_t count, struct pg_op *scratch)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t at = 0; at + width < count; at += 2 * width) {
            size_t end = at + 2 * width < count ? at + 2 * width : count;
            if (!is_before(&ops[at + width], &ops[at + width - 1]))
                continue;
            merge(ops + at, ops + at + width, ops + at + width, ops + end, scratch);
            for (size_t i = at; i < end; i++)
                ops[i] = scratch[i - at];
        }
    }
}

static void spell_run(const struct pg_plan *plan, uint32_t device, struct pg_op *out,
                      struct pg_op *scratch)
{
    uint32_t count = plan->run[device].count;

    for (uint32_t i = 0; i < count; i++)
        pg_op_at(plan, device, i, &out[i]);
    sort_run(out, count, scratch);
}

/* Sum of counts of the first `devices` runs: where the next run begins in the list. */
static size_t offset_of(const struct pg_plan *plan, uint32_t devices)
{
    size_t sum = 0;
    for (uint32_t d = 0; d < devices && d < plan->devices; d++)
        sum += plan->run[d].count;
    return sum;
}

void pg_plan_list(const struct pg_plan *plan, struct pg_op *out, struct pg_op *scratch)
{
    struct pg_op *from = out, *to = scratch;

    for (uint32_t d = 0; d < plan->devices; d++)
        spell_run(plan, d, out + offset_of(plan, d), scratch);
    for (uint32_t width = 1; width < plan->devices; width *= 2) {
        for (uint32_t d = 0; d < plan->devices; d += 2 * width) {
            size_t a = offset_of(plan, d), b = offset_of(plan, d + width),
                   end = offset_of(plan, d + 2 * width);
            merge(from + a, from + b, from + b, from + end, to + a);
        }
        struct pg_op *swap = from;
        from = to;
        to = swap;
    }
    if (from != out)
        for (uint64_t i = 0; i < plan->ops; i++)
            out[i] = from[i];
}
