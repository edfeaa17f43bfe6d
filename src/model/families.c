/* All families on one scenario: see families.h. Each is run through the whole core in one arena that
 * is used again, so the table costs what its runs cost. */
#include "model/families.h"

#include "model/edit.h"

#include <stdlib.h>
#include <string.h>

static void judge(struct family_row *row, const struct scenario *scenario,
                  const struct pg_metrics *metrics)
{
    row->is_possible = true;
    row->makespan = metrics->makespan;
    row->bubble = metrics->bubble_fraction;
    row->idle_over_ideal = metrics->idle_over_ideal;
    row->span_bubble = metrics->span_bubble;
    row->peak_stash = metrics->peak_stash;
    row->peak_memory = metrics->peak_memory;
    row->is_over_limit = memory_is_over(scenario, metrics->peak_memory);
}

/* Figures for another P or M than the present ones would not compare. */
static bool put_table(struct scenario *probe, struct table *table, struct refusal *refusal)
{
    const struct pg_table *core = &table->core;
    struct text text;

    if (probe->table == table)
        return true;
    if (core->devices != probe->stages || core->micro_batches != probe->micro_batches) {
        text_init(&text, refusal->report.text, sizeof refusal->report.text);
        text_addf(&text, "the table fixes P=%u and M=%u: Enter goes back to them", core->devices,
                  core->micro_batches);
        return false;
    }
    return edit_table(probe, table, refusal);
}

/* Fills the row, of which family, table and name are set. */
static void run_one(struct family_row *row, struct outcome *outcome,
                    const struct scenario *scenario)
{
    struct scenario probe;
    struct refusal refusal = {.param = PARAM_COUNT};
    struct text text;

    memset(&probe, 0, sizeof probe);
    scenario_copy(&probe, scenario);
    bool is_done = (row->table != NULL ? put_table(&probe, row->table, &refusal)
                                       : edit_schedule(&probe, row->family, &refusal)) &&
                   outcome_run(outcome, &probe, &refusal);
    row->chunks = scenario_chunks(&probe);
    if (is_done) {
        judge(row, scenario, &outcome->metrics);
    } else {
        row->is_short = refusal.report.is_memory;
        text_init(&text, row->reason, sizeof row->reason);
        text_add(&text, refusal.report.text);
    }
    scenario_free(&probe);
}

struct family_row *families_run(const struct scenario *scenario, struct table *table,
                                uint32_t *count)
{
    uint32_t family_count, first = table != NULL;
    const struct pg_family *families = pg_families(&family_count);
    struct family_row *rows = calloc(first + family_count, sizeof *rows);
    struct outcome outcome = {.block = NULL};

    *count = first + family_count;
    for (uint32_t i = 0; rows != NULL && i < *count; i++) {
        if (i < first)
            rows[i] = (struct family_row){.family = pg_table_family(&table->core),
                                          .table = table,
                                          .name = table_name(table)};
        else
            rows[i] = (struct family_row){.family = &families[i - first],
                                          .name = families[i - first].name};
        run_one(&rows[i], &outcome, scenario);
    }
    outcome_free(&outcome);
    return rows;
}

static double key_of(const struct family_row *row, enum family_column column)
{
    switch (column) {
    case FAMILY_BY_MAKESPAN:
        return row->makespan;
    case FAMILY_BY_BUBBLE:
        return row->bubble;
    case FAMILY_BY_SPAN:
        return row->span_bubble;
    case FAMILY_BY_STASH:
        return row->peak_memory;
    default:
        return 0;
    }
}

static bool is_before(const struct family_row *a, const struct family_row *b,
                      enum family_column column)
{
    bool a_trains = a->is_possible && !a->family->is_forward_only;
    bool b_trains = b->is_possible && !b->family->is_forward_only;

    if (a->table != NULL || b->table != NULL)
        return b->table == NULL;
    if (column != FAMILY_BY_TABLE && a_trains != b_trains)
        return a_trains; /* what cannot be, and what does not train, is no match for the rest */
    if (column != FAMILY_BY_TABLE && a->is_possible != b->is_possible)
        return a->is_possible;
    double first = key_of(a, column), second = key_of(b, column);
    return first != second ? first < second : a->family < b->family;
}

void families_sort(struct family_row *rows, uint32_t count, enum family_column column)
{
    for (uint32_t i = 1; i < count; i++) {
        struct family_row row = rows[i];
        uint32_t at = i;
        for (; at > 0 && is_before(&row, &rows[at - 1], column); at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

const char *family_column_name(enum family_column column, const struct scenario *scenario)
{
    if (column == FAMILY_BY_STASH &&
        (scenario->activation != NULL || scenario->weight_activation != NULL))
        return "memory";
    static const char *const names[FAMILY_COLUMNS] = {"family", "makespan", "bubble", "in span",
                                                      "stash"};
    return names[column];
}
