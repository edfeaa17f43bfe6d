/* A gap in the inspector: how long it is, which share of all idle time, and the chain behind it, back
 * to what was under way when it began. A chain may have any length: its first links and the last one
 * are told. */
#include "view/inspector.h"

#include <math.h>

/* "the gradient of micro-batch 0 from stage 2" and "B0@2" */
static void write_result(const struct pg_op *op, struct wording *wording)
{
    text_addf(&wording->full, "the %s of micro-batch %u from stage %u",
              op->kind == PG_FORWARD ? "activation" : "gradient", op->micro_batch, op->stage);
    text_addf(&wording->brief, "%s%u@%u", kind_letter(op->kind), op->micro_batch, op->stage);
}

static void add_lag(const struct pg_link *link, struct wording *wording)
{
    if (link->lag > 0) {
        text_add(&wording->full, ", transfer ");
        text_add(&wording->brief, " + transfer ");
        wording_time(wording, link->lag);
    }
    if (link->is_tied)
        wording_both(wording, " (tied)");
}

/* What the gap's operation waits for. */
static void add_first_link(struct report_line *line, const struct pg_plan *plan,
                           const struct pg_link *link, const struct pg_op *next)
{
    struct wording wording = wording_add(line, STYLE_LABEL);
    struct pg_op op;

    pg_op_at(plan, link->at.device, link->at.index, &op);
    text_addf(&wording.full, "%s%u must wait for ", kind_letter(next->kind), next->micro_batch);
    text_addf(&wording.brief, "%s%u waits for ", kind_letter(next->kind), next->micro_batch);
    write_result(&op, &wording);
    add_lag(link, &wording);
}

/* "which waits for …": a step of the chain. */
static void add_link(struct report_line *line, const struct pg_plan *plan,
                     const struct pg_link *link)
{
    struct wording wording = wording_add(line, STYLE_FAINT);
    struct pg_op op;

    line->pieces[line->count - 1].is_more = true;
    pg_op_at(plan, link->at.device, link->at.index, &op);
    if (link->bound == PG_BOUND_DATA) {
        text_add(&wording.full, "which waits for ");
        text_add(&wording.brief, "← ");
        write_result(&op, &wording);
    } else {
        text_add(&wording.full, "which waits until its device ends ");
        text_add(&wording.brief, "← behind ");
        wording_op(&wording, &op);
    }
    add_lag(link, &wording);
}

/* The end of a chain that is not told whole; `next` where its first link is in here as well. */
static void add_last_link(struct report_line *line, const struct pg_plan *plan,
                          const struct pg_link *first, const struct pg_link *last,
                          const struct pg_op *next)
{
    struct wording wording = wording_add(line, next != NULL ? STYLE_LABEL : STYLE_FAINT);
    struct pg_op op;

    line->pieces[line->count - 1].is_more = next == NULL;
    if (next != NULL) {
        pg_op_at(plan, first->at.device, first->at.index, &op);
        text_addf(&wording.full, "%s%u must wait for ", kind_letter(next->kind), next->micro_batch);
        text_addf(&wording.brief, "%s%u waits for ", kind_letter(next->kind), next->micro_batch);
        wording_op(&wording, &op);
        wording_both(&wording, " ");
    }
    pg_op_at(plan, last->at.device, last->at.index, &op);
    text_add(&wording.full, "… and so on, back to ");
    text_add(&wording.brief, "… back to ");
    wording_op(&wording, &op);
}

/* Where the chain ends: what was under way when the gap began. */
static void add_origin(struct report_line *line, const struct pg_plan *plan,
                       const struct pg_link *link, double begin)
{
    struct wording wording = wording_add(line, STYLE_LABEL);
    struct pg_op op;

    pg_op_at(plan, link->at.device, link->at.index, &op);
    if (op.end > begin) {
        text_add(&wording.full, op.start < begin ? "which was running all along, from "
                                                 : "which ran from ");
        text_add(&wording.brief, "running ");
        wording_time(&wording, op.start);
        text_add(&wording.full, " to ");
        text_add(&wording.brief, "→");
        wording_time(&wording, op.end);
    } else {
        text_add(&wording.full, "which had ended by then, at ");
        text_add(&wording.brief, "ended at ");
        wording_time(&wording, op.end);
    }
}

enum { MOST_STEPS = 100000 };

/* Links 0 … shown-2 and the last one, with a word for what is left out in between. */
static void add_chain(struct report_line *line, const struct pg_plan *plan,
                      const struct selection *item, uint32_t shown)
{
    struct pg_link links[INSPECTOR_MOST_LINKS], last;
    struct pg_op next;
    double begin = item->index == 0 ? 0 : pg_op_end(plan, item->device, item->index - 1);
    uint32_t count = pg_gap_chain(plan, item->device, item->index, links, INSPECTOR_MOST_LINKS,
                                  MOST_STEPS);

    if (count == 0)
        return;
    if (count <= INSPECTOR_MOST_LINKS)
        last = links[count - 1];
    else
        pg_gap_chain_last(plan, item->device, item->index, &last, MOST_STEPS);
    pg_op_at(plan, item->device, item->index, &next);
    shown = shown < count ? shown : count;
    if (count == 1 || shown > 1)
        add_first_link(line, plan, &links[0], &next);
    for (uint32_t i = 1; i + 1 < shown; i++)
        add_link(line, plan, &links[i]);
    if (shown < count)
        add_last_link(line, plan, &links[0], &last, shown == 1 ? &next : NULL);
    else if (count > 1)
        add_link(line, plan, &last);
    add_origin(line, plan, &last, begin);
}

/* Behind its last operation a device has nothing to wait for. */
static void add_drain(struct report_line *line, const struct pg_plan *plan)
{
    struct wording wording = wording_add(line, STYLE_LABEL);
    struct pg_op op;
    uint32_t device = 0;

    do
        pg_op_at(plan, device, plan->run[device].count - 1, &op);
    while (op.end < plan->makespan && ++device < plan->devices);
    text_addf(&wording.full, "its work is done; %s%u on stage %u ends the step at ",
              kind_letter(op.kind), op.micro_batch, op.stage);
    text_addf(&wording.brief, "done; %s%u@%u ends the step at ", kind_letter(op.kind),
              op.micro_batch, op.stage);
    wording_time(&wording, op.end);
}

/* A share that is there but rounds to nothing is said to be small, not 0. */
static void add_share(struct text *text, double share)
{
    if (share > 0 && share < 0.0005)
        text_add(text, "under 0.1%");
    else
        text_percent(text, share);
}

void inspect_gap(struct report_line *line, const struct snapshot *snapshot, uint32_t links)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;
    const struct pg_metrics *metrics = &snapshot->outcome->metrics;
    const struct selection *item = &snapshot->selection;
    double start, end, idle = plan->devices * metrics->makespan * metrics->bubble_fraction;

    gap_bounds(plan, item->device, item->index, &start, &end);
    double share = idle > 0 ? fmin(1, (end - start) / idle) : 0;
    struct wording wording = wording_add(line, STYLE_BUBBLE);
    text_addf(&wording.full, plan->slots == 1 ? "stage %u idle" : "dev %u idle", item->device);
    text_add(&wording.brief, "idle"); /* the chart marks the device */
    report_span(line, start, end);
    report_excess(line, snapshot, item->device);
    wording = wording_add(line, STYLE_LABEL);
    wording_both(&wording, "length ");
    wording_time(&wording, end - start);
    text_add(&wording.full, ", ");
    add_share(&wording.full, share);
    text_add(&wording.full, " of all idle time");
    text_add(&wording.brief, ", ");
    add_share(&wording.brief, share);
    text_add(&wording.brief, " of idle");
    if (item->index == plan->run[item->device].count)
        add_drain(line, plan);
    else
        add_chain(line, plan, item, links);
}
