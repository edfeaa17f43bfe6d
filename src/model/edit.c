/* Changes to a scenario that keep its parts in step: see edit.h. */
#include "model/edit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool fail(struct refusal *refusal, enum param param, const char *why)
{
    struct text text;

    *refusal = (struct refusal){.param = param};
    text_init(&text, refusal->report.text, sizeof refusal->report.text);
    text_add(&text, why);
    return false;
}

static bool fail_memory(struct refusal *refusal)
{
    fail(refusal, PARAM_COUNT, "there is not enough memory");
    refusal->is_memory = refusal->report.is_memory = true;
    return false;
}

/* The report is written already. */
static bool fail_fixed(struct refusal *refusal, enum param param)
{
    refusal->param = param;
    refusal->is_memory = false;
    return false;
}

/* ---- the ladder ---- */

static double decimal(int tenths, int decade)
{
    char buffer[32];

    snprintf(buffer, sizeof buffer, "%de%d", tenths, decade - 1);
    return strtod(buffer, NULL);
}

static int rung_size(int tenths)
{
    return tenths < 20 ? 1 : tenths < 50 ? 2 : 5;
}

/* The highest rung not above value: tenths 10 … 95 of a decade. */
static void rung_below(double value, int *tenths, int *decade)
{
    *decade = (int)floor(log10(value));
    if (decimal(10, *decade) > value)
        (*decade)--;
    if (decimal(100, *decade) <= value)
        (*decade)++;
    *tenths = 10;
    while (*tenths < 95 && decimal(*tenths + rung_size(*tenths), *decade) <= value)
        *tenths += rung_size(*tenths);
}

double ladder_floor(double value)
{
    int tenths, decade;

    rung_below(value, &tenths, &decade);
    return decimal(tenths, decade);
}

/* Rungs counted from that of 1: 10, 15 and 10 of them in a decade. */
#define DECADE 35

static int rung_number(int tenths, int decade)
{
    int at = tenths < 20   ? tenths - 10
             : tenths < 50 ? 10 + (tenths - 20) / 2
                           : 25 + (tenths - 50) / 5;
    return decade * DECADE + at;
}

static double rung(int number)
{
    int decade = number >= 0 ? number / DECADE : -((DECADE - 1 - number) / DECADE);
    int at = number - decade * DECADE;
    return decimal(at < 10 ? 10 + at : at < 25 ? 20 + 2 * (at - 10) : 50 + 5 * (at - 25), decade);
}

double ladder_step(double value, int steps)
{
    int tenths, decade, most = 290 * DECADE;

    if (steps == 0 || (steps > 0 && value >= 1e290) || (steps < 0 && value <= 1e-290))
        return value;
    rung_below(value, &tenths, &decade);
    if (steps < 0 && decimal(tenths, decade) < value)
        steps++; /* off the ladder the first step down is that to the rung below */
    int number = rung_number(tenths, decade) + steps;
    return rung(number > most ? most : number < -most ? -most : number);
}

/* ---- lists ---- */

/* Device sums: what a list of P*V becomes before P or V changes. */
static bool gather(struct scenario *scenario, struct list **field)
{
    uint32_t devices = scenario->stages, n = (*field)->n;

    if (n == 1 || n == devices)
        return true;
    struct list *sums = list_make(devices);
    if (sums == NULL)
        return false;
    for (uint32_t d = 0; d < devices; d++)
        sums->v[d] = 0;
    for (uint32_t s = 0; s < n; s++)
        sums->v[scenario_device(scenario, s)] += (*field)->v[s];
    list_put(field, sums);
    return true;
}

/* hold = stage: the last device's costs are repeated or dropped. */
static bool stretch(struct list **field, uint32_t devices)
{
    const struct list *old = *field;
    struct list *list = list_make(devices);

    if (list == NULL)
        return false;
    for (uint32_t d = 0; d < devices; d++)
        list->v[d] = old->v[d < old->n ? d : old->n - 1];
    list_put(field, list);
    return true;
}

/* hold = model: cost as a density over the depth of the model, constant within a stage, cut anew.
 * A value for all is a list of equal ones. */
static bool resample(struct list **field, uint32_t from, uint32_t devices)
{
    const struct list *old = *field;
    bool is_one = old->n == 1;
    struct list *list = list_make(is_one ? 1 : devices);

    if (list == NULL)
        return false;
    if (is_one) {
        list->v[0] = old->v[0] * from / devices;
        list_put(field, list);
        return true;
    }
    for (uint32_t d = 0; d < devices; d++) {
        /* In units of 1/(from*devices) of the depth everything is whole. */
        uint64_t low = (uint64_t)d * from, high = low + from;
        list->v[d] = 0;
        for (uint64_t s = low / devices; s * devices < high; s++) {
            uint64_t a = s * devices > low ? s * devices : low;
            uint64_t b = (s + 1) * devices < high ? (s + 1) * devices : high;
            list->v[d] += old->v[s] * ((double)(b - a) / devices);
        }
    }
    list_put(field, list);
    return true;
}

/* One list after a change of P. With layers forward and backward are not in use. */
static bool follow_stages(struct scenario *scenario, enum param param, uint32_t stages)
{
    struct list **field = scenario_costs(scenario, param);
    bool is_idle = scenario->layers != NULL && (param == PARAM_FORWARD || param == PARAM_BACKWARD);

    if (*field == NULL || is_idle)
        return true;
    if (!gather(scenario, field))
        return false;
    if (scenario->hold == HOLD_MODEL)
        return resample(field, scenario->stages, stages);
    return (*field)->n == 1 || stretch(field, stages);
}

static const enum param cost_params[] = {PARAM_FORWARD, PARAM_BACKWARD, PARAM_WEIGHT,
                                         PARAM_ACTIVATION, PARAM_WEIGHT_ACTIVATION};

enum { COST_PARAMS = sizeof cost_params / sizeof cost_params[0] };

bool edit_stages(struct scenario *scenario, uint32_t stages, struct refusal *refusal)
{
    if (stages == scenario->stages)
        return true;
    if (scenario_clashes(scenario, PARAM_STAGES, stages, &refusal->report))
        return fail_fixed(refusal, PARAM_STAGES);
    if (scenario->layers != NULL && scenario->split == SPLIT_GIVEN) {
        scenario->split = SPLIT_BALANCED;
        list_release(&scenario->counts);
    }
    for (int i = 0; i < COST_PARAMS; i++)
        if (!follow_stages(scenario, cost_params[i], stages))
            return fail_memory(refusal);
    scenario->stages = stages;
    return true;
}

/* Lists by device where V is about to change; a given split counts stages that will be others. */
static bool gather_all(struct scenario *scenario)
{
    if (scenario->layers != NULL && scenario->split == SPLIT_GIVEN) {
        scenario->split = SPLIT_BALANCED;
        list_release(&scenario->counts);
    }
    bool is_done = true;
    for (int i = 0; i < COST_PARAMS && is_done; i++) {
        struct list **field = scenario_costs(scenario, cost_params[i]);
        is_done = *field == NULL || gather(scenario, field);
    }
    return is_done;
}

bool edit_chunks(struct scenario *scenario, uint32_t chunks, struct refusal *refusal)
{
    if (chunks == scenario->chunks)
        return true;
    if (scenario_clashes(scenario, PARAM_CHUNKS, chunks, &refusal->report))
        return fail_fixed(refusal, PARAM_CHUNKS);
    if (scenario->schedule->fixed_chunks == 0 && !gather_all(scenario))
        return fail_memory(refusal);
    scenario->chunks = chunks;
    return true;
}

bool edit_schedule(struct scenario *scenario, const struct pg_family *family,
                   struct refusal *refusal)
{
    struct scenario wanted = *scenario;

    wanted.schedule = family;
    bool is_same = scenario_chunks(&wanted) == scenario_chunks(scenario) &&
                   family->placement == scenario->schedule->placement && scenario->table == NULL;
    if (!is_same && !gather_all(scenario))
        return fail_memory(refusal);
    scenario_set_table(scenario, NULL);
    scenario->schedule = family;
    return true;
}

bool edit_table(struct scenario *scenario, struct table *table, struct refusal *refusal)
{
    if (!gather_all(scenario))
        return fail_memory(refusal);
    scenario_set_table(scenario, NULL); /* an old one would hold on to its P */
    if (!edit_stages(scenario, table->core.devices, refusal))
        return false;
    scenario_set_table(scenario, table_share(table));
    return true;
}

/* A list with one entry a stage, not shared with anyone. */
static struct list *spread_copy(const struct scenario *scenario, enum param param)
{
    struct list *copy = list_make(scenario_stages(scenario));

    if (copy != NULL)
        costs_effective(scenario, param, copy->v);
    return copy;
}

static bool put_one(struct list **field, double cost, struct refusal *refusal)
{
    struct list *list = list_make(1);

    if (list == NULL)
        return fail_memory(refusal);
    list->v[0] = cost;
    list_put(field, list);
    return true;
}

bool edit_cost(struct scenario *scenario, enum param param, uint32_t stage, double cost,
               struct refusal *refusal)
{
    struct list **field = scenario_costs(scenario, param);

    if (!param_allows(param, cost))
        return fail(refusal, param, "a cost must be more than 0 and at most 1e300");
    if (stage == PG_NONE)
        return put_one(field, cost, refusal);
    struct list *list = spread_copy(scenario, param);
    if (list == NULL)
        return fail_memory(refusal);
    bool is_same = list->v[stage] == cost;
    list->v[stage] = cost;
    if (is_same)
        list_release(&list); /* one value for all stays one */
    else
        list_put(field, list);
    return true;
}

bool edit_cost_step(struct scenario *scenario, enum param param, uint32_t stage, int steps,
                    struct refusal *refusal)
{
    struct list **field = scenario_costs(scenario, param);
    bool is_one = stage == PG_NONE && *field != NULL && (*field)->n == 1;

    if (is_one)
        return put_one(field, ladder_step((*field)->v[0], steps), refusal);
    struct list *list = spread_copy(scenario, param);
    if (list == NULL)
        return fail_memory(refusal);
    for (uint32_t s = 0; s < list->n; s++)
        if (stage == PG_NONE || stage == s)
            list->v[s] = ladder_step(list->v[s], steps);
    list_put(field, list);
    return true;
}

bool edit_layers_to_costs(struct scenario *scenario, struct refusal *refusal)
{
    uint32_t stages = scenario_stages(scenario);
    size_t size = layers_split_size(scenario) + 128;
    void *block = malloc(size);
    struct pg_range *ranges = malloc(stages * sizeof *ranges);
    struct list *forward = list_make(stages), *backward = list_make(stages);
    struct pg_arena arena;
    bool is_done = block != NULL && ranges != NULL && forward != NULL && backward != NULL;

    if (!is_done) {
        fail_memory(refusal);
    } else {
        pg_arena_init(&arena, block, size);
        is_done = layers_split(scenario, &arena, forward->v, backward->v, ranges, refusal);
    }
    free(block);
    free(ranges);
    if (!is_done) {
        list_release(&forward);
        list_release(&backward);
        return false;
    }
    list_put(&scenario->forward, forward);
    list_put(&scenario->backward, backward);
    scenario_drop_layers(scenario);
    return true;
}
