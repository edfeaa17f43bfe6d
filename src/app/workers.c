/* Hands for a batch: see workers.h.
 *
 * A crew of threads is started for each batch and joined when it is through: starting one costs less
 * than the shortest run that is worth a thread, and no thread is there when nothing is to be done. */
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include "app/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MOST_WORKERS 256
#define A_MOMENT 40 /* ms; nobody sees that a frame is that late */
#define A_FRAME 40  /* ms from a look at the progress to the next */

struct workers {
    pthread_mutex_t mutex;   /* of `running` */
    pthread_cond_t is_through;
    unsigned running;        /* threads that still take jobs */
    pthread_t threads[MOST_WORKERS];
    unsigned count;          /* threads to be joined */
    struct batch *batch;     /* what they work at; one reference */
    struct batch *following; /* what comes next; one reference */
};

/* What taskset and its like leave of them; 0 where the system does not say. */
#ifdef CPU_COUNT
static long allowed_cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}
#else
static long allowed_cores(void)
{
    return 0;
}
#endif

/* Cores that this process may use, at least 1. */
static unsigned cores_there(void)
{
    long cores = allowed_cores();

    if (cores < 1)
        cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > MOST_WORKERS ? MOST_WORKERS : (unsigned)cores;
}

struct workers *workers_make(void)
{
    struct workers *workers = calloc(1, sizeof *workers);
    pthread_condattr_t attributes;

    if (workers == NULL)
        return NULL;
    pthread_mutex_init(&workers->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&workers->is_through, &attributes);
    pthread_condattr_destroy(&attributes);
    return workers;
}

static void *work(void *argument)
{
    struct workers *workers = argument;
    struct outcome scratch = {.block = NULL};

    while (batch_run_next(workers->batch, &scratch))
        ;
    outcome_free(&scratch);
    pthread_mutex_lock(&workers->mutex);
    workers->running--;
    pthread_cond_signal(&workers->is_through);
    pthread_mutex_unlock(&workers->mutex);
    return NULL;
}

static bool is_through(struct workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    bool is_so = workers->running == 0;
    pthread_mutex_unlock(&workers->mutex);
    return is_so;
}

static void join(struct workers *workers)
{
    for (; workers->count > 0; workers->count--)
        pthread_join(workers->threads[workers->count - 1], NULL);
    batch_release(&workers->batch);
}

/* All signals stay with the thread that calls, but for those that a fault of the thread's own raises:
 * whoever crashes has to give the terminal back. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigset_t set;

    sigfillset(&set);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&set, faults[i]);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

static void run_here(struct batch *batch)
{
    struct outcome scratch = {.block = NULL};

    while (batch_run_next(batch, &scratch))
        ;
    outcome_free(&scratch);
}

/* No more threads than jobs; where not one can be had, the caller does the work itself. */
static void start(struct workers *workers)
{
    unsigned wanted = cores_there();
    uint32_t jobs = workers->batch->count - batch_done(workers->batch);
    sigset_t before;

    if (wanted > jobs)
        wanted = jobs;
    block_signals(&before);
    pthread_mutex_lock(&workers->mutex);
    while (workers->count < wanted &&
           pthread_create(&workers->threads[workers->count], NULL, work, workers) == 0)
        workers->count++;
    workers->running = workers->count;
    pthread_mutex_unlock(&workers->mutex);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (workers->count == 0)
        run_here(workers->batch);
}

/* Goes as far as it can without waiting. */
static void advance(struct workers *workers)
{
    if (workers->batch != NULL && is_through(workers))
        join(workers);
    if (workers->batch != NULL || workers->following == NULL)
        return;
    workers->batch = workers->following;
    workers->following = NULL;
    start(workers);
    if (workers->count == 0)
        join(workers);
}

void workers_follow(struct workers *workers, struct batch *batch)
{
    if (workers->batch != NULL && workers->batch != batch)
        batch_stop(workers->batch);
    if (workers->following != batch)
        batch_release(&workers->following);
    if (batch != NULL && batch != workers->batch && workers->following == NULL &&
        batch_is_open(batch))
        workers->following = batch_share(batch);
    advance(workers);
}

bool workers_are_busy(const struct workers *workers)
{
    return workers->batch != NULL || workers->following != NULL;
}

void workers_wait(struct workers *workers, int milliseconds)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += milliseconds % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_mutex_lock(&workers->mutex);
    while (workers->running > 0 &&
           pthread_cond_timedwait(&workers->is_through, &workers->mutex, &until) == 0)
        ;
    pthread_mutex_unlock(&workers->mutex);
    advance(workers);
}

void workers_free(struct workers *workers)
{
    if (workers == NULL)
        return;
    batch_release(&workers->following);
    if (workers->batch != NULL) {
        batch_stop(workers->batch);
        join(workers);
    }
    pthread_cond_destroy(&workers->is_through);
    pthread_mutex_destroy(&workers->mutex);
    free(workers);
}

int workers_attend(struct workers *workers, struct batch *batch)
{
    if (workers == NULL) {
        if (batch != NULL)
            run_here(batch);
        return -1;
    }
    const struct batch *before = workers->batch;
    workers_follow(workers, batch);
    if (workers->batch != NULL && workers->batch != before)
        workers_wait(workers, A_MOMENT);
    return workers_are_busy(workers) ? A_FRAME : -1;
}

void workers_run(struct batch *batch, void (*tell)(const struct batch *batch, void *about),
                 void *about)
{
    struct workers *workers = workers_make();

    if (workers == NULL) {
        run_here(batch);
        return;
    }
    workers_follow(workers, batch);
    while (workers_are_busy(workers)) {
        workers_wait(workers, 100);
        if (tell != NULL && workers_are_busy(workers))
            tell(batch, about);
    }
    workers_free(workers);
}
