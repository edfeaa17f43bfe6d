/* The part of the public header of which only a builder of orders has need: an order placed by hand,
 * a move at a time, by the rules of a family. What can come next, what bars a move, and how short
 * the step can still become: build.c, build_moves.c, build_bound.c. */
#ifndef CORE_PG_BUILD_H
#define CORE_PG_BUILD_H

#include "core/pg.h"

#define PG_BUILD_MOST 4096u /* operations of a step that can be built by hand */

/* An operation, or a fused pair, to be placed next on a device. Codes without the bits of a pair. */
struct pg_move {
    uint32_t device;
    pg_code code;
    pg_code with; /* the backward that is fused with the forward `code`; PG_NONE: alone */
};

/* A move that can be made, and when. */
struct pg_step {
    struct pg_move move;
    double start, end, waits; /* waits: idle time of the device before it */
    bool is_next;             /* the lowest micro-batch of its kind and slot that can be placed */
};

enum pg_bar_kind {
    PG_BAR_NONE,
    PG_BAR_PLACE,  /* the device has no such slot, or the step no such micro-batch */
    PG_BAR_KIND,   /* these rules have no such kind of operation, or no fused pairs */
    PG_BAR_PLACED, /* it is placed already; or (`op` is another kind) its backward is, in another way */
    PG_BAR_NEEDS,  /* it needs `op` of `stage`, on `device`, which is not placed yet */
    PG_BAR_MEMORY, /* its device would hold `value`, more than the limit `limit` */
};

/* What keeps a move from being made. `of` is the half of the move that it is about. */
struct pg_bar {
    enum pg_bar_kind kind;
    pg_code of;
    enum pg_kind op;
    uint32_t device, stage, micro_batch;
    double value, limit;
};

/* An order under construction. `plan` can be drawn, and asked about what is placed, at any time; when
 * all is placed it is an ordinary plan. Its family is none of pg_families: it says which kinds of
 * operations there are. */
struct pg_build {
    struct pg_plan plan;
    double memory_limit;   /* 0: none */
    struct pg_move *moves; /* in the order in which they were made; */
    uint32_t made, known;  /* those from `made` on have been taken back and can be made again */
    double *held;          /* [devices], stash that the device holds after its last operation */
    double *peak;          /* [devices], the most that it has held */
    uint8_t *has;          /* [cells][micro_each], a bit a kind that is placed */
    double *scratch;       /* of the bound */
    struct pg_step *choice; /* [devices], of a policy that finishes */
};

enum pg_policy {
    PG_BACKWARD_FIRST, /* what starts first, a backward before a forward; on stage s of S at most S-s
                          micro-batches between forward and backward: as 1F1B */
    PG_FORWARD_FIRST,  /* every forward of a device before any backward: as GPipe */
    PG_FILL,           /* backwards split, weight gradients only where the device would idle; at most
                          2(S-s)-1 micro-batches: as ZB-H2 */
    PG_POLICIES
};

/* Bytes of arena for building a step with the placement, costs and kinds of operations of this
 * problem's family; 0 when it does not pass its check. */
size_t pg_build_size(const struct pg_problem *problem);
/* An empty chart. PG_E_OPS for a step with more than PG_BUILD_MOST operations. */
enum pg_status pg_build_start(struct pg_arena *arena, const struct pg_problem *problem,
                              double memory_limit, struct pg_build *build, struct pg_fault *fault);
/* Operations in all: those that are placed, and the fewest that complete them. */
uint32_t pg_build_total(const struct pg_build *build);
bool pg_build_is_done(const struct pg_build *build);
/* End of what a device has placed. */
double pg_build_front(const struct pg_build *build, uint32_t device);
/* Idle time of a device up to there. */
double pg_build_idle(const struct pg_build *build, uint32_t device);
/* Could this move be made, and when; or what keeps it from being made. */
bool pg_build_try(const struct pg_build *build, const struct pg_move *move, struct pg_step *step,
                  struct pg_bar *bar);
/* Makes it; what had been taken back is forgotten, unless it is the move that comes next there. */
bool pg_build_put(struct pg_build *build, const struct pg_move *move, struct pg_bar *bar);
/* Takes the last move back, or makes it again. False when there is none. */
bool pg_build_undo(struct pg_build *build);
bool pg_build_redo(struct pg_build *build);

/* All moves that a device could make now, into out[pg_build_moves_most]: first those of the lowest
 * micro-batch of each kind, then the others, each part by start. Of pairs only the lowest ones. */
uint32_t pg_build_moves(const struct pg_build *build, uint32_t device, struct pg_step *out);
uint32_t pg_build_moves_most(const struct pg_build *build);
/* The move that a policy would make next; false when none can be made. It fuses no pairs. */
bool pg_build_choose(const struct pg_build *build, enum pg_policy policy, struct pg_step *step);
/* Makes moves until all is placed. False when the memory limit leaves no move: then `build` is where
 * that became so. */
bool pg_build_finish(struct pg_build *build, enum pg_policy policy);

/* Is each run of what is built the beginning of that run of the other plan, on the same placement? */
bool pg_build_begins(const struct pg_build *build, const struct pg_plan *plan);
/* The first move towards that plan, of those that can be made. */
bool pg_build_towards(const struct pg_build *build, const struct pg_plan *plan,
                      struct pg_step *step);
/* The families that have (a finished build) or can come to have exactly this order; returns how many.
 * `out` has room for all of them. The problem is that which the build was started with. */
uint32_t pg_build_families(const struct pg_build *build, const struct pg_problem *problem,
                           struct pg_arena *scratch, const struct pg_family **out);
size_t pg_build_families_size(const struct pg_build *build, const struct pg_problem *problem);

/* No order that begins like this ends before; of an empty chart, no order at all. */
double pg_build_floor(const struct pg_build *build);

#endif
