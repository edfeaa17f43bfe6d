/* Play: a moment that sweeps over the step.
 *
 * The session knows ticks, not clocks: how much time went by comes from outside, so that a
 * script of keys and ticks gives the same screens. Everything else goes on working under the
 * moment; a change of the scenario leaves it where it is, as far as the new step is that long. */
#include "model/state.h"

#include <math.h>
#include <string.h>

#define LEAST_SPEED (1.0 / 64)
#define MOST_SPEED 64.0

/* The window follows the moment, and shows more of what comes than of what was. */
static void follow(struct session *session)
{
    const struct window *window = &session->now.window;
    double time = session->play.time, end = window->start + window->span;

    if (!window->is_fit && (time < window->start || time >= end))
        session_pan_by(session, time - window->span * 0.1 - window->start);
}

static void go_to(struct session *session, double time)
{
    double end = session_extent(session);

    session->play.time = fmin(fmax(time, 0), end);
    if (session->play.time >= end)
        session->play.is_running = false;
    follow(session);
}

/* Opens the moment where it is closed. */
static bool turn_on(struct session *session, double time)
{
    struct play *play = &session->play;

    if (play->is_on)
        return false;
    play->is_on = true;
    play->is_running = false;
    play->speed = play->speed > 0 ? play->speed : 1;
    go_to(session, time);
    return true;
}

static void start_or_pause(struct session *session)
{
    struct play *play = &session->play;
    bool is_new = turn_on(session, 0);

    if (play->is_running && !is_new) {
        play->is_running = false;
        return;
    }
    play->is_running = true;
    if (play->time >= session_extent(session))
        go_to(session, 0);
}

/* The next or the last event; in a comparison of either side. */
static double event_of(struct session *session, double time, bool is_next)
{
    struct snapshot snapshot;

    session_snapshot(session, &snapshot);
    const struct pg_plan *b = &snapshot.outcome->plan;
    const struct outcome *pinned = snapshot.compared.a.outcome;
    double event = is_next ? pg_event_after(b, time) : pg_event_before(b, time);
    if (pinned == NULL)
        return event;
    double unit = snapshot.compared.unit, other = time / unit;
    other = unit * (is_next ? pg_event_after(&pinned->plan, other)
                            : pg_event_before(&pinned->plan, other));
    return is_next ? fmin(event, other) : fmax(event, other);
}

/* The first step opens the moment at that end of the step. */
static void step(struct session *session, bool is_next)
{
    double end = session_extent(session);
    uint32_t count = session->count > 0 ? session->count : 1;

    if (turn_on(session, is_next ? 0 : end))
        count--;
    session->play.is_running = false;
    for (; count > 0; count--) {
        double time = event_of(session, fmin(session->play.time, end), is_next);
        if (!isfinite(time)) {
            say(session, is_next ? "this is the end of the step" : "this is the start of the step");
            return;
        }
        go_to(session, time);
    }
}

static void set_speed(struct session *session, double factor)
{
    struct play *play = &session->play;
    struct text text;
    char line[60];

    play->speed = fmin(fmax((play->speed > 0 ? play->speed : 1) * factor, LEAST_SPEED), MOST_SPEED);
    text_init(&text, line, sizeof line);
    text_add(&text, "the whole step takes ");
    text_brief(&text, PLAY_SECONDS / play->speed);
    text_add(&text, " s to play");
    say(session, line);
}

void play_apply(struct session *session, enum command command)
{
    switch (command) {
    case COMMAND_PLAY:
        start_or_pause(session);
        break;
    case COMMAND_STEP_PREVIOUS:
    case COMMAND_STEP_NEXT:
        step(session, command == COMMAND_STEP_NEXT);
        break;
    case COMMAND_SPEED_LESS:
    case COMMAND_SPEED_MORE:
        set_speed(session, command == COMMAND_SPEED_LESS ? 0.5 : 2);
        break;
    default:
        break;
    }
}

bool play_key(struct session *session, const char *key)
{
    bool is_leaving = strcmp(key, "Esc") == 0 || strcmp(key, "q") == 0;

    if (!session->play.is_on || !is_leaving || session->count > 0)
        return false;
    session->play.is_on = session->play.is_running = false;
    hush(session);
    return true;
}

bool session_is_playing(const struct session *session)
{
    return session->play.is_on && session->play.is_running && session->mode == MODE_CHART;
}

void session_tick(struct session *session, double seconds)
{
    double end = session_extent(session);

    if (session_is_playing(session))
        go_to(session, fmin(session->play.time, end) +
                           seconds / PLAY_SECONDS * session->play.speed * end);
}

void play_snapshot(struct session *session, struct snapshot *snapshot)
{
    double end = session_extent(session);

    snapshot->play.time = fmin(snapshot->play.time, end); /* what it was in a longer step */
    /* Without memory for them no levels are shown, that is all. */
    if (session->play.is_on || session->has_memory)
        snapshot->stash = outcome_stash(session_outcome(session));
    if (session->play.is_on && snapshot->compared.a.outcome != NULL)
        snapshot->compared.a.stash = outcome_stash(&session->outcomes[session->pinned]);
}
