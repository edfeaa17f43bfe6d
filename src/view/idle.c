/* The page of idle time: how much each device idles, where that lies or what causes it, and the chain
 * of numbers from the ideal to the makespan.
 *
 * Two ways of taking idle time apart are shown as stacked bars, one at a time; the numbers of both
 * are there where the page is wide enough. Segments differ in letter as well as in colour. */
#include "view/panels.h"

#include <math.h>
#include <string.h>

enum { PARTS = 3, FIRST_ROW = 5, NUMBER_COLUMNS = 10 };

struct breakdown {
    const char *title;
    const char *names[PARTS];
};

static const struct breakdown by_cause = {"by cause", {"transfer", "schedule", "imbalance"}};
static const struct breakdown by_place = {"by place", {"fill", "inside", "drain"}};

static double part_of(const struct pg_idle *idle, bool is_by_place, int part)
{
    const double place[PARTS] = {idle->fill, idle->inside, idle->drain};
    const double cause[PARTS] = {idle->transfer, idle->schedule, idle->imbalance};
    return is_by_place ? place[part] : cause[part];
}

static struct cell part_cell(const struct theme *theme, int part)
{
    static const enum colour papers[PARTS] = {COLOUR_PART_A, COLOUR_PART_B, COLOUR_PART_C};
    static const uint32_t textures[PARTS] = {' ', '-', ':'};
    static const uint32_t mono[PARTS] = {0x2592, '-', ':'}, ascii[PARTS] = {'#', '-', ':'};
    uint32_t glyph = theme->depth != DEPTH_MONO ? textures[part]
                     : theme->is_ascii          ? ascii[part]
                                                : mono[part];

    return (struct cell){glyph, COLOUR_ON_BACKWARD, (uint8_t)papers[part], 0};
}

/* Smaller parts of the makespan are what rounding has left over. */
static const double noise = 1e-9;

/* With a blank behind it, whatever it is. */
static int number_at(const struct canvas *canvas, int x, int y, enum style style, double number)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_brief_within(&text, number, NUMBER_COLUMNS - 1);
    return canvas_text(canvas, x, y, style, buffer);
}

/* "24 ideal  + 0 imbalance  = 24 floor  + 9 schedule  = 33 without transfer  + 8 transfer  = 41" */
static void draw_chain(const struct canvas *canvas, const struct pg_idle_report *report)
{
    char buffer[300];
    struct text text;
    bool is_narrow = canvas->area.columns < 100;
    const struct {
        double step, level;
        const char *step_name, *level_name;
    } chain[] = {
        {report->floor - report->ideal, report->floor, "imbalance", "floor"},
        {report->without_transfer - report->floor, report->without_transfer, "schedule",
         is_narrow ? "at transfer 0" : "makespan at transfer 0"},
        {report->makespan - report->without_transfer, report->makespan, "transfer", "makespan"},
    };

    size_t room = is_narrow ? 8 : TEXT_NUMBER_SIZE;
    text_init(&text, buffer, sizeof buffer);
    text_brief_within(&text, report->ideal, room);
    text_add(&text, is_narrow ? " mean work" : " ideal (mean work of a device)");
    for (int i = 0; i < 3; i++) {
        text_add(&text, " + ");
        double step = chain[i].step > noise * report->makespan ? chain[i].step : 0;
        text_brief_within(&text, step, room);
        text_addf(&text, " %s = ", chain[i].step_name);
        text_brief_within(&text, chain[i].level, room);
        text_addf(&text, " %s", chain[i].level_name);
    }
    if (canvas_columns(canvas, buffer) + 1 <= canvas->area.columns) {
        canvas_text(canvas, 1, 1, STYLE_LABEL, buffer);
        return;
    }
    /* Two rows, broken before the step that transfer is. */
    char *last = strstr(buffer, " schedule = ") + strlen(" schedule");
    *last = '\0';
    canvas_text_cut(canvas, 1, 1, STYLE_LABEL, buffer);
    canvas_text_cut(canvas, 3, 2, STYLE_LABEL, last + 1);
}

/* A bar of `columns` for the idle time of a device, as long as its share of `most`. */
static void draw_bar(const struct canvas *canvas, int x, int y, int columns,
                     const struct pg_idle *idle, bool is_by_place, double most)
{
    double sum = 0;
    int at = 0;

    for (int part = 0; part < PARTS && most > 0; part++) {
        sum += part_of(idle, is_by_place, part);
        int end = (int)floor(sum / most * columns + 0.5);
        for (; at < end && at < columns; at++)
            canvas_cell(canvas, x + at, y, part_cell(canvas->theme, part));
    }
}

struct columns {
    int idle, bar, bar_columns, first_number, second_number, path;
};

/* Numbers first, bars take what is left. */
static struct columns columns_of(const struct canvas *canvas)
{
    int columns = canvas->area.columns;
    struct columns at = {.idle = 12};

    at.first_number = at.idle + NUMBER_COLUMNS;
    int end = at.first_number + PARTS * NUMBER_COLUMNS;
    if (columns >= 110) {
        at.second_number = end + 2;
        end = at.second_number + PARTS * NUMBER_COLUMNS;
    }
    if (columns - end >= 10 + NUMBER_COLUMNS) {
        at.path = end;
        end += NUMBER_COLUMNS;
    }
    at.bar = end + 1;
    at.bar_columns = columns - at.bar - 1 > 6 ? columns - at.bar - 1 : 0;
    return at;
}

static void draw_numbers(const struct canvas *canvas, int x, int y, enum style style,
                         const struct pg_idle *idle, bool is_by_place, double makespan)
{
    for (int part = 0; part < PARTS; part++) {
        double number = part_of(idle, is_by_place, part);
        number_at(canvas, x + part * NUMBER_COLUMNS, y, style,
                  number > noise * makespan ? number : 0);
    }
}

static void draw_heading(const struct canvas *canvas, const struct columns *at, bool is_by_place)
{
    const struct breakdown *shown = is_by_place ? &by_place : &by_cause;
    const struct breakdown *other = is_by_place ? &by_cause : &by_place;
    int y = FIRST_ROW - 1;

    canvas_text(canvas, at->idle, y, STYLE_HEADING, "idle");
    for (int part = 0; part < PARTS; part++) {
        int x = at->first_number + part * NUMBER_COLUMNS;
        canvas_text(canvas, x, y, STYLE_HEADING, shown->names[part]);
        canvas_cell(canvas, x, y - 1, part_cell(canvas->theme, part));
        canvas_cell(canvas, x + 1, y - 1, part_cell(canvas->theme, part));
        if (at->second_number > 0)
            canvas_text(canvas, at->second_number + part * NUMBER_COLUMNS, y, STYLE_FAINT,
                        other->names[part]);
    }
    if (at->path > 0)
        canvas_text(canvas, at->path, y, STYLE_HEADING, "on path");
    if (at->bar_columns > 0)
        canvas_text_cut(canvas, at->bar, y, STYLE_HEADING, shown->title);
}

/* What of the critical path runs on a device; all of it for row 0. */
static double path_work(const struct snapshot *snapshot, uint32_t row)
{
    const struct pg_path *path = snapshot->path;
    const struct pg_plan *plan = &snapshot->outcome->plan;
    double sum = 0;

    if (row == 0)
        return path->work;
    for (uint64_t k = path->first[row - 1]; k < path->first[row]; k++)
        sum += pg_op_end(plan, row - 1, path->index[k]) - plan->run[row - 1].start[path->index[k]];
    return sum;
}

static void draw_row(const struct canvas *canvas, int y, const struct snapshot *snapshot,
                     uint32_t row, const struct columns *at, double most)
{
    const struct idle_view *view = &snapshot->idle;
    const struct pg_plan *plan = &snapshot->outcome->plan;
    const struct pg_idle *idle = row == 0 ? &view->report->all : &view->report->devices[row - 1];
    bool is_chosen = row == view->cursor;
    enum style style = is_chosen ? STYLE_LABEL_SELECTED : STYLE_LABEL;
    char name[40];
    struct text text;

    text_init(&text, name, sizeof name);
    if (row == 0)
        text_add(&text, "all");
    else
        text_addf(&text, "%s %u", plan->slots == 1 ? "stage" : "dev", row - 1);
    canvas_text(canvas, 0, y, style, is_chosen ? "▸" : " ");
    canvas_text(canvas, 2, y, style, name);
    number_at(canvas, at->idle, y, style, idle->total > noise * plan->makespan ? idle->total : 0);
    draw_numbers(canvas, at->first_number, y, style, idle, view->is_by_place, plan->makespan);
    if (at->second_number > 0)
        draw_numbers(canvas, at->second_number, y, STYLE_FAINT, idle, !view->is_by_place,
                     plan->makespan);
    if (at->path > 0 && snapshot->path != NULL)
        number_at(canvas, at->path, y, style, path_work(snapshot, row));
    /* The bar of all devices is their mean, on the same scale. */
    draw_bar(canvas, at->bar, y, at->bar_columns, idle, view->is_by_place,
             row == 0 ? most * plan->devices : most);
}

/* What the rows below the table say of the critical path. */
static void draw_path(const struct canvas *canvas, int y, const struct snapshot *snapshot)
{
    char buffer[300];
    struct text text;

    if (snapshot->path == NULL)
        return;
    for (int is_brief = 0; is_brief <= 1; is_brief++) {
        text_init(&text, buffer, sizeof buffer);
        text_add(&text, "critical path: ");
        path_write(snapshot->path, &snapshot->outcome->plan, is_brief, &text);
        text_add(&text, snapshot->path->has_ties ? "; others are as long" : "; the only one");
        if (canvas_columns(canvas, buffer) + 1 <= canvas->area.columns)
            break;
    }
    canvas_text_cut(canvas, 1, y, STYLE_LABEL, buffer);
}

/* What the words of the table mean, where there is room for them. */
static void draw_words(const struct canvas *canvas, int y, int end)
{
    static const char *const words[] = {
        "transfer: what results on their way add to the makespan of these orders",
        "schedule: the makespan at transfer 0 less floor, the busiest device's work",
        "imbalance: work that the busiest device has and this one has not",
        "fill, inside, drain: before the first operation, between, after the last",
        "on path: how much of the critical path is work of this device",
    };

    for (int i = 0; i < 5 && y + i < end; i++)
        canvas_text_cut(canvas, 2, y + i, STYLE_FAINT, words[i]);
}

void panel_idle(const struct canvas *canvas, const struct snapshot *snapshot)
{
    const struct idle_view *view = &snapshot->idle;
    uint32_t devices = snapshot->outcome->plan.devices;
    int last = canvas->area.rows - 1, rows = last - 1 - FIRST_ROW;
    struct canvas title = canvas_sub(canvas, (struct rect){0, 0, canvas->area.columns, 1});
    struct columns at = columns_of(canvas);
    double most = 0;

    rows = rows > 1 ? rows : 1;
    panel_title(&title, snapshot, false);
    canvas_fill(canvas, (struct rect){0, last, canvas->area.columns, 1}, STYLE_KEY_TEXT);
    canvas_text_cut(canvas, 1, last, STYLE_KEY_TEXT,
                    "Left Right by cause or by place   Enter selects the stage   q closes");
    if (view->report == NULL) {
        canvas_text_cut(canvas, 1, 1, STYLE_REFUSAL, "there is not enough memory for this page");
        return;
    }
    for (uint32_t d = 0; d < devices; d++)
        most = fmax(most, view->report->devices[d].total);
    draw_chain(canvas, view->report);
    draw_heading(canvas, &at, view->is_by_place);
    uint32_t top = view->cursor >= (uint32_t)rows ? view->cursor - (uint32_t)rows + 1 : 0;
    for (int y = 0; y < rows && top + (uint32_t)y <= devices; y++)
        draw_row(canvas, FIRST_ROW + y, snapshot, top + (uint32_t)y, &at, most);
    draw_words(canvas, FIRST_ROW + (int)devices + 2, last - 2);
    draw_path(canvas, last - 1, snapshot);
}
