/* Any bytes as a schedule table, read as the desk reads one: either an error with its row and cell, or
 * an order that can run, and that is the same after it was written and read again. */
#include "fuzz.h"

#include "app/config_table.h"

#include <stdlib.h>
#include <string.h>

static struct table *read_bytes(const char *bytes, size_t count, struct file_error *error)
{
    FILE *stream = fmemopen((void *)(uintptr_t)bytes, count, "r");

    must(stream != NULL);
    struct table *table = table_file_read(stream, "fuzz.csv", error);
    fclose(stream);
    return table;
}

static void check_writing(const struct pg_plan *plan, const struct table *table)
{
    struct file_error error;
    size_t size = table_write_size(plan);
    char *bytes = malloc(size);
    struct text text;

    must(bytes != NULL);
    text_init(&text, bytes, size);
    table_write(plan, &text);
    must(!text.is_cut);
    struct table *again = read_bytes(bytes, text.length, &error);
    must(again != NULL);
    must(table_equal(table, again));
    table_release(&again);
    free(bytes);
}

/* As the desk takes a table up: over a fresh scenario. */
static void check_table(struct table *table)
{
    struct outcome outcome = {.block = NULL};
    struct scenario scenario;
    struct refusal refusal;

    must(scenario_init(&scenario));
    scenario_set_table(&scenario, table);
    if (scenario_ops(&scenario) <= FUZZ_MOST_OPS) {
        /* It was judged when it was read: what passed must run. */
        must(outcome_run(&outcome, &scenario, &refusal));
        check_plan(&outcome.plan);
        check_writing(&outcome.plan, table);
    }
    outcome_free(&outcome);
    scenario_free(&scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file_error error;

    if (size == 0 || size > 4096)
        return 0;
    struct table *table = read_bytes((const char *)data, size, &error);
    if (table != NULL) {
        check_table(table);
        return 0;
    }
    must(error.status == 2);
    must(strncmp(error.where, "fuzz.csv", 8) == 0);
    check_sentence(error.where);
    check_sentence(error.report.text);
    return 0;
}
