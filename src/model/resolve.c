/* From a scenario to a timed plan: see resolve.h. */
#include "model/block.h"
#include "model/resolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t scenario_chunks(const struct scenario *scenario)
{
    /* Of a table V is remembered in the scenario, as it is of other families without a fixed one. */
    uint32_t fixed = scenario->schedule->fixed_chunks;
    return fixed != 0 ? fixed : scenario->chunks;
}

uint32_t scenario_stages(const struct scenario *scenario)
{
    if (scenario->schedule->is_table && scenario->table != NULL)
        return scenario->table->core.stages;
    return scenario->stages * scenario_chunks(scenario);
}

uint32_t scenario_device(const struct scenario *scenario, uint32_t stage)
{
    if (scenario->schedule->is_table && scenario->table != NULL)
        return scenario->table->core.stage_device[stage];
    return pg_stage_device(scenario->schedule, scenario->stages, stage, 0);
}

/* ---- sentences ---- */

const char *kind_letter(int kind)
{
    static const char *const letters[] = {"F", "B", "I", "W"};
    return kind >= 0 && kind < PG_KINDS ? letters[kind] : "?";
}

static const char *field_name(enum pg_field field)
{
    static const char *const names[] = {
        [PG_FIELD_NONE] = "value",        [PG_FIELD_STAGES] = "stages",
        [PG_FIELD_MICRO_BATCHES] = "micro_batches", [PG_FIELD_CHUNKS] = "chunks",
        [PG_FIELD_FORWARD] = "forward",   [PG_FIELD_BACKWARD] = "backward",
        [PG_FIELD_WEIGHT] = "weight",     [PG_FIELD_TRANSFER] = "transfer",
        [PG_FIELD_FUSED] = "fused",       [PG_FIELD_LAYERS] = "layers",
    };
    return names[field];
}

static void write_op(const struct pg_fault *fault, struct text *out)
{
    text_addf(out, "%s%u of stage %u", kind_letter(fault->kind), fault->micro_batch, fault->stage);
}

/* What the check of a whole plan finds. */
static void write_order_fault(const struct pg_fault *fault, const char *value, const char *limit,
                              struct text *out)
{
    if (fault->status == PG_E_PLACE)
        text_addf(out, "device %u does not hold what it runs: ", fault->device);
    write_op(fault, out);
    if (fault->status == PG_E_MISSING)
        text_add(out, " is missing");
    else if (fault->status == PG_E_DOUBLED)
        text_add(out, " is there twice");
    else if (fault->status == PG_E_DEPENDENCY)
        text_addf(out, " starts at %s, before its input is there at %s", value, limit);
    else if (fault->status == PG_E_OVERLAP)
        text_addf(out, " starts at %s, before device %u is free at %s", value, fault->device,
                  limit);
    else if (fault->status == PG_E_DURATION)
        text_addf(out, " ends at %s where %s is right", value, limit);
}

static void write_layers_fault(const struct pg_fault *fault, const char *value, const char *limit,
                               struct text *out)
{
    if (fault->status == PG_E_NO_LAYERS)
        text_add(out, "there are no layers to split");
    else if (fault->status == PG_E_FEW_LAYERS)
        text_addf(out, "%s layers cannot fill %s stages: at least one layer a stage is needed",
                  value, limit);
    else
        text_addf(out, "layer %u costs %s: it must be finite and 0 or more", fault->index, value);
}

void fault_write(const struct pg_fault *fault, const struct pg_family *family, struct text *out)
{
    const char *field = field_name(fault->field);
    char value[TEXT_NUMBER_SIZE] = "not finite", limit[TEXT_NUMBER_SIZE] = "not finite";

    if (isfinite(fault->value))
        number_write(value, fault->value);
    if (isfinite(fault->limit))
        number_write(limit, fault->limit);
    switch (fault->status) {
    case PG_OK:
        break;
    case PG_E_ZERO:
        text_addf(out, "%s is 0: at least 1 is needed", field);
        break;
    case PG_E_LIMIT:
        text_addf(out, "%s is %s: at most %s is allowed", field, value, limit);
        break;
    case PG_E_OPS:
        text_addf(out, "this step has %s operations: at most %s are allowed (fewer stages or "
                       "micro-batches)", value, limit);
        break;
    case PG_E_COST:
        if (fault->stage == PG_NONE)
            text_addf(out, "%s is %s: a cost must be finite and more than 0", field, value);
        else
            text_addf(out, "%s of stage %u is %s: a cost must be finite and more than 0", field,
                      fault->stage, value);
        break;
    case PG_E_SPLIT:
        text_addf(out, "weight of stage %u is %s: it must be less than its backward, %s",
                  fault->stage, value, limit);
        break;
    case PG_E_LENGTH:
        text_addf(out, "%s has %s values: 1 or %s are needed", field, value, limit);
        break;
    case PG_E_NUMBER:
        text_addf(out, "%s is %s: a finite number, not negative, is needed", field, value);
        break;
    case PG_E_OVERFLOW:
        text_add(out, "these costs add up to more than a number can hold");
        break;
    case PG_E_RULE:
        text_addf(out, "%s: needs ", family->name);
        rule_words(family, NULL, out);
        break;
    case PG_E_MEMORY:
        text_add(out, "there is not enough memory for this many operations");
        break;
    case PG_E_DEADLOCK:
        text_addf(out, "the order never ends: device %u waits for ever to run ", fault->device);
        write_op(fault, out);
        break;
    case PG_E_NO_LAYERS:
    case PG_E_FEW_LAYERS:
    case PG_E_LAYER_COST:
        write_layers_fault(fault, value, limit, out);
        break;
    case PG_E_MISSING:
    case PG_E_DOUBLED:
    case PG_E_PLACE:
    case PG_E_DEPENDENCY:
    case PG_E_OVERLAP:
    case PG_E_DURATION:
        write_order_fault(fault, value, limit, out);
        break;
    }
}

static enum param param_of_field(enum pg_field field)
{
    switch (field) {
    case PG_FIELD_STAGES:
        return PARAM_STAGES;
    case PG_FIELD_MICRO_BATCHES:
        return PARAM_MICRO_BATCHES;
    case PG_FIELD_CHUNKS:
        return PARAM_CHUNKS;
    case PG_FIELD_FORWARD:
        return PARAM_FORWARD;
    case PG_FIELD_BACKWARD:
        return PARAM_BACKWARD;
    case PG_FIELD_WEIGHT:
        return PARAM_WEIGHT;
    case PG_FIELD_FUSED:
        return PARAM_FUSED;
    case PG_FIELD_TRANSFER:
        return PARAM_TRANSFER;
    case PG_FIELD_LAYERS:
        return PARAM_LAYERS;
    default:
        return PARAM_COUNT;
    }
}

/* " (9 over 2 chunks)": what was given, where that was the cost of a device's whole share. */
static void write_share(const struct scenario *scenario, const struct list *list, uint32_t stage,
                        struct text *out)
{
    uint32_t chunks = scenario_chunks(scenario);

    if (chunks == 1 || list->n == scenario_stages(scenario))
        return;
    text_add(out, " (");
    text_number(out, list->v[list->n == 1 ? 0 : scenario_device(scenario, stage)]);
    text_addf(out, " over %u chunks)", chunks);
}

/* A weight that leaves nothing for the input gradient, in the terms of the two lists. */
static void write_split_fault(const struct scenario *scenario, const struct pg_fault *fault,
                              struct text *out)
{
    text_addf(out, "weight of stage %u is ", fault->stage);
    text_number(out, fault->value);
    if (scenario->weight != NULL)
        write_share(scenario, scenario->weight, fault->stage, out);
    text_add(out, ": it must be less than its backward, ");
    text_number(out, fault->limit);
    if (scenario->layers == NULL)
        write_share(scenario, scenario->backward, fault->stage, out);
}

static bool refuse_fault(struct refusal *refusal, const struct scenario *scenario,
                         const struct pg_fault *fault)
{
    struct text text;

    refusal->param = param_of_field(fault->field);
    refusal->is_memory = refusal->report.is_memory = fault->status == PG_E_MEMORY;
    refusal->is_rule = fault->status == PG_E_RULE;
    if (fault->status == PG_E_FEW_LAYERS || fault->status == PG_E_LAYER_COST)
        refusal->param = PARAM_LAYERS;
    text_init(&text, refusal->report.text, sizeof refusal->report.text);
    if (fault->status == PG_E_RULE)
        rule_write(scenario, true, &text);
    else if (fault->status == PG_E_SPLIT)
        write_split_fault(scenario, fault, &text);
    else
        fault_write(fault, scenario->schedule, &text);
    return false;
}

static bool refuse_memory(struct refusal *refusal, const struct scenario *scenario)
{
    return refuse_fault(refusal, scenario, &(struct pg_fault){.status = PG_E_MEMORY});
}

/* ---- costs ---- */

/* Shares of a micro-batch add up with rounding, which is no excess. */
bool memory_is_over(const struct scenario *scenario, double memory)
{
    return scenario->memory_limit > 0 && memory > scenario->memory_limit * (1 + 1e-9);
}

uint32_t devices_over_limit(const struct scenario *scenario, const struct outcome *outcome)
{
    uint32_t count = 0;

    for (uint32_t d = 0; d < outcome->plan.devices; d++)
        count += memory_is_over(scenario, outcome->metrics.device_memory[d]);
    return count;
}

static double list_at(const struct scenario *scenario, const struct list *list, uint32_t stage)
{
    if (list->n == scenario_stages(scenario))
        return list->v[stage];
    return list->v[list->n == 1 ? 0 : scenario_device(scenario, stage)] / scenario_chunks(scenario);
}

void costs_spread(const struct scenario *scenario, const struct list *list, double *out)
{
    uint32_t stages = scenario_stages(scenario);

    for (uint32_t s = 0; s < stages; s++)
        out[s] = list_at(scenario, list, s);
}

double cost_effective(const struct scenario *scenario, enum param param, uint32_t stage)
{
    struct scenario copy = *scenario; /* borrowed: only read through */
    const struct list *list = *scenario_costs(&copy, param);

    if (list != NULL)
        return list_at(scenario, list, stage);
    if (param == PARAM_ACTIVATION)
        return 1.0 / scenario_chunks(scenario);
    if (param == PARAM_WEIGHT_ACTIVATION)
        return cost_effective(scenario, PARAM_ACTIVATION, stage);
    return list_at(scenario, scenario->backward, stage) / 2; /* weight */
}

void costs_effective(const struct scenario *scenario, enum param param, double *out)
{
    uint32_t stages = scenario_stages(scenario);

    for (uint32_t s = 0; s < stages; s++)
        out[s] = cost_effective(scenario, param, s);
}

/* What the balanced split weighs: forward, or forward and backward where a layer has its own. */
static double layer_weight(const struct scenario *scenario, uint32_t layer)
{
    double backward = scenario->layers->v[2 * (size_t)layer + 1];
    return scenario->layers->v[2 * (size_t)layer] + (isnan(backward) ? 0 : backward);
}

static double layer_backward(const struct scenario *scenario, uint32_t layer)
{
    double backward = scenario->layers->v[2 * (size_t)layer + 1];
    return isnan(backward) ? scenario->layers->v[2 * (size_t)layer] * scenario->backward_ratio : backward;
}

static bool has_own_backward(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < layer_count(scenario); i++)
        if (!isnan(scenario->layers->v[2 * (size_t)i + 1]))
            return true;
    return false;
}

size_t layers_split_size(const struct scenario *scenario)
{
    uint32_t layers = layer_count(scenario);
    return ((size_t)layers + 1) * sizeof(double) + 128 +
           pg_partition_size(layers, scenario_stages(scenario));
}

/* Ranges from counts: uniform ones, or those that were given. */
static bool split_by_count(const struct scenario *scenario, struct pg_range *ranges,
                           struct refusal *refusal)
{
    uint32_t layers = layer_count(scenario), stages = scenario_stages(scenario), at = 0;
    struct text text;

    text_init(&text, refusal->report.text, sizeof refusal->report.text);
    refusal->param = PARAM_SPLIT;
    refusal->is_memory = false;
    if (scenario->split == SPLIT_GIVEN) {
        double sum = 0;
        for (uint32_t i = 0; i < scenario->counts->n; i++)
            sum += scenario->counts->v[i];
        if (scenario->counts->n != stages) {
            text_addf(&text, "split has %u counts: one for each of the %u stages is needed",
                      scenario->counts->n, stages);
            return false;
        }
        if (sum != layers) {
            text_addf(&text, "split adds up to %.0f layers: there are %u", sum, layers);
            return false;
        }
    }
    for (uint32_t s = 0; s < stages; s++) {
        uint32_t count = scenario->split == SPLIT_GIVEN
                             ? (uint32_t)scenario->counts->v[s]
                             : layers / stages + (s < layers % stages);
        ranges[s] = (struct pg_range){at, at + count, 0};
        at += count;
    }
    return true;
}

bool layers_split(const struct scenario *scenario, struct pg_arena *scratch, double *forward,
                  double *backward, struct pg_range *ranges, struct refusal *refusal)
{
    uint32_t layers = layer_count(scenario), stages = scenario_stages(scenario);
    size_t mark = pg_arena_mark(scratch);
    double *weight = pg_arena_take(scratch, layers, sizeof *weight);
    struct pg_fault fault = {.status = PG_OK};

    if (weight == NULL)
        return refuse_memory(refusal, scenario);
    bool is_whole = has_own_backward(scenario);
    for (uint32_t i = 0; i < layers; i++)
        weight[i] = layer_weight(scenario, i) +
                    (is_whole && isnan(scenario->layers->v[2 * (size_t)i + 1]) ? layer_backward(scenario, i)
                                                                       : 0);
    if (scenario->split == SPLIT_BALANCED || layers < stages)
        pg_partition(scratch, weight, layers, stages, ranges, &fault);
    if (fault.status != PG_OK) {
        pg_arena_reset(scratch, mark);
        return refuse_fault(refusal, scenario, &fault);
    }
    if (scenario->split != SPLIT_BALANCED && !split_by_count(scenario, ranges, refusal)) {
        pg_arena_reset(scratch, mark);
        return false;
    }
    for (uint32_t s = 0; s < stages; s++) {
        forward[s] = backward[s] = 0;
        double load = 0;
        for (uint32_t i = ranges[s].start; i < ranges[s].end; i++) {
            forward[s] += scenario->layers->v[2 * (size_t)i];
            backward[s] += layer_backward(scenario, i);
            load += weight[i];
        }
        if (scenario->split != SPLIT_BALANCED)
            ranges[s].load = load;
    }
    pg_arena_reset(scratch, mark);
    return true;
}

/* ---- running ---- */

static bool check_length(const struct scenario *scenario, enum param param, const struct list *list,
                         struct refusal *refusal)
{
    uint32_t devices = scenario->stages, stages = scenario_stages(scenario);
    struct text text;

    if (list == NULL || list->n == 1 || list->n == devices || list->n == stages)
        return true;
    refusal->param = param;
    refusal->is_memory = false;
    text_init(&text, refusal->report.text, sizeof refusal->report.text);
    text_addf(&text, "%s has %u values: 1", param_info(param)->key, list->n);
    if (stages == devices)
        text_addf(&text, " or %u are needed for %u stages", devices, stages);
    else
        text_addf(&text, ", %u (one a device) or %u (one a stage) are needed", devices, stages);
    return false;
}

/* Counts and limits first: nothing is allocated for a problem that is too large. */
static bool check_counts(const struct scenario *scenario, struct refusal *refusal)
{
    struct pg_problem probe = scenario_counts(scenario);
    struct pg_fault fault;

    return pg_problem_check(&probe, &fault) == PG_OK || refuse_fault(refusal, scenario, &fault);
}

/* A quarter more than asked for, so that a problem that grows step by step keeps its block: the
 * first touch of new memory costs more than the run. */
static bool reserve(struct outcome *outcome, size_t size)
{
    if (outcome->block_size < size) {
        free(outcome->block);
        outcome->block_size = 0;
        size += size / 4;
        outcome->block = block_make(size);
        if (outcome->block == NULL)
            return false;
        outcome->block_size = size;
    }
    pg_arena_init(&outcome->arena, outcome->block, outcome->block_size);
    return true;
}

static size_t resolved_size(const struct scenario *scenario)
{
    size_t stages = scenario_stages(scenario);
    return stages * (5 * sizeof(double) + sizeof(struct pg_range)) + (size_t)64 * 8;
}

/* A list spread over the stages; NULL stays where it is not given. */
static bool spread_given(struct pg_arena *arena, const struct scenario *scenario, enum param param,
                         double **out)
{
    struct scenario copy = *scenario; /* borrowed */
    const struct list *list = *scenario_costs(&copy, param);

    if (list == NULL)
        return true;
    *out = pg_arena_take(arena, scenario_stages(scenario), sizeof **out);
    if (*out != NULL)
        costs_spread(scenario, list, *out);
    return *out != NULL;
}

static struct pg_list list_of(const double *values, uint32_t n)
{
    return (struct pg_list){values, values == NULL ? 0 : n};
}

static bool resolve(struct outcome *outcome, const struct scenario *scenario,
                    struct refusal *refusal)
{
    struct resolved *resolved = &outcome->resolved;
    struct pg_arena *arena = &outcome->arena;
    uint32_t stages = scenario_stages(scenario);

    *resolved = (struct resolved){
        .stages = stages,
        .forward = pg_arena_take(arena, stages, sizeof(double)),
        .backward = pg_arena_take(arena, stages, sizeof(double)),
    };
    if (resolved->forward == NULL || resolved->backward == NULL ||
        !spread_given(arena, scenario, PARAM_WEIGHT, &resolved->weight) ||
        !spread_given(arena, scenario, PARAM_ACTIVATION, &resolved->activation) ||
        !spread_given(arena, scenario, PARAM_WEIGHT_ACTIVATION, &resolved->weight_activation))
        return refuse_memory(refusal, scenario);
    if (scenario->layers != NULL) {
        resolved->ranges = pg_arena_take(arena, stages, sizeof *resolved->ranges);
        if (resolved->ranges == NULL)
            return refuse_memory(refusal, scenario);
        if (!layers_split(scenario, arena, resolved->forward, resolved->backward, resolved->ranges,
                          refusal))
            return false;
    } else {
        costs_spread(scenario, scenario->forward, resolved->forward);
        costs_spread(scenario, scenario->backward, resolved->backward);
    }
    resolved->problem = (struct pg_problem){
        .family = scenario->schedule,
        .devices = scenario->stages,
        .chunks = scenario->chunks,
        .micro_batches = scenario->micro_batches,
        .forward = {resolved->forward, stages},
        .backward = {resolved->backward, stages},
        .weight = list_of(resolved->weight, stages),
        .activation = list_of(resolved->activation, stages),
        .weight_activation = list_of(resolved->weight_activation, stages),
        .group = scenario->group,
        .table = scenario->table == NULL ? NULL : &scenario->table->core,
        .transfer = scenario->transfer,
        .fused = scenario->fused,
    };
    return true;
}

/* Everything up to the plan: the scenario becomes a problem that passes the core's check, in an
 * arena of which `resolving` bytes are for that. */
static bool prepare(struct outcome *outcome, const struct scenario *scenario, size_t *resolving,
                    struct refusal *refusal)
{
    struct pg_fault fault;

    *refusal = (struct refusal){.param = PARAM_COUNT};
    if (!check_counts(scenario, refusal))
        return false;
    if (scenario->layers == NULL &&
        (!check_length(scenario, PARAM_FORWARD, scenario->forward, refusal) ||
         !check_length(scenario, PARAM_BACKWARD, scenario->backward, refusal)))
        return false;
    if (!check_length(scenario, PARAM_WEIGHT, scenario->weight, refusal) ||
        !check_length(scenario, PARAM_ACTIVATION, scenario->activation, refusal) ||
        !check_length(scenario, PARAM_WEIGHT_ACTIVATION, scenario->weight_activation, refusal))
        return false;

    *resolving = resolved_size(scenario) +
                 (scenario->layers == NULL ? 0 : layers_split_size(scenario));
    if (!reserve(outcome, *resolving + 64))
        return refuse_memory(refusal, scenario);
    if (!resolve(outcome, scenario, refusal))
        return false;
    return pg_problem_check(&outcome->resolved.problem, &fault) == PG_OK ||
           refuse_fault(refusal, scenario, &fault);
}

bool scenario_check(const struct scenario *scenario, struct refusal *refusal)
{
    struct outcome outcome = {.block = NULL};
    size_t resolving;
    bool is_good = prepare(&outcome, scenario, &resolving, refusal);

    outcome_free(&outcome);
    return is_good;
}

bool outcome_run(struct outcome *outcome, const struct scenario *scenario, struct refusal *refusal)
{
    struct pg_fault fault;
    size_t resolving;

    explained_free(&outcome->explained);
    if (!prepare(outcome, scenario, &resolving, refusal))
        return false;

    /* Now that costs are known the core says what it needs; the block may have to move. */
    size_t planning = pg_plan_size(&outcome->resolved.problem) +
                      pg_metrics_size(scenario->stages) + 64;
    if (outcome->block_size < resolving + planning + 64) {
        if (!reserve(outcome, resolving + planning + 64))
            return refuse_memory(refusal, scenario);
        if (!resolve(outcome, scenario, refusal))
            return false;
    }
    if (pg_plan_build(&outcome->arena, &outcome->resolved.problem, &outcome->plan, &fault) != PG_OK)
        return refuse_fault(refusal, scenario, &fault);
    if (pg_plan_judge(&outcome->plan, &outcome->arena, &outcome->metrics) != PG_OK)
        return refuse_memory(refusal, scenario);
    return true;
}

void outcome_free(struct outcome *outcome)
{
    explained_free(&outcome->explained);
    free(outcome->block);
    *outcome = (struct outcome){.block = NULL};
}
