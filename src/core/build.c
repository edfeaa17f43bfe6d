/* An order placed by hand, operation by operation.
 *
 * The one idea: an operation is placed only when everything it needs is placed, so its start is
 * known at once and never changes: the latest of the device's last end and the arrival of its
 * inputs, in the same arithmetic as the clock's. So the plan is timed at every moment, any order
 * that can run can be built (in the order of its start times, for one), and none that would wait
 * for ever. */
#include "core/internal.h"
#include "core/pg_build.h"

#include <math.h>
#include <string.h>

enum { F = 1 << PG_FORWARD, B = 1 << PG_BACKWARD, I = 1 << PG_INPUT_GRAD, W = 1 << PG_WEIGHT_GRAD };

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* ---- the empty chart ---- */

#define BUILT \
    .name = "built", .title = "Built by hand", .rule = "", .formula = "", .source = "", \
    .placement = PG_LOOP, .is_table = true

/* What a family allows of kinds, and nothing else of it. */
static const struct pg_family *rules_of(const struct pg_family *family)
{
    static const struct pg_family inference = {BUILT, .is_forward_only = true};
    static const struct pg_family training[2][2] = {
        {{BUILT}, {BUILT, .has_fused = true}},
        {{BUILT, .splits = true}, {BUILT, .splits = true, .has_fused = true}},
    };
    return family->is_forward_only ? &inference : &training[family->splits][family->has_fused];
}

static size_t pairs_of(const struct pg_plan *plan)
{
    return (size_t)plan->replicas * plan->stages * plan->micro_each;
}

static uint32_t kinds_of(const struct pg_family *family)
{
    return family->is_forward_only ? 1 : family->splits ? 3 : 2;
}

/* Stage and micro-batch pairs of a problem, both replicas' together. */
static double pairs_wanted(const struct pg_problem *problem)
{
    return (double)pg_problem_stages(problem) * problem->micro_batches;
}

size_t pg_build_size(const struct pg_problem *problem)
{
    size_t plan = pg_plan_size(problem), devices = problem->devices;

    if (plan == 0 || pairs_wanted(problem) * kinds_of(problem->family) > PG_BUILD_MOST)
        return plan;
    size_t pairs = (size_t)pairs_wanted(problem), ops = pairs * kinds_of(problem->family);
    return plan + ops * (sizeof(pg_code) + sizeof(double) + sizeof(struct pg_move)) + pairs +
           (devices * 2 + pairs * 2 + (size_t)pg_problem_stages(problem) * 4) * sizeof(double) +
           devices * sizeof(struct pg_step) + (size_t)64 * 11;
}

static bool reserve(struct pg_build *build, struct pg_arena *arena)
{
    struct pg_plan *plan = &build->plan;
    size_t pairs = pairs_of(plan), ops = pairs * kinds_of(plan->family);
    size_t cells = (size_t)plan->replicas * plan->stages;
    pg_code *code = pg_arena_take(arena, ops, sizeof *code);
    double *start = pg_arena_take(arena, ops, sizeof *start);

    build->moves = pg_arena_take(arena, ops, sizeof *build->moves);
    build->held = pg_arena_take(arena, plan->devices, sizeof *build->held);
    build->peak = pg_arena_take(arena, plan->devices, sizeof *build->peak);
    build->has = pg_arena_take(arena, pairs, 1);
    build->scratch = pg_arena_take(arena, pairs * 2 + cells * 2, sizeof *build->scratch);
    build->choice = pg_arena_take(arena, plan->devices, sizeof *build->choice);
    if (code == NULL || start == NULL || build->moves == NULL || build->held == NULL ||
        build->peak == NULL || build->has == NULL || build->scratch == NULL ||
        build->choice == NULL)
        return false;
    for (uint32_t d = 0; d < plan->devices; d++) {
        const uint32_t *cell = plan->slot_cell + (size_t)d * plan->slots;
        plan->run[d] = (struct pg_run){code, start, 0};
        for (uint32_t slot = 0; slot < plan->slots && cell[slot] != PG_NONE; slot++) {
            code += (size_t)plan->micro_each * kinds_of(plan->family);
            start += (size_t)plan->micro_each * kinds_of(plan->family);
        }
        build->held[d] = build->peak[d] = 0;
    }
    memset(build->has, 0, pairs);
    return true;
}

enum pg_status pg_build_start(struct pg_arena *arena, const struct pg_problem *problem,
                              double memory_limit, struct pg_build *build, struct pg_fault *fault)
{
    double ops = pairs_wanted(problem) * kinds_of(problem->family);
    size_t mark = pg_arena_mark(arena);

    if (ops > PG_BUILD_MOST) {
        *fault = fault_make(PG_E_OPS);
        fault->value = ops;
        fault->limit = PG_BUILD_MOST;
        return PG_E_OPS;
    }
    *build = (struct pg_build){.memory_limit = memory_limit};
    /* Stages are placed and priced as for the family's own order, which is then forgotten. */
    enum pg_status status = pg_plan_build(arena, problem, &build->plan, fault);
    if (status != PG_OK)
        return status;
    struct pg_plan *plan = &build->plan;
    plan->family = rules_of(problem->family);
    plan->ops = 0;
    plan->makespan = 0;
    plan->is_partial = true;
    size_t rows = (size_t)plan->replicas * plan->stages * 2;
    for (size_t i = 0; i < rows * plan->done_stride; i++)
        plan->done[i] = INFINITY;
    if (reserve(build, arena))
        return PG_OK;
    pg_arena_reset(arena, mark);
    *fault = fault_make(PG_E_MEMORY);
    fault->value = (double)pg_build_size(problem);
    return PG_E_MEMORY;
}

/* ---- what is placed ---- */

static uint32_t cell_of(const struct pg_plan *plan, uint32_t device, pg_code code)
{
    uint32_t slot = pg_code_slot(code);
    return slot < plan->slots ? plan->slot_cell[(size_t)device * plan->slots + slot] : PG_NONE;
}

static uint8_t *has_of(const struct pg_build *build, uint32_t cell, uint32_t micro_batch)
{
    return &build->has[(size_t)cell * build->plan.micro_each + micro_batch];
}

static double *end_of(const struct pg_plan *plan, uint32_t cell, enum pg_kind kind,
                      uint32_t micro_batch)
{
    size_t row = (size_t)cell * 2 + (kind != PG_FORWARD);
    return &plan->done[row * plan->done_stride + micro_batch];
}

uint32_t pg_build_total(const struct pg_build *build)
{
    bool is_inference = build->plan.family->is_forward_only;
    uint32_t total = (uint32_t)build->plan.ops;

    for (size_t i = 0, n = pairs_of(&build->plan); i < n; i++) {
        uint8_t has = build->has[i];
        total += !(has & F) + (is_inference ? 0u : (has & I) ? !(has & W) : !(has & B));
    }
    return total;
}

bool pg_build_is_done(const struct pg_build *build)
{
    return pg_build_total(build) == build->plan.ops;
}

double pg_build_front(const struct pg_build *build, uint32_t device)
{
    uint32_t count = build->plan.run[device].count;
    return count == 0 ? 0 : pg_op_end(&build->plan, device, count - 1);
}

double pg_build_idle(const struct pg_build *build, uint32_t device)
{
    const struct pg_run *run = &build->plan.run[device];
    double idle = 0, free_at = 0;

    for (uint32_t i = 0; i < run->count; i++) {
        if (run->code[i] & PG_CODE_FUSED_SECOND)
            continue;
        idle += run->start[i] - free_at;
        free_at = pg_op_end(&build->plan, device, i);
    }
    return idle;
}

/* ---- can it be placed ---- */

static bool bar(struct pg_bar *why, enum pg_bar_kind kind, pg_code of)
{
    *why = (struct pg_bar){.kind = kind, .of = of, .device = PG_NONE, .stage = PG_NONE,
                           .micro_batch = pg_code_micro(of), .op = pg_code_kind(of)};
    return false;
}

static bool bar_needs(const struct pg_plan *plan, struct pg_bar *why, pg_code of, uint32_t cell,
                      enum pg_kind op)
{
    bar(why, PG_BAR_NEEDS, of);
    why->op = op;
    why->stage = cell % plan->stages;
    why->device = plan->cell_device[cell];
    return false;
}

/* Is there such an operation at all, and is it still to be placed? */
static bool is_open(const struct pg_build *build, uint32_t device, pg_code code, struct pg_bar *why)
{
    static const uint8_t excludes[PG_KINDS] = {F, B | I | W, B | I, B | W};
    const struct pg_plan *plan = &build->plan;
    const struct pg_family *rules = plan->family;
    enum pg_kind kind = pg_code_kind(code);
    uint32_t cell = cell_of(plan, device, code), micro_batch = pg_code_micro(code);

    if (cell == PG_NONE || micro_batch >= plan->micro_each)
        return bar(why, PG_BAR_PLACE, code);
    if ((rules->is_forward_only && kind != PG_FORWARD) || (!rules->splits && kind > PG_BACKWARD))
        return bar(why, PG_BAR_KIND, code);
    uint8_t in_the_way = *has_of(build, cell, micro_batch) & excludes[kind];
    if (in_the_way == 0)
        return true;
    bar(why, PG_BAR_PLACED, code);
    why->stage = cell % plan->stages;
    why->device = device;
    if (!(in_the_way & 1u << kind))
        why->op = in_the_way & B ? PG_BACKWARD : in_the_way & I ? PG_INPUT_GRAD : PG_WEIGHT_GRAD;
    return false;
}

/* When everything is there that it needs; as in timeline.c. */
static bool is_fed(const struct pg_plan *plan, uint32_t device, pg_code code, double *ready,
                   struct pg_bar *why)
{
    enum pg_kind kind = pg_code_kind(code);
    uint32_t cell = cell_of(plan, device, code), stage = cell % plan->stages;
    uint32_t m = pg_code_micro(code), from = PG_NONE;

    *ready = 0;
    if (kind != PG_FORWARD) {
        enum pg_kind own = kind == PG_WEIGHT_GRAD ? PG_INPUT_GRAD : PG_FORWARD;
        *ready = *end_of(plan, cell, own, m);
        if (!(*ready < INFINITY))
            return bar_needs(plan, why, code, cell, own);
    }
    if (kind == PG_FORWARD && stage > 0)
        from = cell - 1;
    else if ((kind == PG_BACKWARD || kind == PG_INPUT_GRAD) && stage + 1 < plan->stages)
        from = cell + 1;
    if (from == PG_NONE)
        return true;
    double input = *end_of(plan, from, kind, m);
    if (!(input < INFINITY))
        return bar_needs(plan, why, code, from, kind == PG_FORWARD ? PG_FORWARD : PG_BACKWARD);
    *ready = later(input + (plan->cell_device[from] != device ? plan->transfer : 0), *ready);
    return true;
}

static double change_of(const struct pg_plan *plan, uint32_t device, pg_code code)
{
    static const double counts[PG_KINDS] = {1, -1, 0, -1};
    enum pg_kind kind = pg_code_kind(code);

    if (plan->stash == NULL)
        return counts[kind];
    const double *stash = plan->stash + 2 * (size_t)cell_of(plan, device, code);
    const double change[PG_KINDS] = {stash[0], -stash[0], stash[1] - stash[0], -stash[1]};
    return change[kind];
}

/* In the unit of the limit: micro-batches of a device's whole share, or what was given. */
static double in_memory(const struct pg_plan *plan, double held)
{
    return plan->stash == NULL ? held / plan->chunks : held;
}

static bool has_room(const struct pg_build *build, uint32_t device, pg_code code,
                     struct pg_bar *why)
{
    if (build->memory_limit <= 0 || pg_code_kind(code) != PG_FORWARD)
        return true;
    double held = in_memory(&build->plan,
                            build->held[device] + change_of(&build->plan, device, code));
    if (held <= build->memory_limit * (1 + 1e-9)) /* sums may round */
        return true;
    bar(why, PG_BAR_MEMORY, code);
    why->device = device;
    why->value = held;
    why->limit = build->memory_limit;
    return false;
}

static double cost_of(const struct pg_plan *plan, uint32_t device, pg_code code)
{
    return plan->cost[(size_t)cell_of(plan, device, code) * PG_KINDS + pg_code_kind(code)];
}

bool pg_build_try(const struct pg_build *build, const struct pg_move *move, struct pg_step *step,
                  struct pg_bar *why)
{
    const struct pg_plan *plan = &build->plan;
    bool is_pair = move->with != PG_NONE;
    double ready, other = 0;

    if (move->device >= plan->devices)
        return bar(why, PG_BAR_PLACE, move->code);
    if (is_pair && (!plan->family->has_fused || pg_code_kind(move->code) != PG_FORWARD ||
                    pg_code_kind(move->with) != PG_BACKWARD))
        return bar(why, PG_BAR_KIND, move->code);
    if (!is_open(build, move->device, move->code, why) ||
        (is_pair && !is_open(build, move->device, move->with, why)) ||
        !is_fed(plan, move->device, move->code, &ready, why) ||
        (is_pair && !is_fed(plan, move->device, move->with, &other, why)) ||
        !has_room(build, move->device, move->code, why))
        return false;
    double front = pg_build_front(build, move->device);
    double cost = cost_of(plan, move->device, move->code);
    *step = (struct pg_step){.move = *move, .start = later(front, later(ready, other))};
    if (is_pair)
        cost = (cost + cost_of(plan, move->device, move->with)) * plan->fused;
    step->end = step->start + cost;
    step->waits = step->start - front;
    *why = (struct pg_bar){.kind = PG_BAR_NONE};
    return true;
}

/* ---- placing and taking back ---- */

static void hold(struct pg_build *build, uint32_t device, pg_code code)
{
    build->held[device] += change_of(&build->plan, device, code);
    build->peak[device] = later(build->peak[device], build->held[device]);
}

static void append(struct pg_build *build, uint32_t device, pg_code code, double start, double end)
{
    struct pg_plan *plan = &build->plan;
    struct pg_run *run = &plan->run[device];
    uint32_t cell = cell_of(plan, device, code);
    enum pg_kind kind = pg_code_kind(code);

    run->code[run->count] = code;
    run->start[run->count++] = start;
    plan->ops++;
    *has_of(build, cell, pg_code_micro(code)) |= (uint8_t)(1u << kind);
    if (kind != PG_WEIGHT_GRAD)
        *end_of(plan, cell, kind, pg_code_micro(code)) = end;
    hold(build, device, code);
}

static void make(struct pg_build *build, const struct pg_step *step)
{
    uint32_t device = step->move.device;

    if (step->move.with == PG_NONE) {
        append(build, device, step->move.code, step->start, step->end);
    } else {
        append(build, device, step->move.code | PG_CODE_FUSED_FIRST, step->start, step->end);
        append(build, device, step->move.with | PG_CODE_FUSED_SECOND, step->start, step->end);
    }
    build->plan.makespan = later(build->plan.makespan, step->end);
    build->plan.is_partial = !pg_build_is_done(build);
}

static bool is_same_move(const struct pg_move *a, const struct pg_move *b)
{
    return a->device == b->device && a->code == b->code && a->with == b->with;
}

bool pg_build_put(struct pg_build *build, const struct pg_move *move, struct pg_bar *why)
{
    struct pg_step step;

    if (!pg_build_try(build, move, &step, why))
        return false;
    if (build->made == build->known || !is_same_move(&build->moves[build->made], move)) {
        build->moves[build->made] = *move;
        build->known = build->made + 1;
    }
    build->made++;
    make(build, &step);
    return true;
}

/* What a device holds, from its run: adding up once more is exact where subtracting is not. */
static void hold_again(struct pg_build *build, uint32_t device)
{
    const struct pg_run *run = &build->plan.run[device];

    build->held[device] = build->peak[device] = 0;
    for (uint32_t i = 0; i < run->count; i++)
        hold(build, device, run->code[i]);
}

static void remove_last(struct pg_build *build, uint32_t device)
{
    struct pg_plan *plan = &build->plan;
    struct pg_run *run = &plan->run[device];
    pg_code code = run->code[--run->count];
    uint32_t cell = cell_of(plan, device, code), m = pg_code_micro(code);
    enum pg_kind kind = pg_code_kind(code);

    plan->ops--;
    *has_of(build, cell, m) &= (uint8_t)~(1u << kind);
    if (kind != PG_WEIGHT_GRAD)
        *end_of(plan, cell, kind, m) = INFINITY;
}

bool pg_build_undo(struct pg_build *build)
{
    struct pg_plan *plan = &build->plan;

    if (build->made == 0)
        return false;
    const struct pg_move *move = &build->moves[--build->made];
    remove_last(build, move->device);
    if (move->with != PG_NONE)
        remove_last(build, move->device);
    hold_again(build, move->device);
    plan->makespan = 0;
    for (uint32_t d = 0; d < plan->devices; d++)
        plan->makespan = later(plan->makespan, pg_build_front(build, d));
    plan->is_partial = true;
    return true;
}

bool pg_build_redo(struct pg_build *build)
{
    struct pg_bar why;

    if (build->made == build->known)
        return false;
    struct pg_move move = build->moves[build->made];
    return pg_build_put(build, &move, &why);
}

/* ---- which family it is ---- */

static bool is_same_placement(const struct pg_plan *a, const struct pg_plan *b)
{
    if (a->devices != b->devices || a->stages != b->stages || a->replicas != b->replicas ||
        a->slots != b->slots || a->micro_each != b->micro_each)
        return false;
    return memcmp(a->cell_device, b->cell_device,
                  (size_t)a->replicas * a->stages * sizeof *a->cell_device) == 0 &&
           memcmp(a->slot_cell, b->slot_cell,
                  (size_t)a->devices * a->slots * sizeof *a->slot_cell) == 0;
}

bool pg_build_begins(const struct pg_build *build, const struct pg_plan *plan)
{
    if (!is_same_placement(&build->plan, plan))
        return false;
    for (uint32_t d = 0; d < plan->devices; d++) {
        const struct pg_run *run = &build->plan.run[d];
        if (run->count > plan->run[d].count ||
            memcmp(run->code, plan->run[d].code, run->count * sizeof *run->code) != 0)
            return false;
    }
    return true;
}

bool pg_build_towards(const struct pg_build *build, const struct pg_plan *plan,
                      struct pg_step *best)
{
    const pg_code halves = PG_CODE_FUSED_FIRST | PG_CODE_FUSED_SECOND;
    bool is_found = false;

    for (uint32_t d = 0; d < plan->devices; d++) {
        uint32_t at = build->plan.run[d].count;
        struct pg_step step;
        struct pg_bar why;
        if (at >= plan->run[d].count)
            continue;
        pg_code code = plan->run[d].code[at];
        struct pg_move move = {d, code & ~halves, PG_NONE};
        if (code & PG_CODE_FUSED_FIRST)
            move.with = plan->run[d].code[at + 1] & ~halves;
        if (!pg_build_try(build, &move, &step, &why) || (is_found && step.start >= best->start))
            continue;
        *best = step;
        is_found = true;
    }
    return is_found;
}

/* Orders do not depend on costs, so those of 1 will do, which nothing can be wrong with. */
static struct pg_problem problem_of(const struct pg_build *build, const struct pg_problem *problem,
                                    const struct pg_family *family)
{
    static const double one = 1;

    return (struct pg_problem){.family = family,
                               .devices = build->plan.devices,
                               .chunks = build->plan.chunks,
                               .micro_batches = build->plan.micro_batches,
                               .group = problem->group,
                               .forward = {&one, 1},
                               .backward = {&one, 1},
                               .fused = 1};
}

size_t pg_build_families_size(const struct pg_build *build, const struct pg_problem *problem)
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    size_t most = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct pg_problem probe = problem_of(build, problem, &families[i]);
        size_t size = pg_plan_size(&probe);
        most = size > most ? size : most;
    }
    return most;
}

uint32_t pg_build_families(const struct pg_build *build, const struct pg_problem *problem,
                           struct pg_arena *scratch, const struct pg_family **out)
{
    uint32_t count, found = 0;
    const struct pg_family *families = pg_families(&count);
    size_t mark = pg_arena_mark(scratch);
    bool is_done = pg_build_is_done(build);

    for (uint32_t i = 0; i < count; i++) {
        struct pg_problem probe = problem_of(build, problem, &families[i]);
        struct pg_plan plan;
        struct pg_fault fault;
        if (pg_plan_build(scratch, &probe, &plan, &fault) == PG_OK &&
            pg_build_begins(build, &plan) && (!is_done || plan.ops == build->plan.ops))
            out[found++] = &families[i];
        pg_arena_reset(scratch, mark);
    }
    return found;
}
