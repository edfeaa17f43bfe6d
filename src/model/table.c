/* Tokens to a table that is known to run: see table.h.
 *
 * What a row can tell table_judge.c has asked. What only the whole can tell, whether the devices ever
 * get to the end together, is asked of the core's own clock. */
#include "model/table_judge.h"

#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static void write_codes(const struct judge *judge, pg_code *code, struct pg_table_run *run)
{
    for (uint32_t d = 0; d < judge->devices; d++)
        run[d] = (struct pg_table_run){code, 0};
    for (size_t i = 0; i < judge->tokens->count; i++) {
        const struct token *token = &judge->tokens->v[i];
        if (!token_is_work(token))
            continue;
        if (run[token->device].count++ == 0)
            run[token->device].code = code;
        *code++ = token->micro_batch |
                  (judge->slot[token->stage] << 2 | token->kind) << PG_CODE_ROW_SHIFT |
                  (token->half == 1 ? PG_CODE_FUSED_FIRST : 0) |
                  (token->half == 2 ? PG_CODE_FUSED_SECOND : 0);
    }
}

static struct table *make(struct judge *judge, const char *path)
{
    struct table *table = calloc(1, sizeof *table);
    pg_code *code = malloc(judge->work * sizeof *code);
    struct pg_table_run *run = malloc(judge->devices * sizeof *run);
    char *name = malloc(strlen(path) + 1);

    if (table == NULL || code == NULL || run == NULL || name == NULL) {
        free(table);
        free(code);
        free(run);
        free(name);
        table_fail_memory(judge->error);
        return NULL;
    }
    write_codes(judge, code, run);
    strcpy(name, path);
    *table = (struct table){
        .refs = 1,
        .is_old_naming = judge->is_old_naming,
        .core = {judge->devices, judge->stages, judge->micro_batches, 0, judge->is_forward_only,
                 judge->stage_device, run},
        .path = name,
    };
    for (uint32_t s = 0; s < judge->stages; s++)
        if (judge->slot[s] >= table->core.slots)
            table->core.slots = judge->slot[s] + 1;
    judge->stage_device = NULL; /* handed over */
    return table;
}

/* ---- does it run? ---- */

static const struct token *token_at(const struct judge *judge, uint32_t device, uint32_t index)
{
    for (size_t i = 0; i < judge->tokens->count; i++) {
        const struct token *token = &judge->tokens->v[i];
        if (token->device == device && token_is_work(token) && index-- == 0)
            return token;
    }
    return &judge->tokens->v[0];
}

static bool fail_stuck(const struct judge *judge, const struct pg_fault *fault)
{
    const struct token *token = token_at(judge, fault->device, fault->index);
    bool is_forward = token->kind == TOKEN_F, is_pair = token->half != 0;
    bool has_neighbour = is_forward ? token->stage > 0 : token->stage + 1 < judge->stages;

    const struct token *needed = NULL;
    if (has_neighbour && is_forward)
        needed = judge_find(judge, TOKEN_F, token->stage - 1, token->micro_batch);
    for (enum token_kind kind = TOKEN_B; has_neighbour && !is_forward && kind <= TOKEN_I; kind++)
        if (needed == NULL)
            needed = judge_find(judge, kind, token->stage + 1, token->micro_batch);
    if (needed == NULL || is_pair)
        return table_fail(judge->error, token->row, token->column,
                          "this order never ends: device %u waits here for ever to run %s%s",
                          token->device, judge_name(token).s,
                          is_pair ? " and what it is paired with" : "");
    return table_fail(judge->error, token->row, token->column,
                      "this order never ends: device %u waits here for ever to run %s, which needs "
                      "%s (row %u, cell %u), and that waits in turn",
                      token->device, judge_name(token).s, judge_name(needed).s, needed->row,
                      needed->column);
}

static bool prove(struct judge *judge, const struct table *table)
{
    static const double one = 1;
    struct pg_problem problem = {
        .family = pg_table_family(&table->core),
        .devices = judge->devices,
        .chunks = 1,
        .micro_batches = judge->micro_batches,
        .forward = {&one, 1},
        .backward = {&one, 1},
        .fused = 1,
        .table = &table->core,
    };
    struct pg_plan plan;
    struct pg_fault fault;
    struct pg_arena arena;

    if (judge->work > PG_MAX_OPS)
        return table_fail(judge->error, 0, 0, "has %zu actions: at most %u are allowed",
                          judge->work, PG_MAX_OPS);
    if (pg_problem_check(&problem, &fault) != PG_OK)
        return table_fail(judge->error, 0, 0, "has more than %u stages a device", PG_MAX_CHUNKS);
    size_t size = pg_plan_size(&problem);
    void *block = malloc(size);
    if (block == NULL)
        return table_fail_memory(judge->error);
    pg_arena_init(&arena, block, size);
    enum pg_status status = pg_plan_build(&arena, &problem, &plan, &fault);
    free(block);
    return status == PG_OK ||
           (status == PG_E_MEMORY ? table_fail_memory(judge->error) : fail_stuck(judge, &fault));
}

struct table *table_parse(const char *text, size_t length, const char *path,
                          struct table_error *error)
{
    struct tokens tokens = {.v = NULL};
    struct judge judge = {.tokens = &tokens, .error = error};
    struct table *table = NULL;

    if (tokens_read(&tokens, text, length, error) && judge_tokens(&judge))
        table = make(&judge, path);
    if (table != NULL && !prove(&judge, table))
        table_release(&table);
    judge_free(&judge);
    tokens_free(&tokens);
    return table;
}
