/* Changes of costs: steps up and down the ladder of round numbers, and costs that were typed.
 *
 * They act on one stage, that of the selection, or on all; where costs come from layers they ask
 * first, for a cost of a stage would end that. */
#include "model/change.h"

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

/* ---- steps ---- */

static void write_stage(struct text *text, uint32_t stage)
{
    if (stage == PG_NONE)
        text_add(text, "all");
    else
        text_addf(text, "stage %u", stage);
}

/* One value standing for a list in a message: that of the stage, or of all when they are alike. */
static bool one_cost(const struct scenario *scenario, enum param param, uint32_t stage,
                     double *cost)
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

bool change_asks_layers(struct session *session)
{
    if (session->now.scenario.layers == NULL)
        return false;
    session->mode = MODE_CONFIRM;
    session->confirm = CONFIRM_LAYERS;
    say(session, "Costs come from layers. Turn them into costs per stage?  y turns, n keeps "
                 "layers");
    return true;
}

static uint32_t step_count(const struct session *session)
{
    if (session->count == 0)
        return 1;
    return session->count < MOST_STEPS ? session->count : MOST_STEPS;
}

void change_cost(struct session *session, enum param param, int sign)
{
    struct state next;
    struct refusal refusal;
    struct text text;
    char what[MESSAGE_SIZE];
    uint32_t stage = edited_stage(session);
    int steps = (int)step_count(session);

    if (param == PARAM_WEIGHT && !session->now.scenario.schedule->splits) {
        text_init(&text, what, sizeof what);
        text_addf(&text, "%s does not split the backward: it has no weight cost",
                  session->now.scenario.schedule->title);
        refuse(session, what);
        return;
    }
    if (change_asks_layers(session))
        return;
    state_copy(&next, &session->now);
    if (!edit_cost_step(&next.scenario, param, stage, sign * steps, &refusal)) {
        change_fail(session, &next, &refusal);
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

bool change_transfer(struct session *session, double transfer)
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
void change_transfer_step(struct session *session, bool is_more)
{
    /* A tenth of 0.7 is a little less than 0.07. */
    double first = ladder_floor(least_cost(session_outcome(session)) / 10 * (1 + 1e-12));
    double transfer = session->now.scenario.transfer;
    uint32_t steps = step_count(session);

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
    change_transfer(session, transfer);
}

void change_hold(struct session *session)
{
    struct state next;
    bool was_stage = session->now.scenario.hold == HOLD_STAGE;

    state_copy(&next, &session->now);
    next.scenario.hold = was_stage ? HOLD_MODEL : HOLD_STAGE;
    take_up(session, &next, was_stage ? "hold stage→model (a change of P keeps the total cost)"
                                      : "hold model→stage (a change of P keeps costs per stage)");
}

/* ---- typed costs ---- */

/* Forward, backward, and the weight gradient where the family has one. */
static int cost_count(const struct session *session)
{
    return session->now.scenario.schedule->splits ? 3 : 2;
}

void change_costs_ask(struct session *session)
{
    uint32_t stage = edited_stage(session);
    struct text label, text;
    char label_buffer[80], buffer[3 * TEXT_NUMBER_SIZE];
    static const enum param params[] = {PARAM_FORWARD, PARAM_BACKWARD, PARAM_WEIGHT};

    if (change_asks_layers(session))
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
        refuse(session,
               count == 2 ? "two numbers more than 0 are needed: forward and backward, such as 1 2"
                          : "three numbers more than 0 are needed: forward, backward and its "
                            "weight part, such as 1 2 1");
        return;
    }
    state_copy(&next, &session->now);
    text_init(&text, what, sizeof what);
    write_stage(&text, stage);
    for (int i = 0; i < count; i++) {
        if (!edit_cost(&next.scenario, params[i], stage, costs[i], &refusal)) {
            change_fail(session, &next, &refusal);
            return;
        }
        text_add(&text, i == 0 ? ": " : ", ");
        write_cost_change(session, &next.scenario, params[i], stage, &text);
    }
    take_up(session, &next, what);
}
