/* A frame: from a key to a grid of cells, without a terminal. What a key costs and what the frame
 * after it; and what a frame costs when the problem grows, with as much in view as before and with
 * all of it in view. */
#include "bench.h"
#include "view/screen.h"

#include <math.h>
#include <stdio.h>

#define MOST_ROUNDS 1000

/* A session and the frame it is drawn into. */
struct seen {
    struct session *session;
    struct grid grid;
    struct theme theme;
    struct frame frame;
};

static const struct {
    int columns, rows;
} sizes[] = {{80, 24}, {120, 40}, {200, 60}};

enum { SIZE_COUNT = sizeof sizes / sizeof sizes[0] };

static bool set_count(struct scenario *scenario, enum param param, uint32_t count)
{
    struct report report;
    char buffer[16];

    snprintf(buffer, sizeof buffer, "%u", (unsigned)count);
    return scenario_set(scenario, param, buffer, &report);
}

static bool load(struct session *session, uint32_t stages, uint32_t micro_batches)
{
    struct scenario scenario;
    struct refusal refusal;
    struct report report;

    if (!scenario_init(&scenario))
        return false;
    bool is_good = set_count(&scenario, PARAM_STAGES, stages) &&
                   set_count(&scenario, PARAM_MICRO_BATCHES, micro_batches) &&
                   scenario_set(&scenario, PARAM_SCHEDULE, "1f1b", &report) &&
                   scenario_set(&scenario, PARAM_FORWARD, "1", &report) &&
                   scenario_set(&scenario, PARAM_BACKWARD, "2", &report) &&
                   session_load(session, &scenario, &(struct origin){.name = ""}, &refusal);
    scenario_free(&scenario);
    return is_good;
}

/* False when there is not enough memory; seen_close has to follow all the same. */
static bool seen_open(struct seen *seen, int size, uint32_t stages, uint32_t micro_batches)
{
    *seen = (struct seen){.session = session_make(), .theme = {.depth = DEPTH_256}};
    return seen->session != NULL &&
           grid_resize(&seen->grid, sizes[size].columns, sizes[size].rows) &&
           load(seen->session, stages, micro_batches);
}

static void seen_close(struct seen *seen)
{
    session_free(seen->session);
    grid_free(&seen->grid);
}

/* As the interactive screen draws after a key. Nanoseconds. */
static double draw(struct seen *seen, const struct window *window)
{
    struct snapshot snapshot;
    double began = bench_work();

    session_snapshot(seen->session, &snapshot);
    if (window != NULL)
        snapshot.window = *window;
    screen_draw(&seen->grid, &seen->theme, &snapshot, true, &seen->frame);
    if (window == NULL)
        session_set_view(seen->session, &seen->frame.view);
    return bench_work() - began;
}

/* ---- after a key ---- */

/* Nanoseconds of the key, of the frame after it, and of both. */
struct turn {
    double key[MOST_ROUNDS], frame[MOST_ROUNDS], both[MOST_ROUNDS];
};

static void turn_take(struct seen *seen, const char *key, struct turn *turn, int i)
{
    double began = bench_work();

    if (key[0] != '\0')
        session_key(seen->session, key);
    turn->key[i] = bench_work() - began;
    turn->frame[i] = draw(seen, NULL);
    turn->both[i] = turn->key[i] + turn->frame[i];
}

static void turn_row(const struct bench_table *table, int size, const char *what, struct turn *turn,
                     int rounds)
{
    char label[80];

    snprintf(label, sizeof label, "%dx%d %s", sizes[size].columns, sizes[size].rows, what);
    table_row(table, label,
              (double[]){bench_median(turn->key, rounds) / 1e3,
                         bench_median(turn->frame, rounds) / 1e3,
                         bench_median(turn->both, rounds) / 1e3});
}

/* A key that is measured, and the key that undoes it. */
static const struct {
    const char *name, *there, *back;
} turns[] = {
    {"no key", "", ""},    {"one micro-batch more", "M", "m"}, {"select next", "Right", "Left"},
    {"zoom in", "+", "-"}, {"next schedule", "S", "s"},        {"undo", "u", "U"},
    {"help", "?", "Esc"},  {"memory lanes", "a", "a"},       {"next event", ".", ","},
};

static void after_keys(const struct bench *bench)
{
    static const struct column columns[] = {{"key us", 1}, {"frame us", 1}, {"both us", 1}};
    static struct turn turn, aside;
    struct bench_table table =
        table_begin(bench, "frame",
                    "frame: microseconds of a key and the frame after it, P=64 M=1024", columns, 3);
    int rounds = bench_rounds(bench, 2e6);

    rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
    for (int size = 0; size < SIZE_COUNT; size++) {
        struct seen seen;
        bool is_open = seen_open(&seen, size, 64, 1024);
        for (size_t t = 0; is_open && t < sizeof turns / sizeof turns[0]; t++) {
            turn_take(&seen, turns[t].back, &aside, 0);
            for (int i = 0; i < rounds; i++) {
                turn_take(&seen, turns[t].there, &turn, i);
                turn_take(&seen, turns[t].back, &aside, 0);
            }
            turn_row(&table, size, turns[t].name, &turn, rounds);
        }
        seen_close(&seen);
    }
}

/* ---- when the problem grows ---- */

static double ops_in(const struct seen *seen, const struct window *window)
{
    struct snapshot snapshot;
    double ops = 0;

    session_snapshot(seen->session, &snapshot);
    const struct pg_plan *plan = &snapshot.outcome->plan;
    double start = window->is_fit ? 0 : window->start;
    double span = window->is_fit ? plan->makespan : window->span;
    for (uint32_t d = 0; d < plan->devices; d++) {
        uint32_t count = plan->run[d].count;
        uint32_t first = pg_op_after(plan, d, start), last = first;
        while (last < count && plan->run[d].start[last] < start + span)
            last++;
        ops += last - first;
    }
    return ops;
}

static void compare(const struct bench_table *table, int size, uint32_t stages, bool is_all)
{
    static double few[MOST_ROUNDS], many[MOST_ROUNDS];
    /* A stretch in which all of 16 devices are busy: from 48 on, to 48 before the end. */
    const struct window whole = {.is_fit = true};
    struct window left = is_all ? whole : (struct window){false, 60, 96};
    struct window right = is_all ? whole : (struct window){false, 24000, 96};
    struct seen a, b;
    bool is_open = seen_open(&a, size, stages, 64);
    int rounds = bench_rounds(table->bench, 2e6) * 2;
    char label[80];

    rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
    if (seen_open(&b, size, stages, 16384) && is_open) {
        draw(&a, &left);
        draw(&b, &right);
        for (int i = 0; i < rounds; i++) {
            few[i] = draw(&a, &left) / 1e3;
            many[i] = draw(&b, &right) / 1e3;
        }
        double less = bench_median(few, rounds), more = bench_median(many, rounds);
        snprintf(label, sizeof label, "%dx%d P=%u %s", sizes[size].columns, sizes[size].rows,
                 (unsigned)stages, is_all ? "all in view" : "as much in view");
        table_row(table, label,
                  (double[]){ops_in(&a, &left), ops_in(&b, &right), less, more, more / less});
    }
    seen_close(&a);
    seen_close(&b);
}

static void as_it_grows(const struct bench *bench)
{
    static const struct column columns[] = {
        {"ops M=64", 0}, {"ops M=16384", 0}, {"us M=64", 1}, {"us M=16384", 1}, {"ratio", 2}};
    struct bench_table table = table_begin(
        bench, "view",
        "frame: operations in view, and microseconds to draw it, at M=64 and M=16384", columns, 5);

    for (int size = 0; size < SIZE_COUNT; size++)
        compare(&table, size, 16, false);
    for (int size = 0; size < SIZE_COUNT; size++)
        compare(&table, size, 64, true);
    bench_say(bench, "Wanted: at most 1.2 with as much in view, at most 4 with all in view.");
}

/* ---- when the terminal grows ---- */

static void as_cells_grow(const struct bench *bench)
{
    static const struct column columns[] = {{"cells", 0}, {"frame us", 1}, {"ns/cell", 2}};
    static const struct {
        int columns, rows;
    } shapes[] = {{40, 12}, {80, 24}, {120, 40}, {200, 60}, {320, 90}, {500, 200}};
    static double times[MOST_ROUNDS];
    struct bench_table table =
        table_begin(bench, "cells", "frame: microseconds by the size of the terminal, P=64 M=1024",
                    columns, 3);
    struct seen seen;
    bool is_open = seen_open(&seen, 0, 64, 1024);

    for (size_t s = 0; is_open && s < sizeof shapes / sizeof shapes[0]; s++) {
        int rounds = bench_rounds(bench, 1e6), cells = shapes[s].columns * shapes[s].rows;
        char label[64];
        rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
        if (!grid_resize(&seen.grid, shapes[s].columns, shapes[s].rows))
            break;
        for (int i = 0; i < rounds; i++)
            times[i] = draw(&seen, NULL) / 1e3;
        double median = bench_median(times, rounds);
        snprintf(label, sizeof label, "%dx%d", shapes[s].columns, shapes[s].rows);
        table_row(&table, label, (double[]){cells, median, median * 1e3 / cells});
    }
    seen_close(&seen);
}

void bench_frame(const struct bench *bench)
{
    after_keys(bench);
    as_cells_grow(bench);
    as_it_grows(bench);
}
