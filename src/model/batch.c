/* Many runs of the core: see batch.h. A job's figures are written before its is_done is set with
 * release order, and read only after is_done was seen with acquire order: that is all there is to
 * sharing them. */
#include "model/batch.h"

#include <stdlib.h>
#include <string.h>

struct batch *batch_make(uint32_t room)
{
    struct batch *batch = calloc(1, sizeof *batch);

    if (batch == NULL)
        return NULL;
    batch->jobs = calloc(room > 0 ? room : 1, sizeof *batch->jobs);
    if (batch->jobs == NULL) {
        free(batch);
        return NULL;
    }
    batch->room = room;
    batch->refs = 1;
    return batch;
}

struct batch *batch_share(struct batch *batch)
{
    if (batch != NULL)
        batch->refs++;
    return batch;
}

void batch_release(struct batch **batch)
{
    struct batch *held = *batch;

    *batch = NULL;
    if (held == NULL || --held->refs > 0)
        return;
    for (uint32_t i = 0; i < held->count; i++)
        scenario_free(&held->jobs[i].scenario);
    free(held->jobs);
    free(held);
}

void batch_add(struct batch *batch, const struct scenario *scenario)
{
    scenario_copy(&batch->jobs[batch->count++].scenario, scenario);
}

static void refuse(struct figures *figures, const char *reason)
{
    struct text text;

    *figures = (struct figures){.is_possible = false};
    text_init(&text, figures->reason, sizeof figures->reason);
    text_add(&text, reason);
}

static void finish(struct batch *batch, struct job *job)
{
    atomic_store_explicit(&job->is_done, true, memory_order_release);
    atomic_fetch_add_explicit(&batch->done, 1, memory_order_release);
}

void batch_add_done(struct batch *batch, const struct scenario *scenario,
                    const struct figures *figures)
{
    struct job *job = &batch->jobs[batch->count];

    batch_add(batch, scenario);
    job->figures = *figures;
    finish(batch, job);
}

void batch_add_impossible(struct batch *batch, const struct scenario *scenario, const char *reason)
{
    struct figures figures;

    refuse(&figures, reason);
    batch_add_done(batch, scenario, &figures);
}

void figures_of(struct figures *figures, const struct scenario *scenario,
                const struct pg_metrics *metrics)
{
    *figures = (struct figures){
        .is_possible = true,
        .is_over_limit = memory_is_over(scenario, metrics->peak_memory),
        .makespan = metrics->makespan,
        .bubble_fraction = metrics->bubble_fraction,
        .idle_over_ideal = metrics->idle_over_ideal,
        .span_bubble = metrics->span_bubble,
        .throughput = metrics->throughput,
        .utilization = metrics->utilization,
        .peak_stash = metrics->peak_stash,
        .peak_memory = metrics->peak_memory,
        .floor = metrics->floor,
    };
}

bool batch_run_next(struct batch *batch, struct outcome *scratch)
{
    struct refusal refusal;

    while (!batch_is_stopped(batch)) {
        uint32_t at = atomic_fetch_add_explicit(&batch->next, 1, memory_order_relaxed);
        if (at >= batch->count) {
            /* Put back, so that no number of idle askers makes the counter run over. */
            atomic_fetch_sub_explicit(&batch->next, 1, memory_order_relaxed);
            return false;
        }
        struct job *job = &batch->jobs[at];
        if (atomic_load_explicit(&job->is_done, memory_order_relaxed))
            continue; /* known from the start */
        if (outcome_run(scratch, &job->scenario, &refusal))
            figures_of(&job->figures, &job->scenario, &scratch->metrics);
        else
            refuse(&job->figures, refusal.report.text);
        job->figures.is_short = !job->figures.is_possible && refusal.is_memory;
        finish(batch, job);
        return true;
    }
    return false;
}

void batch_stop(struct batch *batch)
{
    atomic_store_explicit(&batch->is_stopped, true, memory_order_relaxed);
}

bool batch_is_stopped(const struct batch *batch)
{
    return atomic_load_explicit(&batch->is_stopped, memory_order_relaxed);
}

uint32_t batch_done(const struct batch *batch)
{
    return atomic_load_explicit(&batch->done, memory_order_acquire);
}

bool batch_is_open(const struct batch *batch)
{
    return !batch_is_stopped(batch) &&
           atomic_load_explicit(&batch->next, memory_order_relaxed) < batch->count;
}

const struct figures *batch_figures(const struct batch *batch, uint32_t job)
{
    const struct job *at = &batch->jobs[job];

    return atomic_load_explicit(&at->is_done, memory_order_acquire) ? &at->figures : NULL;
}
