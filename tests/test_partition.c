/* The balanced partition against the textbook's table, which follows core.md word for word, against
 * every split there is, and, where both would take too long, against what makes an optimum one: it
 * can be kept, and nothing less can. */
#include "golden.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void split(const double *cost, uint32_t layers, uint32_t stages, struct pg_range *ranges)
{
    struct pg_arena arena = golden_arena(pg_partition_size(layers, stages));
    size_t mark = pg_arena_mark(&arena);
    struct pg_fault fault;

    assert_int_equal(pg_partition(&arena, cost, layers, stages, ranges, &fault), PG_OK);
    assert_int_equal(pg_arena_mark(&arena), mark);
    golden_arena_free(&arena);
}

static double *prefix_of(const double *cost, uint32_t layers)
{
    double *prefix = calloc(layers + 1, sizeof *prefix);

    assert_non_null(prefix);
    for (uint32_t i = 0; i < layers; i++)
        prefix[i + 1] = prefix[i] + cost[i];
    return prefix;
}

/* Contiguous, not empty, all layers, loads as defined. */
static double check_shape(const double *prefix, uint32_t layers, uint32_t stages,
                          const struct pg_range *ranges)
{
    double largest = 0;

    for (uint32_t s = 0; s < stages; s++) {
        assert_int_equal(ranges[s].start, s == 0 ? 0 : ranges[s - 1].end);
        assert_true(ranges[s].start < ranges[s].end);
        assert_exact(ranges[s].load, prefix[ranges[s].end] - prefix[ranges[s].start]);
        largest = fmax(largest, ranges[s].load);
    }
    assert_int_equal(ranges[stages - 1].end, layers);
    return largest;
}

/* ---- the textbook ---- */

enum { MOST = 64 };

struct textbook {
    double best[MOST + 1][MOST + 1];
    uint32_t cut[MOST + 1][MOST + 1];
};

static void textbook_fill(struct textbook *book, const double *prefix, uint32_t layers,
                          uint32_t stages)
{
    for (uint32_t i = 1; i <= layers; i++)
        book->best[1][i] = prefix[i];
    for (uint32_t p = 2; p <= stages; p++)
        for (uint32_t i = p; i <= layers; i++) {
            book->best[p][i] = INFINITY;
            for (uint32_t j = p - 1; j < i; j++) {
                double largest = fmax(book->best[p - 1][j], prefix[i] - prefix[j]);
                if (largest < book->best[p][i]) {
                    book->best[p][i] = largest;
                    book->cut[p][i] = j;
                }
            }
        }
}

static void compare_with_textbook(const double *cost, uint32_t layers, uint32_t stages)
{
    struct textbook *book = calloc(1, sizeof *book);
    struct pg_range ranges[MOST];
    double *prefix = prefix_of(cost, layers);
    uint32_t end = layers;

    assert_non_null(book);
    split(cost, layers, stages, ranges);
    textbook_fill(book, prefix, layers, stages);
    assert_exact(check_shape(prefix, layers, stages, ranges), book->best[stages][layers]);
    for (uint32_t p = stages; p > 1; p--) {
        assert_int_equal(ranges[p - 1].start, book->cut[p][end]);
        end = book->cut[p][end];
    }
    free(prefix);
    free(book);
}

/* ---- every split there is ---- */

/* Least largest load over all splits of the layers from `start` on, which go to `stages` stages. */
static double least_of_all(const double *prefix, uint32_t layers, uint32_t start, uint32_t stages)
{
    double least = INFINITY;

    if (stages == 1)
        return prefix[layers] - prefix[start];
    for (uint32_t end = start + 1; end + stages - 1 <= layers; end++)
        least = fmin(least, fmax(prefix[end] - prefix[start],
                                 least_of_all(prefix, layers, end, stages - 1)));
    return least;
}

/* ---- costs ---- */

/* Eight kinds of list, chosen so that ties, zeros, one giant and rounding all come up. */
static void invent(struct golden_dice *dice, double *cost, uint32_t layers)
{
    uint32_t kind = golden_roll(dice, 8);

    for (uint32_t i = 0; i < layers; i++)
        switch (kind) {
        case 0:
            cost[i] = 1;
            break;
        case 1:
            cost[i] = 0.1;
            break;
        case 2:
            cost[i] = golden_roll(dice, 3);
            break;
        case 3:
            cost[i] = golden_roll(dice, 4) ? 0 : 1 + golden_roll(dice, 2);
            break;
        case 4:
            cost[i] = golden_roll(dice, 10) ? 1 : 50;
            break;
        case 5:
            cost[i] = golden_roll(dice, 1000000) / 99991.0;
            break;
        case 6:
            cost[i] = pow(10, golden_roll(dice, 600) - 300.0);
            break;
        default:
            cost[i] = i + 1;
        }
}

static void test_textbook(void **state)
{
    struct golden_dice dice = {3};
    double cost[MOST];

    (void)state;
    for (int n = 0; n < 3000; n++) {
        uint32_t layers = 1 + golden_roll(&dice, n % 10 == 0 ? MOST : 24);
        invent(&dice, cost, layers);
        compare_with_textbook(cost, layers, 1 + golden_roll(&dice, layers));
    }
}

static void test_every_split(void **state)
{
    struct golden_dice dice = {4};
    struct pg_range ranges[9];
    double cost[9];

    (void)state;
    for (int n = 0; n < 300; n++) {
        uint32_t layers = 1 + golden_roll(&dice, 9);
        invent(&dice, cost, layers);
        double *prefix = prefix_of(cost, layers);
        for (uint32_t stages = 1; stages <= layers; stages++) {
            split(cost, layers, stages, ranges);
            assert_exact(check_shape(prefix, layers, stages, ranges),
                         least_of_all(prefix, layers, 0, stages));
        }
        free(prefix);
    }
}

static void test_by_hand(void **state)
{
    static const struct {
        uint32_t layers, stages;
        double cost[8];
        uint32_t start[4];
    } known[] = {
        {6, 3, {1, 1, 1, 1, 1, 1}, {0, 2, 4}},
        {5, 2, {1, 1, 1, 1, 1}, {0, 2}}, /* 3 either way: the last stage starts early */
        {5, 3, {1, 1, 1, 1, 1}, {0, 1, 3}},
        {4, 2, {9, 1, 1, 1}, {0, 1}},
        {4, 3, {0, 0, 0, 0}, {0, 1, 2}},
        {5, 2, {5, 0, 0, 0, 5}, {0, 1}},
        {4, 4, {4, 3, 2, 1}, {0, 1, 2, 3}},
        {6, 3, {2, 2, 9, 1, 1, 1}, {0, 2, 3}},
        {1, 1, {7}, {0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct pg_range ranges[4];
        split(known[i].cost, known[i].layers, known[i].stages, ranges);
        for (uint32_t s = 0; s < known[i].stages; s++)
            assert_int_equal(ranges[s].start, known[i].start[s]);
        compare_with_textbook(known[i].cost, known[i].layers, known[i].stages);
    }
}

/* ---- as large as it may be ---- */

/* Layer by layer: can every stage stay within the limit? */
static bool is_enough(const double *prefix, uint32_t layers, uint32_t stages, double limit)
{
    uint32_t start = 0, used = 1;

    for (uint32_t end = 1; end <= layers; end++) {
        if (prefix[end] - prefix[end - 1] > limit)
            return false;
        if (prefix[end] - prefix[start] <= limit)
            continue;
        start = end - 1;
        used++;
    }
    return used <= stages;
}

static void check_large(const double *cost, uint32_t layers, uint32_t stages)
{
    struct pg_range *ranges = calloc(stages, sizeof *ranges);
    double *prefix = prefix_of(cost, layers);

    assert_non_null(ranges);
    split(cost, layers, stages, ranges);
    double largest = check_shape(prefix, layers, stages, ranges);
    assert_true(is_enough(prefix, layers, stages, largest));
    if (largest > 0)
        assert_false(is_enough(prefix, layers, stages, nextafter(largest, 0)));
    free(prefix);
    free(ranges);
}

static void test_large(void **state)
{
    struct golden_dice dice = {6};
    double *cost = calloc(PG_MAX_LAYERS, sizeof *cost);

    (void)state;
    assert_non_null(cost);
    for (int n = 0; n < 8; n++) {
        invent(&dice, cost, PG_MAX_LAYERS);
        check_large(cost, PG_MAX_LAYERS, 64);
        check_large(cost, PG_MAX_LAYERS, 4096);
    }
    check_large(cost, PG_MAX_LAYERS, PG_MAX_LAYERS);
    check_large(cost, PG_MAX_LAYERS, 1);
    free(cost);
}

/* ---- what must be refused ---- */

static void refuse(const double *cost, uint32_t layers, uint32_t stages, struct pg_fault expected)
{
    struct pg_arena arena = golden_arena(4096);
    size_t mark = pg_arena_mark(&arena);
    struct pg_fault fault;

    assert_int_equal(pg_partition(&arena, cost, layers, stages, NULL, &fault), expected.status);
    golden_same_fault(&fault, &expected);
    assert_int_equal(pg_arena_mark(&arena), mark);
    golden_arena_free(&arena);
}

static void test_refused(void **state)
{
    const double bad[] = {-1, -DBL_MIN, NAN, INFINITY, -INFINITY}, half = DBL_MAX / 2;
    double cost[4] = {1, 0, -0.0, 4};
    struct pg_range ranges[4];

    (void)state;
    refuse(cost, 4, 0, golden_fault(PG_E_ZERO, PG_FIELD_STAGES, 0, 0));
    refuse(cost, 0, 0, golden_fault(PG_E_ZERO, PG_FIELD_STAGES, 0, 0));
    refuse(NULL, 0, 1, golden_fault(PG_E_NO_LAYERS, PG_FIELD_LAYERS, 0, 0));
    refuse(cost, 4, 5, golden_fault(PG_E_FEW_LAYERS, PG_FIELD_LAYERS, 4, 5));
    refuse(cost, 65537, 4, golden_fault(PG_E_LIMIT, PG_FIELD_LAYERS, 65537, 65536));
    split(cost, 4, 4, ranges);
    for (uint32_t i = 0; i < 4; i++)
        for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
            double spoilt[4] = {1, 2, 3, 4};
            spoilt[i] = bad[n];
            struct pg_fault expected = golden_fault(PG_E_LAYER_COST, PG_FIELD_LAYERS, bad[n], 0);
            expected.index = i;
            refuse(spoilt, 4, 2, expected);
        }
    double huge[4] = {half, half, half, half};
    refuse(huge, 4, 4, golden_fault(PG_E_OVERFLOW, PG_FIELD_LAYERS, INFINITY, 0));
    split(huge, 2, 2, ranges);
    assert_exact(ranges[1].load, half);
}

static void test_little_memory(void **state)
{
    const double cost[20] = {1, 2, 3};
    struct pg_range ranges[3];
    struct pg_fault fault;
    bool has_fit = false;

    (void)state;
    for (size_t size = 0; size <= pg_partition_size(20, 3); size++) {
        struct pg_arena arena = golden_arena(size);
        size_t mark = pg_arena_mark(&arena);
        enum pg_status status = pg_partition(&arena, cost, 20, 3, ranges, &fault);
        assert_true(status == PG_OK || (status == PG_E_MEMORY && fault.value > 0));
        assert_int_equal(pg_arena_mark(&arena), mark);
        has_fit = status == PG_OK;
        golden_arena_free(&arena);
    }
    assert_true(has_fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_textbook), cmocka_unit_test(test_every_split),
        cmocka_unit_test(test_by_hand),  cmocka_unit_test(test_large),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests_name("partition", tests, NULL, NULL);
}
