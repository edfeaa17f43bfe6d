/* What would help: suggestions for a scenario, each with the number that it is based on.
 *
 * All of it comes from runs of the core. They are asked for in rounds, a batch each, because later
 * ones depend on what earlier ones showed (the search for M); whoever has hands does a batch, then
 * asks for the next. Until a run is done what depends on it is shown as not known. The same scenario
 * gives the same rounds and so the same advice, by any number of hands. */
#ifndef MODEL_ADVICE_H
#define MODEL_ADVICE_H

#include "model/batch.h"
#include "model/bound.h"

/* In the order in which they are shown. */
enum advice_kind {
    ADVICE_COST,     /* the cost that shortens the makespan most */
    ADVICE_MICRO,    /* M for the target */
    ADVICE_FAMILY,   /* the best family under the memory limit */
    ADVICE_SPLIT,    /* balanced split, or equal costs */
    ADVICE_TRANSFER, /* transfer 0 */
    ADVICE_BOUND,    /* how short it could get */
    ADVICE_KINDS
};

struct suggestion {
    bool is_known;
    bool can_apply;           /* then `scenario` is what it would be, `figures` what that gives */
    struct scenario scenario;
    struct figures figures;
    double value;             /* the number it is based on; NAN: none. See advice_value_name */
    char what[120];           /* what to do, or that there is nothing to be done */
    char why[400];
};

/* Change of the makespan per unit, one-sided, of the exact makespan as a function of one cost: it is
 * piecewise linear, because no family's order depends on costs. NAN where that change cannot be. */
struct slope {
    bool is_known;
    double shorter; /* when the cost shrinks: 0 or less of a forward or backward */
    double longer;  /* when it grows */
};

enum advice_cost { ADVICE_FORWARD, ADVICE_BACKWARD, ADVICE_WEIGHT, ADVICE_COSTS };

struct sensitivity {
    uint32_t stage;
    struct slope slope[ADVICE_COSTS];
};

struct advice_family {
    const struct pg_family *family;
    uint32_t chunks;
    bool is_known;
    struct figures figures;
};

/* A run with another M. */
struct micro_run {
    uint32_t micro_batches;
    struct figures figures;
};

enum micro_verdict {
    MICRO_OPEN,    /* runs are missing */
    MICRO_FOUND,   /* `micro_batches` is the least one under the target */
    MICRO_LIMIT,   /* none: devices' work differs too much, `limit` is what the bubble tends to */
    MICRO_STEADY,  /* none: each further micro-batch takes too long, `limit` likewise */
    MICRO_BEYOND,  /* none up to `micro_batches`, the most that was tried; or, where its figures are
                      not possible, none below that, which is too much */
    MICRO_FIXED    /* a table has its M */
};

struct micro_answer {
    enum micro_verdict verdict;
    uint32_t micro_batches;
    struct figures figures; /* of FOUND and BEYOND */
    bool is_least;          /* of FOUND: every smaller one is excluded; else it was bisected */
    double limit, each;     /* each: time per further micro-batch */
};

/* Work for a batch, and where its figures go. */
struct advice_slot {
    enum { SLOT_FAMILY, SLOT_SPLIT, SLOT_TRANSFER, SLOT_MICRO, SLOT_SLOPE, SLOT_STEP } kind;
    uint32_t index; /* family; M; stage in `stages`, or their count: transfer */
    uint8_t cost;
    bool is_growth;
};

struct advice {
    struct scenario base, costs; /* costs: layers turned into costs per stage */
    struct figures present;
    struct bound bound;
    double ideal, without_transfer; /* of the idle report */
    double target;
    bool has_layers;

    struct sensitivity *stages; /* those that were chosen */
    uint32_t stage_count;
    bool has_all_stages;
    struct slope transfer;
    double step;                /* of the differences */
    uint8_t *need_finer;        /* [stage_count + 1]: did a step run over a bend? */
    double *raw;                /* [stage_count + 1][ADVICE_COSTS][2]: makespans, NAN: not run */
    bool has_slopes, is_finer;  /* they were asked for; again with a finer step */
    bool has_step_run;

    struct advice_family *families;
    uint32_t family_count;
    const struct advice_family *best; /* NULL: not known, or none keeps the limit */
    double best_bound;                /* what no order of that family's operations is below */
    struct scenario other_split; /* what SLOT_SPLIT runs */
    bool has_other_split;
    struct figures split_figures, transfer_figures, step_figures;
    bool has_split, has_transfer, has_step;

    struct micro_run *micro;
    uint32_t micro_count, micro_room;
    struct micro_answer answer;

    struct suggestion suggestion[ADVICE_KINDS];

    struct batch *batch;         /* under way; NULL: none */
    struct advice_slot *slots;   /* of its jobs */
    uint32_t runs_before;        /* done in earlier rounds */
    bool has_begun, has_ended;
    bool is_out_of_memory;
};

/* A bubble of 10 %; it can be anything from 0.1 % to 99 %. */
#define ADVICE_TARGET 0.1
/* The bubble must be less than the target by more than this: less is rounding. */
#define ADVICE_MARGIN 1e-9

/* `outcome` is that of the scenario, explained on the way. NULL when out of memory. */
struct advice *advice_make(const struct scenario *scenario, struct outcome *outcome,
                           double target);
void advice_free(struct advice **held);
/* Another target; what was run is kept. */
void advice_set_target(struct advice *advice, double target);
/* The runs that are wanted now, also when they are under way; NULL when all is known. */
struct batch *advice_batch(struct advice *advice);
/* Takes up what has been done since, so that it can be seen. */
void advice_look(struct advice *advice);
/* Runs done, and those known to be needed. */
void advice_progress(const struct advice *advice, uint32_t *done, uint32_t *of);
bool advice_is_done(const struct advice *advice);

const char *advice_name(enum advice_kind kind);       /* "micro-batches": also in csv and json */
const char *advice_value_name(enum advice_kind kind); /* what `value` is */
/* Parameter of a cost, and its letter. */
enum param advice_param(enum advice_cost cost);
const char *advice_letter(enum advice_cost cost);
/* Costs that the scenario's family has: forward, backward, weight. */
uint32_t advice_cost_count(const struct advice *advice);
/* The cost in a row of `stages` that is worth shrinking most; false when none shortens. */
bool advice_best_cost(const struct sensitivity *row, uint32_t costs, enum advice_cost *best);
/* That cost one step down the ladder. */
bool advice_step_down(const struct advice *advice, uint32_t stage, enum advice_cost cost,
                      struct scenario *scenario, struct refusal *refusal);

/* ---- between the files of this module ---- */

/* advice_micro.c: the answer as far as runs tell, and the M to be run next (at most `room`). */
uint32_t micro_search(struct advice *advice, uint32_t *wanted, uint32_t room);
/* advice_slopes.c */
bool slopes_choose(struct advice *advice, struct outcome *outcome);
/* The scenario with that cost moved by the step; false where that cannot be. */
bool slopes_moved(const struct advice *advice, const struct advice_slot *slot,
                  struct scenario *scenario);
/* The makespan of that run, NAN where there is none; first of a shrunk, then of a grown cost. */
void slopes_take(struct advice *advice, const struct advice_slot *slot, double makespan);
/* advice_words.c: suggestions from what is known. */
void advice_write(struct advice *advice);

#endif
