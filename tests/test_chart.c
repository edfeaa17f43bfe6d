/* The chart against a slow one that knows nothing of bisection: what lies under each of a cell's
 * eight sample points is looked up by walking, for random plans, windows and widths. Then axes that
 * fit, edges on eighths, the ruler's numbers, and numbers on operations, read back off a grid. */
#include "driver.h"
#include "view/chart.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct theme rich = {DEPTH_256, false, false, false};
static const struct theme ascii = {DEPTH_256, true, false, false};
static const struct theme mono = {DEPTH_MONO, false, false, false};
static const struct theme few = {DEPTH_16, false, false, true};
static const struct window fitted = {.is_fit = true};

/* ---- plans ---- */

static double roll_share(uint64_t *dice)
{
    return roll(dice, 1u << 30) / (double)(1u << 30);
}

/* A scenario and what became of it. */
struct run {
    struct scenario scenario;
    struct outcome outcome;
};

static void run_start(struct run *run, const char *schedule, uint32_t stages,
                      uint32_t micro_batches)
{
    memset(run, 0, sizeof *run);
    assert_true(scenario_init(&run->scenario));
    set(&run->scenario, PARAM_SCHEDULE, schedule);
    set_count(&run->scenario, PARAM_STAGES, stages);
    set_count(&run->scenario, PARAM_MICRO_BATCHES, micro_batches);
}

static void run_end(struct run *run)
{
    outcome_free(&run->outcome);
    scenario_free(&run->scenario);
}

static void run_core(struct run *run)
{
    struct refusal refusal;

    if (!outcome_run(&run->outcome, &run->scenario, &refusal))
        fail_msg("%s", refusal.report.text);
}

static void run_uniform(struct run *run, const char *schedule, uint32_t stages,
                        uint32_t micro_batches)
{
    run_start(run, schedule, stages, micro_batches);
    run_core(run);
}

/* A list of costs between `least` and ten times that. */
static void roll_costs(struct run *run, enum param param, double least, uint64_t *dice)
{
    char list[64 * TEXT_NUMBER_SIZE];
    struct text text;

    text_init(&text, list, sizeof list);
    for (uint32_t s = 0; s < run->scenario.stages; s++) {
        text_add(&text, s > 0 ? "," : "");
        text_number(&text, least * (1 + 9 * roll_share(dice)));
    }
    set(&run->scenario, param, list);
}

static void run_random(struct run *run, uint64_t *dice)
{
    static const double sizes[] = {1, 1, 1, 0.001, 1e6};
    double least = sizes[roll(dice, 5)];
    char transfer[TEXT_NUMBER_SIZE];

    run_start(run, roll(dice, 2) ? "1f1b" : "gpipe", 1 + roll(dice, 9), 1 + roll(dice, 40));
    if (roll(dice, 4) > 0) {
        roll_costs(run, PARAM_FORWARD, least, dice);
        roll_costs(run, PARAM_BACKWARD, least, dice);
        set(&run->scenario, PARAM_TRANSFER,
            number_write(transfer, roll(dice, 2) ? least * roll_share(dice) : 0));
    }
    run_core(run);
}

/* ---- the slow chart ---- */

static uint8_t piece_of(const struct pg_op *op)
{
    return (uint8_t)((unsigned)PIECE_OP + op->kind * 2u + op->micro_batch % 2);
}

/* What runs at a time, and how far the nearest edge is: on an edge, rounding may choose a side. */
static uint8_t slow_piece(const struct pg_plan *plan, uint32_t device, double time, double *nearest)
{
    uint8_t piece = time < 0 || time >= plan->makespan ? PIECE_OUTSIDE : PIECE_IDLE;

    *nearest = fmin(fabs(time), fabs(time - plan->makespan));
    for (uint32_t i = 0; i < plan->run[device].count; i++) {
        struct pg_op op;
        pg_op_at(plan, device, i, &op);
        if (op.start <= time && time < op.end)
            piece = piece_of(&op);
        *nearest = fmin(*nearest, fmin(fabs(op.start - time), fabs(op.end - time)));
    }
    return piece;
}

/* Is the decision what the eight pieces ask for? One thing fills the cell, two share it, and of
 * more the one with most points has it. */
static bool is_right(const struct decision *cell, const uint8_t pieces[8])
{
    int edges = 0, edge = 0, most = 0, votes[64] = {0};

    for (int i = 0; i < 8; i++) {
        if (i > 0 && pieces[i] != pieces[i - 1]) {
            edges++;
            edge = i;
        }
        votes[pieces[i]]++;
    }
    if (edges == 1)
        return cell->left == pieces[0] && cell->right == pieces[7] && cell->eighths == edge;
    /* A kind has what its two shades have together; idle time and what lies outside are kinds. */
    int kinds[64] = {0};
    for (int i = 0; i < 64; i++)
        kinds[i < (int)PIECE_OP ? i : i - (i - (int)PIECE_OP) % 2] += votes[i];
    for (int i = 0; i < 64; i++)
        most = kinds[i] > most ? kinds[i] : most;
    int left = cell->left;
    int kind = left < (int)PIECE_OP ? left : left - (left - (int)PIECE_OP) % 2;
    int twin = left < (int)PIECE_OP ? left : kind + (left == kind);
    return left == cell->right && kinds[kind] == most && votes[left] >= votes[twin];
}

/* Compares a lane; counts the cells that could be judged, and those that needed a vote. */
static void check_lane(const struct pg_plan *plan, uint32_t device, const struct axis *axis,
                       struct decision *cells, uint32_t counts[2])
{
    chart_decide(plan, device, axis, cells);
    for (int x = 0; x < axis->columns; x++) {
        uint8_t pieces[8];
        double least = INFINITY, nearest;
        int edges = 0;
        for (int k = 0; k < 8; k++) {
            double time = axis->start + (x * 8 + k + 0.5) / axis->eighths;
            pieces[k] = slow_piece(plan, device, time, &nearest);
            least = fmin(least, nearest);
            edges += k > 0 && pieces[k] != pieces[k - 1];
        }
        if (least <= plan->makespan * 1e-10)
            continue;
        counts[0]++;
        counts[1] += edges > 1;
        if (!is_right(&cells[x], pieces))
            fail_msg("device %u, cell %d: %u|%u at %u, pieces %u %u %u %u %u %u %u %u", device, x,
                     cells[x].left, cells[x].right, cells[x].eighths, pieces[0], pieces[1],
                     pieces[2], pieces[3], pieces[4], pieces[5], pieces[6], pieces[7]);
    }
}

static struct window roll_window(const struct pg_plan *plan, uint64_t *dice)
{
    static const double spans[] = {2, 1, 0.5, 0.1, 0.01, 1e-4};
    struct window window = {.is_fit = roll(dice, 3) == 0};

    window.span = plan->makespan * spans[roll(dice, 6)] * (0.1 + roll_share(dice));
    window.start = plan->makespan * (roll_share(dice) * 1.2 - 0.1) - window.span / 2;
    return window;
}

static void test_decisions(void **state)
{
    uint32_t counts[2] = {0, 0};
    uint64_t dice = 1;

    (void)state;
    for (int round = 0; round < 250; round++) {
        struct run run;
        run_random(&run, &dice);
        const struct pg_plan *plan = &run.outcome.plan;
        struct window window = roll_window(plan, &dice);
        int columns = 1 + (int)roll(&dice, roll(&dice, 2) ? 20 : 150);
        struct axis axis = axis_make(&window, plan->makespan, columns, round % 4 ? &rich : &mono);
        struct decision *cells = malloc((size_t)axis.columns * sizeof *cells);
        assert_non_null(cells);
        for (uint32_t device = 0; device < plan->devices; device += 1 + roll(&dice, 3))
            check_lane(plan, device, &axis, cells, counts);
        free(cells);
        run_end(&run);
    }
    assert_true(counts[0] > 20000);
    assert_true(counts[1] > 2000); /* votes were cast */
}

/* How far operations of the path reach into a cell, the farthest one; -1 where an edge is too close to
 * call. */
static double path_in_cell(const struct run *run, const struct pg_path *path, uint32_t device,
                           double from, double to)
{
    const struct pg_plan *plan = &run->outcome.plan;
    double most = 0;

    for (uint32_t i = 0; i < plan->run[device].count; i++) {
        double start = plan->run[device].start[i], end = pg_op_end(plan, device, i);
        double part = fmin(end, to) - fmax(start, from);
        if (!path_has(path, plan, device, i) || part <= -(to - from) * 1e-3)
            continue;
        if (part < (to - from) * 1e-3)
            return -1;
        most = fmax(most, part);
    }
    return most;
}

/* A path is never lost, however many operations share a cell, and nothing else looks like it. */
static void test_path(void **state)
{
    uint64_t dice = 4;
    uint32_t counts[3] = {0, 0, 0};

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct run run;
        run_random(&run, &dice);
        const struct pg_plan *plan = &run.outcome.plan;
        const struct pg_path *path = outcome_path(&run.outcome);
        struct window window = roll_window(plan, &dice);
        struct axis axis = axis_make(&window, plan->makespan, 1 + (int)roll(&dice, 100), &rich);
        struct decision *cells = malloc((size_t)axis.columns * sizeof *cells);
        assert_non_null(cells);
        assert_non_null(path);
        for (uint32_t device = 0; device < plan->devices; device++) {
            chart_decide(plan, device, &axis, cells);
            chart_trace(plan, path, device, &axis, cells);
            for (int x = 0; x < axis.columns; x++) {
                double part = path_in_cell(&run, path, device, axis_time(&axis, x),
                                           axis_time(&axis, x + 1));
                const uint8_t halves[2] = {cells[x].left, cells[x].right};
                bool is_seen = false;
                for (int i = 0; i < 2; i++)
                    is_seen = is_seen || (halves[i] >= PIECE_OP && halves[i] < PIECE_OTHER);
                counts[part < 0 ? 2 : is_seen]++;
                if (part >= 0 && is_seen != (part > 0))
                    fail_msg("round %d, device %u, cell %d: %d, %g", round, device, x, is_seen, part);
            }
        }
        free(cells);
        run_end(&run);
    }
    assert_true(counts[0] > 5000 && counts[1] > 5000);
    assert_true(counts[2] < counts[0]);
}

/* By hand: P = 2, M = 1, forward 1 and backward 2, so F 0-1, gap 1-4, B 4-6 on device 0. */
static void test_decision_by_hand(void **state)
{
    const struct axis axis = {0, 3, 3, false}; /* three eighths a unit: edges at 3, 12 and 18 of 24 */
    struct decision cells[3];
    struct run run;

    (void)state;
    run_uniform(&run, "gpipe", 2, 1);
    chart_decide(&run.outcome.plan, 0, &axis, cells);
    assert_true(cells[0].left == PIECE_OP + PG_FORWARD * 2 && cells[0].right == PIECE_IDLE);
    assert_int_equal(cells[0].eighths, 3);
    assert_true(cells[1].left == PIECE_IDLE && cells[1].right == PIECE_OP + PG_BACKWARD * 2);
    assert_int_equal(cells[1].eighths, 4);
    assert_true(cells[2].left == PIECE_OP + PG_BACKWARD * 2 && cells[2].right == PIECE_OUTSIDE);
    assert_int_equal(cells[2].eighths, 2);
    /* All of it in one cell: 1.33 of eight are F, 4 idle, 2.67 B: the points say 1, 4 and 3. */
    const struct axis tiny = {0, 8.0 / 6, 1, false};
    chart_decide(&run.outcome.plan, 0, &tiny, cells);
    assert_true(cells[0].left == PIECE_IDLE && cells[0].right == PIECE_IDLE);
    run_end(&run);
}

/* By hand: GPipe, P = 2, M = 20000, so device 0 has forwards until 20000, a gap of 3 behind them and
 * backwards until 60003, hundreds of operations a cell. Every cell shows its own kind; that which holds
 * the edge either. The same where both kinds take turns: backwards, twice as long, win everywhere. */
static void test_crowded_cells(void **state)
{
    const struct axis axis = {0, 8.0 / 700, 87, false};
    struct decision cells[87];
    struct run run;

    (void)state;
    run_uniform(&run, "gpipe", 2, 20000);
    chart_decide(&run.outcome.plan, 0, &axis, cells);
    chart_calm(&run.outcome.plan, 0, &axis, cells);
    for (int x = 0; x < 85; x++) {
        bool is_forward = cells[x].left == PIECE_OP + PG_FORWARD * 2;
        assert_int_equal(cells[x].left, cells[x].right);
        assert_true(is_forward || cells[x].left == PIECE_OP + PG_BACKWARD * 2);
        if (x != 28) /* 19600 to 20300 */
            assert_int_equal(is_forward, x < 28);
    }
    assert_true(cells[85].left == PIECE_OP + PG_BACKWARD * 2); /* 59500 to 60200, 503 of it */
    assert_int_equal(cells[86].left, PIECE_OUTSIDE);
    run_end(&run);
    run_uniform(&run, "1f1b", 2, 20000);
    chart_decide(&run.outcome.plan, 0, &axis, cells);
    chart_calm(&run.outcome.plan, 0, &axis, cells);
    int backwards = 0;
    for (int x = 0; x < 85; x++)
        backwards += cells[x].left == PIECE_OP + PG_BACKWARD * 2;
    assert_true(backwards >= 84);
    run_end(&run);
}

/* By hand: F0 0-1, the pair F1+B0 1-4 (two operations in the run, one in time), a gap, B1 5-7, and
 * a step that ends at 8. In the pair either half may be shown. */
static void test_decision_of_pairs(void **state)
{
    static const uint8_t wanted[8] = {
        PIECE_OP + PG_FORWARD * 2,
        PIECE_OP + PG_FORWARD * 2 + 1,
        PIECE_OP + PG_FORWARD * 2 + 1,
        PIECE_OP + PG_FORWARD * 2 + 1,
        PIECE_IDLE,
        PIECE_OP + PG_BACKWARD * 2 + 1,
        PIECE_OP + PG_BACKWARD * 2 + 1,
        PIECE_IDLE,
    };
    const uint32_t forward = PG_FORWARD << PG_CODE_ROW_SHIFT, cell = 0;
    const uint32_t backward = PG_BACKWARD << PG_CODE_ROW_SHIFT;
    const double cost[PG_KINDS] = {1, 2, 0, 0};
    pg_code codes[] = {forward, forward | 1 | PG_CODE_FUSED_FIRST, backward | PG_CODE_FUSED_SECOND,
                       backward | 1};
    double starts[] = {0, 1, 1, 5};
    struct pg_run lane = {codes, starts, 4};
    const struct pg_plan plan = {.devices = 1,
                                 .chunks = 1,
                                 .replicas = 1,
                                 .stages = 1,
                                 .slots = 1,
                                 .micro_batches = 2,
                                 .micro_each = 2,
                                 .ops = 4,
                                 .fused = 1,
                                 .slot_cell = &cell,
                                 .cost = cost,
                                 .run = &lane,
                                 .makespan = 8};

    (void)state;
    for (int scale = 1; scale <= 16; scale++) /* columns a unit */
        for (int begin = 0; begin < 8; begin++) {
            const struct axis axis = {begin, 8.0 * scale, (9 - begin) * scale, false};
            struct decision cells[9 * 16];
            chart_decide(&plan, 0, &axis, cells);
            for (int x = 0; x < axis.columns; x++) {
                int unit = begin + x / scale;
                uint8_t piece = unit < 8 ? wanted[unit] : PIECE_OUTSIDE;
                bool is_pair = unit >= 1 && unit < 4;
                assert_int_equal(cells[x].left, cells[x].right);
                assert_true(cells[x].left == piece ||
                            (is_pair && (cells[x].left - PIECE_OP) / 2 == KIND_FUSED));
            }
        }
}

/* ---- axes ---- */

static void test_fitted_axes(void **state)
{
    static const struct {
        double makespan;
        int columns;
        const struct theme *theme;
        double eighths;
        int used;
    } known[] = {
        {33, 66, &rich, 16, 66},
        {33, 67, &rich, 16, 66},
        {33, 98, &rich, 16, 66},
        {33, 99, &rich, 24, 99},
        {33, 40, &rich, 8, 33},
        {33, 33, &rich, 8, 33},
        {33, 66, &mono, 16, 66},
        {33, 65, &mono, 8, 33},
        {33, 65, &ascii, 8, 33},
        {117, 120, &rich, 8, 117},
        {3, 3, &rich, 8, 3},
        {3, 100, &rich, 264, 99},
        {66, 66, &rich, 8, 66},
        {66, 60, &rich, 7, 58},
        {4.5, 9, &rich, 16, 9},
        /* Sums of tenths are not quite whole: a hundred columns a unit all the same. */
        {3 * 0.1, 30, &rich, 800, 30},
        {3 * 0.1, 30, &mono, 800, 30},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct axis axis = axis_make(&fitted, known[i].makespan, known[i].columns, known[i].theme);
        assert_true(axis.start == 0 && axis.eighths == known[i].eighths);
        assert_int_equal(axis.columns, known[i].used);
    }
}

static void test_axes_hold_the_step(void **state)
{
    uint64_t dice = 2;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        const struct theme *theme = round % 3 == 0 ? &mono : round % 3 == 1 ? &ascii : &rich;
        double makespan = pow(10, roll_share(&dice) * 16 - 6);
        int columns = 1 + (int)roll(&dice, 300);
        if (roll(&dice, 2))
            makespan = ceil(makespan);
        struct axis axis = axis_make(&fitted, makespan, columns, theme);
        assert_true(axis.start == 0);
        assert_in_range(axis.columns, 1, columns);
        assert_true(axis_time(&axis, axis.columns) >= makespan * (1 - 1e-9));
        /* Snapping never gives away more than half of the room. */
        assert_true(axis.columns * 2 >= columns - 1);
        assert_true(makespan * axis.eighths / 8 > axis.columns - 1 - 1e-5);
        double whole = axis.eighths / 8;
        bool is_coarse = theme != &rich && columns >= makespan;
        assert_true(!is_coarse || whole == floor(whole));
    }
}

static void test_loose_axes(void **state)
{
    uint64_t dice = 4;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct window window = {false, roll_share(&dice) * 100, 1e-3 + roll_share(&dice) * 100};
        int columns = 1 + (int)roll(&dice, 300);
        struct axis axis = axis_make(&window, 50, columns, round % 2 ? &rich : &ascii);
        assert_true(axis.start == window.start);
        assert_int_equal(axis.columns, columns);
        assert_true(fabs(axis.eighths * window.span / (columns * 8) - 1) < 1e-12);
        for (int x = 0; x <= columns; x += 1 + columns / 7) {
            double time = axis_time(&axis, x);
            assert_true(fabs(time - (window.start + window.span * x / columns)) < 1e-9);
            assert_int_equal(axis_eighths(&axis, time), x * 8);
        }
        assert_int_equal(axis_eighths(&axis, window.start - 1), 0);
        assert_int_equal(axis_eighths(&axis, -1e300), 0);
        assert_int_equal(axis_eighths(&axis, window.start + window.span + 1), columns * 8);
        assert_int_equal(axis_eighths(&axis, 1e300), columns * 8);
    }
}

/* With a fitted axis of whole costs each edge lies between two eighths, and the cell says so. */
static void test_edges_on_eighths(void **state)
{
    (void)state;
    for (int columns = 17; columns <= 120; columns++) {
        struct decision cells[120];
        struct run run;
        run_uniform(&run, columns % 2 ? "1f1b" : "gpipe", 4, 8);
        const struct pg_plan *plan = &run.outcome.plan;
        struct axis axis = axis_make(&fitted, plan->makespan, columns, &rich);
        assert_true(axis.eighths == floor(axis.eighths));
        for (uint32_t device = 0; device < 4; device++) {
            chart_decide(plan, device, &axis, cells);
            for (uint32_t i = 0; i < plan->run[device].count; i++) {
                struct pg_op op;
                pg_op_at(plan, device, i, &op);
                long edge = lround(op.start * axis.eighths);
                const struct decision *cell = &cells[edge / 8];
                uint8_t piece = piece_of(&op);
                if (edge % 8 == 0)
                    assert_int_equal(cell->left, piece);
                else if (cell->left != cell->right) /* no third thing in this cell */
                    assert_true(cell->eighths == edge % 8 && cell->right == piece);
            }
        }
        run_end(&run);
    }
}

/* ---- the ruler, read off the grid ---- */

/* A frame's worth of what chart_ruler and chart_lanes need. */
struct drawing {
    struct grid grid;
    struct canvas canvas;
    struct layout layout;
    struct snapshot snapshot;
    struct axis axis;
};

static void drawing_start(struct drawing *d, const struct run *run, const struct window *window,
                          int columns, const struct theme *theme)
{
    int devices = (int)run->outcome.plan.devices;

    memset(d, 0, sizeof *d);
    assert_true(grid_resize(&d->grid, columns + 20, 1 + devices));
    d->canvas = (struct canvas){&d->grid, theme, {0, 0, columns + 20, 1 + devices}};
    d->snapshot = (struct snapshot){.scenario = &run->scenario,
                                    .outcome = &run->outcome,
                                    .selection.is_all = true,
                                    .window = *window,
                                    .slides = 1};
    d->axis = axis_make(window, run->outcome.plan.makespan, columns, theme);
    d->layout = (struct layout){
        .ruler = {0, 0, columns + 20, 1},
        .lanes = {0, 1, columns + 20, devices},
        .gutter = 13,
        .tail = 7,
        .chart_columns = columns,
        .lane_rows = 1,
        .lane_step = 1,
        .visible = (uint32_t)devices,
    };
}

static void drawing_draw(struct drawing *d)
{
    grid_clear(&d->grid);
    chart_ruler(&d->canvas, &d->layout, &d->axis, &d->snapshot);
    chart_lanes(&d->canvas, &d->layout, &d->axis, &d->snapshot);
}

/* Characters of a row of the chart, anything beyond ASCII as '|'. */
static void chart_row(const struct drawing *d, int y, char *row)
{
    for (int x = 0; x < d->axis.columns; x++) {
        uint32_t glyph = grid_at(&d->grid, d->layout.gutter + x, y)->glyph;
        row[x] = glyph < 0x7f ? (char)glyph : '|';
    }
    row[d->axis.columns] = '\0';
}

/* 1, 2 or 5 times a power of ten? */
static bool is_round_step(double step)
{
    double mantissa = step / pow(10, floor(log10(step) + 1e-6));

    return fabs(mantissa - 1) < 1e-5 || fabs(mantissa - 2) < 1e-5 || fabs(mantissa - 5) < 1e-5;
}

/* Every number on the ruler is whole, stands where its time is and a round step from the last. */
static int check_ruler(const struct drawing *d, bool is_ascii)
{
    char row[400];
    double before = 0, step = 0;
    int count = 0;

    chart_row(d, 0, row);
    for (int x = 0; x < d->axis.columns; x++) {
        if (row[x] != '|' || strchr("0123456789.-", row[x + 1]) == NULL || row[x + 1] == '\0' ||
            (row[x + 1] == '-' && (is_ascii || strchr("0123456789", row[x + 2]) == NULL)))
            continue;
        char *end;
        double time = strtod(row + x + 1, &end);
        double at = (time - d->axis.start) * d->axis.eighths / 8;
        if (fabs(at - x) > 1.001)
            fail_msg("a tick is off: %s", row);
        assert_true(*end == '\0' || *end == '|' || *end == '-' || *end == ' ');
        if (count == 1)
            step = time - before;
        if (count >= 1 && fabs(time - before - step) > step * 1e-6)
            fail_msg("uneven ticks: %s", row);
        before = time;
        count++;
        x = (int)(end - row) - 1;
    }
    if (count >= 2 && !is_round_step(step))
        fail_msg("an odd step: %s", row);
    return count;
}

static void test_ruler(void **state)
{
    struct run run;

    (void)state;
    run_uniform(&run, "1f1b", 4, 8);
    for (int columns = 20; columns <= 300; columns++) {
        const struct theme *theme = columns % 2 ? &rich : &ascii;
        struct drawing d;
        drawing_start(&d, &run, &fitted, columns, theme);
        drawing_draw(&d);
        int count = check_ruler(&d, theme->is_ascii);
        assert_true(count >= (d.axis.columns >= 40 ? 3 : 1));
        /* The first tick is 0, at the left edge. */
        assert_int_equal(grid_at(&d.grid, d.layout.gutter + 1, 0)->glyph, '0');
        grid_free(&d.grid);
    }
    run_end(&run);
}

/* By hand: 33 units in 66 columns, a tick every five units, ten columns. */
static void test_ruler_by_hand(void **state)
{
    struct drawing d;
    struct run run;
    char row[400];

    (void)state;
    run_uniform(&run, "1f1b", 4, 8);
    drawing_start(&d, &run, &fitted, 66, &ascii);
    drawing_draw(&d);
    chart_row(&d, 0, row);
    assert_string_equal(row, "|0--------|5--------|10-------|15-------|20-------|25-------|30---");
    grid_free(&d.grid);
    run_end(&run);
}

/* Windows anywhere, on steps of any length: the figures get long. */
static void test_ruler_in_windows(void **state)
{
    static const char *const costs[] = {"1",    "0.001", "1e-9", "123456.7", "1e12",
                                        "1e15", "1e30",  "0.3",  "3333.3"};
    uint64_t dice = 9;

    (void)state;
    for (int round = 0; round < 600; round++) {
        struct run run;
        struct drawing d;
        run_start(&run, "1f1b", 1 + roll(&dice, 4), 1 + roll(&dice, 9));
        const char *cost = costs[round % 9];
        set(&run.scenario, PARAM_FORWARD, cost);
        set(&run.scenario, PARAM_BACKWARD, cost);
        run_core(&run);
        double makespan = run.outcome.plan.makespan;
        struct window window = {.is_fit = round % 5 == 0};
        window.span = makespan * pow(10, -7 * roll_share(&dice));
        window.start = roll_share(&dice) * (makespan - window.span / 2);
        drawing_start(&d, &run, &window, 20 + (int)roll(&dice, 200), &rich);
        drawing_draw(&d);
        check_ruler(&d, false);
        grid_free(&d.grid);
        run_end(&run);
    }
}

/* ---- paint ---- */

static enum colour paper_of(uint8_t piece)
{
    if (piece < PIECE_OP)
        return piece == PIECE_IDLE ? COLOUR_IDLE : COLOUR_OWN;
    return theme_kind_paper((piece - (int)PIECE_OP) / 2, piece - (unsigned)PIECE_OP);
}

/* One thing: its colour, a hatch where it is idle time, a letter where there are no colours. */
static void check_solid(const struct cell *cell, uint8_t piece, const struct theme *theme)
{
    uint32_t glyph = ' ';

    if (piece == PIECE_IDLE)
        glyph = theme_idle_glyph(theme);
    else if (piece >= PIECE_OP && theme->depth == DEPTH_MONO)
        glyph = theme_kind_glyph(theme, (piece - (int)PIECE_OP) / 2);
    assert_int_equal(cell->glyph, glyph);
    assert_int_equal(cell->paper, paper_of(piece));
    assert_true(piece != PIECE_IDLE || cell->ink == COLOUR_HATCH);
}

/* Where a forward or a backward (in one or two halves) is narrower than half a column, or than a column
 * and one of more than 32: a kind that is
 * narrower than a whole one has one shade, and cells that it would share with another operation are
 * given to the larger part. Where few bytes are wanted all have one shade below a column, and below
 * three no cell is shared. */
static void calm(const struct pg_plan *plan, uint32_t device, const struct axis *axis,
                 struct decision *cells)
{
    bool is_dense[PG_KINDS];
    double width[PG_KINDS] = {0};

    for (uint32_t i = 0; i < plan->run[device].count; i++) {
        struct pg_op op;
        pg_op_at(plan, device, i, &op);
        width[op.kind] = (op.end - op.start) * axis->eighths;
    }
    double backward = width[PG_BACKWARD] > 0 ? width[PG_BACKWARD]
                                             : width[PG_INPUT_GRAD] + width[PG_WEIGHT_GRAD];
    double narrowest = fmin(width[PG_FORWARD], backward);
    bool is_plain = axis->is_sparing && narrowest < 8 - 1e-6;
    bool is_whole = axis->is_sparing && narrowest < 24 - 1e-6;
    for (int k = 0; k < PG_KINDS; k++)
        is_dense[k] = is_plain || (narrowest < (plan->micro_each > 32 ? 8 : 4) - 1e-6 &&
                                   width[k] < 8 - 1e-6);
    for (int x = 0; x < axis->columns; x++) {
        uint8_t *parts[2] = {&cells[x].left, &cells[x].right};
        bool is_split = *parts[0] != *parts[1];
        int dense = 0, ops = 0;
        for (int i = 0; i < 2; i++) {
            ops += *parts[i] >= PIECE_OP;
            if (*parts[i] < PIECE_OP || !is_dense[(*parts[i] - (int)PIECE_OP) / 2])
                continue;
            dense++;
            if ((*parts[i] - (int)PIECE_OP) % 2 == 1)
                --*parts[i];
        }
        if (is_split && (is_whole || (ops == 2 && dense > 0)))
            cells[x].left = cells[x].right = *parts[cells[x].eighths < 4];
    }
}

static void check_paint(const struct cell *cell, const struct decision *decision,
                        const struct theme *theme)
{
    bool is_coarse = theme->is_ascii || theme->depth == DEPTH_MONO;

    if (cell->glyph >= '0' && cell->glyph <= '9')
        return;
    if (decision->left == decision->right || is_coarse || decision->left == PIECE_OUTSIDE) {
        bool is_left = decision->left == decision->right || decision->eighths >= 4;
        check_solid(cell, is_left ? decision->left : decision->right, theme);
        return;
    }
    /* Blocks of 1/8 to 7/8, from the left: U+258F to U+2589. */
    assert_int_equal(cell->glyph, 0x2590 - decision->eighths);
    assert_int_equal(cell->ink, paper_of(decision->left));
    assert_int_equal(cell->paper, paper_of(decision->right));
}

/* A row of two: what the upper lane shows is on the upper half, the lower one's on the lower. */
static void check_halves(const struct cell *cell, const struct decision *upper,
                         const struct decision *lower)
{
    uint8_t pieces[2];

    for (int i = 0; i < 2; i++) {
        const struct decision *d = i == 0 ? upper : lower;
        pieces[i] = d->left == d->right || d->eighths >= 4 ? d->left : d->right;
    }
    enum colour want[2], seen[2] = {COLOUR_COUNT, COLOUR_COUNT};
    for (int i = 0; i < 2; i++)
        want[i] = pieces[i] == PIECE_IDLE ? COLOUR_IDLE_PLAIN : paper_of(pieces[i]);
    if (cell->glyph == ' ')
        seen[0] = seen[1] = (enum colour)cell->paper;
    else if (cell->glyph == 0x2580 || cell->glyph == 0x2584)
        for (int i = 0; i < 2; i++)
            seen[i] = (enum colour)((i == 0) == (cell->glyph == 0x2580) ? cell->ink : cell->paper);
    assert_int_equal(seen[0], want[0]);
    assert_int_equal(seen[1], want[1]);
    /* The terminal's own background cannot be an ink. */
    assert_true(cell->glyph == ' ' || cell->ink != COLOUR_OWN);
}

static void test_paint(void **state)
{
    uint64_t dice = 12;

    (void)state;
    for (int round = 0; round < 300; round++) {
        static const struct theme *const themes[] = {&rich, &ascii, &mono, &rich, &few};
        struct decision cells[3][260];
        struct run run;
        struct drawing d;
        run_random(&run, &dice);
        const struct pg_plan *plan = &run.outcome.plan;
        struct window window = roll_window(plan, &dice);
        drawing_start(&d, &run, &window, 20 + (int)roll(&dice, 230), themes[round % 5]);
        bool is_halved = d.layout.is_halved = round % 5 == 3;
        drawing_draw(&d);
        memset(cells, 0, sizeof cells);
        for (uint32_t device = 0; device < plan->devices; device++) {
            struct decision *decided = cells[device % 2];
            chart_decide(plan, device, &d.axis, decided);
            calm(plan, device, &d.axis, decided);
            if (is_halved && device % 2 == 0 && device + 1 < plan->devices)
                continue;
            int y = 1 + (int)(is_halved ? device / 2 : device);
            for (int x = 0; x < d.axis.columns; x++) {
                const struct cell *cell = grid_at(&d.grid, d.layout.gutter + x, y);
                if (!is_halved)
                    check_paint(cell, &decided[x], d.canvas.theme);
                else
                    check_halves(cell, &cells[0][x], device % 2 ? &cells[1][x] : &cells[2][x]);
            }
        }
        grid_free(&d.grid);
        run_end(&run);
    }
}

/* ---- numbers on operations ---- */

static uint32_t micro_batch_at(const struct drawing *d, uint32_t device, double column)
{
    const struct pg_plan *plan = &d->snapshot.outcome->plan;
    double time = axis_time(&d->axis, column);

    for (uint32_t i = 0; i < plan->run[device].count; i++) {
        struct pg_op op;
        pg_op_at(plan, device, i, &op);
        if (op.start <= time && time < op.end)
            return op.micro_batch * 4 + op.kind;
    }
    return PG_NONE;
}

/* Counts, per kind, the numbers on a lane; each must be the one of what it stands on. */
static void count_numbers(const struct drawing *d, uint32_t device, uint32_t count[PG_KINDS])
{
    char row[400];

    chart_row(d, 1 + (int)device, row);
    for (int x = 0; x < d->axis.columns;) {
        if (row[x] < '0' || row[x] > '9') {
            x++;
            continue;
        }
        char *end;
        uint32_t number = (uint32_t)strtoul(row + x, &end, 10);
        int next = (int)(end - row);
        uint32_t under = micro_batch_at(d, device, (x + next) / 2.0);
        if (under == PG_NONE || under / 4 != number)
            fail_msg("device %u, column %d, number %u: %s", device, x, number, row);
        count[under % 4]++;
        x = next;
    }
}

/* All of a kind that are wholly on screen have their number, or none has. */
static void check_numbers(const struct drawing *d, bool is_marked)
{
    const struct pg_plan *plan = &d->snapshot.outcome->plan;
    double end = axis_time(&d->axis, d->axis.columns);
    uint32_t shown[PG_KINDS] = {0}, whole[PG_KINDS] = {0};

    for (uint32_t device = 0; device < plan->devices; device++) {
        count_numbers(d, device, shown);
        for (uint32_t i = 0; i < plan->run[device].count; i++) {
            struct pg_op op;
            pg_op_at(plan, device, i, &op);
            double slack = 1.01 * 8 / d->axis.eighths; /* at the edges a column more or less */
            whole[op.kind] += op.start >= d->axis.start + slack && op.end <= end - slack;
        }
    }
    for (int kind = 0; kind < PG_KINDS; kind++) {
        uint32_t hidden = is_marked ? 2 : 0; /* by the brackets around a selection */
        if (shown[kind] != 0 && shown[kind] + hidden < whole[kind])
            fail_msg("kind %d: %u of %u have numbers", kind, shown[kind], whole[kind]);
    }
}

static void test_numbers(void **state)
{
    uint64_t dice = 6;
    uint32_t total[PG_KINDS] = {0};

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct run run;
        struct drawing d;
        run_random(&run, &dice);
        struct window window = roll_window(&run.outcome.plan, &dice);
        drawing_start(&d, &run, &window, 20 + (int)roll(&dice, 250),
                      round % 3 == 0   ? &mono
                      : round % 3 == 1 ? &ascii
                                       : &rich);
        drawing_draw(&d);
        check_numbers(&d, false);
        for (uint32_t device = 0; device < run.outcome.plan.devices; device++)
            count_numbers(&d, device, total);
        grid_free(&d.grid);
        run_end(&run);
    }
    assert_true(total[PG_FORWARD] > 100 && total[PG_BACKWARD] > 100);
}

/* Operations that hang over an edge keep none of their number rather than a part. */
static void test_numbers_at_edges(void **state)
{
    struct run run;

    (void)state;
    run_uniform(&run, "gpipe", 2, 30);
    for (int offset = 0; offset < 300; offset++) {
        struct window window = {false, 10 + offset * 0.037, 12};
        struct drawing d;
        drawing_start(&d, &run, &window, 48, offset % 2 ? &mono : &rich);
        drawing_draw(&d);
        check_numbers(&d, false);
        grid_free(&d.grid);
    }
    run_end(&run);
}

/* By hand, two columns a unit and digits opening the operations; and with 12 micro-batches two
 * columns are no room for forwards, whose numbers go up to 11. */
static void test_numbers_by_hand(void **state)
{
    struct drawing d;
    struct run run;
    char row[400];

    (void)state;
    run_uniform(&run, "1f1b", 4, 8);
    const struct theme letters = {DEPTH_MONO, true, false, false};
    drawing_start(&d, &run, &fitted, 66, &letters);
    drawing_draw(&d);
    chart_row(&d, 3, row);
    assert_string_equal(row, "....0>1>....0<<<2>1<<<3>2<<<4>3<<<5>4<<<6>5<<<7>6<<<..7<<<........");
    grid_free(&d.grid);
    run_end(&run);

    run_uniform(&run, "1f1b", 2, 12);
    drawing_start(&d, &run, &fitted, 78, &letters);
    drawing_draw(&d);
    chart_row(&d, 2, row);
    assert_string_equal(
        row, "..>>0<<<>>1<<<>>2<<<>>3<<<>>4<<<>>5<<<>>6<<<>>7<<<>>8<<<>>9<<<>>10<<>>11<<....");
    grid_free(&d.grid);
    run_end(&run);
}

/* ---- the selection ---- */

/* Between the brackets, or under them, there is what is selected. */
static void check_kind_is_seen(const struct drawing *d, uint32_t device, bool is_gap,
                               uint32_t index, int first, int last)
{
    double start, end;
    enum colour paper = COLOUR_IDLE;
    struct pg_op op;

    if (is_gap) {
        gap_bounds(&d->snapshot.outcome->plan, device, index, &start, &end);
    } else {
        pg_op_at(&d->snapshot.outcome->plan, device, index, &op);
        start = op.start;
        end = op.end;
        paper = theme_kind_paper(op.kind, op.micro_batch);
    }
    if ((end - start) * d->axis.eighths < 16)
        return;
    for (int x = first; x <= last; x++) {
        const struct cell *cell = grid_at(&d->grid, d->layout.gutter + x, 1 + (int)device);
        if (cell->paper == paper || cell->ink == paper)
            return;
    }
    fail_msg("device %u: the kind of item %u is hidden", device, index);
}

/* Both brackets are there, the item's kind is seen, and no number turned into another one. */
static void check_selected(struct drawing *d, uint32_t device, bool is_gap, uint32_t index)
{
    char row[400];
    int brackets = 0, first = -1, last = -1;

    d->snapshot.selection = (struct selection){.device = device, .is_gap = is_gap, .index = index};
    drawing_draw(d);
    chart_row(d, 1 + (int)device, row);
    for (int x = 0; x < d->axis.columns; x++) {
        if (row[x] != '[' && row[x] != ']')
            continue;
        brackets++;
        if (row[x] == '[')
            first = x;
        else
            last = x;
    }
    if (brackets != 2 || first < 0 || last <= first)
        fail_msg("device %u, %s %u is not bracketed: %s", device, is_gap ? "gap" : "operation",
                 index, row);
    check_numbers(d, true);
    check_kind_is_seen(d, device, is_gap, index, first, last);
    if (is_gap)
        return;
    /* Its number, when its kind has numbers, is still there. */
    struct pg_op op;
    uint32_t count[PG_KINDS] = {0};
    pg_op_at(&d->snapshot.outcome->plan, device, index, &op);
    count_numbers(d, device, count);
    if (count[op.kind] == 0)
        return;
    char number[16];
    snprintf(number, sizeof number, "%u", op.micro_batch);
    const char *found = strpbrk(row + first, "0123456789");
    if (d->canvas.theme == &rich &&
        (found == NULL || found > row + last || strtoul(found, NULL, 10) != op.micro_batch))
        fail_msg("the number of operation %u is gone: %s", index, row);
}

static void check_selections(struct run *run, int columns, const struct theme *theme)
{
    const struct pg_plan *plan = &run->outcome.plan;
    struct drawing d;

    drawing_start(&d, run, &fitted, columns, theme);
    for (uint32_t device = 0; device < plan->devices; device++)
        for (uint32_t i = 0; i < plan->run[device].count; i++) {
            double start, end;
            check_selected(&d, device, false, i);
            gap_bounds(plan, device, i, &start, &end);
            if (end - start > plan->makespan * 1e-9)
                check_selected(&d, device, true, i);
        }
    grid_free(&d.grid);
}

static void test_selection(void **state)
{
    uint64_t dice = 8;

    (void)state;
    for (int columns = 23; columns <= 150; columns += 8) {
        struct run run;
        /* With 13 micro-batches the step is 45 long: three columns a unit, for two digits, in 135.
         */
        run_uniform(&run, columns % 3 ? "1f1b" : "gpipe", 3, columns < 130 ? 4 : 13);
        check_selections(&run, columns, &rich);
        check_selections(&run, columns, &mono);
        check_selections(&run, columns, &ascii);
        run_end(&run);
    }
    for (int round = 0; round < 12; round++) {
        struct run run;
        run_random(&run, &dice);
        check_selections(&run, 60 + (int)roll(&dice, 120), round % 2 ? &rich : &mono);
        run_end(&run);
    }
}

/* ---- lanes that do not all fit ---- */

/* From the lane that the session wants first on all are seen, for half blocks all but one: their
 * pairs begin with an even lane. No rows are left empty but half of the last one. */
static void check_scrolled(uint32_t devices, uint32_t rows, bool is_halved)
{
    uint32_t step = is_halved ? 2 : 1, fits = rows * step;
    struct layout layout = {.lane_rows = 1,
                            .lane_step = 1,
                            .is_halved = is_halved,
                            .visible = devices < fits ? devices : fits};
    struct outcome outcome = {.plan.devices = devices};
    struct snapshot snapshot = {.outcome = &outcome};

    for (uint32_t top = 0; top < devices; top++) {
        snapshot.lane_top = top;
        uint32_t first = chart_device_at(&layout, &snapshot, 0), end = top + fits - (step - 1);
        assert_true(first % step == 0 && first <= top);
        assert_true(first + fits >= (end < devices ? end : devices));
        assert_true(first == 0 || first + fits <= devices + step - 1);
        for (uint32_t row = 0; row < rows; row++) {
            uint32_t device = first + row * step;
            assert_int_equal(chart_device_at(&layout, &snapshot, (int)row),
                             device < devices ? device : PG_NONE);
        }
    }
    assert_int_equal(chart_device_at(&layout, &snapshot, -1), PG_NONE);
}

static void test_scrolled_lanes(void **state)
{
    (void)state;
    for (uint32_t devices = 1; devices <= 70; devices++)
        for (uint32_t rows = 1; rows <= 20; rows++) {
            check_scrolled(devices, rows, false);
            if (devices > rows)
                check_scrolled(devices, rows, true);
        }
}

/* Rows between lanes belong to none. */
static void test_device_at_row(void **state)
{
    struct layout layout = {.lane_rows = 3, .lane_step = 4, .visible = 4};
    struct outcome outcome = {.plan.devices = 4};
    struct snapshot snapshot = {.outcome = &outcome};

    (void)state;
    for (int row = 0; row < 16; row++)
        assert_int_equal(chart_device_at(&layout, &snapshot, row),
                         row % 4 == 3 ? PG_NONE : (uint32_t)row / 4);
    assert_int_equal(chart_device_at(&layout, &snapshot, 16), PG_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_decision_by_hand),
        cmocka_unit_test(test_crowded_cells),
        cmocka_unit_test(test_decision_of_pairs),
        cmocka_unit_test(test_fitted_axes),
        cmocka_unit_test(test_axes_hold_the_step),
        cmocka_unit_test(test_loose_axes),
        cmocka_unit_test(test_edges_on_eighths),
        cmocka_unit_test(test_ruler),
        cmocka_unit_test(test_ruler_by_hand),
        cmocka_unit_test(test_ruler_in_windows),
        cmocka_unit_test(test_paint),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_numbers_at_edges),
        cmocka_unit_test(test_numbers_by_hand),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_scrolled_lanes),
        cmocka_unit_test(test_device_at_row),
    };

    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests_name("chart", tests, NULL, NULL);
}
