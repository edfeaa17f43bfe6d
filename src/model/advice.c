/* What would help: the rounds of runs, and where their figures go. See advice.h. */
#include "model/advice.h"

#include "model/edit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* M of one round. */
#define MOST_WANTED 64u

const char *advice_name(enum advice_kind kind)
{
    static const char *const names[ADVICE_KINDS] = {"cost", "micro-batches", "family", "split",
                                                    "transfer", "bound"};
    return names[kind];
}

const char *advice_value_name(enum advice_kind kind)
{
    static const char *const names[ADVICE_KINDS] = {
        "makespan_per_unit", "bubble_fraction", "makespan", "makespan", "makespan", "makespan"};
    return names[kind];
}

/* ---- rounds ---- */

/* A batch with room, and slots for its jobs. */
static bool open_round(struct advice *advice, uint32_t room)
{
    struct advice_slot *slots = realloc(advice->slots, (room > 0 ? room : 1) * sizeof *slots);

    if (slots != NULL)
        advice->slots = slots;
    advice->batch = slots == NULL ? NULL : batch_make(room);
    advice->is_out_of_memory = advice->batch == NULL;
    return advice->batch != NULL;
}

static void add(struct advice *advice, struct advice_slot slot, const struct scenario *scenario,
                const char *impossible)
{
    advice->slots[advice->batch->count] = slot;
    if (impossible == NULL)
        batch_add(advice->batch, scenario);
    else
        batch_add_impossible(advice->batch, scenario, impossible);
}

static void add_family(struct advice *advice, uint32_t index)
{
    struct advice_family *row = &advice->families[index];
    struct advice_slot slot = {.kind = SLOT_FAMILY, .index = index};
    struct scenario probe;
    struct refusal refusal;

    memset(&probe, 0, sizeof probe);
    scenario_copy(&probe, &advice->base);
    bool is_good = edit_schedule(&probe, row->family, &refusal);
    is_good = is_good && scenario_check(&probe, &refusal);
    row->chunks = scenario_chunks(&probe);
    add(advice, slot, &probe, is_good ? NULL : refusal.report.text);
    scenario_free(&probe);
}

/* Families, another split, no transfer: what needs nothing but the scenario. */
static bool begin(struct advice *advice)
{
    struct scenario probe;

    if (!open_round(advice, advice->family_count + 2))
        return false;
    for (uint32_t i = 0; i < advice->family_count; i++)
        add_family(advice, i);
    if (advice->has_other_split)
        add(advice, (struct advice_slot){.kind = SLOT_SPLIT}, &advice->other_split, NULL);
    if (advice->base.transfer > 0) {
        memset(&probe, 0, sizeof probe);
        scenario_copy(&probe, &advice->base);
        probe.transfer = 0;
        add(advice, (struct advice_slot){.kind = SLOT_TRANSFER}, &probe, NULL);
        scenario_free(&probe);
    }
    advice->has_begun = true;
    return true;
}

static bool add_wanted(struct advice *advice, const uint32_t *wanted, uint32_t count)
{
    struct scenario probe;

    if (!open_round(advice, count))
        return false;
    memset(&probe, 0, sizeof probe);
    scenario_copy(&probe, &advice->base);
    for (uint32_t i = 0; i < count; i++) {
        probe.micro_batches = wanted[i];
        add(advice, (struct advice_slot){.kind = SLOT_MICRO, .index = wanted[i]}, &probe, NULL);
    }
    scenario_free(&probe);
    return true;
}

static void add_slope(struct advice *advice, uint32_t index, uint8_t cost)
{
    struct scenario moved;

    memset(&moved, 0, sizeof moved);
    for (int growth = 0; growth < 2; growth++) {
        struct advice_slot slot = {SLOT_SLOPE, index, cost, growth == 1};
        bool is_good = slopes_moved(advice, &slot, &moved);
        add(advice, slot, &moved, is_good ? NULL : "the cost cannot become that small");
    }
    scenario_free(&moved);
}

static bool add_slopes(struct advice *advice)
{
    uint32_t costs = advice_cost_count(advice);

    if (!open_round(advice, (advice->stage_count + 1) * costs * 2))
        return false;
    for (uint32_t i = 0; i <= advice->stage_count; i++) {
        bool is_transfer = i == advice->stage_count;
        if (advice->is_finer && !advice->need_finer[i])
            continue;
        for (uint32_t c = 0; c < (is_transfer ? 1 : costs); c++)
            add_slope(advice, i, (uint8_t)c);
    }
    return true;
}

static bool is_finer_needed(const struct advice *advice)
{
    for (uint32_t i = 0; i <= advice->stage_count; i++)
        if (advice->need_finer[i])
            return true;
    return false;
}

/* What the step that is suggested gives. */
static bool add_step(struct advice *advice)
{
    const struct suggestion *cost = &advice->suggestion[ADVICE_COST];

    if (!open_round(advice, 1))
        return false;
    if (cost->can_apply)
        add(advice, (struct advice_slot){.kind = SLOT_STEP}, &cost->scenario, NULL);
    return true;
}

/* The next batch into advice->batch. False when nothing is left to be run. */
static bool next_round(struct advice *advice)
{
    uint32_t wanted[MOST_WANTED];

    if (!advice->has_begun)
        return begin(advice);
    uint32_t count = micro_search(advice, wanted, MOST_WANTED);
    if (count > 0)
        return add_wanted(advice, wanted, count);
    if (!advice->has_slopes) {
        advice->has_slopes = true;
        return add_slopes(advice);
    }
    if (!advice->is_finer && is_finer_needed(advice)) {
        advice->is_finer = true;
        return add_slopes(advice);
    }
    if (!advice->has_step_run) {
        advice->has_step_run = true;
        return add_step(advice);
    }
    return false;
}

/* ---- figures ---- */

static void take_micro(struct advice *advice, uint32_t micro_batches, const struct figures *figures)
{
    for (uint32_t i = advice->micro_count; i-- > 0;)
        if (advice->micro[i].micro_batches == micro_batches)
            return;
    if (advice->micro_count == advice->micro_room) {
        uint32_t room = advice->micro_room * 2 + 64;
        struct micro_run *more = realloc(advice->micro, room * sizeof *more);
        if (more == NULL) {
            advice->is_out_of_memory = true;
            return;
        }
        advice->micro = more;
        advice->micro_room = room;
    }
    advice->micro[advice->micro_count++] = (struct micro_run){micro_batches, *figures};
}

static void take(struct advice *advice, const struct advice_slot *slot,
                 const struct figures *figures)
{
    switch (slot->kind) {
    case SLOT_FAMILY:
        advice->families[slot->index].figures = *figures;
        advice->families[slot->index].is_known = true;
        break;
    case SLOT_SPLIT:
        advice->split_figures = *figures;
        advice->has_split = true;
        break;
    case SLOT_TRANSFER:
        advice->transfer_figures = *figures;
        advice->has_transfer = true;
        break;
    case SLOT_MICRO:
        take_micro(advice, slot->index, figures);
        break;
    case SLOT_SLOPE:
        slopes_take(advice, slot, figures->is_possible ? figures->makespan : NAN);
        break;
    case SLOT_STEP:
        advice->step_figures = *figures;
        advice->has_step = true;
        break;
    }
}

void advice_look(struct advice *advice)
{
    const struct batch *batch = advice->batch;

    for (uint32_t i = 0; batch != NULL && i < batch->count; i++) {
        const struct advice_slot *slot = &advice->slots[i];
        bool is_second = slot->kind == SLOT_SLOPE && slot->is_growth;
        const struct figures *figures = batch_figures(batch, i);
        if (figures != NULL && (!is_second || batch_figures(batch, i - 1) != NULL))
            take(advice, slot, figures);
    }
    advice_write(advice);
}

struct batch *advice_batch(struct advice *advice)
{
    while (!advice->has_ended && !advice->is_out_of_memory) {
        if (advice->batch != NULL && batch_done(advice->batch) < advice->batch->count)
            return advice->batch;
        advice_look(advice);
        advice->runs_before += advice->batch == NULL ? 0 : advice->batch->count;
        batch_release(&advice->batch);
        advice->has_ended = !next_round(advice) && !advice->is_out_of_memory;
        advice_write(advice);
    }
    return NULL;
}

bool advice_is_done(const struct advice *advice)
{
    return advice->has_ended || advice->is_out_of_memory;
}

void advice_progress(const struct advice *advice, uint32_t *done, uint32_t *of)
{
    const struct batch *batch = advice->batch;
    uint32_t slopes = (2 * advice->stage_count * advice_cost_count(advice)) + 2;

    *done = advice->runs_before + (batch == NULL ? 0 : batch_done(batch));
    *of = advice->runs_before + (batch == NULL ? 0 : batch->count);
    *of += advice->has_slopes ? 0 : slopes;
    *of += advice->has_step_run ? 0 : 1;
}

void advice_set_target(struct advice *advice, double target)
{
    advice->target = target;
    advice->has_ended = false;
    advice->answer.verdict = MICRO_OPEN;
    advice_write(advice);
}

/* ---- life ---- */

/* All costs alike and the total kept: a list of one value, which is a device's share of it. */
static bool even_out(struct scenario *scenario, enum param param, bool *is_changed)
{
    uint32_t stages = scenario_stages(scenario);
    double *values = malloc(stages * sizeof *values), sum = 0;
    struct list *list = list_make(1);

    if (values == NULL || list == NULL) {
        free(values);
        list_release(&list);
        return false;
    }
    costs_effective(scenario, param, values);
    for (uint32_t s = 0; s < stages; s++)
        sum += values[s];
    for (uint32_t s = 0; s < stages; s++)
        *is_changed = *is_changed || fabs(values[s] - sum / stages) > 1e-9 * sum / stages;
    list->v[0] = sum * scenario_chunks(scenario) / stages;
    list_put(scenario_costs(scenario, param), list);
    free(values);
    return true;
}

/* Layers: balanced, or uniform where they are. Costs: all alike. */
static bool make_other_split(struct advice *advice)
{
    struct scenario *other = &advice->other_split;
    struct refusal refusal;
    bool is_changed = false;

    scenario_copy(other, &advice->base);
    if (other->layers != NULL) {
        other->split = other->split == SPLIT_BALANCED ? SPLIT_UNIFORM : SPLIT_BALANCED;
        list_release(&other->counts);
        advice->has_other_split = scenario_check(other, &refusal);
        return true;
    }
    if (!even_out(other, PARAM_FORWARD, &is_changed) ||
        !even_out(other, PARAM_BACKWARD, &is_changed) ||
        (other->weight != NULL && !even_out(other, PARAM_WEIGHT, &is_changed)))
        return false;
    advice->has_other_split = is_changed;
    return true;
}

static bool make_costs(struct advice *advice)
{
    struct refusal refusal;

    scenario_copy(&advice->costs, &advice->base);
    advice->has_layers = advice->base.layers != NULL;
    return !advice->has_layers || edit_layers_to_costs(&advice->costs, &refusal);
}

static bool fill(struct advice *advice, struct outcome *outcome)
{
    const struct pg_idle_report *idle = outcome_idle(outcome);
    const struct pg_family *families = pg_families(&advice->family_count);

    advice->families = calloc(advice->family_count, sizeof *advice->families);
    if (idle == NULL || advice->families == NULL || !make_costs(advice) ||
        !make_other_split(advice) || !bound_make(&advice->bound, &advice->costs))
        return false;
    for (uint32_t i = 0; i < advice->family_count; i++)
        advice->families[i].family = &families[i];
    figures_of(&advice->present, &advice->base, &outcome->metrics);
    advice->ideal = idle->ideal;
    advice->without_transfer = idle->without_transfer;
    return slopes_choose(advice, outcome);
}

struct advice *advice_make(const struct scenario *scenario, struct outcome *outcome, double target)
{
    struct advice *advice = calloc(1, sizeof *advice);

    if (advice == NULL)
        return NULL;
    advice->target = target;
    scenario_copy(&advice->base, scenario);
    if (!fill(advice, outcome)) {
        advice_free(&advice);
        return NULL;
    }
    take_micro(advice, scenario->micro_batches, &advice->present);
    advice_write(advice);
    return advice;
}

void advice_free(struct advice **held)
{
    struct advice *advice = *held;

    *held = NULL;
    if (advice == NULL)
        return;
    batch_release(&advice->batch);
    for (int i = 0; i < ADVICE_KINDS; i++)
        scenario_free(&advice->suggestion[i].scenario);
    scenario_free(&advice->base);
    scenario_free(&advice->costs);
    scenario_free(&advice->other_split);
    bound_free(&advice->bound);
    free(advice->stages);
    free(advice->need_finer);
    free(advice->raw);
    free(advice->families);
    free(advice->micro);
    free(advice->slots);
    free(advice);
}
