/* Where two charts lie on one screen: see compare.h. Both have a line of their own above them; what
 * is left is shared so that every lane of either is as high as any other. */
#include "view/compare.h"

enum { MOST_LANE_ROWS = 8, FIXED_ROWS = 8 /* every panel but legend and table at its least */ };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static int halves(int devices)
{
    return (devices + 1) / 2;
}

/* Rows that all lanes take at their least, and how many of them are kept from other panels: all, if
 * that can be; where lanes scroll anyway, a fair share. */
static int rows_reserved(int a, int b, int rows, bool can_halve, bool has_keys)
{
    int room = rows - (has_keys ? FIXED_ROWS : 3), need = a + b;

    if (need > room && can_halve)
        need = halves(a) + halves(b);
    return need <= room ? need : least(need, most(2, rows * 2 / 5));
}

static int grant(int *left, int wanted, int reserved)
{
    if (*left - wanted < reserved)
        return 0;
    *left -= wanted;
    return wanted;
}

/* Height of a lane and the way from lane to lane, when all of both have room. */
static void shape_all(struct layout *layout, int lanes, int rows)
{
    int each = (rows + 2) / lanes - 1; /* the last one of either needs no gap below it */

    layout->lane_rows = layout->lane_step = 1;
    if (each >= 2) {
        layout->lane_rows = least(each, MOST_LANE_ROWS);
        layout->lane_step = layout->lane_rows + 1;
    } else if (lanes * 2 <= rows) {
        layout->lane_rows = layout->lane_step = 2;
    }
}

static int lanes_rows(const struct layout *layout, int devices)
{
    return layout->is_halved ? halves(devices)
                             : devices * layout->lane_step - (layout->lane_step - layout->lane_rows);
}

/* Rows of A's and B's lanes. Neither is given less than half as long as it needs that. */
static void share(struct compare_layout *layout, int a, int b, int rows, bool can_halve)
{
    struct layout shape = {.is_too_small = false};
    bool fits = a + b <= rows;

    shape.is_halved = !fits && can_halve;
    shape.lane_rows = shape.lane_step = 1;
    if (fits)
        shape_all(&shape, a + b, rows);
    layout->a = layout->b = shape;
    int need_a = lanes_rows(&shape, a), need_b = lanes_rows(&shape, b);
    int rows_a = least(need_a, most(rows / 2, rows - need_b));
    int rows_b = least(need_b, rows - rows_a);
    if (a == b && rows_a != rows_b)
        rows_b = rows_a = least(rows_a, rows_b); /* they scroll together */
    int step = shape.is_halved ? 2 : 1;
    layout->a.lanes.rows = rows_a;
    layout->b.lanes.rows = rows_b;
    layout->a.visible = (uint32_t)(rows_a == need_a ? a : rows_a * step);
    layout->b.visible = (uint32_t)(rows_b == need_b ? b : rows_b * step);
}

static void stack(struct rect *panel, int columns, int rows, int *y)
{
    *panel = (struct rect){0, *y, columns, rows};
    *y += rows;
}

static void place(struct compare_layout *layout, int columns, int *y)
{
    struct layout *b = &layout->b;

    stack(&b->ruler, columns, b->ruler.rows, y);
    stack(&layout->head_a, columns, 1, y);
    stack(&layout->a.lanes, columns, layout->a.lanes.rows, y);
    stack(&layout->head_b, columns, 1, y);
    stack(&b->lanes, columns, b->lanes.rows, y);
}

static void place_columns(struct compare_layout *layout, int columns, const struct wishes *a,
                          const struct wishes *b)
{
    struct wishes both = *b;

    both.label_columns = most(a->label_columns, b->label_columns);
    both.tall_label_columns = most(a->tall_label_columns, b->tall_label_columns);
    layout_columns(&layout->a, &both, columns);
    layout_columns(&layout->b, &both, columns);
}

static void make_printed(struct compare_layout *layout, int columns, int rows, int a, int b,
                         int table_rows)
{
    int y = 0;

    share(layout, a, b, rows - 5 - table_rows, false);
    layout->b.ruler.rows = 1;
    place(layout, columns, &y);
    stack(&layout->b.legend, columns, 1, &y);
    y++;
    stack(&layout->table, columns, table_rows, &y);
}

void compare_layout_make(struct compare_layout *layout, int columns, int rows,
                         const struct wishes *wishes_a, const struct wishes *wishes_b,
                         int table_rows)
{
    int a = (int)wishes_a->devices, b = (int)wishes_b->devices;
    bool has_keys = wishes_b->has_keys, can_halve = wishes_b->can_halve;

    *layout = (struct compare_layout){.table = {0, 0, 0, 0}};
    if (columns < LAYOUT_LEAST_COLUMNS || rows < LAYOUT_LEAST_ROWS) {
        layout->b.is_too_small = true;
        layout->b.message = (struct rect){0, rows / 2, columns, 1};
        return;
    }
    if (!has_keys) {
        make_printed(layout, columns, rows, a, b, table_rows);
        place_columns(layout, columns, wishes_a, wishes_b);
        return;
    }
    int reserved = rows_reserved(a, b, rows, can_halve, has_keys);
    int left = rows - 4; /* title, message line and both heads are always there */
    int ruler = grant(&left, 1, reserved), keys = grant(&left, 1, reserved);
    int metrics = grant(&left, 1, reserved), inspector = grant(&left, 1, reserved);
    int legend = grant(&left, 1, reserved);
    int table = grant(&left, 5, reserved);
    table += table == 0 ? grant(&left, 4, reserved) : 0;
    metrics += metrics > 0 ? grant(&left, 1, reserved) : 0;
    inspector += inspector > 0 ? grant(&left, 1, reserved) : 0;
    int rule = inspector > 0 ? grant(&left, 1, reserved) : 0;

    share(layout, a, b, left, can_halve);
    place_columns(layout, columns, wishes_a, wishes_b);
    int y = 0;
    stack(&layout->b.title, columns, 1, &y);
    stack(&layout->b.metrics, columns, metrics, &y);
    layout->b.ruler.rows = ruler;
    place(layout, columns, &y);
    y = rows - keys - 1 - inspector - rule - legend - table;
    stack(&layout->table, columns, table, &y);
    stack(&layout->b.legend, columns, legend, &y);
    stack(&layout->b.rule, columns, rule, &y);
    stack(&layout->b.inspector, columns, inspector, &y);
    stack(&layout->b.message, columns, 1, &y);
    stack(&layout->b.keys, columns, keys, &y);
}
