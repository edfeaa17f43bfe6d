/* What lies in memory at a moment, and the moments at which something changes.
 *
 * A forward adds to the stash of its device when it starts, a backward takes away when it ends:
 * the level after an operation is a running sum in the order of the run, the same sum in the
 * same order that the metrics take their peak from. Every sixteenth of these sums is kept, and
 * over them a tower of maxima, each level a sixteenth as long as the one below, so that a level
 * or the largest level of a stretch of time costs two bisections and a few dozen operations
 * however long the run is. */
#include "core/internal.h"

#include <math.h>

enum { BLOCK = PG_STASH_BLOCK };

static size_t blocks_of(size_t count)
{
    return (count + BLOCK - 1) / BLOCK;
}

/* Entries of the tower over `count` operations. */
static size_t tower_of(size_t count)
{
    size_t all = 0;

    do
        all += count = blocks_of(count);
    while (count > 1);
    return all;
}

size_t pg_stash_size(const struct pg_plan *plan)
{
    size_t held = 0, tower = 0, devices = plan->devices;

    for (uint32_t d = 0; d < plan->devices; d++) {
        held += blocks_of(plan->run[d].count) + 1;
        tower += tower_of(plan->run[d].count);
    }
    return (held + tower) * sizeof(double) +
           devices * (2 * sizeof(size_t) + sizeof(struct pg_stash_peak)) + (size_t)64 * 5;
}

/* ---- levels ---- */

/* What operation `index` does to the sum. */
static double change_of(const struct pg_stash *stash, uint32_t device, uint32_t index)
{
    static const double counts[PG_KINDS] = {1, -1, 0, -1};
    const struct pg_plan *plan = stash->plan;
    pg_code code = plan->run[device].code[index];

    if (!stash->is_weighted)
        return counts[pg_code_kind(code)];
    const uint32_t *cells = plan->slot_cell + (size_t)device * plan->slots;
    const double *kept = plan->stash + 2 * (size_t)cells[pg_code_slot(code)];
    const double changes[PG_KINDS] = {kept[0], -kept[0], kept[1] - kept[0], -kept[1]};
    return changes[pg_code_kind(code)];
}

/* Does it do so when it starts? A forward does; and the first half of a pair whose second one is a
 * forward, which otherwise would add before the first has taken away. */
static bool is_at_start(const struct pg_run *run, uint32_t index)
{
    pg_code code = run->code[index];

    return pg_code_kind(code) == PG_FORWARD ||
           (code & PG_CODE_FUSED_FIRST && pg_code_kind(run->code[index + 1]) == PG_FORWARD);
}

static double moment_of(const struct pg_plan *plan, uint32_t device, uint32_t index)
{
    const struct pg_run *run = &plan->run[device];
    return is_at_start(run, index) ? run->start[index] : pg_op_end(plan, device, index);
}

/* The sum before operation `index`. */
static double sum_before(const struct pg_stash *stash, uint32_t device, uint32_t index)
{
    double sum = stash->held[stash->block[device] + index / BLOCK];

    for (uint32_t i = index / BLOCK * BLOCK; i < index; i++)
        sum += change_of(stash, device, i);
    return sum;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The largest sum after an operation from `from` to before `to`, which lie in one block. */
static double walk(const struct pg_stash *stash, uint32_t device, uint32_t from, uint32_t to)
{
    double sum = sum_before(stash, device, from), most = -INFINITY;

    for (uint32_t i = from; i < to; i++) {
        sum += change_of(stash, device, i);
        most = larger(most, sum);
    }
    return most;
}

/* The same from any operation to any other: ragged ends by walking, what is between in the
 * tower. */
static double most_between(const struct pg_stash *stash, uint32_t device, uint32_t from,
                           uint32_t to)
{
    size_t a = ((size_t)from + BLOCK - 1) / BLOCK, b = to / BLOCK;
    double most = -INFINITY;

    if (from >= to)
        return most;
    if (a > b)
        return walk(stash, device, from, to);
    if (from % BLOCK != 0)
        most = walk(stash, device, from, (uint32_t)a * BLOCK);
    if (to % BLOCK != 0)
        most = larger(most, walk(stash, device, (uint32_t)b * BLOCK, to));
    const double *level = stash->most + stash->tower[device];
    for (size_t count = blocks_of(stash->plan->run[device].count); a < b; a /= BLOCK, b /= BLOCK) {
        while (a < b && a % BLOCK != 0)
            most = larger(most, level[a++]);
        while (a < b && b % BLOCK != 0)
            most = larger(most, level[--b]);
        level += count;
        count = blocks_of(count);
    }
    return most;
}

static double level_of(const struct pg_stash *stash, double sum)
{
    return stash->is_weighted ? sum : sum / stash->plan->chunks;
}

/* ---- building ---- */

static void build_tower(struct pg_stash *stash, uint32_t device)
{
    size_t count = blocks_of(stash->plan->run[device].count);
    double *level = stash->most + stash->tower[device];

    while (count > 1) {
        double *above = level + count;
        for (size_t i = 0; i < count; i++)
            above[i / BLOCK] = i % BLOCK == 0 ? level[i] : larger(above[i / BLOCK], level[i]);
        level = above;
        count = blocks_of(count);
    }
}

static void build_device(struct pg_stash *stash, uint32_t device)
{
    const struct pg_plan *plan = stash->plan;
    const struct pg_run *run = &plan->run[device];
    double *held = stash->held + stash->block[device], *most = stash->most + stash->tower[device];
    double sum = 0, peak = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < run->count; i++) {
        if (i % BLOCK == 0) {
            held[i / BLOCK] = sum;
            most[i / BLOCK] = -INFINITY;
        }
        sum += change_of(stash, device, i);
        most[i / BLOCK] = larger(most[i / BLOCK], sum);
        at = sum > peak ? i : at;
        peak = larger(peak, sum);
    }
    if (run->count % BLOCK == 0)
        held[run->count / BLOCK] = sum;
    build_tower(stash, device);
    stash->peak[device] = (struct pg_stash_peak){
        .value = level_of(stash, peak),
        .start = moment_of(plan, device, at),
        .end = at + 1 < run->count ? moment_of(plan, device, at + 1) : plan->makespan,
        .index = at,
    };
    stash->largest = larger(stash->largest, stash->peak[device].value);
}

enum pg_status pg_stash_build(struct pg_arena *arena, const struct pg_plan *plan,
                              struct pg_stash *stash)
{
    size_t mark = pg_arena_mark(arena), held = 0, tower = 0;

    *stash = (struct pg_stash){
        .plan = plan,
        .is_weighted = plan->stash != NULL,
        .block = pg_arena_take(arena, plan->devices, sizeof(size_t)),
        .tower = pg_arena_take(arena, plan->devices, sizeof(size_t)),
        .peak = pg_arena_take(arena, plan->devices, sizeof(struct pg_stash_peak)),
    };
    bool is_good = stash->block != NULL && stash->tower != NULL && stash->peak != NULL;
    if (is_good) {
        for (uint32_t d = 0; d < plan->devices; d++) {
            stash->block[d] = held;
            stash->tower[d] = tower;
            held += blocks_of(plan->run[d].count) + 1;
            tower += tower_of(plan->run[d].count);
        }
        stash->held = pg_arena_take(arena, held, sizeof(double));
        stash->most = pg_arena_take(arena, tower, sizeof(double));
    }
    if (!is_good || stash->held == NULL || stash->most == NULL) {
        pg_arena_reset(arena, mark);
        stash->plan = NULL;
        return PG_E_MEMORY;
    }
    for (uint32_t d = 0; d < plan->devices; d++)
        build_device(stash, d);
    return PG_OK;
}

/* ---- asking ---- */

double pg_stash_at(const struct pg_stash *stash, uint32_t device, double time)
{
    const struct pg_run *run = &stash->plan->run[device];
    uint32_t at = pg_op_after(stash->plan, device, time);
    double sum = sum_before(stash, device, at);

    /* Twice at most: both halves of a pair. */
    for (; at < run->count && run->start[at] <= time && is_at_start(run, at); at++)
        sum += change_of(stash, device, at);
    return level_of(stash, sum);
}

/* How many operations of a device start before a time, or at it. */
static uint32_t started(const struct pg_run *run, double time, bool is_at_too)
{
    uint32_t low = 0, high = run->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (is_at_too ? run->start[middle] > time : run->start[middle] >= time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double pg_stash_most(const struct pg_stash *stash, uint32_t device, double from, double to)
{
    const struct pg_run *run = &stash->plan->run[device];
    uint32_t first = pg_op_after(stash->plan, device, from), behind = started(run, to, false);
    double most = pg_stash_at(stash, device, from);

    if (first >= behind)
        return most;
    /* All but the last one, or the last pair, have ended by the time that it started. */
    uint32_t last = behind - 1;
    last -= run->code[last] & PG_CODE_FUSED_SECOND && last > first ? 1 : 0;
    double sum = most_between(stash, device, first, last);
    for (; last < behind; last++)
        if (moment_of(stash->plan, device, last) < to)
            sum = larger(sum, walk(stash, device, last, last + 1));
    return larger(most, level_of(stash, sum));
}

/* ---- events ---- */

/* Sums of the same costs in another order differ in their last bits: no two events. */
double pg_event_width(const struct pg_plan *plan)
{
    return plan->makespan * 1e-11;
}

/* The last event of a device before a time, or at it; -INFINITY when there is none. */
static double last_event(const struct pg_plan *plan, uint32_t device, double time, bool is_at_too)
{
    uint32_t behind = started(&plan->run[device], time, is_at_too);

    if (behind == 0)
        return -INFINITY;
    double end = pg_op_end(plan, device, behind - 1);
    return end < time || (is_at_too && end == time) ? end : plan->run[device].start[behind - 1];
}

double pg_event_before(const struct pg_plan *plan, double time)
{
    double latest = -INFINITY;

    for (uint32_t d = 0; d < plan->devices; d++)
        latest = larger(latest, last_event(plan, d, time - pg_event_width(plan), false));
    return latest;
}

double pg_event_at(const struct pg_plan *plan, double time)
{
    double latest = -INFINITY;

    for (uint32_t d = 0; d < plan->devices; d++)
        latest = larger(latest, last_event(plan, d, time, true));
    return latest;
}

double pg_event_after(const struct pg_plan *plan, double time)
{
    double first = INFINITY, past = time + pg_event_width(plan);

    for (uint32_t d = 0; d < plan->devices; d++) {
        uint32_t index = pg_op_after(plan, d, past);
        if (index == plan->run[d].count)
            continue;
        double start = plan->run[d].start[index];
        double event = start > past ? start : pg_op_end(plan, d, index);
        first = event < first ? event : first;
    }
    return isfinite(first) ? pg_event_at(plan, first + pg_event_width(plan)) : first;
}
