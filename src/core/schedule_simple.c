/* Orders with one stage a device: all forwards first, or forward and backward in turn.
 *
 * GPipe (Huang et al. 2019, arXiv 1811.06965): all forwards, then the backwards in reverse, as in
 * the paper's figure; frameworks that call it so drain in ascending order (`afab`). 1F1B
 * (PipeDream-Flush, Narayanan et al. 2021, arXiv 2104.04473): as few warm-up forwards as keep the
 * last stage busy, then forward and backward in turn. The eager and the overlapped variant differ
 * from it in how many forwards come first, and in whether a pair is one operation. */
#include "core/internal.h"

void emit_gpipe(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    uint32_t m = problem->micro_batches;

    (void)device;
    for (uint32_t i = 0; i < m; i++)
        put(out, PG_FORWARD, 0, i);
    for (uint32_t i = m; i-- > 0;)
        put(out, PG_BACKWARD, 0, i);
}

void emit_afab(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    uint32_t m = problem->micro_batches;

    (void)device;
    for (uint32_t i = 0; i < m; i++)
        put(out, PG_FORWARD, 0, i);
    for (uint32_t i = 0; i < m; i++)
        put(out, PG_BACKWARD, 0, i);
}

void emit_forward_only(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    (void)device;
    for (uint32_t i = 0; i < problem->micro_batches; i++)
        put(out, PG_FORWARD, 0, i);
}

/* Warm-up forwards, forward and backward in turn, the remaining backwards. */
static void emit_in_turn(uint32_t m, uint32_t warm_up, bool is_fused, struct pg_writer *out)
{
    if (warm_up > m)
        warm_up = m;
    for (uint32_t i = 0; i < warm_up; i++)
        put(out, PG_FORWARD, 0, i);
    for (uint32_t i = 0; i < m - warm_up; i++) {
        if (is_fused) {
            put_pair(out, 0, warm_up + i, 0, i);
        } else {
            put(out, PG_FORWARD, 0, warm_up + i);
            put(out, PG_BACKWARD, 0, i);
        }
    }
    for (uint32_t i = m - warm_up; i < m; i++)
        put(out, PG_BACKWARD, 0, i);
}

void emit_1f1b(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    emit_in_turn(problem->micro_batches, problem->devices - 1 - device, false, out);
}

void emit_eager_1f1b(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    emit_in_turn(problem->micro_batches, 2 * (problem->devices - 1 - device), false, out);
}

void emit_1f1b_overlap(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    emit_in_turn(problem->micro_batches, 2 * (problem->devices - 1 - device) + 1, true, out);
}
