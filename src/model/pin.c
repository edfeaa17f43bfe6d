/* A comparison within a session: what is pinned (A) beside what goes on changing (B).
 *
 * Pinning is a change of the state like any other: the state holds a reference to what is pinned,
 * so undo brings either back as it was. The outcome of A stays in a place of its own among the
 * session's outcomes; only undoing to another A has to run one anew. */
#include "model/state.h"

#include <stdlib.h>
#include <string.h>

static struct pin *pin_make(const struct state *state)
{
    struct pin *pin = calloc(1, sizeof *pin);

    if (pin == NULL)
        return NULL;
    pin->refs = 1;
    scenario_copy(&pin->scenario, &state->scenario);
    pin->table = table_share(state->table);
    pin->file = state->file;
    pin->file->refs++;
    pin->baseline = state->baseline;
    pin->slide = state->slide;
    return pin;
}

/* ---- outcomes ---- */

bool pin_outcome(struct session *session, const struct pin *pin, uint32_t *pinned,
                 struct refusal *refusal)
{
    *pinned = pin == NULL ? PG_NONE : session->pinned;
    if (pin == NULL || pin == session->now.pin)
        return true;
    uint32_t spare = outcome_spare(session, true);
    if (!outcome_run(&session->outcomes[spare], &pin->scenario, refusal))
        return false;
    *pinned = spare;
    return true;
}

void compare_refresh(struct session *session)
{
    if (session->now.pin == NULL && session->mode == MODE_COMPARE)
        session->mode = MODE_CHART; /* pinning was undone */
    for (uint32_t i = 0; i < OUTCOMES; i++)
        if (i != session->shown && i != session->before && i != session->pinned)
            outcome_free(&session->outcomes[i]);
}

void compare_free(struct session *session)
{
    for (uint32_t i = 0; i < OUTCOMES; i++)
        outcome_free(&session->outcomes[i]);
}

/* ---- what is seen ---- */

/* Both sides, but for what takes a walk over their plans; false when nothing is pinned. */
static bool find_sides(const struct session *session, struct compared *compared)
{
    const struct pin *pin = session->now.pin;

    *compared = (struct compared){.unit = 1};
    if (pin == NULL)
        return false;
    struct side a = {.scenario = &pin->scenario,
                     .outcome = &session->outcomes[session->pinned],
                     .name = string_text(pin->file->name)};
    struct side b = {.scenario = &session->now.scenario,
                     .outcome = &session->outcomes[session->shown],
                     .name = string_text(session->now.file->name)};
    compare_make(compared, &a, &b);
    compared->top = session->compare_top;
    return true;
}

double session_extent(const struct session *session)
{
    struct compared compared;

    return find_sides(session, &compared) ? compare_extent(&compared)
                                          : session_plan(session)->makespan;
}

double snapshot_extent(const struct snapshot *snapshot)
{
    return snapshot->compared.a.outcome == NULL ? snapshot->outcome->plan.makespan
                                                : compare_extent(&snapshot->compared);
}

void compare_snapshot(struct session *session, struct snapshot *snapshot)
{
    struct compared *compared = &snapshot->compared;

    if (!find_sides(session, compared))
        return;
    struct outcome *a = &session->outcomes[session->pinned], *b = session_outcome(session);
    const struct pg_metrics *was = &a->metrics, *is = &b->metrics;
    compared->a.idle = outcome_idle(a);
    compared->b.idle = outcome_idle(b);
    if (compared->a.idle == NULL || compared->b.idle == NULL) {
        *compared = (struct compared){.unit = 1}; /* no memory to compare: the chart alone */
        return;
    }
    if (snapshot->path != NULL) {
        compared->a.path = outcome_path(a);
        compared->b.path = snapshot->path;
    }
    snapshot->baseline = baseline_of(a);
    snapshot->baseline.makespan *= compared->unit;
    snapshot->has_baseline = snapshot->baseline.makespan != is->makespan ||
                             was->bubble_fraction != is->bubble_fraction ||
                             was->peak_stash != is->peak_stash;
}

/* ---- commands ---- */

static void write_pinned(const struct session *session, struct text *text)
{
    const struct scenario *scenario = &session->now.scenario;

    text_addf(text, "A is pinned: %s P=%u M=%u", scenario->schedule->title, scenario->stages,
              scenario->micro_batches);
    text_add(text, ", makespan ");
    text_brief(text, session_plan(session)->makespan);
    text_add(text, "; changes go to B, d shows the numbers, D exchanges");
}

static void pin_now(struct session *session)
{
    struct pin *pin = pin_make(&session->now);
    char line[MESSAGE_SIZE];
    struct text text;

    if (pin == NULL || !history_push(&session->history, &session->now)) {
        pin_release(&pin);
        refuse(session, "there is not enough memory to compare");
        return;
    }
    session->now.pin = pin;
    session->pinned = session->shown;
    compare_refresh(session);
    text_init(&text, line, sizeof line);
    write_pinned(session, &text);
    say(session, line);
}

static void unpin(struct session *session)
{
    session->mode = MODE_CHART;
    if (!history_push(&session->history, &session->now)) {
        refuse(session, "there is not enough memory to remember what was pinned");
        return;
    }
    pin_release(&session->now.pin);
    session->pinned = PG_NONE;
    compare_refresh(session);
    say(session, "A is no longer pinned; u pins it again");
}

static void swap(struct session *session)
{
    struct pin *fresh, *pin = session->now.pin;
    struct state next;
    struct selection was = session->now.selection;
    struct baseline before = baseline_of(session_outcome(session));
    uint32_t shown = session->shown;
    char line[MESSAGE_SIZE];
    struct text text;

    if (pin == NULL) {
        refuse(session, "nothing is pinned to exchange with: d pins the present state as A");
        return;
    }
    fresh = pin_make(&session->now);
    if (fresh == NULL || !history_push(&session->history, &session->now)) {
        pin_release(&fresh);
        refuse(session, "there is not enough memory to exchange A and B");
        return;
    }
    next = session->now;
    memset(&next.scenario, 0, sizeof next.scenario);
    scenario_copy(&next.scenario, &pin->scenario);
    next.table = table_share(pin->table);
    next.file = pin->file;
    next.file->refs++;
    next.baseline = pin->baseline;
    next.slide = pin->slide;
    next.pin = fresh;
    state_free(&session->now);
    session->now = next;
    session->shown = session->pinned;
    session->before = session->pinned = shown;
    compare_refresh(session);
    select_again(session, &session->outcomes[shown].plan, &was);
    struct baseline after = baseline_of(session_outcome(session));
    text_init(&text, line, sizeof line);
    text_add(&text, "A and B exchanged");
    baseline_write(&text, &before, &after);
    text_add(&text, "; u undoes");
    say(session, line);
}

void compare_apply(struct session *session, enum command command)
{
    if (command == COMMAND_COMPARE_SWAP) {
        swap(session);
    } else if (session->now.pin == NULL) {
        pin_now(session);
    } else if (session->mode != MODE_COMPARE) {
        session->mode = MODE_COMPARE;
        session->compare_top = 0;
    } else {
        unpin(session);
    }
}

bool session_pin_loaded(struct session *session)
{
    struct pin *pin = pin_make(&session->now);

    if (pin == NULL)
        return false;
    pin_release(&session->now.pin);
    session->now.pin = pin;
    session->pinned = session->shown;
    session->is_loaded = false; /* what is loaded next is the first state, with nothing before it */
    return true;
}

/* ---- the page of numbers ---- */

static void scroll(struct session *session, enum command command)
{
    uint32_t rows = session->help_rows, lines = session->help_lines;
    uint32_t most = lines > rows ? lines - rows : 0, top = session->compare_top;
    bool is_page = command == COMMAND_PAGE_NEXT || command == COMMAND_PAGE_PREVIOUS;
    uint32_t step = (session->count > 0 ? session->count : 1) * (is_page && rows > 1 ? rows - 1 : 1);

    if (command == COMMAND_MOVE_DOWN || command == COMMAND_PAGE_NEXT)
        top += step;
    else if (command == COMMAND_MOVE_UP || command == COMMAND_PAGE_PREVIOUS)
        top -= top < step ? top : step;
    else
        top = command == COMMAND_MOVE_FIRST ? 0 : most;
    session->compare_top = top < most ? top : most;
    session->count = 0;
    hush(session);
}

/* Changes of B go on while the numbers are looked at; what has to do with the chart does not. */
bool compare_key(struct session *session, const char *key)
{
    enum command command = command_of_key(key);

    if (session->count > 0 && strcmp(key, "0") == 0)
        return false; /* a digit of a number */
    switch (command) {
    case COMMAND_QUIT:
    case COMMAND_CANCEL:
        session->mode = MODE_CHART;
        session->count = 0;
        hush(session);
        return true;
    case COMMAND_MOVE_DOWN:
    case COMMAND_MOVE_UP:
    case COMMAND_MOVE_FIRST:
    case COMMAND_MOVE_LAST:
    case COMMAND_PAGE_NEXT:
    case COMMAND_PAGE_PREVIOUS:
        scroll(session, command);
        return true;
    default:
        break;
    }
    enum command_group group =
        command == COMMAND_COUNT ? GROUP_COUNT : command_info(command)->group;
    return group == GROUP_SELECT || (group == GROUP_WINDOW && command != COMMAND_FAMILIES);
}
