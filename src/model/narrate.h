/* A moment of a step in words: what each device does, and what happens anywhere. */
#ifndef MODEL_NARRATE_H
#define MODEL_NARRATE_H

#include "model/resolve.h"

/* What a device does at a time. */
struct moment {
    bool is_running; /* operation `index`; else it waits for that one, or is done (index = count) */
    uint32_t index;
    bool has_begun;  /* the operation that runs began at this time */
    bool has_ended;  /* the one before it, `ended`, ended at this time */
    uint32_t ended;
};

struct moment moment_of(const struct pg_plan *plan, uint32_t device, double time);
/* How much of a wait is told. */
enum telling {
    TELL_ALL,   /* "waits for the gradient of micro-batch 0 from stage 2" */
    TELL_BRIEF, /* "waits for B0 from stage 2" */
    TELL_LEAST, /* "waits for B0" */
};
/* What a device that does not run waits for at a time; "is done" after its last operation. */
void wait_write(const struct pg_plan *plan, uint32_t device, const struct moment *moment,
                double time, enum telling telling, struct text *out);
/* "F2", "F3&B5"; with "of stage 5" where devices have several. */
void doing_write(const struct pg_plan *plan, uint32_t device, uint32_t index, bool has_stage,
                 struct text *out);
/* "t=5: stage 1 ends F2 and waits for …; stage 3 begins B0": the last event up to a time, the most
 * telling part of it first, in whole clauses that fit into the columns. */
void narrate(const struct pg_plan *plan, double time, int columns, struct text *out);

#endif
