/* The split of layers against two splitters that share nothing with it: the textbook's table, and for
 * the smallest inputs every split there is. Also what it must refuse. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

#define MOST_LAYERS 32u
#define MOST_BRUTE 9u

/* best[p][i]: least largest load of the first i layers in p stages; cut[p][i]: where the last one of
 * these starts, as early as it can. */
struct textbook {
    double best[MOST_LAYERS + 1][MOST_LAYERS + 1];
    uint32_t cut[MOST_LAYERS + 1][MOST_LAYERS + 1];
};

static void fill(struct textbook *book, const double *prefix, uint32_t layers, uint32_t stages)
{
    for (uint32_t i = 1; i <= layers; i++)
        book->best[1][i] = prefix[i];
    for (uint32_t p = 2; p <= stages; p++)
        for (uint32_t i = p; i <= layers; i++) {
            book->best[p][i] = INFINITY;
            for (uint32_t j = p - 1; j < i; j++) {
                double load = prefix[i] - prefix[j];
                double largest = load > book->best[p - 1][j] ? load : book->best[p - 1][j];
                if (largest < book->best[p][i]) {
                    book->best[p][i] = largest;
                    book->cut[p][i] = j;
                }
            }
        }
}

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

static void check_split(const double *prefix, uint32_t layers, uint32_t stages,
                        const struct pg_range *ranges)
{
    static struct textbook book;
    double largest = 0;

    must(ranges[0].start == 0 && ranges[stages - 1].end == layers);
    for (uint32_t s = 0; s < stages; s++) {
        must(ranges[s].start < ranges[s].end);
        must(s == 0 || ranges[s].start == ranges[s - 1].end);
        must(ranges[s].load == prefix[ranges[s].end] - prefix[ranges[s].start]);
        largest = fmax(largest, ranges[s].load);
    }
    fill(&book, prefix, layers, stages);
    must(largest == book.best[stages][layers]);
    for (uint32_t p = stages, end = layers; p > 1; end = book.cut[p--][end])
        must(ranges[p - 1].start == book.cut[p][end]);
    if (layers <= MOST_BRUTE)
        must(largest == least_of_all(prefix, layers, 0, stages));
}

/* What must come of it, by a look at the numbers. */
static enum pg_status expected(const double *cost, uint32_t layers, uint32_t stages)
{
    double sum = 0;

    if (stages == 0)
        return PG_E_ZERO;
    if (layers == 0)
        return PG_E_NO_LAYERS;
    if (stages > layers)
        return PG_E_FEW_LAYERS;
    for (uint32_t i = 0; i < layers; i++)
        if (!(cost[i] >= 0 && cost[i] <= 1.7976931348623157e308))
            return PG_E_LAYER_COST;
    for (uint32_t i = 0; i < layers; i++)
        sum += cost[i];
    return isinf(sum) ? PG_E_OVERFLOW : PG_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, data + size};
    double cost[MOST_LAYERS], prefix[MOST_LAYERS + 1] = {0};
    struct pg_range ranges[MOST_LAYERS];
    struct pg_fault fault;

    uint32_t layers = take_up_to(&bytes, MOST_LAYERS);
    uint32_t stages = take_up_to(&bytes, layers < 12 ? layers + 1 : layers);
    for (uint32_t i = 0; i < layers; i++) {
        cost[i] = take_number(&bytes);
        prefix[i + 1] = prefix[i] + cost[i];
    }
    size_t room = pg_partition_size(layers, stages);
    size_t missing = take_up_to(&bytes, 255) & 1 ? take_up_to(&bytes, (uint32_t)room) : 0;
    struct block block = fuzz_block(room - missing);
    enum pg_status status = pg_partition(&block.arena, cost, layers, stages, ranges, &fault);
    must(pg_arena_mark(&block.arena) == block.mark);
    if (status == PG_E_MEMORY)
        must(missing > 0 && fault.value > 0);
    else
        must(status == expected(cost, layers, stages));
    if (status == PG_OK)
        check_split(prefix, layers, stages, ranges);
    else
        must(fault.status == status);
    free(block.memory);
    return 0;
}
