/* Orders of the two classic synchronous schedules, one stage a device.
 *
 * GPipe (Huang et al. 2019, arXiv 1811.06965): all forwards, then the backwards in reverse, as in
 * the paper's figure. 1F1B (PipeDream-Flush, Narayanan et al. 2021, arXiv 2104.04473): as few
 * warm-up forwards as keep the last stage busy, then forward and backward in turn, so that no more
 * than P micro-batches are ever stashed. */
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

void emit_1f1b(const struct pg_problem *problem, uint32_t device, struct pg_writer *out)
{
    uint32_t m = problem->micro_batches;
    uint32_t behind = problem->devices - 1 - device;
    uint32_t warm_up = behind < m ? behind : m;

    for (uint32_t i = 0; i < warm_up; i++)
        put(out, PG_FORWARD, 0, i);
    for (uint32_t i = 0; i < m - warm_up; i++) {
        put(out, PG_FORWARD, 0, warm_up + i);
        put(out, PG_BACKWARD, 0, i);
    }
    for (uint32_t i = m - warm_up; i < m; i++)
        put(out, PG_BACKWARD, 0, i);
}
