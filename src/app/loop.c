/* Turns of the loop: see loop.h. */
#include "app/loop.h"

#include "app/ending.h"
#include "app/ticker.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>

#define UNSEEN_MS 50 /* keys are taken no longer than this without a frame */

enum outcome_of_turn { TURN_GOES_ON, TURN_QUITS, TURN_EMPTY };

/* Does what the session asks for. False when it asked to leave. */
static bool serve(const struct loop *loop)
{
    struct recovery *recovery = loop->desk->recovery;
    struct session *session = loop->session;
    struct request request = session_take_request(session);

    switch (request.kind) {
    case REQUEST_NONE:
        return true;
    case REQUEST_QUIT:
        if (!request.is_forced)
            return !recovery_lets_go(recovery, session);
        recovery_keep(recovery, session);
        recovery_discard(recovery);
        return false;
    case REQUEST_SUSPEND:
        loop->screen->suspend(session);
        return true;
    case REQUEST_REPAINT:
        loop->screen->repaint();
        return true;
    default:
        desk_serve(loop->desk, session, &request);
        if (request.kind != REQUEST_SAVE || !request.quits_after || session_is_unsaved(session))
            return true;
        session_apply(session, COMMAND_QUIT); /* which asks about what else is unsaved */
        return serve(loop);
    }
}

/* Where a key takes longer than it takes to repeat, there is always one more to be read. What curses
 * has read already would not end the wait for more, so that there has to be more. */
static bool is_frame_due(const struct loop *loop, int64_t began)
{
    int waiting = 0;

    return ticker_now() - began >= UNSEEN_MS && ioctl(loop->keys, FIONREAD, &waiting) == 0 &&
           waiting > 0;
}

/* Everything that is waiting to be read; the frame is drawn once after it, or after a while. */
static enum outcome_of_turn take_keys(const struct loop *loop)
{
    int taken = 0;
    int64_t began = ticker_now();

    for (; !is_frame_due(loop, began) && loop->screen->take_key(loop->session); taken++)
        if (!serve(loop))
            return TURN_QUITS;
    return taken > 0 ? TURN_GOES_ON : TURN_EMPTY;
}

/* How long to sleep at most once everything is done; -1: only a key or a signal ends it. */
static int attend_workers(const struct loop *loop)
{
    int patience = workers_attend(loop->workers, session_batch(loop->session));
    struct batch *next = patience < 0 ? session_batch(loop->session) : NULL;

    return next != NULL && batch_is_open(next) ? 0 : patience; /* what was just done led to more */
}

int loop_run(const struct loop *loop)
{
    struct recovery *recovery = loop->desk->recovery;
    struct session *session = loop->session;
    struct pollfd waits[2] = {{loop->keys, POLLIN, 0}, {loop->wake, POLLIN, 0}};
    struct ticker ticker = {.is_on = false};
    int patience = -1;

    loop->screen->draw(session, true);
    for (;;) {
        if (recovery_tend(recovery, session, ticker_now()))
            loop->screen->draw(session, false);
        int wait = ticker_wait(&ticker, session, patience);
        wait = recovery_wait(recovery, ticker_now(), wait);
        if (poll(waits, 2, wait) < 0 && errno != EINTR)
            return 1;
        if (waits[1].revents & POLLIN)
            loop->screen->take_signals(session);
        if (waits[0].revents != 0) {
            /* Before they are taken: the first byte of a character that is still under way makes
             * no key, and leaves nothing behind either. */
            bool is_lost = ending_is_lost(loop->keys, waits[0].revents);
            enum outcome_of_turn turn = take_keys(loop);
            if (turn == TURN_QUITS)
                return 0;
            if (turn == TURN_EMPTY && is_lost)
                loop->screen->lose();
        }
        ticker_run(&ticker, session);
        patience = attend_workers(loop);
        loop->screen->draw(session, false);
        waits[0].revents = waits[1].revents = 0;
    }
}
