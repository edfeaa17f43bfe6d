/* The inspector: what is selected, and why it is where it is. See inspector.h. */
#include "view/inspector.h"

#include <math.h>
#include <string.h>

/* "B3 from stage 3" and "B3@3" */
static void write_data(const struct pg_plan *plan, uint32_t device, uint32_t index,
                       struct wording *wording)
{
    struct pg_op op;

    pg_op_at(plan, device, index, &op);
    text_addf(&wording->full, "%s%u from stage %u", kind_letter(op.kind), op.micro_batch, op.stage);
    text_addf(&wording->brief, "%s%u@%u", kind_letter(op.kind), op.micro_batch, op.stage);
}

/* The stage is said where the device has several. */
static void write_previous(const struct pg_plan *plan, uint32_t device, uint32_t index,
                           struct wording *wording)
{
    char buffer[40];
    struct text text;
    struct pg_op op;

    bool is_second = plan->run[device].code[index] & PG_CODE_FUSED_SECOND;
    pg_op_at(plan, device, index - (is_second ? 2 : 1), &op);
    if (plan->slots > 1) {
        wording_op(wording, &op);
        return;
    }
    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, "%s%u", kind_letter(op.kind), op.micro_batch);
    wording_both(wording, buffer);
}

/* Did the device become free when the data arrived, but for rounding? */
static bool is_device_tied(const struct pg_why *why)
{
    return why->is_tied && why->has_previous &&
           fabs(why->previous_end - why->data_arrival) <= 1e-9 * why->data_arrival;
}

static void add_tie(struct report_line *line, const struct pg_plan *plan, const struct pg_why *why)
{
    struct wording wording = wording_add(line, STYLE_FAINT);

    write_data(plan, why->tied.device, why->tied.index, &wording);
    text_add(&wording.full, " arrived at the same moment: tied");
    text_add(&wording.brief, ": tied");
}

/* The short wordings leave out when: that is the start. */
static void add_device_bound(struct report_line *line, const struct pg_plan *plan, uint32_t device,
                             uint32_t index, const struct pg_why *why)
{
    struct wording wording = wording_add(line, STYLE_LABEL);

    text_add(&wording.full, "started when its device ended ");
    text_add(&wording.brief, "after ");
    write_previous(plan, device, index, &wording);
    text_add(&wording.full, " at ");
    text_brief(&wording.full, why->previous_end);
    if (why->is_tied)
        add_tie(line, plan, why);
    if (!why->has_data || why->is_tied)
        return;
    if (why->data_device == device && why->data_end >= why->previous_end) {
        wording_both(&wording, ", which it needs");
        return;
    }
    wording = wording_add(line, STYLE_FAINT);
    write_data(plan, why->data_device, why->data_index, &wording);
    text_add(&wording.full, " was ready since ");
    text_brief(&wording.full, why->data_arrival);
    wording.brief.buffer[0] = '\0'; /* it is not the reason */
}

static void add_data_bound(struct report_line *line, const struct pg_plan *plan,
                           const struct pg_why *why)
{
    struct wording wording = wording_add(line, STYLE_LABEL);

    text_add(&wording.full, "waited for ");
    text_add(&wording.brief, "waited for ");
    write_data(plan, why->data_device, why->data_index, &wording);
    text_add(&wording.full, ", there at ");
    text_brief(&wording.full, why->data_arrival);
    if (why->data_arrival > why->data_end) {
        wording = wording_add(line, STYLE_FAINT);
        text_add(&wording.full, "of that, transfer ");
        text_add(&wording.brief, "transfer ");
        wording_time(&wording, why->data_arrival - why->data_end);
    }
    if (why->is_tied)
        add_tie(line, plan, why);
    if (why->has_previous) {
        wording = wording_add(line, STYLE_FAINT);
        text_add(&wording.full, "its device was free since ");
        text_brief(&wording.full, why->previous_end);
    }
}

void report_span(struct report_line *line, double start, double end)
{
    struct wording wording = wording_add(line, STYLE_LABEL);

    wording_time(&wording, start);
    text_add(&wording.full, " → ");
    text_add(&wording.brief, "→");
    wording_time(&wording, end);
}

void report_excess(struct report_line *line, const struct snapshot *snapshot, uint32_t device)
{
    const struct pg_metrics *metrics = &snapshot->outcome->metrics;
    double memory = metrics->device_memory[device];

    if (!memory_is_over(snapshot->scenario, memory))
        return;
    struct wording wording = wording_add(line, STYLE_REFUSAL);
    wording_both(&wording, memory == metrics->stage_peak_stash[device] ? "stash " : "memory ");
    wording_time(&wording, memory);
    wording_both(&wording, " > limit ");
    wording_time(&wording, snapshot->scenario->memory_limit);
}

static void add_layers(struct report_line *line, const struct snapshot *snapshot, uint32_t stage)
{
    const struct pg_range *ranges = snapshot->outcome->resolved.ranges;

    if (ranges == NULL)
        return;
    struct wording wording = wording_add(line, STYLE_FAINT);
    text_addf(&wording.full, "layers %u–%u (%u)", ranges[stage].start, ranges[stage].end - 1,
              ranges[stage].end - ranges[stage].start);
    text_add(&wording.brief, wording.full.buffer);
}

/* "F3 on stage 0 of replica 1 (dev 3), fused with B1 on stage 3" and "F3@0 of replica 1 fused with
 * B1@3": the chart marks the device. */
static void write_name(const struct pg_plan *plan, const struct selection *item,
                       const struct pg_op *op, struct wording *wording)
{
    text_addf(&wording->full, "%s%u on stage %u", kind_letter(op->kind), op->micro_batch,
              op->stage);
    text_addf(&wording->brief, "%s%u@%u", kind_letter(op->kind), op->micro_batch, op->stage);
    if (plan->replicas > 1) {
        text_addf(&wording->full, " of replica %u", op->replica);
        text_addf(&wording->brief, " of replica %u", op->replica);
    }
    if (plan->slots > 1)
        text_addf(&wording->full, " (dev %u)", op->device);
    if (op->is_fused) {
        bool is_first = plan->run[item->device].code[item->index] & PG_CODE_FUSED_FIRST;
        struct pg_op other;
        pg_op_at(plan, item->device, is_first ? item->index + 1 : item->index - 1, &other);
        text_addf(&wording->full, ", fused with %s%u on stage %u", kind_letter(other.kind),
                  other.micro_batch, other.stage);
        text_addf(&wording->brief, " fused with %s%u@%u", kind_letter(other.kind),
                  other.micro_batch, other.stage);
    }
}

/* By how much it may be late; none on the critical path. */
static void add_slack(struct report_line *line, const struct snapshot *snapshot)
{
    const struct selection *item = &snapshot->selection;

    if (snapshot->latest == NULL)
        return;
    double slack = pg_op_slack(&snapshot->outcome->plan, snapshot->latest, item->device, item->index);
    struct wording wording = wording_add(line, slack > 0 ? STYLE_LABEL : STYLE_NUMBER);
    if (slack > 0) {
        wording_both(&wording, "slack ");
        wording_time(&wording, slack);
    } else {
        text_add(&wording.full, "no slack: critical");
        text_add(&wording.brief, "critical");
    }
}

/* "unblocks F0 on stage 2 and B0 on stage 1" */
static void add_unblocks(struct report_line *line, const struct pg_plan *plan,
                         const struct selection *item)
{
    struct pg_place places[PG_MOST_NEEDS];
    uint32_t count = pg_op_unblocks(plan, item->device, item->index, places);

    if (count == 0)
        return;
    struct wording wording = wording_add(line, STYLE_FAINT);
    wording_both(&wording, "unblocks ");
    for (uint32_t i = 0; i < count; i++) {
        struct pg_op op;
        pg_op_at(plan, places[i].device, places[i].index, &op);
        wording_both(&wording, i == 0 ? "" : ", ");
        text_addf(&wording.full, "%s%u on stage %u", kind_letter(op.kind), op.micro_batch, op.stage);
        text_addf(&wording.brief, "%s%u@%u", kind_letter(op.kind), op.micro_batch, op.stage);
    }
}

static void inspect_op(struct report_line *line, const struct snapshot *snapshot)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;
    const struct selection *item = &snapshot->selection;
    struct pg_op op;
    struct pg_why why;

    pg_op_at(plan, item->device, item->index, &op);
    pg_op_why(plan, item->device, item->index, &why);
    struct wording wording = wording_add(line, STYLE_NUMBER);
    write_name(plan, item, &op, &wording);
    report_span(line, op.start, op.end);
    report_excess(line, snapshot, item->device);
    if (why.bound == PG_BOUND_ORIGIN) {
        wording = wording_add(line, STYLE_LABEL);
        text_add(&wording.full, "starts the step: it waits for nothing");
        text_add(&wording.brief, "waits for nothing");
    } else if (why.bound == PG_BOUND_DEVICE || is_device_tied(&why)) {
        add_device_bound(line, plan, item->device, item->index, &why);
    } else {
        add_data_bound(line, plan, &why);
    }
    add_slack(line, snapshot);
    add_unblocks(line, plan, item);
    add_layers(line, snapshot, op.stage);
}

/* "layers per stage: 7, 14*8, 7" */
static void write_counts(const struct resolved *resolved, struct text *text)
{
    for (uint32_t s = 0; s < resolved->stages;) {
        uint32_t count = resolved->ranges[s].end - resolved->ranges[s].start, run = 0;
        text_add(text, s == 0 ? "" : ", ");
        for (; s < resolved->stages &&
               resolved->ranges[s].end - resolved->ranges[s].start == count; s++)
            run++;
        if (run > 1)
            text_addf(text, "%u*", run);
        text_addf(text, "%u", count);
    }
}

static void add_all_excess(struct report_line *line, const struct snapshot *snapshot)
{
    uint32_t count = devices_over_limit(snapshot->scenario, snapshot->outcome);

    if (count == 0)
        return;
    struct wording wording = wording_add(line, STYLE_REFUSAL);
    text_addf(&wording.full, "! %u of %u over memory limit ", count,
              snapshot->outcome->plan.devices);
    text_addf(&wording.brief, "! %u over limit ", count);
    wording_time(&wording, snapshot->scenario->memory_limit);
}

/* "critical path by stage: 3*3, 24": what of it is work of each stage, chunks apart. */
static void add_path(struct report_line *line, const struct snapshot *snapshot)
{
    const struct pg_path *path = snapshot->path;
    uint32_t stages = snapshot->outcome->plan.stages;
    struct wording wording = wording_add(line, STYLE_LABEL);

    text_add(&wording.full, "critical path by stage: ");
    for (uint32_t s = 0; s < stages;) {
        uint32_t first = s;
        while (s < stages && path->stage_work[s] == path->stage_work[first])
            s++;
        text_add(&wording.full, first == 0 ? "" : ", ");
        if (s - first > 1)
            text_addf(&wording.full, "%u*", s - first);
        text_brief(&wording.full, path->stage_work[first]);
    }
    text_addf(&wording.brief, "by stage%s", wording.full.buffer + strlen("critical path by stage"));
}

static void inspect_all(struct report_line *line, const struct snapshot *snapshot)
{
    const struct resolved *resolved = &snapshot->outcome->resolved;
    struct wording wording = wording_add(line, STYLE_NUMBER);

    wording_both(&wording, "all stages");
    add_all_excess(line, snapshot);
    if (snapshot->path != NULL) {
        add_path(line, snapshot);
        return;
    }
    wording = wording_add(line, STYLE_LABEL);
    if (resolved->ranges == NULL) {
        text_add(&wording.full, "f F b B change every stage");
        text_add(&wording.brief, "f F b B change all");
        wording = wording_add(line, STYLE_FAINT);
        text_add(&wording.full, "arrows choose a lane, ? lists the keys");
        text_add(&wording.brief, "arrows choose a lane");
        return;
    }
    text_add(&wording.full, "layers per stage: ");
    write_counts(resolved, &wording.full);
    text_add(&wording.brief, "layers: ");
    write_counts(resolved, &wording.brief);
}

/* The most of a chain that fits is told, and in the long wording if that tells as much. */
static void draw_gap(const struct canvas *canvas, const struct snapshot *snapshot)
{
    struct report_line line;

    for (uint32_t links = INSPECTOR_MOST_LINKS; links > 0; links--) {
        line.count = 0;
        inspect_gap(&line, snapshot, links);
        if (report_draw(canvas, &line))
            return;
    }
    report_draw_brief(canvas, &line);
}

void panel_inspector(const struct canvas *canvas, const struct snapshot *snapshot)
{
    struct report_line line = {.count = 0};

    if (canvas->area.rows == 0)
        return;
    if (!snapshot->selection.is_all && snapshot->selection.is_gap) {
        draw_gap(canvas, snapshot);
        return;
    }
    if (snapshot->selection.is_all)
        inspect_all(&line, snapshot);
    else
        inspect_op(&line, snapshot);
    if (!report_draw(canvas, &line))
        report_draw_brief(canvas, &line);
}
