/* Zero-bubble orders that are written down by hand: ZB-H1, ZB-H2 and ZB-V (Qi et al. 2024, arXiv
 * 2401.10241).
 *
 * The backward is split: the input gradient is what the stage before waits for, the weight gradient
 * nobody waits for, so it can fill what would be a bubble. Weight gradients run in the order of
 * their input gradients. */
#include "core/internal.h"

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The quick-start form: only as many backwards are split as a bubble needs filled. */
void emit_zb_h1(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    uint32_t m = problem->micro_batches, waiting = 0;
    uint32_t warm_up = least(problem->devices - 1 - device, m);

    for (uint32_t i = 0; i < warm_up; i++)
        put(out, PG_FORWARD, 0, i);
    for (uint32_t i = 0; i < m; i++) {
        bool is_steady = i < m - warm_up, is_last = i + 1 >= m - warm_up;
        if (is_steady)
            put(out, PG_FORWARD, 0, warm_up + i);
        if (device == 0 || (is_steady && i >= device && !is_last)) {
            put(out, PG_BACKWARD, 0, i);
            continue;
        }
        put(out, PG_INPUT_GRAD, 0, i);
        if (++waiting > device) {
            put_weight(out);
            waiting--;
        }
    }
    for (; waiting > 0; waiting--)
        put_weight(out);
}

void emit_zb_h2(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    uint32_t m = problem->micro_batches;
    uint32_t forward = least(2 * (problem->devices - device) - 1, m), weights = 0;

    for (uint32_t i = 0; i < forward; i++)
        put(out, PG_FORWARD, 0, i);
    for (uint32_t i = 0; i < m; i++) {
        put(out, PG_INPUT_GRAD, 0, i);
        if (i >= 2 * device) {
            put_weight(out);
            weights++;
        }
        if (forward < m)
            put(out, PG_FORWARD, 0, forward++);
    }
    for (; weights < m; weights++)
        put_weight(out);
}

/* Counters of a V schedule: how many of each chunk's operations have been named. */
struct v_counts {
    struct pg_writer *out;
    uint32_t micro_batches;
    uint32_t at[PG_KINDS][2];
};

/* The next of a kind and chunk; numbers beyond M belong to a longer step and are left out. */
static void next(struct v_counts *counts, enum pg_kind kind, uint32_t chunk)
{
    uint32_t m = counts->at[kind][chunk]++;

    if (m < counts->micro_batches)
        put(counts->out, kind, chunk, m);
}

static void next_split(struct v_counts *counts, uint32_t chunk)
{
    next(counts, PG_INPUT_GRAD, chunk);
    next(counts, PG_WEIGHT_GRAD, chunk);
}

void emit_zbv(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    struct v_counts counts = {.out = out, .micro_batches = problem->micro_batches};
    uint32_t p = problem->devices, r = device;
    uint32_t n = problem->micro_batches > 2 * p - 1 ? problem->micro_batches : 2 * p - 1;
    uint32_t *forward = counts.at[PG_FORWARD];

    for (uint32_t i = 0; i < 2 * (p - r) - 1; i++)
        next(&counts, PG_FORWARD, 0);
    for (uint32_t i = 0; i < r; i++) {
        next(&counts, PG_FORWARD, 1);
        next(&counts, PG_FORWARD, 0);
    }
    for (uint32_t i = 0; i < p - r; i++) {
        next(&counts, PG_FORWARD, 1);
        next_split(&counts, 1);
    }
    while (forward[1] < forward[0] || forward[0] < n) {
        if (forward[0] < n)
            next(&counts, PG_FORWARD, 0);
        next_split(&counts, 0);
        next(&counts, PG_FORWARD, 1);
        next_split(&counts, 1);
    }
    for (uint32_t i = 0; i < r; i++) {
        next(&counts, PG_INPUT_GRAD, 0);
        next(&counts, PG_INPUT_GRAD, 1);
    }
    for (uint32_t i = 0; i < p - r; i++)
        next_split(&counts, 0);
    for (uint32_t chunk = 2; chunk-- > 0;)
        while (counts.at[PG_WEIGHT_GRAD][chunk] < counts.at[PG_INPUT_GRAD][chunk])
            next(&counts, PG_WEIGHT_GRAD, chunk);
}
