/* The frame of a comparison: see compare.h.
 *
 * The charts are drawn by what draws a single one, A's from a snapshot in which A stands in the
 * place of the state. There is one axis, in B's unit of time; A's is the same one told in A's. */
#include "view/compare.h"

#include "view/panels.h"
#include "view/play.h"

enum { PRINTED_STEP_DEVICES = 16 /* up to these lanes are printed two rows high */ };

/* The same operation in A, so that what was selected in B can be seen to have moved. */
static struct selection counterpart(const struct snapshot *snapshot, const struct outcome *a)
{
    const struct selection *item = &snapshot->selection;
    struct selection found = {.is_all = true};
    struct pg_op op;
    uint32_t device;

    if (item->is_all || item->is_gap)
        return found;
    pg_op_at(&snapshot->outcome->plan, item->device, item->index, &op);
    if (op.stage >= a->plan.stages || op.replica >= a->plan.replicas ||
        op.micro_batch >= a->plan.micro_each)
        return found;
    uint32_t index = pg_op_find(&a->plan, op.replica * a->plan.stages + op.stage, op.micro_batch,
                                (enum pg_kind)op.kind, &device);
    return index == PG_NONE ? found : (struct selection){.device = device, .index = index};
}

static struct snapshot snapshot_of_a(const struct snapshot *snapshot)
{
    struct snapshot a = *snapshot;

    a.scenario = snapshot->compared.a.scenario;
    a.outcome = snapshot->compared.a.outcome;
    a.name = snapshot->compared.a.name;
    a.path = snapshot->compared.a.path;
    a.stash = snapshot->compared.a.stash;
    a.play.time /= snapshot->compared.unit;
    a.latest = NULL; /* and nothing else that knows B's operations by their places */
    a.selection = counterpart(snapshot, a.outcome);
    return a;
}

/* Lanes scroll together, and from the first to the last of either where they are not as many; where
 * B's all fit, the selection takes A's along. */
static uint32_t lane_top_of_a(const struct compare_layout *layout, const struct snapshot *snapshot,
                              uint32_t devices)
{
    uint32_t all = snapshot->outcome->plan.devices, top = snapshot->lane_top;
    uint32_t most = devices > layout->a.visible ? devices - layout->a.visible : 0;
    uint32_t most_b = all > layout->b.visible ? all - layout->b.visible : 0;

    if (most_b > 0)
        return (uint32_t)((uint64_t)(top < most_b ? top : most_b) * most / most_b);
    if (snapshot->selection.is_all || all == 1)
        return 0;
    return (uint32_t)((uint64_t)snapshot->selection.device * most / (all - 1));
}

/* False when there was not enough memory to draw them. */
static bool draw_charts(const struct canvas *canvas, const struct compare_layout *layout,
                        const struct snapshot *snapshot, const struct snapshot *a,
                        const struct axis *axis)
{
    const struct compared *compared = &snapshot->compared;
    struct canvas head_a = canvas_sub(canvas, layout->head_a);
    struct canvas head_b = canvas_sub(canvas, layout->head_b);
    struct axis axis_a = *axis;

    axis_a.start = axis->start / compared->unit;
    axis_a.eighths = axis->eighths * compared->unit;
    chart_ruler(canvas, &layout->b, axis, snapshot);
    compare_head(&head_a, compared, false);
    bool is_whole = chart_lanes(canvas, &layout->a, &axis_a, a);
    compare_head(&head_b, compared, true);
    return chart_lanes(canvas, &layout->b, axis, snapshot) && is_whole;
}

/* ---- the page of numbers ---- */

static void draw_page(const struct canvas *canvas, const struct snapshot *snapshot,
                      struct frame *frame)
{
    int columns = canvas->area.columns, rows = canvas->area.rows, cursor;
    struct canvas title = canvas_sub(canvas, (struct rect){0, 0, columns, 1});
    struct canvas head_a = canvas_sub(canvas, (struct rect){0, 1, columns, 1});
    struct canvas head_b = canvas_sub(canvas, (struct rect){0, 2, columns, 1});
    struct canvas numbers = canvas_sub(canvas, (struct rect){0, 3, columns, rows - 5});
    struct canvas message = canvas_sub(canvas, (struct rect){0, rows - 2, columns, 1});

    panel_title(&title, snapshot, true);
    compare_head(&head_a, &snapshot->compared, false);
    compare_head(&head_b, &snapshot->compared, true);
    compare_numbers(&numbers, &snapshot->compared, snapshot->compared.top);
    panel_message(&message, snapshot, true, &cursor);
    canvas_fill(canvas, (struct rect){0, rows - 1, columns, 1}, STYLE_KEY_TEXT);
    canvas_text_cut(canvas, 1, rows - 1, STYLE_KEY_TEXT,
                    "q back to the charts   d unpins A   D exchanges   Up Down scroll   other keys "
                    "go on changing B");
    frame->view.help_lines = compare_lines(&snapshot->compared);
    frame->view.help_rows = (uint32_t)(rows > 6 ? rows - 5 : 1);
}

/* ---- the frame ---- */

static void draw_panels(const struct canvas *canvas, const struct compare_layout *layout,
                        const struct snapshot *snapshot, struct frame *frame)
{
    const struct layout *panels = &layout->b;
    struct canvas title = canvas_sub(canvas, panels->title);
    struct canvas metrics = canvas_sub(canvas, panels->metrics);
    struct canvas rule = canvas_sub(canvas, panels->rule);
    struct canvas inspector = canvas_sub(canvas, panels->inspector);
    struct canvas step = canvas_sub(canvas, panels->lesson);
    struct canvas message = canvas_sub(canvas, panels->message);
    struct canvas keys = canvas_sub(canvas, panels->keys);
    int cursor = -1;

    panel_title(&title, snapshot, true);
    panel_metrics(&metrics, snapshot);
    canvas_rule(&rule, 0, STYLE_FAINT);
    if (snapshot->play.is_on)
        panel_play(&inspector, snapshot);
    else
        panel_inspector(&inspector, snapshot);
    panel_lesson(&step, snapshot);
    panel_message(&message, snapshot, true, &cursor);
    if (snapshot->play.is_on)
        panel_narration(&message, snapshot, inspector.area.rows > 1);
    if (snapshot->play.is_on)
        panel_play_keys(&keys);
    else
        panel_keys(&keys);
    if (cursor >= 0) {
        frame->cursor_x = cursor < canvas->area.columns ? cursor : canvas->area.columns - 1;
        frame->cursor_y = panels->message.y;
    }
}

void screen_compare(const struct canvas *canvas, const struct snapshot *snapshot,
                    bool is_interactive, int lesson, struct frame *frame)
{
    const struct compared *compared = &snapshot->compared;
    struct snapshot a = snapshot_of_a(snapshot);
    struct wishes wishes_a, wishes_b;
    struct compare_layout layout;
    int columns = canvas->area.columns;
    bool is_page = snapshot->mode == MODE_COMPARE && is_interactive;
    int below = is_page ? 0 : lesson; /* the page of numbers is all numbers */

    screen_wishes(&wishes_a, canvas->theme, &a, columns, is_interactive);
    screen_wishes(&wishes_b, canvas->theme, snapshot, columns, is_interactive);
    compare_layout_make(&layout, columns, canvas->area.rows - below, &wishes_a, &wishes_b,
                        (int)compare_lines(compared));
    layout_make_room(&layout.b, below);
    frame->layout = layout.b;
    if (layout.b.is_too_small) {
        struct canvas line = canvas_sub(canvas, layout.b.message);
        panel_too_small(&line);
        return;
    }
    frame->axis = axis_make(&snapshot->window, compare_extent(compared), layout.b.chart_columns,
                            canvas->theme);
    screen_tell_view(frame, snapshot->outcome->plan.devices);
    if (is_page) {
        draw_page(canvas, snapshot, frame);
        return;
    }
    a.lane_top = lane_top_of_a(&layout, snapshot, a.outcome->plan.devices);
    struct canvas legend = canvas_sub(canvas, layout.b.legend);
    struct canvas table = canvas_sub(canvas, layout.table);
    frame->is_short = !draw_charts(canvas, &layout, snapshot, &a, &frame->axis);
    panel_legend(&legend, snapshot);
    if (is_interactive) {
        compare_table(&table, compared);
        draw_panels(canvas, &layout, snapshot, frame);
    } else {
        compare_numbers(&table, compared, 0);
    }
}

int compare_printed_rows(const struct snapshot *snapshot)
{
    int lanes = (int)(snapshot->outcome->plan.devices +
                      snapshot->compared.a.outcome->plan.devices);

    /* Ruler, two heads, legend and what sets it apart from the numbers. */
    return 5 + (lanes <= PRINTED_STEP_DEVICES ? lanes * 3 - 2 : lanes) +
           (int)compare_lines(&snapshot->compared);
}
