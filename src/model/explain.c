/* Keys that ask why: the critical path in the chart, and the page of idle time. What they show is
 * worked out by the core when the snapshot is taken; here is only what is on and where the cursor of
 * the page stands. */
#include "model/state.h"

#include <string.h>

enum { LINE = 80 }; /* a message as long as this is said briefly: it may be all columns there are */

/* Slack of more operations than these is not worth the time that it would add to every key. */
#define MOST_OPS_FOR_SLACK (1u << 22)

static void toggle_path(struct session *session)
{
    struct outcome *outcome = session_outcome(session);
    char line[MESSAGE_SIZE];
    struct text text;

    session->shows_path = !session->shows_path;
    if (!session->shows_path) {
        say(session, "all operations again");
        return;
    }
    const struct pg_path *path = outcome_path(outcome);
    if (path == NULL) {
        session->shows_path = false;
        refuse(session, "there is not enough memory for the critical path");
        return;
    }
    for (int is_brief = 0; is_brief <= 1; is_brief++) {
        text_init(&text, line, sizeof line);
        text_add(&text, "critical path: ");
        path_write(path, &outcome->plan, is_brief, &text);
        if (path->has_ties)
            text_add(&text, is_brief ? "; tied" : "; others are as long");
        text_add(&text, is_brief ? "" : "; x ends it");
        if (strlen(line) < LINE)
            break;
    }
    say(session, line);
}

static void open_idle(struct session *session)
{
    if (outcome_idle(session_outcome(session)) == NULL) {
        refuse(session, "there is not enough memory to work out where idle time comes from");
        return;
    }
    session->mode = MODE_IDLE;
    session->idle_cursor = session->now.selection.is_all ? 0 : session->now.selection.device + 1;
}

void explain_apply(struct session *session, enum command command)
{
    if (command == COMMAND_CRITICAL_PATH)
        toggle_path(session);
    else
        open_idle(session);
}

static void select_row(struct session *session)
{
    uint32_t row = session->idle_cursor;
    struct selection *item = &session->now.selection;

    session->mode = MODE_CHART;
    if (row == 0)
        session_select_all(session);
    else if (item->is_all || item->device != row - 1)
        *item = (struct selection){.device = row - 1};
    select_show_lane(session);
}

void idle_key(struct session *session, const char *key)
{
    enum command command = command_of_key(key);
    uint32_t last = session_plan(session)->devices, page = 10;

    switch (command) {
    case COMMAND_MOVE_UP:
        session->idle_cursor -= session->idle_cursor > 0;
        break;
    case COMMAND_MOVE_DOWN:
        session->idle_cursor += session->idle_cursor < last;
        break;
    case COMMAND_PAGE_PREVIOUS:
        session->idle_cursor -= session->idle_cursor < page ? session->idle_cursor : page;
        break;
    case COMMAND_PAGE_NEXT:
        session->idle_cursor += last - session->idle_cursor < page ? last - session->idle_cursor : page;
        break;
    case COMMAND_MOVE_FIRST:
    case COMMAND_MOVE_LAST:
        session->idle_cursor = command == COMMAND_MOVE_FIRST ? 0 : last;
        break;
    case COMMAND_MOVE_LEFT:
    case COMMAND_MOVE_RIGHT:
        session->idle_by_place = !session->idle_by_place;
        break;
    case COMMAND_COSTS_TYPE:
        select_row(session);
        break;
    case COMMAND_IDLE:
    case COMMAND_QUIT:
    case COMMAND_CANCEL:
        session->mode = MODE_CHART;
        break;
    default:
        apply_anywhere(session, command);
        break;
    }
}

void explain_snapshot(struct session *session, struct snapshot *snapshot)
{
    struct outcome *outcome = session_outcome(session);
    const struct selection *item = &session->now.selection;

    if (session->shows_path || session->mode == MODE_IDLE)
        snapshot->path = outcome_path(outcome);
    if (!item->is_all && !item->is_gap && outcome->plan.ops <= MOST_OPS_FOR_SLACK)
        snapshot->latest = outcome_latest(outcome);
    if (session->mode == MODE_IDLE)
        snapshot->idle = (struct idle_view){outcome_idle(outcome), session->idle_cursor,
                                            session->idle_by_place};
}
