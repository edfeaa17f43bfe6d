/* Sweeps: see sweep.h. */
#include "model/sweep.h"

#include "model/edit.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct measure_info measures[MEASURE_COUNT] = {
#define SWEPT(id, param, letter, symbol)
#define MEASURE(id, name, title, field, is_share, is_more_better)                                  \
    {name, title, offsetof(struct figures, field), is_share, is_more_better},
#include "model/sweep.def"
#undef SWEPT
#undef MEASURE
};

const struct measure_info *measure_info(enum measure measure)
{
    return &measures[measure];
}

bool measure_parse(const char *name, enum measure *measure, struct report *report)
{
    struct text text;
    char shown[80];

    for (enum measure m = 0; m < MEASURE_COUNT; m++) {
        if (strcmp(measures[m].name, name) == 0) {
            *measure = m;
            return true;
        }
    }
    text_init(&text, shown, sizeof shown);
    text_printable(&text, name);
    text_init(&text, report->text, sizeof report->text);
    text_addf(&text, "'%s': ", shown);
    for (enum measure m = 0; m < MEASURE_COUNT; m++)
        text_addf(&text, "%s%s", m == 0 ? "" : m + 1 == MEASURE_COUNT ? " or " : ", ",
                  measures[m].name);
    text_add(&text, " is needed");
    return false;
}

/* ---- the scenario of a job ---- */

static bool fail(struct refusal *refusal, const char *why)
{
    struct text text;

    *refusal = (struct refusal){.param = PARAM_COUNT};
    text_init(&text, refusal->report.text, sizeof refusal->report.text);
    text_add(&text, why);
    return false;
}

/* The whole cost of one device, its stages alike: a list of P where one was, so that families of
 * other V are compared at equal work; else a list by stage. */
static bool put_share(struct scenario *scenario, enum param param, uint32_t device, double cost,
                      struct refusal *refusal)
{
    struct list **field = scenario_costs(scenario, param);
    const struct list *old = *field != NULL ? *field : scenario->backward;
    uint32_t devices = scenario->stages, stages = scenario_stages(scenario), here = 0;
    bool is_by_device = (old->n == 1 || old->n == devices) && scenario->table == NULL;
    struct list *list = list_make(is_by_device ? devices : stages);

    if (list == NULL) {
        fail(refusal, "there is not enough memory");
        refusal->is_memory = refusal->report.is_memory = true;
        return false;
    }
    if (is_by_device) {
        for (uint32_t d = 0; d < devices; d++) /* the weight part that is not given is half */
            list->v[d] = old->v[old->n == 1 ? 0 : d] / (*field != NULL ? 1 : 2);
        list->v[device] = cost;
    } else {
        costs_effective(scenario, param, list->v);
        for (uint32_t s = 0; s < stages; s++)
            here += scenario_device(scenario, s) == device;
        for (uint32_t s = 0; s < stages; s++)
            if (scenario_device(scenario, s) == device)
                list->v[s] = cost / here;
    }
    list_put(field, list);
    return true;
}

static bool put_chunks(struct scenario *scenario, uint32_t chunks, struct refusal *refusal)
{
    uint32_t fixed = scenario->schedule->fixed_chunks;
    struct text text;

    if (fixed == 0 || scenario->table != NULL)
        return edit_chunks(scenario, chunks, refusal);
    if (fixed == chunks)
        return true;
    fail(refusal, "");
    text_init(&text, refusal->report.text, sizeof refusal->report.text);
    text_addf(&text, "%s always has V=%u", scenario->schedule->name, fixed);
    return false;
}

static bool put_micro_batches(struct scenario *scenario, uint32_t count, struct refusal *refusal)
{
    if (scenario_clashes(scenario, PARAM_MICRO_BATCHES, count, &refusal->report))
        return false;
    scenario->micro_batches = count;
    return true;
}

static bool put_value(struct scenario *scenario, const struct sweep_range *range, double value,
                      struct refusal *refusal)
{
    enum param param = swept_info(range->swept)->param;

    switch (range->swept) {
    case SWEPT_MICRO_BATCHES:
        return put_micro_batches(scenario, (uint32_t)value, refusal);
    case SWEPT_STAGES:
        return edit_stages(scenario, (uint32_t)value, refusal);
    case SWEPT_CHUNKS:
        return put_chunks(scenario, (uint32_t)value, refusal);
    case SWEPT_TRANSFER:
        scenario->transfer = value;
        return true;
    default:
        break;
    }
    if (param == PARAM_WEIGHT && !scenario->schedule->splits) {
        struct text text;
        fail(refusal, "");
        text_init(&text, refusal->report.text, sizeof refusal->report.text);
        text_addf(&text, "%s does not split the backward: it has no weight cost",
                  scenario->schedule->name);
        return false;
    }
    return range->stage == PG_NONE ? edit_cost(scenario, param, PG_NONE, value, refusal)
                                   : put_share(scenario, param, range->stage, value, refusal);
}

/* ---- making ---- */

/* The scenario that values are put into: of the family, and with costs where these are swept. */
static bool make_base(struct scenario *base, const struct scenario *scenario,
                      const struct sweep_range *range, const struct pg_family *family,
                      struct refusal *refusal)
{
    bool is_cost = param_info(swept_info(range->swept)->param)->kind == PARAM_KIND_COSTS;

    scenario_copy(base, scenario);
    if (is_cost && base->layers != NULL && !edit_layers_to_costs(base, refusal))
        return false;
    return family == base->schedule || edit_schedule(base, family, refusal);
}

static const struct figures *find_old(const struct sweep *old, const struct pg_family *family,
                                      uint32_t value)
{
    for (uint32_t f = 0; old != NULL && f < old->family_count; f++)
        if (old->families[f] == family) {
            const struct figures *known = sweep_figures(old, value, f);
            return known == NULL || known->is_short ? NULL : known;
        }
    return NULL;
}

static void add_job(struct sweep *sweep, const struct scenario *base, uint32_t value,
                    const struct figures *known)
{
    struct scenario scenario;
    struct refusal refusal = {.param = PARAM_COUNT};

    memset(&scenario, 0, sizeof scenario);
    scenario_copy(&scenario, base);
    bool is_good = put_value(&scenario, &sweep->range, sweep->range.values[value], &refusal);
    if (known != NULL)
        batch_add_done(sweep->batch, &scenario, known);
    else if (!is_good)
        batch_add_impossible(sweep->batch, &scenario, refusal.report.text);
    else
        batch_add(sweep->batch, &scenario);
    if (known == NULL && !is_good)
        sweep->batch->jobs[sweep->batch->count - 1].figures.is_short = refusal.is_memory;
    scenario_free(&scenario);
}

static bool fill(struct sweep *sweep, const struct scenario *scenario, const struct sweep *old,
                 struct report *report)
{
    struct scenario bases[SWEEP_MOST_FAMILIES];
    struct refusal refusal = {.param = PARAM_COUNT};
    bool is_done = true;

    memset(bases, 0, sizeof bases);
    for (uint32_t f = 0; f < sweep->family_count && is_done; f++) {
        is_done = make_base(&bases[f], scenario, &sweep->range, sweep->families[f], &refusal);
        if (!is_done)
            *report = refusal.report;
    }
    for (uint32_t v = 0; v < sweep->range.count && is_done; v++)
        for (uint32_t f = 0; f < sweep->family_count; f++)
            add_job(sweep, &bases[f], v, find_old(old, sweep->families[f], v));
    for (uint32_t f = 0; f < sweep->family_count; f++)
        scenario_free(&bases[f]);
    return is_done;
}

static bool check_stage(const struct scenario *scenario, const struct sweep_range *range,
                        struct report *report)
{
    struct text text;

    if (range->stage == PG_NONE || range->stage < scenario->stages)
        return true;
    text_init(&text, report->text, sizeof report->text);
    text_addf(&text, "stage %u is not there: stages 0 to %u are", range->stage,
              scenario->stages - 1);
    return false;
}

struct sweep *sweep_make(const struct scenario *scenario, const struct sweep_range *range,
                         const struct pg_family *const *families, uint32_t family_count,
                         const struct sweep *old, struct report *report)
{
    struct text text;

    report->is_memory = false;
    if (!check_stage(scenario, range, report))
        return NULL;
    struct sweep *sweep = malloc(sizeof *sweep);
    if (sweep != NULL) {
        sweep->range = *range;
        sweep->family_count = family_count;
        for (uint32_t i = 0; i < family_count; i++)
            sweep->families[i] = families[i];
        sweep->batch = batch_make(range->count * family_count);
    }
    if (sweep == NULL || sweep->batch == NULL) {
        free(sweep);
        text_init(&text, report->text, sizeof report->text);
        text_add(&text, "there is not enough memory for that many runs");
        report->is_memory = true;
        return NULL;
    }
    if (!fill(sweep, scenario, old, report)) {
        sweep_free(sweep);
        return NULL;
    }
    return sweep;
}

void sweep_free(struct sweep *sweep)
{
    if (sweep == NULL)
        return;
    batch_release(&sweep->batch);
    free(sweep);
}

/* ---- looking ---- */

const struct figures *sweep_figures(const struct sweep *sweep, uint32_t value, uint32_t family)
{
    return batch_figures(sweep->batch, value * sweep->family_count + family);
}

const struct scenario *sweep_scenario(const struct sweep *sweep, uint32_t value, uint32_t family)
{
    return &sweep->batch->jobs[value * sweep->family_count + family].scenario;
}

bool sweep_measure(const struct sweep *sweep, enum measure measure, uint32_t value, uint32_t family,
                   double *out)
{
    const struct figures *figures = sweep_figures(sweep, value, family);

    if (figures == NULL || !figures->is_possible)
        return false;
    memcpy(out, (const char *)figures + measures[measure].offset, sizeof *out);
    return true;
}

/* ---- crossovers ---- */

/* Times are sums in different orders: what differs by less than this is equal. A share can be 0 but
 * for rounding; what has a unit can be of any size. */
static int compare(enum measure measure, double a, double b)
{
    double nothing = 1e-9 * fmax(fabs(a), fabs(b)) + (measures[measure].is_share ? 1e-12 : 0);
    return fabs(a - b) <= nothing ? 0 : a < b ? -1 : 1;
}

struct crossings {
    struct crossing *out;
    uint32_t room, count;
};

/* Into its place by value, behind those of the same value. */
static void put_crossing(struct crossings *all, struct crossing crossing)
{
    uint32_t at = all->count < all->room ? all->count : all->room;

    all->count++;
    while (at > 0 && all->out[at - 1].value > crossing.value) {
        if (at < all->room)
            all->out[at] = all->out[at - 1];
        at--;
    }
    if (at < all->room)
        all->out[at] = crossing;
}

static void cross_pair(const struct sweep *sweep, enum measure measure, uint32_t a, uint32_t b,
                       struct crossings *all)
{
    int last = 0;                     /* who was better when they last differed: -1 a, 1 b */
    uint32_t equal_since = PG_NONE;   /* first of the values that end with this one, all equal */
    double one, other;

    for (uint32_t v = 0; v < sweep->range.count; v++) {
        if (!sweep_measure(sweep, measure, v, a, &one) ||
            !sweep_measure(sweep, measure, v, b, &other))
            continue;
        int now = compare(measure, one, other) * (measures[measure].is_more_better ? -1 : 1);
        if (now == 0) {
            equal_since = equal_since == PG_NONE ? v : equal_since;
            continue;
        }
        if (now != last && (last != 0 || equal_since != PG_NONE))
            put_crossing(all, (struct crossing){last == 0 ? CROSSING_PART : CROSSING_CROSS, v,
                                                now < 0 ? a : b, now < 0 ? b : a});
        last = now;
        equal_since = PG_NONE;
    }
    if (last != 0 && equal_since != PG_NONE)
        put_crossing(all, (struct crossing){CROSSING_MEET, equal_since, last < 0 ? a : b,
                                            last < 0 ? b : a});
}

uint32_t sweep_crossings(const struct sweep *sweep, enum measure measure, struct crossing *out,
                         uint32_t room)
{
    struct crossings all = {out, room, 0};

    for (uint32_t a = 0; a < sweep->family_count; a++)
        for (uint32_t b = a + 1; b < sweep->family_count; b++)
            cross_pair(sweep, measure, a, b, &all);
    return all.count;
}

/* ---- words ---- */

void sweep_value_write(const struct sweep *sweep, uint32_t value, struct text *out)
{
    const struct sweep_range *range = &sweep->range;

    text_add(out, swept_info(range->swept)->symbol);
    if (range->stage != PG_NONE)
        text_addf(out, " of stage %u", range->stage);
    text_add(out, "=");
    text_number(out, range->values[value]);
}

void crossing_write(const struct sweep *sweep, enum measure measure, const struct crossing *crossing,
                    struct text *out)
{
    const char *better = sweep->families[crossing->better]->name;
    const char *worse = sweep->families[crossing->worse]->name;

    if (crossing->kind == CROSSING_MEET)
        text_addf(out, "%s equal to %s from ", worse, better);
    else
        text_addf(out, "%s %s %s from ", better,
                  measures[measure].is_more_better ? "above" : "below", worse);
    sweep_value_write(sweep, crossing->value, out);
    text_add(out, crossing->kind == CROSSING_PART ? ", equal before"
                  : crossing->kind == CROSSING_MEET ? " on" : "");
}

void measure_write(enum measure measure, double number, struct text *out)
{
    if (!measures[measure].is_share || !isfinite(number)) {
        text_brief(out, number);
    } else if (number >= 0.01) {
        text_percent(out, number);
    } else { /* two digits of what is small: curves come close to 0 */
        double unit = number > 1e-12 ? pow(10, floor(log10(number * 100)) - 1) : 1;
        text_brief(out, floor(number * 100 / unit + 0.5) * unit);
        text_add(out, "%");
    }
}
