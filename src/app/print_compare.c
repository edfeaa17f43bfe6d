/* A comparison for programs: summary, csv and json. All three walk the rows of compare.def, in B's
 * unit of time; what json says of either side by itself is in its own. */
#include "app/print.h"

#include <stdlib.h>

static void number(FILE *out, double value)
{
    char buffer[TEXT_NUMBER_SIZE];
    fputs(number_write(buffer, value), out);
}

/* A line a metric, the fields set apart by a character. */
static void print_rows(FILE *out, const struct compared *compared, char separator)
{
    double a[COMPARE_COUNT], b[COMPARE_COUNT];

    compare_values(&compared->a, compared->unit, a);
    compare_values(&compared->b, 1, b);
    for (int i = 0; i < COMPARE_COUNT; i++) {
        const double values[] = {a[i], b[i], b[i] - a[i]};
        fputs(compare_info((enum compare_metric)i)->name, out);
        for (int k = 0; k < 3; k++) {
            fputc(separator, out);
            number(out, values[k]);
        }
        fputc('\n', out);
    }
}

bool print_compared_summary(FILE *out, const struct compared *compared)
{
    print_rows(out, compared, ' ');
    return true;
}

bool print_compared_csv(FILE *out, const struct compared *compared)
{
    fputs("metric,a,b,difference\n", out);
    print_rows(out, compared, ',');
    return true;
}

bool print_compared_json(FILE *out, struct outcome outcomes[2], const struct compared *compared)
{
    struct pg_op *ops[] = {print_json_ready(&outcomes[0]), print_json_ready(&outcomes[1])};
    double a[COMPARE_COUNT], b[COMPARE_COUNT];
    bool is_ready = ops[0] != NULL && ops[1] != NULL;

    if (!is_ready) {
        free(ops[0]);
        free(ops[1]);
        return false;
    }
    compare_values(&compared->a, compared->unit, a);
    compare_values(&compared->b, 1, b);
    fputs("{\"a\":", out);
    print_json_object(out, compared->a.scenario, &outcomes[0], ops[0]);
    fputs(",\"b\":", out);
    print_json_object(out, compared->b.scenario, &outcomes[1], ops[1]);
    fputs(",\"difference\":{", out);
    for (int i = 0; i < COMPARE_COUNT; i++) {
        fprintf(out, "%s\"%s\":", i > 0 ? "," : "", compare_info((enum compare_metric)i)->name);
        number(out, b[i] - a[i]);
    }
    fputs("}}\n", out);
    free(ops[0]);
    free(ops[1]);
    return true;
}
