/* A table as a value that scenarios share, and a plan's order as text: a row a device, cells in the
 * order in which it runs them, no empty ones, lines ended as PyTorch ends them. */
#include "model/table.h"

#include <stdlib.h>
#include <string.h>

/* ---- the value ---- */

static void table_free(struct table *table)
{
    if (table->core.run != NULL)
        free((void *)(uintptr_t)table->core.run[0].code); /* one block for all */
    free((void *)(uintptr_t)table->core.run);
    free((void *)(uintptr_t)table->core.stage_device);
    free(table->path);
    free(table);
}

struct table *table_share(struct table *table)
{
    if (table != NULL)
        table->refs++;
    return table;
}

void table_release(struct table **table)
{
    if (*table != NULL && --(*table)->refs == 0)
        table_free(*table);
    *table = NULL;
}

bool table_equal(const struct table *a, const struct table *b)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL || a->core.devices != b->core.devices ||
        a->core.stages != b->core.stages || a->core.micro_batches != b->core.micro_batches ||
        memcmp(a->core.stage_device, b->core.stage_device,
               a->core.stages * sizeof a->core.stage_device[0]) != 0)
        return false;
    for (uint32_t d = 0; d < a->core.devices; d++) {
        const struct pg_table_run *x = &a->core.run[d], *y = &b->core.run[d];
        if (x->count != y->count || memcmp(x->code, y->code, x->count * sizeof x->code[0]) != 0)
            return false;
    }
    return true;
}

bool table_begins(int byte)
{
    return (byte >= '0' && byte <= '9') || byte == '(' || byte == ',' || byte == '"';
}

const char *table_name(const struct table *table)
{
    const char *slash = strrchr(table->path, '/');
    if (table->path[0] == '\0')
        return "built by hand"; /* and in no file yet */
    return slash == NULL ? table->path : slash + 1;
}

const char *table_named(const char *schedule)
{
    static const char mark[] = "file:";
    const size_t length = sizeof mark - 1;

    return strncmp(schedule, mark, length) != 0
               ? NULL
               : schedule + length + strspn(schedule + length, " \t");
}

size_t table_bytes(const struct table *table)
{
    const struct pg_table *core = &table->core;
    size_t bytes = sizeof *table + strlen(table->path) + 1 +
                   core->stages * sizeof core->stage_device[0] +
                   core->devices * sizeof core->run[0];

    for (uint32_t d = 0; d < core->devices; d++)
        bytes += core->run[d].count * sizeof core->run[d].code[0];
    return bytes;
}

/* ---- text ---- */

/* Half of "(262143F999999;262143B999999)OVERLAP_F_B," */
#define CELL_MOST 24

size_t table_write_size(const struct pg_plan *plan)
{
    return (size_t)plan->ops * CELL_MOST + plan->devices * (size_t)2 + 1;
}

void table_write(const struct pg_plan *plan, struct text *out)
{
    static const char letters[PG_KINDS] = {'F', 'B', 'I', 'W'};

    for (uint32_t d = 0; d < plan->devices; d++) {
        const struct pg_run *run = &plan->run[d];
        const uint32_t *cells = plan->slot_cell + (size_t)d * plan->slots;
        for (uint32_t i = 0; i < run->count; i++) {
            pg_code code = run->code[i];
            bool is_second = (code & PG_CODE_FUSED_SECOND) != 0;
            text_addf(out, "%s%s%u%c%u%s",
                      i == 0      ? ""
                      : is_second ? ";"
                                  : ",",
                      code & PG_CODE_FUSED_FIRST ? "(" : "", cells[pg_code_slot(code)],
                      letters[pg_code_kind(code)], pg_code_micro(code),
                      is_second ? ")OVERLAP_F_B" : "");
        }
        text_add(out, "\r\n");
    }
}
