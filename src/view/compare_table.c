/* The numbers of a comparison: the line over each chart, the table of differences below both, and
 * the page of them all. Each number is whole or not there; what is better is said in a word. */
#include "view/compare.h"

#include <math.h>
#include <string.h>

enum { CELL = 40 };

static int put(const struct canvas *canvas, int x, int y, enum style style, const char *text)
{
    return x + canvas_columns(canvas, text) <= canvas->area.columns
               ? canvas_text(canvas, x, y, style, text) : x;
}

static void write_value(enum compare_metric metric, double value, char out[CELL])
{
    struct text text;

    text_init(&text, out, CELL);
    compare_write(metric, value, &text);
}

static enum style verdict_style(enum verdict verdict)
{
    return verdict == VERDICT_WORSE ? STYLE_BUBBLE : verdict == VERDICT_BETTER ? STYLE_NUMBER
                                                                               : STYLE_FAINT;
}

/* ---- the line over a chart ---- */

static void write_family(const struct scenario *scenario, struct text *text)
{
    text_addf(text, "%s  P=%u  M=%u", scenario->schedule->title, scenario->stages,
              scenario->micro_batches);
    if (scenario->schedule->fixed_chunks != 1)
        text_addf(text, "  V=%u", scenario_chunks(scenario));
}

/* What stands behind B's value, with more or less room: the change and its word, the word alone. */
static void write_remark(enum compare_metric metric, double a, double b, int detail,
                         struct text *text)
{
    enum verdict verdict = compare_verdict(metric, a, b);

    if (verdict == VERDICT_SAME || detail == 0)
        return;
    if (detail == 2) {
        compare_write_change(metric, a, b, text);
        text_add(text, " ");
    }
    text_add(text, verdict_word(verdict));
}

static const enum compare_metric head_metrics[] = {COMPARE_MAKESPAN, COMPARE_BUBBLE, COMPARE_STASH};
enum { HEAD_METRICS = sizeof head_metrics / sizeof head_metrics[0] };

/* Draws the three numbers, or only measures them. */
static int head_numbers(const struct canvas *canvas, int x, const double *a, const double *values,
                        int detail, bool is_drawn)
{
    for (int i = 0; i < HEAD_METRICS; i++) {
        enum compare_metric metric = head_metrics[i];
        char name[CELL], value[CELL], remark[CELL];
        struct text text;
        text_init(&text, name, sizeof name);
        text_addf(&text, "%s=", compare_info(metric)->label);
        write_value(metric, values[metric], value);
        text_init(&text, remark, sizeof remark);
        write_remark(metric, a[metric], values[metric], detail, &text);
        int gap = remark[0] != '\0' ? 1 : 0;
        int columns = (int)(strlen(name) + strlen(value) + strlen(remark)) + gap + 2;
        if (is_drawn && x + columns - 2 > canvas->area.columns)
            break;
        if (is_drawn) {
            int at = canvas_text(canvas, x, 0, STYLE_FAINT, name);
            at = canvas_text(canvas, at, 0, STYLE_NUMBER, value);
            canvas_text(canvas, at + gap, 0,
                        verdict_style(compare_verdict(metric, a[metric], values[metric])), remark);
        }
        x += columns;
    }
    return x;
}

/* Behind the numbers: how A's times are told where its unit is not B's, else the name. */
static void write_origin(const struct compared *compared, bool is_b, struct text *text)
{
    const struct side *side = is_b ? &compared->b : &compared->a;
    const char *title = string_text(side->scenario->title);

    if (!is_b && (compared->unit != 1 || !compared->is_unit_alike))
        text_addf(text, "%s %s %s", string_text(compared->a.scenario->time),
                  compared->unit != 1 ? "told in" : "taken as",
                  string_text(compared->b.scenario->time));
    else
        text_add(text, title[0] != '\0' ? title : side->name);
}

void compare_head(const struct canvas *canvas, const struct compared *compared, bool is_b)
{
    const struct side *side = is_b ? &compared->b : &compared->a;
    double a[COMPARE_COUNT], values[COMPARE_COUNT];
    char buffer[300];
    struct text text;
    int columns = canvas->area.columns, detail = is_b ? 2 : 0;

    compare_values(&compared->a, compared->unit, a);
    compare_values(side, is_b ? 1 : compared->unit, values);
    int x = canvas_text(canvas, 0, 0, STYLE_KEY, is_b ? " B " : " A ");
    text_init(&text, buffer, sizeof buffer);
    text_add(&text, " ");
    write_family(side->scenario, &text);
    text_add(&text, "  ");
    x = canvas_text(canvas, x, 0, STYLE_LABEL_SELECTED, buffer);
    while (detail > 0 && head_numbers(canvas, x, a, values, detail, false) - 2 > columns)
        detail--;
    x = head_numbers(canvas, x, a, values, detail, true);
    text_init(&text, buffer, sizeof buffer);
    write_origin(compared, is_b, &text);
    int wanted = canvas_columns(canvas, buffer), end = columns;
    if (wanted > 0 && wanted + 1 <= columns - x) {
        canvas_text(canvas, columns - wanted - 1, 0, STYLE_LABEL, buffer);
        end -= wanted + 2;
    }
    struct canvas rest = canvas_sub(canvas, (struct rect){x, 0, end - x, 1});
    canvas_rule(&rest, 0, STYLE_FAINT);
}

/* ---- the table below both charts ---- */

/* A column of it: heading, A, B, B-A, word. */
enum { COLUMN_ROWS = 5 };

static int make_column(enum compare_metric metric, const double *a, const double *b,
                       char cells[COLUMN_ROWS][CELL])
{
    struct text text;
    int widest = 0;

    text_init(&text, cells[0], CELL);
    text_add(&text, compare_info(metric)->heading);
    write_value(metric, a[metric], cells[1]);
    write_value(metric, b[metric], cells[2]);
    text_init(&text, cells[3], CELL);
    compare_write_change(metric, a[metric], b[metric], &text);
    text_init(&text, cells[4], CELL);
    text_add(&text, verdict_word(compare_verdict(metric, a[metric], b[metric])));
    for (int i = 0; i < COLUMN_ROWS; i++)
        widest = (int)strlen(cells[i]) > widest ? (int)strlen(cells[i]) : widest;
    return widest;
}

/* Memory that is the stash over again needs no column. */
static bool is_doubled(enum compare_metric metric, const double *a, const double *b)
{
    return metric == COMPARE_MEMORY && a[COMPARE_MEMORY] == a[COMPARE_STASH] &&
           b[COMPARE_MEMORY] == b[COMPARE_STASH];
}

struct column {
    char cells[COLUMN_ROWS][CELL];
    int columns;
};

/* Headings with = and + are parts of a sum: they are there together or not at all. */
static int parts_columns(const struct column *columns, int first)
{
    int sum = columns[first].columns, i = first + 1;

    for (; columns[first].cells[0][0] == '=' && i < COMPARE_COUNT && columns[i].cells[0][0] == '+'; i++)
        sum += 2 + columns[i].columns;
    return sum;
}

void compare_table(const struct canvas *canvas, const struct compared *compared)
{
    static const char *const names[COLUMN_ROWS] = {"", "A", "B", "B-A", ""};
    double a[COMPARE_COUNT], b[COMPARE_COUNT];
    struct column columns[COMPARE_COUNT];
    int x = 6;

    if (canvas->area.rows == 0)
        return;
    compare_values(&compared->a, compared->unit, a);
    compare_values(&compared->b, 1, b);
    for (int y = 0; y < COLUMN_ROWS; y++)
        canvas_text(canvas, 1, y, STYLE_LABEL, names[y]);
    for (int i = 0; i < COMPARE_COUNT; i++)
        columns[i].columns = make_column((enum compare_metric)i, a, b, columns[i].cells);
    for (int i = 0; i < COMPARE_COUNT; i++) {
        enum compare_metric metric = (enum compare_metric)i;
        enum style style = verdict_style(compare_verdict(metric, a[i], b[i]));
        if (is_doubled(metric, a, b))
            continue;
        if (x + parts_columns(columns, i) > canvas->area.columns)
            break;
        for (int y = 0; y < COLUMN_ROWS; y++)
            canvas_text(canvas, x, y, y == 0 ? STYLE_HEADING : y < 3 ? STYLE_NUMBER : style,
                        columns[i].cells[y]);
        x += columns[i].columns + 2;
    }
}

/* ---- all numbers ---- */

/* Where A, B and B-A begin: closer together where lines are short. */
static int metric_x(const struct canvas *canvas, int column)
{
    int columns = canvas->area.columns;

    return columns >= 62 ? 20 + 14 * column : 16 + (columns > 16 ? column * (columns - 16) / 3 : 0);
}

/* A number in its column: it ends before the next one begins, or it is not there. */
static void put_number(const struct canvas *canvas, int column, int y, const char *number)
{
    struct canvas room = canvas_sub(
        canvas, (struct rect){0, y, metric_x(canvas, column + 1) - 1, 1});

    put(&room, metric_x(canvas, column), 0, STYLE_NUMBER, number);
}

static void draw_metric(const struct canvas *canvas, int y, enum compare_metric metric,
                        const double *a, const double *b)
{
    char cells[COLUMN_ROWS][CELL];
    enum style style = verdict_style(compare_verdict(metric, a[metric], b[metric]));

    make_column(metric, a, b, cells);
    canvas_text(canvas, 1, y, STYLE_LABEL, compare_info(metric)->label);
    put_number(canvas, 0, y, cells[1]);
    put_number(canvas, 1, y, cells[2]);
    int x = put(canvas, metric_x(canvas, 2), y, style, cells[3]);
    put(canvas, x + 1, y, style, cells[4]);
}

static void draw_metric_heading(const struct canvas *canvas, int y)
{
    put(canvas, metric_x(canvas, 0), y, STYLE_HEADING, "A");
    put(canvas, metric_x(canvas, 1), y, STYLE_HEADING, "B");
    put(canvas, metric_x(canvas, 2), y, STYLE_HEADING, "B-A");
}

/* Idle time of a device: in all, then by cause; A's left, B's right. */
static const char *const device_headings[] = {"idle", "=transfer", "+schedule", "+imbalance"};
static const char *const short_headings[] = {"idle", "transfer", "schedule", "imbal."};
enum { DEVICE_COLUMNS = 4, AT_DEVICES = 8 };

/* Where a column of a side begins: as far apart as there is room for. */
static int device_x(const struct canvas *canvas, bool is_b, int column)
{
    int columns = canvas->area.columns < 100 ? canvas->area.columns : 100;
    int half = (columns - AT_DEVICES) / 2, each = half / DEVICE_COLUMNS;

    return AT_DEVICES + (is_b ? half : 0) + column * each;
}

static void draw_device_headings(const struct canvas *canvas, int y)
{
    canvas_text(canvas, 1, y, STYLE_HEADING, "device");
    for (int i = 0; i < DEVICE_COLUMNS; i++) {
        int each = device_x(canvas, false, 1) - device_x(canvas, false, 0);
        const char *whole = (each > 10 ? device_headings : short_headings)[i];
        char heading[CELL];
        struct text text;
        text_init(&text, heading, sizeof heading);
        text_addf(&text, "%.*s", each > 1 ? each - 1 : 1, whole);
        put(canvas, device_x(canvas, false, i), y, STYLE_HEADING, heading);
        put(canvas, device_x(canvas, true, i), y, STYLE_HEADING, heading);
    }
}

static void draw_device_side(const struct canvas *canvas, int y, const struct side *side,
                             double unit, uint32_t device, bool is_b)
{
    if (device >= side->outcome->plan.devices)
        return;
    const struct pg_idle *idle = &side->idle->devices[device];
    const double values[DEVICE_COLUMNS] = {idle->total, idle->transfer, idle->schedule,
                                           idle->imbalance};

    for (int i = 0; i < DEVICE_COLUMNS; i++) {
        char value[CELL];
        write_value(COMPARE_IDLE, values[i] * unit, value);
        int x = device_x(canvas, is_b, i), end = x + (int)strlen(value);
        int limit = i + 1 < DEVICE_COLUMNS ? device_x(canvas, is_b, i + 1)
                    : is_b                 ? canvas->area.columns + 1
                                           : device_x(canvas, true, 0);
        if (end < limit)
            put(canvas, x, y, i == 0 ? STYLE_NUMBER : STYLE_LABEL, value);
    }
}

static uint32_t most_devices(const struct compared *compared)
{
    uint32_t a = compared->a.outcome->plan.devices, b = compared->b.outcome->plan.devices;

    return a > b ? a : b;
}

/* Lines: the heading, the metrics, a blank, two headings, the devices. */
uint32_t compare_lines(const struct compared *compared)
{
    return 1 + COMPARE_COUNT + 3 + most_devices(compared);
}

void compare_numbers(const struct canvas *canvas, const struct compared *compared, uint32_t top)
{
    double a[COMPARE_COUNT], b[COMPARE_COUNT];
    uint32_t lines = compare_lines(compared), devices_at = 1 + COMPARE_COUNT + 3;

    compare_values(&compared->a, compared->unit, a);
    compare_values(&compared->b, 1, b);
    for (int y = 0; y < canvas->area.rows && top + (uint32_t)y < lines; y++) {
        uint32_t line = top + (uint32_t)y;
        if (line == 0) {
            draw_metric_heading(canvas, y);
        } else if (line <= COMPARE_COUNT) {
            draw_metric(canvas, y, (enum compare_metric)(line - 1), a, b);
        } else if (line == devices_at - 2) {
            canvas_text(canvas, device_x(canvas, false, 0), y, STYLE_LABEL, "A: idle by cause");
            canvas_text(canvas, device_x(canvas, true, 0), y, STYLE_LABEL, "B: idle by cause");
        } else if (line == devices_at - 1) {
            draw_device_headings(canvas, y);
        } else if (line >= devices_at) {
            char number[CELL];
            struct text text;
            text_init(&text, number, sizeof number);
            text_addf(&text, "%6u", line - devices_at);
            canvas_text(canvas, 1, y, STYLE_LABEL, number);
            draw_device_side(canvas, y, &compared->a, compared->unit, line - devices_at, false);
            draw_device_side(canvas, y, &compared->b, 1, line - devices_at, true);
        }
    }
}
