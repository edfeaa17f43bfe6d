/* An order that is given: a schedule table that somebody else made.
 *
 * To the rest of the core it is a family like any other, whose emitter copies. What sets it apart
 * is that its placement is free, stage by stage, and that nothing about it can be taken on trust: a
 * code that leads outside the counts would make the clock write outside its arrays. */
#include "core/internal.h"

const struct pg_table *problem_table(const struct pg_problem *problem)
{
    return problem->family->is_table ? problem->table : NULL;
}

static bool can_table(const struct pg_problem *problem)
{
    const struct pg_table *table = problem->table;
    return table != NULL && table->devices == problem->devices && table->slots > 0 &&
           table->slots <= PG_MAX_CHUNKS && table->micro_batches == problem->micro_batches;
}

static void emit_table(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    const struct pg_table_run *run = &problem->table->run[device];

    for (uint32_t i = 0; i < run->count && out->at < out->end; i++)
        *out->at++ = run->code[i];
}

#define GIVEN                                                                                      \
    .name = "table", .title = "Table", .rule = "the P and M of its table", .formula = "",          \
    .source = "", .placement = PG_LOOP, .is_table = true, .can = can_table, .emit = emit_table

const struct pg_family *pg_table_family(const struct pg_table *table)
{
    static const struct pg_family training = {GIVEN, .splits = true, .has_fused = true};
    static const struct pg_family inference = {GIVEN, .is_forward_only = true};

    return table->is_forward_only ? &inference : &training;
}

static enum pg_status misplaced(struct pg_fault *fault, uint32_t device, uint32_t index,
                                const pg_code *code)
{
    *fault = fault_make(PG_E_PLACE);
    fault->device = device;
    fault->index = index;
    if (code != NULL) {
        fault->kind = (int)pg_code_kind(*code);
        fault->micro_batch = pg_code_micro(*code);
    }
    return PG_E_PLACE;
}

/* A first half has its second half behind it, and no half stands alone. */
static bool is_half_right(const struct pg_table_run *run, uint32_t index)
{
    const pg_code first = PG_CODE_FUSED_FIRST, second = PG_CODE_FUSED_SECOND;
    pg_code half = run->code[index] & (first | second);

    if (half == first)
        return index + 1 < run->count && (run->code[index + 1] & (first | second)) == second;
    return half == 0 ||
           (half == second && index > 0 && (run->code[index - 1] & (first | second)) == first);
}

static enum pg_status check_run(const struct pg_table *table, uint32_t device,
                                const uint32_t *slot_cell, struct pg_fault *fault)
{
    const struct pg_table_run *run = &table->run[device];

    if (run->count == 0)
        return misplaced(fault, device, 0, NULL);
    for (uint32_t i = 0; i < run->count; i++) {
        pg_code code = run->code[i];
        uint32_t slot = pg_code_slot(code);
        bool is_good = slot < table->slots && slot_cell[slot] != PG_NONE &&
                       pg_code_micro(code) < table->micro_batches && is_half_right(run, i);
        if (!is_good || (table->is_forward_only && pg_code_kind(code) != PG_FORWARD))
            return misplaced(fault, device, i, &code);
    }
    return PG_OK;
}

enum pg_status table_place(const struct pg_table *table, uint32_t *cell_device, uint32_t *slot_cell,
                           struct pg_fault *fault)
{
    enum pg_status status = PG_OK;

    for (size_t i = 0; i < (size_t)table->devices * table->slots; i++)
        slot_cell[i] = PG_NONE;
    for (uint32_t stage = 0; stage < table->stages; stage++) {
        uint32_t device = table->stage_device[stage], slot = 0;
        size_t first = (size_t)device * table->slots;
        while (device < table->devices && slot < table->slots && slot_cell[first + slot] != PG_NONE)
            slot++;
        if (device >= table->devices || slot == table->slots) {
            misplaced(fault, device, PG_NONE, NULL);
            fault->stage = stage;
            return PG_E_PLACE;
        }
        slot_cell[first + slot] = stage;
        cell_device[stage] = device;
    }
    for (uint32_t d = 0; d < table->devices && status == PG_OK; d++)
        status = check_run(table, d, slot_cell + (size_t)d * table->slots, fault);
    return status;
}
