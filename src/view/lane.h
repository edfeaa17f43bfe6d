/* A lane of the chart: what stands on its operations (lane.c) and beside them (label.c). */
#ifndef VIEW_LANE_H
#define VIEW_LANE_H

#include "view/chart.h"

struct lane {
    const struct canvas *canvas; /* the lane's rows, the chart's columns */
    const struct axis *axis;
    const struct snapshot *snapshot;
    uint32_t device;
    const bool *fits; /* [DRAWN_KINDS] by lane_fits; not asked for where no row has numbers */
};

/* Which kinds can carry their micro-batch's number: all of a kind or none, so the narrowest of the
 * whole plan decides, once a frame. */
void lane_fits(const struct pg_plan *plan, const struct axis *axis, bool *fits);

/* Numbers on the operations that have room for them, on one of the lane's rows. */
void lane_numbers(const struct lane *lane, int row);
/* Takes the whole number away that has a digit in a column. */
void lane_wipe(const struct lane *lane, int x, int row);
/* Brackets around the selection when it is on this lane, and around what a selected operation needs,
 * ( ), and what needs it, { }. `row` is that of the numbers, -1 for none. */
void lane_mark(const struct lane *lane, int row);

/* Into the lanes' rectangle, at row y: the name in the gutter, the idle share behind the chart. */
void lane_label(const struct canvas *canvas, const struct layout *layout,
                const struct snapshot *snapshot, uint32_t device, int y);
void lane_idle(const struct canvas *canvas, const struct layout *layout, const struct axis *axis,
               const struct snapshot *snapshot, uint32_t device, int y);
/* The same for two devices that share a row of half blocks. */
void lane_label_pair(const struct canvas *canvas, const struct layout *layout,
                     const struct axis *axis, const struct snapshot *snapshot, uint32_t upper,
                     bool has_lower, int y);

#endif
