/* A moment in play: what has happened as it is, what comes in light dots, a line between. See
 * play.h.
 *
 * What stands beside the line is read off the plan by bisection, lane by lane, so that a frame
 * costs what it shows. Nothing moves when play begins or ends: labels and the idle share give
 * their places to what devices do and keep. */
#include "view/play.h"

#include "model/narrate.h"
#include "view/panels.h"

#include <math.h>
#include <string.h>

/* The time of an event as it is, any other only as exactly as can be seen. */
static void write_time(const struct snapshot *snapshot, struct text *text)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;
    double time = snapshot->play.time, unit = pow(10, floor(log10(plan->makespan / 400)));

    text_brief(text, time == pg_event_at(plan, time) ? time : floor(time / unit) * unit);
}

/* ---- lanes ---- */

/* The paper that has most of a cell; of a half block, the upper part's. */
static enum colour main_paper(const struct cell *cell)
{
    bool is_ink = (cell->glyph >= 0x2589 && cell->glyph <= 0x258c) || cell->glyph == 0x2580;
    return (enum colour)(is_ink ? cell->ink : cell->paper);
}

static bool is_op(enum colour paper)
{
    int kind;
    bool is_second;
    return theme_kind_of_paper(paper, &kind, &is_second);
}

static bool is_number(const struct cell *cell)
{
    return (cell->glyph >= '0' && cell->glyph <= '9') ||
           (cell->glyph == '&' && cell->attributes & ATTR_BOLD);
}

/* Two devices in a cell: a light mark for each that will work. */
static uint32_t halved_glyph(const struct cell *cell)
{
    bool is_upper = cell->glyph == 0x2580 && is_op((enum colour)cell->ink);
    bool is_lower = is_op((enum colour)(cell->glyph == 0x2580 ? cell->paper : cell->ink));
    return is_upper && is_lower ? 0x2591 : is_upper ? 0x2594 : is_lower ? 0x2581 : ' ';
}

static struct cell future_cell(const struct theme *theme, const struct cell *cell)
{
    enum colour paper = main_paper(cell);
    bool is_plain = theme->is_ascii || theme->depth == DEPTH_MONO;

    if (cell->glyph == 0x2580 || cell->glyph == 0x2584)
        return (struct cell){halved_glyph(cell), COLOUR_DIM, COLOUR_OWN, 0};
    if (!is_op(paper))
        return (struct cell){' ', COLOUR_OWN, COLOUR_OWN, 0};
    if (is_number(cell))
        return (struct cell){cell->glyph, COLOUR_DIM, COLOUR_OWN, 0};
    /* Without colours dots are idle time, and each kind has a glyph of its own. */
    uint32_t light = '.';
    int kind;
    bool is_second;
    if (theme->depth == DEPTH_MONO && theme_kind_of_paper(paper, &kind, &is_second))
        light = theme_future_glyph(theme, kind);
    return (struct cell){is_plain ? light : 0x2591, (uint8_t)paper, COLOUR_OWN, 0};
}

void play_dim(const struct lane *lane)
{
    if (!lane->snapshot->play.is_on)
        return;
    int from = axis_column(lane->axis, lane->snapshot->play.time);
    for (int y = 0; y < lane->canvas->area.rows; y++) {
        lane_wipe(lane, from, y); /* the line would make two of it */
        for (int x = from < 0 ? 0 : from; x < lane->axis->columns; x++) {
            struct cell *cell = canvas_at(lane->canvas, x, y);
            if (cell != NULL)
                *cell = future_cell(lane->canvas->theme, cell);
        }
    }
}

/* The rest of a number that a text ends upon: it would be another number. */
static void wipe_rest(const struct canvas *canvas, int x, int row)
{
    struct cell *cell = canvas_at(canvas, x - 1, row);

    while (cell != NULL && (is_number(cell) || cell->glyph == '&')) {
        cell->glyph = ' ';
        cell = canvas_at(canvas, x++, row);
    }
}

void play_call(const struct lane *lane, int row)
{
    const struct snapshot *snapshot = lane->snapshot;
    const struct pg_plan *plan = &snapshot->outcome->plan;
    double time = snapshot->play.time;
    char buffer[100];
    struct text text;

    /* The inspector says it of the selected one, and brackets may stand here. */
    if (!snapshot->play.is_on || (!snapshot->selection.is_all &&
                                  snapshot->selection.device == lane->device))
        return;
    struct moment moment = moment_of(plan, lane->device, time);
    int x = axis_column(lane->axis, time);
    if (moment.is_running || moment.index == plan->run[lane->device].count || x < 0)
        return;
    for (enum telling telling = TELL_BRIEF; telling <= TELL_LEAST; telling++) {
        text_init(&text, buffer, sizeof buffer);
        text_add(&text, " ");
        wait_write(plan, lane->device, &moment, time, telling, &text);
        text_add(&text, " ");
        int end = x + 1 + canvas_columns(lane->canvas, buffer);
        if (end <= lane->axis->columns) {
            wipe_rest(lane->canvas, end, row);
            canvas_text(lane->canvas, x + 1, row, STYLE_LABEL, buffer);
            return;
        }
    }
}

/* Column of the lanes' rectangle that the moment stands in, or the first behind the chart; -1
 * where it is out of sight. */
static int line_column(const struct layout *layout, const struct axis *axis,
                       const struct snapshot *snapshot)
{
    double time = snapshot->play.time;
    int x = axis_column(axis, time);
    bool is_seen = x >= 0 && (x < axis->columns || (time >= snapshot->outcome->plan.makespan &&
                                                    layout->tail > 0));
    double edge = axis_time(axis, axis->columns);

    return snapshot->play.is_on && is_seen && time <= edge * (1 + 1e-9) ? layout->gutter + x : -1;
}

void play_line(const struct canvas *lanes, const struct layout *layout, const struct axis *axis,
               const struct snapshot *snapshot)
{
    int x = line_column(layout, axis, snapshot);

    for (int y = 0; x >= 0 && y < lanes->area.rows; y++)
        canvas_text(lanes, x, y, STYLE_NUMBER, lanes->theme->is_ascii ? "|" : "┃");
}

/* What is left of a tick whose place is needed is no number any more. */
static void wipe_tick(const struct canvas *ruler, int x)
{
    static const char rule[] = "─";
    uint32_t glyph = ruler->theme->is_ascii ? '-' : 0x2500;
    const struct cell *cell;

    for (int step = -1; step <= 1; step += 2)
        for (int at = x + step; (cell = canvas_at(ruler, at, 0)) != NULL && cell->glyph != glyph &&
                                cell->glyph != ' '; at += step)
            canvas_text(ruler, at, 0, STYLE_FAINT, rule);
}

void play_mark(const struct canvas *ruler, const struct layout *layout, const struct axis *axis,
               const struct snapshot *snapshot)
{
    int x = line_column(layout, axis, snapshot) - layout->gutter;
    struct canvas chart = canvas_sub(ruler, (struct rect){layout->gutter, 0, axis->columns, 1});
    char buffer[TEXT_NUMBER_SIZE + 8];
    struct text text;

    if (x < 0)
        return;
    text_init(&text, buffer, sizeof buffer);
    write_time(snapshot, &text);
    int columns = (int)text.length, at = x + 1 + columns <= axis->columns ? x + 1 : x - columns;

    at -= x == axis->columns; /* the title behind the chart begins there */
    const char *mark = ruler->theme->is_ascii ? "v" : "▼";
    for (int i = at < x ? at : x; i <= (at < x ? x : x + columns); i++)
        wipe_tick(&chart, i);
    if (x < axis->columns)
        canvas_text(&chart, x, 0, STYLE_NUMBER, mark);
    if (at >= 0)
        canvas_text(&chart, at, 0, STYLE_NUMBER, buffer);
}

void play_label(const struct snapshot *snapshot, uint32_t device, int columns, struct text *text)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;
    struct moment moment = moment_of(plan, device, snapshot->play.time);

    if (moment.is_running) {
        struct pg_op op;
        char stage[24];
        struct text on;
        doing_write(plan, device, moment.index, false, text);
        pg_op_at(plan, device, moment.index, &op);
        text_init(&on, stage, sizeof stage);
        text_addf(&on, " on %u", op.stage);
        if (plan->slots > 1 && !op.is_fused && (int)(text->length + on.length) <= columns)
            text_add(text, stage);
    } else {
        text_add(text, moment.index < plan->run[device].count ? "idle" : "done");
    }
}

/* ---- panels ---- */

/* How much the status line says, from all there is to what fits anywhere. */
static const struct wording {
    enum telling telling;
    bool has_peak, has_all;
} wordings[] = {
    {TELL_ALL, true, true},    {TELL_BRIEF, true, true},   {TELL_BRIEF, false, true},
    {TELL_BRIEF, false, false}, {TELL_LEAST, false, false},
};

/* "stage 1 runs F2", "dev 1 idle, waits for …", and what it keeps. */
static void write_device(const struct snapshot *snapshot, uint32_t device,
                         const struct wording *wording, struct text *text)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;
    double time = snapshot->play.time;
    struct moment moment = moment_of(plan, device, time);

    text_addf(text, plan->slots == 1 ? "stage %u " : "dev %u ", device);
    if (moment.is_running) {
        text_add(text, "runs ");
        doing_write(plan, device, moment.index, wording->telling < TELL_LEAST, text);
    } else {
        text_add(text, moment.index < plan->run[device].count ? "idle, " : "");
        wait_write(plan, device, &moment, time, wording->telling, text);
    }
    if (snapshot->stash == NULL)
        return;
    double level = pg_stash_at(snapshot->stash, device, time);
    text_add(text, ", keeps ");
    memory_number(snapshot, level, 12, text);
    text_add(text, memory_is_over(snapshot->scenario, level) ? " (over the limit)" : "");
    if (!wording->has_peak)
        return;
    text_add(text, " of at most ");
    memory_number(snapshot, snapshot->stash->peak[device].value, 12, text);
}

static void write_at_work(const struct pg_plan *plan, double time, struct text *text)
{
    uint32_t at_work = 0;

    for (uint32_t d = 0; d < plan->devices; d++)
        at_work += moment_of(plan, d, time).is_running;
    text_addf(text, "%u of %u at work", at_work, plan->devices);
}

/* A of a comparison at the same moment, in its own unit of time; NULL where there is none. */
static const struct pg_plan *plan_beside(const struct snapshot *snapshot, double *time)
{
    const struct compared *compared = &snapshot->compared;

    if (compared->a.outcome == NULL)
        return NULL;
    *time = snapshot->play.time / compared->unit;
    return &compared->a.outcome->plan;
}

/* Beside a comparison it is said whose devices these are. */
static void write_sides(const struct snapshot *snapshot, struct text *text)
{
    double time;
    const struct pg_plan *beside = plan_beside(snapshot, &time);

    if (beside != NULL && snapshot->selection.is_all) {
        text_add(text, "A: ");
        write_at_work(beside, time, text);
        text_add(text, "   ");
    }
    if (beside != NULL)
        text_add(text, "B: ");
}

static void write_kept_by_all(const struct snapshot *snapshot, struct text *text)
{
    const struct pg_stash *stash = snapshot->stash;
    double all = 0;

    if (stash == NULL)
        return;
    for (uint32_t d = 0; d < stash->plan->devices; d++)
        all += pg_stash_at(stash, d, snapshot->play.time);
    text_add(text, snapshot->selection.is_all ? ", all keep " : ", all ");
    text_brief(text, all > 1e-9 * stash->largest ? all : 0);
}

static void draw_status(const struct canvas *canvas, const struct snapshot *snapshot)
{
    const char *unit = string_text(snapshot->scenario->time);
    char buffer[300];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_add(&text, snapshot->play.is_running ? "playing " : "paused at ");
    write_time(snapshot, &text);
    text_add(&text, " of ");
    text_brief(&text, snapshot->outcome->plan.makespan);
    text_addf(&text, "%s%s", unit[0] != '\0' ? " " : "", unit);
    int x = canvas_text(canvas, 1, 0, STYLE_NUMBER, buffer) + 2;
    for (size_t i = 0; i < sizeof wordings / sizeof wordings[0]; i++) {
        text_init(&text, buffer, sizeof buffer);
        write_sides(snapshot, &text);
        if (snapshot->selection.is_all)
            write_at_work(&snapshot->outcome->plan, snapshot->play.time, &text);
        else
            write_device(snapshot, snapshot->selection.device, &wordings[i], &text);
        if (wordings[i].has_all)
            write_kept_by_all(snapshot, &text);
        if (x + canvas_columns(canvas, buffer) <= canvas->area.columns)
            break;
    }
    canvas_text_cut(canvas, x, 0, STYLE_LABEL, buffer);
}

static void draw_events(const struct canvas *canvas, int x, int y, int columns, const char *side,
                        const struct pg_plan *plan, double time)
{
    char buffer[600];
    struct text text;

    x = canvas_text(canvas, x, y, STYLE_NUMBER, side);
    text_init(&text, buffer, sizeof buffer);
    narrate(plan, time, columns - (int)strlen(side), &text);
    canvas_text_cut(canvas, x, y, STYLE_MESSAGE, buffer);
}

/* Beside a comparison half of the line is for either side, where that says anything. */
static void draw_narration(const struct canvas *canvas, int y, const struct snapshot *snapshot)
{
    enum { BETWEEN = 3, LEAST_SIDE = 45 };
    double time;
    const struct pg_plan *plan = &snapshot->outcome->plan, *beside = plan_beside(snapshot, &time);
    int columns = canvas->area.columns - 2, half = (columns - BETWEEN) / 2, x = 1;

    if (beside != NULL && half >= LEAST_SIDE) {
        draw_events(canvas, x, y, half, "A ", beside, time);
        x += half + BETWEEN;
        columns = half;
    }
    draw_events(canvas, x, y, columns, beside != NULL ? "B " : "", plan, snapshot->play.time);
}

/* Is the message line free? */
static bool is_silent(const struct snapshot *snapshot)
{
    return snapshot->mode == MODE_CHART && snapshot->message[0] == '\0' && snapshot->count == 0;
}

void panel_play(const struct canvas *canvas, const struct snapshot *snapshot)
{
    double time;
    const struct pg_plan *beside = plan_beside(snapshot, &time);

    if (canvas->area.rows > 0)
        draw_status(canvas, snapshot);
    if (canvas->area.rows > 1 && beside != NULL && is_silent(snapshot))
        draw_events(canvas, 1, 1, canvas->area.columns - 2, "A ", beside, time);
    else if (canvas->area.rows > 1)
        draw_narration(canvas, 1, snapshot);
}

void panel_narration(const struct canvas *canvas, const struct snapshot *snapshot, bool is_below)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;

    if (!is_silent(snapshot) || (is_below && snapshot->compared.a.outcome == NULL))
        return;
    canvas_fill(canvas, (struct rect){0, 0, canvas->area.columns, 1}, STYLE_PLAIN);
    if (is_below)
        draw_events(canvas, 1, 0, canvas->area.columns - 2, "B ", plan, snapshot->play.time);
    else
        draw_narration(canvas, 0, snapshot);
}

void panel_play_keys(const struct canvas *canvas)
{
    static const struct {
        enum command command, other; /* COMMAND_COUNT: no other direction */
        const char *words; /* NULL: the bar's own */
    } items[] = {
        {COMMAND_PLAY, COMMAND_COUNT, "play, pause"},
        {COMMAND_STEP_NEXT, COMMAND_STEP_PREVIOUS, "step"},
        {COMMAND_SPEED_MORE, COMMAND_SPEED_LESS, "speed"},
        {COMMAND_CANCEL, COMMAND_COUNT, "end"},
        {COMMAND_MEMORY, COMMAND_COUNT, "memory"},
        {COMMAND_HELP, COMMAND_COUNT, NULL},
    };
    char key[16], keys[48];
    struct text text;
    int x = 0;

    canvas_fill(canvas, (struct rect){0, 0, canvas->area.columns, 1}, STYLE_KEY_TEXT);
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        const char *words = items[i].words != NULL ? items[i].words
                                                   : command_info(items[i].command)->bar;
        text_init(&text, keys, sizeof keys);
        if (items[i].other != COMMAND_COUNT)
            text_addf(&text, " %s", command_first_key(items[i].other, key, sizeof key));
        text_addf(&text, " %s ", command_first_key(items[i].command, key, sizeof key));
        if (x + (int)text.length + (int)strlen(words) > canvas->area.columns)
            return;
        x = canvas_text(canvas, x, 0, STYLE_KEY, keys);
        x = canvas_text(canvas, x, 0, STYLE_KEY_TEXT, words) + 2;
    }
}
