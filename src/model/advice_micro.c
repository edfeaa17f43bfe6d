/* How many micro-batches bring the bubble under the target.
 *
 * What is to be run next follows from what has been run: so the search can be asked again at any
 * time, and a new target starts from all that is known. No order is below the bound (bound.h), whose
 * bubble falls with M; that says where to begin. From there M doubles until a run is under the
 * target, or until the time that each further micro-batch takes stands still and is too long. Bubbles
 * of groups and replicas do not fall from each M to the next, so every M in between is run as long
 * as that can be afforded; beyond that the interval is cut into ninths. */
#include "model/advice.h"

#include <math.h>
#include <stddef.h>

/* Operations that runs of every M in between may have together. */
#define MOST_OPS (1ull << 28)
#define PIECES 8u

struct search {
    struct advice *advice;
    struct scenario probe; /* borrowed from the base: only M is changed */
    uint32_t *wanted, count, room;
};

static bool is_legal(struct search *search, uint32_t micro_batches)
{
    search->probe.micro_batches = micro_batches;
    return counts_good(&search->probe);
}

/* The next M from there on that the family can do; 0 when there is none. Steps of a rule are no
 * longer than P; for groups that are given they may be, hence the group. */
static uint32_t next_legal(struct search *search, uint32_t from)
{
    uint64_t reach = 2ull * search->probe.stages + search->probe.group + 2;

    for (uint64_t m = from > 0 ? from : 1; m <= PG_MAX_MICRO_BATCHES && m <= from + reach; m++)
        if (is_legal(search, (uint32_t)m))
            return (uint32_t)m;
    return 0;
}

static const struct figures *known(const struct advice *advice, uint32_t micro_batches)
{
    for (uint32_t i = 0; i < advice->micro_count; i++)
        if (advice->micro[i].micro_batches == micro_batches)
            return &advice->micro[i].figures;
    return NULL;
}

static bool meets(const struct advice *advice, const struct figures *figures)
{
    return figures->is_possible && figures->bubble_fraction < advice->target - ADVICE_MARGIN;
}

static void want(struct search *search, uint32_t micro_batches)
{
    if (search->count < search->room)
        search->wanted[search->count++] = micro_batches;
}

/* Least M for which the bound does not exclude the target; 0: it excludes all. */
static uint32_t first_hope(const struct advice *advice)
{
    double most = advice->target - ADVICE_MARGIN;
    uint32_t low = 0, high = PG_MAX_MICRO_BATCHES;

    if (bound_bubble(&advice->bound, high) >= most)
        return 0;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (bound_bubble(&advice->bound, middle) < most)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void answer(struct search *search, enum micro_verdict verdict, uint32_t micro_batches)
{
    struct micro_answer *out = &search->advice->answer;
    const struct figures *figures = known(search->advice, micro_batches);

    out->verdict = verdict;
    out->micro_batches = micro_batches;
    if (figures != NULL)
        out->figures = *figures;
}

/* Doubles M until a run meets the target. Returns that M; 0: none, or a run is missing. */
static uint32_t gallop(struct search *search, uint32_t first)
{
    struct advice *advice = search->advice;
    double each[2] = {NAN, NAN}, before_makespan = 0;
    uint32_t before = 0;

    for (uint32_t m = first; m != 0; m = next_legal(search, 2 * m)) {
        const struct figures *figures = known(advice, m);
        if (figures == NULL) {
            want(search, m);
            return 0;
        }
        if (meets(advice, figures))
            return m;
        each[0] = each[1];
        each[1] = before == 0 ? NAN : (figures->makespan - before_makespan) / (m - before);
        double limit = 1 - advice->bound.mean / each[1];
        if (before >= 2 * advice->base.stages && fabs(each[1] - each[0]) <= 1e-9 * each[1] &&
            advice->bound.is_exact_work && limit >= advice->target - ADVICE_MARGIN) {
            answer(search, MICRO_STEADY, m);
            advice->answer.limit = limit;
            advice->answer.each = each[1];
            return 0;
        }
        before = m;
        before_makespan = figures->makespan;
    }
    answer(search, MICRO_BEYOND, before);
    return 0;
}

/* Every M from `first` on until one meets the target, as it does at `end` at the latest. */
static void scan(struct search *search, uint32_t first, uint32_t end)
{
    for (uint32_t m = first; m != 0 && m <= end; m = next_legal(search, m + 1)) {
        const struct figures *figures = known(search->advice, m);
        if (figures == NULL) {
            want(search, m);
        } else if (meets(search->advice, figures)) {
            if (search->count == 0)
                answer(search, MICRO_FOUND, m);
            search->advice->answer.is_least = true;
            return;
        }
        if (search->count == search->room)
            return;
    }
}

static void cut(struct search *search, uint32_t first, uint32_t end)
{
    const struct advice *advice = search->advice;
    uint32_t low = first - 1;

    for (uint32_t i = 0; i < advice->micro_count; i++) {
        uint32_t m = advice->micro[i].micro_batches;
        if (m < end && m >= first && meets(advice, &advice->micro[i].figures))
            end = m;
    }
    for (uint32_t i = 0; i < advice->micro_count; i++) {
        uint32_t m = advice->micro[i].micro_batches;
        low = m < end && m > low ? m : low;
    }
    for (uint64_t i = 1; i <= PIECES; i++) {
        uint32_t m = next_legal(search, low + 1 + (uint32_t)((end - low - 1) * i / (PIECES + 1)));
        bool is_last = search->count > 0 && search->wanted[search->count - 1] == m;
        if (m != 0 && m < end && !is_last)
            want(search, m);
    }
    if (search->count == 0)
        answer(search, MICRO_FOUND, end);
}

uint32_t micro_search(struct advice *advice, uint32_t *wanted, uint32_t room)
{
    struct search search = {advice, advice->base, wanted, 0, room};
    double limit = bound_bubble_limit(&advice->bound);

    advice->answer = (struct micro_answer){.verdict = MICRO_OPEN, .limit = limit};
    if (advice->base.table != NULL) {
        answer(&search, MICRO_FIXED, advice->base.micro_batches);
        return 0;
    }
    if (limit >= advice->target - ADVICE_MARGIN) {
        answer(&search, MICRO_LIMIT, 0);
        return 0;
    }
    uint32_t hope = first_hope(advice), first = hope == 0 ? 0 : next_legal(&search, hope);
    if (first == 0) {
        answer(&search, MICRO_BEYOND, hope > 0 ? hope : PG_MAX_MICRO_BATCHES + 1);
        return 0;
    }
    uint32_t end = gallop(&search, first);
    if (end == 0)
        return search.count;
    uint64_t ops_each = (uint64_t)scenario_stages(&advice->base) *
                        pg_family_ops(advice->base.schedule);
    if (ops_each * end * (end - first + 1) <= MOST_OPS)
        scan(&search, first, end);
    else
        cut(&search, first, end);
    return search.count;
}
