/* What the files of the core share and callers do not see: the writer through which emitters put
 * operations into a run, and the shorthand for reporting a fault. */
#ifndef CORE_INTERNAL_H
#define CORE_INTERNAL_H

#include "core/pg.h"

/* Room for the run is reserved before: an emitter cannot overrun it without breaking its family's
 * promise of one forward and one backward (or I and W) per stage and micro-batch. */
struct pg_writer {
    pg_code *at, *end;
    pg_code *oldest; /* where the search for the next weight gradient goes on */
};

static inline pg_code code_make(enum pg_kind kind, uint32_t slot, uint32_t micro_batch)
{
    return micro_batch | ((slot << 2 | (uint32_t)kind) << PG_CODE_ROW_SHIFT);
}

static inline void put(struct pg_writer *out, enum pg_kind kind, uint32_t slot, uint32_t micro_batch)
{
    if (out->at < out->end)
        *out->at++ = code_make(kind, slot, micro_batch);
}

static inline struct pg_fault fault_make(enum pg_status status)
{
    return (struct pg_fault){.status = status,
                             .device = PG_NONE,
                             .stage = PG_NONE,
                             .micro_batch = PG_NONE,
                             .index = PG_NONE,
                             .kind = -1};
}

/* Bytes that pg_plan_time takes from its arena. */
size_t pg_time_scratch_size(size_t devices, size_t rows, size_t micro_each);

/* A forward and a backward as one operation. */
static inline void put_pair(struct pg_writer *out, uint32_t forward_slot, uint32_t forward,
                            uint32_t backward_slot, uint32_t backward)
{
    if (out->end - out->at < 2)
        return;
    *out->at++ = code_make(PG_FORWARD, forward_slot, forward) | PG_CODE_FUSED_FIRST;
    *out->at++ = code_make(PG_BACKWARD, backward_slot, backward) | PG_CODE_FUSED_SECOND;
}

/* The weight gradient of the oldest input gradient that still lacks it: what has been written is the
 * queue, read again from `oldest`. */
static inline void put_weight(struct pg_writer *out)
{
    while (out->oldest < out->at && pg_code_kind(*out->oldest) != PG_INPUT_GRAD)
        out->oldest++;
    if (out->oldest == out->at)
        return;
    pg_code of = *out->oldest++;
    put(out, PG_WEIGHT_GRAD, pg_code_slot(of), pg_code_micro(of));
}

/* The table that a problem's family wants; NULL for any other family. */
const struct pg_table *problem_table(const struct pg_problem *problem);
/* Where a table's stages lie, into arrays as a plan has them; or what is wrong with the table. */
enum pg_status table_place(const struct pg_table *table, uint32_t *cell_device, uint32_t *slot_cell,
                           struct pg_fault *fault);

/* Emitters, one file a kin. Each writes the order of one device. */
#define EMITTER(name) \
    void name(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
EMITTER(emit_gpipe);
EMITTER(emit_afab);
EMITTER(emit_1f1b);
EMITTER(emit_eager_1f1b);
EMITTER(emit_1f1b_overlap);
EMITTER(emit_forward_only);
EMITTER(emit_interleaved);
EMITTER(emit_interleaved_overlap);
EMITTER(emit_looped_bfs);
EMITTER(emit_zb1p);
EMITTER(emit_zb_h1);
EMITTER(emit_zb_h2);
EMITTER(emit_zbv);
EMITTER(emit_dualpipe);
EMITTER(emit_dualpipev);
EMITTER(emit_chimera);
#undef EMITTER

/* formula.c: closed forms of the makespan at equal stages and transfer 0; NAN where they do not hold. */
double formula_in_turn(const struct pg_plan *plan);
double formula_forward_only(const struct pg_plan *plan);
double formula_interleaved(const struct pg_plan *plan);
double formula_looped(const struct pg_plan *plan);
double formula_zero_bubble(const struct pg_plan *plan);
double formula_staggered(const struct pg_plan *plan);
double formula_dualpipe(const struct pg_plan *plan);
double formula_chimera(const struct pg_plan *plan);

#endif
