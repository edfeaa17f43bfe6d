/* Where idle time comes from.
 *
 * A device idles makespan - work. By place that is what lies before its first operation, between
 * operations and behind its last. By cause it is a chain of makespans: the one there is, the one of
 * the same orders when nothing takes time to travel, and the largest work of a device, below which
 * no order can come. Each step down the chain is one obstacle less, so its length is what that
 * obstacle costs every device; what is left is work that the busiest device has and this one has not. */
#include "core/internal.h"


size_t pg_idle_size(const struct pg_plan *plan)
{
    return plan->devices * sizeof(struct pg_idle) + 64 + pg_retime_size(plan);
}

static double at_least_0(double value)
{
    return value > 0 ? value : 0; /* differences of equal sums, added up in another order */
}

static struct pg_idle idle_of(const struct pg_plan *plan, uint32_t device, double work,
                              const struct pg_idle_report *report)
{
    const struct pg_run *run = &plan->run[device];
    struct pg_idle idle = {.total = at_least_0(report->makespan - work)};

    idle.fill = run->start[0];
    idle.drain = at_least_0(report->makespan - pg_op_end(plan, device, run->count - 1));
    idle.inside = at_least_0(idle.total - idle.fill - idle.drain);
    idle.transfer = report->makespan - report->without_transfer;
    idle.schedule = at_least_0(report->without_transfer - report->floor);
    idle.imbalance = at_least_0(report->floor - work);
    return idle;
}

static void add(struct pg_idle *sum, const struct pg_idle *idle)
{
    sum->total += idle->total;
    sum->fill += idle->fill;
    sum->inside += idle->inside;
    sum->drain += idle->drain;
    sum->transfer += idle->transfer;
    sum->schedule += idle->schedule;
    sum->imbalance += idle->imbalance;
}

enum pg_status pg_plan_idle(const struct pg_plan *plan, const struct pg_metrics *metrics,
                            struct pg_arena *arena, struct pg_idle_report *report,
                            struct pg_fault *fault)
{
    size_t mark = pg_arena_mark(arena);

    *report = (struct pg_idle_report){
        .floor = metrics->floor,
        .without_transfer = plan->makespan,
        .makespan = plan->makespan,
        .devices = pg_arena_take(arena, plan->devices, sizeof *report->devices),
    };
    if (report->devices == NULL) {
        *fault = fault_make(PG_E_MEMORY);
        fault->value = (double)pg_idle_size(plan);
        return PG_E_MEMORY;
    }
    if (plan->transfer > 0) {
        enum pg_status status = pg_plan_retime(plan, 0, arena, &report->without_transfer, fault);
        if (status != PG_OK) {
            pg_arena_reset(arena, mark);
            return status;
        }
    }
    for (uint32_t d = 0; d < plan->devices; d++) {
        double work = metrics->device_work[d];
        report->ideal += work / plan->devices;
        report->devices[d] = idle_of(plan, d, work, report);
        add(&report->all, &report->devices[d]);
    }
    return PG_OK;
}
