/* The clock of play. A session that plays gets ticks of one length, so that what it shows
 * depends on their number alone; one that does not play lets the program sleep. After a stall (a
 * slow line, a stop) play goes on where it was instead of jumping. */
#include "app/ticker.h"

#include <time.h>

enum { TICK_MS = 50, STALL_MS = 250 };

int64_t ticker_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int ticker_wait(struct ticker *ticker, const struct session *session, int patience)
{
    if (!session_is_playing(session)) {
        ticker->is_on = false;
        return patience;
    }
    int64_t now = ticker_now();
    if (!ticker->is_on || now - ticker->due > STALL_MS) {
        ticker->is_on = true;
        ticker->due = now + TICK_MS;
    }
    int left = ticker->due > now ? (int)(ticker->due - now) : 0;
    return patience >= 0 && patience < left ? patience : left;
}

void ticker_run(struct ticker *ticker, struct session *session)
{
    if (!ticker->is_on)
        return;
    for (int64_t now = ticker_now(); ticker->due <= now && now - ticker->due <= STALL_MS;
         ticker->due += TICK_MS)
        session_tick(session, TICK_MS / 1000.0);
}
