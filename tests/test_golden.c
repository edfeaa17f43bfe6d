/* Everything the core computes, against what other programs computed for the same input. Each test
 * skips itself where the golden directory is not at hand. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- timelines and metrics ---- */

static void compare_list(const struct pg_plan *plan, const struct golden_case *golden)
{
    if (golden->ops == 0)
        return;
    struct pg_op *list = calloc(plan->ops, sizeof *list);
    struct pg_op *scratch = calloc(plan->ops, sizeof *scratch);
    assert_true(list && scratch);
    assert_int_equal(plan->ops, golden->ops);
    pg_plan_list(plan, list, scratch);
    for (uint32_t i = 0; i < golden->ops; i++)
        if (!golden_same_op(&list[i], &golden->op[i]))
            fail_msg("%s: operation %u of the list differs", golden->name, i);
    free(list);
    free(scratch);
}

static void compare_metrics(const struct pg_metrics *metrics, const struct golden_case *golden)
{
    assert_exact(metrics->makespan, golden->makespan);
    assert_exact(metrics->peak_stash, golden->peak_stash);
    assert_int_equal(golden->stage_peak_stash.n, golden->stages);
    for (uint32_t s = 0; s < golden->stages; s++)
        assert_exact(metrics->stage_peak_stash[s], golden->stage_peak_stash.v[s]);
    assert_close(metrics->bubble_fraction, golden->bubble_fraction);
    assert_close(metrics->utilization, golden->utilization);
    assert_close(metrics->throughput, golden->throughput);
    assert_close(metrics->total_busy_time, golden->total_busy_time);
    assert_close(metrics->analytical_bubble_fraction, golden->analytical_bubble_fraction);
    assert_close(metrics->analytical_utilization, golden->analytical_utilization);
}

static void compare_plan(const struct golden_case *golden)
{
    struct pg_plan plan;
    struct pg_arena arena = golden_plan_case(&plan, golden);
    struct pg_metrics metrics;

    compare_list(&plan, golden);
    struct pg_arena more = golden_arena(pg_metrics_size(plan.devices));
    assert_int_equal(pg_plan_judge(&plan, &more, &metrics), PG_OK);
    compare_metrics(&metrics, golden);
    golden_arena_free(&arena);
    golden_arena_free(&more);
}

static void compare_file(const char *name, void (*compare)(const struct golden_case *))
{
    FILE *file = golden_open(name);
    struct golden_case *golden = malloc(sizeof *golden);
    unsigned cases = 0;

    assert_non_null(golden);
    for (; file != NULL && golden_next(file, golden); cases++)
        compare(golden);
    free(golden);
    if (cases == 0)
        skip();
    print_message("%u cases of %s\n", cases, name);
}

static void test_timelines(void **state)
{
    (void)state;
    compare_file("seed/timelines.txt", compare_plan);
}

static void test_metrics(void **state)
{
    (void)state;
    compare_file("seed/metrics.txt", compare_plan);
}

/* ---- partitions ---- */

static void compare_partition(const struct golden_case *golden)
{
    uint32_t layers = golden->layers.n;
    struct pg_arena arena = golden_arena(pg_partition_size(layers, golden->stages));
    struct pg_range ranges[64];
    struct pg_fault fault;
    double largest = 0;

    enum pg_status status =
        pg_partition(&arena, golden->layers.v, layers, golden->stages, ranges, &fault);
    golden_arena_free(&arena);
    if (golden->is_error) {
        assert_int_not_equal(status, PG_OK);
        return;
    }
    assert_int_equal(status, PG_OK);
    assert_int_equal(golden->ranges, golden->stages);
    for (uint32_t s = 0; s < golden->stages; s++) {
        assert_int_equal(ranges[s].start, golden->range[s].start);
        assert_int_equal(ranges[s].end, golden->range[s].end);
        assert_exact(ranges[s].load, golden->range[s].load);
        largest = fmax(largest, ranges[s].load);
    }
    assert_exact(largest, golden->optimal_max_load);
}

static void test_partitions(void **state)
{
    (void)state;
    compare_file("seed/partitions.txt", compare_partition);
}

/* ---- orders ---- */

static void verify(const struct golden_order *order, enum pg_status *status)
{
    struct pg_arena arena = golden_arena(pg_verify_size(&order->plan));
    struct pg_fault fault;

    *status = pg_plan_verify(&order->plan, &arena, &fault);
    golden_arena_free(&arena);
}

/* "9/10/9" in operations; the core counts in micro-batches of a device's whole share. */
static void compare_stash(const struct golden_order *order, const char *expected)
{
    struct pg_arena arena = golden_arena(pg_metrics_size(order->plan.devices));
    struct pg_metrics metrics;

    assert_int_equal(pg_plan_judge(&order->plan, &arena, &metrics), PG_OK);
    for (uint32_t d = 0; d < order->plan.devices; d++) {
        char *end;
        assert_exact(metrics.stage_peak_stash[d] * order->plan.chunks, strtod(expected, &end));
        expected = end + 1;
    }
    golden_arena_free(&arena);
}

/* A directory may hold some of the orders that its tables name. */
static bool read_order(struct golden_order *order, const char *path)
{
    char *text = golden_text(path);

    if (text == NULL)
        return false;
    golden_order_read(order, text);
    free(text);
    return true;
}

/* One row: file, five makespans, peak stash, stash of each device. */
static bool compare_order(char *row)
{
    static const double costs[5][4] = {
        {1, 1, 1, 0}, {3, 4, 2, 0}, {3, 4, 2, 1}, {1, 2, 0, 0}, {3, 4, 2, 0}};
    struct golden_order order;
    struct pg_fault fault;
    enum pg_status status;
    char path[256], *field = strtok(row, ",");

    snprintf(path, sizeof path, "peers/%s.txt", field);
    if (!read_order(&order, path))
        return false;
    for (int set = 0; set < 5; set++) {
        field = strtok(NULL, ",");
        if (strcmp(field, "-") == 0) /* no pairs: their cost makes no difference */
            continue;
        golden_order_price(&order, costs[set][0], costs[set][1], costs[set][2]);
        order.plan.transfer = costs[set][3];
        order.plan.fused = set == 4 ? 7.0 / 9 : 1;
        assert_int_equal(golden_order_time(&order, &fault), PG_OK);
        if (fabs(order.plan.makespan - atof(field)) > (set == 4 ? 1e-9 : 0))
            fail_msg("%s: makespan %g, not %s", path, order.plan.makespan, field);
        verify(&order, &status);
        assert_int_equal(status, PG_OK);
    }
    strtok(NULL, ",");
    compare_stash(&order, strtok(NULL, ","));
    golden_order_free(&order);
    return true;
}

static void for_each_line(const char *name, bool (*compare)(char *line))
{
    char *text = golden_text(name);
    unsigned count = 0;

    if (text == NULL)
        skip();
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        count += compare(line);
    }
    free(text);
    print_message("%u orders of %s\n", count, name);
}

static void test_orders(void **state)
{
    (void)state;
    for_each_line("peers/sim_makespans.csv", compare_order);
}

/* Orders that other programs got wrong: incomplete, or without end. The clock may only be given one
 * that names nothing beyond its stages and micro-batches, which the roll call of verify tells. */
static bool refuse_order(char *line)
{
    struct golden_order order;
    struct pg_fault fault;
    enum pg_status status;
    char path[256];

    snprintf(path, sizeof path, "peers/_invalid/%s", strtok(line, ":"));
    if (!read_order(&order, path))
        return false;
    verify(&order, &status);
    assert_int_not_equal(status, PG_OK);
    if (strncmp(strtok(NULL, ""), " Invalid", 8) == 0)
        assert_int_equal(status, PG_E_MISSING);
    else if (status != PG_E_PLACE && status != PG_E_MISSING)
        assert_int_equal(golden_order_time(&order, &fault), PG_E_DEADLOCK);
    golden_order_free(&order);
    return true;
}

static void test_wrong_orders(void **state)
{
    (void)state;
    for_each_line("peers/_invalid/REASONS.txt", refuse_order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timelines),    cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_partitions),   cmocka_unit_test(test_orders),
        cmocka_unit_test(test_wrong_orders),
    };
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
