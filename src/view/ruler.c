/* The time ruler above the lanes: ticks at 1, 2 or 5 times a power of ten, no number cut. */
#include "view/play.h"

#include <math.h>
#include <string.h>

/* A tick's number with the decimals that tell it from the next. */
static void write_tick(struct text *text, double time, double step, double last)
{
    double decimals = step < 1 ? ceil(-log10(step) - 1e-9) : 0;

    if (decimals <= 12 && last < 1e15) { /* one notation on all of the ruler */
        text_addf(text, "%.*f", (int)decimals, time);
        /* 0.5 and 1, not 1.0: a whole number is the easiest to read. */
        if (decimals > 0 && time == floor(time)) {
            text_init(text, text->buffer, text->size);
            text_addf(text, "%.0f", time);
        }
        return;
    }
    double digits = time == 0 ? 1 : floor(log10(fabs(time))) - floor(log10(step)) + 1;
    text_addf(text, "%.*g", (int)fmin(fmax(digits, 1), 17), time);
}

static int tick_columns(double time, double step, double last)
{
    char buffer[TEXT_NUMBER_SIZE + 16];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    write_tick(&text, time, step, last);
    return (int)text.length + 2;
}

/* Round numbers are short: of some neighbours one is likely to be as long as any. */
static int longest_tick(double last, double step)
{
    double at = floor(last / step);
    int longest = 0;

    for (int i = 0; i < 11 && at - i >= 0; i++) {
        int columns = tick_columns((at - i) * step, step, last);
        longest = columns > longest ? columns : longest;
    }
    return longest;
}

/* 1, 2 or 5 times a power of ten, wide enough for the longest of its numbers. */
static double tick_step(const struct axis *axis, double last)
{
    static const double steps[] = {1, 2, 5};
    double least = 9 * 8 / axis->eighths; /* time that nine columns show */
    double decade = pow(10, floor(log10(least)));

    for (int i = 0;; i++) {
        double step = steps[i % 3] * decade;
        if (step >= least * 0.999 &&
            (longest_tick(last, step) <= step * axis->eighths / 8 || step > last))
            return step;
        if (i % 3 == 2)
            decade *= 10;
    }
}

void chart_ruler(const struct canvas *canvas, const struct layout *layout, const struct axis *axis,
                 const struct snapshot *snapshot)
{
    if (layout->ruler.rows == 0)
        return;
    struct canvas row = canvas_sub(canvas, layout->ruler);
    struct canvas chart = canvas_sub(&row, (struct rect){layout->gutter, 0, axis->columns, 1});
    const char *unit = string_text(snapshot->scenario->time);
    double makespan = snapshot_extent(snapshot), last = fmin(makespan, axis_time(axis, axis->columns));
    double step = tick_step(axis, last);

    struct canvas corner = canvas_sub(&row, (struct rect){1, 0, layout->gutter - 2, 1});
    const char *what = unit[0] != '\0' ? unit : "stage";
    if (canvas_columns(canvas, what) <= corner.area.columns)
        canvas_text(&corner, 0, 0, STYLE_FAINT, what);
    long width = axis_eighths(axis, last) / 8;
    canvas_rule(&(struct canvas){chart.grid, chart.theme,
                                 (struct rect){chart.area.x, chart.area.y,
                                               width < chart.area.columns ? (int)width
                                                                          : chart.area.columns, 1}},
                0, STYLE_FAINT);
    /* Counted, since far from 0 a step can be too small to change a time. */
    double first = ceil(axis->start / step - 1e-9);
    for (int n = 0; n < axis->columns && (first + n) * step <= last + step * 1e-9; n++) {
        char buffer[TEXT_NUMBER_SIZE + 16];
        struct text text;
        double time = (first + n) * step + 0.0; /* no -0 */
        int x = (int)floor((time - axis->start) * axis->eighths / 8 + 1e-6);
        text_init(&text, buffer, sizeof buffer);
        write_tick(&text, time, step, last);
        if (x < 0 || x + 1 + (int)text.length > axis->columns)
            continue; /* no cut number */
        canvas_text(&chart, x, 0, STYLE_FAINT, "│");
        canvas_text(&chart, x + 1, 0, STYLE_LABEL, buffer);
    }
    play_mark(&row, layout, axis, snapshot);
    const char *title = snapshot->stash == NULL ? "idle"
                        : snapshot->play.is_on  ? "stash"
                        : layout->is_memory     ? "peak"
                                                : "idle";
    if (layout->tail > 0)
        canvas_text(&row, layout->gutter + axis->columns + layout->tail - (int)strlen(title), 0,
                    STYLE_FAINT, title);
}
