/* The options of the command line put over a scenario. Counts and the family go through the same edits
 * as the keys, so that lists keep step; everything else is set as a file would set it. */
#include "app/cli.h"

#include "app/config_table.h"
#include "model/edit.h"

#include <string.h>

const char *cli_option_of(const struct cli *cli, enum param param, char *buffer, size_t size)
{
    struct text text;

    if (param == PARAM_COUNT || cli->values[param] == NULL)
        return NULL;
    text_init(&text, buffer, size);
    text_addf(&text, "--%s", param_info(param)->option);
    return buffer;
}

static bool fail_at(const struct cli *cli, enum param param, const struct report *report,
                    struct cli_error *error)
{
    const char *where = cli_option_of(cli, param, error->where, sizeof error->where);

    if (where == NULL)
        error->where[0] = '\0'; /* NOLINT(clang-analyzer-core.NullDereference): callers have one */
    error->report = *report;
    error->status = report->is_memory ? 1 : 2;
    return false;
}

/* `--schedule file:NAME`, the name as seen from here. */
static bool apply_table(const struct cli *cli, struct scenario *scenario, const char *name,
                        struct cli_error *error)
{
    struct file_error wrong;
    struct refusal refusal;

    if (name[0] == '\0') {
        struct report report = {.is_memory = false};
        struct text text;
        text_init(&text, report.text, sizeof report.text);
        text_addf(&text, "'%s': the name of a table is needed, such as file:steps.csv",
                  cli->values[PARAM_SCHEDULE]);
        return fail_at(cli, PARAM_SCHEDULE, &report, error);
    }
    struct table *table = table_file_open(name, cli->may_wait, &wrong);
    if (table == NULL) {
        memcpy(error->where, wrong.where, sizeof error->where);
        error->report = wrong.report;
        error->status = wrong.status;
        return false;
    }
    bool is_done = edit_table(scenario, table, &refusal);
    table_release(&table);
    return is_done || fail_at(cli, PARAM_SCHEDULE, &refusal.report, error);
}

/* Counts and the family change lists of the file as the keys would; the value itself is parsed into
 * a scenario of its own first. */
static bool apply_count(const struct cli *cli, struct scenario *scenario, enum param param,
                        struct cli_error *error)
{
    struct scenario wanted;
    struct refusal refusal;
    const char *table = param == PARAM_SCHEDULE ? table_named(cli->values[param]) : NULL;
    bool is_done = false;

    if (table != NULL)
        return apply_table(cli, scenario, table, error);
    memset(&wanted, 0, sizeof wanted);
    scenario_copy(&wanted, scenario);
    if (scenario_set(&wanted, param, cli->values[param], &refusal.report))
        is_done = param == PARAM_STAGES     ? edit_stages(scenario, wanted.stages, &refusal)
                  : param == PARAM_CHUNKS   ? edit_chunks(scenario, wanted.chunks, &refusal)
                                            : edit_schedule(scenario, wanted.schedule, &refusal);
    scenario_free(&wanted);
    return is_done || fail_at(cli, param, &refusal.report, error);
}

bool cli_apply(const struct cli *cli, struct scenario *scenario, struct cli_error *error)
{
    static const enum param first[] = {PARAM_HOLD, PARAM_SCHEDULE, PARAM_STAGES, PARAM_CHUNKS};
    struct report report;

    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        if (cli->values[first[i]] == NULL)
            continue;
        if (first[i] != PARAM_HOLD) {
            if (!apply_count(cli, scenario, first[i], error))
                return false;
        } else if (!scenario_set(scenario, PARAM_HOLD, cli->values[PARAM_HOLD], &report)) {
            return fail_at(cli, PARAM_HOLD, &report, error);
        }
    }
    if (cli->values[PARAM_FORWARD] != NULL || cli->values[PARAM_BACKWARD] != NULL)
        scenario_drop_layers(scenario);
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        bool is_first = p == PARAM_HOLD || p == PARAM_SCHEDULE || p == PARAM_STAGES ||
                        p == PARAM_CHUNKS;
        if (cli->values[p] == NULL || is_first)
            continue;
        if (!scenario_set(scenario, p, cli->values[p], &report))
            return fail_at(cli, p, &report, error);
        if ((p == PARAM_SPLIT || p == PARAM_RATIO) && scenario->layers == NULL &&
            !param_is_default_word(p, cli->values[p])) {
            struct text text;
            report.is_memory = false;
            text_init(&text, report.text, sizeof report.text);
            text_add(&text, "there are no layers: --layers or a file with [layers] is needed");
            return fail_at(cli, p, &report, error);
        }
    }
    return true;
}
