/* A plan: where stages lie, what they cost, and the order of every device, laid out for the clock.
 *
 * The one idea is the layout. Per device there are two flat arrays in run order, codes and starts;
 * that order is sorted by time, so whoever draws a part of it finds the part by bisection. Ends are
 * not stored: an end is the start plus a cost. Beside the runs lies one table of end times by stage
 * and micro-batch, because that is how dependencies ask for them. */
#include "core/internal.h"

#include <math.h>

/* Items of a row of whole lines. Rows of 2^k doubles would all fall into the same few cache sets; an
 * odd number of lines spreads them. Short rows are spread anyway, and a line would be much of them. */
static size_t padded(size_t count, size_t item)
{
    size_t line = 64 / item, lines = (count + line - 1) / line;
    return (lines < 8 ? lines : lines | 1) * line;
}

/* Doubles from row to row of end times. Without gradients their rows are left out: a cell has one. */
static size_t done_stride_of(const struct pg_family *family, size_t micro_each)
{
    size_t row = padded(micro_each, sizeof(double));
    return family->is_forward_only ? row / 2 : row;
}

/* All rows; the half of one more is for who looks where a gradient would be. */
static size_t done_room(const struct pg_family *family, size_t cells, size_t micro_each)
{
    return (cells * 2 + family->is_forward_only) * done_stride_of(family, micro_each);
}

static uint32_t replicas_of(const struct pg_family *family)
{
    return family->placement == PG_BIDIRECTIONAL ? 2 : 1;
}

/* Operations of one device at most. */
static size_t run_room(const struct pg_problem *problem, uint32_t device)
{
    const struct pg_table *table = problem_table(problem);

    if (table != NULL)
        return table->run[device].count;
    return (size_t)pg_problem_chunks(problem) * problem->micro_batches *
           pg_family_ops(problem->family);
}

/* Items of all runs, each padded. */
static size_t runs_room(const struct pg_problem *problem, size_t item)
{
    size_t sum = 0;

    if (problem_table(problem) == NULL)
        return problem->devices * padded(run_room(problem, 0), item);
    for (uint32_t d = 0; d < problem->devices; d++)
        sum += padded(run_room(problem, d), item);
    return sum;
}

static uint32_t slots_of(const struct pg_problem *problem)
{
    const struct pg_table *table = problem_table(problem);
    return table != NULL ? table->slots
                         : pg_problem_chunks(problem) * replicas_of(problem->family);
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

size_t pg_plan_size(const struct pg_problem *problem)
{
    struct pg_fault fault;
    if (pg_problem_check(problem, &fault) != PG_OK)
        return 0;

    size_t devices = problem->devices;
    size_t replicas = replicas_of(problem->family);
    size_t cells = pg_problem_stages(problem) * replicas;
    size_t each = problem->micro_batches / replicas;
    size_t rows = (size_t)slots_of(problem) * PG_KINDS;

    return 64 + rounded(cells * sizeof(uint32_t)) +
           rounded(devices * slots_of(problem) * sizeof(uint32_t)) +
           rounded(cells * PG_KINDS * sizeof(double)) +
           rounded(cells * 2 * sizeof(double)) +
           rounded(devices * sizeof(struct pg_run)) +
           rounded(runs_room(problem, sizeof(pg_code)) * sizeof(pg_code)) +
           rounded(runs_room(problem, sizeof(double)) * sizeof(double)) +
           rounded(done_room(problem->family, cells, each) * sizeof(double)) +
           pg_time_scratch_size(problem->devices, rows, each);
}

uint32_t pg_stage_device(const struct pg_family *family, uint32_t devices, uint32_t stage,
                         uint32_t replica)
{
    uint32_t lap = stage / devices, at = stage % devices;
    bool is_down = family->placement == PG_V ? lap % 2 == 0 : replica == 0;
    return is_down || family->placement == PG_LOOP ? at : devices - 1 - at;
}

/* Slots of a device are its cells in ascending order: chunks by depth, replicas one after another. */
static void place(uint32_t *cell_device, uint32_t *slot_cell, const struct pg_plan *plan)
{
    for (uint32_t cell = 0; cell < plan->replicas * plan->stages; cell++) {
        uint32_t stage = cell % plan->stages, replica = cell / plan->stages;
        uint32_t device = pg_stage_device(plan->family, plan->devices, stage, replica);
        uint32_t slot = replica * plan->chunks + stage / plan->devices;
        cell_device[cell] = device;
        slot_cell[device * plan->slots + slot] = cell;
    }
}

static void price(struct pg_plan *plan, const struct pg_problem *problem, double *cost)
{
    for (uint32_t cell = 0; cell < plan->replicas * plan->stages; cell++) {
        uint32_t stage = cell % plan->stages;
        double *row = cost + (size_t)cell * PG_KINDS;
        double backward = problem->backward.v[problem->backward.n == 1 ? 0 : stage];
        double weight = problem->weight.n == 0 ? backward / 2
                                               : problem->weight.v[problem->weight.n == 1 ? 0 : stage];
        row[PG_FORWARD] = problem->forward.v[problem->forward.n == 1 ? 0 : stage];
        row[PG_BACKWARD] = backward;
        row[PG_INPUT_GRAD] = backward - weight;
        row[PG_WEIGHT_GRAD] = weight;
    }
    plan->cost = cost;
}

static double entry(struct pg_list list, uint32_t stage, double missing)
{
    return list.n == 0 ? missing : list.v[list.n == 1 ? 0 : stage];
}

/* What a micro-batch keeps on a stage, and what of it a weight gradient still needs. */
static void weigh(struct pg_plan *plan, const struct pg_problem *problem, double *stash)
{
    for (uint32_t cell = 0; cell < plan->replicas * plan->stages; cell++) {
        uint32_t stage = cell % plan->stages;
        double whole = entry(problem->activation, stage, 1.0 / plan->chunks);
        double late = entry(problem->weight_activation, stage, whole);
        stash[2 * (size_t)cell] = whole;
        stash[2 * (size_t)cell + 1] = late < whole ? late : whole;
    }
    plan->stash = stash;
}

static bool has_weights(const struct pg_problem *problem)
{
    return problem->activation.n + problem->weight_activation.n > 0;
}

/* Bytes that an arena lacks. */
static double missing(const struct pg_arena *arena, size_t needed)
{
    size_t room = arena->size - arena->used;
    return needed > room ? (double)(needed - room) : 0;
}

static bool reserve(struct pg_plan *plan, struct pg_arena *arena, const struct pg_problem *problem,
                    struct pg_fault *fault)
{
    size_t cells = (size_t)plan->replicas * plan->stages, mark = pg_arena_mark(arena);
    uint32_t *cell_device = pg_arena_take(arena, cells, sizeof *cell_device);
    uint32_t *slot_cell = pg_arena_take(arena, (size_t)plan->devices * plan->slots, sizeof *slot_cell);
    double *cost = pg_arena_take(arena, cells * PG_KINDS, sizeof *cost);
    double *stash = has_weights(problem) ? pg_arena_take(arena, cells * 2, sizeof *stash) : NULL;
    plan->run = pg_arena_take(arena, plan->devices, sizeof *plan->run);
    pg_code *code = pg_arena_take(arena, runs_room(problem, sizeof *code), sizeof *code);
    double *start = pg_arena_take(arena, runs_room(problem, sizeof *start), sizeof *start);
    plan->done_stride = done_stride_of(plan->family, plan->micro_each);
    plan->done = pg_arena_take(arena, done_room(plan->family, cells, plan->micro_each),
                               sizeof(double));
    if (!cell_device || !slot_cell || !cost || (has_weights(problem) && !stash) || !plan->run ||
        !code || !start || !plan->done) {
        pg_arena_reset(arena, mark);
        *fault = fault_make(PG_E_MEMORY);
        fault->value = missing(arena, pg_plan_size(problem));
        return false;
    }
    if (problem_table(problem) == NULL)
        place(cell_device, slot_cell, plan);
    else if (table_place(problem->table, cell_device, slot_cell, fault) != PG_OK)
        return false;
    plan->cell_device = cell_device;
    plan->slot_cell = slot_cell;
    price(plan, problem, cost);
    if (stash != NULL)
        weigh(plan, problem, stash);
    plan->run[0] = (struct pg_run){code, start, 0};
    return true;
}

/* Runs lie one behind another as long as they are, not as long as they might be: what is not needed
 * stays in one piece at the end and is never touched. */
static void order(struct pg_plan *plan, const struct pg_problem *problem)
{
    struct pg_run next = plan->run[0];

    plan->ops = 0;
    for (uint32_t d = 0; d < plan->devices; d++) {
        struct pg_writer out = {next.code, next.code + run_room(problem, d), next.code};
        plan->family->emit(problem, d, &out);
        next.count = (uint32_t)(out.at - next.code);
        plan->run[d] = next;
        plan->ops += next.count;
        next.code += padded(next.count, sizeof *next.code);
        next.start += padded(next.count, sizeof *next.start);
    }
}

enum pg_status pg_plan_build(struct pg_arena *arena, const struct pg_problem *problem,
                             struct pg_plan *plan, struct pg_fault *fault)
{
    enum pg_status status = pg_problem_check(problem, fault);
    if (status != PG_OK)
        return status;

    uint32_t replicas = replicas_of(problem->family);
    size_t mark = pg_arena_mark(arena);
    *plan = (struct pg_plan){
        .family = problem->family,
        .devices = problem->devices,
        .chunks = pg_problem_chunks(problem),
        .replicas = replicas,
        .stages = pg_problem_stages(problem),
        .slots = slots_of(problem),
        .micro_batches = problem->micro_batches,
        .micro_each = problem->micro_batches / replicas,
        .transfer = problem->transfer,
        .fused = problem->fused,
    };
    if (reserve(plan, arena, problem, fault)) {
        order(plan, problem);
        status = pg_plan_time(plan, arena, fault);
    } else {
        status = fault->status;
    }
    if (status != PG_OK)
        pg_arena_reset(arena, mark);
    return status;
}

/* ---- asking a plan ---- */

double pg_op_end(const struct pg_plan *plan, uint32_t device, uint32_t index)
{
    const struct pg_run *run = &plan->run[device];
    pg_code code = run->code[index];
    const uint32_t *cells = plan->slot_cell + (size_t)device * plan->slots;
    double cost = plan->cost[cells[pg_code_slot(code)] * PG_KINDS + pg_code_kind(code)];

    if (pg_code_is_fused(code)) {
        pg_code other = run->code[code & PG_CODE_FUSED_FIRST ? index + 1 : index - 1];
        cost += plan->cost[cells[pg_code_slot(other)] * PG_KINDS + pg_code_kind(other)];
        cost *= plan->fused;
    }
    return run->start[index] + cost;
}

void pg_op_at(const struct pg_plan *plan, uint32_t device, uint32_t index, struct pg_op *op)
{
    const struct pg_run *run = &plan->run[device];
    pg_code code = run->code[index];
    uint32_t cell = plan->slot_cell[(size_t)device * plan->slots + pg_code_slot(code)];

    *op = (struct pg_op){
        .start = run->start[index],
        .end = pg_op_end(plan, device, index),
        .device = device,
        .stage = cell % plan->stages,
        .micro_batch = pg_code_micro(code),
        .kind = (uint8_t)pg_code_kind(code),
        .replica = (uint8_t)(cell / plan->stages),
        .is_fused = pg_code_is_fused(code),
    };
}

uint32_t pg_op_after(const struct pg_plan *plan, uint32_t device, double time)
{
    uint32_t low = 0, high = plan->run[device].count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pg_op_end(plan, device, middle) > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool is_wanted(pg_code code, uint32_t slot, uint32_t micro_batch, enum pg_kind kind)
{
    enum pg_kind has = pg_code_kind(code);
    return pg_code_slot(code) == slot && pg_code_micro(code) == micro_batch &&
           (has == kind || (kind == PG_BACKWARD && has == PG_INPUT_GRAD));
}

/* First index whose end is not before `time`. */
static uint32_t first_ending_at(const struct pg_plan *plan, uint32_t device, double time)
{
    uint32_t low = 0, high = plan->run[device].count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pg_op_end(plan, device, middle) >= time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint32_t pg_op_find(const struct pg_plan *plan, uint32_t cell, uint32_t micro_batch,
                    enum pg_kind kind, uint32_t *device)
{
    uint32_t d = plan->cell_device[cell], slot = 0, first = 0;
    const struct pg_run *run = &plan->run[d];

    if (micro_batch >= plan->micro_each || (plan->family->is_forward_only && kind != PG_FORWARD))
        return PG_NONE;
    while (plan->slot_cell[(size_t)d * plan->slots + slot] != cell)
        slot++;
    *device = d;
    /* The table of ends tells when it ended, or (W, which nobody waits for) when not before. */
    size_t row = (size_t)cell * 2 + (kind == PG_FORWARD ? 0 : 1);
    double end = plan->done[row * plan->done_stride + micro_batch];
    if (isfinite(end))
        first = first_ending_at(plan, d, end);
    for (uint32_t i = first; i < run->count; i++)
        if (is_wanted(run->code[i], slot, micro_batch, kind))
            return i;
    return PG_NONE;
}
