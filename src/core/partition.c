/* Balanced contiguous partition of layers into stages.
 *
 * The textbook fills a table of stages times layers. It is not needed: whether a limit on the load
 * can be kept is answered by filling stage after stage as far as the limit allows, so the least
 * limit is found by bisection over the doubles themselves, and the answer is exact. It takes far
 * fewer steps than a double has bits, because a filling says more than yes or no: which load it
 * came to, or which one it would have had to allow.
 *
 * All of this needs of a load only that it never falls when a stage gets one more layer. That holds
 * for differences of prefix sums whatever their rounding, since rounding keeps order.
 *
 * The pinned split (core.md) follows from the back. The last stage of i layers in p stages starts
 * at the smallest j >= p-1 with load(j, i) <= best(p, i): best(p-1, j) never falls with j, so if
 * any j reaches the optimum that one does. If its load is below best(p, i), then best(p-1, j) is
 * best(p, i) again; only if it is equal must the limit of what is left be looked for anew.
 *
 * A filling takes O(P log(L/P)) steps. A stage whose load is the largest of all up to it asks for
 * some more fillings, mostly one or two, never more than 128. Memory: the prefix sums. */
#include "core/internal.h"

#include <math.h>
#include <string.h>

/* What filling stage after stage up to a limit came to. */
struct filling {
    bool is_enough; /* all layers have a place */
    double largest; /* load of a stage */
    double refused; /* if not enough: no limit below this one is */
};

/* Largest end for which layers start … end-1 keep the limit: doubling steps, then bisection. */
static uint32_t reach(const double *prefix, uint32_t layers, uint32_t start, double limit)
{
    uint32_t fits = start, step = 1;

    while (fits + step <= layers && prefix[fits + step] - prefix[start] <= limit) {
        fits += step;
        step *= 2;
    }
    uint32_t exceeds = fits + step <= layers ? fits + step : layers + 1;
    while (exceeds - fits > 1) {
        uint32_t middle = fits + (exceeds - fits) / 2;
        if (prefix[middle] - prefix[start] <= limit)
            fits = middle;
        else
            exceeds = middle;
    }
    return fits;
}

/* Doubles that are not negative sort like the integers of the same bits. */
static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Is a load too much for some stages whatever the cuts? The margin is far more than their loads may
 * have been rounded by; where it decides nothing, filling does. */
static bool is_hopeless(double load, uint32_t stages, double limit)
{
    return load > limit * stages * (1 + 1e-12);
}

static struct filling fill(const double *prefix, uint32_t layers, uint32_t stages, double limit)
{
    struct filling filling = {false, 0, INFINITY};
    uint32_t start = 0;

    for (uint32_t stage = 0; stage < stages && start < layers; stage++) {
        if (is_hopeless(prefix[layers] - prefix[start], stages - stage, limit)) {
            filling.refused = double_of(bits_of(limit) + 1);
            return filling;
        }
        uint32_t end = reach(prefix, layers, start, limit);
        double load = prefix[end] - prefix[start];
        double next = end < layers ? prefix[end + 1] - prefix[start] : INFINITY;
        if (end == start) { /* this layer must be somewhere, so nothing below its load will do */
            filling.refused = next;
            return filling;
        }
        if (load > filling.largest)
            filling.largest = load;
        if (next < filling.refused)
            filling.refused = next;
        start = end;
    }
    filling.is_enough = start == layers;
    return filling;
}

/* The least limit that can be kept, given one that can. It is first undercut by as little as there
 * is: if that fails the search is over, as it often is. So is every other load that a filling came
 * to, because it may well be the least; only every other, because the way down can be long. */
static double least_limit(const double *prefix, uint32_t layers, uint32_t stages, double high)
{
    double low = 0;
    bool undercuts = true, is_turn = true;

    while (low < high) {
        uint64_t a = bits_of(low), b = bits_of(high);
        double limit = double_of(undercuts ? b - 1 : a + (b - a) / 2);
        struct filling filling = fill(prefix, layers, stages, limit);
        if (filling.is_enough)
            high = filling.largest;
        else
            low = filling.refused;
        undercuts = filling.is_enough && is_turn;
        is_turn = filling.is_enough != is_turn;
    }
    return high;
}

/* Smallest start, not below `least`, for which layers start … end-1 keep the limit. */
static uint32_t earliest_start(const double *prefix, uint32_t least, uint32_t end, double limit)
{
    uint32_t low = least, high = end - 1;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (prefix[end] - prefix[middle] <= limit)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void split(const double *prefix, uint32_t layers, uint32_t stages, struct pg_range *ranges)
{
    double limit = least_limit(prefix, layers, stages, prefix[layers]);
    uint32_t end = layers;

    for (uint32_t before = stages - 1; before > 0; before--) {
        uint32_t start = earliest_start(prefix, before, end, limit);
        double load = prefix[end] - prefix[start];
        ranges[before] = (struct pg_range){start, end, load};
        end = start;
        if (load == limit)
            limit = least_limit(prefix, end, before, limit);
    }
    ranges[0] = (struct pg_range){0, end, prefix[end]};
}

static enum pg_status fail(struct pg_fault *fault, enum pg_status status, enum pg_field field,
                           double value, double limit)
{
    *fault = fault_make(status);
    fault->field = field;
    fault->value = value;
    fault->limit = limit;
    return status;
}

static enum pg_status check_request(const double *cost, uint32_t layers, uint32_t stages,
                                    struct pg_fault *fault)
{
    if (stages == 0)
        return fail(fault, PG_E_ZERO, PG_FIELD_STAGES, 0, 0);
    if (layers == 0)
        return fail(fault, PG_E_NO_LAYERS, PG_FIELD_LAYERS, 0, 0);
    if (layers > PG_MAX_LAYERS)
        return fail(fault, PG_E_LIMIT, PG_FIELD_LAYERS, layers, PG_MAX_LAYERS);
    if (stages > layers)
        return fail(fault, PG_E_FEW_LAYERS, PG_FIELD_LAYERS, layers, stages);
    for (uint32_t i = 0; i < layers; i++) {
        if (isfinite(cost[i]) && cost[i] >= 0)
            continue;
        fail(fault, PG_E_LAYER_COST, PG_FIELD_LAYERS, cost[i], 0);
        fault->index = i;
        return PG_E_LAYER_COST;
    }
    return PG_OK;
}

size_t pg_partition_size(uint32_t layers, uint32_t stages)
{
    (void)stages;
    return 64 + (((size_t)layers + 1) * sizeof(double) + 63) / 64 * 64;
}

enum pg_status pg_partition(struct pg_arena *arena, const double *cost, uint32_t layers,
                            uint32_t stages, struct pg_range *ranges, struct pg_fault *fault)
{
    enum pg_status status = check_request(cost, layers, stages, fault);
    if (status != PG_OK)
        return status;

    size_t mark = pg_arena_mark(arena);
    double *prefix = pg_arena_take(arena, (size_t)layers + 1, sizeof *prefix);
    if (prefix == NULL) {
        size_t room = arena->size - arena->used;
        return fail(fault, PG_E_MEMORY, PG_FIELD_NONE,
                    (double)(pg_partition_size(layers, stages) - room), 0);
    }
    prefix[0] = 0;
    for (uint32_t i = 0; i < layers; i++)
        prefix[i + 1] = prefix[i] + cost[i];
    if (isfinite(prefix[layers]))
        split(prefix, layers, stages, ranges);
    else
        status = fail(fault, PG_E_OVERFLOW, PG_FIELD_LAYERS, prefix[layers], 0);
    pg_arena_reset(arena, mark);
    return status;
}
