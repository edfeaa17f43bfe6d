/* Why an operation is where it is.
 *
 * A start is the latest of three moments: zero, the end of what the device did before, and the
 * arrival of what the operation needs. Whoever looks at a bubble wants to know which. The answer is
 * read off the plan around one operation, so that asking costs a few bisections however long the
 * runs are. */
#include "core/internal.h"

/* Takes note of what the operation needs, unless something already noted arrives later. Of the two
 * inputs of a backward the gradient is the later one: it was made from this stage's own forward. */
static void note_data(const struct pg_plan *plan, uint32_t device, uint32_t index,
                      struct pg_why *why)
{
    pg_code code = plan->run[device].code[index];
    enum pg_kind kind = pg_code_kind(code), needed = PG_FORWARD;
    uint32_t cell = plan->slot_cell[(size_t)device * plan->slots + pg_code_slot(code)];
    uint32_t stage = cell % plan->stages, from = device;

    if (kind == PG_FORWARD) {
        if (stage == 0)
            return;
        cell--;
    } else if (kind == PG_WEIGHT_GRAD) {
        needed = PG_INPUT_GRAD;
    } else if (stage + 1 < plan->stages) {
        needed = PG_BACKWARD;
        cell++;
    }
    /* It is there: otherwise this operation would have no start. */
    uint32_t at = pg_op_find(plan, cell, pg_code_micro(code), needed, &from);
    double end = pg_op_end(plan, from, at);
    double arrival = from == device ? end : end + plan->transfer;
    if (why->has_data && arrival <= why->data_arrival)
        return;
    why->has_data = true;
    why->data_device = from;
    why->data_index = at;
    why->data_end = end;
    why->data_arrival = arrival;
}

void pg_op_why(const struct pg_plan *plan, uint32_t device, uint32_t index, struct pg_why *why)
{
    pg_code code = plan->run[device].code[index];
    uint32_t first = code & PG_CODE_FUSED_SECOND ? index - 1 : index;

    *why = (struct pg_why){.bound = PG_BOUND_ORIGIN,
                           .has_previous = first > 0,
                           .data_device = PG_NONE,
                           .data_index = PG_NONE};
    note_data(plan, device, first, why);
    if (pg_code_is_fused(code))
        note_data(plan, device, first + 1, why);
    if (why->has_previous)
        why->previous_end = pg_op_end(plan, device, first - 1);

    if (why->has_previous && !(why->has_data && why->data_arrival > why->previous_end)) {
        why->bound = PG_BOUND_DEVICE;
        why->is_tied = why->has_data && why->data_arrival == why->previous_end;
    } else if (why->has_data) {
        why->bound = PG_BOUND_DATA;
    }
}
