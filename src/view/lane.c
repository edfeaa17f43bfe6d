/* What stands on the operations of a lane: their numbers, and the marks of the selection. See lane.h.
 *
 * The one rule is that no number may be read as another: it is whole or not there, and a bracket that
 * needs its place takes all of it away. */
#include "view/lane.h"

#include <math.h>
#include <string.h>

/* ---- numbers ---- */

/* fmin is a call into a library. */
static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static int digits_of(uint32_t number)
{
    int digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

/* A fused pair carries two numbers, "3&5". */
void lane_fits(const struct pg_plan *plan, const struct axis *axis, bool *fits)
{
    int digits = digits_of(plan->micro_each - 1);
    size_t cells = (size_t)plan->replicas * plan->stages;
    double least[DRAWN_KINDS];

    for (int k = 0; k < DRAWN_KINDS; k++)
        least[k] = INFINITY;
    for (size_t c = 0; c < cells; c++)
        for (int k = 0; k < PG_KINDS; k++)
            least[k] = lesser(least[k], plan->cost[c * PG_KINDS + (size_t)k]);
    if (plan->family->has_fused)
        least[KIND_FUSED] = (least[PG_FORWARD] + least[PG_BACKWARD]) * plan->fused;
    for (int k = 0; k < DRAWN_KINDS; k++) {
        int needed = k == KIND_FUSED ? 2 * digits + 2 : digits + 1;
        fits[k] = isfinite(least[k]) && least[k] * axis->eighths + 1e-6 >= needed * 8;
    }
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* An operation as it is drawn: a fused pair is one, numbered by both its micro-batches. */
struct drawn {
    double start, end;
    int kind;
    enum colour paper, ink;
    char label[28];
    int length;
};

static void drawn_make(const struct snapshot *snapshot, uint32_t device, uint32_t index,
                       struct drawn *drawn)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;
    const struct pg_run *run = &plan->run[device];
    pg_code code = run->code[index];
    bool is_pair = pg_code_is_fused(code);
    uint32_t shade = pg_code_micro(code) & 1u;
    struct text text;

    drawn->start = run->start[index];
    drawn->end = pg_op_end(plan, device, index);
    drawn->kind = is_pair ? KIND_FUSED : (int)pg_code_kind(code);
    drawn->paper = pg_code_slot(code) % 2 == 1 ? theme_second_paper(drawn->kind, shade)
                                               : theme_kind_paper(drawn->kind, shade);
    drawn->ink = theme_kind_ink(drawn->kind);
    if (snapshot->path != NULL && !path_has(snapshot->path, plan, device, index)) {
        drawn->paper = shade == 0 ? COLOUR_OTHER_A : COLOUR_OTHER_B;
        drawn->ink = COLOUR_DIM;
    }
    text_init(&text, drawn->label, sizeof drawn->label);
    text_addf(&text, "%u", pg_code_micro(code));
    if (is_pair && index + 1 < run->count)
        text_addf(&text, "&%u", pg_code_micro(run->code[index + 1]));
    drawn->length = (int)text.length;
}

/* A texture close to a number would be read with it. */
static void clear_texture(const struct lane *lane, const struct drawn *drawn, int x, int row)
{
    struct cell *cell = canvas_at(lane->canvas, x, row);

    if (cell != NULL && cell->paper == drawn->paper && lane->canvas->theme->depth != DEPTH_MONO &&
        (cell->glyph == 0xb7 || (cell->glyph < 0x80 && strchr(".-=:;", (int)cell->glyph) != NULL)))
        cell->glyph = ' ';
}

static void put_number(const struct lane *lane, const struct drawn *drawn, int x, int row)
{
    clear_texture(lane, drawn, x - 1, row);
    clear_texture(lane, drawn, x + drawn->length, row);
    for (int i = 0; i < drawn->length; i++) {
        struct cell *cell = canvas_at(lane->canvas, x + i, row);
        if (cell == NULL)
            continue;
        cell->glyph = (unsigned char)drawn->label[i];
        cell->ink = (uint8_t)drawn->ink;
        cell->paper = (uint8_t)drawn->paper;
        /* Bold black is grey where a terminal makes bold bright. */
        cell->attributes = cell->ink == COLOUR_ON_FORWARD ? ATTR_BOLD : 0;
    }
}

/* A number on an operation: in its middle, or opening it where colour cannot tell neighbours apart. */
static void number_op(const struct lane *lane, const struct drawn *drawn, int row)
{
    const struct theme *theme = lane->canvas->theme;
    double left = (drawn->start - lane->axis->start) * lane->axis->eighths / 8;
    double right = (drawn->end - lane->axis->start) * lane->axis->eighths / 8;
    double at = theme->depth == DEPTH_MONO || theme->is_ascii
                    ? floor(left + 0.5)
                    : floor((left + right - drawn->length) / 2 + 0.25);

    /* A part of a number would be another number; and zoomed in far, its column is no int. */
    if (left < -0.01 || !(at + drawn->length <= lane->axis->columns))
        return;
    put_number(lane, drawn, (int)at, row);
}

void lane_numbers(const struct lane *lane, int row)
{
    const struct pg_plan *plan = &lane->snapshot->outcome->plan;
    const struct pg_run *run = &plan->run[lane->device];
    double end = axis_time(lane->axis, lane->axis->columns);
    bool fits_any = false;
    struct drawn drawn;

    for (int k = 0; k < DRAWN_KINDS; k++)
        fits_any = fits_any || lane->fits[k];
    uint32_t i = fits_any ? pg_op_after(plan, lane->device, lane->axis->start) : run->count;
    while (i < run->count && run->start[i] < end) {
        if (run->code[i] & PG_CODE_FUSED_SECOND) {
            i++;
            continue;
        }
        drawn_make(lane->snapshot, lane->device, i++, &drawn);
        if (lane->fits[drawn.kind])
            number_op(lane, &drawn, row);
        else if ((drawn.end - drawn.start) * lane->axis->eighths < 8)
            /* Thousands of these may share a column: go on with what outlasts it. */
            i = later(i, pg_op_after(plan, lane->device, drawn.end + 8 / lane->axis->eighths));
    }
}

/* ---- selection ---- */

/* A number's cell as it was without the number. */
static void wipe(const struct theme *theme, struct cell *cell)
{
    bool is_second = false;
    int kind = PG_FORWARD;

    bool is_kind = theme_kind_of_paper((enum colour)cell->paper, &kind, &is_second);
    cell->glyph = is_kind ? theme_fill(theme, kind, is_second) : ' ';
    cell->attributes = 0;
}

static bool is_digit(const struct cell *cell)
{
    return cell != NULL && ((cell->glyph >= '0' && cell->glyph <= '9') ||
                            (cell->glyph == '&' && cell->attributes & ATTR_BOLD));
}

/* Takes a whole number away, of which `x` is a digit: a part of it would be another number. */
static void wipe_number(const struct lane *lane, int x, int y)
{
    struct cell *cell = canvas_at(lane->canvas, x, y);
    enum colour paper = cell == NULL ? COLOUR_OWN : (enum colour)cell->paper;

    for (int step = -1; step <= 1; step += 2)
        for (int at = x; (cell = canvas_at(lane->canvas, at, y)) != NULL &&
                         (at == x || is_digit(cell)) && cell->paper == paper; at += step)
            if (is_digit(cell) && at != x)
                wipe(lane->canvas->theme, cell);
    cell = canvas_at(lane->canvas, x, y);
    if (is_digit(cell))
        wipe(lane->canvas->theme, cell);
}

void lane_wipe(const struct lane *lane, int x, int row)
{
    if (is_digit(canvas_at(lane->canvas, x, row)))
        wipe_number(lane, x, row);
}

/* Marks around something on a lane, on one row: every other one would cost as many bytes again each
 * time the selection moves. */
struct marks {
    char open, close;
    int row;
};

static void bracket(const struct lane *lane, int x, char glyph, const struct marks *marks)
{
    struct cell *cell = canvas_at(lane->canvas, x, marks->row);

    if (cell == NULL)
        return;
    if (is_digit(cell))
        wipe_number(lane, x, marks->row);
    /* A cell that holds an edge is given to its larger part. */
    if (cell->glyph >= 0x2589 && cell->glyph <= 0x258c)
        cell->paper = cell->ink;
    cell->glyph = (unsigned char)glyph;
    cell->ink = (uint8_t)theme_ink_on((enum colour)cell->paper);
    /* Bold black is grey where a terminal makes bold bright. */
    cell->attributes = cell->ink == COLOUR_ON_FORWARD || cell->paper == COLOUR_OWN ? ATTR_BOLD : 0;
}

/* The item's first and last column; false when it is not in the window. */
static bool marked_columns(const struct lane *lane, const struct selection *item, int *first,
                           int *last)
{
    const struct pg_plan *plan = &lane->snapshot->outcome->plan;
    double scale = lane->axis->eighths / 8, start, end;

    if (item->is_gap) {
        gap_bounds(plan, item->device, item->index, &start, &end);
    } else {
        start = plan->run[item->device].start[item->index];
        end = pg_op_end(plan, item->device, item->index);
    }
    double left = (start - lane->axis->start) * scale, right = (end - lane->axis->start) * scale;
    if (right <= 0 || left >= lane->axis->columns)
        return false;
    *first = (int)fmax(-1, ceil(left - 0.5));
    *last = (int)fmin(lane->axis->columns, floor(right + 0.5) - 1);
    if (*last < *first) /* less than half a column: the one it begins in */
        *first = *last = (int)fmin(floor(fmax(left, 0)), lane->axis->columns - 1);
    return true;
}

/* Marks at the ends of an item, further out where it is too narrow for them and its number; the
 * number then stands between them. An end out of sight has no mark. */
static void mark_item(const struct lane *lane, const struct selection *item, int row,
                      const struct marks *marks)
{
    bool is_mono = lane->canvas->theme->depth == DEPTH_MONO || lane->canvas->theme->is_ascii;
    int first, last, digits = 0;
    struct drawn drawn;

    if (!marked_columns(lane, item, &first, &last))
        return;
    int left = first, right = last;
    if (!item->is_gap && row >= 0) {
        uint32_t index = item->index;
        if (lane->snapshot->outcome->plan.run[item->device].code[index] & PG_CODE_FUSED_SECOND)
            index--;
        drawn_make(lane->snapshot, item->device, index, &drawn);
        digits = lane->fits[drawn.kind] && first >= 0 ? drawn.length : 0;
    }
    int wanted = last > first && digits == 0 ? 2 : digits + 2 > 3 ? digits + 2 : 3;
    for (int turn = 0; right - left + 1 < wanted && turn < 4; turn++) {
        if (turn % 2 == 0 && right + 1 < lane->axis->columns)
            right++;
        else if (turn % 2 == 1 && left > 0)
            left--;
    }
    for (int x = first; digits > 0 && x <= last; x++)
        if (is_digit(canvas_at(lane->canvas, x, row)))
            wipe(lane->canvas->theme, canvas_at(lane->canvas, x, row));
    if (left >= 0)
        bracket(lane, left, marks->open, marks);
    if (right < lane->axis->columns)
        bracket(lane, right, marks->close, marks);
    if (digits > 0 && right - left - 1 >= digits)
        put_number(lane, &drawn, left + 1 + (is_mono ? 0 : (right - left - 1 - digits) / 2), row);
}

static void mark_places(const struct lane *lane, const struct pg_place *places, uint32_t count,
                        int row, const struct marks *marks)
{
    for (uint32_t i = 0; i < count; i++)
        if (places[i].device == lane->device)
            mark_item(lane,
                      &(struct selection){.device = places[i].device, .index = places[i].index},
                      row, marks);
}

void lane_mark(const struct lane *lane, int row)
{
    const struct pg_plan *plan = &lane->snapshot->outcome->plan;
    const struct selection *item = &lane->snapshot->selection;
    struct pg_place places[PG_MOST_NEEDS];

    if (item->is_all)
        return;
    if (!item->is_gap && row >= 0) { /* needs first, so that what is nearer to the user lies on top */
        uint32_t count = pg_op_needs(plan, item->device, item->index, places);
        mark_places(lane, places, count, row, &(struct marks){'(', ')', row});
        count = pg_op_unblocks(plan, item->device, item->index, places);
        mark_places(lane, places, count, row, &(struct marks){'{', '}', row});
    }
    if (item->device == lane->device)
        mark_item(lane, item, row, &(struct marks){'[', ']', row > 0 ? row : 0});
}
