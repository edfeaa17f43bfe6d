/* What stands beside a lane: its name, its costs or stages, and the share it idles. See lane.h. */
#include "view/lane.h"
#include "view/play.h"

#include <math.h>
#include <stdio.h>

static void add_rounded(struct text *text, double cost)
{
    char buffer[TEXT_NUMBER_SIZE];
    double rounded = cost;

    snprintf(buffer, sizeof buffer, "%.3g", cost);
    number_parse(buffer, &rounded);
    text_brief(text, rounded);
}

void chart_lane_costs(const struct snapshot *snapshot, uint32_t device, struct text *text)
{
    const struct resolved *resolved = &snapshot->outcome->resolved;
    double forward = resolved->forward[device], backward = resolved->backward[device];

    if (snapshot->outcome->plan.family->is_forward_only) {
        add_rounded(text, forward);
        return;
    }
    text_brief(text, forward);
    text_add(text, "+");
    text_brief(text, backward);
    if (text->length <= 9)
        return;
    text_init(text, text->buffer, text->size);
    add_rounded(text, forward);
    text_add(text, "+");
    add_rounded(text, backward);
}

/* Stage and device are one, or a device has several stages and a name of its own. */
static bool is_plain(const struct snapshot *snapshot)
{
    return snapshot->outcome->plan.slots == 1;
}

void chart_lane_stages(const struct snapshot *snapshot, uint32_t device, struct text *text)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;
    const uint32_t *cells = plan->slot_cell + (size_t)device * plan->slots;
    uint32_t last = plan->slots - 1;

    while (last > 0 && cells[last] == PG_NONE)
        last--;
    for (uint32_t slot = 0; slot <= last; slot++) {
        if (last > 2 && slot > 1 && slot < last)
            continue; /* 0,4…28 */
        text_add(text, slot == 0 ? "" : last > 2 && slot == last ? "…" : plan->replicas > 1 ? "+" : ",");
        text_addf(text, "%u", cells[slot] % plan->stages);
    }
}

static bool is_over(const struct snapshot *snapshot, uint32_t device)
{
    return memory_is_over(snapshot->scenario, snapshot->outcome->metrics.device_memory[device]);
}

/* A character, so that it is seen without colour as well. */
static int draw_alert(const struct canvas *gutter, int x, const struct snapshot *snapshot,
                      uint32_t device)
{
    return is_over(snapshot, device) ? canvas_text(gutter, x, 0, STYLE_REFUSAL, "!") : x;
}

void lane_label(const struct canvas *canvas, const struct layout *layout,
                const struct snapshot *snapshot, uint32_t device, int y)
{
    const struct selection *item = &snapshot->selection;
    bool is_selected = !item->is_all && item->device == device, has_row = layout->lane_rows > 1;
    enum style style = is_selected ? STYLE_LABEL_SELECTED : STYLE_LABEL;
    char buffer[80];
    struct text text;
    struct canvas gutter = canvas_sub(canvas, (struct rect){0, y, layout->gutter - 1,
                                                            layout->lane_rows});

    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, is_plain(snapshot) ? "stage %u" : "dev %u", device);
    bool is_short = (layout->lane_rows == 1 && canvas->area.columns < 100) ||
                    1 + (int)text.length + is_over(snapshot, device) > gutter.area.columns;
    if (is_short) {
        text_init(&text, buffer, sizeof buffer);
        text_addf(&text, "%2u", device);
    }
    int x = canvas_text(&gutter, 1, 0, style, buffer);
    draw_alert(&gutter, x, snapshot, device);
    x += memory_is_over(snapshot->scenario, snapshot->outcome->metrics.peak_memory);
    if (is_selected)
        canvas_text(&gutter, 0, 0, style, "▸");
    text_init(&text, buffer, sizeof buffer);
    if (snapshot->play.is_on)
        play_label(snapshot, device, gutter.area.columns - (has_row ? 1 : x + 1), &text);
    else if (is_plain(snapshot))
        chart_lane_costs(snapshot, device, &text);
    else
        chart_lane_stages(snapshot, device, &text);
    if ((has_row ? 1 : x + 1) + canvas_columns(&gutter, buffer) <= gutter.area.columns)
        canvas_text(&gutter, has_row ? 1 : x + 1, has_row ? 1 : 0, STYLE_FAINT, buffer);
}

void lane_idle(const struct canvas *canvas, const struct layout *layout, const struct axis *axis,
               const struct snapshot *snapshot, uint32_t device, int y)
{
    const struct pg_metrics *metrics = &snapshot->outcome->metrics;
    char buffer[32];
    struct text text;
    double share = fmax(0, 1 - metrics->device_work[device] / metrics->makespan);

    if (layout->tail == 0)
        return;
    text_init(&text, buffer, sizeof buffer);
    const struct pg_stash *stash = snapshot->stash;
    if (stash != NULL && (snapshot->play.is_on || layout->is_memory))
        memory_write(snapshot, snapshot->play.is_on
                                   ? pg_stash_at(stash, device, snapshot->play.time)
                                   : stash->peak[device].value, layout->tail - 1, &text);
    else if (layout->tail >= 7)
        text_percent(&text, share);
    else
        text_addf(&text, "%.0f%%", share * 100);
    canvas_text(canvas, layout->gutter + axis->columns + layout->tail - (int)text.length, y,
                STYLE_LABEL, buffer);
}

/* Two devices: their numbers in the gutter, the selected one marked, idle of the selected or upper. */
void lane_label_pair(const struct canvas *canvas, const struct layout *layout,
                     const struct axis *axis, const struct snapshot *snapshot, uint32_t upper,
                     bool has_lower, int y)
{
    const struct selection *item = &snapshot->selection;
    bool is_upper = !item->is_all && item->device == upper;
    bool is_lower = has_lower && !item->is_all && item->device == upper + 1;
    struct canvas gutter = canvas_sub(canvas, (struct rect){0, y, layout->gutter - 1, 1});
    char buffer[32];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, "%u", upper);
    int x = canvas_text(&gutter, 1, 0, is_upper ? STYLE_LABEL_SELECTED : STYLE_LABEL, buffer);
    x = draw_alert(&gutter, x, snapshot, upper);
    if (has_lower) {
        text_init(&text, buffer, sizeof buffer);
        text_addf(&text, "%u", upper + 1);
        if (x + 1 + (int)text.length <= gutter.area.columns) {
            x = canvas_text(&gutter, x, 0, STYLE_FAINT, "·");
            x = canvas_text(&gutter, x, 0, is_lower ? STYLE_LABEL_SELECTED : STYLE_LABEL, buffer);
            draw_alert(&gutter, x, snapshot, upper + 1);
        }
    }
    if (is_upper || is_lower)
        canvas_text(&gutter, 0, 0, STYLE_LABEL_SELECTED, "▸");
    lane_idle(canvas, layout, axis, snapshot, is_lower ? upper + 1 : upper, y);
}
