/* The shortest makespan that any order could have: see bound.h. All of it is sums along the stages;
 * the place of a stage comes from the family, so that nothing need be run. */
#include "model/bound.h"

#include "model/edit.h"

#include <stdlib.h>
#include <string.h>

/* The costs of every stage, and where it lies, while a bound is made. */
struct parts {
    const struct scenario *scenario;
    const struct pg_family *family;
    uint32_t stages, devices, replicas;
    double transfer, least_fused; /* least a fused pair costs as a factor on its halves */
    double *forward, *backward, *weight; /* [stages] */
    double *head, *tail, *work, *weights; /* [devices]: weights is the part of work that is W */
};

static uint32_t device_of(const struct parts *parts, uint32_t stage, uint32_t replica)
{
    if (parts->family->is_table)
        return scenario_device(parts->scenario, stage);
    return pg_stage_device(parts->family, parts->devices, stage, replica);
}

static double lag(const struct parts *parts, uint32_t a, uint32_t b, uint32_t replica)
{
    return device_of(parts, a, replica) == device_of(parts, b, replica) ? 0 : parts->transfer;
}

/* What the stage before waits for. */
static double gradient(const struct parts *parts, uint32_t stage)
{
    return parts->backward[stage] - (parts->family->splits ? parts->weight[stage] : 0);
}

static void lower(double *value, double candidate)
{
    if (candidate < *value)
        *value = candidate;
}

/* Heads and tails of one replica, and its work; returns how long one micro-batch takes by itself. */
static double add_replica(struct parts *parts, uint32_t replica)
{
    bool is_forward_only = parts->family->is_forward_only;
    double head = 0, tail = parts->family->splits ? parts->weight[0] : 0, chain = 0;

    for (uint32_t s = 0; s < parts->stages; s++) {
        uint32_t device = device_of(parts, s, replica);
        head += s > 0 ? lag(parts, s - 1, s, replica) : 0;
        tail += s > 0 && !is_forward_only ? lag(parts, s, s - 1, replica) : 0;
        lower(&parts->head[device], head);
        if (!is_forward_only)
            lower(&parts->tail[device], tail);
        head += parts->forward[s];
        tail += is_forward_only ? 0 : gradient(parts, s);
        parts->work[device] += parts->forward[s] + (is_forward_only ? 0 : parts->backward[s]);
        parts->weights[device] += parts->family->splits ? parts->weight[s] : 0;
    }
    chain = head + (is_forward_only ? 0 : tail * parts->least_fused);
    for (uint32_t s = parts->stages; s-- > 0 && is_forward_only;) {
        lower(&parts->tail[device_of(parts, s, replica)], tail);
        tail += parts->forward[s] + (s > 0 ? lag(parts, s - 1, s, replica) : 0);
    }
    return chain;
}

static void add_line(struct bound *bound, double fixed, double rate)
{
    bound->fixed[bound->lines] = fixed;
    bound->rate[bound->lines++] = rate;
}

static void draw_lines(struct bound *bound, struct parts *parts)
{
    double least = parts->least_fused;

    for (uint32_t d = 0; d < parts->devices; d++)
        parts->head[d] = parts->tail[d] = 1e308;
    for (uint32_t r = 0; r < parts->replicas; r++)
        add_line(bound, add_replica(parts, r), 0);
    for (uint32_t d = 0; d < parts->devices; d++) {
        double work = parts->work[d] / parts->replicas, weights = parts->weights[d] / parts->replicas;
        bound->mean += work / parts->devices;
        if (work > bound->slowest) {
            bound->slowest = work;
            bound->device = d;
        }
        if (parts->family->splits) {
            add_line(bound, parts->head[d], least * work);
            add_line(bound, parts->head[d] + parts->tail[d], least * (work - weights));
        } else {
            add_line(bound, parts->head[d] + parts->tail[d], least * work);
        }
    }
}

static bool make_from_costs(struct bound *bound, const struct scenario *scenario)
{
    uint32_t stages = scenario_stages(scenario), devices = scenario->stages;
    size_t lines = 2 * (size_t)devices + 2;
    const struct pg_family *family = scenario->schedule;
    double *block = calloc(3 * (size_t)stages + 4 * (size_t)devices, sizeof *block);
    bool is_cheap = family->has_fused && scenario->fused < 1;

    *bound = (struct bound){
        .fixed = calloc(lines, sizeof(double)),
        .rate = calloc(lines, sizeof(double)),
        .is_exact_work = !family->has_fused || scenario->fused == 1,
    };
    if (block == NULL || bound->fixed == NULL || bound->rate == NULL) {
        free(block);
        bound_free(bound);
        return false;
    }
    struct parts parts = {
        .scenario = scenario,
        .family = family,
        .stages = stages,
        .devices = devices,
        .replicas = family->placement == PG_BIDIRECTIONAL ? 2 : 1,
        .transfer = scenario->transfer,
        .least_fused = is_cheap ? scenario->fused : 1,
        .forward = block,
        .backward = block + stages,
        .weight = block + 2 * (size_t)stages,
        .head = block + 3 * (size_t)stages,
    };
    parts.tail = parts.head + devices;
    parts.work = parts.tail + devices;
    parts.weights = parts.work + devices;
    costs_effective(scenario, PARAM_FORWARD, parts.forward);
    costs_effective(scenario, PARAM_BACKWARD, parts.backward);
    costs_effective(scenario, PARAM_WEIGHT, parts.weight);
    draw_lines(bound, &parts);
    free(block);
    return true;
}

bool bound_make(struct bound *bound, const struct scenario *scenario)
{
    struct scenario copy;
    struct refusal refusal;

    if (scenario->layers == NULL)
        return make_from_costs(bound, scenario);
    memset(&copy, 0, sizeof copy);
    scenario_copy(&copy, scenario);
    bool is_done = edit_layers_to_costs(&copy, &refusal) && make_from_costs(bound, &copy);
    scenario_free(&copy);
    return is_done;
}

void bound_free(struct bound *bound)
{
    free(bound->fixed);
    free(bound->rate);
    *bound = (struct bound){.lines = 0};
}

double bound_makespan(const struct bound *bound, uint32_t micro_batches)
{
    double most = 0;

    for (uint32_t i = 0; i < bound->lines; i++) {
        double at = bound->fixed[i] + bound->rate[i] * micro_batches;
        most = at > most ? at : most;
    }
    return most;
}

double bound_floor(const struct bound *bound, uint32_t micro_batches)
{
    return bound->slowest * micro_batches;
}

double bound_bubble(const struct bound *bound, uint32_t micro_batches)
{
    double makespan = bound_makespan(bound, micro_batches);
    double bubble = 1 - bound->mean * micro_batches / makespan;

    return bound->is_exact_work && bubble > 0 ? bubble : 0;
}

double bound_bubble_limit(const struct bound *bound)
{
    double bubble = 1 - bound->mean / bound->slowest;
    return bound->is_exact_work && bubble > 0 ? bubble : 0;
}
