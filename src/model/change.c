/* Every change of the scenario that a command can make: steps of counts, families, parameters by
 * name. Those of costs are in change_costs.c.
 *
 * A change copies the state, edits the copy's scenario, and hands it to take_up, which runs the
 * core and either shows the new state or leaves the old one with the reason. */
#include "model/change.h"

#include <string.h>

bool change_fail(struct session *session, struct state *next, const struct refusal *refusal)
{
    refuse(session, refusal->report.text);
    state_free(next);
    return false;
}

/* ---- counts ---- */

static uint32_t *count_field(struct scenario *scenario, enum param param)
{
    return param == PARAM_STAGES   ? &scenario->stages
           : param == PARAM_CHUNKS ? &scenario->chunks
                                   : &scenario->micro_batches;
}

static const char *count_letter(enum param param)
{
    return param == PARAM_STAGES ? "P" : param == PARAM_CHUNKS ? "V" : "M";
}

/* A table has its P, M and V once for all. */
static bool refuse_fixed(struct session *session, enum param param)
{
    struct scenario scenario = session->now.scenario; /* borrowed */
    struct text text;
    char line[MESSAGE_SIZE];

    if (scenario.table == NULL)
        return false;
    text_init(&text, line, sizeof line);
    text_addf(&text, "the table fixes %s=%u; s and S leave it for a family",
              count_letter(param), *count_field(&scenario, param));
    refuse(session, line);
    return true;
}

static bool edit_count(struct scenario *scenario, enum param param, uint32_t value,
                       struct refusal *refusal)
{
    if (param == PARAM_STAGES)
        return edit_stages(scenario, value, refusal);
    if (param == PARAM_CHUNKS)
        return edit_chunks(scenario, value, refusal);
    scenario->micro_batches = value;
    return true;
}

/* Out of bounds is said before a list of that length is made. */
static bool is_allowed(struct session *session, enum param param, uint32_t value)
{
    struct scenario scratch;
    struct report report;
    struct text text;
    char number[16];

    if (param_allows(param, value))
        return true;
    memset(&scratch, 0, sizeof scratch);
    scenario_copy(&scratch, &session->now.scenario);
    text_init(&text, number, sizeof number);
    text_addf(&text, "%u", value);
    if (!scenario_set(&scratch, param, number, &report))
        refuse(session, report.text);
    scenario_free(&scratch);
    return false;
}

static bool set_count(struct session *session, enum param param, uint32_t value, bool is_skipping)
{
    struct state next;
    struct refusal refusal;
    struct text text;
    char what[MESSAGE_SIZE];
    uint32_t old = *count_field(&session->now.scenario, param);

    if ((value != old && refuse_fixed(session, param)) || !is_allowed(session, param, value))
        return false;
    bool had_counts = session->now.scenario.split == SPLIT_GIVEN;

    state_copy(&next, &session->now);
    if (!edit_count(&next.scenario, param, value, &refusal))
        return change_fail(session, &next, &refusal);
    text_init(&text, what, sizeof what);
    text_addf(&text, "%s %u→%u", count_letter(param), old, value);
    if (is_skipping) {
        text_add(&text, " (");
        rule_write(&next.scenario, false, &text);
        text_add(&text, ")");
    }
    if (had_counts && next.scenario.split != SPLIT_GIVEN)
        text_add(&text, " (the given split fits no more: balanced)");
    return take_up(session, &next, what);
}

static void say_bound(struct session *session, enum param param, bool is_more)
{
    const struct param_info *info = param_info(param);
    struct text text;
    char line[160];

    text_init(&text, line, sizeof line);
    text_addf(&text, "%s is %u: the %s there can be", count_letter(param),
              *count_field(&session->now.scenario, param), is_more ? "most" : "least");
    if (is_more && *count_field(&session->now.scenario, param) < info->most)
        text_addf(&text, " that %s allows", session->now.scenario.schedule->name);
    refuse(session, line);
}

/* To the next value that the family can do. */
static void step_count(struct session *session, enum param param, bool is_more)
{
    const struct param_info *info = param_info(param);
    struct scenario probe = session->now.scenario; /* borrowed: only numbers are changed */
    uint32_t *value = count_field(&probe, param);
    uint32_t old = *value;

    if (refuse_fixed(session, param))
        return;
    if (param == PARAM_CHUNKS && probe.schedule->fixed_chunks != 0) {
        struct text text;
        char line[160];
        text_init(&text, line, sizeof line);
        text_addf(&text, "%s always has V=%u: V is remembered for families with chunks",
                  probe.schedule->title, probe.schedule->fixed_chunks);
        refuse(session, line);
        return;
    }
    if (session->count > 0) {
        set_count(session, param, session->count, false);
        return;
    }
    do {
        if (is_more ? *value >= (uint32_t)info->most : *value <= (uint32_t)info->least) {
            say_bound(session, param, is_more);
            return;
        }
        *value += is_more ? 1 : UINT32_MAX;
    } while (!counts_legal(&probe));
    set_count(session, param, *value, *value != (is_more ? old + 1 : old - 1));
}

/* ---- schedule ---- */

static bool set_schedule(struct session *session, const struct pg_family *family,
                         const char *skipped)
{
    struct state next;
    struct refusal refusal;
    struct text text;
    char what[MESSAGE_SIZE];

    state_copy(&next, &session->now);
    if (!edit_schedule(&next.scenario, family, &refusal))
        return change_fail(session, &next, &refusal);
    text_init(&text, what, sizeof what);
    scenario_write_schedule(&session->now.scenario, &text);
    text_addf(&text, "→%s%s", family->title, skipped);
    return take_up(session, &next, what);
}

/* Only what the table changes is said of its counts. */
static void write_counts(const struct scenario *before, const struct scenario *after,
                         struct text *text)
{
    const uint32_t counts[][2] = {{before->stages, after->stages},
                                  {before->micro_batches, after->micro_batches},
                                  {scenario_chunks(before), scenario_chunks(after)}};
    const char *between = " (";

    for (int i = 0; i < 3; i++) {
        if (counts[i][0] == counts[i][1])
            continue;
        text_addf(text, "%s%c %u→%u", between, "PMV"[i], counts[i][0], counts[i][1]);
        between = ", ";
    }
    text_add(text, between[0] == ',' ? ")" : "");
}

void session_take_table(struct session *session, struct table *table)
{
    struct state next;
    struct refusal refusal;
    struct text text;
    char what[MESSAGE_SIZE];

    state_copy(&next, &session->now);
    text_init(&text, what, sizeof what / 2);
    if (!edit_table(&next.scenario, table, &refusal)) {
        change_fail(session, &next, &refusal);
        return;
    }
    scenario_write_schedule(&session->now.scenario, &text);
    if (session->now.scenario.table != table)
        text_addf(&text, "→%s", table_name(table));
    write_counts(&session->now.scenario, &next.scenario, &text);
    text_add(&text, table->is_old_naming ? " (old names: B read as I, BW as B)" : "");
    take_up(session, &next, what);
}

void change_to_family(struct session *session, const struct pg_family *family)
{
    set_schedule(session, family, "");
}

static void step_schedule(struct session *session, bool is_next)
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    struct scenario probe = session->now.scenario; /* borrowed */
    /* A table stands before the first and behind the last one. */
    bool is_table = probe.table != NULL;
    uint32_t at = !is_table ? (uint32_t)(probe.schedule - families) : is_next ? count - 1 : 0;
    uint32_t others = is_table ? count : count - 1;
    struct text text;
    char skipped[400];

    text_init(&text, skipped, sizeof skipped);
    for (uint32_t i = 1; i <= others; i++) {
        uint32_t steps = is_next ? i : count - i;
        probe.schedule = &families[(at + steps) % count];
        if (counts_legal(&probe)) {
            if (text.length > 0)
                text_add(&text, " cannot do this)");
            set_schedule(session, probe.schedule, skipped);
            return;
        }
        text_addf(&text, "%s%s", text.length == 0 ? " (" : ", ", probe.schedule->name);
    }
    refuse(session, "no other family can do these P, M and V");
}

/* ---- parameters by name ---- */

/* Parses into a scratch scenario first, then goes the way the keys go. */
static bool set_by_name(struct session *session, struct scenario *wanted, enum param param,
                        const char *value, const char *what)
{
    struct state next;
    struct refusal refusal = {.param = param};
    bool is_cost = param == PARAM_FORWARD || param == PARAM_BACKWARD;

    switch (param) {
    case PARAM_STAGES:
    case PARAM_MICRO_BATCHES:
    case PARAM_CHUNKS:
        return set_count(session, param, *count_field(wanted, param), false);
    case PARAM_SCHEDULE:
        return set_schedule(session, wanted->schedule, "");
    case PARAM_TRANSFER:
        return change_transfer(session, wanted->transfer);
    default:
        break;
    }
    if (is_cost && change_asks_layers(session))
        return false;
    if ((param == PARAM_SPLIT || param == PARAM_RATIO) && wanted->layers == NULL &&
        !param_is_default_word(param, value)) {
        refuse(session, "there are no layers: give :layers first");
        return false;
    }
    state_copy(&next, &session->now);
    if (!scenario_set(&next.scenario, param, value, &refusal.report))
        return change_fail(session, &next, &refusal);
    /* The costs that layers replace are gone, as they would be from a saved file. */
    bool is_replaced = param == PARAM_LAYERS && (session->now.scenario.layers != NULL ||
                                                 next.scenario.layers != NULL);
    for (enum param p = PARAM_FORWARD; is_replaced && p <= PARAM_BACKWARD; p++)
        if (!scenario_set(&next.scenario, p, param_info(p)->fallback, &refusal.report))
            return change_fail(session, &next, &refusal);
    if (param == PARAM_LAYERS && next.scenario.split == SPLIT_GIVEN) {
        next.scenario.split = SPLIT_BALANCED;
        list_release(&next.scenario.counts);
    }
    return take_up(session, &next, what);
}

void change_param(struct session *session, enum param param, const char *value)
{
    struct scenario wanted;
    struct report report;
    struct text text;
    char what[MESSAGE_SIZE];

    const char *file = param == PARAM_SCHEDULE ? table_named(value) : NULL;
    if (file != NULL) {
        if (file[0] != '\0')
            ask_request(session, REQUEST_TABLE, file);
        else
            refuse(session, "the name of a table is needed, such as file:steps.csv");
        return;
    }
    memset(&wanted, 0, sizeof wanted);
    scenario_copy(&wanted, &session->now.scenario);
    if (!scenario_set(&wanted, param, value, &report)) {
        refuse(session, report.text);
    } else {
        text_init(&text, what, 120);
        const char *name = param == PARAM_LAYERS ? "layers" : param_info(param)->key;
        if (*value == '\0')
            text_addf(&text, "no %s", name);
        else
            text_addf(&text, "%s = %s", name, value);
        if (param_is_default_word(param, value))
            text_addf(&text, " (%s)", param_default(param));
        set_by_name(session, &wanted, param, value, what);
    }
    scenario_free(&wanted);
}

void change_apply(struct session *session, enum command command)
{
    switch (command) {
    case COMMAND_STAGES_LESS:
    case COMMAND_STAGES_MORE:
        step_count(session, PARAM_STAGES, command == COMMAND_STAGES_MORE);
        break;
    case COMMAND_MICRO_LESS:
    case COMMAND_MICRO_MORE:
        step_count(session, PARAM_MICRO_BATCHES, command == COMMAND_MICRO_MORE);
        break;
    case COMMAND_CHUNKS_LESS:
    case COMMAND_CHUNKS_MORE:
        step_count(session, PARAM_CHUNKS, command == COMMAND_CHUNKS_MORE);
        break;
    case COMMAND_SCHEDULE_PREVIOUS:
    case COMMAND_SCHEDULE_NEXT:
        step_schedule(session, command == COMMAND_SCHEDULE_NEXT);
        break;
    case COMMAND_HOLD:
        change_hold(session);
        break;
    case COMMAND_FORWARD_LESS:
    case COMMAND_FORWARD_MORE:
        change_cost(session, PARAM_FORWARD, command == COMMAND_FORWARD_MORE ? 1 : -1);
        break;
    case COMMAND_BACKWARD_LESS:
    case COMMAND_BACKWARD_MORE:
        change_cost(session, PARAM_BACKWARD, command == COMMAND_BACKWARD_MORE ? 1 : -1);
        break;
    case COMMAND_WEIGHT_LESS:
    case COMMAND_WEIGHT_MORE:
        change_cost(session, PARAM_WEIGHT, command == COMMAND_WEIGHT_MORE ? 1 : -1);
        break;
    case COMMAND_TRANSFER_LESS:
    case COMMAND_TRANSFER_MORE:
        change_transfer_step(session, command == COMMAND_TRANSFER_MORE);
        break;
    default:
        change_costs_ask(session);
    }
}
