/* From a size to the rectangles of the panels: a pure function, right at every size from 1x1 up.
 *
 * Panels come in order of importance; each is given its row as long as the lanes keep a fair share.
 * A panel that has no room has zero rows. */
#ifndef VIEW_LAYOUT_H
#define VIEW_LAYOUT_H

#include "view/canvas.h"

#define LAYOUT_LEAST_COLUMNS 20
#define LAYOUT_LEAST_ROWS 6

/* What the panels would like. */
struct wishes {
    uint32_t devices;
    int label_columns;     /* of the longest lane label when it is one row high */
    int tall_label_columns;/* the same when there are two rows for it */
    int note_rows;         /* lines of notes to be shown when there is room to spare */
    bool can_halve;        /* two devices may share a row of half blocks */
    bool has_keys;         /* an interactive screen: message line and key bar */
    bool has_memory;       /* a memory lane under each lane, or in its place */
};

struct layout {
    bool is_too_small;
    struct rect title, metrics, ruler, lanes, legend, rule, inspector, notes, message, keys;
    struct rect lesson; /* no rows; where there is one, the screen makes room for it */
    int gutter;       /* columns of the lanes that labels take */
    int tail;         /* columns at the right for the idle share */
    int chart_columns;/* what is left for time */
    int lane_rows;    /* rows of one lane; 1 when halved */
    int lane_step;    /* from lane to lane: lane_rows and the gap below */
    bool is_halved;   /* two devices a row */
    int memory_rows;  /* of the memory lane under a lane */
    bool is_memory;   /* a row a device, for memory instead of operations */
    uint32_t visible; /* devices that fit */
};

/* Gutter, tail and what they leave for time, once the height of a lane is known. */
void layout_columns(struct layout *layout, const struct wishes *wishes, int columns);
void layout_make(struct layout *layout, int columns, int rows, const struct wishes *wishes);
/* A lesson of so many rows goes between the panels and the message line, which keys follow. */
void layout_make_room(struct layout *layout, int lesson);
/* While nothing is said an inspector of one row has the message line as well, where that follows
 * it. */
void layout_lend_message(struct layout *layout);

#endif
