/* Many runs of the core, in any order and by any number of hands.
 *
 * A batch is an array of jobs that one thread makes ready up front: each has a scenario of its own,
 * because the lists that scenarios share count their holders without atomics. From then on the
 * scenarios are only read. Whoever has an outcome to spare takes jobs until none is left: a loop in
 * a test, or one thread for each core. A result lies where its job lies, so it does not matter who
 * did what when. Nothing here knows of threads but three atomic numbers. */
#ifndef MODEL_BATCH_H
#define MODEL_BATCH_H

#include "model/resolve.h"

#include <stdatomic.h>

/* What became of a run. */
struct figures {
    bool is_possible;
    bool is_over_limit; /* of the memory */
    bool is_short;      /* there was no memory to run it */
    double makespan, bubble_fraction, idle_over_ideal, span_bubble, throughput, utilization;
    double peak_stash, peak_memory, floor;
    char reason[240]; /* why not, a sentence; "" where it is possible */
};

struct job {
    struct scenario scenario;
    struct figures figures; /* nobody's business until is_done */
    atomic_bool is_done;
};

struct batch {
    struct job *jobs;
    uint32_t count, room;
    uint32_t refs; /* holders on the thread that made it; workers are none of them */
    atomic_uint next, done;
    atomic_bool is_stopped;
};

/* Room for that many jobs; NULL when out of memory. */
struct batch *batch_make(uint32_t room);
/* Both by the thread that made it only, the last release when no worker is at it any more. */
struct batch *batch_share(struct batch *batch);
void batch_release(struct batch **batch);
/* The next job; the scenario is shared. There must be room. */
void batch_add(struct batch *batch, const struct scenario *scenario);
/* The next job's figures are known already. */
void batch_add_done(struct batch *batch, const struct scenario *scenario,
                    const struct figures *figures);
/* The next job is known to be impossible: nothing will be run for it. */
void batch_add_impossible(struct batch *batch, const struct scenario *scenario, const char *reason);

/* Takes the next job and does it. False when none is left or the batch was stopped. */
bool batch_run_next(struct batch *batch, struct outcome *scratch);
/* No further job is taken; those under way still come to their end. */
void batch_stop(struct batch *batch);
bool batch_is_stopped(const struct batch *batch);
/* Jobs that are done. All of them: nothing is to be waited for. */
uint32_t batch_done(const struct batch *batch);
/* Is a worker of use: is there a job that nobody has taken, and no stop? */
bool batch_is_open(const struct batch *batch);
/* NULL while the job is not done. */
const struct figures *batch_figures(const struct batch *batch, uint32_t job);

/* The figures of an outcome that was run. */
void figures_of(struct figures *figures, const struct scenario *scenario,
                const struct pg_metrics *metrics);

#endif
