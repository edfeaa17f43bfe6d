/* The critical path: what the makespan consists of.
 *
 * From the operation that ends last one walks back, each time to what set the start: the device's
 * operation before, or the one whose result was waited for. The walk ends at an operation that
 * starts at 0, so work and transfer met on the way add up to the makespan. */
#include "core/internal.h"

size_t pg_path_size(const struct pg_plan *plan)
{
    return (size_t)plan->ops * (sizeof(struct pg_place) + sizeof(uint32_t)) +
           ((size_t)plan->devices + 1) * sizeof(uint64_t) + plan->stages * sizeof(double) +
           (size_t)64 * 5;
}

/* The operation that ends last, on the first device that has one. */
static struct pg_place last_place(const struct pg_plan *plan, bool *is_tied)
{
    struct pg_place last = {PG_NONE, 0};

    for (uint32_t d = 0; d < plan->devices; d++) {
        uint32_t index = plan->run[d].count - 1;
        if (pg_op_end(plan, d, index) < plan->makespan)
            continue;
        *is_tied = *is_tied || last.device != PG_NONE;
        if (last.device == PG_NONE)
            last = (struct pg_place){d, index};
    }
    return last;
}

/* Books the work of one operation of the path; halves of a pair share their common time by cost. */
static void book(const struct pg_plan *plan, struct pg_place at, struct pg_path *path,
                 double *stage_work)
{
    const struct pg_run *run = &plan->run[at.device];
    const uint32_t *cells = plan->slot_cell + (size_t)at.device * plan->slots;
    uint32_t first = at.index - (run->code[at.index] & PG_CODE_FUSED_SECOND ? 1 : 0);
    uint32_t halves = pg_code_is_fused(run->code[first]) ? 2 : 1;
    double factor = halves == 2 ? plan->fused : 1;

    for (uint32_t i = first; i < first + halves; i++) {
        uint32_t cell = cells[pg_code_slot(run->code[i])];
        enum pg_kind kind = pg_code_kind(run->code[i]);
        double work = plan->cost[(size_t)cell * PG_KINDS + kind] * factor;
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there are operations, so there are stages */
        stage_work[cell % plan->stages] += work;
        path->kind_work[kind] += work;
        path->work += work;
    }
}

/* Walks back into `at`, last operation first; returns how many there are. */
static uint64_t walk(const struct pg_plan *plan, struct pg_path *path, struct pg_place *at,
                     double *stage_work)
{
    struct pg_place here = last_place(plan, &path->has_ties);
    uint64_t count = 0;

    for (;;) {
        struct pg_why why;
        at[count++] = here;
        book(plan, here, path, stage_work);
        pg_op_why(plan, here.device, here.index, &why);
        path->has_ties = path->has_ties || why.is_tied;
        if (why.bound == PG_BOUND_ORIGIN)
            return count;
        if (why.bound == PG_BOUND_DEVICE) {
            uint32_t second = plan->run[here.device].code[here.index] & PG_CODE_FUSED_SECOND ? 1 : 0;
            here.index -= 1 + second;
            continue;
        }
        if (why.data_device != here.device) {
            path->transfer += plan->transfer;
            path->transfers++;
        }
        here = (struct pg_place){why.data_device, why.data_index};
    }
}

/* The path by device: indices grow along it, so counting places is sorting. */
static void sort_by_device(const struct pg_plan *plan, const struct pg_place *at, uint64_t count,
                           uint32_t *index, uint64_t *first)
{
    for (uint32_t d = 0; d <= plan->devices; d++)
        first[d] = 0;
    for (uint64_t i = 0; i < count; i++)
        first[at[i].device + 1]++;
    for (uint32_t d = 0; d < plan->devices; d++)
        first[d + 1] += first[d];
    for (uint64_t i = 0; i < count; i++)
        index[first[at[i].device]++] = at[i].index;
    for (uint32_t d = plan->devices; d > 0; d--)
        first[d] = first[d - 1];
    first[0] = 0;
}

enum pg_status pg_plan_path(const struct pg_plan *plan, struct pg_arena *arena,
                            struct pg_path *path, struct pg_fault *fault)
{
    size_t mark = pg_arena_mark(arena);
    double *stage_work = pg_arena_take(arena, plan->stages, sizeof *stage_work);
    uint64_t *first = pg_arena_take(arena, (size_t)plan->devices + 1, sizeof *first);
    size_t before = pg_arena_mark(arena);
    struct pg_place *at = pg_arena_take(arena, (size_t)plan->ops, sizeof *at);

    *path = (struct pg_path){.at = at, .first = first, .stage_work = stage_work};
    bool is_good = stage_work != NULL && first != NULL && at != NULL;
    if (is_good) {
        for (uint32_t s = 0; s < plan->stages; s++)
            stage_work[s] = 0;
        path->count = walk(plan, path, at, stage_work);
        for (uint64_t i = 0, j = path->count - 1; i < j; i++, j--) {
            struct pg_place swap = at[i];
            at[i] = at[j];
            at[j] = swap;
        }
        pg_arena_reset(arena, before); /* the same place again, only as long as the path */
        pg_arena_take(arena, (size_t)path->count, sizeof *at);
    }
    uint32_t *index = pg_arena_take(arena, (size_t)path->count, sizeof *index);
    if (!is_good || index == NULL) {
        pg_arena_reset(arena, mark);
        *fault = fault_make(PG_E_MEMORY);
        fault->value = (double)pg_path_size(plan);
        return PG_E_MEMORY;
    }
    sort_by_device(plan, at, path->count, index, first);
    path->index = index;
    return PG_OK;
}
