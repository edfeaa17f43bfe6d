/* How short a step can still become: a bound below every order that begins with what is placed.
 *
 * Two things take time whatever the order. An operation that is still to come starts after its
 * device's last one and after the chain of inputs that leads to it (its head), and after it the
 * chain that waits for it has to run (its tail). And a device has all of its remaining work to
 * do, after the least head and before the least tail. Of an empty 1F1B this is its makespan. */
#include "core/internal.h"
#include "core/pg_build.h"

#include <math.h>

enum { F = 1 << PG_FORWARD, B = 1 << PG_BACKWARD, I = 1 << PG_INPUT_GRAD, W = 1 << PG_WEIGHT_GRAD };

struct bound {
    const struct pg_build *build;
    double scale; /* of costs, where a fused pair can be shorter than its halves */
    double *forward, *gradient;           /* [cells][micro_each]: earliest end, or the end */
    double *forward_tail, *gradient_tail; /* [cells] */
};

static double later(double a, double b)
{
    return a > b ? a : b;
}

static double cost_of(const struct bound *bound, uint32_t cell, enum pg_kind kind)
{
    return bound->build->plan.cost[(size_t)cell * PG_KINDS + kind] * bound->scale;
}

/* The least time from the start of a gradient to its being there for the stage before. */
static double gradient_cost(const struct bound *bound, uint32_t cell)
{
    return cost_of(bound, cell, bound->build->plan.family->splits ? PG_INPUT_GRAD : PG_BACKWARD);
}

static double weight_cost(const struct bound *bound, uint32_t cell)
{
    return bound->build->plan.family->splits ? cost_of(bound, cell, PG_WEIGHT_GRAD) : 0;
}

static double lag(const struct pg_plan *plan, uint32_t a, uint32_t b)
{
    return plan->cell_device[a] != plan->cell_device[b] ? plan->transfer : 0;
}

static void make_tails(struct bound *bound)
{
    const struct pg_plan *plan = &bound->build->plan;
    bool is_inference = plan->family->is_forward_only;

    for (uint32_t cell = 0; cell < plan->replicas * plan->stages; cell++) {
        double tail = weight_cost(bound, cell);
        if (cell % plan->stages > 0)
            tail = later(tail, lag(plan, cell, cell - 1) + gradient_cost(bound, cell - 1) +
                                   bound->gradient_tail[cell - 1]);
        bound->gradient_tail[cell] = tail;
    }
    for (uint32_t cell = plan->replicas * plan->stages; cell-- > 0;) {
        double tail = is_inference ? 0 : gradient_cost(bound, cell) + bound->gradient_tail[cell];
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there are cells, so there are stages */
        if (cell % plan->stages + 1 < plan->stages)
            tail = later(tail, lag(plan, cell, cell + 1) + cost_of(bound, cell + 1, PG_FORWARD) +
                                   bound->forward_tail[cell + 1]);
        bound->forward_tail[cell] = tail;
    }
}

/* Earliest ends of one micro-batch of a replica: forwards down, gradients up. */
static void make_heads(struct bound *bound, uint32_t first, uint32_t m)
{
    const struct pg_build *build = bound->build;
    const struct pg_plan *plan = &build->plan;
    size_t each = plan->micro_each;

    for (uint32_t cell = first; cell < first + plan->stages; cell++) {
        size_t at = cell * each + m;
        if (build->has[at] & F) {
            bound->forward[at] = plan->done[(size_t)cell * 2 * plan->done_stride + m];
            continue;
        }
        double ready = pg_build_front(build, plan->cell_device[cell]);
        if (cell > first)
            ready = later(ready, bound->forward[at - each] + lag(plan, cell - 1, cell));
        bound->forward[at] = ready + cost_of(bound, cell, PG_FORWARD);
    }
    for (uint32_t cell = first + plan->stages; cell-- > first;) {
        size_t at = cell * each + m;
        if (build->has[at] & (B | I)) {
            bound->gradient[at] = plan->done[((size_t)cell * 2 + 1) * plan->done_stride + m];
            continue;
        }
        double ready = later(pg_build_front(build, plan->cell_device[cell]), bound->forward[at]);
        if (cell + 1 < first + plan->stages)
            ready = later(ready, bound->gradient[at + each] + lag(plan, cell + 1, cell));
        bound->gradient[at] = ready + gradient_cost(bound, cell);
    }
}

/* What a device still has to do. */
struct rest {
    double head, work, tail, latest;
};

static void add_rest(struct rest *rest, double start, double cost, double tail)
{
    rest->head = start < rest->head ? start : rest->head;
    rest->tail = tail < rest->tail ? tail : rest->tail;
    rest->work += cost;
    rest->latest = later(rest->latest, start + cost + tail);
}

static void add_pair(const struct bound *bound, uint32_t cell, uint32_t m, double front,
                     struct rest *rest)
{
    const struct pg_build *build = bound->build;
    size_t at = (size_t)cell * build->plan.micro_each + m;
    uint8_t has = build->has[at];
    double forward = cost_of(bound, cell, PG_FORWARD), gradient = gradient_cost(bound, cell);
    double weight = weight_cost(bound, cell);

    if (!(has & F))
        add_rest(rest, bound->forward[at] - forward, forward, bound->forward_tail[cell]);
    if (build->plan.family->is_forward_only || has & B)
        return;
    if (!(has & I))
        add_rest(rest, bound->gradient[at] - gradient, gradient, bound->gradient_tail[cell]);
    if (!(has & W) && weight > 0)
        add_rest(rest, later(front, bound->gradient[at]), weight, 0);
}

static double rest_of(const struct bound *bound, uint32_t device)
{
    const struct pg_plan *plan = &bound->build->plan;
    const uint32_t *cells = plan->slot_cell + (size_t)device * plan->slots;
    double front = pg_build_front(bound->build, device);
    struct rest rest = {INFINITY, 0, INFINITY, 0};

    for (uint32_t slot = 0; slot < plan->slots && cells[slot] != PG_NONE; slot++)
        for (uint32_t m = 0; m < plan->micro_each; m++)
            add_pair(bound, cells[slot], m, front, &rest);
    return rest.work > 0 ? later(rest.latest, rest.head + rest.work + rest.tail) : 0;
}

double pg_build_floor(const struct pg_build *build)
{
    const struct pg_plan *plan = &build->plan;
    size_t cells = (size_t)plan->replicas * plan->stages, pairs = cells * plan->micro_each;
    struct bound bound = {
        .build = build,
        .scale = plan->family->has_fused && plan->fused < 1 ? plan->fused : 1,
        .forward = build->scratch,
        .gradient = build->scratch + pairs,
        .forward_tail = build->scratch + 2 * pairs,
        .gradient_tail = build->scratch + 2 * pairs + cells,
    };
    double floor = plan->makespan;

    make_tails(&bound);
    for (uint32_t replica = 0; replica < plan->replicas; replica++)
        for (uint32_t m = 0; m < plan->micro_each; m++)
            make_heads(&bound, replica * plan->stages, m);
    for (uint32_t d = 0; d < plan->devices; d++)
        floor = later(floor, rest_of(&bound, d));
    return floor;
}
