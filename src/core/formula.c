/* Closed forms of the makespan, where a paper or a count gives one and the costs qualify.
 *
 * All of them want equal stages and no transfer; f is a forward, b an input gradient, w a weight
 * gradient and B = b + w a backward of one chunk, as in the papers. Each was compared with the
 * timelines of many sizes. */
#include "core/internal.h"

#include <math.h>

struct costs {
    double p, m, v, f, b, w, whole; /* whole: the full backward */
};

static struct costs costs_of(const struct pg_plan *plan)
{
    const double *cost = plan->cost;

    return (struct costs){plan->devices, plan->micro_batches, plan->chunks, cost[PG_FORWARD],
                          cost[PG_INPUT_GRAD], cost[PG_WEIGHT_GRAD], cost[PG_BACKWARD]};
}

static double largest(double a, double b, double c)
{
    double most = a > b ? a : b;
    return most > c ? most : c;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (a > b ? a : b);
}

static double work_of(const struct costs *c)
{
    return c->m * c->v * (c->f + c->whole);
}

double formula_in_turn(const struct pg_plan *plan)
{
    struct costs c = costs_of(plan);
    return (c.m + c.p - 1) * (c.f + c.whole);
}

double formula_forward_only(const struct pg_plan *plan)
{
    struct costs c = costs_of(plan);
    return (c.m + c.p - 1) * c.f;
}

double formula_interleaved(const struct pg_plan *plan)
{
    struct costs c = costs_of(plan);

    if (c.v == 1) /* its warm-up is another one than that of 1F1B */
        return NAN;
    return (c.m >= c.p ? c.m * c.v + c.p - 1 : c.p * c.v + c.m - 1) * (c.f + c.whole);
}

double formula_looped(const struct pg_plan *plan)
{
    struct costs c = costs_of(plan);
    return (c.m >= c.p ? c.m * c.v + c.p - 1 : c.p * c.v + c.m - 1) * (c.f + c.whole);
}

double formula_zero_bubble(const struct pg_plan *plan)
{
    struct costs c = costs_of(plan);

    if (c.m < c.p || (c.v > 1 && plan->micro_batches % plan->devices != 0))
        return NAN;
    return work_of(&c) + (c.p - 1) * largest(c.f, c.b, c.f + c.b - c.w);
}

/* At f = b = w every device is busy all along its span; spans are staggered by a forward a device. */
double formula_staggered(const struct pg_plan *plan)
{
    struct costs c = costs_of(plan);

    if (c.m < 2 * c.p - 1 || !is_near(c.f, c.b) || !is_near(c.b, c.w))
        return NAN;
    return work_of(&c) + (c.p - 1) * c.f;
}

double formula_dualpipe(const struct pg_plan *plan)
{
    struct costs c = costs_of(plan);
    double turns = plan->family->placement == PG_V ? c.p : c.p / 2;

    if (!is_near(c.f, c.b) || c.w > c.f * (1 + 1e-12) || plan->fused != 1)
        return NAN;
    return work_of(&c) + (turns - 1) * (c.f + c.whole + c.whole - 3 * c.w);
}

double formula_chimera(const struct pg_plan *plan)
{
    struct costs c = costs_of(plan);

    if (c.whole < c.f)
        return NAN;
    return work_of(&c) + (c.p - 2) * (c.f + c.m / c.p * (c.whole - c.f));
}
