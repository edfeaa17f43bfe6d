/* Hands for a batch: one thread for each core that this process may use.
 *
 * The command line waits until the batch is done. The screen starts the workers, looks at their
 * progress from its loop, and never waits longer than it says: a batch that is replaced or stopped
 * is left to come to its end by itself. All calls come from one thread, the one that made the
 * batch; workers take no signals, so that it gets them all. */
#ifndef APP_WORKERS_H
#define APP_WORKERS_H

#include "model/batch.h"

struct workers;

/* NULL when out of memory. Nothing runs yet. */
struct workers *workers_make(void);
/* Stops and waits: longest the time of one run. */
void workers_free(struct workers *workers);

/* Sees to it that `batch` (NULL: none) is what is worked at, as far as there is work in it: what was
 * worked at before is stopped, and the new one begins as soon as its workers are through. To be
 * called again whenever workers_are_busy. */
void workers_follow(struct workers *workers, struct batch *batch);
/* Is anything under way, or waiting to begin? */
bool workers_are_busy(const struct workers *workers);
/* Waits until nothing is under way, but no longer than that. */
void workers_wait(struct workers *workers, int milliseconds);

/* For a loop that draws: follows the batch, gives what is new a moment, so that what is short is done
 * before it is drawn, and returns how many milliseconds the loop may sleep; -1: for ever, because
 * nothing runs. Without workers (NULL) it does all the work itself. */
int workers_attend(struct workers *workers, struct batch *batch);

/* Runs a whole batch and returns when it is done. `tell` (may be NULL) hears of progress about ten
 * times a second. */
void workers_run(struct batch *batch, void (*tell)(const struct batch *batch, void *about),
                 void *about);

#endif
