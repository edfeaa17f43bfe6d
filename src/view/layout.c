/* Where the panels lie: see layout.h. */
#include "view/layout.h"

#define MOST_LANE_ROWS 8

struct budget {
    int left;  /* rows not given away */
    int lanes; /* rows that the lanes keep in any case */
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int grant(struct budget *budget, int wanted)
{
    if (budget->left - wanted < budget->lanes)
        return 0;
    budget->left -= wanted;
    return wanted;
}

/* Rows for devices one below the other at a row each, or fewer when they have to share. */
static int rows_needed(const struct wishes *wishes, int rows)
{
    int devices = (int)wishes->devices;
    int fixed = wishes->has_keys ? 8 : 5; /* every panel at its least */
    int fair = rows * 2 / 5 > rows - fixed ? rows * 2 / 5 : rows - fixed;

    if (wishes->has_memory)
        return devices * 2 <= fair ? devices * 2 : devices;
    if (devices > fair && wishes->can_halve)
        return (devices + 1) / 2;
    return devices;
}

/* Rows that lanes of equal height fill without taking more than four each to themselves; the last
 * one needs no gap below it. */
static int tall_rows(int need, int rows)
{
    for (int each = 4; each >= 3; each--)
        if (need * each - 1 <= rows)
            return need * each - 1;
    return need * 2 <= rows ? need * 2 : least(need, rows);
}

static void stack(struct rect *panel, int columns, int rows, int *y)
{
    *panel = (struct rect){0, *y, columns, rows};
    *y += rows;
}

/* Lanes with memory lanes below: more rows go to these first, up to three, then to the lanes. */
static void shape_memory(struct layout *layout, int devices, int rows)
{
    int spaced = (rows + 1) / devices - 1; /* rows each, with a gap below all but the last */

    layout->lane_rows = 1;
    layout->is_memory = rows < 2 * devices;
    layout->memory_rows = layout->is_memory ? 0 : spaced < 3 ? 1 : spaced < 6 ? 2 : 3;
    if (!layout->is_memory && spaced > layout->memory_rows)
        layout->lane_rows = least(spaced - layout->memory_rows, MOST_LANE_ROWS);
    int both = layout->lane_rows + layout->memory_rows;
    layout->lane_step = both + (spaced >= 2 && !layout->is_memory ? 1 : 0);
    layout->visible = (uint32_t)least(devices, rows / layout->lane_step +
                                                   (rows % layout->lane_step >= both));
}

/* The lanes' own rows: taller ones with a gap when there is room, half blocks when there is little. */
static void shape_lanes(struct layout *layout, const struct wishes *wishes, int rows)
{
    int devices = (int)wishes->devices;

    if (wishes->has_memory) {
        shape_memory(layout, devices, rows);
        return;
    }
    layout->is_halved = devices > rows && wishes->can_halve;
    layout->lane_rows = layout->lane_step = 1;
    if (layout->is_halved) {
        layout->visible = wishes->devices < 2u * (unsigned)rows ? wishes->devices
                                                                : 2u * (unsigned)rows;
        return;
    }
    int each = devices > 0 ? rows / devices : 1;
    if (each >= 3) {
        /* The last lane needs no gap below it. */
        layout->lane_rows = least((rows + 1) / devices - 1, MOST_LANE_ROWS);
        layout->lane_step = layout->lane_rows + 1;
    } else if (each == 2) {
        layout->lane_rows = layout->lane_step = 2;
    }
    layout->visible = (uint32_t)least(devices, rows / layout->lane_step + (rows % layout->lane_step >= layout->lane_rows));
}

void layout_columns(struct layout *layout, const struct wishes *wishes, int columns)
{
    int label = layout->lane_rows > 1 ? wishes->tall_label_columns : wishes->label_columns;

    layout->gutter = least(label + 2, columns / 3); /* a mark before, a blank behind */
    layout->tail = columns >= 100 ? 7 : columns >= 36 ? 5 : 0;
    layout->chart_columns = columns - layout->gutter - layout->tail;
}

void layout_make(struct layout *layout, int columns, int rows, const struct wishes *wishes)
{
    *layout = (struct layout){.is_too_small = false};
    if (columns < LAYOUT_LEAST_COLUMNS || rows < LAYOUT_LEAST_ROWS) {
        layout->is_too_small = true;
        layout->message = (struct rect){0, rows / 2, columns, 1};
        return;
    }
    int need = rows_needed(wishes, rows);
    int with_keys = wishes->has_keys ? 1 : 0;
    struct budget budget = {rows - 1 - with_keys, 0};
    budget.lanes = least(need, rows * 2 / 5 > 1 ? rows * 2 / 5 : 1);

    int metrics = grant(&budget, 1);
    int ruler = grant(&budget, 1);
    int inspector = grant(&budget, with_keys);
    int keys = grant(&budget, with_keys);
    int legend = grant(&budget, 1);
    metrics += metrics > 0 ? grant(&budget, 1) : 0;

    /* What is left once every lane has its row goes to taller lanes in whole steps, the rest to
     * comfort below them: a second row of explanations is worth most where lines are short. */
    budget.lanes = tall_rows(need, budget.left);
    int comfort = inspector > 0 && columns < 100 ? grant(&budget, 1) : 0;
    int rule = legend > 0 && with_keys ? grant(&budget, 1) : 0;
    int notes = wishes->note_rows > 0 ? grant(&budget, wishes->note_rows) : 0;
    comfort += inspector > 0 && comfort == 0 ? grant(&budget, 1) : 0;
    inspector += comfort;
    int rows_for_lanes = budget.left;

    shape_lanes(layout, wishes, rows_for_lanes);
    layout_columns(layout, wishes, columns);
    int used = layout->is_halved ? rows_for_lanes
                                 : (int)layout->visible * layout->lane_step -
                                       (layout->lane_step - layout->lane_rows -
                                        layout->memory_rows);
    int y = 0;
    stack(&layout->title, columns, 1, &y);
    stack(&layout->metrics, columns, metrics, &y);
    stack(&layout->ruler, columns, ruler, &y);
    stack(&layout->lanes, columns, used, &y);
    if (!with_keys) {
        y += layout->lane_step > layout->lane_rows && y + legend + notes < rows;
        stack(&layout->legend, columns, legend, &y);
        stack(&layout->notes, columns, notes, &y);
        return;
    }
    /* The panels below stand at the bottom, where the eye finds them whatever P is. */
    y = rows - keys - 1 - inspector - rule - legend - notes;
    stack(&layout->notes, columns, notes, &y);
    stack(&layout->legend, columns, legend, &y);
    stack(&layout->rule, columns, rule, &y);
    stack(&layout->inspector, columns, inspector, &y);
    stack(&layout->message, columns, 1, &y);
    stack(&layout->keys, columns, keys, &y);
}

void layout_lend_message(struct layout *layout)
{
    if (layout->inspector.rows != 1 || layout->message.y != layout->inspector.y + 1)
        return;
    layout->inspector.rows = 2;
    layout->message.rows = 0;
}

void layout_make_room(struct layout *layout, int lesson)
{
    layout->lesson = layout->message;
    layout->lesson.rows = lesson;
    layout->message.y += lesson;
    layout->keys.y += lesson;
}
