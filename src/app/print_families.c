/* The table of families as text, csv and json. */
#include "app/print.h"
#include "app/safe.h"

#include "model/families.h"

#include <stdlib.h>

static void number(FILE *out, double value)
{
    char buffer[TEXT_NUMBER_SIZE];
    fputs(number_write(buffer, value), out);
}

static void percent(FILE *out, int width, double share)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_percent(&text, share);
    fprintf(out, "%-*s", width, buffer);
}

static void brief(FILE *out, int width, double value)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_brief(&text, value);
    fprintf(out, "%-*s", width, buffer);
}

/* Of a table as --schedule takes it, so that no file's name is taken for a family's. */
static const char *full_name(const struct family_row *row, char *buffer, size_t size)
{
    struct text text;

    text_init(&text, buffer, size);
    text_addf(&text, "%s%s", row->table != NULL ? "file:" : "", row->name);
    return buffer;
}

static void print_text_row(FILE *out, const struct family_row *row)
{
    char buffer[800];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    text_printable(&text, row->name);
    safe_print(out, buffer);
    fprintf(out, "%*s ", text_columns(buffer) < 20 ? 20 - text_columns(buffer) : 0, "");
    if (!row->is_possible) {
        safe_print(out, row->reason);
        fputc('\n', out);
        return;
    }
    brief(out, 12, row->makespan);
    percent(out, 8, row->bubble);
    percent(out, 11, row->idle_over_ideal);
    percent(out, 8, row->span_bubble);
    brief(out, row->is_over_limit ? 8 : 0, row->peak_memory);
    fprintf(out, "%s\n", row->is_over_limit ? "over the limit" : "");
}

static void print_csv_row(FILE *out, const struct family_row *row)
{
    char buffer[4200];

    if (row->table != NULL)
        safe_csv(out, full_name(row, buffer, sizeof buffer));
    else
        fputs(row->name, out);
    fprintf(out, ",%u,", row->chunks);
    if (row->is_possible) {
        const double values[] = {row->makespan, row->bubble, row->idle_over_ideal,
                                 row->span_bubble, row->peak_stash, row->peak_memory};
        for (int i = 0; i < 6; i++) {
            number(out, values[i]);
            fputc(',', out);
        }
        fprintf(out, "%s,\n", row->is_over_limit ? "true" : "false");
    } else {
        fputs(",,,,,,,", out);
        safe_csv(out, row->reason);
        fputc('\n', out);
    }
}

static void print_json_row(FILE *out, const struct family_row *row)
{
    static const char *const names[] = {"makespan", "bubble_fraction", "idle_over_ideal",
                                        "span_bubble", "peak_stash", "peak_memory"};
    const double values[] = {row->makespan, row->bubble, row->idle_over_ideal,
                             row->span_bubble, row->peak_stash, row->peak_memory};

    char buffer[4200];

    fputs("{\"schedule\":", out);
    safe_json(out, full_name(row, buffer, sizeof buffer));
    fprintf(out, ",\"chunks\":%u,", row->chunks);
    if (!row->is_possible) {
        fputs("\"reason\":", out);
        safe_json(out, row->reason);
        fputc('}', out);
        return;
    }
    for (int i = 0; i < 6; i++) {
        fprintf(out, "\"%s\":", names[i]);
        number(out, values[i]);
        fputc(',', out);
    }
    fprintf(out, "\"over_limit\":%s}", row->is_over_limit ? "true" : "false");
}

bool print_families(FILE *out, const struct scenario *scenario, enum families_form form)
{
    uint32_t count;
    struct family_row *rows = families_run(scenario, scenario->table, &count);

    bool is_whole = rows != NULL;
    for (uint32_t i = 0; is_whole && i < count; i++)
        is_whole = !rows[i].is_short;
    if (!is_whole) {
        free(rows);
        return false;
    }
    families_sort(rows, count, form == FAMILIES_TEXT ? FAMILY_BY_MAKESPAN : FAMILY_BY_TABLE);
    if (form == FAMILIES_TEXT)
        fprintf(out, "%-20s %-12s%-8s%-11s%-8s%s\n", "family", "makespan", "bubble", "idle/ideal",
                "in span", family_column_name(FAMILY_BY_STASH, scenario));
    if (form == FAMILIES_CSV)
        fputs("schedule,chunks,makespan,bubble_fraction,idle_over_ideal,span_bubble,peak_stash,"
              "peak_memory,over_limit,reason\n", out);
    if (form == FAMILIES_JSON)
        fputc('[', out);
    for (uint32_t i = 0; i < count; i++) {
        if (form == FAMILIES_TEXT) {
            print_text_row(out, &rows[i]);
        } else if (form == FAMILIES_CSV) {
            print_csv_row(out, &rows[i]);
        } else {
            fputs(i > 0 ? "," : "", out);
            print_json_row(out, &rows[i]);
        }
    }
    if (form == FAMILIES_JSON)
        fputs("]\n", out);
    free(rows);
    return true;
}
