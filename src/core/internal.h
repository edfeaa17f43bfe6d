/* What the files of the core share and callers do not see: the writer through which emitters put
 * operations into a run, and the shorthand for reporting a fault. */
#ifndef CORE_INTERNAL_H
#define CORE_INTERNAL_H

#include "core/pg.h"

/* Room for the run is reserved before: an emitter cannot overrun it without breaking its family's
 * promise of one forward and one backward (or I and W) per stage and micro-batch. */
struct pg_writer {
    pg_code *at, *end;
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

/* Emitters, one file a kin. */
void emit_gpipe(const struct pg_problem *problem, uint32_t device, struct pg_writer *out);
void emit_1f1b(const struct pg_problem *problem, uint32_t device, struct pg_writer *out);

#endif
