/* The time ruler above the lanes: ticks at 1, 2 or 5 times a power of ten, no number cut. */
#include "view/chart.h"

#include <math.h>

/* 1, 2 or 5 times a power of ten, wide enough for its numbers. */
static double tick_step(const struct axis *axis)
{
    static const double steps[] = {1, 2, 5, 10};
    double least = 9 * 8 / axis->eighths; /* time that nine columns show */
    double decade = pow(10, floor(log10(least)));

    for (int i = 0; i < 4; i++)
        if (steps[i] * decade >= least * 0.999)
            return steps[i] * decade;
    return 10 * decade;
}

void chart_ruler(const struct canvas *canvas, const struct layout *layout, const struct axis *axis,
                 const struct snapshot *snapshot)
{
    if (layout->ruler.rows == 0)
        return;
    struct canvas row = canvas_sub(canvas, layout->ruler);
    struct canvas chart = canvas_sub(&row, (struct rect){layout->gutter, 0, axis->columns, 1});
    const char *unit = string_text(snapshot->scenario->time);
    double makespan = snapshot->outcome->plan.makespan, step = tick_step(axis);
    double last = fmin(makespan, axis_time(axis, axis->columns));

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
    for (double k = ceil(axis->start / step - 1e-9); k * step <= last + step * 1e-9; k++) {
        char buffer[TEXT_NUMBER_SIZE + 8];
        struct text text;
        double time = k * step + 0.0; /* no -0 */
        int x = (int)floor((time - axis->start) * axis->eighths / 8 + 1e-6);
        text_init(&text, buffer, sizeof buffer);
        text_brief(&text, time);
        if (x < 0 || x + 1 + (int)text.length > axis->columns)
            continue; /* no cut number */
        canvas_text(&chart, x, 0, STYLE_FAINT, "│");
        canvas_text(&chart, x + 1, 0, STYLE_LABEL, buffer);
    }
    if (layout->tail > 0)
        canvas_text(&row, layout->gutter + axis->columns + layout->tail - 4, 0, STYLE_FAINT, "idle");
}
