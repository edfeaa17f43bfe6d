/* The puzzle: an order of the present step built by hand, as a part of a session.
 *
 * It has rules (the placement, kinds of operations, costs and memory limit of a scenario) and
 * what is placed (core's pg_build). It outlives its screen: whoever leaves finds it as it was
 * while P, M and V are the same, on the costs of the day. */
#ifndef MODEL_BUILD_H
#define MODEL_BUILD_H

#include "core/pg_build.h"
#include "model/families.h"

enum build_key {
#define BUILD_KEY(id, name, keys, shown, bar, help) BUILD_##id,
#include "model/build_keys.def"
#undef BUILD_KEY
    BUILD_KEY_COUNT
};

struct build_key_info {
    const char *name, *keys, *shown, *bar, *help;
};

const struct build_key_info *build_key_info(enum build_key key);
/* BUILD_KEY_COUNT when the puzzle has no such key. */
enum build_key build_key_of(const char *key);

/* What the puzzle's screen is drawn from. */
struct build_view {
    const struct pg_build *build;
    const struct scenario *scenario; /* of the rules */
    /* Costs, and the plan as far as it is placed. Its metrics: makespan so far; device_work such
     * that the idle share of a device is that so far; all the others only when it is done. */
    const struct outcome *outcome;
    uint32_t device, lane_top;       /* looked at; the first lane on screen when not all fit */
    const struct pg_step *moves;     /* that `device` could make */
    uint32_t count, chosen;
    const char *none;                /* why the device has no move, when it has none */
    uint32_t total;                  /* operations */
    bool is_done;
    double floor, idle, peak;
    double horizon;                  /* time that the chart should show */
    const struct family_row *best;   /* the shortest family under the limit; NULL: none */
    const struct family_row *here;   /* of those that keep to these rules */
    const char *names;               /* families that it is, or begins like; "" none */
};

/* "F3 on stage 1", "F3 of stage 5 on device 1", "F3&B0 on stage 1". */
void build_write_move(const struct pg_plan *plan, const struct pg_move *move, struct text *out);
/* "F3 at 5", "B0 at 9 (waits 4)": one of a device's moves. */
void build_write_step(const struct pg_plan *plan, const struct pg_step *step, struct text *out);
/* The sentence for what keeps a move from being made. */
void build_write_bar(const struct build_view *view, const struct pg_move *move,
                     const struct pg_bar *bar, struct text *out);
/* Against a family: "20% longer than zb-h2 (10, bubble 11.1%, stash 4)". */
void build_write_score(const struct build_view *view, const struct family_row *row,
                       struct text *out);

#endif
