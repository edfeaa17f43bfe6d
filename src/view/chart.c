/* The Gantt chart: see chart.h. */
#include "view/lane.h"
#include "view/play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- time and columns ---- */

struct axis axis_make(const struct window *window, double makespan, int columns,
                      const struct theme *theme)
{
    struct axis axis = {.columns = columns > 0 ? columns : 1,
                        .is_sparing = theme->is_sparing};

    if (!window->is_fit) {
        axis.start = window->start;
        axis.eighths = axis.columns * 8 / window->span;
        return axis;
    }
    axis.eighths = axis.columns * 8 / makespan;
    double whole = floor(axis.eighths / 8 + 1e-9) * 8, eighth = floor(axis.eighths + 1e-9);
    bool is_coarse = theme->is_ascii || theme->depth == DEPTH_MONO;
    if (whole >= 8 && (is_coarse || whole >= axis.eighths * 0.62))
        axis.eighths = whole;
    else if (eighth >= 4)
        axis.eighths = eighth;
    int used = (int)ceil(makespan * axis.eighths / 8 - 1e-6);
    axis.columns = used < 1 ? 1 : used < axis.columns ? used : axis.columns;
    return axis;
}

double axis_time(const struct axis *axis, double column)
{
    return axis->start + column * 8 / axis->eighths;
}

long axis_eighths(const struct axis *axis, double time)
{
    double at = floor((time - axis->start) * axis->eighths + 0.5);
    double most = (double)axis->columns * 8;

    return (long)(at < 0 ? 0 : at > most ? most : at);
}

int axis_column(const struct axis *axis, double time)
{
    double at = floor((time - axis->start) * axis->eighths / 8 + 1e-6);
    return at < 0 ? -1 : at < axis->columns ? (int)at : axis->columns;
}

/* ---- deciding cells ---- */

/* A place in a run that only moves forward. Searches look at starts alone: they are what lies in a
 * row in memory, and of the operations that have begun only the last one can still run. */
struct cursor {
    const struct pg_plan *plan;
    const double *starts;
    const pg_code *codes;
    const uint32_t *cells; /* of the device's slots */
    uint32_t device, index, count; /* index: first operation that ends after the time looked at */
    uint32_t stride;               /* how far the last search went: the next one goes as far */
    double start, end;             /* of operation `index`; infinite behind the last */
    double last;                   /* where the lane ends */
};

static inline double op_end(const struct cursor *cursor, uint32_t index)
{
    pg_code code = cursor->codes[index];

    if (pg_code_is_fused(code))
        return pg_op_end(cursor->plan, cursor->device, index);
    size_t cell = cursor->cells[pg_code_slot(code)];
    return cursor->starts[index] + cursor->plan->cost[cell * PG_KINDS + pg_code_kind(code)];
}

static void cursor_load(struct cursor *cursor)
{
    if (cursor->index < cursor->count) {
        cursor->start = cursor->starts[cursor->index];
        cursor->end = op_end(cursor, cursor->index);
    } else {
        cursor->start = cursor->end = INFINITY;
    }
}

/* The last operation from `low` on that starts at or before `time`, as `low` does: a jump as long as
 * the one before, then a gallop from there and a bisection of what was jumped over. Samples are as
 * far from each other in a run as they are in time, so the first jump is nearly right. */
static uint32_t last_started(const struct cursor *cursor, uint32_t low, double time)
{
    const double *starts = cursor->starts;
    uint32_t count = cursor->count, high = low + cursor->stride, stride = 1;

    if (high < count && starts[high] <= time) {
        for (low = high; (high = low + stride) < count && starts[high] <= time; stride *= 2)
            low = high;
        high = high < count ? high : count;
    } else {
        high = high < count ? high : count;
        for (; high - low > stride && starts[high - stride] > time; stride *= 2)
            high -= stride;
        low = high - low > stride ? high - stride : low;
    }
    while (low + 1 < high) { /* start(low) <= time < start(high) */
        uint32_t middle = low + (high - low) / 2;
        if (starts[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* How many operations are looked at one after another before a search begins. */
#define NEAR 4

/* To the first operation that ends after `time`. */
static void cursor_advance(struct cursor *cursor, double time)
{
    for (uint32_t steps = cursor->stride > NEAR ? NEAR : 0; steps < NEAR; steps++) {
        if (cursor->end > time)
            return;
        cursor->index += cursor->codes[cursor->index] & PG_CODE_FUSED_FIRST ? 2 : 1;
        cursor_load(cursor);
    }
    if (cursor->end > time)
        return;
    uint32_t last = last_started(cursor, cursor->index, time);
    cursor->stride = last > cursor->index ? last - cursor->index : 1;
    if (cursor->codes[last] & PG_CODE_FUSED_SECOND)
        last--;
    cursor->index = last;
    cursor_load(cursor);
    if (cursor->end > time)
        return;
    cursor->index += cursor->codes[last] & PG_CODE_FUSED_FIRST ? 2 : 1;
    cursor_load(cursor);
}

uint8_t chart_piece(pg_code code)
{
    unsigned kind = pg_code_is_fused(code) ? (unsigned)KIND_FUSED : (unsigned)pg_code_kind(code);
    unsigned second = pg_code_slot(code) % 2 == 1 ? PIECE_SECOND : 0;
    return (uint8_t)(PIECE_OP + kind * 2 + (pg_code_micro(code) & 1u) + second);
}

static uint8_t piece_of(const struct cursor *cursor, double time)
{
    if (time >= cursor->last || time < 0)
        return PIECE_OUTSIDE;
    if (cursor->start > time)
        return PIECE_IDLE;
    return chart_piece(cursor->codes[cursor->index]);
}

/* Until when the piece at `time` lasts. */
static double piece_end(const struct cursor *cursor, double time)
{
    if (time >= cursor->last)
        return INFINITY;
    if (time < 0)
        return 0;
    if (cursor->start > time)
        return cursor->start < cursor->last ? cursor->start : cursor->last;
    return cursor->end;
}

/* What a piece is, whatever its shade and chunk: shades that voted apart would let a minority win.
 * Where kinds are even the higher one wins: idle time, then later kinds, the longer ones as a rule. */
static unsigned rank_of(uint8_t piece)
{
    bool is_second;

    if (piece == PIECE_IDLE)
        return DRAWN_KINDS + 1;
    return piece < PIECE_OP ? 0 : 1 + (unsigned)chart_piece_kind(piece, &is_second);
}

/* What neighbouring points of a cell fall on. */
struct share {
    uint8_t piece, points;
};

static struct decision majority(const struct share *shares, int count)
{
    struct decision cell = {shares[0].piece, shares[count - 1].piece, 0};
    uint8_t shades[PIECE_OP + 2 * PIECE_SECOND] = {0}, kinds[DRAWN_KINDS + 2] = {0};
    int best = 0;

    if (count <= 2) {
        cell.eighths = count == 1 ? 0 : shares[0].points;
        return cell;
    }
    for (int i = 0; i < count; i++) {
        shades[shares[i].piece] = (uint8_t)(shades[shares[i].piece] + shares[i].points);
        kinds[rank_of(shares[i].piece)] = (uint8_t)(kinds[rank_of(shares[i].piece)] + shares[i].points);
    }
    for (int i = 0; i < count; i++) {
        unsigned rank = rank_of(shares[i].piece);
        int got = kinds[rank] << 7 | (int)rank << 4 | shades[shares[i].piece];
        if (got > best) {
            best = got;
            cell.left = cell.right = shares[i].piece;
        }
    }
    return cell;
}

/* A cell is crowded when each of its points is dozens of operations on from the one before. Two
 * points say as much as eight then; and as each lies in a line of memory of its own, waiting for
 * these lines is what a frame of millions of operations costs. */
#define CROWD 128

#if defined(__GNUC__)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) ((void)(address))
#endif

/* Cells have about as many operations as the one before, so the lines of one further on are asked
 * for, and come all at once while those before it are decided. */
static void fetch_ahead(const struct cursor *cursor, uint32_t passed)
{
    for (uint32_t half = 1; half <= 2; half++) {
        uint64_t at = cursor->index + (uint64_t)passed * (2 * 2 + half) / 2;
        if (at < cursor->count) {
            FETCH(&cursor->starts[at]);
            FETCH(&cursor->codes[at]);
        }
    }
}

/* A cell by the points of its eighths, the first of which is at `first`. */
static struct decision decide_eighths(struct cursor *cursor, double first, double step)
{
    struct share shares[8] = {{0, 0}};
    int count = 0;

    for (int k = 0, from; k < 8;) {
        double time = first + k * step;
        cursor_advance(cursor, time);
        uint8_t piece = piece_of(cursor, time);
        double end = piece_end(cursor, time);
        from = k++;
        while (k < 8 && first + k * step < end)
            k++;
        if (count == 0 || shares[count - 1].piece != piece)
            shares[count++] = (struct share){piece, 0};
        shares[count - 1].points = (uint8_t)(shares[count - 1].points + (k - from));
    }
    return majority(shares, count);
}

/* What is at the cursor, or next to it when that lasts longer: where kinds take turns, points that
 * fall on the one or the other would draw a pattern that is not there. */
static uint8_t longer_of_two(const struct cursor *cursor, double time)
{
    uint8_t piece = piece_of(cursor, time);
    uint32_t next = cursor->index + 1;
    if (piece < PIECE_OP || next >= cursor->count || cursor->codes[next] & PG_CODE_FUSED_SECOND)
        return piece;
    double more = op_end(cursor, next) - cursor->starts[next] - (cursor->end - cursor->start);
    uint8_t other = chart_piece(cursor->codes[next]);
    double hair = 1e-9 * cursor->end; /* equal, but for rounding */
    return more > hair || (more > -hair && rank_of(other) > rank_of(piece)) ? other : piece;
}

/* The same by the points of its halves; of two operations the kind that wins where kinds are even.
 * */
static struct decision decide_halves(struct cursor *cursor, double first, double step)
{
    uint8_t pieces[2];

    for (int half = 0; half < 2; half++) {
        double time = first + (half * 4 + 1.5) * step;
        cursor_advance(cursor, time);
        pieces[half] = longer_of_two(cursor, time);
    }
    if (pieces[0] >= PIECE_OP && pieces[1] >= PIECE_OP)
        pieces[0] = pieces[1] = pieces[rank_of(pieces[1]) > rank_of(pieces[0])];
    return (struct decision){pieces[0], pieces[1], pieces[0] == pieces[1] ? 0 : 4};
}

/* A step goes on until its makespan on every device; of one under construction a device has come as
 * far as its last operation. */
static double lane_end(const struct pg_plan *plan, uint32_t device)
{
    uint32_t count = plan->run[device].count;

    if (!plan->is_partial)
        return plan->makespan;
    return count == 0 ? 0 : pg_op_end(plan, device, count - 1);
}

void chart_decide(const struct pg_plan *plan, uint32_t device, const struct axis *axis,
                  struct decision *cells)
{
    double step = 1 / axis->eighths;
    uint32_t passed = 0; /* operations of the cell before */
    struct cursor cursor = {
        .plan = plan,
        .starts = plan->run[device].start,
        .codes = plan->run[device].code,
        .cells = plan->slot_cell + (size_t)device * plan->slots,
        .device = device,
        .index = pg_op_after(plan, device, axis->start),
        .count = plan->run[device].count,
        .stride = 1,
        .last = lane_end(plan, device),
    };

    cursor_load(&cursor);
    for (int x = 0; x < axis->columns; x++) {
        double first = axis->start + (x * 8 + 0.5) * step;
        uint32_t before = cursor.index;
        bool is_crowded = passed >= CROWD;
        if (is_crowded) {
            fetch_ahead(&cursor, passed);
            cells[x] = decide_halves(&cursor, first, step);
        } else {
            cells[x] = decide_eighths(&cursor, first, step);
        }
        passed = cursor.index - before;
    }
}

/* ---- lanes ---- */

static void decide_lane(const struct snapshot *snapshot, uint32_t device, const struct axis *axis,
                        struct decision *cells)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;

    chart_decide(plan, device, axis, cells);
    chart_calm(plan, device, axis, cells);
    if (snapshot->path != NULL)
        chart_trace(plan, snapshot->path, device, axis, cells);
}

static void draw_lane(const struct canvas *canvas, const struct layout *layout,
                      const struct lane *like, uint32_t device, int y, struct decision *cells)
{
    const struct axis *axis = like->axis;
    const struct snapshot *snapshot = like->snapshot;
    struct canvas area = canvas_sub(canvas, (struct rect){layout->gutter, y, axis->columns,
                                                          layout->lane_rows});
    struct lane lane = {&area, axis, snapshot, device, like->fits};

    decide_lane(snapshot, device, axis, cells);
    /* Straight into rows, which were blank: nothing lies there that a cell could cut in two. */
    for (int row = 0; row < area.area.rows; row++) {
        struct cell *at = canvas_at(&area, 0, row);
        for (int x = 0; x < area.area.columns; x++)
            at[x] = chart_cell(canvas->theme, &cells[x]);
    }
    lane_numbers(&lane, (layout->lane_rows - 1) / 2);
    play_dim(&lane);
    lane_mark(&lane, (layout->lane_rows - 1) / 2);
    play_call(&lane, (layout->lane_rows - 1) / 2);
    memory_lane(canvas, layout, axis, snapshot, device, y);
    lane_label(canvas, layout, snapshot, device, y);
    lane_idle(canvas, layout, axis, snapshot, device, y);
}

static void draw_pair(const struct canvas *canvas, const struct layout *layout,
                      const struct axis *axis, const struct snapshot *snapshot, uint32_t upper,
                      int y, struct decision *cells)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;
    bool has_lower = upper + 1 < plan->devices;
    struct decision *below = cells + axis->columns;
    struct canvas area = canvas_sub(canvas, (struct rect){layout->gutter, y, axis->columns, 1});

    decide_lane(snapshot, upper, axis, cells);
    if (has_lower) {
        decide_lane(snapshot, upper + 1, axis, below);
    } else {
        memset(below, 0, (size_t)axis->columns * sizeof *below);
    }
    for (int x = 0; x < axis->columns; x++)
        canvas_cell(&area, x, 0, chart_half(&cells[x], &below[x]));
    const struct selection *item = &snapshot->selection;
    uint32_t device = !item->is_all && item->device == upper + 1 ? upper + 1 : upper;
    play_dim(&(struct lane){&area, axis, snapshot, device, NULL});
    lane_mark(&(struct lane){&area, axis, snapshot, device, NULL}, -1);
    for (int x = 0; x < axis->columns; x++)
        if (canvas_at(&area, x, 0) != NULL)
            chart_settle_half(canvas_at(&area, x, 0));
    lane_label_pair(canvas, layout, axis, snapshot, upper, has_lower, y);
}

/* A bar at the right edge that says which part of the lanes is seen. */
static void draw_position(const struct canvas *canvas, const struct layout *layout,
                          const struct snapshot *snapshot, uint32_t first)
{
    uint32_t devices = snapshot->outcome->plan.devices;
    int rows = canvas->area.rows, x = layout->gutter - 1;

    if (layout->visible >= devices || rows < 1)
        return;
    int from = (int)((uint64_t)first * (unsigned)rows / devices);
    int to = (int)((uint64_t)(first + layout->visible) * (unsigned)rows / devices);
    for (int y = 0; y < rows; y++)
        canvas_text(canvas, x, y, y >= from && y <= to ? STYLE_NUMBER : STYLE_FAINT,
                    y >= from && y <= to ? (canvas->theme->is_ascii ? "#" : "┃")
                                         : (canvas->theme->is_ascii ? "|" : "│"));
}

/* First lane on screen; a pair of half blocks begins with an even one. */
static uint32_t first_lane(const struct layout *layout, const struct snapshot *snapshot)
{
    uint32_t devices = snapshot->outcome->plan.devices, first = snapshot->lane_top;

    if (layout->visible >= devices)
        return 0;
    uint32_t most = devices - layout->visible;
    if (layout->is_halved) {
        most = (most + 1) & ~1u;
        first &= ~1u;
    }
    return first < most ? first : most;
}

uint32_t chart_device_at(const struct layout *layout, const struct snapshot *snapshot, int row)
{
    uint32_t devices = snapshot->outcome->plan.devices;
    uint32_t lane = (uint32_t)(row / layout->lane_step) * (layout->is_halved ? 2 : 1);

    if (row < 0 || row % layout->lane_step >= layout->lane_rows + layout->memory_rows)
        return PG_NONE;
    lane += first_lane(layout, snapshot);
    return lane < devices ? lane : PG_NONE;
}

bool chart_lanes(const struct canvas *canvas, const struct layout *layout, const struct axis *axis,
                 const struct snapshot *snapshot)
{
    struct canvas area = canvas_sub(canvas, layout->lanes);
    uint32_t devices = snapshot->outcome->plan.devices, first = first_lane(layout, snapshot);
    struct decision *cells = malloc((size_t)axis->columns * 2 * sizeof *cells);

    if (cells == NULL) { /* the next frame tries again */
        canvas_text(&area, 0, 0, STYLE_REFUSAL, "not enough memory to draw the lanes");
        return false;
    }
    uint32_t step = layout->is_halved ? 2 : 1;
    bool fits[DRAWN_KINDS];
    struct lane like = {&area, axis, snapshot, 0, fits};
    lane_fits(&snapshot->outcome->plan, axis, fits);
    for (uint32_t i = 0; i < layout->visible && first + i < devices; i += step) {
        int y = (int)(i / step) * layout->lane_step;
        if (layout->is_halved)
            draw_pair(&area, layout, axis, snapshot, first + i, y, cells);
        else
            draw_lane(&area, layout, &like, first + i, y, cells);
    }
    free(cells);
    play_line(&area, layout, axis, snapshot);
    draw_position(&area, layout, snapshot, first);
    return true;
}
