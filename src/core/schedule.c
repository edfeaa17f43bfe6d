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

/* A last group shorter than P would wait for forwards that come after it. */
static bool can_group(const struct pg_problem *problem)
{
    uint32_t m = problem->micro_batches, p = problem->devices;
    uint32_t group = pg_problem_group(problem);

    if (pg_problem_chunks(problem) == 1)
        return true;
    if (group > m)
        return false;
    return group == m || (group >= p && (m % group == 0 || m % group >= p));
}

/* With pairs fused a last group may be shorter than P by a little: found by running every order with
 * P <= 12, V <= 6 and up to four groups; it stops exactly where this says. */
static bool can_group_overlap(const struct pg_problem *problem)
{
    uint32_t m = problem->micro_batches, p = problem->devices, v = pg_problem_chunks(problem);
    uint32_t group = pg_problem_group(problem), last = m % group;

    if (v == 1 || group >= m)
        return true;
    return group >= p && (last == 0 || last + group + 1 >= 2 * p || (last == 1 && v == 2));
}

static bool can_dualpipe(const struct pg_problem *problem)
{
    uint32_t m = problem->micro_batches, p = problem->devices;
    return p % 2 == 0 && m % 2 == 0 && m >= 2 * p;
}

static bool can_dualpipev(const struct pg_problem *problem)
{
    return problem->micro_batches >= 2 * problem->devices;
}

static bool can_chimera(const struct pg_problem *problem)
{
    return problem->devices % 2 == 0 && problem->micro_batches % problem->devices == 0;
}

#define ANY .rule = "any P and M", .can = can_any
#define GROUPED \
    .rule = "G = M, or G from {P} to {M} with a last group, {L}, of at least P", \
    .can = can_group, .has_group = true

static const struct pg_family table[] = {
    {.name = "gpipe", .title = "GPipe", ANY, .formula = "(P-1)/(M+P-1)",
     .source = "Huang et al. 2019, arXiv 1811.06965", .placement = PG_LOOP, .fixed_chunks = 1,
     .is_synchronous_1v = true, .makespan = formula_in_turn,
     .emit = emit_gpipe},
    {.name = "1f1b", .title = "1F1B", ANY, .formula = "(P-1)/(M+P-1)",
     .source = "Narayanan et al. 2021, arXiv 2104.04473 (PipeDream-Flush)", .placement = PG_LOOP,
     .fixed_chunks = 1, .is_synchronous_1v = true, .makespan = formula_in_turn,
     .emit = emit_1f1b},
    {.name = "interleaved", .title = "Interleaved 1F1B", GROUPED,
     .formula = "(P-1)/(M*V+P-1) for M >= P", .source = "Narayanan et al. 2021, arXiv 2104.04473",
     .placement = PG_LOOP, .makespan = formula_interleaved,
     .emit = emit_interleaved},
    {.name = "zb1p", .title = "ZB1P", GROUPED,
     .formula = "(P-1)*max(f,b,f+b-w) idle for M >= P", .source = "Qi et al. 2024, arXiv 2401.10241",
     .placement = PG_LOOP, .splits = true, .makespan = formula_zero_bubble,
     .emit = emit_zb1p},
    {.name = "zbv", .title = "ZB-V", ANY, .formula = "no bubble inside at f=b=w, M >= 2P-1",
     .source = "Qi et al. 2024, arXiv 2401.10241", .placement = PG_V, .fixed_chunks = 2,
     .splits = true, .makespan = formula_staggered,
     .emit = emit_zbv},
    {.name = "dualpipev", .title = "DualPipeV", .rule = "M at least {2P}", .can = can_dualpipev,
     .formula = "(P-1)(F&B+B-3w) idle at f=b", .source = "DeepSeek-AI 2025, DualPipe repository",
     .placement = PG_V, .fixed_chunks = 2, .splits = true, .has_fused = true,
     .makespan = formula_dualpipe,
     .emit = emit_dualpipev},
    {.name = "afab", .title = "AFAB", ANY, .formula = "(P-1)/(M+P-1)",
     .source = "GPipe as PyTorch drains it, ascending", .placement = PG_LOOP, .fixed_chunks = 1,
     .is_synchronous_1v = true, .makespan = formula_in_turn,
     .emit = emit_afab},
    {.name = "eager-1f1b", .title = "Eager 1F1B", ANY, .formula = "",
     .source = "Zhuang et al. 2023, arXiv 2211.05322", .placement = PG_LOOP, .fixed_chunks = 1,
     .emit = emit_eager_1f1b},
    {.name = "looped-bfs", .title = "Looped BFS", ANY, .formula = "(P-1)/(M*V+P-1) for M >= P",
     .source = "Lamy-Poirier 2022, arXiv 2211.05953", .placement = PG_LOOP,
     .makespan = formula_looped,
     .emit = emit_looped_bfs},
    {.name = "zb-h1", .title = "ZB-H1", ANY, .formula = "(P-1)*max(f,b,f+b-w) idle for M >= P",
     .source = "Qi et al. 2024, arXiv 2401.10241 (quick start)", .placement = PG_LOOP,
     .fixed_chunks = 1, .splits = true, .makespan = formula_zero_bubble,
     .emit = emit_zb_h1},
    {.name = "zb-h2", .title = "ZB-H2", ANY, .formula = "no bubble inside at f=b=w, M >= 2P-1",
     .source = "Qi et al. 2024, arXiv 2401.10241", .placement = PG_LOOP, .fixed_chunks = 1,
     .splits = true, .makespan = formula_staggered,
     .emit = emit_zb_h2},
    {.name = "dualpipe", .title = "DualPipe", .rule = "P even, M even and at least {2P}",
     .can = can_dualpipe, .formula = "(P/2-1)(F&B+B-3w) idle at f=b",
     .source = "DeepSeek-AI 2024, arXiv 2412.19437", .placement = PG_BIDIRECTIONAL,
     .fixed_chunks = 1, .splits = true, .has_fused = true, .makespan = formula_dualpipe,
     .emit = emit_dualpipe},
    {.name = "chimera", .title = "Chimera", .rule = "P even, M a multiple of {P}",
     .can = can_chimera, .formula = "(P-2)(f+(M/P)(B-f)) idle for B >= f",
     .source = "Li and Hoefler 2021, arXiv 2107.06925", .placement = PG_BIDIRECTIONAL,
     .fixed_chunks = 1, .makespan = formula_chimera,
     .emit = emit_chimera},
    {.name = "1f1b-overlap", .title = "1F1B overlapped", ANY, .formula = "",
     .source = "as 1F1B, forward and backward fused", .placement = PG_LOOP, .fixed_chunks = 1,
     .has_fused = true, .emit = emit_1f1b_overlap},
    {.name = "interleaved-overlap", .title = "Interleaved overlapped", .has_group = true,
     .rule = "G at least {M}, or at least {P} with a last group, {L}, of at least {2P-1-G} (1 at "
             "V = 2)", .can = can_group_overlap,
     .formula = "", .source = "Megatron-LM, overlap of expert-parallel communication",
     .placement = PG_LOOP, .has_fused = true, .emit = emit_interleaved_overlap},
    {.name = "forward-only", .title = "Forward only", ANY, .formula = "(P-1)/(M+P-1)",
     .source = "an inference pipeline", .placement = PG_LOOP, .fixed_chunks = 1,
     .is_forward_only = true, .makespan = formula_forward_only,
     .emit = emit_forward_only},
};

uint32_t pg_family_ops(const struct pg_family *family)
{
    return family->is_forward_only ? 1 : family->splits ? 3 : 2;
}

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
    const struct pg_table *given = problem_table(problem);

    if (given != NULL)
        return given->devices == 0 ? 0 : (given->stages + given->devices - 1) / given->devices;
    return problem->family->fixed_chunks ? problem->family->fixed_chunks : problem->chunks;
}

uint32_t pg_problem_stages(const struct pg_problem *problem)
{
    const struct pg_table *given = problem_table(problem);
    return given != NULL ? given->stages : problem->devices * pg_problem_chunks(problem);
}

double pg_problem_ops(const struct pg_problem *problem)
{
    const struct pg_table *given = problem_table(problem);
    double ops = 0;

    if (given == NULL)
        return (double)pg_problem_stages(problem) * problem->micro_batches *
               pg_family_ops(problem->family);
    for (uint32_t d = 0; d < given->devices; d++)
        ops += given->run[d].count;
    return ops;
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
    double ops = pg_problem_ops(problem);
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
