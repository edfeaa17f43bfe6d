/* The Gantt chart: a window of time as bars. The only place that rounds a time to a column.
 *
 * A column is eight steps wide. For each cell the chart asks what runs at its eight sample points:
 * one thing fills the cell, two share it with an edge on an eighth, more are settled by majority. (At
 * two points where dozens of operations lie between any two of eight: those would say no more.)
 * The points are found by galloping along the run from the cell before, so a frame costs what it
 * shows, whatever the number of operations. */
#ifndef VIEW_CHART_H
#define VIEW_CHART_H

#include "model/session.h"
#include "view/layout.h"

/* Time to columns. */
struct axis {
    double start;   /* time at the left edge */
    double eighths; /* eighth columns a time unit */
    int columns;
    bool is_sparing; /* few bytes say more than shades and edges of narrow operations */
};

/* The axis for a window: a fitted one shows the whole step, with a time unit snapped to whole columns
 * or eighths where that wastes little. */
struct axis axis_make(const struct window *window, double makespan, int columns,
                      const struct theme *theme);
double axis_time(const struct axis *axis, double column);
/* Column of a time, in eighths from the left edge, rounded; clamped to the chart. */
long axis_eighths(const struct axis *axis, double time);

/* The column that a time falls in; -1 before the first, `columns` behind the last. */
int axis_column(const struct axis *axis, double time);

void chart_ruler(const struct canvas *canvas, const struct layout *layout, const struct axis *axis,
                 const struct snapshot *snapshot);
/* False when there was not enough memory to draw them. */
bool chart_lanes(const struct canvas *canvas, const struct layout *layout, const struct axis *axis,
                 const struct snapshot *snapshot);
/* Forward and backward cost as a lane's label has them: "1.5+3", rounded to three digits when long. */
void chart_lane_costs(const struct snapshot *snapshot, uint32_t device, struct text *text);
/* Stages of a device that has several: "0,4", "0,4…28", "1+2" for those of two replicas. */
void chart_lane_stages(const struct snapshot *snapshot, uint32_t device, struct text *text);
/* The device of a row of the lanes' rectangle; PG_NONE for a gap between lanes. */
uint32_t chart_device_at(const struct layout *layout, const struct snapshot *snapshot, int row);

/* What each of the eight sample points of a cell falls on. */
enum piece { PIECE_OUTSIDE, PIECE_IDLE, PIECE_OP /* + drawn kind*2 + shade, + 16 for a second chunk */ };
#define PIECE_SECOND 16
#define PIECE_OTHER 32 /* in place of kind and chunk: an operation off the path, + shade */
struct decision {
    uint8_t left, right; /* enum piece and up; equal when one thing fills the cell */
    uint8_t eighths;     /* of the left one, 1 … 7 when they differ */
};
/* The piece that an operation is drawn as. */
uint8_t chart_piece(pg_code code);
/* The kind and chunk that a piece of an operation stands for. */
int chart_piece_kind(uint8_t piece, bool *is_second);
/* Decides `columns` cells of a device's lane. */
void chart_decide(const struct pg_plan *plan, uint32_t device, const struct axis *axis,
                  struct decision *cells);
/* Where forwards or backwards are narrower than half a column, or than a column and more than one
 * would count (32 micro-batches), shades of all that are narrower than a column, and edges between
 * them, would only be noise, and every change of colour is bytes on the wire: one shade a kind,
 * and whole cells. Where bytes are spared shades go at one column, and up to three all edges are on
 * whole columns. */
void chart_calm(const struct pg_plan *plan, uint32_t device, const struct axis *axis,
                struct decision *cells);
/* A decision as a cell; two of them, of one device above another, as one cell. */
struct cell chart_cell(const struct theme *theme, const struct decision *decision);
struct cell chart_half(const struct decision *upper, const struct decision *lower);
/* The latter in fewer bytes, when nothing else is drawn on it: a blank where both halves are one
 * colour, and of two colours always the same one as ink, so that neighbours share a look. */
void chart_settle_half(struct cell *cell);
/* Lets the operations of a path stand out: a cell that any of them reaches into shows it, and all other
 * operations are alike. */
void chart_trace(const struct pg_plan *plan, const struct pg_path *path, uint32_t device,
                 const struct axis *axis, struct decision *cells);

#endif
