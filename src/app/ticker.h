/* The clock of a session that plays: see ticker.c. */
#ifndef APP_TICKER_H
#define APP_TICKER_H

#include "model/session.h"

#include <stdint.h>

struct ticker {
    bool is_on;
    int64_t due; /* ms, of the next tick */
};

int64_t ticker_now(void); /* ms, of a clock that only goes forward */
/* How long to sleep, in ms, as poll takes it (-1: for ever): until the next tick, but no longer
 * than `patience`. */
int ticker_wait(struct ticker *ticker, const struct session *session, int patience);
/* The ticks that have become due. */
void ticker_run(struct ticker *ticker, struct session *session);

#endif
