/* The Gantt chart: see chart.h. */
#include "view/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- time and columns ---- */

struct axis axis_make(const struct window *window, double makespan, int columns,
                      const struct theme *theme)
{
    struct axis axis = {.columns = columns > 0 ? columns : 1};

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

/* ---- deciding cells ---- */

/* A place in a run that only moves forward. Searches look at starts alone: they are what lies in a
 * row in memory, and of the operations that have begun only the last one can still run. */
struct cursor {
    const struct pg_plan *plan;
    const double *starts;
    const pg_code *codes;
    uint32_t device, index, count; /* index: first operation that ends after the time looked at */
    uint32_t stride;               /* how far the last search went: the next one goes as far */
    double start, end;             /* of operation `index`; infinite behind the last */
};

static void cursor_load(struct cursor *cursor)
{
    if (cursor->index < cursor->count) {
        cursor->start = cursor->starts[cursor->index];
        cursor->end = pg_op_end(cursor->plan, cursor->device, cursor->index);
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

/* To the first operation that ends after `time`. */
static void cursor_advance(struct cursor *cursor, double time)
{
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

static uint8_t piece_of(const struct cursor *cursor, double time)
{
    if (time >= cursor->plan->makespan || time < 0)
        return PIECE_OUTSIDE;
    if (cursor->start > time)
        return PIECE_IDLE;
    pg_code code = cursor->codes[cursor->index];
    return (uint8_t)(PIECE_OP + pg_code_kind(code) * 2 + (pg_code_micro(code) & 1u));
}

/* Until when the piece at `time` lasts. */
static double piece_end(const struct cursor *cursor, double time)
{
    double makespan = cursor->plan->makespan;

    if (time >= makespan)
        return INFINITY;
    if (time < 0)
        return 0;
    if (cursor->start > time)
        return cursor->start < makespan ? cursor->start : makespan;
    return cursor->end;
}

static struct decision majority(const uint8_t pieces[8])
{
    struct decision cell = {pieces[0], pieces[0], 0};
    int best = 0, changes = 0;

    for (int i = 1; i < 8; i++)
        changes += pieces[i] != pieces[i - 1];
    if (changes == 1) {
        while (pieces[cell.eighths] == pieces[0])
            cell.eighths++;
        cell.right = pieces[7];
        return cell;
    }
    uint64_t votes = 0; /* four bits a piece: there are ten of them */
    for (int i = 0; i < 8; i++)
        votes += 1ull << pieces[i] * 4;
    for (int i = 0; i < 8; i++) {
        int got = (int)(votes >> pieces[i] * 4 & 15u);
        if (got > best) {
            best = got;
            cell.left = cell.right = pieces[i];
        }
    }
    return cell;
}

void chart_decide(const struct pg_plan *plan, uint32_t device, const struct axis *axis,
                  struct decision *cells)
{
    double step = 1 / axis->eighths;
    struct cursor cursor = {
        .plan = plan,
        .starts = plan->run[device].start,
        .codes = plan->run[device].code,
        .device = device,
        .index = pg_op_after(plan, device, axis->start),
        .count = plan->run[device].count,
        .stride = 1,
    };

    cursor_load(&cursor);
    for (int x = 0; x < axis->columns; x++) {
        double first = axis->start + (x * 8 + 0.5) * step, last = first + 7 * step;
        cursor_advance(&cursor, first);
        uint8_t piece = piece_of(&cursor, first);
        if (piece_end(&cursor, first) > last) {
            cells[x] = (struct decision){piece, piece, 0};
            continue;
        }
        uint8_t pieces[8] = {piece};
        for (int k = 1; k < 8; k++) {
            double time = first + k * step;
            cursor_advance(&cursor, time);
            pieces[k] = piece_of(&cursor, time);
        }
        cells[x] = majority(pieces);
    }
}

void chart_calm(const struct pg_plan *plan, uint32_t device, const struct axis *axis,
                struct decision *cells)
{
    const uint32_t *stages = plan->slot_cell + (size_t)device * plan->slots;
    bool is_dense[PG_KINDS];

    for (int k = 0; k < PG_KINDS; k++) {
        double least = INFINITY;
        for (uint32_t slot = 0; slot < plan->slots; slot++)
            least = fmin(least, plan->cost[(size_t)stages[slot] * PG_KINDS + (size_t)k]);
        is_dense[k] = least * axis->eighths < 8;
    }
    for (int x = 0; x < axis->columns; x++) {
        struct decision *cell = &cells[x];
        if (cell->left >= PIECE_OP && is_dense[(cell->left - PIECE_OP) / 2])
            cell->left = (uint8_t)(cell->left - (cell->left - PIECE_OP) % 2);
        if (cell->right >= PIECE_OP && is_dense[(cell->right - PIECE_OP) / 2])
            cell->right = (uint8_t)(cell->right - (cell->right - PIECE_OP) % 2);
        bool is_split = cell->left != cell->right && cell->left >= PIECE_OP && cell->right >= PIECE_OP;
        if (is_split && (is_dense[(cell->left - PIECE_OP) / 2] || is_dense[(cell->right - PIECE_OP) / 2]))
            cell->left = cell->right = cell->eighths >= 4 ? cell->left : cell->right;
    }
}

/* ---- painting ---- */

static enum colour piece_paper(uint8_t piece)
{
    if (piece == PIECE_OUTSIDE)
        return COLOUR_OWN;
    if (piece == PIECE_IDLE)
        return COLOUR_IDLE;
    return theme_kind_paper((piece - PIECE_OP) / 2, (unsigned)(piece - PIECE_OP) & 1u);
}

static struct cell solid_cell(const struct theme *theme, uint8_t piece)
{
    struct cell cell = {' ', COLOUR_OWN, (uint8_t)piece_paper(piece), 0};
    bool is_mono = theme->depth == DEPTH_MONO;

    if (piece == PIECE_IDLE) {
        cell.glyph = theme_idle_glyph(theme);
        cell.ink = COLOUR_HATCH;
    } else if (piece >= PIECE_OP) {
        int kind = (piece - PIECE_OP) / 2;
        cell.ink = (uint8_t)theme_kind_ink(kind);
        if (is_mono)
            cell.glyph = theme_kind_glyph(theme, kind);
    }
    return cell;
}

static struct cell decided_cell(const struct theme *theme, const struct decision *decision)
{
    if (decision->left == decision->right)
        return solid_cell(theme, decision->left);
    if (theme->is_ascii || theme->depth == DEPTH_MONO)
        return solid_cell(theme, decision->eighths >= 4 ? decision->left : decision->right);
    /* U+2588 less one per eighth: the left part in ink, the rest in paper. */
    enum colour ink = piece_paper(decision->left), paper = piece_paper(decision->right);
    if (ink == COLOUR_OWN) /* the terminal's own background cannot be ink: settle for the larger */
        return solid_cell(theme, decision->eighths >= 4 ? decision->left : decision->right);
    return (struct cell){0x2590u - decision->eighths, (uint8_t)ink, (uint8_t)paper, 0};
}

/* Without room for a hatch idle time needs a colour that is neither kind's. */
static enum colour plain_paper(uint8_t piece)
{
    return piece == PIECE_IDLE ? COLOUR_IDLE_PLAIN : piece_paper(piece);
}

/* Two devices a row: the upper one is the ink of an upper half block. */
static struct cell halved_cell(const struct decision *upper, const struct decision *lower)
{
    uint8_t above = upper->eighths >= 4 || upper->left == upper->right ? upper->left : upper->right;
    uint8_t below = lower->eighths >= 4 || lower->left == lower->right ? lower->left : lower->right;
    enum colour ink = plain_paper(above), paper = plain_paper(below);

    if (ink == COLOUR_OWN && paper == COLOUR_OWN)
        return (struct cell){' ', COLOUR_OWN, COLOUR_OWN, 0};
    if (ink == COLOUR_OWN)
        return (struct cell){0x2584, (uint8_t)paper, COLOUR_OWN, 0};
    return (struct cell){0x2580, (uint8_t)ink, (uint8_t)paper, 0};
}

/* ---- numbers ---- */

static int digits_of(uint32_t number)
{
    int digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

/* Which kinds can carry their micro-batch's number: all of a kind or none, so the narrowest decides. */
static void fits_numbers(const struct pg_plan *plan, const struct axis *axis, bool fits[PG_KINDS])
{
    int needed = digits_of(plan->micro_each - 1) + 1;
    size_t cells = (size_t)plan->replicas * plan->stages;
    double least[PG_KINDS];

    for (int k = 0; k < PG_KINDS; k++)
        least[k] = INFINITY;
    for (size_t c = 0; c < cells; c++)
        for (int k = 0; k < PG_KINDS; k++)
            least[k] = fmin(least[k], plan->cost[c * PG_KINDS + (size_t)k]);
    for (int k = 0; k < PG_KINDS; k++)
        fits[k] = least[k] * axis->eighths + 1e-6 >= needed * 8;
}

struct lane {
    const struct canvas *canvas; /* the lane's rows, the chart's columns */
    const struct axis *axis;
    const struct snapshot *snapshot;
    uint32_t device;
};

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void put_number(const struct lane *lane, const struct pg_op *op, int x, int row)
{
    char buffer[16];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, "%u", op->micro_batch);
    for (int i = 0; i < (int)text.length; i++) {
        struct cell *cell = canvas_at(lane->canvas, x + i, row);
        if (cell == NULL)
            continue;
        cell->glyph = (unsigned char)buffer[i];
        cell->ink = (uint8_t)theme_kind_ink(op->kind);
        cell->paper = (uint8_t)theme_kind_paper(op->kind, op->micro_batch & 1u);
        /* Bold black is grey where a terminal makes bold bright. */
        cell->attributes = op->kind == PG_FORWARD ? ATTR_BOLD : 0;
    }
}

/* A number on an operation: in its middle, or opening it where colour cannot tell neighbours apart. */
static void number_op(const struct lane *lane, const struct pg_op *op, int row)
{
    const struct theme *theme = lane->canvas->theme;
    double left = (op->start - lane->axis->start) * lane->axis->eighths / 8;
    double right = (op->end - lane->axis->start) * lane->axis->eighths / 8;
    int length = digits_of(op->micro_batch);
    int x = theme->depth == DEPTH_MONO || theme->is_ascii
                ? (int)floor(left + 0.5)
                : (int)floor((left + right - length) / 2 + 0.25);

    if (left < -0.01 || x + length > lane->axis->columns)
        return; /* a part of a number would be another number */
    put_number(lane, op, x, row);
}

static void number_lane(const struct lane *lane, int row)
{
    const struct pg_plan *plan = &lane->snapshot->outcome->plan;
    double end = axis_time(lane->axis, lane->axis->columns);
    bool fits[PG_KINDS];
    struct pg_op op;

    fits_numbers(plan, lane->axis, fits);
    if (!fits[PG_FORWARD] && !fits[PG_BACKWARD] && !fits[PG_INPUT_GRAD] && !fits[PG_WEIGHT_GRAD])
        return;
    for (uint32_t i = pg_op_after(plan, lane->device, lane->axis->start);
         i < plan->run[lane->device].count && plan->run[lane->device].start[i] < end;) {
        pg_op_at(plan, lane->device, i++, &op);
        if (fits[op.kind])
            number_op(lane, &op, row);
        else if ((op.end - op.start) * lane->axis->eighths < 8)
            /* Thousands of these may share a column: go on with what outlasts it. */
            i = later(i, pg_op_after(plan, lane->device, op.end + 8 / lane->axis->eighths));
    }
}

/* ---- selection ---- */

/* A number's cell as it was without the number. */
static void wipe(const struct theme *theme, struct cell *cell)
{
    bool is_forward = cell->paper == COLOUR_FORWARD_A || cell->paper == COLOUR_FORWARD_B;

    cell->glyph = theme->depth == DEPTH_MONO
                      ? theme_kind_glyph(theme, is_forward ? PG_FORWARD : PG_BACKWARD) : ' ';
    cell->attributes = 0;
}

static bool is_digit(const struct cell *cell)
{
    return cell != NULL && cell->glyph >= '0' && cell->glyph <= '9';
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

static void bracket(const struct lane *lane, int x, char glyph)
{
    for (int y = 0; y < lane->canvas->area.rows; y++) {
        struct cell *cell = canvas_at(lane->canvas, x, y);
        if (cell == NULL)
            continue;
        if (is_digit(cell))
            wipe_number(lane, x, y);
        /* A cell that holds an edge is given to its larger part. */
        if (cell->glyph >= 0x2589 && cell->glyph <= 0x258c)
            cell->paper = cell->ink;
        bool is_forward = cell->paper == COLOUR_FORWARD_A || cell->paper == COLOUR_FORWARD_B;
        bool is_backward = cell->paper == COLOUR_BACKWARD_A || cell->paper == COLOUR_BACKWARD_B;
        cell->glyph = (unsigned char)glyph;
        bool is_plain = cell->paper == COLOUR_IDLE_PLAIN;
        cell->ink = is_backward || is_plain ? COLOUR_ON_BACKWARD : is_forward ? COLOUR_ON_FORWARD : COLOUR_HATCH;
        if (cell->paper == COLOUR_OWN)
            cell->ink = COLOUR_STRONG;
        /* Bold black is grey where a terminal makes bold bright. */
        cell->attributes = is_forward || cell->paper == COLOUR_OWN ? ATTR_BOLD : 0;
    }
}

/* The item's first and last column; false when it is not in the window. */
static bool marked_columns(const struct lane *lane, int *first, int *last)
{
    const struct pg_plan *plan = &lane->snapshot->outcome->plan;
    const struct selection *item = &lane->snapshot->selection;
    double scale = lane->axis->eighths / 8, start, end;

    if (item->is_all || item->device != lane->device)
        return false;
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

/* Brackets at the ends of the item, further out where it is too narrow for them and its number; the
 * number then stands between them. An end out of sight has no bracket. */
static void mark_selection(const struct lane *lane, int row)
{
    const struct selection *item = &lane->snapshot->selection;
    const struct pg_plan *plan = &lane->snapshot->outcome->plan;
    bool is_mono = lane->canvas->theme->depth == DEPTH_MONO || lane->canvas->theme->is_ascii;
    int first, last, digits = 0;
    bool fits[PG_KINDS];
    struct pg_op op;

    if (!marked_columns(lane, &first, &last))
        return;
    int left = first, right = last;
    fits_numbers(plan, lane->axis, fits);
    if (!item->is_gap && row >= 0) {
        pg_op_at(plan, item->device, item->index, &op);
        digits = fits[op.kind] && first >= 0 ? digits_of(op.micro_batch) : 0;
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
        bracket(lane, left, '[');
    if (right < lane->axis->columns)
        bracket(lane, right, ']');
    if (digits > 0 && right - left - 1 >= digits)
        put_number(lane, &op, left + 1 + (is_mono ? 0 : (right - left - 1 - digits) / 2), row);
}

/* ---- labels ---- */

static void add_rounded(struct text *text, double cost)
{
    char buffer[TEXT_NUMBER_SIZE];
    double rounded = cost;

    snprintf(buffer, sizeof buffer, "%.3g", cost);
    number_parse(buffer, &rounded);
    text_brief(text, rounded);
}

void chart_lane_costs(const struct snapshot *snapshot, uint32_t device, struct text *text)
{
    const struct resolved *resolved = &snapshot->outcome->resolved;
    double forward = resolved->forward[device], backward = resolved->backward[device];

    text_brief(text, forward);
    text_add(text, "+");
    text_brief(text, backward);
    if (text->length <= 9)
        return;
    text_init(text, text->buffer, text->size);
    add_rounded(text, forward);
    text_add(text, "+");
    add_rounded(text, backward);
}

static void label_lane(const struct canvas *canvas, const struct layout *layout,
                       const struct snapshot *snapshot, uint32_t device, int y)
{
    const struct selection *item = &snapshot->selection;
    bool is_selected = !item->is_all && item->device == device;
    enum style style = is_selected ? STYLE_LABEL_SELECTED : STYLE_LABEL;
    char buffer[80];
    struct text text;
    bool is_short = (layout->lane_rows == 1 && canvas->area.columns < 100) ||
                    layout->gutter - 2 < 7 + (device > 9) + (device > 99) + (device > 999);
    struct canvas gutter = canvas_sub(canvas, (struct rect){0, y, layout->gutter - 1,
                                                            layout->lane_rows});

    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, is_short ? "%2u" : "stage %u", device);
    int x = canvas_text(&gutter, 1, 0, style, buffer);
    if (is_selected)
        canvas_text(&gutter, 0, 0, style, "▸");
    text_init(&text, buffer, sizeof buffer);
    chart_lane_costs(snapshot, device, &text);
    bool has_row = layout->lane_rows > 1;
    if ((has_row ? 1 : x + 1) + (int)text.length <= gutter.area.columns)
        canvas_text(&gutter, has_row ? 1 : x + 1, has_row ? 1 : 0, STYLE_FAINT, buffer);
}

static void label_idle(const struct canvas *canvas, const struct layout *layout,
                       const struct axis *axis, const struct snapshot *snapshot, uint32_t device,
                       int y)
{
    const struct pg_metrics *metrics = &snapshot->outcome->metrics;
    char buffer[32];
    struct text text;
    double share = fmax(0, 1 - metrics->device_work[device] / metrics->makespan);

    if (layout->tail == 0)
        return;
    text_init(&text, buffer, sizeof buffer);
    if (layout->tail >= 7)
        text_percent(&text, share);
    else
        text_addf(&text, "%.0f%%", share * 100);
    canvas_text(canvas, layout->gutter + axis->columns + layout->tail - (int)text.length, y,
                STYLE_LABEL, buffer);
}

static void draw_lane(const struct canvas *canvas, const struct layout *layout,
                      const struct axis *axis, const struct snapshot *snapshot, uint32_t device,
                      int y, struct decision *cells)
{
    struct canvas area = canvas_sub(canvas, (struct rect){layout->gutter, y, axis->columns,
                                                          layout->lane_rows});
    struct lane lane = {&area, axis, snapshot, device};

    chart_decide(&snapshot->outcome->plan, device, axis, cells);
    chart_calm(&snapshot->outcome->plan, device, axis, cells);
    for (int x = 0; x < axis->columns; x++) {
        struct cell cell = decided_cell(canvas->theme, &cells[x]);
        for (int row = 0; row < layout->lane_rows; row++)
            canvas_cell(&area, x, row, cell);
    }
    number_lane(&lane, (layout->lane_rows - 1) / 2);
    mark_selection(&lane, (layout->lane_rows - 1) / 2);
    label_lane(canvas, layout, snapshot, device, y);
    label_idle(canvas, layout, axis, snapshot, device, y);
}

/* Two devices: their numbers in the gutter, the selected one marked, idle of the selected or upper. */
static void label_pair(const struct canvas *canvas, const struct layout *layout,
                       const struct axis *axis, const struct snapshot *snapshot, uint32_t upper,
                       bool has_lower, int y)
{
    const struct selection *item = &snapshot->selection;
    bool is_upper = !item->is_all && item->device == upper;
    bool is_lower = has_lower && !item->is_all && item->device == upper + 1;
    struct canvas gutter = canvas_sub(canvas, (struct rect){0, y, layout->gutter - 1, 1});
    char buffer[32];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, "%u", upper);
    int x = canvas_text(&gutter, 1, 0, is_upper ? STYLE_LABEL_SELECTED : STYLE_LABEL, buffer);
    if (has_lower) {
        text_init(&text, buffer, sizeof buffer);
        text_addf(&text, "%u", upper + 1);
        if (x + 1 + (int)text.length <= gutter.area.columns) {
            x = canvas_text(&gutter, x, 0, STYLE_FAINT, "·");
            canvas_text(&gutter, x, 0, is_lower ? STYLE_LABEL_SELECTED : STYLE_LABEL, buffer);
        }
    }
    if (is_upper || is_lower)
        canvas_text(&gutter, 0, 0, STYLE_LABEL_SELECTED, "▸");
    label_idle(canvas, layout, axis, snapshot, is_lower ? upper + 1 : upper, y);
}

static void draw_pair(const struct canvas *canvas, const struct layout *layout,
                      const struct axis *axis, const struct snapshot *snapshot, uint32_t upper,
                      int y, struct decision *cells)
{
    const struct pg_plan *plan = &snapshot->outcome->plan;
    bool has_lower = upper + 1 < plan->devices;
    struct decision *below = cells + axis->columns;
    struct canvas area = canvas_sub(canvas, (struct rect){layout->gutter, y, axis->columns, 1});

    chart_decide(plan, upper, axis, cells);
    chart_calm(plan, upper, axis, cells);
    if (has_lower) {
        chart_decide(plan, upper + 1, axis, below);
        chart_calm(plan, upper + 1, axis, below);
    } else {
        memset(below, 0, (size_t)axis->columns * sizeof *below);
    }
    for (int x = 0; x < axis->columns; x++)
        canvas_cell(&area, x, 0, halved_cell(&cells[x], &below[x]));
    const struct selection *item = &snapshot->selection;
    uint32_t device = !item->is_all && item->device == upper + 1 ? upper + 1 : upper;
    mark_selection(&(struct lane){&area, axis, snapshot, device}, -1);
    label_pair(canvas, layout, axis, snapshot, upper, has_lower, y);
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

    if (row < 0 || row % layout->lane_step >= layout->lane_rows)
        return PG_NONE;
    lane += first_lane(layout, snapshot);
    return lane < devices ? lane : PG_NONE;
}

void chart_lanes(const struct canvas *canvas, const struct layout *layout, const struct axis *axis,
                 const struct snapshot *snapshot)
{
    struct canvas area = canvas_sub(canvas, layout->lanes);
    uint32_t devices = snapshot->outcome->plan.devices, first = first_lane(layout, snapshot);
    struct decision *cells = malloc((size_t)axis->columns * 2 * sizeof *cells);

    if (cells == NULL)
        return; /* an empty chart this time; the next frame tries again */
    uint32_t step = layout->is_halved ? 2 : 1;
    for (uint32_t i = 0; i < layout->visible && first + i < devices; i += step) {
        int y = (int)(i / step) * layout->lane_step;
        if (layout->is_halved)
            draw_pair(&area, layout, axis, snapshot, first + i, y, cells);
        else
            draw_lane(&area, layout, axis, snapshot, first + i, y, cells);
    }
    free(cells);
    draw_position(&area, layout, snapshot, first);
}
