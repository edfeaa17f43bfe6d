/* Taking a state up: after a change, a load, an undo. Each runs the core into an outcome that nothing
 * needs and shows it only when that worked; each says in figures what became of it. */
#include "model/state.h"

#include <stdlib.h>
#include <string.h>

struct baseline baseline_of(const struct outcome *outcome)
{
    return (struct baseline){outcome->metrics.makespan, outcome->metrics.bubble_fraction,
                             outcome->metrics.peak_stash, outcome->metrics.peak_memory};
}

static void write_change(struct text *text, const char *what, double before, double after)
{
    text_add(text, what);
    text_brief(text, before);
    text_add(text, "→");
    text_brief(text, after);
}

void baseline_write(struct text *text, const struct baseline *before, const struct baseline *after)
{
    bool is_weighted = before->peak_memory != before->peak_stash ||
                       after->peak_memory != after->peak_stash;

    write_change(text, ": makespan ", before->makespan, after->makespan);
    text_add(text, ", bubble ");
    text_percent(text, before->bubble);
    text_add(text, "→");
    text_percent(text, after->bubble);
    if (before->peak_stash != after->peak_stash)
        write_change(text, ", peak stash ", before->peak_stash, after->peak_stash);
    if (is_weighted && before->peak_memory != after->peak_memory)
        write_change(text, ", memory ", before->peak_memory, after->peak_memory);
}

uint32_t outcome_spare(const struct session *session, bool keeps_before)
{
    for (uint32_t i = 0; i + 1 < OUTCOMES; i++)
        if (i != session->shown && i != session->pinned && (i != session->before || !keeps_before))
            return i;
    return OUTCOMES - 1;
}

static void show(struct session *session, uint32_t outcome)
{
    session->before = session->shown;
    session->shown = outcome;
    if (session->mode == MODE_BUILD)
        session->mode = MODE_CHART; /* another step is looked at; the puzzle is kept */
}

/* Runs the core on a scenario into a spare outcome; on success that is the one shown. */
static bool run(struct session *session, const struct scenario *scenario, struct refusal *refusal)
{
    uint32_t spare = outcome_spare(session, false);

    if (!outcome_run(&session->outcomes[spare], scenario, refusal))
        return false;
    show(session, spare);
    return true;
}

/* The same with what a run of the scenario gave, which is taken over. */
static void adopt(struct session *session, struct outcome *outcome)
{
    uint32_t spare = outcome_spare(session, false);

    outcome_free(&session->outcomes[spare]);
    session->outcomes[spare] = *outcome;
    *outcome = (struct outcome){.block = NULL};
    show(session, spare);
}

bool take_up(struct session *session, struct state *next, const char *what)
{
    struct baseline before = baseline_of(session_outcome(session));
    struct selection was = session->now.selection;
    struct refusal refusal;
    struct text text;
    char line[MESSAGE_SIZE];

    text_init(&text, line, sizeof line);
    text_add(&text, what);
    if (scenario_equal(&next->scenario, &session->now.scenario)) {
        text_add(&text, ": as before");
        say(session, line);
        state_free(next);
        return true;
    }
    /* A change that could not be undone is none to be made. */
    if (!history_reserve(&session->history)) {
        text_add(&text, ": there is not enough memory to remember what was");
        refuse(session, line);
        state_free(next);
        return false;
    }
    if (!run(session, &next->scenario, &refusal)) {
        text_addf(&text, ": %s", refusal.report.text);
        refuse(session, line);
        state_free(next);
        return false;
    }
    struct baseline after = baseline_of(session_outcome(session));
    baseline_write(&text, &before, &after);
    if (next->scenario.table != NULL) {
        table_release(&next->table);
        next->table = table_share(next->scenario.table);
    }
    history_push(&session->history, &session->now);
    text_add(&text, "; u undoes");
    state_free(&session->now);
    session->now = *next;
    compare_refresh(session);
    select_again(session, &session->outcomes[session->before].plan, &was);
    say(session, line);
    return true;
}

static struct string *string_of(const char *s)
{
    if (s == NULL)
        return NULL;
    struct string *string = malloc(sizeof *string + strlen(s) + 1);
    if (string != NULL) {
        string->refs = 1;
        strcpy(string->s, s);
    }
    return string;
}

static bool is_file(const struct file *file, const char *path)
{
    return file != NULL && path != NULL && file->path != NULL && strcmp(file->path->s, path) == 0;
}

/* A file that is already known, from now or from a state that undo or redo can bring back. */
static struct file *find_file(const struct session *session, const char *path)
{
    const struct history *history = &session->history;

    if (is_file(session->now.file, path))
        return session->now.file;
    for (size_t i = 0; i < history->past_count; i++)
        if (is_file(history->past[i].file, path))
            return history->past[i].file;
    for (size_t i = 0; i < history->future_count; i++)
        if (is_file(history->future[i].file, path))
            return history->future[i].file;
    return NULL;
}

/* The file that a scenario was read from, with one reference for the state. */
static struct file *file_of(const struct session *session, const struct scenario *scenario,
                            const struct origin *origin)
{
    struct file *file = find_file(session, origin->path);

    if (file == NULL) {
        file = calloc(1, sizeof *file);
        if (file == NULL)
            return NULL;
        file->name = string_of(origin->name);
        file->path = string_of(origin->path);
        if (file->name == NULL || (file->path == NULL && origin->path != NULL)) {
            string_release(&file->name);
            string_release(&file->path);
            free(file);
            return NULL;
        }
    }
    file->refs++;
    scenario_copy(&file->saved, scenario);
    file->has_comments = origin->has_comments;
    file->is_unknown = false;
    file->recovered = 0;
    return file;
}

bool session_load(struct session *session, const struct scenario *scenario,
                  const struct origin *origin, struct refusal *refusal)
{
    struct outcome outcome = {.block = NULL};

    return session_load_run(session, scenario, &outcome, origin, refusal);
}

bool session_load_run(struct session *session, const struct scenario *scenario,
                      struct outcome *outcome, const struct origin *origin,
                      struct refusal *refusal)
{
    struct state next;

    memset(&next, 0, sizeof next);
    if (outcome->block != NULL) {
        adopt(session, outcome);
    } else if (!run(session, scenario, refusal)) {
        refuse(session, refusal->report.text);
        return false;
    }
    /* Nothing has happened to the default that the first one replaces. */
    bool is_first = !session->is_loaded && session->history.past_count == 0 &&
                    session->history.future_count == 0;
    next.file = is_first || history_reserve(&session->history)
                    ? file_of(session, scenario, origin) : NULL;
    if (next.file == NULL) {
        session->shown = session->before;
        *refusal = (struct refusal){.param = PARAM_COUNT, .is_memory = true};
        strcpy(refusal->report.text, "there is not enough memory");
        refuse(session, refusal->report.text);
        return false;
    }
    scenario_copy(&next.scenario, scenario);
    next.table = table_share(next.scenario.table);
    next.baseline = baseline_of(session_outcome(session));
    next.selection = (struct selection){.is_all = true};
    next.window.is_fit = true;
    next.slide = PG_NONE;
    next.pin = session->now.pin;
    if (next.pin != NULL)
        next.pin->refs++;
    next.step = PG_NONE;
    hush(session);
    bool was_unsaved = session->is_loaded && session_is_unsaved(session);
    if (!is_first) {
        struct text text;
        char line[MESSAGE_SIZE];
        history_push(&session->history, &session->now);
        text_init(&text, line, sizeof line);
        text_addf(&text, "opened %s", origin->name[0] != '\0' ? origin->name : "the default");
        text_add(&text, was_unsaved ? "; u goes back to the unsaved changes" : "; u goes back");
        say(session, line);
    }
    state_free(&session->now);
    session->now = next;
    session->is_loaded = true;
    session->lane_top = 0;
    compare_refresh(session);
    return true;
}

void time_travel(struct session *session, bool is_undo)
{
    struct history *history = &session->history;
    struct refusal refusal;
    struct text text;
    char line[MESSAGE_SIZE];
    struct baseline before = baseline_of(session_outcome(session));

    if (is_undo ? history->past_count == 0 : history->future_count == 0) {
        say(session, is_undo ? "nothing to undo" : "nothing to redo");
        return;
    }
    const struct state *aim = is_undo ? &history->past[history->past_count - 1]
                                      : &history->future[history->future_count - 1];
    if (!run(session, &aim->scenario, &refusal)) {
        refuse(session, refusal.report.text);
        return;
    }
    uint32_t pinned, was_pinned = session->pinned;
    if (!pin_outcome(session, aim->pin, &pinned, &refusal)) {
        session->shown = session->before;
        refuse(session, refusal.report.text);
        return;
    }
    if (!(is_undo ? history_undo(history, &session->now) : history_redo(history, &session->now))) {
        session->shown = session->before;
        refuse(session, "there is not enough memory");
        return;
    }
    session->pinned = pinned;
    compare_refresh(session);
    struct baseline after = baseline_of(session_outcome(session));
    text_init(&text, line, sizeof line);
    text_add(&text, is_undo ? "undone" : "redone");
    baseline_write(&text, &before, &after);
    if ((pinned == PG_NONE) != (was_pinned == PG_NONE))
        text_add(&text, pinned == PG_NONE ? ", A no longer pinned" : ", A pinned again");
    if (is_undo)
        text_add(&text, "; U redoes");
    select_show_lane(session);
    say(session, line);
}

/* What a file holds now, for the states that came from it. */
static void note_saved(struct file *file, const char *path, const struct scenario *scenario)
{
    if (!is_file(file, path))
        return;
    scenario_copy(&file->saved, scenario);
    file->has_comments = file->is_unknown = false;
}

void session_saved(struct session *session, const char *path)
{
    struct file *file = session->now.file;
    struct string *whole = string_of(path);
    const char *slash = strrchr(path, '/');
    struct string *name = string_of(slash == NULL ? path : slash + 1);
    struct text text;
    char line[MESSAGE_SIZE];

    /* It may have been read before, and be written from another one now. */
    for (size_t i = 0; i < session->history.past_count; i++)
        note_saved(session->history.past[i].file, path, &session->now.scenario);
    for (size_t i = 0; i < session->history.future_count; i++)
        note_saved(session->history.future[i].file, path, &session->now.scenario);
    session->history.moves++;
    text_init(&text, line, sizeof line);
    text_addf(&text, "saved %s", path);
    if (whole == NULL || name == NULL) {
        string_release(&whole);
        string_release(&name);
        if (!is_file(file, path)) { /* it stands for another file still, and differs from that */
            text_add(&text, ", but there is not enough memory to go on with it");
            refuse(session, line);
            return;
        }
    } else {
        string_release(&file->path);
        string_release(&file->name);
        file->path = whole;
        file->name = name;
    }
    scenario_copy(&file->saved, &session->now.scenario);
    file->has_comments = file->is_unknown = false;
    file->recovered = 0;
    say(session, line);
}
