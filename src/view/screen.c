/* A whole frame: see screen.h. */
#include "view/screen.h"

#include "view/compare.h"
#include "view/build.h"
#include "view/panels.h"
#include "view/play.h"

static int digits(uint32_t number)
{
    int count = 1;
    for (; number >= 10; number /= 10)
        count++;
    return count;
}

/* The longest cost label, so that the gutter does not move while lanes scroll. */
static int cost_columns(const struct snapshot *snapshot)
{
    const struct resolved *resolved = &snapshot->outcome->resolved;
    const struct pg_plan *plan = &snapshot->outcome->plan;
    int longest = 0;

    if (plan->slots > 1) {
        char buffer[80];
        struct text text;
        text_init(&text, buffer, sizeof buffer);
        chart_lane_stages(snapshot, plan->devices - 1, &text);
        return text_columns(buffer) + 1;
    }

    for (uint32_t s = 0; s < resolved->stages; s++) {
        char buffer[80];
        struct text text;
        if (s > 0 && resolved->forward[s] == resolved->forward[s - 1] &&
            resolved->backward[s] == resolved->backward[s - 1])
            continue;
        text_init(&text, buffer, sizeof buffer);
        chart_lane_costs(snapshot, s, &text);
        longest = (int)text.length > longest ? (int)text.length : longest;
    }
    return longest;
}

void screen_wishes(struct wishes *wishes, const struct theme *theme,
                   const struct snapshot *snapshot, int columns, bool is_interactive)
{
    uint32_t devices = snapshot->outcome->plan.devices;
    int number = digits(devices - 1), costs = cost_columns(snapshot);
    int least = columns >= 100 ? 12 : 7;
    int name = columns >= 100 ? 6 + number : number > 2 ? number : 2;

    costs = costs > least ? least : costs;
    int label = columns >= 60 ? name + 1 + costs : 2 * number + 1, mark = 0;
    if (memory_is_over(snapshot->scenario, snapshot->outcome->metrics.peak_memory)) {
        /* A mark behind a name, and two where a row is shared. */
        mark = 1;
        label = label + 1 > 2 * number + 3 ? label + 1 : 2 * number + 3;
    }
    *wishes = (struct wishes){
        .devices = devices,
        .label_columns = label,
        .tall_label_columns = 6 + number + mark > costs ? 6 + number + mark : costs,
        .note_rows = notes_rows(snapshot->scenario, columns),
        .can_halve = !theme->is_ascii && theme->depth != DEPTH_MONO,
        .has_keys = is_interactive,
        .has_memory = snapshot->has_memory && snapshot->stash != NULL,
    };
}

/* A lesson takes its rows off the bottom; message and keys stay below it. Where lines are short the
 * inspector gets a row more: lessons ask why, and that is where it stands. */
static void make_layout(struct layout *layout, const struct grid *grid, const struct wishes *wishes,
                        int lesson)
{
    int more = lesson > 0 && grid->columns < 100 && grid->rows - lesson > 14 ? 1 : 0;

    layout_make(layout, grid->columns, grid->rows - lesson - more, wishes);
    layout->inspector.rows += more;
    layout->message.y += more;
    layout->keys.y += more;
    layout_make_room(layout, lesson);
}

/* Is there nothing that the message line is needed for? Notes can wait until nothing is selected.
 */
static bool is_message_free(const struct snapshot *snapshot)
{
    return snapshot->mode == MODE_CHART && snapshot->message[0] == '\0' && snapshot->count == 0 &&
           !snapshot->selection.is_all && !snapshot->play.is_on && snapshot->lesson.step == NULL;
}

void screen_tell_view(struct frame *frame, uint32_t devices)
{
    frame->view.start = frame->axis.start;
    frame->view.span = frame->axis.columns * 8 / frame->axis.eighths;
    frame->view.columns = (uint32_t)frame->axis.columns;
    /* Pairs begin with an even lane: of those that do not all fit one may be cut off. */
    bool is_scrolled = frame->layout.visible < devices;
    frame->view.lanes = frame->layout.visible - (frame->layout.is_halved && is_scrolled ? 1 : 0);
}

/* What takes the whole screen; false when nothing does. */
static bool draw_page(const struct canvas *canvas, const struct snapshot *snapshot,
                      struct frame *frame)
{
    int cursor = -1;

    switch (snapshot->mode) {
    case MODE_FAMILIES:
        panel_families(canvas, snapshot);
        return true;
    case MODE_ADVICE:
        panel_advice(canvas, snapshot);
        return true;
    case MODE_SWEEP:
        panel_sweep(canvas, snapshot, &cursor);
        frame->cursor_x = cursor;
        frame->cursor_y = canvas->grid->rows - 2;
        return true;
    case MODE_IDLE:
        panel_idle(canvas, snapshot);
        return true;
    case MODE_HELP:
        frame->view.help_lines = panel_help(canvas, snapshot);
        frame->view.help_rows = (uint32_t)canvas->grid->rows - 1;
        return true;
    default:
        return false;
    }
}

/* Message line and key bar, or what stands there for now. */
static void draw_bottom(const struct canvas *canvas, const struct snapshot *snapshot, int lesson,
                        struct frame *frame)
{
    const struct layout *layout = &frame->layout;
    struct canvas step = canvas_sub(canvas, layout->lesson);
    struct canvas message = canvas_sub(canvas, layout->message);
    struct canvas keys = canvas_sub(canvas, layout->keys);
    int cursor = -1, columns = canvas->area.columns;

    panel_lesson(&step, snapshot);
    if (layout->inspector.rows > 0 && panel_has_long_refusal(&message, snapshot)) {
        /* What could be done instead stands at its end: the explanation gives a row up for it. */
        struct rect two = {0, layout->message.y - 1, layout->message.columns, 2};
        struct canvas both = canvas_sub(canvas, two);
        panel_long_refusal(&both, snapshot);
    } else if (layout->message.rows > 0) {
        bool is_asked = snapshot->lesson.step != NULL &&
                        (lesson == 0 || (lesson <= 2 && snapshot->lesson.reply == NULL));
        panel_message(&message, snapshot, layout->notes.rows > 0 || is_asked, &cursor);
        if (is_asked)
            panel_lesson_line(&message, snapshot);
    }
    if (snapshot->play.is_on && layout->inspector.rows < 2)
        panel_narration(&message, snapshot, false);
    if (snapshot->play.is_on)
        panel_play_keys(&keys);
    else
        panel_keys(&keys);
    if (cursor >= 0) {
        frame->cursor_x = cursor < columns ? cursor : columns - 1;
        frame->cursor_y = layout->message.y;
    }
}

static void draw_chart(const struct canvas *canvas, const struct snapshot *snapshot,
                       bool is_interactive, int lesson, struct frame *frame)
{
    const struct layout *layout = &frame->layout;

    if (is_interactive && is_message_free(snapshot))
        layout_lend_message(&frame->layout);
    struct canvas title = canvas_sub(canvas, layout->title);
    struct canvas metrics = canvas_sub(canvas, layout->metrics);
    struct canvas legend = canvas_sub(canvas, layout->legend);
    struct canvas rule = canvas_sub(canvas, layout->rule);
    struct canvas inspector = canvas_sub(canvas, layout->inspector);
    struct canvas notes = canvas_sub(canvas, layout->notes);

    panel_title(&title, snapshot, is_interactive);
    panel_metrics(&metrics, snapshot);
    chart_ruler(canvas, layout, &frame->axis, snapshot);
    frame->is_short = !chart_lanes(canvas, layout, &frame->axis, snapshot);
    if (layout->is_memory)
        memory_only_legend(&legend, snapshot);
    else
        panel_legend(&legend, snapshot);
    canvas_rule(&rule, 0, STYLE_FAINT);
    if (snapshot->play.is_on)
        panel_play(&inspector, snapshot);
    else
        panel_inspector(&inspector, snapshot);
    panel_notes(&notes, snapshot);
    if (is_interactive)
        draw_bottom(canvas, snapshot, lesson, frame);
}

void screen_draw(struct grid *grid, const struct theme *theme, const struct snapshot *snapshot,
                 bool is_interactive, struct frame *frame)
{
    static const struct frame blank = {.cursor_x = -1, .cursor_y = -1};
    struct canvas canvas = {grid, theme, {0, 0, grid->columns, grid->rows}};
    struct wishes wishes;
    struct layout *layout = &frame->layout;

    grid_clear(grid);
    *frame = blank;
    int lesson = is_interactive ? lesson_rows(&canvas, snapshot) : 0;
    screen_wishes(&wishes, theme, snapshot, grid->columns, is_interactive);
    make_layout(layout, grid, &wishes, lesson);
    if (layout->is_too_small) {
        struct canvas line = canvas_sub(&canvas, layout->message);
        panel_too_small(&line);
        return;
    }
    frame->axis = axis_make(&snapshot->window, snapshot->outcome->plan.makespan,
                            layout->chart_columns, theme);
    screen_tell_view(frame, snapshot->outcome->plan.devices);
    if (draw_page(&canvas, snapshot, frame)) /* whatever lies below it */
        return;
    if (snapshot->build != NULL) {
        *frame = blank;
        screen_build(&canvas, snapshot, frame);
    } else if (snapshot->compared.a.outcome != NULL) {
        *frame = blank;
        screen_compare(&canvas, snapshot, is_interactive, lesson, frame);
    } else {
        draw_chart(&canvas, snapshot, is_interactive, lesson, frame);
    }
}

int screen_printed_rows(const struct snapshot *snapshot, int columns)
{
    int devices = (int)snapshot->outcome->plan.devices;
    int lane_step = devices <= 8 ? 3 : 1;

    if (snapshot->compared.a.outcome != NULL)
        return compare_printed_rows(snapshot);
    /* Title, two rows of metrics, ruler, legend, and one to set it apart. */
    return 6 + devices * lane_step + notes_rows(snapshot->scenario, columns);
}
