/* Every change of the scenario that a command can make: steps, exact values, typed costs.
 *
 * A change copies the state, edits the copy's scenario, and hands it to take_up, which runs the
 * core and either shows the new state or leaves the old one with the reason. */
#include "model/state.h"

#include <math.h>
#include <string.h>

/* A number before a cost key repeats it; more than this is further than the ladder goes. */
#define MOST_STEPS 30000

/* ---- what cost keys act on ---- */

uint32_t edited_stage(const struct session *session)
{
    const struct selection *item = &session->now.selection;
    const struct pg_plan *plan = session_plan(session);
    struct pg_op op;

    if (item->is_all)
        return PG_NONE;
    uint32_t last = plan->run[item->device].count - 1;
    pg_op_at(plan, item->device, item->index < last ? item->index : last, &op);
    return op.stage;
}

static bool fail(struct session *session, struct state *next, const struct refusal *refusal)
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
              param == PARAM_STAGES ? "P" : param == PARAM_CHUNKS ? "V" : "M",
              *count_field(&scenario, param));
    refuse(session, line);
    return true;
}

static const char *count_letter(enum param param)
{
    return param == PARAM_STAGES ? "P" : param == PARAM_CHUNKS ? "V" : "M";
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
        return fail(session, &next, &refusal);
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
        return fail(session, &next, &refusal);
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
        fail(session, &next, &refusal);
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

/* ---- costs ---- */

static void write_stage(struct text *text, uint32_t stage)
{
    if (stage == PG_NONE)
        text_add(text, "all");
    else
        text_addf(text, "stage %u", stage);
}

/* One value standing for a list in a message: that of the stage, or of all when they are alike. */
static bool one_cost(const struct scenario *scenario, enum param param, uint32_t stage, double *cost)
{
    uint32_t stages = scenario_stages(scenario);
    bool is_one = true;

    *cost = cost_effective(scenario, param, stage == PG_NONE ? 0 : stage);
    for (uint32_t s = 1; s < stages && stage == PG_NONE && is_one; s++)
        is_one = cost_effective(scenario, param, s) == *cost;
    return is_one;
}

static const char *cost_letter(enum param param)
{
    return param == PARAM_FORWARD ? "F" : param == PARAM_BACKWARD ? "B" : "W";
}

static void write_cost_change(struct session *session, const struct scenario *next,
                              enum param param, uint32_t stage, struct text *text)
{
    double before, after;

    if (one_cost(&session->now.scenario, param, stage, &before) &&
        one_cost(next, param, stage, &after)) {
        text_addf(text, "%s ", cost_letter(param));
        text_brief(text, before);
        text_add(text, "→");
        text_brief(text, after);
    } else {
        text_addf(text, "%s of each", cost_letter(param));
    }
}

static bool ask_about_layers(struct session *session)
{
    if (session->now.scenario.layers == NULL)
        return false;
    session->mode = MODE_CONFIRM;
    session->confirm = CONFIRM_LAYERS;
    say(session, "Costs come from layers. Turn them into costs per stage?  y turns, n keeps layers");
    return true;
}

static void step_cost(struct session *session, enum param param, int sign)
{
    struct state next;
    struct refusal refusal;
    struct text text;
    char what[MESSAGE_SIZE];
    uint32_t stage = edited_stage(session);
    int steps = session->count == 0 ? 1 : session->count < MOST_STEPS ? (int)session->count : MOST_STEPS;

    if (param == PARAM_WEIGHT && !session->now.scenario.schedule->splits) {
        text_init(&text, what, sizeof what);
        text_addf(&text, "%s does not split the backward: it has no weight cost",
                  session->now.scenario.schedule->title);
        refuse(session, what);
        return;
    }
    if (ask_about_layers(session))
        return;
    state_copy(&next, &session->now);
    if (!edit_cost_step(&next.scenario, param, stage, sign * steps, &refusal)) {
        fail(session, &next, &refusal);
        return;
    }
    text_init(&text, what, sizeof what);
    write_stage(&text, stage);
    text_add(&text, ": ");
    write_cost_change(session, &next.scenario, param, stage, &text);
    take_up(session, &next, what);
}

static double least_cost(const struct outcome *outcome)
{
    double least = INFINITY;

    for (uint32_t s = 0; s < outcome->resolved.stages; s++)
        least = fmin(least, fmin(outcome->resolved.forward[s], outcome->resolved.backward[s]));
    return least;
}

static bool set_transfer(struct session *session, double transfer)
{
    struct state next;
    struct text text;
    char what[MESSAGE_SIZE];

    text_init(&text, what, sizeof what);
    text_add(&text, "transfer ");
    text_brief(&text, session->now.scenario.transfer);
    text_add(&text, "→");
    text_brief(&text, transfer);
    state_copy(&next, &session->now);
    next.scenario.transfer = transfer;
    return take_up(session, &next, what);
}

/* The ladder has no 0: between 0 and it lies the value at or below a tenth of the least cost. */
static void step_transfer(struct session *session, bool is_more)
{
    /* A tenth of 0.7 is a little less than 0.07. */
    double first = ladder_floor(least_cost(session_outcome(session)) / 10 * (1 + 1e-12));
    double transfer = session->now.scenario.transfer;
    uint32_t steps = session->count == 0 ? 1 : session->count < MOST_STEPS ? session->count : MOST_STEPS;

    if (!is_more && transfer == 0) {
        refuse(session, "transfer is 0: the least there can be");
        return;
    }
    for (; steps > 0; steps--) {
        if (is_more)
            transfer = transfer == 0 ? first : ladder_step(transfer, 1);
        else
            transfer = transfer <= first ? 0 : fmax(first, ladder_step(transfer, -1));
    }
    set_transfer(session, transfer);
}

static void toggle_hold(struct session *session)
{
    struct state next;
    bool was_stage = session->now.scenario.hold == HOLD_STAGE;

    state_copy(&next, &session->now);
    next.scenario.hold = was_stage ? HOLD_MODEL : HOLD_STAGE;
    take_up(session, &next, was_stage ? "hold stage→model (a change of P keeps the total cost)"
                                      : "hold model→stage (a change of P keeps costs per stage)");
}

/* Forward, backward, and the weight gradient where the family has one. */
static int cost_count(const struct session *session)
{
    return session->now.scenario.schedule->splits ? 3 : 2;
}

static void type_costs(struct session *session)
{
    uint32_t stage = edited_stage(session);
    struct text label, text;
    char label_buffer[80], buffer[3 * TEXT_NUMBER_SIZE];
    static const enum param params[] = {PARAM_FORWARD, PARAM_BACKWARD, PARAM_WEIGHT};

    if (ask_about_layers(session))
        return;
    text_init(&label, label_buffer, sizeof label_buffer);
    text_addf(&label, "forward%s of ", cost_count(session) == 3 ? ", backward, weight"
                                                                : " and backward");
    write_stage(&label, stage);
    text_add(&label, ": ");
    text_init(&text, buffer, sizeof buffer);
    for (int i = 0; i < cost_count(session); i++) {
        double cost;
        one_cost(&session->now.scenario, params[i], stage, &cost);
        if (i > 0)
            text_add(&text, " ");
        text_number(&text, cost);
    }
    prompt_open(session, PROMPT_COSTS, label_buffer, buffer);
}

static bool parse_costs(const char *value, double *costs, int count)
{
    char copy[LINE_SIZE];
    struct text text;
    int given = 0;

    text_init(&text, copy, sizeof copy);
    text_add(&text, value);
    for (char *word = strtok(copy, " ,/\t"); word != NULL; word = strtok(NULL, " ,/\t")) {
        if (given == count || !number_parse(word, &costs[given]) ||
            !param_allows(PARAM_FORWARD, costs[given]))
            return false;
        given++;
    }
    return given == count;
}

void change_costs_typed(struct session *session, const char *value)
{
    static const enum param params[] = {PARAM_FORWARD, PARAM_BACKWARD, PARAM_WEIGHT};
    struct state next;
    struct refusal refusal;
    struct text text;
    char what[MESSAGE_SIZE];
    double costs[3];
    int count = cost_count(session);
    uint32_t stage = edited_stage(session);

    if (!parse_costs(value, costs, count)) {
        refuse(session, count == 2
                            ? "two numbers more than 0 are needed: forward and backward, such as 1 2"
                            : "three numbers more than 0 are needed: forward, backward and its "
                              "weight part, such as 1 2 1");
        return;
    }
    state_copy(&next, &session->now);
    text_init(&text, what, sizeof what);
    write_stage(&text, stage);
    for (int i = 0; i < count; i++) {
        if (!edit_cost(&next.scenario, params[i], stage, costs[i], &refusal)) {
            fail(session, &next, &refusal);
            return;
        }
        text_add(&text, i == 0 ? ": " : ", ");
        write_cost_change(session, &next.scenario, params[i], stage, &text);
    }
    take_up(session, &next, what);
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
        return set_transfer(session, wanted->transfer);
    default:
        break;
    }
    if (is_cost && ask_about_layers(session))
        return false;
    if ((param == PARAM_SPLIT || param == PARAM_RATIO) && wanted->layers == NULL) {
        refuse(session, "there are no layers: give :layers first");
        return false;
    }
    state_copy(&next, &session->now);
    if (!scenario_set(&next.scenario, param, value, &refusal.report))
        return fail(session, &next, &refusal);
    /* The costs that layers replace are gone, as they would be from a saved file. */
    for (enum param p = PARAM_FORWARD; param == PARAM_LAYERS && p <= PARAM_BACKWARD; p++)
        if (!scenario_set(&next.scenario, p, param_info(p)->fallback, &refusal.report))
            return fail(session, &next, &refusal);
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
        text_addf(&text, "%s = %s", param_info(param)->key, value);
        if (param == PARAM_LAYERS) {
            text_init(&text, what, 120);
            text_addf(&text, "layers = %s", value);
        }
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
        toggle_hold(session);
        break;
    case COMMAND_FORWARD_LESS:
    case COMMAND_FORWARD_MORE:
        step_cost(session, PARAM_FORWARD, command == COMMAND_FORWARD_MORE ? 1 : -1);
        break;
    case COMMAND_BACKWARD_LESS:
    case COMMAND_BACKWARD_MORE:
        step_cost(session, PARAM_BACKWARD, command == COMMAND_BACKWARD_MORE ? 1 : -1);
        break;
    case COMMAND_WEIGHT_LESS:
    case COMMAND_WEIGHT_MORE:
        step_cost(session, PARAM_WEIGHT, command == COMMAND_WEIGHT_MORE ? 1 : -1);
        break;
    case COMMAND_TRANSFER_LESS:
    case COMMAND_TRANSFER_MORE:
        step_transfer(session, command == COMMAND_TRANSFER_MORE);
        break;
    default:
        type_costs(session);
    }
}
