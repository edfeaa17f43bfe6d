/* Orders with V chunks a device in a loop: interleaved 1F1B, its overlapped variant, looped BFS, and
 * the interleaved zero-bubble order that shares their table.
 *
 * The table: micro-batches in groups of G; inside a group chunk 0 for all of them, then chunk 1, and
 * so on; backwards follow the same table with the chunks reversed (Narayanan et al. 2021, arXiv
 * 2104.04473, section 2.2). A walk through it needs no division. */
#include "core/internal.h"

/* A place in the table. */
struct walk {
    uint32_t micro_batches, chunks, group;
    uint32_t first, size; /* of the present group */
    uint32_t chunk, at;
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static struct walk walk_start(const struct pg_problem *problem)
{
    uint32_t group = pg_problem_group(problem);

    return (struct walk){problem->micro_batches, pg_problem_chunks(problem), group, 0,
                         least(group, problem->micro_batches), 0, 0};
}

static void walk_next(struct walk *walk)
{
    if (++walk->at < walk->size)
        return;
    walk->at = 0;
    if (++walk->chunk < walk->chunks)
        return;
    walk->chunk = 0;
    walk->first += walk->size;
    walk->size = least(walk->group, walk->micro_batches - walk->first);
}

static void put_forward(struct pg_writer *out, struct walk *walk)
{
    put(out, PG_FORWARD, walk->chunk, walk->first + walk->at);
    walk_next(walk);
}

static void put_gradient(struct pg_writer *out, struct walk *walk, enum pg_kind kind)
{
    put(out, kind, walk->chunks - 1 - walk->chunk, walk->first + walk->at);
    walk_next(walk);
}

/* Group size: what was given, or PyTorch's rule where it divides M, or the smallest that leaves no
 * last group shorter than P. Overlapped orders take P and a shorter last group. */
uint32_t pg_problem_group(const struct pg_problem *problem)
{
    uint32_t m = problem->micro_batches, p = problem->devices;

    if (problem->group != 0)
        return problem->group;
    if (problem->family->has_fused)
        return least(p, m);
    uint32_t rounds = m / p > 0 ? m / p : 1;
    if (m % rounds == 0)
        return m / rounds;
    for (uint32_t group = p; group < m; group++)
        if (m % group == 0 || m % group >= p)
            return group;
    return m;
}

/* Warm-up forwards of chunks: enough for the first backward to find its input, and no more. */
static uint32_t warm_up_of(const struct pg_problem *problem, uint32_t device, uint32_t per_device,
                           uint32_t more)
{
    uint64_t all = (uint64_t)problem->micro_batches * pg_problem_chunks(problem);
    uint64_t wanted = (uint64_t)(pg_problem_chunks(problem) - 1) * pg_problem_group(problem) +
                      (uint64_t)per_device * (problem->devices - 1 - device) + more;

    return (uint32_t)(wanted < all ? wanted : all);
}

void emit_interleaved(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    struct walk forward = walk_start(problem), backward = forward;
    uint32_t all = problem->micro_batches * forward.chunks;
    uint32_t warm_up = warm_up_of(problem, device, 2, 0);

    for (uint32_t i = 0; i < warm_up; i++)
        put_forward(out, &forward);
    for (uint32_t i = warm_up; i < all; i++) {
        put_forward(out, &forward);
        put_gradient(out, &backward, PG_BACKWARD);
    }
    for (uint32_t i = 0; i < warm_up; i++)
        put_gradient(out, &backward, PG_BACKWARD);
}

void emit_interleaved_overlap(const struct pg_problem *problem, uint32_t device,
                              struct pg_writer *out)
{
    struct walk forward = walk_start(problem), backward = forward;
    uint32_t all = problem->micro_batches * forward.chunks;
    uint32_t warm_up = warm_up_of(problem, device, 2, 1);

    for (uint32_t i = 0; i < warm_up; i++)
        put_forward(out, &forward);
    for (uint32_t i = warm_up; i < all; i++) {
        put_pair(out, forward.chunk, forward.first + forward.at,
                 backward.chunks - 1 - backward.chunk, backward.first + backward.at);
        walk_next(&forward);
        walk_next(&backward);
    }
    for (uint32_t i = 0; i < warm_up; i++)
        put_gradient(out, &backward, PG_BACKWARD);
}

/* Breadth first (Lamy-Poirier 2022, arXiv 2211.05953): each chunk for all micro-batches. */
void emit_looped_bfs(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    uint32_t chunks = pg_problem_chunks(problem), m = problem->micro_batches;

    (void)device;
    for (uint32_t chunk = 0; chunk < chunks; chunk++)
        for (uint32_t i = 0; i < m; i++)
            put(out, PG_FORWARD, chunk, i);
    for (uint32_t chunk = chunks; chunk-- > 0;)
        for (uint32_t i = m; i-- > 0;)
            put(out, PG_BACKWARD, chunk, i);
}

/* ZB1P (Qi et al. 2024, arXiv 2401.10241), in the interleaved form of PyTorch: the backward split,
 * weight gradients held back for as many pairs as the device's number. */
void emit_zb1p(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    struct walk forward = walk_start(problem), backward = forward;
    uint32_t all = problem->micro_batches * forward.chunks;
    uint32_t warm_up = warm_up_of(problem, device, 1, 0);

    for (uint32_t i = 0; i < warm_up; i++)
        put_forward(out, &forward);
    for (uint32_t i = 0; i < all; i++) {
        if (warm_up + i < all)
            put_forward(out, &forward);
        put_gradient(out, &backward, PG_INPUT_GRAD);
        if (i >= device)
            put_weight(out);
    }
    for (uint32_t i = 0; i < least(device, all); i++)
        put_weight(out);
}
