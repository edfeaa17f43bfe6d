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

/* Lays the pieces out, the first `full` of them in the long wording; returns whether all fitted. */
static bool lay_out(const struct canvas *canvas, const struct report_line *line, int full,
                    bool is_drawn)
{
    int x = 1, y = 0;
    bool is_whole = true;

    for (int i = 0; i < line->count; i++) {
        const struct piece *piece = &line->pieces[i];
        const char *text = i < full ? piece->full : piece->brief;
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

/* Long wordings for as many pieces as leave room for all; what comes first is longest said in full. */
static bool draw_line(const struct canvas *canvas, const struct report_line *line)
{
    for (int full = line->count; full >= 0; full--)
        if (lay_out(canvas, line, full, false))
            return lay_out(canvas, line, full, true);
    return false;
}

/* "B3 from stage 3" */
static void write_data(const struct pg_plan *plan, uint32_t device, uint32_t index,
                       struct wording *wording)
{
    char buffer[80];
    struct text text;
    struct pg_op op;

    text_init(&text, buffer, sizeof buffer);
    pg_op_at(plan, device, index, &op);
    text_addf(&text, "%s%u from stage %u", kind_letter(op.kind), op.micro_batch, op.stage);
    add_both(wording, buffer);
}

static void write_previous(const struct pg_plan *plan, uint32_t device, uint32_t index,
                           struct wording *wording)
{
    char buffer[40];
    struct text text;
    struct pg_op op;

    text_init(&text, buffer, sizeof buffer);
    pg_op_at(plan, device, index - 1, &op);
    text_addf(&text, "%s%u", kind_letter(op.kind), op.micro_batch);
    add_both(wording, buffer);
}

/* Equal but for rounding: sums of the same costs in another order. */
static bool same_time(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static bool is_tie(const struct pg_why *why)
{
    return why->is_tied || (why->has_previous && why->has_data &&
                            same_time(why->previous_end, why->data_arrival));
}

static void add_device_bound(struct report_line *line, const struct pg_plan *plan, uint32_t device,
                             uint32_t index, const struct pg_why *why)
{
    struct wording wording = add_piece(line, STYLE_LABEL);

    text_add(&wording.full, "started when its device ended ");
    text_add(&wording.brief, "after ");
    write_previous(plan, device, index, &wording);
    text_add(&wording.full, " at ");
    text_add(&wording.brief, " at ");
    add_time(&wording, why->previous_end);
    if (!why->has_data)
        return;
    wording = add_piece(line, STYLE_FAINT);
    write_data(plan, why->data_device, why->data_index, &wording);
    if (is_tie(why)) {
        text_add(&wording.full, " arrived at the same moment: tied");
        text_add(&wording.brief, ": tied");
        return;
    }
    text_add(&wording.full, " was ready since ");
    text_add(&wording.brief, " ready since ");
    add_time(&wording, why->data_arrival);
}

static void add_data_bound(struct report_line *line, const struct pg_plan *plan,
                           const struct pg_why *why)
{
    struct wording wording = add_piece(line, STYLE_LABEL);

    text_add(&wording.full, "waited for ");
    text_add(&wording.brief, "waited for ");
    write_data(plan, why->data_device, why->data_index, &wording);
    text_add(&wording.full, ", there at ");
    text_add(&wording.brief, " at ");
    add_time(&wording, why->data_arrival);
    if (why->data_arrival > why->data_end) {
        wording = add_piece(line, STYLE_FAINT);
        text_add(&wording.full, "of that, transfer ");
        text_add(&wording.brief, "transfer ");
        add_time(&wording, why->data_arrival - why->data_end);
    }
    if (why->has_previous) {
        wording = add_piece(line, STYLE_FAINT);
        text_add(&wording.full, "its device was free since ");
        text_add(&wording.brief, "free since ");
        add_time(&wording, why->previous_end);
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

/* The other half of a fused pair: "B3 on stage 4". */
static const char *partner(const struct pg_plan *plan, const struct selection *item, char *buffer,
                           size_t size)
{
    bool is_first = plan->run[item->device].code[item->index] & PG_CODE_FUSED_FIRST;
    struct pg_op op;
    struct text text;

    pg_op_at(plan, item->device, is_first ? item->index + 1 : item->index - 1, &op);
    text_init(&text, buffer, size);
    text_addf(&text, "%s%u on stage %u", kind_letter(op.kind), op.micro_batch, op.stage);
    return buffer;
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
    char fused[60];

    pg_op_at(plan, item->device, item->index, &op);
    pg_op_why(plan, item->device, item->index, &why);
    struct wording wording = add_piece(line, STYLE_NUMBER);
    text_addf(&wording.full, "%s%u on stage %u", kind_letter(op.kind), op.micro_batch, op.stage);
    if (plan->replicas > 1)
        text_addf(&wording.full, " of replica %u", op.replica);
    if (plan->slots > 1)
        text_addf(&wording.full, " (dev %u)", op.device);
    if (op.is_fused)
        text_addf(&wording.full, ", fused with %s", partner(plan, item, fused, sizeof fused));
    text_add(&wording.brief, wording.full.buffer);
    add_span(line, op.start, op.end);
    add_excess(line, snapshot, item->device);
    if (why.bound == PG_BOUND_ORIGIN) {
        wording = add_piece(line, STYLE_LABEL);
        add_both(&wording, "starts the step: it waits for nothing");
    } else if (why.bound == PG_BOUND_DEVICE || is_tie(&why)) {
        add_device_bound(line, plan, item->device, item->index, &why);
    } else {
        add_data_bound(line, plan, &why);
    }
    add_slack(line, snapshot);
    add_unblocks(line, plan, item);
    add_layers(line, snapshot, op.stage);
}

/* ---- the chain behind a gap ---- */

/* "the gradient of micro-batch 0 from stage 2" and "B0 of stage 2" */
static void write_result(const struct pg_op *op, struct wording *wording)
{
    text_addf(&wording->full, "the %s of micro-batch %u from stage %u",
              op->kind == PG_FORWARD ? "activation" : "gradient", op->micro_batch, op->stage);
    text_addf(&wording->brief, "%s%u of stage %u", kind_letter(op->kind), op->micro_batch, op->stage);
}

/* "which waits for …": a step of the chain, or its first one, behind "B0". */
static void add_link(struct report_line *line, const struct pg_plan *plan,
                     const struct pg_link *link, bool is_first, const struct pg_op *next)
{
    struct wording wording = add_piece(line, is_first ? STYLE_LABEL : STYLE_FAINT);
    struct pg_op op;

    pg_op_at(plan, link->at.device, link->at.index, &op);
    if (is_first) {
        text_addf(&wording.full, "%s%u must wait for ", kind_letter(next->kind), next->micro_batch);
        text_addf(&wording.brief, "%s%u waits for ", kind_letter(next->kind), next->micro_batch);
    } else {
        text_add(&wording.full, link->bound == PG_BOUND_DATA ? "which waits for "
                                                             : "which waits until its device ends ");
        text_add(&wording.brief, link->bound == PG_BOUND_DATA ? "← " : "← behind ");
    }
    if (link->bound == PG_BOUND_DATA) {
        write_result(&op, &wording);
    } else {
        text_addf(&wording.full, "%s%u", kind_letter(op.kind), op.micro_batch);
        text_addf(&wording.brief, "%s%u", kind_letter(op.kind), op.micro_batch);
    }
    if (link->lag > 0) {
        text_add(&wording.full, ", transfer ");
        text_add(&wording.brief, " + transfer ");
        add_time(&wording, link->lag);
    }
    if (link->is_tied)
        add_both(&wording, " (tied)");
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
        text_add(&wording.brief, "running from ");
        add_time(&wording, op.start);
        add_both(&wording, " to ");
        add_time(&wording, op.end);
    } else {
        text_add(&wording.full, "which had ended by then, at ");
        text_add(&wording.brief, "ended at ");
        add_time(&wording, op.end);
    }
}

enum { MOST_LINKS = 8, MOST_STEPS = 100000 };

/* Links 0 … shown-2, what was left out, and the last one. */
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
    for (uint32_t i = 0; i + 1 < shown; i++)
        add_link(line, plan, &links[i], i == 0, &next);
    if (shown < count) {
        struct wording wording = add_piece(line, STYLE_FAINT);
        text_add(&wording.full, "… and so on, back to …");
        text_add(&wording.brief, "…");
    }
    add_link(line, plan, &last, count == 1 || shown == 1, &next);
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
    text_addf(&wording.brief, "done; %s%u on stage %u ends the step at ", kind_letter(op.kind),
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
    text_add(&wording.brief, wording.full.buffer);
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
