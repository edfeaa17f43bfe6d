/* What would be lost if the program ended now, and the questions about it.
 *
 * Not only the state on screen can be unsaved: a slide or `:o` leaves the changes of the file
 * before it to undo alone. Such a state is the last of its file in the past, and was unsaved
 * when it was left (what was not may differ from what the file has by now); older ones were
 * changed on purpose, undone ones given up. Recovered changes are a state like any other that
 * remembers which they are. */
#include "model/state.h"

#include <string.h>

/* ---- what is unsaved ---- */

bool state_is_unsaved(const struct state *state)
{
    return state->step == PG_NONE && /* what is tried in a lesson is not for keeping */
           (state->file->is_unknown ||
            !scenario_equal(&state->scenario, &state->file->saved));
}

bool session_is_unsaved(const struct session *session)
{
    return state_is_unsaved(&session->now);
}

const struct scenario *session_saved_scenario(const struct session *session)
{
    const struct file *file = session->now.file;
    return file->is_unknown ? NULL : &file->saved;
}

/* Does going from one state to the next leave changes behind? Reading a file again gives up what was
 * changed. Taking up what an earlier run made of it does not. */
static bool is_left_behind(const struct state *state, const struct state *next)
{
    const struct file *a = state->file, *b = next->file;
    bool is_same_file = a == b || (a->path == NULL && b->path == NULL &&
                                   strcmp(string_text(a->name), string_text(b->name)) == 0);
    return !is_same_file || (next->is_recovered && !state->is_recovered);
}

static struct unsaved unsaved_of(const struct state *state)
{
    const struct file *file = state->file;
    return (struct unsaved){
        .scenario = &state->scenario,
        .name = string_text(file->name),
        .path = file->path == NULL ? NULL : file->path->s,
        .recovered = state->is_recovered ? file->recovered : 0,
    };
}

/* A of a comparison, where it is neither in its file nor what is on screen anyway. */
static bool has_unsaved_pin(const struct state *state)
{
    const struct pin *pin = state->pin;

    return pin != NULL && state->step == PG_NONE &&
           (pin->file->is_unknown || !scenario_equal(&pin->scenario, &pin->file->saved)) &&
           !(pin->file == state->file && scenario_equal(&pin->scenario, &state->scenario));
}

static struct unsaved unsaved_of_pin(const struct pin *pin)
{
    return (struct unsaved){
        .scenario = &pin->scenario,
        .name = string_text(pin->file->name),
        .path = pin->file->path == NULL ? NULL : pin->file->path->s,
        .is_pinned = true,
    };
}

size_t session_unsaved(const struct session *session, struct unsaved unsaved[UNSAVED_MOST])
{
    const struct state *next = &session->now;
    size_t count = 0;

    if (state_is_unsaved(next))
        unsaved[count++] = unsaved_of(next);
    if (has_unsaved_pin(next))
        unsaved[count++] = unsaved_of_pin(next->pin);
    for (size_t i = session->history.past_count; i-- > 0 && count < UNSAVED_MOST;) {
        const struct state *state = &session->history.past[i];
        if (state->was_unsaved && is_left_behind(state, next) &&
            state_is_unsaved(state))
            unsaved[count++] = unsaved_of(state);
        next = state;
    }
    return count;
}

uint64_t session_moves(const struct session *session)
{
    return session->history.moves;
}

/* ---- the question before the end ---- */

static void add_name(struct text *text, const char *name, size_t room)
{
    char start[64];
    struct text cut;

    text_init(&cut, start, room < sizeof start ? room : sizeof start);
    text_add(&cut, name[0] == '\0' ? "the default" : name);
    text_addf(text, "%s%s", start, cut.is_cut ? "…" : "");
}

/* "a.ini and 2 more": the answers behind it must have room. */
static void add_names(struct text *text, const struct unsaved *unsaved, size_t count, size_t room)
{
    size_t more = 0;

    for (size_t i = 1; i < count; i++) {
        bool is_known = false;
        for (size_t j = 0; j < i; j++)
            is_known = is_known || strcmp(unsaved[j].name, unsaved[i].name) == 0;
        more += !is_known;
    }
    add_name(text, unsaved[0].name, room);
    if (more > 0)
        text_addf(text, " and %zu more", more);
}

/* "Unsaved: here, a.ini and 1 more, a puzzle. Quit? …" */
static void ask_with_puzzle(const struct session *session, const struct unsaved *unsaved,
                            size_t count, struct text *text)
{
    size_t here = session_is_unsaved(session);

    text_add(text, here ? "Unsaved: here" : "Unsaved: ");
    text_add(text, here && count > here ? ", " : "");
    if (count > here)
        add_names(text, unsaved + here, count - here, 9);
    text_addf(text, ", a puzzle. Quit?  y quits, %sn stays", here ? "s saves, " : "");
}

bool unsaved_question(const struct session *session, struct text *text)
{
    struct unsaved unsaved[UNSAVED_MOST];
    size_t count = session_unsaved(session, unsaved);

    if (count == 0 && !build_is_unsaved(session))
        return false;
    if (count == 0) {
        text_add(text, "What you built will be lost (E shows it). Quit?  y quits, n stays");
        return true;
    }
    if (build_is_unsaved(session)) {
        ask_with_puzzle(session, unsaved, count, text);
    } else if (count == 1 && unsaved[0].is_pinned) {
        text_add(text, "Unsaved changes in A (D shows it). Quit?  y quits, n stays");
    } else if (!session_is_unsaved(session)) {
        text_add(text, "Unsaved changes in ");
        add_names(text, unsaved, count, 24);
        text_add(text, " (u goes back). Quit?  y quits, n stays");
    } else if (count == 1) {
        text_add(text, "There are unsaved changes. Quit?  y quits, s saves and quits, n stays");
    } else {
        text_add(text, "Unsaved changes here and in ");
        add_names(text, unsaved + 1, count - 1, 24);
        text_add(text, ". Quit?  y quits, s saves, n stays");
    }
    return true;
}

/* ---- changes that an earlier run could not save ---- */

void session_offer(struct session *session, const char *question)
{
    ask_question(session, CONFIRM_RECOVER, question);
}

bool offer_key(struct session *session, enum confirm what, const char *key)
{
    bool is_yes = strcmp(key, "y") == 0 || strcmp(key, "Y") == 0;

    if (what == CONFIRM_FORGET) {
        ask_request(session, is_yes ? REQUEST_FORGET : REQUEST_OFFER, NULL);
        return true;
    }
    if (is_yes) {
        ask_request(session, REQUEST_RECOVER, NULL);
    } else if (strcmp(key, "n") == 0 || strcmp(key, "N") == 0) {
        ask_request(session, REQUEST_OFFER, NULL);
    } else if (strcmp(key, "d") == 0) {
        ask_question(session, CONFIRM_FORGET,
                     "Delete these changes for good?  y deletes, n keeps them");
    } else {
        say(session, "the unsaved changes are kept for the next start");
        return command_of_key(key) == COMMAND_CANCEL; /* any other is not about this question */
    }
    return true;
}

bool session_recover(struct session *session, const struct scenario *scenario,
                     const struct scenario *saved, const struct origin *origin, uint32_t id,
                     struct refusal *refusal)
{
    char line[MESSAGE_SIZE];
    struct text text;

    if (!session_load(session, scenario, origin, refusal))
        return false;
    struct file *file = session->now.file;
    file->recovered = id;
    session->now.is_recovered = true;
    file->is_unknown = saved == NULL;
    if (saved != NULL)
        scenario_copy(&file->saved, saved);
    text_init(&text, line, sizeof line);
    text_add(&text, "here are the unsaved changes to ");
    add_name(&text, origin->name, 64);
    text_add(&text, "; u goes back");
    say(session, line);
    return true;
}
