/* What only an explanation asks of a plan: where idle time comes from, the critical path, slack,
 * what devices keep over time.
 *
 * None of it is needed to draw a chart, and each costs a walk over the plan. So it is made when it is
 * asked for the first time, kept with the outcome it is about, and gone when that runs again. */
#ifndef MODEL_EXPLAINED_H
#define MODEL_EXPLAINED_H

#include "core/pg.h"

struct explained {
    const struct pg_idle_report *idle; /* NULL: not asked for yet */
    const struct pg_path *path;
    const double *const *latest;
    const struct pg_stash *stash;
    void *blocks[4]; /* what they lie in */
};

struct outcome;

/* NULL only when there is not enough memory. */
const struct pg_idle_report *outcome_idle(struct outcome *outcome);
const struct pg_path *outcome_path(struct outcome *outcome);
/* Of every operation the latest end: see pg_plan_latest. */
const double *const *outcome_latest(struct outcome *outcome);
/* What every device keeps at any time. */
const struct pg_stash *outcome_stash(struct outcome *outcome);
/* Is an operation on the critical path? By bisection. A fused pair is as a whole. */
bool path_has(const struct pg_path *path, const struct pg_plan *plan, uint32_t device,
              uint32_t index);
/* "33 = forward 11 + backward 22", in brief "33 = F 11 + B 22": what a critical path consists of. */
struct text;
void path_write(const struct pg_path *path, const struct pg_plan *plan, bool is_brief,
                struct text *out);
void explained_free(struct explained *explained);

#endif
