/* The critical path in the chart: cells that any of its operations reaches into show it, and all other
 * operations look alike. The path lies sorted by device, so a lane is one walk from left to right that
 * leaps over what shares a column. */
#include "view/chart.h"

/* The path's operations on a device, looked at from left to right. */
struct trace {
    const struct pg_plan *plan;
    const struct pg_path *path;
    uint32_t device;
    uint64_t at; /* first of them that ends behind the time looked at */
};

static void trace_advance(struct trace *trace, double time)
{
    uint64_t end = trace->path->first[trace->device + 1], stride = 1, low = trace->at, high;

    while ((high = low + stride) < end &&
           pg_op_end(trace->plan, trace->device, trace->path->index[high - 1]) <= time) {
        low = high;
        stride *= 2;
    }
    high = high < end ? high : end;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (pg_op_end(trace->plan, trace->device, trace->path->index[middle]) <= time)
            low = middle + 1;
        else
            high = middle;
    }
    trace->at = low;
}

/* What a part of a cell shows, from `from` to `to`: the path's operation if one reaches into it. */
static uint8_t traced(struct trace *trace, uint8_t piece, double from, double to)
{
    double hair = (to - from) * 1e-6; /* an end that rounding has moved across the edge */

    trace_advance(trace, from + hair);
    if (trace->at < trace->path->first[trace->device + 1]) {
        uint32_t index = trace->path->index[trace->at];
        if (trace->plan->run[trace->device].start[index] < to - hair)
            return chart_piece(trace->plan->run[trace->device].code[index]);
    }
    return piece < PIECE_OP ? piece : (uint8_t)(PIECE_OTHER + ((piece - PIECE_OP) & 1));
}

void chart_trace(const struct pg_plan *plan, const struct pg_path *path, uint32_t device,
                 const struct axis *axis, struct decision *cells)
{
    struct trace trace = {plan, path, device, path->first[device]};

    for (int x = 0; x < axis->columns; x++) {
        struct decision *cell = &cells[x];
        double from = axis_time(axis, x), to = axis_time(axis, x + 1);
        double edge = cell->left == cell->right ? to : from + (to - from) * cell->eighths / 8;
        uint8_t left = traced(&trace, cell->left, from, edge);
        cell->right = cell->left == cell->right ? left : traced(&trace, cell->right, edge, to);
        cell->left = left;
    }
}
