/* Memory lanes: what a device keeps, over time, under its lane. See play.h.
 *
 * A cell shows the largest level of its time, so that no peak is lost however small the chart. All
 * devices have one scale: the largest peak, or the limit when that is not far above it. */
#include "view/play.h"

#include <math.h>
#include <stdio.h>

/* The level at full height. */
static double scale_of(const struct snapshot *snapshot)
{
    double largest = snapshot->stash->largest, limit = snapshot->scenario->memory_limit;
    return limit > largest && limit <= 2 * largest ? limit : largest;
}

void memory_number(const struct snapshot *snapshot, double level, int columns, struct text *text)
{
    size_t from = text->length;

    /* As exact as there is room for; sums of shares may end in noise of their last bits. */
    for (int digits = 6; digits > 0; digits--) {
        char buffer[TEXT_NUMBER_SIZE];
        double rounded = level;
        text->length = from;
        snprintf(buffer, sizeof buffer, "%.*g", digits, level);
        number_parse(buffer, &rounded);
        text_brief(text, fabs(rounded) < 1e-9 * snapshot->stash->largest ? 0 : rounded);
        if ((int)(text->length - from) <= columns)
            break;
    }
}

void memory_write(const struct snapshot *snapshot, double level, int columns, struct text *text)
{
    bool over = memory_is_over(snapshot->scenario, level);

    memory_number(snapshot, level, columns - over, text);
    text_add(text, over ? "!" : "");
}

/* ---- cells ---- */

/* A bar that fills so many eighths of a cell. */
static uint32_t bar_glyph(const struct theme *theme, int filled)
{
    if (filled == 0)
        return ' ';
    if (!theme->is_ascii)
        return 0x2580u + (uint32_t)filled;
    return filled >= 6 ? '#' : filled >= 3 ? ':' : '.';
}

/* On a single row of ASCII a digit is all there is: the level itself, or ninths of the scale. */
static uint32_t digit_glyph(double level, double scale)
{
    double ninths = ceil((scale <= 9 ? level : level * 9 / scale) - 1e-9);
    return level > 0 ? '0' + (uint32_t)fmin(fmax(ninths, 1), 9) : ' ';
}

struct bar {
    const struct canvas *area; /* the rows of the memory lane, the columns of the chart */
    const struct snapshot *snapshot;
    double scale;
    int limit_row;    /* where the limit is drawn; -1: not on the scale */
    uint32_t limit_glyph;
};

static struct cell styled(enum style style, uint32_t glyph)
{
    const struct style_info *look = style_info(style);
    return (struct cell){glyph, (uint8_t)look->ink, (uint8_t)look->paper, look->attributes};
}

/* The line lies where a bar as high as the limit ends. */
static void place_limit(struct bar *bar)
{
    double limit = bar->snapshot->scenario->memory_limit;
    int rows = bar->area->area.rows;
    bool is_ascii = bar->area->theme->is_ascii;

    bar->limit_row = -1;
    if (limit <= 0 || limit > bar->scale)
        return;
    int eighths = (int)fmax(1, floor(limit / bar->scale * rows * 8 + 0.5));
    bar->limit_row = rows - 1 - (eighths - 1) / 8;
    int height = (eighths - 1) % 8;
    bar->limit_glyph = height < 2 ? '_' : is_ascii ? '-' : height < 6 ? 0x2500 : 0x2594;
}

static void draw_limit(const struct bar *bar, int x)
{
    if (bar->limit_row >= 0)
        canvas_cell(bar->area, x, bar->limit_row, styled(STYLE_LIMIT, bar->limit_glyph));
}

/* One column: the level, the limit above it, "!" on top where it is over that, or the peak's
 * mark. */
static void draw_column(const struct bar *bar, int x, double level, bool is_peak)
{
    const struct theme *theme = bar->area->theme;
    int rows = bar->area->area.rows;
    int eighths = (int)floor(level / bar->scale * rows * 8 + 0.5);
    bool over = memory_is_over(bar->snapshot->scenario, level);

    eighths = level > 0 && eighths < 1 ? 1 : eighths;
    int top = rows - 1 - (eighths - 1) / 8;
    draw_limit(bar, x);
    for (int y = 0; y < rows && eighths > 0; y++) {
        int filled = eighths - (rows - 1 - y) * 8;
        if (filled <= 0)
            continue;
        uint32_t glyph = theme->is_ascii && rows == 1 ? digit_glyph(level, bar->scale)
                                                      : bar_glyph(theme, filled < 8 ? filled : 8);
        canvas_cell(bar->area, x, y, styled(over ? STYLE_STASH_OVER : STYLE_STASH, glyph));
    }
    bool is_full = (eighths - 1) % 8 >= 6;
    if (is_peak)
        canvas_cell(bar->area, x, top, styled(over ? STYLE_REFUSAL : is_full ? STYLE_STASH_PEAK
                                                                             : STYLE_STASH,
                                              theme->is_ascii ? '^' : 0x25b2));
    else if (over)
        canvas_cell(bar->area, x, top, styled(STYLE_REFUSAL, '!'));
}

/* ---- the lane ---- */

static void draw_bars(const struct bar *bar, const struct axis *axis, uint32_t device)
{
    const struct snapshot *snapshot = bar->snapshot;
    const struct pg_stash *stash = snapshot->stash;
    double makespan = stash->plan->makespan, start = stash->peak[device].start;
    /* A level that ends where a column begins is not the column's, whatever rounding says. */
    double sliver = 8 / axis->eighths * 1e-6;
    int peak = start >= axis->start - sliver ? axis_column(axis, start) : -1;
    int end = snapshot->play.is_on ? axis_column(axis, snapshot->play.time) : axis->columns;

    for (int x = 0; x < axis->columns; x++) {
        double from = axis_time(axis, x) + sliver, to = axis_time(axis, x + 1) - sliver;
        if (from >= makespan || to <= 0)
            continue;
        if (x < end)
            draw_column(bar, x, pg_stash_most(stash, device, from, to), x == peak);
        else
            draw_limit(bar, x);
    }
}

static void write_scale(const struct snapshot *snapshot, struct text *text)
{
    text_add(text, "0…");
    text_brief(text, scale_of(snapshot));
}

/* Beside the memory lane: the scale before it, the peak behind it. */
static void draw_sides(const struct canvas *canvas, const struct layout *layout,
                       const struct axis *axis, const struct snapshot *snapshot, uint32_t device,
                       int y)
{
    char buffer[TEXT_NUMBER_SIZE + 16];
    struct text text;
    struct canvas gutter = canvas_sub(canvas, (struct rect){0, y, layout->gutter - 1,
                                                            layout->memory_rows});

    text_init(&text, buffer, sizeof buffer);
    write_scale(snapshot, &text);
    bool fits = 1 + canvas_columns(&gutter, buffer) <= gutter.area.columns;
    if (fits)
        canvas_text(&gutter, 1, 0, STYLE_FAINT, buffer);
    if (layout->memory_rows > 1 && gutter.area.columns > 5)
        canvas_text(&gutter, 1, fits, STYLE_FAINT, "stash");
    if (layout->tail == 0)
        return;
    text_init(&text, buffer, sizeof buffer);
    text_add(&text, canvas->theme->is_ascii ? "^" : "▲");
    memory_write(snapshot, snapshot->stash->peak[device].value, layout->tail - 2, &text);
    canvas_text(canvas, layout->gutter + axis->columns + layout->tail - text_columns(buffer), y,
                STYLE_LABEL, buffer);
}

void memory_lane(const struct canvas *canvas, const struct layout *layout, const struct axis *axis,
                 const struct snapshot *snapshot, uint32_t device, int y)
{
    bool has_rows = layout->memory_rows > 0;

    if (!has_rows && !layout->is_memory)
        return;
    struct rect rows = {layout->gutter, has_rows ? y + layout->lane_rows : y, axis->columns,
                        has_rows ? layout->memory_rows : layout->lane_rows};
    struct canvas area = canvas_sub(canvas, rows);
    struct bar bar = {.area = &area, .snapshot = snapshot, .scale = scale_of(snapshot)};
    canvas_fill(&area, (struct rect){0, 0, axis->columns, rows.rows}, STYLE_PLAIN);
    place_limit(&bar);
    draw_bars(&bar, axis, device);
    if (has_rows)
        draw_sides(canvas, layout, axis, snapshot, device, rows.y);
}

/* A legend item, whole or not at all; returns where the next one begins. */
static int draw_item(const struct canvas *canvas, int x, struct cell sample, const char *words)
{
    if (x + 2 + canvas_columns(canvas, words) > canvas->area.columns)
        return x;
    canvas_cell(canvas, x, 0, sample);
    return canvas_text(canvas, x + 2, 0, STYLE_LABEL, words) + 3;
}

int memory_legend(const struct canvas *canvas, int x, const struct snapshot *snapshot)
{
    double limit = snapshot->scenario->memory_limit;
    bool is_ascii = canvas->theme->is_ascii;
    char buffer[2 * TEXT_NUMBER_SIZE + 40];
    struct text text;

    if (!snapshot->has_memory || snapshot->stash == NULL || snapshot->compared.a.outcome != NULL)
        return x;
    text_init(&text, buffer, sizeof buffer);
    text_add(&text, snapshot->stash->is_weighted ? "activation " : "micro-batches ");
    write_scale(snapshot, &text);
    x = draw_item(canvas, x, styled(STYLE_STASH, is_ascii ? '#' : 0x2585), buffer);
    if (limit <= 0)
        return x;
    text_init(&text, buffer, sizeof buffer);
    text_add(&text, limit <= scale_of(snapshot) ? "limit " : "limit far above: ");
    text_brief(&text, limit);
    x = draw_item(canvas, x, styled(STYLE_LIMIT, is_ascii ? '-' : 0x2500), buffer);
    if (memory_is_over(snapshot->scenario, snapshot->stash->largest))
        x = draw_item(canvas, x, styled(STYLE_REFUSAL, '!'), "over it");
    return x;
}

void memory_only_legend(const struct canvas *canvas, const struct snapshot *snapshot)
{
    int x = memory_legend(canvas, 1, snapshot);

    canvas_text_cut(canvas, x, 0, STYLE_LABEL,
                    "no room for operations as well: a brings them back");
}
