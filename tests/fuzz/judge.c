/* A timed plan against everything the core says of it.
 *
 * pg_plan_verify says that the plan is legal. Beyond that: nothing could start earlier in its order;
 * idle time adds up by place and by cause; the critical path leads from 0 to the makespan without a
 * hole and has no slack; what one operation needs is what unblocks it; the list has them all. Every
 * block of memory is exactly as large as the core asked for. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_legal(const struct pg_plan *plan)
{
    struct block block = fuzz_block(pg_verify_size(plan));
    struct pg_fault fault = {.status = PG_OK};

    must(pg_plan_verify(plan, &block.arena, &fault) == PG_OK);
    free(block.memory);
}

/* ---- figures ---- */

static void check_metrics(const struct pg_plan *plan, const struct pg_metrics *m)
{
    double busy = 0, floor = 0;

    must(m->makespan == plan->makespan && m->makespan > 0);
    must(m->utilization >= 0 && m->utilization <= 1);
    must(m->bubble_fraction >= 0 && m->bubble_fraction <= 1);
    must(m->idle_over_ideal >= 0 && isfinite(m->idle_over_ideal));
    must(m->throughput > 0 && isfinite(m->throughput));
    must(m->span >= 0 && m->span <= m->makespan);
    must(m->span_bubble >= 0 && m->span_bubble <= 1);
    for (uint32_t d = 0; d < plan->devices; d++) {
        busy += m->device_work[d];
        floor = fmax(floor, m->device_work[d]);
        must(m->device_work[d] <= m->makespan * (1 + 1e-9));
        must(m->stage_peak_stash[d] <= m->peak_stash);
        must(m->device_memory[d] <= m->peak_memory);
    }
    must(is_about_equal(busy, m->total_busy_time, m->makespan * plan->devices));
    must(floor == m->floor);
    if (!isnan(m->formula)) /* a closed form holds where it is given */
        must(is_about_equal(m->formula, m->bubble_fraction, 1));
}

static void check_idle_of(const struct pg_idle *idle, double expected, double scale)
{
    must(is_about_equal(idle->total, expected, scale));
    must(idle->fill >= 0 && idle->inside >= 0 && idle->drain >= 0);
    must(idle->transfer >= 0 && idle->schedule >= 0 && idle->imbalance >= 0);
    must(is_about_equal(idle->fill + idle->inside + idle->drain, idle->total, scale));
    must(is_about_equal(idle->transfer + idle->schedule + idle->imbalance, idle->total, scale));
}

/* Of the gaps themselves, added up one by one. */
static double inside_of(const struct pg_plan *plan, uint32_t device)
{
    const struct pg_run *run = &plan->run[device];
    double sum = 0;

    for (uint32_t i = 1; i < run->count; i++)
        if (!(run->code[i] & PG_CODE_FUSED_SECOND))
            sum += run->start[i] - pg_op_end(plan, device, i - 1);
    return sum;
}

static void check_idle(const struct pg_plan *plan, const struct pg_metrics *m)
{
    struct block block = fuzz_block(pg_idle_size(plan));
    struct pg_idle_report report;
    struct pg_fault fault;
    double total = 0;

    must(pg_plan_idle(plan, m, &block.arena, &report, &fault) == PG_OK);
    must(report.makespan == plan->makespan && report.floor == m->floor);
    must(report.without_transfer <= plan->makespan);
    /* Times were rounded at the size of the makespan, whatever is left when transfer is taken away. */
    must(report.floor <= report.without_transfer + 1e-9 * plan->makespan);
    must(report.ideal <= report.floor * (1 + 1e-9) + 1e-300);
    for (uint32_t d = 0; d < plan->devices; d++) {
        double idle = plan->makespan - m->device_work[d];
        check_idle_of(&report.devices[d], idle, plan->makespan);
        must(is_about_equal(report.devices[d].inside, inside_of(plan, d), plan->makespan));
        total += idle;
    }
    if (total < 1e300)
        check_idle_of(&report.all, total, plan->makespan * plan->devices);
    free(block.memory);
}

/* ---- what each operation waits for ---- */

static bool same_op(const struct pg_plan *plan, struct pg_place a, struct pg_place b)
{
    const struct pg_run *run = &plan->run[a.device];

    if (a.device != b.device)
        return false;
    a.index -= (run->code[a.index] & PG_CODE_FUSED_SECOND) != 0;
    b.index -= (run->code[b.index] & PG_CODE_FUSED_SECOND) != 0;
    return a.index == b.index;
}

static bool is_among(const struct pg_plan *plan, struct pg_place at, const struct pg_place *places,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (same_op(plan, at, places[i]))
            return true;
    return false;
}

static void check_needs(const struct pg_plan *plan, struct pg_place here)
{
    struct pg_place needs[PG_MOST_NEEDS], back[PG_MOST_NEEDS];
    uint32_t count = pg_op_needs(plan, here.device, here.index, needs);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t backs = pg_op_unblocks(plan, needs[i].device, needs[i].index, back);
        must(is_among(plan, here, back, backs));
    }
    count = pg_op_unblocks(plan, here.device, here.index, needs);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t backs = pg_op_needs(plan, needs[i].device, needs[i].index, back);
        must(is_among(plan, here, back, backs));
    }
}

static void check_start(const struct pg_plan *plan, struct pg_place here)
{
    double start = plan->run[here.device].start[here.index], reason = 0;
    struct pg_why why;

    pg_op_why(plan, here.device, here.index, &why);
    if (why.has_previous)
        reason = fmax(reason, why.previous_end);
    if (why.has_data)
        reason = fmax(reason, why.data_arrival);
    must(start == reason); /* no earlier, no later */
    must((why.bound == PG_BOUND_ORIGIN) == (!why.has_previous && !why.has_data));
    must(why.bound != PG_BOUND_DEVICE || start == why.previous_end);
    must(why.bound != PG_BOUND_DATA || start == why.data_arrival);
}

static void check_op(const struct pg_plan *plan, struct pg_place here)
{
    struct pg_op op;
    uint32_t device;

    pg_op_at(plan, here.device, here.index, &op);
    must(op.device == here.device && op.stage < plan->stages && op.replica < plan->replicas);
    must(op.start >= 0 && op.end >= op.start && op.end <= plan->makespan);
    must(op.end == pg_op_end(plan, here.device, here.index));
    uint32_t cell = op.replica * plan->stages + op.stage;
    must(pg_op_find(plan, cell, op.micro_batch, (enum pg_kind)op.kind, &device) == here.index);
    must(device == here.device);
    uint32_t after = pg_op_after(plan, here.device, op.start);
    must(after <= here.index || op.end == op.start);
    check_start(plan, here);
    check_needs(plan, here);
}

static void check_gap(const struct pg_plan *plan, struct pg_place gap)
{
    const struct pg_run *run = &plan->run[gap.device];
    double begin = gap.index == 0 ? 0 : pg_op_end(plan, gap.device, gap.index - 1);
    struct pg_link link[8], last;
    uint32_t most = (uint32_t)plan->ops + 1;

    if (run->start[gap.index] <= begin)
        return;
    uint32_t count = pg_gap_chain(plan, gap.device, gap.index, link, 8, most);
    must(count > 0 && count < most);
    must(pg_gap_chain_last(plan, gap.device, gap.index, &last, most));
    must(plan->run[last.at.device].start[last.at.index] <= begin);
    double needed = run->start[gap.index];
    for (uint32_t i = 0; i < count && i < 8; i++) {
        double end = pg_op_end(plan, link[i].at.device, link[i].at.index);
        must(link[i].lag >= 0);
        must(is_about_equal(end + link[i].lag, needed, plan->makespan));
        needed = plan->run[link[i].at.device].start[link[i].at.index];
    }
}

/* ---- critical path and slack ---- */

static void check_path(const struct pg_plan *plan, const double *const *latest)
{
    struct block block = fuzz_block(pg_path_size(plan));
    struct pg_fault fault;
    struct pg_path path;
    double end = 0, kinds = 0, stages = 0;

    must(pg_plan_path(plan, &block.arena, &path, &fault) == PG_OK);
    must(path.count > 0 && path.first[plan->devices] == path.count);
    must(is_about_equal(path.work + path.transfer, plan->makespan, plan->makespan));
    must(is_about_equal((double)path.transfers * plan->transfer, path.transfer, plan->makespan));
    for (uint64_t i = 0; i < path.count; i++) {
        struct pg_place at = path.at[i];
        double start = plan->run[at.device].start[at.index];
        bool travels = i > 0 && path.at[i - 1].device != at.device;
        must(start == (travels ? end + plan->transfer : end));
        must(pg_op_slack(plan, latest, at.device, at.index) == 0);
        end = pg_op_end(plan, at.device, at.index);
    }
    must(end == plan->makespan);
    for (int k = 0; k < PG_KINDS; k++)
        kinds += path.kind_work[k];
    for (uint32_t s = 0; s < plan->stages; s++)
        stages += path.stage_work[s];
    must(is_about_equal(kinds, path.work, plan->makespan));
    must(is_about_equal(stages, path.work, plan->makespan));
    free(block.memory);
}

static void check_latest(const struct pg_plan *plan)
{
    struct block block = fuzz_block(pg_latest_size(plan));
    struct pg_fault fault;
    const double **latest;

    must(pg_plan_latest(plan, &block.arena, &latest, &fault) == PG_OK);
    for (uint32_t d = 0; d < plan->devices; d++)
        for (uint32_t i = 0; i < plan->run[d].count; i++) {
            double end = pg_op_end(plan, d, i);
            must(latest[d][i] >= end - 1e-9 * plan->makespan);
            must(latest[d][i] <= plan->makespan * (1 + 1e-9));
        }
    check_path(plan, latest);
    free(block.memory);
}

static void check_retime(const struct pg_plan *plan)
{
    struct block block = fuzz_block(pg_retime_size(plan));
    struct pg_fault fault;
    double same, none;

    must(pg_plan_retime(plan, plan->transfer, &block.arena, &same, &fault) == PG_OK);
    must(same == plan->makespan);
    must(pg_plan_retime(plan, 0, &block.arena, &none, &fault) == PG_OK);
    must(none <= same);
    free(block.memory);
}

/* ---- the list ---- */

static void check_list(const struct pg_plan *plan)
{
    struct pg_op *list = malloc((size_t)plan->ops * sizeof *list);
    struct pg_op *scratch = malloc((size_t)plan->ops * sizeof *scratch);
    double work = 0;

    must(list != NULL && scratch != NULL);
    pg_plan_list(plan, list, scratch);
    for (uint64_t i = 0; i < plan->ops; i++) {
        must(i == 0 || list[i - 1].start <= list[i].start);
        must(list[i].end <= plan->makespan);
        work += list[i].end - list[i].start;
    }
    must(work > 0);
    free(list);
    free(scratch);
}

void check_plan(const struct pg_plan *plan)
{
    struct block block = fuzz_block(pg_metrics_size(plan->devices));
    struct pg_metrics metrics;

    check_legal(plan);
    must(pg_plan_judge(plan, &block.arena, &metrics) == PG_OK);
    check_metrics(plan, &metrics);
    check_idle(plan, &metrics);
    check_latest(plan);
    check_retime(plan);
    check_list(plan);
    /* Of a large plan not every operation, but some of every run and all of a short one. */
    uint32_t step = 1 + (uint32_t)(plan->ops / 200);
    for (uint32_t d = 0; d < plan->devices; d++)
        for (uint32_t i = d % step; i < plan->run[d].count; i += step) {
            check_op(plan, (struct pg_place){d, i});
            check_gap(plan, (struct pg_place){d, i});
        }
    free(block.memory);
}
