/* The table of schedule families, and what can be wrong with a problem.
 *
 * A family is a row: its words (name, rule, formula, source), how its stages lie on devices, and an
 * emitter that writes the order of one device. Everything else in the program learns about families
 * from this table, so a new one is one emitter and one row. */
#include "core/internal.h"

#include <math.h>
#include <string.h>

static bool can_any(const struct pg_problem *problem)
{
    (void)problem;
    return true;
}

static const struct pg_family table[] = {
    {"gpipe", "GPipe", "any P and M", "(P-1)/(M+P-1)",
     "Huang et al. 2019, arXiv 1811.06965", PG_LOOP, 1, false, true, can_any, emit_gpipe},
    {"1f1b", "1F1B", "any P and M", "(P-1)/(M+P-1)",
     "Narayanan et al. 2021, arXiv 2104.04473 (PipeDream-Flush)", PG_LOOP, 1, false, true, can_any,
     emit_1f1b},
};

const struct pg_family *pg_families(uint32_t *count)
{
    *count = (uint32_t)(sizeof table / sizeof table[0]);
    return table;
}

const struct pg_family *pg_family_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

uint32_t pg_problem_chunks(const struct pg_problem *problem)
{
    return problem->family->fixed_chunks ? problem->family->fixed_chunks : problem->chunks;
}

uint32_t pg_problem_stages(const struct pg_problem *problem)
{
    return problem->devices * pg_problem_chunks(problem);
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

static enum pg_status check_count(struct pg_fault *fault, enum pg_field field, uint32_t value,
                                  uint32_t limit)
{
    if (value == 0)
        return fail(fault, PG_E_ZERO, field, 0, limit);
    if (value > limit)
        return fail(fault, PG_E_LIMIT, field, value, limit);
    return PG_OK;
}

static enum pg_status check_list(struct pg_fault *fault, enum pg_field field, struct pg_list list,
                                 uint32_t stages)
{
    if (list.n != 1 && list.n != stages)
        return fail(fault, PG_E_LENGTH, field, list.n, stages);
    for (uint32_t i = 0; i < list.n; i++) {
        if (isfinite(list.v[i]) && list.v[i] > 0)
            continue;
        fail(fault, PG_E_COST, field, list.v[i], 0);
        fault->stage = list.n == 1 && stages != 1 ? PG_NONE : i;
        return PG_E_COST;
    }
    return PG_OK;
}

static enum pg_status check_weight(struct pg_fault *fault, const struct pg_problem *problem,
                                   uint32_t stages)
{
    if (!problem->family->splits || problem->weight.n == 0)
        return PG_OK;
    enum pg_status status = check_list(fault, PG_FIELD_WEIGHT, problem->weight, stages);
    for (uint32_t i = 0; i < stages && status == PG_OK; i++) {
        double weight = problem->weight.v[problem->weight.n == 1 ? 0 : i];
        double backward = problem->backward.v[problem->backward.n == 1 ? 0 : i];
        if (weight < backward)
            continue;
        status = fail(fault, PG_E_SPLIT, PG_FIELD_WEIGHT, weight, backward);
        fault->stage = i;
    }
    return status;
}

/* Whatever the order, nothing ends later than all work and all transfers one after another. */
static enum pg_status check_total(struct pg_fault *fault, const struct pg_problem *problem,
                                  uint32_t stages)
{
    double total = problem->transfer * 2 * stages;

    for (uint32_t i = 0; i < stages; i++)
        total += problem->forward.v[problem->forward.n == 1 ? 0 : i] +
                 problem->backward.v[problem->backward.n == 1 ? 0 : i];
    total *= problem->micro_batches * (problem->fused > 1 ? problem->fused : 1);
    return isfinite(total) ? PG_OK : fail(fault, PG_E_OVERFLOW, PG_FIELD_NONE, total, 0);
}

enum pg_status pg_problem_check(const struct pg_problem *problem, struct pg_fault *fault)
{
    enum pg_status status = check_count(fault, PG_FIELD_STAGES, problem->devices, PG_MAX_DEVICES);
    if (status == PG_OK)
        status = check_count(fault, PG_FIELD_CHUNKS, pg_problem_chunks(problem), PG_MAX_CHUNKS);
    if (status == PG_OK)
        status = check_count(fault, PG_FIELD_MICRO_BATCHES, problem->micro_batches,
                             PG_MAX_MICRO_BATCHES);
    if (status != PG_OK)
        return status;

    uint32_t stages = pg_problem_stages(problem);
    double ops = (double)stages * problem->micro_batches * (problem->family->splits ? 3 : 2);
    if (ops > PG_MAX_OPS)
        return fail(fault, PG_E_OPS, PG_FIELD_NONE, ops, PG_MAX_OPS);
    if (!problem->family->can(problem))
        return fail(fault, PG_E_RULE, PG_FIELD_NONE, 0, 0);
    if (!isfinite(problem->transfer) || problem->transfer < 0)
        return fail(fault, PG_E_NUMBER, PG_FIELD_TRANSFER, problem->transfer, 0);
    if (!isfinite(problem->fused) || problem->fused <= 0)
        return fail(fault, PG_E_NUMBER, PG_FIELD_FUSED, problem->fused, 0);
    status = check_list(fault, PG_FIELD_FORWARD, problem->forward, stages);
    if (status == PG_OK)
        status = check_list(fault, PG_FIELD_BACKWARD, problem->backward, stages);
    if (status == PG_OK)
        status = check_weight(fault, problem, stages);
    if (status == PG_OK)
        status = check_total(fault, problem, stages);
    return status;
}
