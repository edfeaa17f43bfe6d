/* Judges a timeline: makespan, bubble, stash and what a formula would say.
 *
 * One pass over the runs gathers, per device, busy time and the running count of stashed
 * micro-batches; everything else follows from those and the cost table. */
#include "core/internal.h"

#include <float.h>
#include <math.h>

size_t pg_metrics_size(uint32_t devices)
{
    return (size_t)devices * sizeof(double) * 3 + (size_t)64 * 4;
}

/* What a run of a device adds up to. */
struct tally {
    double busy;  /* sum of end - start, a fused pair once */
    int32_t peak; /* most stage-micro-batches between their forward and the end of their backward */
};

static struct tally tally_of(const struct pg_plan *plan, uint32_t device)
{
    static const int8_t change[PG_KINDS] = {1, -1, 0, -1};
    const struct pg_run *run = &plan->run[device];
    const uint32_t *cells = plan->slot_cell + (size_t)device * plan->slots;
    struct tally tally = {0, 0};
    int32_t held = 0;

    for (uint32_t i = 0; i < run->count; i++) {
        pg_code code = run->code[i];
        enum pg_kind kind = pg_code_kind(code);
        held += change[kind];
        tally.peak = held > tally.peak ? held : tally.peak;
        if (code & PG_CODE_FUSED_SECOND)
            continue;
        double start = run->start[i];
        double end = code & PG_CODE_FUSED_FIRST
                         ? pg_op_end(plan, device, i)
                         : start + plan->cost[cells[pg_code_slot(code)] * PG_KINDS + kind];
        tally.busy += end - start;
    }
    return tally;
}

/* The peak with what a micro-batch keeps: all of it until its B or I, the rest of it until W. */
static double memory_of(const struct pg_plan *plan, uint32_t device)
{
    const struct pg_run *run = &plan->run[device];
    const uint32_t *cells = plan->slot_cell + (size_t)device * plan->slots;
    double held = 0, peak = 0;

    for (uint32_t i = 0; i < run->count; i++) {
        const double *stash = plan->stash + 2 * (size_t)cells[pg_code_slot(run->code[i])];
        const double change[PG_KINDS] = {stash[0], -stash[0], stash[1] - stash[0], -stash[1]};
        held += change[pg_code_kind(run->code[i])];
        peak = held > peak ? held : peak;
    }
    return peak;
}

/* Work of a device from its costs, free of the rounding of start times: with equal costs of 0.1 it
 * is a round number where the sum of durations is not. */
static double work_of(const struct pg_plan *plan, uint32_t device)
{
    const uint32_t *cells = plan->slot_cell + (size_t)device * plan->slots;
    double work = 0;

    for (uint32_t slot = 0; slot < plan->slots && cells[slot] != PG_NONE; slot++) {
        const double *cost = plan->cost + (size_t)cells[slot] * PG_KINDS;
        work += cost[PG_FORWARD] + (plan->family->is_forward_only ? 0 : cost[PG_BACKWARD]);
    }
    return work * plan->micro_each;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static bool is_uniform(const struct pg_plan *plan)
{
    size_t cells = (size_t)plan->replicas * plan->stages;

    for (size_t i = PG_KINDS; i < cells * PG_KINDS; i++)
        if (plan->cost[i] != plan->cost[i % PG_KINDS])
            return false;
    return true;
}

static void judge_whole(const struct pg_plan *plan, struct pg_metrics *m)
{
    double devices = plan->devices, micro_batches = plan->micro_batches;
    double busy = m->total_busy_time;

    if (plan->family->is_synchronous_1v) {
        double per_micro_batch = 0;
        for (uint32_t s = 0; s < plan->stages; s++)
            per_micro_batch += plan->cost[(size_t)s * PG_KINDS + PG_FORWARD] +
                               plan->cost[(size_t)s * PG_KINDS + PG_BACKWARD];
        busy = per_micro_batch * micro_batches;
        m->analytical_bubble_fraction = (devices - 1) / (micro_batches + devices - 1);
        m->analytical_utilization = micro_batches / (micro_batches + devices - 1);
    }
    m->formula = NAN;
    if (plan->family->makespan != NULL && plan->transfer == 0 && is_uniform(plan)) {
        double makespan = plan->family->makespan(plan);
        m->formula = (makespan - m->device_work[0]) / makespan;
    }
    double share = busy / m->makespan / devices; /* in this order nothing overflows */
    m->utilization = share < 1 ? share : 1;
    m->bubble_fraction = 1 - m->utilization;
    double ratio = m->bubble_fraction / m->utilization;
    m->idle_over_ideal = ratio < DBL_MAX ? ratio : DBL_MAX; /* work of nothing against transfer */
    double throughput = micro_batches / m->makespan;
    m->throughput = throughput < DBL_MAX ? throughput : DBL_MAX; /* of the tiniest costs */
}

enum pg_status pg_plan_judge(const struct pg_plan *plan, struct pg_arena *arena,
                             struct pg_metrics *metrics)
{
    size_t mark = pg_arena_mark(arena);

    *metrics = (struct pg_metrics){
        .makespan = plan->makespan,
        .analytical_bubble_fraction = NAN,
        .analytical_utilization = NAN,
        .device_work = pg_arena_take(arena, plan->devices, sizeof(double)),
        .stage_peak_stash = pg_arena_take(arena, plan->devices, sizeof(double)),
        .device_memory = pg_arena_take(arena, plan->devices, sizeof(double)),
    };
    double spans = 0;
    if (metrics->device_work == NULL || metrics->stage_peak_stash == NULL ||
        metrics->device_memory == NULL) {
        pg_arena_reset(arena, mark);
        return PG_E_MEMORY;
    }
    for (uint32_t d = 0; d < plan->devices; d++) {
        bool has_fused = plan->fused != 1;
        struct tally tally = tally_of(plan, d);
        metrics->total_busy_time += tally.busy;
        metrics->device_work[d] = has_fused ? tally.busy : work_of(plan, d);
        metrics->stage_peak_stash[d] = (double)tally.peak / plan->chunks;
        metrics->floor = larger(metrics->floor, metrics->device_work[d]);
        metrics->peak_stash = larger(metrics->peak_stash, metrics->stage_peak_stash[d]);
        metrics->device_memory[d] = plan->stash != NULL ? memory_of(plan, d)
                                                        : metrics->stage_peak_stash[d];
        metrics->peak_memory = larger(metrics->peak_memory, metrics->device_memory[d]);
        double span = pg_op_end(plan, d, plan->run[d].count - 1) - plan->run[d].start[0];
        metrics->span = larger(metrics->span, span);
        spans += span;
    }
    double inside = 1 - metrics->total_busy_time / spans;
    metrics->span_bubble = inside > 1e-12 ? inside : 0;
    judge_whole(plan, metrics);
    return PG_OK;
}
