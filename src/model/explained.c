/* Explanations of an outcome, made when asked for: see explained.h. */
#include "model/explained.h"

#include "model/resolve.h"

#include <stdlib.h>

/* An arena in a block of its own, `head` bytes of it taken for the answer itself. */
static void *start_block(void **block, struct pg_arena *arena, size_t head, size_t size)
{
    *block = malloc(size + head + 128);
    if (*block == NULL)
        return NULL;
    pg_arena_init(arena, *block, size + head + 128);
    return pg_arena_take(arena, 1, head);
}

static void drop(void **block)
{
    free(*block);
    *block = NULL;
}

const struct pg_idle_report *outcome_idle(struct outcome *outcome)
{
    struct explained *explained = &outcome->explained;
    struct pg_arena arena;
    struct pg_fault fault;

    if (explained->idle != NULL)
        return explained->idle;
    struct pg_idle_report *report = start_block(&explained->blocks[0], &arena, sizeof *report,
                                                pg_idle_size(&outcome->plan));
    if (report != NULL &&
        pg_plan_idle(&outcome->plan, &outcome->metrics, &arena, report, &fault) == PG_OK)
        explained->idle = report;
    else
        drop(&explained->blocks[0]);
    return explained->idle;
}

const struct pg_path *outcome_path(struct outcome *outcome)
{
    struct explained *explained = &outcome->explained;
    struct pg_arena arena;
    struct pg_fault fault;

    if (explained->path != NULL)
        return explained->path;
    struct pg_path *path = start_block(&explained->blocks[1], &arena, sizeof *path,
                                       pg_path_size(&outcome->plan));
    if (path != NULL && pg_plan_path(&outcome->plan, &arena, path, &fault) == PG_OK)
        explained->path = path;
    else
        drop(&explained->blocks[1]);
    return explained->path;
}

const double *const *outcome_latest(struct outcome *outcome)
{
    struct explained *explained = &outcome->explained;
    struct pg_arena arena;
    struct pg_fault fault;
    const double **latest;

    if (explained->latest != NULL)
        return explained->latest;
    if (start_block(&explained->blocks[2], &arena, 1, pg_latest_size(&outcome->plan)) != NULL &&
        pg_plan_latest(&outcome->plan, &arena, &latest, &fault) == PG_OK)
        explained->latest = latest;
    else
        drop(&explained->blocks[2]);
    return explained->latest;
}

const struct pg_stash *outcome_stash(struct outcome *outcome)
{
    struct explained *explained = &outcome->explained;
    struct pg_arena arena;

    if (explained->stash != NULL)
        return explained->stash;
    struct pg_stash *stash = start_block(&explained->blocks[3], &arena, sizeof *stash,
                                         pg_stash_size(&outcome->plan));
    if (stash != NULL && pg_stash_build(&arena, &outcome->plan, stash) == PG_OK)
        explained->stash = stash;
    else
        drop(&explained->blocks[3]);
    return explained->stash;
}

static bool has_index(const struct pg_path *path, uint32_t device, uint32_t index)
{
    uint64_t low = path->first[device], high = path->first[device + 1];

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (path->index[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < path->first[device + 1] && path->index[low] == index;
}

bool path_has(const struct pg_path *path, const struct pg_plan *plan, uint32_t device,
              uint32_t index)
{
    pg_code code = plan->run[device].code[index];

    return has_index(path, device, index) ||
           (code & PG_CODE_FUSED_FIRST && has_index(path, device, index + 1)) ||
           (code & PG_CODE_FUSED_SECOND && has_index(path, device, index - 1));
}

void path_write(const struct pg_path *path, const struct pg_plan *plan, bool is_brief,
                struct text *out)
{
    static const char *const names[PG_KINDS] = {"forward", "backward", "input gradient",
                                                "weight gradient"};
    bool is_first = true;

    text_brief(out, plan->makespan);
    text_add(out, " = ");
    for (int k = 0; k < PG_KINDS; k++) {
        if (path->kind_work[k] <= 0)
            continue;
        text_addf(out, "%s%s ", is_first ? "" : " + ", is_brief ? kind_letter(k) : names[k]);
        text_brief(out, path->kind_work[k]);
        is_first = false;
    }
    if (plan->transfer > 0) {
        text_add(out, " + transfer ");
        text_brief(out, path->transfer);
        text_addf(out, " (%llu times)", (unsigned long long)path->transfers);
    }
}

void explained_free(struct explained *explained)
{
    for (int i = 0; i < 4; i++)
        free(explained->blocks[i]);
    *explained = (struct explained){.idle = NULL};
}
