/* The puzzle: what its screen has instead of title, metrics, inspector and key bar, and over the
 * lanes: where the chosen move would go. Lanes, ruler and legend are the chart's, drawn from what
 * is placed so far. */
#include "view/build.h"

#include "view/compare.h"
#include "view/panels.h"

#include <math.h>
#include <string.h>

/* What the chart draws the lanes from: nothing of the state behind the puzzle. */
static struct snapshot snapshot_of(const struct snapshot *snapshot)
{
    return (struct snapshot){
        .scenario = snapshot->build->scenario,
        .outcome = snapshot->build->outcome,
        .name = snapshot->name,
        .selection = {.is_all = true},
        .edited_stage = PG_NONE,
        .window = {.is_fit = true},
        .is_bubble_view = snapshot->is_bubble_view,
        .mode = snapshot->mode,
        .message = snapshot->message,
        .is_error = snapshot->is_error,
        .prompt = snapshot->prompt,
        .build = snapshot->build,
        .lane_top = snapshot->build->lane_top,
        .slide = PG_NONE,
        .slides = 1,
    };
}

/* ---- title and figures ---- */

static void draw_title(const struct canvas *canvas, const struct snapshot *snapshot)
{
    const struct scenario *scenario = snapshot->build->scenario;
    const struct pg_plan *plan = &snapshot->build->build->plan;
    char buffer[240];
    struct text text;

    canvas_fill(canvas, (struct rect){0, 0, canvas->area.columns, 1}, STYLE_TITLE_MORE);
    int x = canvas_text(canvas, 1, 0, STYLE_TITLE, "Build it yourself") + 2;
    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, "P=%u  M=%u", plan->devices, plan->micro_batches);
    if (plan->chunks > 1)
        text_addf(&text, "  V=%u", plan->chunks);
    text_addf(&text, "  rules of %s: %s%s%s", scenario->schedule->title,
              plan->replicas > 1 ? "two replicas, " : "",
              plan->family->is_forward_only ? "forwards only"
              : plan->family->splits        ? "B whole or I and W"
                                            : "B whole",
              plan->family->has_fused ? ", pairs" : "");
    canvas_text_cut(canvas, x, 0, STYLE_TITLE_MORE, buffer);
}

/* Where the next figure goes. */
struct place {
    const struct canvas *canvas;
    int x, y;
};

/* "name=" faint, "value" strong, " more" faint; whole or not at all. */
static void draw_figure(struct place *place, const char *name, const char *value, const char *more)
{
    const struct canvas *canvas = place->canvas;
    int wanted = canvas_columns(canvas, name) + canvas_columns(canvas, value) +
                 canvas_columns(canvas, more);

    if (place->x + wanted > canvas->area.columns && place->x > 1) {
        place->x = 1;
        place->y++;
    }
    if (place->y >= canvas->area.rows || place->x + wanted > canvas->area.columns)
        return;
    place->x = canvas_text(canvas, place->x, place->y, STYLE_FAINT, name);
    place->x = canvas_text(canvas, place->x, place->y, STYLE_NUMBER, value);
    place->x = canvas_text(canvas, place->x, place->y, STYLE_FAINT, more) + 2;
}

static void draw_number(struct place *place, const char *name, double number, const char *more)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_brief(&text, number);
    draw_figure(place, name, buffer, more);
}

static void draw_family(struct place *place, const char *name, const struct family_row *row)
{
    char more[60];
    struct text text;

    if (row == NULL)
        return;
    text_init(&text, more, sizeof more);
    text_addf(&text, " %s", row->family->name);
    draw_number(place, name, row->makespan, more);
}

static void draw_figures(const struct canvas *canvas, const struct build_view *view)
{
    struct place place = {canvas, 1, 0};
    const struct pg_metrics *metrics = &view->outcome->metrics;
    char buffer[60];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    bool can_grow = !view->is_done && view->build->plan.family->splits; /* a B can become I and W */
    text_addf(&text, " of %s%u", can_grow ? "at least " : "", view->total);
    draw_number(&place, "placed=", (double)view->build->plan.ops, buffer);
    draw_number(&place, view->is_done ? "makespan=" : "makespan so far=", metrics->makespan, "");
    if (!view->is_done)
        draw_number(&place, "at least=", view->floor, "");
    if (view->is_done) {
        text_init(&text, buffer, sizeof buffer);
        text_percent(&text, metrics->bubble_fraction);
        draw_figure(&place, "bubble=", buffer, "");
    }
    draw_number(&place, view->is_done ? "idle=" : "idle so far=", view->idle, "");
    text_init(&text, buffer, sizeof buffer);
    if (view->build->memory_limit > 0) {
        text_add(&text, " of ");
        text_brief(&text, view->build->memory_limit);
    }
    draw_number(&place, "peak stash=", view->peak, buffer);
    draw_family(&place, "best by these rules=", view->here);
    if (view->best != view->here)
        draw_family(&place, "best of all=", view->best);
}

/* ---- over the lanes ---- */

/* The row at which the lane of a device begins, -1 when it is out of sight. */
static int row_of(const struct layout *layout, const struct snapshot *snapshot, uint32_t device)
{
    uint32_t wanted = layout->is_halved ? device & ~1u : device;

    for (int row = 0; row < layout->lanes.rows; row++)
        if (chart_device_at(layout, snapshot, row) == wanted)
            return row;
    return -1;
}

static void draw_column(const struct canvas *lane, int x, struct cell cell)
{
    for (int row = 0; row < lane->area.rows; row++)
        canvas_cell(lane, x, row, cell);
}

/* "F3", or where there is no room for it the number alone, as on operations. */
static int ghost_name(const struct pg_move *move, int room, char *name, size_t size)
{
    struct text text;

    text_init(&text, name, size);
    text_addf(&text, "%s%u", kind_letter((int)pg_code_kind(move->code)), pg_code_micro(move->code));
    if (move->with != PG_NONE)
        text_addf(&text, "&B%u", pg_code_micro(move->with));
    if ((int)text.length <= room)
        return (int)text.length;
    text_init(&text, name, size);
    text_addf(&text, "%u", pg_code_micro(move->code));
    if (move->with != PG_NONE)
        text_addf(&text, "&%u", pg_code_micro(move->with));
    return (int)text.length;
}

/* The chosen move where it would be: its name between brackets, which stand further out than it is
 * long where they have to, and the time that the device would wait for it. */
static void draw_ghost(const struct canvas *lane, const struct axis *axis,
                       const struct build_view *view)
{
    const struct pg_step *step = &view->moves[view->chosen];
    struct cell idle = {theme_idle_glyph(lane->theme), COLOUR_DIM, COLOUR_OWN, 0};
    int from = (int)((axis_eighths(axis, step->start - step->waits) + 4) / 8);
    int left = (int)((axis_eighths(axis, step->start) + 4) / 8);
    int right = (int)((axis_eighths(axis, step->end) + 4) / 8) - 1;
    char name[48];
    int columns = ghost_name(&step->move, right - left - 1, name, sizeof name);

    if (right < left + columns + 1 && left + columns + 1 < lane->area.columns)
        right = left + columns + 1;
    right = right < left ? left : right;
    for (int x = from; x < left; x++)
        draw_column(lane, x, idle);
    for (int x = left + 1; x < right; x++)
        draw_column(lane, x, (struct cell){' ', COLOUR_OWN, COLOUR_OWN, 0});
    draw_column(lane, left, (struct cell){'[', COLOUR_STRONG, COLOUR_OWN, ATTR_BOLD});
    if (right > left)
        draw_column(lane, right, (struct cell){']', COLOUR_STRONG, COLOUR_OWN, ATTR_BOLD});
    if (columns < right - left)
        canvas_text(lane, left + 1 + (right - left - 1 - columns) / 2, (lane->area.rows - 1) / 2,
                    STYLE_NUMBER, name);
}

static void draw_place(const struct canvas *canvas, const struct layout *layout,
                       const struct axis *axis, const struct snapshot *snapshot)
{
    const struct build_view *view = snapshot->build;
    int row = row_of(layout, snapshot, view->device);

    if (row < 0)
        return;
    struct canvas label = canvas_sub(canvas, (struct rect){0, layout->lanes.y + row,
                                                           layout->gutter - 1, 1});
    canvas_text(&label, 0, 0, STYLE_LABEL_SELECTED, "▸");
    for (int x = 0; x < label.area.columns; x++)
        canvas_at(&label, x, 0)->attributes |= ATTR_BOLD;
    if (layout->is_halved || view->count == 0)
        return; /* two devices share the row: the list says where it would go */
    struct canvas lane = canvas_sub(canvas, (struct rect){layout->gutter, layout->lanes.y + row,
                                                          axis->columns, layout->lane_rows});
    draw_ghost(&lane, axis, view);
}

/* ---- the moves ---- */

static int step_columns(const struct canvas *canvas, const struct build_view *view, uint32_t index,
                        char *buffer, size_t size)
{
    struct text text;

    text_init(&text, buffer, size);
    text_add(&text, index == view->chosen ? "[" : " ");
    build_write_step(&view->build->plan, &view->moves[index], &text);
    text_add(&text, index == view->chosen ? "]" : " ");
    return canvas_columns(canvas, buffer);
}

/* As many of the device's moves as there is room for, the chosen one among them. */
static void draw_moves(const struct canvas *canvas, const struct build_view *view)
{
    char buffer[120];
    struct text text;
    int columns = canvas->area.columns - 12; /* room to say how many are left out */
    uint32_t first = view->chosen, at;

    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, view->build->plan.slots > 1 ? "device %u" : "stage %u", view->device);
    text_add(&text, view->build->plan.run[view->device].count > 0 ? ", free at " : ", free from ");
    text_brief(&text, pg_build_front(view->build, view->device));
    text_add(&text, ":");
    int x = canvas_text(canvas, 1, 0, STYLE_HEADING, buffer) + 1;
    int used = x + step_columns(canvas, view, first, buffer, sizeof buffer);
    while (first > 0) {
        used += step_columns(canvas, view, first - 1, buffer, sizeof buffer);
        if (used > columns)
            break;
        first--;
    }
    if (first > 0)
        x = canvas_text(canvas, x, 0, STYLE_FAINT, "…");
    for (at = first; at < view->count; at++) {
        int wanted = step_columns(canvas, view, at, buffer, sizeof buffer);
        if (x + wanted > columns && at > view->chosen)
            break;
        x = canvas_text(canvas, x, 0, at == view->chosen ? STYLE_LABEL_SELECTED : STYLE_LABEL,
                        buffer);
    }
    if (at < view->count) {
        text_init(&text, buffer, sizeof buffer);
        text_addf(&text, " %u more…", view->count - at);
        canvas_text(canvas, x, 0, STYLE_FAINT, buffer);
    }
}

static void write_likeness(const struct build_view *view, struct text *text)
{
    if (view->build->made == 0)
        text_add(text, "Place operations until all are there; 2B tries B2; a refusal says why");
    else if (view->names[0] != '\0')
        text_addf(text, "so far as %s", view->names);
    else
        text_add(text, "no family begins like this");
}

/* What it is: all the names, or where these are too many, the first and how many there are. */
static void write_names(const struct build_view *view, bool is_short, struct text *text)
{
    uint32_t others = 0;

    if (view->names[0] == '\0') {
        text_add(text, "Done, an order of its own: ");
        return;
    }
    for (const char *at = view->names; *at != '\0'; at++)
        others += *at == ',';
    if (is_short && others > 0)
        text_addf(text, "It is %.*s (and %u others): ", (int)strcspn(view->names, ","), view->names,
                  others);
    else
        text_addf(text, "It is %s: ", view->names);
}

static void draw_score(const struct canvas *canvas, const struct build_view *view)
{
    char line[700];
    struct text text;

    for (int is_short = 0; is_short < 2; is_short++) {
        text_init(&text, line, sizeof line);
        write_names(view, is_short == 1, &text);
        if (view->best == NULL)
            text_add(&text, "no family keeps to the memory limit");
        else
            build_write_score(view, view->best, &text);
        if (1 + canvas_columns(canvas, line) <= canvas->area.columns)
            break;
    }
    canvas_text_cut(canvas, 1, 0, STYLE_HEADING, line);
    text_init(&text, line, sizeof line);
    text_add(&text, "by these rules: ");
    if (view->here != NULL && view->here != view->best) {
        build_write_score(view, view->here, &text);
        canvas_text_cut(canvas, 1, 1, STYLE_LABEL, line);
    }
}

static void draw_explanation(const struct canvas *canvas, const struct build_view *view)
{
    char line[600];
    struct text text;

    if (view->is_done) {
        draw_score(canvas, view);
        return;
    }
    if (view->count > 0)
        draw_moves(canvas, view);
    else
        canvas_text_cut(canvas, 1, 0, STYLE_LABEL, view->none);
    text_init(&text, line, sizeof line);
    write_likeness(view, &text);
    canvas_text_cut(canvas, 1, 1, STYLE_FAINT, line);
}

/* " F B next": what a row of the keys takes in the bar, drawn when there is room up to `limit`. */
static int draw_key(const struct canvas *canvas, int x, int limit, enum build_key key)
{
    const struct build_key_info *info = build_key_info(key);
    char keys[40];
    struct text text;

    text_init(&text, keys, sizeof keys);
    text_addf(&text, " %s ", info->shown);
    if (info->bar[0] == '\0' || x + canvas_columns(canvas, keys) + (int)strlen(info->bar) > limit)
        return x;
    x = canvas_text(canvas, x, 0, STYLE_KEY, keys);
    return canvas_text(canvas, x, 0, STYLE_KEY_TEXT, info->bar) + 1;
}

/* Is it of use now? What is finished can be written and taken; before, there is more to place. */
static bool is_useful(enum build_key key, bool is_done)
{
    bool is_for_done = key == BUILD_TAKE || key == BUILD_TYPE;
    return key == BUILD_UNDO || is_for_done == is_done;
}

static void draw_keys(const struct canvas *canvas, const struct snapshot *snapshot)
{
    enum { KEPT = 17 }; /* columns of " ? help  q leave" */
    int x = 0, columns = canvas->area.columns;

    canvas_fill(canvas, (struct rect){0, 0, columns, 1}, STYLE_KEY_TEXT);
    for (enum build_key key = 0; key < BUILD_HELP; key++)
        if (is_useful(key, snapshot->build->is_done))
            x = draw_key(canvas, x, columns - KEPT, key);
    x = draw_key(canvas, x, columns, BUILD_HELP);
    draw_key(canvas, x, columns, BUILD_LEAVE);
}

static void draw_message(const struct canvas *canvas, const struct layout *layout,
                         const struct snapshot *snapshot, struct frame *frame)
{
    struct canvas message = canvas_sub(canvas, layout->message);
    int cursor = -1;

    if (layout->inspector.rows > 1 && panel_has_long_refusal(&message, snapshot)) {
        struct rect two = {0, layout->message.y - 1, layout->message.columns, 2};
        struct canvas both = canvas_sub(canvas, two);
        panel_long_refusal(&both, snapshot);
        return;
    }
    panel_message(&message, snapshot, true, &cursor);
    if (cursor < 0)
        return;
    frame->cursor_x = cursor < canvas->area.columns ? cursor : canvas->area.columns - 1;
    frame->cursor_y = layout->message.y;
}

void screen_build(const struct canvas *canvas, const struct snapshot *outside,
                  struct frame *frame)
{
    struct snapshot snapshot = snapshot_of(outside);
    struct layout *layout = &frame->layout;
    struct wishes wishes;

    screen_wishes(&wishes, canvas->theme, &snapshot, canvas->area.columns, true);
    wishes.note_rows = 0;
    layout_make(layout, canvas->area.columns, canvas->area.rows, &wishes);
    struct canvas message = canvas_sub(canvas, layout->message);
    if (layout->is_too_small) {
        panel_too_small(&message);
        return;
    }
    frame->axis = axis_make(&snapshot.window, snapshot.outcome->plan.makespan,
                            layout->chart_columns, canvas->theme);
    screen_tell_view(frame, snapshot.outcome->plan.devices);
    struct canvas title = canvas_sub(canvas, layout->title);
    struct canvas metrics = canvas_sub(canvas, layout->metrics);
    struct canvas legend = canvas_sub(canvas, layout->legend);
    struct canvas rule = canvas_sub(canvas, layout->rule);
    struct canvas inspector = canvas_sub(canvas, layout->inspector);
    struct canvas keys = canvas_sub(canvas, layout->keys);
    draw_title(&title, &snapshot);
    draw_figures(&metrics, snapshot.build);
    chart_ruler(canvas, layout, &frame->axis, &snapshot);
    chart_lanes(canvas, layout, &frame->axis, &snapshot);
    draw_place(canvas, layout, &frame->axis, &snapshot);
    panel_legend(&legend, &snapshot);
    canvas_rule(&rule, 0, STYLE_FAINT);
    if (inspector.area.rows > 0)
        draw_explanation(&inspector, snapshot.build);
    draw_message(canvas, layout, &snapshot, frame);
    draw_keys(&keys, &snapshot);
}
