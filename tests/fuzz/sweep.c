/* A sweep as the command line takes one, in three lines: range, families, measure. Either a refusal in
 * words, or rising values; small sweeps are run, and every crossover must be one. */
#include "fuzz.h"

#include "model/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_JOBS 40u

static void check_range(const struct sweep_range *range)
{
    must(range->swept < SWEPT_COUNT);
    must(range->count >= 1 && range->count <= SWEEP_MOST_VALUES);
    for (uint32_t i = 0; i < range->count; i++) {
        must(isfinite(range->values[i]));
        must(i == 0 || range->values[i] > range->values[i - 1]);
    }
}

/* Is what is said of the two true of their numbers? */
static void check_crossing(const struct sweep *sweep, enum measure measure,
                           const struct crossing *crossing)
{
    bool more = measure_info(measure)->is_more_better;
    double least = measure_info(measure)->is_share ? 1e-3 : 0; /* a share can be 0 but for rounding */
    double better, worse;
    char words[300];
    struct text text;

    must(sweep_measure(sweep, measure, crossing->value, crossing->better, &better));
    must(sweep_measure(sweep, measure, crossing->value, crossing->worse, &worse));
    if (crossing->kind == CROSSING_MEET)
        must(is_about_equal(better, worse, fmax(fabs(better) + fabs(worse), least)));
    else
        must(more ? better >= worse : better <= worse);
    text_init(&text, words, sizeof words);
    crossing_write(sweep, measure, crossing, &text);
    check_sentence(words);
}

static void run(struct sweep *sweep)
{
    struct outcome scratch = {.block = NULL};

    for (uint32_t i = 0; i < sweep->batch->count; i++)
        if (scenario_ops(&sweep->batch->jobs[i].scenario) > FUZZ_MOST_JUDGED)
            return;
    while (batch_run_next(sweep->batch, &scratch))
        ;
    outcome_free(&scratch);
    for (uint32_t i = 0; i < sweep->batch->count; i++) {
        const struct figures *figures = batch_figures(sweep->batch, i);
        must(figures != NULL);
        if (figures->is_possible)
            must(figures->makespan > 0 && isfinite(figures->idle_over_ideal));
        else
            check_sentence(figures->reason);
    }
    for (enum measure m = 0; m < MEASURE_COUNT; m++) {
        struct crossing crossings[50];
        uint32_t count = sweep_crossings(sweep, m, crossings, 50);
        for (uint32_t i = 0; i < count && i < 50; i++)
            check_crossing(sweep, m, &crossings[i]);
    }
}

static void check_sweep(const struct sweep_range *range, const struct pg_family **families,
                        uint32_t count)
{
    struct scenario scenario;
    struct report report;

    if (range->count * count > MOST_JOBS)
        return;
    must(scenario_init(&scenario));
    struct sweep *sweep = sweep_make(&scenario, range, families, count, NULL, &report);
    if (sweep == NULL) {
        check_sentence(report.text);
    } else {
        char words[100];
        struct text text;
        text_init(&text, words, sizeof words);
        sweep_value_write(sweep, range->count - 1, &text);
        check_sentence(words);
        run(sweep);
        sweep_free(sweep);
    }
    scenario_free(&scenario);
}

/* What the page offers by itself must be something that it takes. */
static void check_usual(enum swept swept, int scale)
{
    static struct sweep_range range;
    struct scenario scenario;
    struct report report;
    char text_of[200];
    struct text text;

    must(scenario_init(&scenario));
    text_init(&text, text_of, sizeof text_of);
    sweep_range_usual(&scenario, swept, PG_NONE, scale, &text);
    must(sweep_range_parse(&range, text_of, &report));
    check_range(&range);
    scenario_free(&scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct pg_family *families[SWEEP_MOST_FAMILIES];
    static struct sweep_range range;
    struct report report;
    uint32_t count;
    enum measure measure;

    if (size > 512)
        return 0;
    char *text = malloc(size + 3);
    must(text != NULL);
    memcpy(text, data, size);
    memcpy(text + size, "\n\n", 3);
    char *second = text + strcspn(text, "\n");
    *second++ = '\0';
    char *third = second + strcspn(second, "\n");
    if (*third != '\0')
        *third++ = '\0';
    third[strcspn(third, "\n")] = '\0';
    bool has_measure = measure_parse(third, &measure, &report);
    must(has_measure ? measure < MEASURE_COUNT : true);
    if (!has_measure)
        check_sentence(report.text);
    bool has_families = sweep_families_parse(second, families, &count, &report);
    if (!has_families)
        check_sentence(report.text);
    else
        must(count >= 1 && count <= SWEEP_MOST_FAMILIES);
    if (!sweep_range_parse(&range, text, &report)) {
        check_sentence(report.text);
    } else {
        check_range(&range);
        check_usual(range.swept, (int)(size % 7) - 3);
        if (has_families)
            check_sweep(&range, families, count);
    }
    free(text);
    return 0;
}
