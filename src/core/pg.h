/* libpipegantt-core: what a pipeline-parallel training step looks like in time.
 *
 * The one public header of the core. The library is pure and re-entrant: it takes numbers and a
 * block of memory, gives back numbers and a status, and never prints, exits, reads a file, keeps
 * state or looks at the locale. A section below belongs to the .c file of its name.
 *
 * The way through it: describe a step in a `pg_problem`, ask `pg_plan_size` for the memory, give an
 * arena that large to `pg_plan_build`, and read the plan: one `pg_run` a device, operations in the
 * order in which the device runs them, which is also the order of their start times.
 *
 * Words: a *device* runs one operation at a time. A *stage* is a contiguous slice of the model;
 * with V *chunks* a device there are S = P*V stages. A *slot* is a place for one stage on a device
 * (0 … V*replicas-1). A *cell* is a stage of one replica of the model: cell = replica*S + stage.
 */
#ifndef CORE_PG_H
#define CORE_PG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PG_MAX_DEVICES 4096u
#define PG_MAX_CHUNKS 64u
#define PG_MAX_MICRO_BATCHES 1000000u
#define PG_MAX_OPS (1u << 24)
#define PG_MAX_LAYERS 65536u
#define PG_NONE UINT32_MAX /* "no such device, stage, micro-batch, index" */

/* ---- status -------------------------------------------------------------------------------- */

enum pg_status {
    PG_OK = 0,
    PG_E_ZERO,        /* `field` is 0 where at least 1 is needed */
    PG_E_LIMIT,       /* `field` has `value`, more than `limit` */
    PG_E_OPS,         /* the step has `value` operations, more than `limit` */
    PG_E_COST,        /* `field` of `stage` (PG_NONE: of all) is `value`: not finite and positive */
    PG_E_SPLIT,       /* weight of `stage` is `value`, not less than its backward `limit` */
    PG_E_LENGTH,      /* the list `field` has `value` entries, neither 1 nor `limit` */
    PG_E_NUMBER,      /* the number `field` is `value`: not finite, or negative (fused: or zero) */
    PG_E_OVERFLOW,    /* these costs (field LAYERS: layer costs) add up to more than a double holds */
    PG_E_RULE,        /* the family cannot do these P, M, V: its `rule` says why */
    PG_E_MEMORY,      /* the arena is too small: `value` bytes more were needed */
    PG_E_DEADLOCK,    /* `device` can never start its operation `index`: kind, stage, micro_batch */
    PG_E_NO_LAYERS,   /* nothing to split */
    PG_E_FEW_LAYERS,  /* `value` layers for `limit` stages */
    PG_E_LAYER_COST,  /* layer `index` costs `value`: negative or not finite */
    PG_E_MISSING,     /* verify: an operation of this stage and micro-batch is not there */
    PG_E_DOUBLED,     /* verify: it is there twice */
    PG_E_PLACE,       /* verify: it names a stage or micro-batch that its device does not have, or is
                         half of a fused pair without the other half */
    PG_E_DEPENDENCY,  /* verify: it starts at `value`, before what it needs is there, at `limit` */
    PG_E_OVERLAP,     /* verify: it starts at `value`, before its device is free, at `limit` */
    PG_E_DURATION,    /* verify: its recorded end is `value`, not start + cost, which is `limit`; also
                         the makespan, naming the last operation to end */
};

enum pg_field {
    PG_FIELD_NONE,
    PG_FIELD_STAGES,
    PG_FIELD_MICRO_BATCHES,
    PG_FIELD_CHUNKS,
    PG_FIELD_FORWARD,
    PG_FIELD_BACKWARD,
    PG_FIELD_WEIGHT,
    PG_FIELD_TRANSFER,
    PG_FIELD_FUSED,
    PG_FIELD_LAYERS,
};

/* Kinds in the order in which the operation list sorts them. A backward is either one B or an
 * input gradient I (what the neighbour waits for) and a weight gradient W (what nobody waits for). */
enum pg_kind { PG_FORWARD, PG_BACKWARD, PG_INPUT_GRAD, PG_WEIGHT_GRAD, PG_KINDS };

/* The facts of an error; the sentence is made by whoever talks to the user. Absent: PG_NONE,
 * kind -1, PG_FIELD_NONE; value and limit are 0 where the status does not name them. */
struct pg_fault {
    enum pg_status status;
    enum pg_field field;
    uint32_t device, stage, micro_batch, index;
    int kind;
    double value, limit;
};

/* ---- arena.c ------------------------------------------------------------------------------- */

/* A block that the caller owns, handed out from the front. Nothing is ever freed singly: take a
 * mark, and reset to it. */
struct pg_arena {
    unsigned char *base;
    size_t size, used;
};

void pg_arena_init(struct pg_arena *arena, void *block, size_t size);
/* `count` items of `item` bytes, 64-byte aligned, not cleared; NULL when the block is used up. */
void *pg_arena_take(struct pg_arena *arena, size_t count, size_t item);
size_t pg_arena_mark(const struct pg_arena *arena);
void pg_arena_reset(struct pg_arena *arena, size_t mark);

/* ---- schedule.c: the families -------------------------------------------------------------- */

/* How stages lie on devices. LOOP: stage s on device s mod P. V: down and up again. BIDIRECTIONAL:
 * two replicas, stage s of the second one on device P-1-s. */
enum pg_placement { PG_LOOP, PG_V, PG_BIDIRECTIONAL };

struct pg_list {
    const double *v; /* n entries: 1 for all stages alike, or one per stage */
    uint32_t n;
};

struct pg_family;
struct pg_table; /* an order that is given: table.c */

/* A training step to be planned. Costs are per stage (a chunk of a device), in time units. */
struct pg_problem {
    const struct pg_family *family;
    uint32_t devices;       /* P, 1 … PG_MAX_DEVICES */
    uint32_t chunks;        /* V, 1 … PG_MAX_CHUNKS; ignored by families of fixed chunks */
    uint32_t micro_batches; /* M, 1 … PG_MAX_MICRO_BATCHES; of both replicas together */
    uint32_t group;         /* G of interleaved families; 0: the family's own rule */
    struct pg_list forward;
    struct pg_list backward; /* the full backward */
    struct pg_list weight;   /* its weight-gradient part; n = 0: half of backward */
    struct pg_list activation;        /* stash of a micro-batch on a stage; n = 0: 1/V each */
    struct pg_list weight_activation; /* what of it stays from I to W; n = 0: all */
    double transfer;         /* from device to device, >= 0 */
    double fused;            /* a fused forward-backward pair costs (F + B) * fused; > 0 */
    const struct pg_table *table; /* the order, of a family that is_table; others ignore it */
};

struct pg_writer;
struct pg_plan;

struct pg_family {
    const char *name;       /* "1f1b" */
    const char *title;      /* "1F1B" */
    const char *rule;       /* what P, M and V must be, in words; terms of P, M, V, G and L (the last
                               group's size) whose value is worth a mention in braces: {2P-1} */
    const char *formula;    /* closed form of the bubble, in words; "" where there is none */
    const char *source;     /* the paper */
    enum pg_placement placement;
    uint32_t fixed_chunks;  /* V the family works with; 0: any */
    bool splits;            /* has I and W */
    bool has_fused;         /* has fused pairs */
    bool has_group;         /* `group` means something to it */
    bool is_forward_only;   /* inference: no backward at all */
    bool is_table;          /* the order is given, in the problem's table */
    bool is_synchronous_1v; /* utilization from costs, and (P-1)/(M+P-1) holds at uniform costs */
    /* Can these P, M, V be done? */
    bool (*can)(const struct pg_problem *problem);
    /* Closed form of the makespan of a timed plan with equal stages and transfer 0; NAN where these
     * costs or sizes do not qualify; NULL where there is none. */
    double (*makespan)(const struct pg_plan *plan);
    /* Writes the order of one device. It decides an order and never sees a cost. */
    void (*emit)(const struct pg_problem *problem, uint32_t device, struct pg_writer *out);
};

/* The table of families, first the ones people meet first. */
const struct pg_family *pg_families(uint32_t *count);
/* NULL when there is none of that name. */
const struct pg_family *pg_family_find(const char *name);
/* Operations of a family per stage and micro-batch, at most. */
uint32_t pg_family_ops(const struct pg_family *family);
/* G as an interleaved family uses it. */
uint32_t pg_problem_group(const struct pg_problem *problem);
/* V as the family uses it. Of a table: S/P rounded up, the V by which shares are reckoned. */
uint32_t pg_problem_chunks(const struct pg_problem *problem);
/* Stages S of one replica, P*V but for a table: the length of a full cost list. */
uint32_t pg_problem_stages(const struct pg_problem *problem);
/* Operations of the whole step, as a number that cannot overflow; PG_MAX_OPS are allowed. */
double pg_problem_ops(const struct pg_problem *problem);
/* Device on which a stage of a replica lies; not for a table, which says so itself. */
uint32_t pg_stage_device(const struct pg_family *family, uint32_t devices, uint32_t stage,
                         uint32_t replica);
/* Everything that can be wrong with a problem but memory and a deadlock. */
enum pg_status pg_problem_check(const struct pg_problem *problem, struct pg_fault *fault);

/* ---- plan.c and timeline.c ----------------------------------------------------------------- */

/* An operation of a run in 32 bits: micro-batch, kind, slot, and whether it is the first or second
 * half of a fused pair (which stand next to each other and share start and end). */
typedef uint32_t pg_code;
#define PG_CODE_MICRO 0x000fffffu
#define PG_CODE_ROW_SHIFT 20 /* slot*4 + kind in the eight bits from here */
#define PG_CODE_FUSED_FIRST 0x10000000u
#define PG_CODE_FUSED_SECOND 0x20000000u

static inline uint32_t pg_code_micro(pg_code c) { return c & PG_CODE_MICRO; }
static inline uint32_t pg_code_row(pg_code c) { return (c >> PG_CODE_ROW_SHIFT) & 0xffu; }
static inline enum pg_kind pg_code_kind(pg_code c) { return (enum pg_kind)(pg_code_row(c) & 3u); }
static inline uint32_t pg_code_slot(pg_code c) { return pg_code_row(c) >> 2; }
static inline bool pg_code_is_fused(pg_code c)
{
    return (c & (PG_CODE_FUSED_FIRST | PG_CODE_FUSED_SECOND)) != 0;
}

/* What one device does, in order. Starts never fall along a run. */
struct pg_run {
    pg_code *code;  /* [count] */
    double *start;  /* [count] */
    uint32_t count;
};

/* A timed order. All pointers lead into the arena it was built in. */
struct pg_plan {
    const struct pg_family *family;
    uint32_t devices, chunks, replicas;
    uint32_t stages;        /* S of one replica */
    uint32_t slots;         /* chunks * replicas; of a table, the most stages on a device */
    uint32_t micro_batches; /* M, of all replicas together */
    uint32_t micro_each;    /* M / replicas: what one replica's stages run */
    uint64_t ops;           /* over all runs */
    double transfer, fused;
    const uint32_t *cell_device; /* [replicas*S] */
    const uint32_t *slot_cell;   /* [devices*slots]; PG_NONE, last ones of a device: not in use */
    const double *cost;          /* [replicas*S][PG_KINDS] */
    const double *stash;         /* [replicas*S][2]: activation, weight_activation; NULL: counts */
    struct pg_run *run;          /* [devices] */
    double *done;                /* end times: row cell*2 forward, cell*2+1 gradient; infinity before */
    size_t done_stride;          /* doubles from row to row: at least micro_each, or half of that
                                    where a family has no gradients: no row of theirs is there */
    double makespan;
    bool is_partial;             /* under construction (build.c): runs may be empty, and nothing is
                                    known of a device after its last operation */
};

/* An operation spelled out. Stage and micro-batch count from 0 in each replica. */
struct pg_op {
    double start, end;
    uint32_t device, stage, micro_batch;
    uint8_t kind, replica;
    bool is_fused;
};

/* Bytes of arena that pg_plan_build needs at most; 0 when the problem does not pass its check. */
size_t pg_plan_size(const struct pg_problem *problem);
/* Check, place, order, time. On any error the arena is as before and the plan is not to be used. */
enum pg_status pg_plan_build(struct pg_arena *arena, const struct pg_problem *problem,
                             struct pg_plan *plan, struct pg_fault *fault);
/* Fills in start times, `done` and makespan of a plan whose runs and costs are there. Linear in
 * operations. start = max(0, end of the device's previous operation, end of each dependency, plus
 * transfer where it comes from another device). `arena` lends scratch and is left as it was. */
enum pg_status pg_plan_time(struct pg_plan *plan, struct pg_arena *arena, struct pg_fault *fault);

/* Bytes of arena that pg_plan_retime, and that pg_plan_latest, need at most. */
size_t pg_retime_size(const struct pg_plan *plan);
size_t pg_latest_size(const struct pg_plan *plan);
/* Makespan of the same orders with another transfer time. The plan stays as it is. */
enum pg_status pg_plan_retime(const struct pg_plan *plan, double transfer, struct pg_arena *arena,
                              double *makespan, struct pg_fault *fault);
/* (*latest)[device][index]: when an operation may end at the latest without the makespan growing,
 * the orders staying as they are. What it ends before that is its slack. Linear in operations. The
 * arrays come from the arena. Rounding: where the slack is 0 it may differ from the end by a few
 * units of the last place of the makespan; pg_op_slack knows that. */
enum pg_status pg_plan_latest(const struct pg_plan *plan, struct pg_arena *arena,
                              const double ***latest, struct pg_fault *fault);

/* End of operation `index` of `device`: start + cost. */
double pg_op_end(const struct pg_plan *plan, uint32_t device, uint32_t index);
void pg_op_at(const struct pg_plan *plan, uint32_t device, uint32_t index, struct pg_op *op);
/* First operation of the device that ends after `time`; count when none does. By bisection. */
uint32_t pg_op_after(const struct pg_plan *plan, uint32_t device, double time);
/* Position of an operation in the run of the device that has it, PG_NONE when there is none.
 * `kind` PG_BACKWARD also finds the input gradient that stands in its place. */
uint32_t pg_op_find(const struct pg_plan *plan, uint32_t cell, uint32_t micro_batch,
                    enum pg_kind kind, uint32_t *device);

/* ---- table.c -------------------------------------------------------------------------------- */

/* What one device of a table does, in order. */
struct pg_table_run {
    const pg_code *code; /* [count], at least 1; slot k is the k-th stage of the device by depth */
    uint32_t count;
};

/* An order that is given instead of emitted: any placement, any number of stages on a device.
 * Everything is borrowed for as long as a problem or a plan of it is in use. */
struct pg_table {
    uint32_t devices, stages, micro_batches;
    uint32_t slots;               /* the most stages on a device, at most PG_MAX_CHUNKS */
    bool is_forward_only;
    const uint32_t *stage_device; /* [stages] */
    const struct pg_table_run *run; /* [devices] */
};

/* The family of a problem with this table. It is not among pg_families. pg_plan_build refuses a
 * table that does not keep to its own counts, with PG_E_PLACE; an operation that is missing or there
 * twice is found by the clock, as a deadlock, or by pg_plan_verify. */
const struct pg_family *pg_table_family(const struct pg_table *table);

/* ---- list.c -------------------------------------------------------------------------------- */

/* All operations sorted by start, stage, kind, micro-batch, replica, into out[plan->ops];
 * `scratch` is as large. */
void pg_plan_list(const struct pg_plan *plan, struct pg_op *out, struct pg_op *scratch);

/* ---- metrics.c ----------------------------------------------------------------------------- */

struct pg_metrics {
    double makespan;
    double total_busy_time;  /* sum of end - start, a fused pair once */
    double utilization;      /* busy / (P * makespan), at most 1 */
    double bubble_fraction;  /* 1 - utilization, at least 0 */
    double idle_over_ideal;  /* idle / busy */
    double throughput;       /* micro-batches per time unit */
    double floor;            /* largest work of a device: no order is shorter */
    double analytical_bubble_fraction; /* (P-1)/(M+P-1) and M/(M+P-1); NAN where the family has */
    double analytical_utilization;     /* no such form */
    double formula;          /* bubble by the family's closed form; NAN where it does not hold */
    double span;             /* longest time of a device from its first start to its last end */
    double span_bubble;      /* idle share of all spans: what is left of the bubble when devices need
                                not start and stop together */
    double peak_stash;
    double *device_work;      /* [devices] */
    double *stage_peak_stash; /* [devices], in micro-batches of a device's whole share */
    double peak_memory;       /* the same weighted with activation and weight_activation; peak_stash */
    double *device_memory;    /* and stage_peak_stash where these are not given */
};

/* Bytes that pg_plan_judge takes from its arena. */
size_t pg_metrics_size(uint32_t devices);
/* Judges a timed plan. One pass over the runs; the arrays come from the arena. */
enum pg_status pg_plan_judge(const struct pg_plan *plan, struct pg_arena *arena,
                             struct pg_metrics *metrics);

/* ---- verify.c ------------------------------------------------------------------------------ */

/* Scratch bytes that pg_plan_verify takes from its arena. */
size_t pg_verify_size(const struct pg_plan *plan);
/* Is every operation there exactly once and where its stage lives, does none start before what it
 * needs or before its device is free, does each take what it costs? Shares no code with what made
 * the plan. The fault names the first offence. */
enum pg_status pg_plan_verify(const struct pg_plan *plan, struct pg_arena *arena,
                              struct pg_fault *fault);

/* ---- partition.c --------------------------------------------------------------------------- */

struct pg_range {
    uint32_t start, end; /* layers start … end-1 */
    double load;         /* difference of prefix sums */
};

/* Scratch bytes for splitting `layers` layers into `stages`. */
size_t pg_partition_size(uint32_t layers, uint32_t stages);
/* The contiguous split with the least possible largest load, exact; among equals the one that
 * core.md pins down (each last stage starts as early as it can). ranges[stages]. */
enum pg_status pg_partition(struct pg_arena *arena, const double *cost, uint32_t layers,
                            uint32_t stages, struct pg_range *ranges, struct pg_fault *fault);

/* ---- idle.c -------------------------------------------------------------------------------- */

/* Idle time of a device, or of all together, taken apart in two ways; each adds up to `total`, none
 * is negative. By place: before the first operation, between operations, after the last. By cause,
 * obstacles taken away one after another: what the makespan loses to transfer, to the order at
 * transfer 0, and what a device with less work than the busiest one must lose in any case. */
struct pg_idle {
    double total;
    double fill, inside, drain;
    double transfer, schedule, imbalance;
};

/* From the ideal to the makespan: mean work of a device <= work of the busiest one (floor) <=
 * makespan of the same orders at transfer 0 <= makespan. */
struct pg_idle_report {
    double ideal, floor, without_transfer, makespan;
    struct pg_idle all;
    struct pg_idle *devices; /* [devices], from the arena */
};

/* Bytes of arena that pg_plan_idle needs at most. */
size_t pg_idle_size(const struct pg_plan *plan);
/* Where the idle time of a judged plan comes from. Linear in devices; with a transfer time the
 * orders are timed once more without it. */
enum pg_status pg_plan_idle(const struct pg_plan *plan, const struct pg_metrics *metrics,
                            struct pg_arena *arena, struct pg_idle_report *report,
                            struct pg_fault *fault);

/* ---- explain.c ----------------------------------------------------------------------------- */

/* An operation by its place in a run. */
struct pg_place {
    uint32_t device, index;
};

enum pg_bound {
    PG_BOUND_ORIGIN, /* starts at 0: it waits for nothing */
    PG_BOUND_DEVICE, /* its device was busy until then */
    PG_BOUND_DATA,   /* what it needs arrived then */
};

/* What set the start of an operation. */
struct pg_why {
    enum pg_bound bound;
    bool is_tied;             /* something it needs, `tied`, came when the device became free or with
                                 another need, but for rounding; not where the need is what the device
                                 did just before */
    bool has_previous;        /* an operation ran before it on the device, ending at previous_end */
    double previous_end;
    bool has_data;            /* it needs something: operation data_index of data_device */
    uint32_t data_device, data_index;
    double data_end, data_arrival; /* arrival = end + transfer where devices differ */
    struct pg_place tied;
};

void pg_op_why(const struct pg_plan *plan, uint32_t device, uint32_t index, struct pg_why *why);

/* What an operation needs from others, and who needs it, the device's own order left aside: at most
 * PG_MOST_NEEDS each (a fused pair counts as one, its halves' needs together). Return how many. */
#define PG_MOST_NEEDS 4
uint32_t pg_op_needs(const struct pg_plan *plan, uint32_t device, uint32_t index,
                     struct pg_place out[PG_MOST_NEEDS]);
uint32_t pg_op_unblocks(const struct pg_plan *plan, uint32_t device, uint32_t index,
                        struct pg_place out[PG_MOST_NEEDS]);
/* By how much it may grow, or be late, before the makespan grows; `latest` is pg_plan_latest's. */
double pg_op_slack(const struct pg_plan *plan, const double *const *latest, uint32_t device,
                   uint32_t index);

/* A step back from an operation to what set its start. */
struct pg_link {
    struct pg_place at;
    enum pg_bound bound; /* how it set the start of the one before in the chain: PG_BOUND_DATA, or
                            PG_BOUND_DEVICE as what the device did before */
    double lag;          /* transfer in between */
    bool is_tied;        /* something else set that start as well */
};

/* Walks the chain behind the gap before operation `index` of `device`: first what the operation
 * waited for, then what that one waited for, and so on to the operation that was running, or whose
 * result was on its way, when the gap began. Fills link[0 … room-1] and returns the length of the
 * chain, which may be more than `room`, but no more than `most` steps are walked. 0 for a gap behind
 * the last operation. */
uint32_t pg_gap_chain(const struct pg_plan *plan, uint32_t device, uint32_t index,
                      struct pg_link *link, uint32_t room, uint32_t most);
/* The last link of such a chain; false when it has none. */
bool pg_gap_chain_last(const struct pg_plan *plan, uint32_t device, uint32_t index,
                       struct pg_link *last, uint32_t most);

/* ---- path.c -------------------------------------------------------------------------------- */

/* A critical path: operations each of which set the start of the next one, from time 0 to the
 * makespan. Where device and data are tied the device is followed. Halves of a fused pair count as
 * one: the half through which the path goes stands for both. */
struct pg_path {
    const struct pg_place *at;  /* [count] in order of time */
    uint64_t count;
    double work, transfer;      /* together the makespan */
    uint64_t transfers;         /* how often a result travels */
    bool has_ties;              /* there are others as long */
    const uint32_t *index;      /* the same by device: index[first[d] … first[d+1]-1], ascending */
    const uint64_t *first;      /* [devices + 1] */
    const double *stage_work;   /* [stages]: what of the path is work of a stage */
    double kind_work[PG_KINDS]; /* and of a kind; a fused pair is shared out by cost */
};

/* Bytes of arena that pg_plan_path needs at most. */
size_t pg_path_size(const struct pg_plan *plan);
/* Finds a critical path of a timed plan. Costs what the path is long. */
enum pg_status pg_plan_path(const struct pg_plan *plan, struct pg_arena *arena,
                            struct pg_path *path, struct pg_fault *fault);

/* ---- stash.c ------------------------------------------------------------------------------- */

#define PG_STASH_BLOCK 16u

/* The most that a device keeps: reached at `start` by operation `index`, for the first time, and
 * kept until `end` at least. The value is that of the metrics, to the last bit. */
struct pg_stash_peak {
    double value, start, end;
    uint32_t index;
};

/* What every device keeps at any time. The unit is that of pg_metrics.device_memory: activation
 * where it is given (what of it stays from I to W: weight_activation), else micro-batches of a
 * device's whole share, so that a chunk is 1/V. A forward adds when it starts, a backward takes away
 * when it ends (I what does not stay, W the rest). A view on a plan, which must stay. */
struct pg_stash {
    const struct pg_plan *plan;
    bool is_weighted;           /* by activation */
    double largest;             /* of all peaks */
    struct pg_stash_peak *peak; /* [devices] */
    double *held, *most;        /* sums at every block of operations, and a tower of maxima */
    size_t *block, *tower;      /* [devices] where the device's own begin in these */
};

/* Bytes that pg_stash_build takes from its arena: about 1 an operation. */
size_t pg_stash_size(const struct pg_plan *plan);
/* Linear in operations, once a plan. */
enum pg_status pg_stash_build(struct pg_arena *arena, const struct pg_plan *plan,
                              struct pg_stash *stash);
/* The level of a device at a time: what starts then counts, what ends then no longer does. */
double pg_stash_at(const struct pg_stash *stash, uint32_t device, double time);
/* Its largest level from a time on to before another. Either costs bisections, not operations. */
double pg_stash_most(const struct pg_stash *stash, uint32_t device, double from, double to);

/* An event is the start or the end of an operation anywhere; those that only rounding keeps apart
 * are one, at the time of its last. Before a time, not after it, and after it; infinite where there
 * is none. */
double pg_event_width(const struct pg_plan *plan); /* what is closer than this is one */
double pg_event_before(const struct pg_plan *plan, double time);
double pg_event_at(const struct pg_plan *plan, double time);
double pg_event_after(const struct pg_plan *plan, double time);

#endif
