/* The page of advice: its keys. See advice_page.h. */
#include "model/advice_page.h"

#include "model/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Targets that Left and Right step to. */
static const double targets[] = {0.1, 0.2, 0.5, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12,
                                 15,  20,  25,  30, 35, 40, 45, 50, 60, 70, 80, 90, 99};
enum { TARGETS = sizeof targets / sizeof targets[0] };

static void drop(struct advice_page *page)
{
    if (page->advice != NULL && page->advice->batch != NULL)
        batch_stop(page->advice->batch); /* nobody looks at it any more */
    advice_free(&page->advice);
}

static void close_page(struct session *session)
{
    drop(session->advice);
    session->mode = MODE_CHART;
}

/* What would help the state as it is now. */
static void renew(struct session *session)
{
    struct advice_page *page = session->advice;

    drop(page);
    page->advice = advice_make(&session->now.scenario, session_outcome(session), page->target);
    if (page->advice == NULL) {
        refuse(session, "there is not enough memory to find out what would help");
        close_page(session);
        return;
    }
    uint32_t last = ADVICE_KINDS + page->advice->stage_count - 1;
    page->cursor = page->cursor < last ? page->cursor : last;
}

void advice_open(struct session *session)
{
    if (session->advice == NULL) {
        session->advice = calloc(1, sizeof *session->advice);
        if (session->advice == NULL) {
            refuse(session, "there is not enough memory to find out what would help");
            return;
        }
        session->advice->target = ADVICE_TARGET;
    }
    enum mode was = session->mode;
    session->advice->cursor = 0;
    session->mode = MODE_ADVICE;
    renew(session);
    if (session->advice->advice == NULL)
        session->mode = was;
}

void advice_page_free(struct advice_page *page)
{
    if (page != NULL)
        drop(page);
    free(page);
}

struct batch *advice_page_batch(struct advice_page *page)
{
    struct batch *batch = advice_batch(page->advice);

    if (batch != NULL)
        advice_look(page->advice);
    return batch;
}

/* ---- applying ---- */

static void apply_scenario(struct session *session, const struct scenario *scenario,
                           const char *what)
{
    struct state next;
    char said[MESSAGE_SIZE]; /* the words go with the advice */
    struct text text;

    text_init(&text, said, sizeof said);
    text_add(&text, what);
    state_copy(&next, &session->now);
    scenario_copy(&next.scenario, scenario);
    if (take_up(session, &next, said))
        renew(session);
}

static void apply_suggestion(struct session *session, enum advice_kind kind)
{
    struct advice_page *page = session->advice;
    const struct suggestion *at = &page->advice->suggestion[kind];

    page->cursor = kind;
    if (!at->is_known)
        say(session, "this is being run still");
    else if (!at->can_apply)
        say(session, "there is nothing to apply here");
    else
        apply_scenario(session, &at->scenario, at->what);
}

/* The cost of a stage that is worth most, one step down. */
static void apply_stage(struct session *session, uint32_t row)
{
    const struct advice *advice = session->advice->advice;
    enum advice_cost cost;
    struct scenario next;
    struct refusal refusal;
    struct text text;
    char what[MESSAGE_SIZE];

    if (!advice_best_cost(&advice->stages[row], advice_cost_count(advice), &cost)) {
        say(session, "a shorter forward or backward of this stage alone shortens nothing");
        return;
    }
    memset(&next, 0, sizeof next);
    if (!advice_step_down(advice, advice->stages[row].stage, cost, &next, &refusal)) {
        refuse(session, refusal.report.text);
    } else {
        text_init(&text, what, sizeof what);
        text_addf(&text, "%s of stage %u one step shorter%s", advice_letter(cost),
                  advice->stages[row].stage,
                  advice->has_layers ? " (layers turned into costs per stage)" : "");
        apply_scenario(session, &next, what);
    }
    scenario_free(&next);
}

static void apply_row(struct session *session)
{
    uint32_t cursor = session->advice->cursor;

    if (cursor < ADVICE_KINDS)
        apply_suggestion(session, (enum advice_kind)cursor);
    else
        apply_stage(session, cursor - ADVICE_KINDS);
}

/* ---- keys ---- */

static void step_target(struct session *session, bool is_more)
{
    struct advice_page *page = session->advice;
    double percent = page->target * 100;
    int at = is_more ? 0 : TARGETS - 1;

    while (at >= 0 && at < TARGETS &&
           (is_more ? targets[at] <= percent + 1e-6 : targets[at] >= percent - 1e-6))
        at += is_more ? 1 : -1;
    if (at < 0 || at >= TARGETS) {
        say(session, is_more ? "this is the largest target" : "this is the smallest target");
        return;
    }
    page->target = targets[at] / 100;
    advice_set_target(page->advice, page->target);
    page->cursor = ADVICE_MICRO;
}

static void move(struct advice_page *page, enum command command)
{
    int64_t last = (int64_t)ADVICE_KINDS + page->advice->stage_count - 1, to = page->cursor;

    to += command == COMMAND_MOVE_UP         ? -1
          : command == COMMAND_MOVE_DOWN     ? 1
          : command == COMMAND_PAGE_PREVIOUS ? -10
          : command == COMMAND_PAGE_NEXT     ? 10
          : command == COMMAND_MOVE_FIRST    ? -to
                                             : last - to;
    page->cursor = (uint32_t)(to < 0 ? 0 : to > last ? last : to);
}

static void travel(struct session *session, enum command command)
{
    session_apply(session, command);
    if (session->mode == MODE_ADVICE)
        renew(session);
}

void advice_key(struct session *session, const char *key)
{
    enum command command = command_of_key(key);

    hush(session);
    if (key[0] >= '1' && key[0] < '1' + ADVICE_KINDS && key[1] == '\0') {
        apply_suggestion(session, (enum advice_kind)(key[0] - '1'));
        return;
    }
    switch (command) {
    case COMMAND_MOVE_UP:
    case COMMAND_MOVE_DOWN:
    case COMMAND_MOVE_FIRST:
    case COMMAND_MOVE_LAST:
    case COMMAND_PAGE_NEXT:
    case COMMAND_PAGE_PREVIOUS:
        move(session->advice, command);
        break;
    case COMMAND_MOVE_LEFT:
    case COMMAND_MOVE_RIGHT:
        step_target(session, command == COMMAND_MOVE_RIGHT);
        break;
    case COMMAND_COSTS_TYPE:
        apply_row(session);
        break;
    case COMMAND_UNDO:
    case COMMAND_REDO:
        travel(session, command);
        break;
    case COMMAND_ADVICE:
    case COMMAND_QUIT:
    case COMMAND_CANCEL:
        close_page(session);
        break;
    default:
        apply_anywhere(session, command);
        break;
    }
}
