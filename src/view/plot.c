/* Curves with their axes: see plot.h. */
#include "view/plot.h"

#include <math.h>
#include <stdlib.h>

#define CURVES 6u /* colours; further families have them again, with letters of their own */
#define LETTER_EVERY 5 /* columns at least from letters to the next ones */

/* Where numbers go. Dots count from the lower left corner of the area, cells from the upper. */
struct frame_of {
    struct canvas area;
    bool is_ascii;
    double low, high, step; /* of the vertical axis */
    uint32_t count;         /* values */
};

char plot_letter(uint32_t mark)
{
    return (char)('a' + mark % PLOT_MARKS);
}

enum style plot_style(uint32_t family)
{
    return (enum style)(STYLE_CURVE_1 + family % CURVES);
}

static int dots_across(const struct frame_of *frame)
{
    return frame->area.area.columns * (frame->is_ascii ? 1 : 2);
}

static int dots_up(const struct frame_of *frame)
{
    return frame->area.area.rows * (frame->is_ascii ? 1 : 4);
}

static int dot_x(const struct frame_of *frame, uint32_t value)
{
    int last = dots_across(frame) - 1;

    if (frame->count < 2)
        return last / 2;
    return (int)floor((double)value * last / (frame->count - 1) + 0.5);
}

static int dot_y(const struct frame_of *frame, double number)
{
    double share = (number - frame->low) / (frame->high - frame->low);
    return (int)floor(fmin(1, fmax(0, share)) * (dots_up(frame) - 1) + 0.5);
}

static int cell_x(const struct frame_of *frame, uint32_t value)
{
    return dot_x(frame, value) / (frame->is_ascii ? 1 : 2);
}

static int cell_y(const struct frame_of *frame, double number)
{
    return frame->area.area.rows - 1 - dot_y(frame, number) / (frame->is_ascii ? 1 : 4);
}

static void put(const struct canvas *canvas, int x, int y, uint32_t glyph, enum style style)
{
    const struct style_info *info = style_info(style);

    canvas_cell(canvas, x, y, (struct cell){glyph, (uint8_t)info->ink, (uint8_t)info->paper,
                                            info->attributes});
}

/* ---- the vertical axis ---- */

static bool find_bounds(const struct plot *plot, double *least, double *most)
{
    bool is_any = false;
    double number;

    for (uint32_t v = 0; v < plot->sweep->range.count; v++) {
        for (uint32_t f = 0; f < plot->sweep->family_count; f++) {
            if (!sweep_measure(plot->sweep, plot->measure, v, f, &number))
                continue;
            *least = is_any ? fmin(*least, number) : number;
            *most = is_any ? fmax(*most, number) : number;
            is_any = true;
        }
    }
    return is_any;
}

/* 1, 2 or 5 times a power of ten, at least `wanted`. */
static double round_step(double wanted)
{
    double decade = pow(10, floor(log10(wanted)));

    for (int i = 0; i < 4; i++) {
        static const double parts[] = {1, 2, 5, 10};
        if (decade * parts[i] >= wanted * (1 - 1e-9))
            return decade * parts[i];
    }
    return decade * 10;
}

/* From 0, unless all values lie so far above it that their differences would not be seen. */
static void shape_axis(struct frame_of *frame, double least, double most, int rows)
{
    int ticks = rows / 3 > 1 ? rows / 3 : 1;
    double low = least > most / 2 && least < most ? least : 0;

    if (most <= 0)
        most = 1;
    frame->step = round_step((most - low) / ticks);
    frame->low = floor(low / frame->step * (1 + 1e-9)) * frame->step;
    frame->high = ceil(most / frame->step * (1 - 1e-9)) * frame->step;
    if (frame->high <= frame->low)
        frame->high = frame->low + frame->step;
}

/* The tick of that number; numbers are whole steps, as far as doubles can say. */
static void write_tick(const struct plot *plot, const struct frame_of *frame, int tick,
                       struct text *out)
{
    double number = frame->low + tick * frame->step;

    if (fabs(number) < frame->step / 1e6)
        number = 0;
    text_brief(out, measure_info(plot->measure)->is_share ? number * 100 : number);
    text_add(out, measure_info(plot->measure)->is_share ? "%" : "");
}

static int tick_count(const struct frame_of *frame)
{
    return (int)floor((frame->high - frame->low) / frame->step + 0.5);
}

static int label_columns(const struct plot *plot, const struct frame_of *frame)
{
    int longest = 0;

    for (int tick = 0; tick <= tick_count(frame); tick++) {
        char buffer[TEXT_NUMBER_SIZE];
        struct text text;
        text_init(&text, buffer, sizeof buffer);
        write_tick(plot, frame, tick, &text);
        longest = (int)text.length > longest ? (int)text.length : longest;
    }
    return longest;
}

static void draw_vertical(const struct canvas *canvas, const struct plot *plot,
                          const struct frame_of *frame, int gutter)
{
    bool is_ascii = frame->is_ascii;

    for (int y = 0; y < frame->area.area.rows; y++)
        put(canvas, gutter - 1, y, is_ascii ? '|' : 0x2502, STYLE_FAINT);
    for (int tick = 0; tick <= tick_count(frame); tick++) {
        char buffer[TEXT_NUMBER_SIZE];
        struct text text;
        int y = cell_y(frame, frame->low + tick * frame->step);
        text_init(&text, buffer, sizeof buffer);
        write_tick(plot, frame, tick, &text);
        canvas_text(canvas, gutter - 1 - (int)text.length, y, STYLE_FAINT, buffer);
        put(canvas, gutter - 1, y, is_ascii ? '+' : 0x2524, STYLE_FAINT);
    }
}

/* ---- the horizontal axis ---- */

static bool is_linear(const struct sweep_range *range)
{
    double step = range->count > 1 ? range->values[1] - range->values[0] : 1;

    for (uint32_t v = 1; v < range->count; v++)
        if (fabs(range->values[v] - range->values[v - 1] - step) > step * 1e-6)
            return false;
    return true;
}

static void write_value(const struct sweep_range *range, uint32_t value, struct text *out)
{
    text_brief(out, range->values[value]);
}

/* Every how many values there is room for one of these labels; 1, 2 or 5 times a power of ten. */
static uint32_t label_stride(const struct frame_of *frame, const struct sweep_range *range)
{
    double columns = range->count > 1 ? (double)(frame->area.area.columns - 1) / (range->count - 1)
                                      : 1;
    size_t longest = 1;

    for (uint32_t v = 0; v < range->count; v++) {
        char buffer[TEXT_NUMBER_SIZE];
        struct text text;
        text_init(&text, buffer, sizeof buffer);
        write_value(range, v, &text);
        longest = text.length > longest ? text.length : longest;
    }
    double wanted = ((double)longest + 3) / columns;
    return wanted <= 1 ? 1 : (uint32_t)round_step(wanted);
}

/* Of equal steps those values that are round themselves, of others every so manieth. */
static bool is_labelled(const struct sweep_range *range, bool is_even, uint32_t stride, uint32_t v)
{
    if (!is_even || range->count < 2)
        return v % stride == 0;
    double unit = (range->values[1] - range->values[0]) * stride;
    double away = range->values[v] / unit - floor(range->values[v] / unit + 0.5);
    return fabs(away) < 1e-6;
}

/* A label centred under its value, where it fits; returns the column behind it. */
static int draw_label(const struct canvas *canvas, const struct plot *plot,
                      const struct frame_of *frame, int gutter, uint32_t value, int from)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text text;
    int y = frame->area.area.rows + 1;
    enum style style = value == plot->cursor ? STYLE_NUMBER : STYLE_FAINT;

    text_init(&text, buffer, sizeof buffer);
    write_value(&plot->sweep->range, value, &text);
    int x = gutter + cell_x(frame, value) - (int)text.length / 2;
    int last = gutter + frame->area.area.columns - (int)text.length;
    x = x > last ? last : x < 0 ? 0 : x;
    if (x < from)
        return from;
    return canvas_text(canvas, x, y, style, buffer) + 2;
}

static void draw_horizontal(const struct canvas *canvas, const struct plot *plot,
                            const struct frame_of *frame, int gutter)
{
    const struct sweep_range *range = &plot->sweep->range;
    int y = frame->area.area.rows, columns = frame->area.area.columns, from = 0;
    bool is_ascii = frame->is_ascii, is_even = is_linear(range);
    uint32_t stride = label_stride(frame, range);

    put(canvas, gutter - 1, y, is_ascii ? '+' : 0x2514, STYLE_FAINT);
    for (int x = 0; x < columns; x++)
        put(canvas, gutter + x, y, is_ascii ? '-' : 0x2500, STYLE_FAINT);
    /* What the cursor is at is always named; its neighbours make room. */
    int keep = plot->cursor == PG_NONE ? -100 : gutter + cell_x(frame, plot->cursor);
    for (uint32_t v = 0; v < range->count; v++) {
        int x = gutter + cell_x(frame, v);
        bool is_cursor = v == plot->cursor;
        if (!is_cursor && !is_labelled(range, is_even, stride, v) && v + 1 != range->count && v > 0)
            continue;
        put(canvas, x, y, is_ascii ? '+' : 0x252c, STYLE_FAINT);
        if (is_cursor || x < keep - 5 || x > keep + 5)
            from = draw_label(canvas, plot, frame, gutter, v, is_cursor ? 0 : from);
    }
    for (uint32_t i = 0; i < plot->crossing_count; i++)
        put(canvas, gutter + cell_x(frame, plot->crossings[i].value), y, is_ascii ? 'x' : 0xd7,
            STYLE_NUMBER);
}

/* ---- curves ---- */

/* A dot, of the curve's colour with all that is in its cell. */
static void put_dot(const struct frame_of *frame, int x, int y, enum style style)
{
    static const uint32_t bits[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};
    int rows = frame->area.area.rows;

    if (frame->is_ascii) {
        put(&frame->area, x, rows - 1 - y, '.', style);
        return;
    }
    int column = x / 2, row = rows - 1 - y / 4;
    const struct cell *cell = canvas_at(&frame->area, column, row);
    uint32_t dots = cell != NULL && cell->glyph >= 0x2800 && cell->glyph < 0x2900 ? cell->glyph
                                                                                : 0x2800;
    put(&frame->area, column, row, dots | bits[x % 2][y % 4], style);
}

static void put_line(const struct frame_of *frame, int x, int y, int to_x, int to_y,
                     enum style style)
{
    int steps = to_x - x > abs(to_y - y) ? to_x - x : abs(to_y - y);

    for (int i = 0; i <= steps; i++) {
        double share = steps == 0 ? 0 : (double)i / steps;
        put_dot(frame, x + (int)floor(share * (to_x - x) + 0.5),
                y + (int)floor(share * (to_y - y) + 0.5), style);
    }
}

static void draw_curve(const struct plot *plot, const struct frame_of *frame, uint32_t family)
{
    enum style style = plot_style(family);
    double number;
    int x = 0, y = 0;
    bool has_last = false;

    for (uint32_t v = 0; v < frame->count; v++) {
        if (!sweep_measure(plot->sweep, plot->measure, v, family, &number)) {
            has_last = false;
            continue;
        }
        int to_x = dot_x(frame, v), to_y = dot_y(frame, number);
        if (has_last)
            put_line(frame, x, y, to_x, to_y, style);
        else
            put_dot(frame, to_x, to_y, style);
        x = to_x;
        y = to_y;
        has_last = true;
    }
}

static bool is_letter(const struct cell *cell)
{
    return cell != NULL && cell->glyph >= 'a' && cell->glyph <= 'z';
}

static void put_letter(const struct plot *plot, const struct frame_of *frame, uint32_t value,
                       uint32_t family, bool is_over)
{
    double number;

    if (!sweep_measure(plot->sweep, plot->measure, value, family, &number))
        return;
    int x = cell_x(frame, value), y = cell_y(frame, number);
    if (is_over || !is_letter(canvas_at(&frame->area, x, y)))
        put(&frame->area, x, y, (uint32_t)plot_letter(plot->marks[family]),
            plot_style(family));
}

static bool is_alone(const struct plot *plot, uint32_t value, uint32_t family)
{
    double number;

    return (value == 0 ||
            !sweep_measure(plot->sweep, plot->measure, value - 1, family, &number)) &&
           (value + 1 == plot->sweep->range.count ||
            !sweep_measure(plot->sweep, plot->measure, value + 1, family, &number));
}

/* Of families that have their value in the same cell each has its letter by turns; one by itself
 * every other time. */
static bool is_its_turn(const struct plot *plot, const struct frame_of *frame, uint32_t value,
                        uint32_t family, uint32_t turn)
{
    double own, other;
    uint32_t shared = 0, before = 0;

    if (!sweep_measure(plot->sweep, plot->measure, value, family, &own))
        return false;
    for (uint32_t f = 0; f < plot->sweep->family_count; f++) {
        if (!sweep_measure(plot->sweep, plot->measure, value, f, &other) ||
            cell_y(frame, other) != cell_y(frame, own))
            continue;
        shared++;
        before += f < family;
    }
    return shared > 1 ? turn % shared == before : turn % 2 == family % 2;
}

/* Every few columns each curve has a letter: whose, is_its_turn says. A value whose neighbours cannot
 * be is nothing but a dot, and always has one. */
static void draw_letters(const struct plot *plot, const struct frame_of *frame)
{
    uint32_t families = plot->sweep->family_count, turn = 0;
    int wanted = 1;

    for (uint32_t v = 0; v < frame->count; v++) {
        bool is_turn = cell_x(frame, v) >= wanted;
        for (uint32_t f = 0; f < families; f++) {
            if ((is_turn && is_its_turn(plot, frame, v, f, turn)) || is_alone(plot, v, f))
                put_letter(plot, frame, v, f, false);
        }
        if (is_turn) {
            wanted = cell_x(frame, v) + LETTER_EVERY;
            turn++;
        }
    }
}

static void draw_cursor(const struct plot *plot, const struct frame_of *frame)
{
    int x = cell_x(frame, plot->cursor);

    for (int y = 0; y < frame->area.area.rows; y++) {
        const struct cell *cell = canvas_at(&frame->area, x, y);
        if (cell != NULL && cell->glyph == ' ')
            put(&frame->area, x, y, frame->is_ascii ? ':' : 0x250a, STYLE_LABEL);
    }
    for (uint32_t f = plot->sweep->family_count; f-- > 0;) /* the first one on top */
        put_letter(plot, frame, plot->cursor, f, true);
}

void plot_draw(const struct canvas *canvas, const struct plot *plot)
{
    struct frame_of frame = {.is_ascii = canvas->theme->is_ascii, .count = plot->sweep->range.count};
    double least = 0, most = 0;
    int rows = canvas->area.rows - 2;

    if (rows < 2 || canvas->area.columns < 12)
        return;
    if (!find_bounds(plot, &least, &most)) {
        bool is_done = batch_done(plot->sweep->batch) == plot->sweep->batch->count;
        canvas_text_cut(canvas, 1, rows / 2, STYLE_FAINT,
                        is_done ? "No family that is shown can do any of these values."
                                : "Nothing has been run yet.");
        return;
    }
    shape_axis(&frame, least, most, rows);
    int gutter = label_columns(plot, &frame) + 1;
    frame.area = canvas_sub(canvas, (struct rect){gutter, 0, canvas->area.columns - gutter, rows});
    draw_vertical(canvas, plot, &frame, gutter);
    draw_horizontal(canvas, plot, &frame, gutter);
    for (uint32_t f = plot->sweep->family_count; f-- > 0;)
        draw_curve(plot, &frame, f);
    draw_letters(plot, &frame);
    if (plot->cursor != PG_NONE)
        draw_cursor(plot, &frame);
}
