/* The shortest makespan that any order could have, before anything is run.
 *
 * A device can begin only when a first micro-batch has come to it through the stages before, then
 * has all its work to do, and after its last backward the stages before still have theirs. So each
 * device gives a straight line over M, and the largest of them is a bound that no order of these
 * operations on these devices can be below: not the present one, nor one of another family with the
 * same placement. (A family that splits the backward may do weight gradients last: a line of its
 * own.) */
#ifndef MODEL_BOUND_H
#define MODEL_BOUND_H

#include "model/resolve.h"

struct bound {
    uint32_t lines;      /* each: fixed + rate * M */
    double *fixed, *rate;
    double mean;         /* work of a device per micro-batch, on average */
    double slowest;      /* and of the one with most */
    uint32_t device;     /* that one */
    bool is_exact_work;  /* fused pairs cost what their halves do: work does not depend on the order */
};

/* The scenario must have passed scenario_check. False when out of memory. */
bool bound_make(struct bound *bound, const struct scenario *scenario);
void bound_free(struct bound *bound);
/* No order has a shorter makespan. */
double bound_makespan(const struct bound *bound, uint32_t micro_batches);
/* Work of the slowest device. */
double bound_floor(const struct bound *bound, uint32_t micro_batches);
/* No order has a smaller bubble. Falls with M. 0 when nothing can be said. */
double bound_bubble(const struct bound *bound, uint32_t micro_batches);
/* What that tends to when M grows for ever. */
double bound_bubble_limit(const struct bound *bound);

#endif
