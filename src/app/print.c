/* Printed forms: see print.h. Numbers are the shortest text that reads back to the same double. */
#include "app/print.h"

#include "model/resolve.h"
#include "view/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void number(FILE *out, double value)
{
    char buffer[TEXT_NUMBER_SIZE];
    fputs(number_write(buffer, value), out);
}

static void line(FILE *out, const char *name, double value)
{
    fprintf(out, "%s ", name);
    number(out, value);
    fputc('\n', out);
}

/* Is memory anything but the stash in other words? */
static bool has_memory(const struct scenario *scenario, const struct pg_plan *plan)
{
    return plan->stash != NULL || scenario->memory_limit > 0;
}

static void print_summary_memory(FILE *out, const struct scenario *scenario,
                                 const struct pg_metrics *metrics, uint32_t devices)
{
    line(out, "peak_memory", metrics->peak_memory);
    fputs("stage_peak_memory", out);
    for (uint32_t d = 0; d < devices; d++) {
        fputc(' ', out);
        number(out, metrics->device_memory[d]);
    }
    fputc('\n', out);
    if (scenario->memory_limit > 0)
        line(out, "memory_limit", scenario->memory_limit);
}

bool print_summary(FILE *out, const struct scenario *scenario, struct outcome *outcome)
{
    const struct pg_plan *plan = &outcome->plan;
    const struct pg_metrics *metrics = &outcome->metrics;
    const struct pg_idle_report *idle = outcome_idle(outcome);

    if (idle == NULL)
        return false;

    fprintf(out, "schedule %s\nstages %u\nmicro_batches %u\nchunks %u\n", plan->family->name,
            plan->devices, plan->micro_batches, plan->chunks);
    line(out, "makespan", metrics->makespan);
    line(out, "bubble_fraction", metrics->bubble_fraction);
    line(out, "utilization", metrics->utilization);
    line(out, "throughput", metrics->throughput);
    line(out, "total_busy_time", metrics->total_busy_time);
    line(out, "peak_stash", metrics->peak_stash);
    fputs("stage_peak_stash", out);
    for (uint32_t d = 0; d < plan->devices; d++) {
        fputc(' ', out);
        number(out, metrics->stage_peak_stash[d]);
    }
    fputc('\n', out);
    if (!isnan(metrics->analytical_bubble_fraction)) {
        line(out, "analytical_bubble_fraction", metrics->analytical_bubble_fraction);
        line(out, "analytical_utilization", metrics->analytical_utilization);
    }
    line(out, "ideal", idle->ideal);
    line(out, "floor", idle->floor);
    line(out, "makespan_without_transfer", idle->without_transfer);
    line(out, "idle", idle->all.total);
    line(out, "idle_fill", idle->all.fill);
    line(out, "idle_inside", idle->all.inside);
    line(out, "idle_drain", idle->all.drain);
    line(out, "idle_transfer", idle->all.transfer);
    line(out, "idle_schedule", idle->all.schedule);
    line(out, "idle_imbalance", idle->all.imbalance);
    line(out, "span_bubble", metrics->span_bubble);
    if (has_memory(scenario, plan))
        print_summary_memory(out, scenario, metrics, plan->devices);
    return true;
}

/* ---- the operation list ---- */

static struct pg_op *list_ops(const struct pg_plan *plan)
{
    size_t count = (size_t)plan->ops;
    struct pg_op *ops = malloc((count + 1) * 2 * sizeof *ops);

    if (ops != NULL)
        pg_plan_list(plan, ops, ops + count);
    return ops;
}

bool print_csv(FILE *out, const struct outcome *outcome)
{
    const struct pg_plan *plan = &outcome->plan;
    struct pg_op *ops = list_ops(plan);

    if (ops == NULL)
        return false;
    bool has_more = plan->replicas > 1 || plan->family->has_fused;
    fprintf(out, "device,stage,micro_batch,kind,start,end%s\n", has_more ? ",replica,fused" : "");
    for (uint64_t i = 0; i < plan->ops && !ferror(out); i++) {
        fprintf(out, "%u,%u,%u,%s,", ops[i].device, ops[i].stage, ops[i].micro_batch,
                kind_letter(ops[i].kind));
        number(out, ops[i].start);
        fputc(',', out);
        number(out, ops[i].end);
        if (has_more)
            fprintf(out, ",%u,%s", ops[i].replica, ops[i].is_fused ? "true" : "false");
        fputc('\n', out);
    }
    free(ops);
    return true;
}

bool print_pytorch(FILE *out, const struct outcome *outcome)
{
    size_t size = table_write_size(&outcome->plan);
    char *buffer = malloc(size);
    struct text text;

    if (buffer == NULL)
        return false;
    text_init(&text, buffer, size);
    table_write(&outcome->plan, &text);
    fwrite(buffer, 1, text.length, out);
    free(buffer);
    return true;
}

static void array(FILE *out, const char *name, const double *values, uint32_t count)
{
    fprintf(out, "\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            fputc(',', out);
        number(out, values[i]);
    }
    fputc(']', out);
}

static void member(FILE *out, const char *name, double value)
{
    fprintf(out, "\"%s\":", name);
    number(out, value);
    fputc(',', out);
}

/* Without the brace that closes it: what all devices have together is followed by a list of them. */
static void print_idle(FILE *out, const struct pg_idle *idle)
{
    fputc('{', out);
    member(out, "total", idle->total);
    fputs("\"place\":{", out);
    member(out, "fill", idle->fill);
    member(out, "inside", idle->inside);
    fputs("\"drain\":", out);
    number(out, idle->drain);
    fputs("},\"cause\":{", out);
    member(out, "transfer", idle->transfer);
    member(out, "schedule", idle->schedule);
    fputs("\"imbalance\":", out);
    number(out, idle->imbalance);
    fputc('}', out);
}

static void print_idle_report(FILE *out, const struct pg_idle_report *report, uint32_t devices)
{
    member(out, "ideal", report->ideal);
    member(out, "floor", report->floor);
    member(out, "makespan_without_transfer", report->without_transfer);
    fputs("\"idle\":", out);
    print_idle(out, &report->all);
    fputs(",\"devices\":[", out);
    for (uint32_t d = 0; d < devices; d++) {
        fputs(d > 0 ? "," : "", out);
        print_idle(out, &report->devices[d]);
        fputc('}', out);
    }
    fputs("]}", out);
}

static void print_metrics(FILE *out, const struct pg_plan *plan, const struct pg_metrics *metrics,
                          const struct pg_idle_report *idle, bool has_memory)
{
    fputs("\"metrics\":{", out);
    member(out, "makespan", metrics->makespan);
    member(out, "bubble_fraction", metrics->bubble_fraction);
    member(out, "utilization", metrics->utilization);
    member(out, "throughput", metrics->throughput);
    member(out, "total_busy_time", metrics->total_busy_time);
    member(out, "peak_stash", metrics->peak_stash);
    array(out, "stage_peak_stash", metrics->stage_peak_stash, plan->devices);
    if (!isnan(metrics->analytical_bubble_fraction)) {
        fputs(",\"analytical_bubble_fraction\":", out);
        number(out, metrics->analytical_bubble_fraction);
        fputs(",\"analytical_utilization\":", out);
        number(out, metrics->analytical_utilization);
    }
    fputc(',', out);
    member(out, "span_bubble", metrics->span_bubble);
    if (has_memory) {
        member(out, "peak_memory", metrics->peak_memory);
        array(out, "stage_peak_memory", metrics->device_memory, plan->devices);
        fputc(',', out);
    }
    print_idle_report(out, idle, plan->devices);
    fputs("},", out);
}

static void print_partition(FILE *out, const struct resolved *resolved)
{
    fputs("\"partition\":[", out);
    for (uint32_t s = 0; s < resolved->stages; s++) {
        const struct pg_range *range = &resolved->ranges[s];
        fprintf(out, "%s{\"stage\":%u,\"start_layer\":%u,\"end_layer\":%u,\"load\":",
                s > 0 ? "," : "", s, range->start, range->end);
        number(out, range->load);
        fputc('}', out);
    }
    fputs("],", out);
}

/* As used: half of backward where none was given. */
static void print_weight(FILE *out, const struct pg_plan *plan, uint32_t stages)
{
    fputs("\"weight\":[", out);
    for (uint32_t s = 0; s < stages; s++) {
        fputs(s > 0 ? "," : "", out);
        number(out, plan->cost[(size_t)s * PG_KINDS + PG_WEIGHT_GRAD]);
    }
    fputs("],", out);
}

/* Parameters beside the costs, where the family has a use for them or they were given. */
static void print_parameters(FILE *out, const struct scenario *scenario,
                             const struct outcome *outcome)
{
    const struct resolved *resolved = &outcome->resolved;

    if (outcome->plan.family->has_group)
        fprintf(out, "\"group\":%u,", pg_problem_group(&resolved->problem));
    if (outcome->plan.family->has_fused)
        member(out, "fused", outcome->plan.fused);
    if (resolved->activation != NULL) {
        array(out, "activation", resolved->activation, resolved->stages);
        fputc(',', out);
    }
    if (resolved->weight_activation != NULL) {
        array(out, "weight_activation", resolved->weight_activation, resolved->stages);
        fputc(',', out);
    }
    if (scenario->memory_limit > 0)
        member(out, "memory_limit", scenario->memory_limit);
}

static void print_op(FILE *out, const struct pg_plan *plan, const struct pg_op *op)
{
    fprintf(out, "{\"device\":%u,\"stage\":%u,\"micro_batch\":%u,\"kind\":\"%s\",\"start\":",
            op->device, op->stage, op->micro_batch, kind_letter(op->kind));
    number(out, op->start);
    fputs(",\"end\":", out);
    number(out, op->end);
    if (plan->replicas > 1)
        fprintf(out, ",\"replica\":%u", op->replica);
    if (op->is_fused)
        fputs(",\"fused\":true", out);
    fputc('}', out);
}

/* Position of an operation in the sorted list. */
static uint64_t position_of(const struct pg_op *ops, uint64_t count, const struct pg_op *op)
{
    uint64_t low = 0, high = count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (ops[middle].start < op->start)
            low = middle + 1;
        else
            high = middle;
    }
    while (ops[low].device != op->device || ops[low].stage != op->stage ||
           ops[low].micro_batch != op->micro_batch || ops[low].kind != op->kind ||
           ops[low].replica != op->replica)
        low++;
    return low;
}

static void print_path(FILE *out, const struct pg_plan *plan, const struct pg_path *path,
                       const struct pg_op *ops)
{
    fputs("\"critical_path\":[", out);
    for (uint64_t i = 0; i < path->count && !ferror(out); i++) {
        struct pg_op op;
        pg_op_at(plan, path->at[i].device, path->at[i].index, &op);
        fprintf(out, "%s%llu", i > 0 ? "," : "",
                (unsigned long long)position_of(ops, plan->ops, &op));
    }
    fputs("],", out);
}

struct pg_op *print_json_ready(struct outcome *outcome)
{
    bool is_ready = outcome_idle(outcome) != NULL && outcome_path(outcome) != NULL;

    return is_ready ? list_ops(&outcome->plan) : NULL;
}

void print_json_object(FILE *out, const struct scenario *scenario, struct outcome *outcome,
                       const struct pg_op *ops)
{
    const struct pg_plan *plan = &outcome->plan;
    const struct resolved *resolved = &outcome->resolved;

    fprintf(out, "{\"schedule\":\"%s\",\"stages\":%u,\"micro_batches\":%u,\"chunks\":%u,",
            plan->family->name, plan->devices, plan->micro_batches, plan->chunks);
    member(out, "transfer", plan->transfer);
    array(out, "forward", resolved->forward, resolved->stages);
    fputc(',', out);
    array(out, "backward", resolved->backward, resolved->stages);
    fputc(',', out);
    if (plan->family->splits)
        print_weight(out, plan, resolved->stages);
    print_parameters(out, scenario, outcome);
    print_metrics(out, plan, &outcome->metrics, outcome_idle(outcome), has_memory(scenario, plan));
    if (resolved->ranges != NULL)
        print_partition(out, resolved);
    print_path(out, plan, outcome_path(outcome), ops);
    fputs("\"ops\":[", out);
    for (uint64_t i = 0; i < plan->ops && !ferror(out); i++) {
        if (i > 0)
            fputc(',', out);
        print_op(out, plan, &ops[i]);
    }
    fputs("]}", out);
}

bool print_json(FILE *out, const struct scenario *scenario, struct outcome *outcome)
{
    struct pg_op *ops = print_json_ready(outcome);

    if (ops == NULL)
        return false;
    print_json_object(out, scenario, outcome, ops);
    fputc('\n', out);
    free(ops);
    return true;
}

/* ---- the chart ---- */

static int last_used_row(const struct grid *grid)
{
    for (int y = grid->rows; y-- > 0;)
        for (int x = 0; x < grid->columns; x++) {
            const struct cell *cell = grid_at(grid, x, y);
            if (cell->glyph != ' ' || cell->paper != COLOUR_OWN)
                return y;
        }
    return -1;
}

bool print_chart(FILE *out, const struct snapshot *snapshot, const struct theme *theme, int columns)
{
    struct grid grid = {0, 0, NULL};
    struct frame frame;
    int rows = screen_printed_rows(snapshot, columns);

    if (!grid_resize(&grid, columns, rows))
        return false;
    screen_draw(&grid, theme, snapshot, false, &frame);
    if (frame.is_short) {
        grid_free(&grid);
        return false;
    }
    grid.rows = last_used_row(&grid) + 1;
    size_t size = grid_dump_size(&grid, theme->depth != DEPTH_MONO);
    char *buffer = malloc(size);
    if (buffer != NULL) {
        struct text text;
        text_init(&text, buffer, size);
        if (theme->depth != DEPTH_MONO)
            grid_dump_ansi(&grid, theme, &text);
        else
            grid_dump(&grid, &text);
        fwrite(buffer, 1, text.length, out);
    }
    free(buffer);
    grid_free(&grid);
    return buffer != NULL;
}
