/* What is selected, and the window of time and lanes that shows it.
 *
 * A selection is a place in a device's run: an operation, or the gap before one. When a change makes
 * a new plan, it stays with the operation it meant (stage, micro-batch, kind), so that one can watch
 * an operation move. */
#include "model/state.h"

#include <math.h>

/* A gap is worth the name when rounding alone does not explain it. */
static bool is_gap(const struct pg_plan *plan, uint32_t device, uint32_t index)
{
    double start, end;

    gap_bounds(plan, device, index, &start, &end);
    return end - start > plan->makespan * 1e-9;
}

void gap_bounds(const struct pg_plan *plan, uint32_t device, uint32_t index, double *start,
                double *end)
{
    const struct pg_run *run = &plan->run[device];

    *start = index == 0 ? 0 : pg_op_end(plan, device, index - 1);
    *end = index == run->count ? plan->makespan : run->start[index];
}

static void item_bounds(const struct pg_plan *plan, const struct selection *item, double *start,
                        double *end)
{
    if (item->is_gap) {
        gap_bounds(plan, item->device, item->index, start, end);
    } else {
        *start = plan->run[item->device].start[item->index];
        *end = pg_op_end(plan, item->device, item->index);
    }
}

/* What lies at a time on a lane. */
static struct selection item_at(const struct pg_plan *plan, uint32_t device, double time)
{
    uint32_t index = pg_op_after(plan, device, time);
    const struct pg_run *run = &plan->run[device];
    struct selection item = {.device = device, .index = index};

    if (index == run->count || run->start[index] > time) {
        item.is_gap = is_gap(plan, device, index);
        if (!item.is_gap && index == run->count)
            item.index = run->count - 1;
    }
    return item;
}

/* Moves along a lane over operations and gaps; false at the end of it. */
static bool move_right(const struct pg_plan *plan, struct selection *item)
{
    const struct pg_run *run = &plan->run[item->device];

    if (item->is_gap) {
        if (item->index == run->count)
            return false;
        item->is_gap = false;
        return true;
    }
    uint32_t next = item->index + 1;
    if (run->code[item->index] & PG_CODE_FUSED_FIRST)
        next++;
    if (is_gap(plan, item->device, next)) {
        *item = (struct selection){.device = item->device, .is_gap = true, .index = next};
        return true;
    }
    if (next >= run->count)
        return false;
    item->index = next;
    return true;
}

static bool move_left(const struct pg_plan *plan, struct selection *item)
{
    const struct pg_run *run = &plan->run[item->device];

    if (!item->is_gap && is_gap(plan, item->device, item->index)) {
        item->is_gap = true;
        return true;
    }
    if (item->index == 0)
        return false;
    item->is_gap = false;
    item->index--;
    if (run->code[item->index] & PG_CODE_FUSED_SECOND)
        item->index--;
    return true;
}

static bool move_to_gap(const struct pg_plan *plan, struct selection *item, bool is_next)
{
    struct selection at = *item;

    while (is_next ? move_right(plan, &at) : move_left(plan, &at)) {
        if (!at.is_gap)
            continue;
        *item = at;
        return true;
    }
    return false;
}

/* Same micro-batch and kind one stage on; at the last stage a forward turns into its backward. */
static bool follow(const struct pg_plan *plan, struct selection *item, bool is_next)
{
    struct pg_op op;
    uint32_t device;

    if (item->is_gap)
        return false;
    pg_op_at(plan, item->device, item->index, &op);
    enum pg_kind kind = (enum pg_kind)op.kind;
    uint32_t stage = op.stage;
    if (is_next && stage + 1 == plan->stages && kind == PG_FORWARD)
        kind = PG_BACKWARD;
    else if (!is_next && stage + 1 == plan->stages && kind != PG_FORWARD && plan->stages == 1)
        kind = PG_FORWARD;
    else if (is_next ? stage + 1 == plan->stages : stage == 0)
        return false;
    else
        stage = is_next ? stage + 1 : stage - 1;
    uint32_t index = pg_op_find(plan, op.replica * plan->stages + stage, op.micro_batch, kind,
                                &device);
    if (index == PG_NONE)
        return false;
    *item = (struct selection){.device = device, .index = index};
    return true;
}

void select_show_lane(struct session *session)
{
    const struct selection *item = &session->now.selection;
    uint32_t lanes = session->lanes > 0 ? session->lanes : 1;

    if (item->is_all)
        session->lane_top = 0;
    else if (item->device < session->lane_top)
        session->lane_top = item->device;
    else if (item->device >= session->lane_top + lanes)
        session->lane_top = item->device - lanes + 1;
}

static void set_window(struct session *session, double start, double span)
{
    struct window *window = &session->now.window;
    double makespan = session_extent(session);

    window->span = fmin(fmax(span, makespan * 1e-7), makespan * 2);
    window->start = fmax(0, fmin(start, makespan - window->span / 2));
}

/* After a move: window and lanes follow so that the selection is seen. (A change of the scenario
 * leaves the window alone, so that what keeps its place looks so.) */
static void show(struct session *session)
{
    const struct selection *item = &session->now.selection;
    struct window *window = &session->now.window;
    double start, end;

    select_show_lane(session);
    if (item->is_all || window->is_fit)
        return;
    item_bounds(session_plan(session), item, &start, &end);
    double from = window->start, to = window->start + window->span;
    bool is_long = end - start > window->span;
    if (end <= from || start >= to || (!is_long && (start < from || end > to)))
        set_window(session, (start + end) / 2 - window->span / 2, window->span);
}

static void aim_at_item(struct session *session)
{
    double start, end;

    item_bounds(session_plan(session), &session->now.selection, &start, &end);
    session->now.aim = (start + end) / 2;
}

/* ---- window ---- */

/* From a fitted window to one that stands where the view has put it. */
static struct window *loosen(struct session *session)
{
    struct window *window = &session->now.window;

    if (window->is_fit) {
        double makespan = session_extent(session);
        window->is_fit = false;
        window->start = session->view_span > 0 ? session->view_start : 0;
        window->span = session->view_span > 0 ? session->view_span : makespan;
    }
    return window;
}

void session_zoom_at(struct session *session, double factor, double time)
{
    const struct window *window = loosen(session);
    double makespan = session_extent(session);
    double share = (time - window->start) / window->span;
    double span = fmin(fmax(window->span / factor, makespan * 1e-7), makespan * 2);

    set_window(session, time - share * span, span);
}

void session_pan_by(struct session *session, double time)
{
    const struct window *window = loosen(session);

    set_window(session, window->start + time, window->span);
}

static void zoom(struct session *session, double factor)
{
    const struct selection *item = &session->now.selection;
    double start, end;
    struct window *window = loosen(session);
    double around = window->start + window->span / 2;

    if (!item->is_all || session->play.is_on) {
        start = end = session->play.time; /* a moment in play is where one looks */
        if (!session->play.is_on)
            item_bounds(session_plan(session), item, &start, &end);
        double middle = (start + end) / 2;
        if (middle >= window->start && middle <= window->start + window->span)
            around = middle;
    }
    session_zoom_at(session, factor, around);
}

static void zoom_to_selection(struct session *session)
{
    const struct selection *item = &session->now.selection;
    double start, end;

    if (item->is_all) {
        session->now.window.is_fit = true;
        return;
    }
    item_bounds(session_plan(session), item, &start, &end);
    double span = fmin((end - start) * 6, session_extent(session) * 2);
    loosen(session);
    set_window(session, (start + end) / 2 - span / 2, span);
}

static void pan(struct session *session, double columns)
{
    struct window *window = loosen(session);
    uint32_t width = session->columns > 0 ? session->columns : 100;

    session_pan_by(session, columns * window->span / width);
}

/* ---- commands ---- */

static void enter_lane(struct session *session, uint32_t device)
{
    session->now.selection = item_at(session_plan(session), device, session->now.aim);
}

static void move_vertically(struct session *session, bool is_down)
{
    struct selection *item = &session->now.selection;

    if (item->is_all) {
        if (is_down)
            enter_lane(session, 0);
    } else if (!is_down && item->device == 0) {
        *item = (struct selection){.is_all = true};
    } else if (!is_down) {
        enter_lane(session, item->device - 1);
    } else if (item->device + 1 < session_plan(session)->devices) {
        enter_lane(session, item->device + 1);
    } else {
        say(session, "this is the last lane");
    }
}

static bool move_once(const struct pg_plan *plan, struct selection *item, enum command command)
{
    switch (command) {
    case COMMAND_MOVE_LEFT:
        return move_left(plan, item);
    case COMMAND_MOVE_RIGHT:
        return move_right(plan, item);
    case COMMAND_GAP_NEXT:
        return move_to_gap(plan, item, true);
    case COMMAND_GAP_PREVIOUS:
        return move_to_gap(plan, item, false);
    case COMMAND_FOLLOW_NEXT:
        return follow(plan, item, true);
    case COMMAND_FOLLOW_PREVIOUS:
        return follow(plan, item, false);
    default:
        return false;
    }
}

static const char *end_message(enum command command)
{
    switch (command) {
    case COMMAND_GAP_NEXT:
        return "no gap after this on the lane";
    case COMMAND_GAP_PREVIOUS:
        return "no gap before this on the lane";
    case COMMAND_FOLLOW_NEXT:
        return "nothing to follow to: select an operation before the last stage";
    case COMMAND_FOLLOW_PREVIOUS:
        return "nothing to follow to: select an operation behind the first stage";
    case COMMAND_MOVE_LEFT:
        return "the lane begins here";
    default:
        return "the lane ends here";
    }
}

static void move_along(struct session *session, enum command command)
{
    const struct pg_plan *plan = session_plan(session);
    struct selection *item = &session->now.selection;
    uint32_t times = session->count > 0 ? session->count : 1;

    if (item->is_all) {
        /* The first step along a lane that is not chosen yet goes to the first one's. */
        *item = (struct selection){.device = 0};
        if (command == COMMAND_MOVE_RIGHT || command == COMMAND_MOVE_LEFT)
            times = 0;
    }
    for (; times > 0; times--) {
        if (move_once(plan, item, command))
            continue;
        say(session, end_message(command));
        break;
    }
    aim_at_item(session);
}

static void move_to_end(struct session *session, bool is_first)
{
    struct selection *item = &session->now.selection;
    uint32_t device = item->is_all ? 0 : item->device;
    const struct pg_run *run = &session_plan(session)->run[device];

    *item = (struct selection){.device = device, .index = is_first ? 0 : run->count - 1};
    if (run->code[item->index] & PG_CODE_FUSED_SECOND)
        item->index--;
    aim_at_item(session);
}

void select_apply(struct session *session, enum command command)
{
    switch (command) {
    case COMMAND_MOVE_UP:
    case COMMAND_MOVE_DOWN:
        for (uint32_t i = 0, n = session->count > 0 ? session->count : 1; i < n && i < 4096; i++)
            move_vertically(session, command == COMMAND_MOVE_DOWN);
        break;
    case COMMAND_MOVE_FIRST:
    case COMMAND_MOVE_LAST:
        move_to_end(session, command == COMMAND_MOVE_FIRST);
        break;
    case COMMAND_ZOOM_IN:
    case COMMAND_ZOOM_OUT:
        zoom(session, command == COMMAND_ZOOM_IN ? 1.5 : 1 / 1.5);
        return;
    case COMMAND_ZOOM_FIT:
        session->now.window.is_fit = true;
        return;
    case COMMAND_ZOOM_SELECTION:
        zoom_to_selection(session);
        return;
    case COMMAND_PAN_LEFT:
    case COMMAND_PAN_RIGHT: {
        double columns = session->count > 0 ? session->count : 4;
        pan(session, command == COMMAND_PAN_LEFT ? -columns : columns);
        return;
    }
    case COMMAND_PAGE_NEXT:
    case COMMAND_PAGE_PREVIOUS: {
        double screen = (session->columns > 0 ? session->columns : 100) * 0.9;
        pan(session, command == COMMAND_PAGE_NEXT ? screen : -screen);
        return;
    }
    default:
        move_along(session, command);
    }
    show(session);
}

void session_select_at(struct session *session, uint32_t device, double time)
{
    if (session->mode == MODE_BUILD) {
        build_select(session, device);
        return;
    }
    if (device >= session_plan(session)->devices)
        return;
    hush(session);
    session->now.selection = item_at(session_plan(session), device, time);
    session->now.aim = time;
    show(session);
}

void session_select_all(struct session *session)
{
    session->now.selection = (struct selection){.is_all = true};
    show(session);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void select_again(struct session *session, const struct pg_plan *old, const struct selection *was)
{
    const struct pg_plan *plan = session_plan(session);
    struct selection *item = &session->now.selection;
    struct pg_op op;
    uint32_t device, index = PG_NONE;

    *item = *was;
    if (was->is_all)
        return;
    uint32_t old_count = old->run[was->device].count;
    bool is_end_gap = was->is_gap && was->index == old_count;
    pg_op_at(old, was->device, least(was->index, old_count - 1), &op);
    if (op.stage < plan->stages && op.replica < plan->replicas)
        index = pg_op_find(plan, op.replica * plan->stages + op.stage, op.micro_batch,
                           (enum pg_kind)op.kind, &device);
    if (index == PG_NONE) {
        device = least(was->device, plan->devices - 1);
        index = least(was->index, plan->run[device].count - 1);
    }
    item->device = device;
    item->index = is_end_gap ? plan->run[device].count : index;
    if (item->is_gap && !is_gap(plan, item->device, item->index)) {
        item->is_gap = false;
        item->index = least(item->index, plan->run[device].count - 1);
    }
    aim_at_item(session);
    select_show_lane(session);
}
