/* The scenario as a value: its parameters' table, and how its shared parts are copied, compared and
 * freed. See scenario.h; scenario_text.c has the way to and from text. */
#include "model/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ABOVE(x) (x), true
#define PARAM_LEAST(...) PARAM_LEAST_(__VA_ARGS__, false, )
#define PARAM_LEAST_(x, excluded, ...) .least = (x), .is_least_excluded = (excluded)

static const struct param_info infos[PARAM_COUNT] = {
#define PARAM(id, kind_, section_, key_, letter_, option_, metavar_, least_, most_, fallback_,         \
              absent_, help_)                                                                      \
    [PARAM_##id] = {.kind = PARAM_KIND_##kind_,                                                    \
                    .section = section_,                                                           \
                    .key = key_,                                                                   \
                    .letter = letter_,                                                             \
                    .option = option_,                                                             \
                    .metavar = metavar_,                                                           \
                    PARAM_LEAST(least_),                                                           \
                    .most = most_,                                                                 \
                    .fallback = fallback_,                                                         \
                    .absent = absent_,                                                             \
                    .help = help_},
#include "model/scenario.def"
#undef PARAM
};

const struct param_info *param_info(enum param param)
{
    return &infos[param];
}

bool param_is_default_word(enum param param, const char *value)
{
    return infos[param].kind != PARAM_KIND_TEXT && strcmp(value, PARAM_DEFAULT) == 0;
}

const char *param_default(enum param param)
{
    return infos[param].fallback[0] != '\0' ? infos[param].fallback : infos[param].absent;
}

enum param param_find(const char *name)
{
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        const struct param_info *info = &infos[p];
        bool is_letter = name[0] != '\0' && name[1] == '\0' && info->letter == name[0];
        bool is_option = info->option[0] != '\0' && strcmp(info->option, name) == 0;
        if (is_letter || is_option || (strcmp(info->key, name) == 0 && p != PARAM_LAYERS))
            return p;
    }
    return PARAM_COUNT;
}

/* ---- shared values ---- */

struct list *list_make(uint32_t n)
{
    struct list *list = malloc(sizeof *list + n * sizeof list->v[0]);
    if (list != NULL) {
        list->refs = 1;
        list->n = n;
    }
    return list;
}

void list_release(struct list **list)
{
    if (*list != NULL && --(*list)->refs == 0)
        free(*list);
    *list = NULL;
}

void list_put(struct list **field, struct list *list)
{
    list_release(field);
    *field = list;
}

static struct list *list_share(struct list *list)
{
    if (list != NULL)
        list->refs++;
    return list;
}

bool list_equal(const struct list *a, const struct list *b)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL || a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!(a->v[i] == b->v[i] || (isnan(a->v[i]) && isnan(b->v[i]))))
            return false;
    return true;
}

uint32_t layer_count(const struct scenario *scenario)
{
    return scenario->layers == NULL ? 0 : scenario->layers->n / 2;
}

const char *string_text(const struct string *string)
{
    return string == NULL ? "" : string->s;
}

void string_release(struct string **string)
{
    if (*string != NULL && --(*string)->refs == 0)
        free(*string);
    *string = NULL;
}

static struct string *string_share(struct string *string)
{
    if (string != NULL)
        string->refs++;
    return string;
}

bool scenario_init(struct scenario *scenario)
{
    struct list *forward = list_make(1), *backward = list_make(1);

    *scenario = (struct scenario){
        .schedule = pg_family_find(infos[PARAM_SCHEDULE].fallback),
        .stages = 4,
        .micro_batches = 8,
        .chunks = 1,
        .forward = forward,
        .backward = backward,
        .fused = 1,
        .backward_ratio = 2,
    };
    if (forward == NULL || backward == NULL) {
        scenario_free(scenario);
        return false;
    }
    forward->v[0] = 1;
    backward->v[0] = 2;
    return true;
}

void scenario_free(struct scenario *scenario)
{
    string_release(&scenario->title);
    string_release(&scenario->notes);
    string_release(&scenario->time);
    list_release(&scenario->forward);
    list_release(&scenario->backward);
    list_release(&scenario->weight);
    list_release(&scenario->activation);
    list_release(&scenario->weight_activation);
    list_release(&scenario->layers);
    list_release(&scenario->counts);
    table_release(&scenario->table);
}

void scenario_drop_layers(struct scenario *scenario)
{
    list_release(&scenario->layers);
    list_release(&scenario->counts);
    scenario->split = SPLIT_BALANCED;
    scenario->backward_ratio = 2;
}

void scenario_unset(struct scenario *scenario, enum param param)
{
    if (scenario_costs(scenario, param) != NULL)
        list_release(scenario_costs(scenario, param));
    else if (param == PARAM_LAYERS)
        scenario_drop_layers(scenario);
    else if (param == PARAM_GROUP)
        scenario->group = 0;
    else if (param == PARAM_MEMORY_LIMIT)
        scenario->memory_limit = 0;
}

void scenario_set_table(struct scenario *scenario, struct table *table)
{
    table_release(&scenario->table);
    scenario->table = table;
    if (table == NULL)
        return;
    struct pg_problem problem = {.family = pg_table_family(&table->core), .table = &table->core};
    scenario->schedule = problem.family;
    scenario->stages = table->core.devices;
    scenario->micro_batches = table->core.micro_batches;
    scenario->chunks = pg_problem_chunks(&problem);
}

void scenario_write_schedule(const struct scenario *scenario, struct text *out)
{
    text_add(out, scenario->schedule->title);
    if (scenario->table == NULL)
        return;
    text_add(out, " ");
    text_printable(out, table_name(scenario->table));
}

bool scenario_is_fixed(const struct scenario *scenario, enum param param)
{
    return scenario->table != NULL && (param == PARAM_STAGES || param == PARAM_MICRO_BATCHES ||
                                       param == PARAM_CHUNKS);
}

bool scenario_clashes(const struct scenario *scenario, enum param param, uint32_t value,
                      struct report *report)
{
    const struct table *table = scenario->table;
    struct text text;

    uint32_t fixed = param == PARAM_STAGES          ? scenario->stages
                     : param == PARAM_MICRO_BATCHES ? scenario->micro_batches
                     : param == PARAM_CHUNKS        ? scenario->chunks
                                                    : value;
    if (table == NULL || fixed == value)
        return false;
    report->is_memory = false;
    text_init(&text, report->text, sizeof report->text);
    text_addf(&text, "%s is %u: the table %s fixes %s=%u", infos[param].key, value,
              table_name(table),
              param == PARAM_STAGES ? "P" : param == PARAM_CHUNKS ? "V" : "M", fixed);
    return true;
}

void scenario_copy(struct scenario *to, const struct scenario *from)
{
    struct scenario copy = *from;

    string_share(copy.title);
    string_share(copy.notes);
    string_share(copy.time);
    list_share(copy.forward);
    list_share(copy.backward);
    list_share(copy.weight);
    list_share(copy.activation);
    list_share(copy.weight_activation);
    list_share(copy.layers);
    list_share(copy.counts);
    table_share(copy.table);
    scenario_free(to);
    *to = copy;
}

/* The same costs: one value for all is a list of as many as there are devices. */
static bool costs_equal(const struct list *a, const struct list *b, uint32_t devices)
{
    if (a != NULL && b != NULL && a->n == 1 && b->n == devices) {
        for (uint32_t i = 0; i < devices; i++)
            if (b->v[i] != a->v[0])
                return false;
        return true;
    }
    return a != NULL && b != NULL && b->n == 1 && a->n == devices ? costs_equal(b, a, devices)
                                                                  : list_equal(a, b);
}

bool scenario_equal(const struct scenario *a, const struct scenario *b)
{
    bool has_layers = a->layers != NULL && b->layers != NULL; /* costs per stage are then no one's */

    return strcmp(string_text(a->title), string_text(b->title)) == 0 &&
           strcmp(string_text(a->notes), string_text(b->notes)) == 0 &&
           strcmp(string_text(a->time), string_text(b->time)) == 0 && a->schedule == b->schedule &&
           table_equal(a->table, b->table) &&
           a->stages == b->stages && a->micro_batches == b->micro_batches &&
           a->chunks == b->chunks && a->transfer == b->transfer && a->hold == b->hold &&
           a->group == b->group && a->fused == b->fused && a->memory_limit == b->memory_limit &&
           (has_layers || (costs_equal(a->forward, b->forward, a->stages) &&
                           costs_equal(a->backward, b->backward, a->stages))) &&
           costs_equal(a->weight, b->weight, a->stages) &&
           costs_equal(a->activation, b->activation, a->stages) &&
           costs_equal(a->weight_activation, b->weight_activation, a->stages) &&
           list_equal(a->layers, b->layers) && a->split == b->split &&
           list_equal(a->counts, b->counts) && a->backward_ratio == b->backward_ratio;
}
