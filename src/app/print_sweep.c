/* A sweep as text, csv and json. */
#include "app/print.h"
#include "app/safe.h"

#include "view/plot.h"

#include <stdlib.h>

#define PLOT_ROWS 22
#define MOST_TOLD 40 /* crossovers that the text names */

static void number(FILE *out, double value)
{
    char buffer[TEXT_NUMBER_SIZE];
    fputs(number_write(buffer, value), out);
}

/* Every figure there is, once: names and order of csv and json. */
static const struct {
    const char *name;
    size_t offset;
} columns[] = {
    {"makespan", offsetof(struct figures, makespan)},
    {"bubble_fraction", offsetof(struct figures, bubble_fraction)},
    {"idle_over_ideal", offsetof(struct figures, idle_over_ideal)},
    {"span_bubble", offsetof(struct figures, span_bubble)},
    {"throughput", offsetof(struct figures, throughput)},
    {"utilization", offsetof(struct figures, utilization)},
    {"peak_stash", offsetof(struct figures, peak_stash)},
    {"peak_memory", offsetof(struct figures, peak_memory)},
    {"floor", offsetof(struct figures, floor)},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static double column(const struct figures *figures, int i)
{
    return *(const double *)(const void *)((const char *)figures + columns[i].offset);
}

static const char *swept_key(const struct sweep *sweep)
{
    return param_info(swept_info(sweep->range.swept)->param)->key;
}

/* ---- csv ---- */

static void print_csv_row(FILE *out, const struct sweep *sweep, uint32_t value, uint32_t family)
{
    const struct figures *figures = sweep_figures(sweep, value, family);

    fprintf(out, "%s,", swept_key(sweep));
    if (sweep->range.stage != PG_NONE)
        fprintf(out, "%u", sweep->range.stage);
    fputc(',', out);
    number(out, sweep->range.values[value]);
    fprintf(out, ",%s,%u", sweep->families[family]->name,
            scenario_chunks(sweep_scenario(sweep, value, family)));
    for (int i = 0; i < COLUMNS; i++) {
        fputc(',', out);
        if (figures->is_possible)
            number(out, column(figures, i));
    }
    fprintf(out, ",%s,", !figures->is_possible ? "" : figures->is_over_limit ? "true" : "false");
    if (!figures->is_possible)
        safe_csv(out, figures->reason);
    fputc('\n', out);
}

static void print_csv_sweep(FILE *out, const struct sweep *sweep)
{
    fputs("parameter,stage,value,schedule,chunks", out);
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, ",%s", columns[i].name);
    fputs(",over_limit,reason\n", out);
    for (uint32_t v = 0; v < sweep->range.count; v++)
        for (uint32_t f = 0; f < sweep->family_count; f++)
            print_csv_row(out, sweep, v, f);
}

/* ---- json ---- */

static void print_json_row(FILE *out, const struct sweep *sweep, uint32_t value, uint32_t family)
{
    const struct figures *figures = sweep_figures(sweep, value, family);

    fputs("{\"value\":", out);
    number(out, sweep->range.values[value]);
    fprintf(out, ",\"schedule\":\"%s\",\"chunks\":%u,", sweep->families[family]->name,
            scenario_chunks(sweep_scenario(sweep, value, family)));
    if (!figures->is_possible) {
        fputs("\"reason\":", out);
        safe_json(out, figures->reason);
        fputc('}', out);
        return;
    }
    for (int i = 0; i < COLUMNS; i++) {
        fprintf(out, "\"%s\":", columns[i].name);
        number(out, column(figures, i));
        fputc(',', out);
    }
    fprintf(out, "\"over_limit\":%s}", figures->is_over_limit ? "true" : "false");
}

static void print_json_crossing(FILE *out, const struct sweep *sweep,
                                const struct crossing *crossing)
{
    static const char *const kinds[] = {
        [CROSSING_CROSS] = "cross", [CROSSING_PART] = "part", [CROSSING_MEET] = "meet"};

    fputs("{\"value\":", out);
    number(out, sweep->range.values[crossing->value]);
    fprintf(out, ",\"kind\":\"%s\",\"better\":\"%s\",\"worse\":\"%s\"}", kinds[crossing->kind],
            sweep->families[crossing->better]->name, sweep->families[crossing->worse]->name);
}

static void print_json_sweep(FILE *out, const struct sweep *sweep, enum measure measure,
                             const struct crossing *crossings, uint32_t count)
{
    fprintf(out, "{\"parameter\":\"%s\",\"stage\":", swept_key(sweep));
    if (sweep->range.stage == PG_NONE)
        fputs("null", out);
    else
        fprintf(out, "%u", sweep->range.stage);
    fputs(",\"points\":[", out);
    for (uint32_t v = 0; v < sweep->range.count; v++)
        for (uint32_t f = 0; f < sweep->family_count; f++) {
            fputs(v + f > 0 ? ",\n" : "\n", out);
            print_json_row(out, sweep, v, f);
        }
    fprintf(out, "\n],\"measure\":\"%s\",\"crossovers\":[", measure_info(measure)->name);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", out);
        print_json_crossing(out, sweep, &crossings[i]);
    }
    fputs("]}\n", out);
}

/* ---- text ---- */

/* The plot as text to be freed; NULL when out of memory. */
static char *plot_text(const struct plot *plot, const struct theme *theme, int width)
{
    struct grid grid = {0, 0, NULL};

    if (!grid_resize(&grid, width, PLOT_ROWS))
        return NULL;
    struct canvas canvas = {&grid, theme, {0, 0, width, PLOT_ROWS}};
    plot_draw(&canvas, plot);
    size_t size = grid_dump_size(&grid, theme->depth != DEPTH_MONO);
    char *buffer = malloc(size);
    if (buffer != NULL) {
        struct text text;
        text_init(&text, buffer, size);
        if (theme->depth != DEPTH_MONO)
            grid_dump_ansi(&grid, theme, &text);
        else
            grid_dump(&grid, &text);
    }
    grid_free(&grid);
    return buffer;
}

/* "a gpipe  75% to 4.48%", and what cannot be with the first reason. */
static void print_legend(FILE *out, const struct sweep *sweep, enum measure measure, uint32_t family)
{
    uint32_t gaps = 0, first_gap = 0;
    double first = 0, last = 0, value;
    bool is_any = false;
    char buffer[400];
    struct text text;

    for (uint32_t v = 0; v < sweep->range.count; v++) {
        if (!sweep_measure(sweep, measure, v, family, &value)) {
            first_gap = gaps++ == 0 ? v : first_gap;
            continue;
        }
        first = is_any ? first : value;
        last = value;
        is_any = true;
    }
    text_init(&text, buffer, sizeof buffer);
    text_addf(&text, "%c %-20s ", plot_letter(family), sweep->families[family]->name);
    if (is_any) {
        measure_write(measure, first, &text);
        text_add(&text, " to ");
        measure_write(measure, last, &text);
    }
    if (gaps > 0) {
        text_addf(&text, "%s%u of %u cannot be; ", is_any ? ", " : "", gaps, sweep->range.count);
        sweep_value_write(sweep, first_gap, &text);
        text_addf(&text, ": %s", sweep_figures(sweep, first_gap, family)->reason);
    }
    safe_print(out, buffer);
    fputc('\n', out);
}

static bool print_text_sweep(FILE *out, const struct sweep *sweep, enum measure measure,
                             const struct crossing *crossings, uint32_t count,
                             const struct theme *theme, int width)
{
    const struct swept_info *swept = swept_info(sweep->range.swept);
    uint32_t marks[SWEEP_MOST_FAMILIES];
    char buffer[200];
    struct text text;

    for (uint32_t f = 0; f < sweep->family_count; f++)
        marks[f] = f;
    struct plot plot = {sweep, measure, marks, PG_NONE, crossings, count};
    char *drawn = plot_text(&plot, theme, width);
    if (drawn == NULL)
        return false;
    fprintf(out, "%s over %s", measure_info(measure)->title, swept->symbol);
    if (sweep->range.stage != PG_NONE)
        fprintf(out, " of stage %u", sweep->range.stage);
    fputc('\n', out);
    fputs(drawn, out);
    free(drawn);
    for (uint32_t f = 0; f < sweep->family_count; f++)
        print_legend(out, sweep, measure, f);
    for (uint32_t i = 0; i < count && i < MOST_TOLD; i++) {
        text_init(&text, buffer, sizeof buffer);
        crossing_write(sweep, measure, &crossings[i], &text);
        fputs("x ", out);
        safe_print(out, buffer);
        fputc('\n', out);
    }
    if (count > MOST_TOLD)
        fprintf(out, "x and %u more crossovers, all in --format json\n", count - MOST_TOLD);
    return true;
}

bool print_sweep(FILE *out, const struct sweep *sweep, enum measure measure, enum sweep_form form,
                 const struct theme *theme, int width)
{
    for (uint32_t v = 0; v < sweep->range.count; v++)
        for (uint32_t f = 0; f < sweep->family_count; f++)
            if (sweep_figures(sweep, v, f)->is_short)
                return false;
    uint32_t count = sweep_crossings(sweep, measure, NULL, 0);
    struct crossing *crossings = malloc((count + 1) * sizeof *crossings);

    if (crossings == NULL)
        return false;
    sweep_crossings(sweep, measure, crossings, count);
    bool is_done = true;
    if (form == SWEEP_CSV)
        print_csv_sweep(out, sweep);
    else if (form == SWEEP_JSON)
        print_json_sweep(out, sweep, measure, crossings, count);
    else
        is_done = print_text_sweep(out, sweep, measure, crossings, count, theme, width);
    free(crossings);
    return is_done;
}
