/* The inspector: what is selected, and why it is where it is.
 *
 * What there is to say is collected in pieces, each in a long and a short wording; long ones are
 * taken as far as all pieces fit into the rows there are, whole. */
#include "view/panels.h"

#include <math.h>
#include <string.h>

/* A gap has the most to say: four pieces, MOST_LINKS of its chain, and three to end it. */
enum { MOST_PIECES = 16, PIECE_SIZE = 200 };

struct piece {
    enum style style;
    bool is_more; /* all in the long wording with the piece before, or none */
    char full[PIECE_SIZE], brief[PIECE_SIZE];
};

struct report_line {
    struct piece pieces[MOST_PIECES];
    int count;
};

/* The two wordings of a piece while they are being written. */
struct wording {
    struct text full, brief;
};

static struct wording add_piece(struct report_line *line, enum style style)
{
    struct piece *piece = &line->pieces[line->count++];
    struct wording wording;

    piece->style = style;
    piece->is_more = false;
    text_init(&wording.full, piece->full, sizeof piece->full);
    text_init(&wording.brief, piece->brief, sizeof piece->brief);
    return wording;
}

static void add_both(struct wording *wording, const char *text)
{
    text_add(&wording->full, text);
    text_add(&wording->brief, text);
}

static void add_time(struct wording *wording, double time)
{
    text_brief(&wording->full, time);
    text_brief(&wording->brief, time);
}

/* Lays the pieces out, those of the bits of `full` in the long wording. Did all fit? */
static bool lay_out(const struct canvas *canvas, const struct report_line *line, uint32_t full,
                    bool is_drawn)
{
    int x = 1, y = 0;
    bool is_whole = true;

    for (int i = 0; i < line->count; i++) {
        const struct piece *piece = &line->pieces[i];
        const char *text = full >> i & 1 ? piece->full : piece->brief;
        int columns = canvas_columns(canvas, text);
        if (columns == 0)
            continue;
        if (x + columns > canvas->area.columns && x > 1) {
            x = 1;
            y++;
        }
        if (y >= canvas->area.rows || x + columns > canvas->area.columns)
            is_whole = false;
        if (y >= canvas->area.rows)
            break;
        if (is_drawn)
            canvas_text_cut(canvas, x, y, piece->style, text);
        x += columns + 2;
    }
    return is_whole;
}

/* Long wordings for as many pieces as leave room for all, those that come first before others. */
static bool draw_line(const struct canvas *canvas, const struct report_line *line)
{
    uint32_t full = 0;

    if (!lay_out(canvas, line, 0, false))
        return false;
    for (int i = 0, next; i < line->count; i = next) {
        uint32_t bits = 1u << i;
        for (next = i + 1; next < line->count && line->pieces[next].is_more; next++)
            bits |= 1u << next;
        full |= lay_out(canvas, line, full | bits, false) ? bits : 0;
    }
    return lay_out(canvas, line, full, true);
}

/* "B3 from stage 3" and "B3@3" */
static void write_data(const struct pg_plan *plan, uint32_t device, uint32_t index,
                       struct wording *wording)
{
    struct pg_op op;

    pg_op_at(plan, device, index, &op);
    text_addf(&wording->full, "%s%u from stage %u", kind_letter(op.kind), op.micro_batch, op.stage);
    text_addf(&wording->brief, "%s%u@%u", kind_letter(op.kind), op.micro_batch, op.stage);
}

/* "F0 of stage 5" and "F0@5" */
static void write_op(const struct pg_op *op, struct wording *wording)
{
    text_addf(&wording->full, "%s%u of stage %u", kind_letter(op->kind), op->micro_batch,
              op->stage);
    text_addf(&wording->brief, "%s%u@%u", kind_letter(op->kind), op->micro_batch, op->stage);
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
        write_op(&op, wording);
        return;
    }
    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, "%s%u", kind_letter(op.kind), op.micro_batch);
    add_both(wording, buffer);
}

/* Did the device become free when the data arrived, but for rounding? */
static bool is_device_tied(const struct pg_why *why)
{
    return why->is_tied && why->has_previous &&
           fabs(why->previous_end - why->data_arrival) <= 1e-9 * why->data_arrival;
}

static void add_tie(struct report_line *line, const struct pg_plan *plan, const struct pg_why *why)
{
    struct wording wording = add_piece(line, STYLE_FAINT);

    write_data(plan, why->tied.device, why->tied.index, &wording);
    text_add(&wording.full, " arrived at the same moment: tied");
    text_add(&wording.brief, ": tied");
}

/* The short wordings leave out when: that is the start. */
static void add_device_bound(struct report_line *line, const struct pg_plan *plan, uint32_t device,
                             uint32_t index, const struct pg_why *why)
{
    struct wording wording = add_piece(line, STYLE_LABEL);

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
        add_both(&wording, ", which it needs");
        return;
    }
    wording = add_piece(line, STYLE_FAINT);
    write_data(plan, why->data_device, why->data_index, &wording);
    text_add(&wording.full, " was ready since ");
    text_brief(&wording.full, why->data_arrival);
    wording.brief.buffer[0] = '\0'; /* it is not the reason */
}

static void add_data_bound(struct report_line *line, const struct pg_plan *plan,
                           const struct pg_why *why)
{
    struct wording wording = add_piece(line, STYLE_LABEL);

    text_add(&wording.full, "waited for ");
    text_add(&wording.brief, "waited for ");
    write_data(plan, why->data_device, why->data_index, &wording);
    text_add(&wording.full, ", there at ");
    text_brief(&wording.full, why->data_arrival);
    if (why->data_arrival > why->data_end) {
        wording = add_piece(line, STYLE_FAINT);
        text_add(&wording.full, "of that, transfer ");
        text_add(&wording.brief, "transfer ");
        add_time(&wording, why->data_arrival - why->data_end);
    }
    if (why->is_tied)
        add_tie(line, plan, why);
    if (why->has_previous) {
        wording = add_piece(line, STYLE_FAINT);
        text_add(&wording.full, "its device was free since ");
        text_brief(&wording.full, why->previous_end);
    }
}

static void add_span(struct report_line *line, double start, double end)
{
    struct wording wording = add_piece(line, STYLE_LABEL);

    add_time(&wording, start);
    text_add(&wording.full, " → ");
    text_add(&wording.brief, "→");
    add_time(&wording, end);
}

/* What the device keeps at most, where that is more than there is room for. */
static void add_excess(struct report_line *line, const struct snapshot *snapshot, uint32_t device)
{
    const struct pg_metrics *metrics = &snapshot->outcome->metrics;
    double memory = metrics->device_memory[device];

    if (!memory_is_over(snapshot->scenario, memory))
        return;
    struct wording wording = add_piece(line, STYLE_REFUSAL);
    add_both(&wording, memory == metrics->stage_peak_stash[device] ? "stash " : "memory ");
    add_time(&wording, memory);
    add_both(&wording, " > limit ");
    add_time(&wording, snapshot->scenario->memory_limit);
}

static void add_layers(struct report_line *line, const struct snapshot *snapshot, uint32_t stage)
{
    const struct pg_range *ranges = snapshot->outcome->resolved.ranges;

    if (ranges == NULL)
        return;
    struct wording wording = add_piece(line, STYLE_FAINT);
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
    struct wording wording = add_piece(line, slack > 0 ? STYLE_LABEL : STYLE_NUMBER);
    if (slack > 0) {
        add_both(&wording, "slack ");
        add_time(&wording, slack);
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
    struct wording wording = add_piece(line, STYLE_FAINT);
    add_both(&wording, "unblocks ");
    for (uint32_t i = 0; i < count; i++) {
        struct pg_op op;
        pg_op_at(plan, places[i].device, places[i].index, &op);
        add_both(&wording, i == 0 ? "" : ", ");
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
    struct wording wording = add_piece(line, STYLE_NUMBER);
    write_name(plan, item, &op, &wording);
    add_span(line, op.start, op.end);
    add_excess(line, snapshot, item->device);
    if (why.bound == PG_BOUND_ORIGIN) {
        wording = add_piece(line, STYLE_LABEL);
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

/* ---- the chain behind a gap ---- */

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
        add_time(wording, link->lag);
    }
    if (link->is_tied)
        add_both(wording, " (tied)");
}

/* What the gap's operation waits for. */
static void add_first_link(struct report_line *line, const struct pg_plan *plan,
                           const struct pg_link *link, const struct pg_op *next)
{
    struct wording wording = add_piece(line, STYLE_LABEL);
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
    struct wording wording = add_piece(line, STYLE_FAINT);
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
        write_op(&op, &wording);
    }
    add_lag(link, &wording);
}

/* The end of a chain that is not told whole; `next` where its first link is in here as well. */
static void add_last_link(struct report_line *line, const struct pg_plan *plan,
                          const struct pg_link *first, const struct pg_link *last,
                          const struct pg_op *next)
{
    struct wording wording = add_piece(line, next != NULL ? STYLE_LABEL : STYLE_FAINT);
    struct pg_op op;

    line->pieces[line->count - 1].is_more = next == NULL;
    if (next != NULL) {
        pg_op_at(plan, first->at.device, first->at.index, &op);
        text_addf(&wording.full, "%s%u must wait for ", kind_letter(next->kind), next->micro_batch);
        text_addf(&wording.brief, "%s%u waits for ", kind_letter(next->kind), next->micro_batch);
        write_op(&op, &wording);
        add_both(&wording, " ");
    }
    pg_op_at(plan, last->at.device, last->at.index, &op);
    text_add(&wording.full, "… and so on, back to ");
    text_add(&wording.brief, "… back to ");
    write_op(&op, &wording);
}

/* Where the chain ends: what was under way when the gap began. */
static void add_origin(struct report_line *line, const struct pg_plan *plan,
                       const struct pg_link *link, double begin)
{
    struct wording wording = add_piece(line, STYLE_LABEL);
    struct pg_op op;

    pg_op_at(plan, link->at.device, link->at.index, &op);
    if (op.end > begin) {
        text_add(&wording.full, op.start < begin ? "which was running all along, from "
                                                 : "which ran from ");
        text_add(&wording.brief, "running ");
        add_time(&wording, op.start);
        text_add(&wording.full, " to ");
        text_add(&wording.brief, "→");
        add_time(&wording, op.end);
    } else {
        text_add(&wording.full, "which had ended by then, at ");
        text_add(&wording.brief, "ended at ");
        add_time(&wording, op.end);
    }
}

enum { MOST_LINKS = 8, MOST_STEPS = 100000 };

/* Links 0 … shown-2 and the last one, with a word for what is left out in between. */
static void add_chain(struct report_line *line, const struct pg_plan *plan,
                      const struct selection *item, uint32_t shown)
{
    struct pg_link links[MOST_LINKS], last;
    struct pg_op next;
    double begin = item->index == 0 ? 0 : pg_op_end(plan, item->device, item->index - 1);
    uint32_t count = pg_gap_chain(plan, item->device, item->index, links, MOST_LINKS, MOST_STEPS);

    if (count == 0)
        return;
    if (count <= MOST_LINKS)
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
    struct wording wording = add_piece(line, STYLE_LABEL);
    struct pg_op op;

    for (uint32_t d = 0; d < plan->devices; d++) {
        pg_op_at(plan, d, plan->run[d].count - 1, &op);
        if (op.end >= plan->makespan)
            break;
    }
    text_addf(&wording.full, "its work is done; %s%u on stage %u ends the step at ",
              kind_letter(op.kind), op.micro_batch, op.stage);
    text_addf(&wording.brief, "done; %s%u@%u ends the step at ", kind_letter(op.kind),
              op.micro_batch, op.stage);
    add_time(&wording, op.end);
}

/* A share that is there but rounds to nothing is said to be small, not 0. */
static void add_share(struct text *text, double share)
{
    if (share > 0 && share < 0.0005)
        text_add(text, "under 0.1%");
    else
        text_percent(text, share);
}

static void inspect_gap(struct report_line *line, const struct snapshot *snapshot, uint32_t links)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;
    const struct pg_metrics *metrics = &snapshot->outcome->metrics;
    const struct selection *item = &snapshot->selection;
    double start, end, idle = plan->devices * metrics->makespan * metrics->bubble_fraction;

    gap_bounds(plan, item->device, item->index, &start, &end);
    double share = idle > 0 ? fmin(1, (end - start) / idle) : 0;
    struct wording wording = add_piece(line, STYLE_BUBBLE);
    text_addf(&wording.full, plan->slots == 1 ? "stage %u idle" : "dev %u idle", item->device);
    text_add(&wording.brief, "idle"); /* the chart marks the device */
    add_span(line, start, end);
    add_excess(line, snapshot, item->device);
    wording = add_piece(line, STYLE_LABEL);
    add_both(&wording, "length ");
    add_time(&wording, end - start);
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
    struct wording wording = add_piece(line, STYLE_REFUSAL);
    text_addf(&wording.full, "! %u of %u over memory limit ", count,
              snapshot->outcome->plan.devices);
    text_addf(&wording.brief, "! %u over limit ", count);
    add_time(&wording, snapshot->scenario->memory_limit);
}

static void inspect_all(struct report_line *line, const struct snapshot *snapshot)
{
    const struct resolved *resolved = &snapshot->outcome->resolved;
    struct wording wording = add_piece(line, STYLE_NUMBER);

    add_both(&wording, "all stages");
    add_all_excess(line, snapshot);
    wording = add_piece(line, STYLE_LABEL);
    if (resolved->ranges == NULL) {
        text_add(&wording.full, "f F b B change every stage");
        text_add(&wording.brief, "f F b B change all");
        wording = add_piece(line, STYLE_FAINT);
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

    for (uint32_t links = MOST_LINKS; links > 0; links--) {
        line.count = 0;
        inspect_gap(&line, snapshot, links);
        if (draw_line(canvas, &line))
            return;
    }
    lay_out(canvas, &line, 0, true);
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
    if (!draw_line(canvas, &line))
        lay_out(canvas, &line, 0, true);
}
