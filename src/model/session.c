/* The life of a session: loading, taking changes up, undoing, requests to the program around it, and
 * the way of a key to its command. See session.h and state.h. */
#include "model/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

static void set_message(struct session *session, const char *message, bool is_error)
{
    struct text text;

    text_init(&text, session->message, sizeof session->message);
    text_printable(&text, message);
    session->is_error = is_error;
}

void hush(struct session *session)
{
    session->message[0] = '\0';
    session->is_error = false;
}

void say(struct session *session, const char *message)
{
    set_message(session, message, false);
}

void refuse(struct session *session, const char *message)
{
    set_message(session, message, true);
}

void session_message(struct session *session, const char *message, bool is_error)
{
    set_message(session, message, is_error);
}

void ask_request(struct session *session, enum request_kind kind, const char *path)
{
    struct text text;

    text_init(&text, session->request_path, sizeof session->request_path);
    if (path != NULL)
        text_add(&text, path);
    session->request = (struct request){.kind = kind, .path = session->request_path};
}

struct request session_take_request(struct session *session)
{
    struct request request = session->request;

    session->request = (struct request){.kind = REQUEST_NONE};
    return request;
}

/* ---- taking up a state ---- */

static struct baseline figures(const struct outcome *outcome)
{
    return (struct baseline){outcome->metrics.makespan, outcome->metrics.bubble_fraction,
                             outcome->metrics.peak_stash};
}

static void write_figures(struct text *text, const struct baseline *before,
                          const struct baseline *after)
{
    text_add(text, ": makespan ");
    text_brief(text, before->makespan);
    text_add(text, "→");
    text_brief(text, after->makespan);
    text_add(text, ", bubble ");
    text_percent(text, before->bubble);
    text_add(text, "→");
    text_percent(text, after->bubble);
    if (before->peak_stash != after->peak_stash) {
        text_add(text, ", peak stash ");
        text_brief(text, before->peak_stash);
        text_add(text, "→");
        text_brief(text, after->peak_stash);
    }
}

/* Runs the core on a scenario into the spare outcome; on success that is the one shown. */
static bool run(struct session *session, const struct scenario *scenario, struct refusal *refusal)
{
    uint32_t spare = 1 - session->shown;

    if (!outcome_run(&session->outcomes[spare], scenario, refusal))
        return false;
    session->shown = spare;
    return true;
}

bool take_up(struct session *session, struct state *next, const char *what)
{
    struct baseline before = figures(session_outcome(session));
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
    if (!run(session, &next->scenario, &refusal)) {
        text_addf(&text, ": %s", refusal.report.text);
        refuse(session, line);
        state_free(next);
        return false;
    }
    struct baseline after = figures(session_outcome(session));
    write_figures(&text, &before, &after);
    bool can_undo = history_push(&session->history, &session->now);
    text_add(&text, can_undo ? "; u undoes" : "; no memory to undo it");
    state_free(&session->now);
    session->now = *next;
    select_again(session, &session->outcomes[1 - session->shown].plan, &was);
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
    }
    file->refs++;
    scenario_copy(&file->saved, scenario);
    file->has_comments = origin->has_comments;
    return file;
}

bool session_load(struct session *session, const struct scenario *scenario,
                  const struct origin *origin, struct refusal *refusal)
{
    struct state next;

    memset(&next, 0, sizeof next);
    if (!run(session, scenario, refusal)) {
        refuse(session, refusal->report.text);
        return false;
    }
    next.file = file_of(session, scenario, origin);
    if (next.file == NULL) {
        session->shown = 1 - session->shown;
        *refusal = (struct refusal){.param = PARAM_COUNT, .is_memory = true};
        strcpy(refusal->report.text, "there is not enough memory");
        return false;
    }
    scenario_copy(&next.scenario, scenario);
    next.baseline = figures(session_outcome(session));
    next.selection = (struct selection){.is_all = true};
    next.window.is_fit = true;
    next.slide = PG_NONE;
    hush(session);
    bool was_unsaved = session->is_loaded && session_is_unsaved(session);
    /* Nothing has happened to the default that the first one replaces. */
    bool is_first = !session->is_loaded && session->history.past_count == 0 &&
                    session->history.future_count == 0;
    if (!is_first) {
        struct text text;
        char line[MESSAGE_SIZE];
        bool can_undo = history_push(&session->history, &session->now);
        text_init(&text, line, sizeof line);
        text_addf(&text, "opened %s", origin->name[0] != '\0' ? origin->name : "the default");
        text_add(&text, !can_undo ? "" : was_unsaved ? "; u goes back to the unsaved changes"
                                                     : "; u goes back");
        say(session, line);
    }
    state_free(&session->now);
    session->now = next;
    session->is_loaded = true;
    session->lane_top = 0;
    return true;
}

static void time_travel(struct session *session, bool is_undo)
{
    struct history *history = &session->history;
    struct refusal refusal;
    struct text text;
    char line[MESSAGE_SIZE];
    struct baseline before = figures(session_outcome(session));

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
    if (!(is_undo ? history_undo(history, &session->now) : history_redo(history, &session->now))) {
        session->shown = 1 - session->shown;
        refuse(session, "there is not enough memory");
        return;
    }
    struct baseline after = figures(session_outcome(session));
    text_init(&text, line, sizeof line);
    text_add(&text, is_undo ? "undone" : "redone");
    write_figures(&text, &before, &after);
    if (is_undo)
        text_add(&text, "; U redoes");
    select_show_lane(session);
    say(session, line);
}

/* ---- questions and requests ---- */

bool session_is_unsaved(const struct session *session)
{
    return !scenario_equal(&session->now.scenario, &session->now.file->saved);
}

const char *session_path(const struct session *session)
{
    return session->now.file->path == NULL ? NULL : session->now.file->path->s;
}

static void confirm(struct session *session, enum confirm what, const char *question)
{
    session->mode = MODE_CONFIRM;
    session->confirm = what;
    say(session, question);
}

void session_confirm(struct session *session, const char *question, const struct request *request)
{
    char path[LINE_SIZE];
    struct text text;

    text_init(&text, path, sizeof path); /* it may be our own buffer */
    text_add(&text, request->path);
    session->held = *request;
    text_init(&text, session->request_path, sizeof session->request_path);
    text_add(&text, path);
    session->held.path = session->request_path;
    session->held.is_forced = true;
    session->request = (struct request){.kind = REQUEST_NONE};
    confirm(session, CONFIRM_SAVE, question);
}

static void quit(struct session *session)
{
    if (session_is_unsaved(session))
        confirm(session, CONFIRM_QUIT,
                "There are unsaved changes. Quit?  y quits, s saves and quits, n stays");
    else
        ask_request(session, REQUEST_QUIT, NULL);
}

static void save(struct session *session, bool quits_after)
{
    const char *path = session_path(session);

    if (path == NULL) {
        prompt_open(session, PROMPT_SAVE, "save as: ", "");
        session->line.quits_after = quits_after;
        return;
    }
    ask_request(session, REQUEST_SAVE, path);
    session->request.quits_after = quits_after;
    if (session->now.file->has_comments) {
        struct request held = session->request;
        session_confirm(session,
                        "The comments in the file will be lost. Save?  y saves, n keeps the file",
                        &held);
    }
}

/* What a file holds now, for the states that came from it. */
static void note_saved(struct file *file, const char *path, const struct scenario *scenario)
{
    if (!is_file(file, path))
        return;
    scenario_copy(&file->saved, scenario);
    file->has_comments = false;
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
    scenario_copy(&file->saved, &session->now.scenario);
    file->has_comments = false;
    if (whole != NULL && name != NULL) {
        string_release(&file->path);
        string_release(&file->name);
        file->path = whole;
        file->name = name;
    } else {
        string_release(&whole);
        string_release(&name);
    }
    text_init(&text, line, sizeof line);
    text_addf(&text, "saved %s", path);
    say(session, line);
}

static void confirm_key(struct session *session, const char *key)
{
    enum confirm what = session->confirm;
    enum command command = command_of_key(key);

    if (command == COMMAND_SUSPEND || command == COMMAND_REPAINT) { /* no answer: it stands */
        /* Not through ask_request: the path of what is held lies in its buffer. */
        session->request = (struct request){.path = "", .kind = command == COMMAND_SUSPEND
                                                                    ? REQUEST_SUSPEND
                                                                    : REQUEST_REPAINT};
        return;
    }
    bool is_yes = strcmp(key, "y") == 0 || strcmp(key, "Y") == 0;

    session->mode = MODE_CHART;
    session->confirm = CONFIRM_NONE;
    hush(session);
    if (what == CONFIRM_QUIT) {
        is_yes = is_yes || strcmp(key, "q") == 0 || strcmp(key, "Q") == 0 ||
                 strcmp(key, "Ctrl-C") == 0;
        if (strcmp(key, "s") == 0 || strcmp(key, "Ctrl-S") == 0)
            save(session, true);
        else if (is_yes)
            ask_request(session, REQUEST_QUIT, NULL);
        return;
    }
    if (what == CONFIRM_LAYERS && is_yes) {
        struct state next;
        struct refusal refusal;
        state_copy(&next, &session->now);
        if (edit_layers_to_costs(&next.scenario, &refusal)) {
            take_up(session, &next, "layers turned into costs per stage");
        } else {
            state_free(&next);
            refuse(session, refusal.report.text);
        }
        return;
    }
    if (!is_yes)
        say(session, what == CONFIRM_SAVE ? "not saved" : "nothing changed");
    else if (what == CONFIRM_SAVE)
        session->request = session->held;
}

/* ---- commands and keys ---- */

static void help_key(struct session *session, const char *key)
{
    enum command command = command_of_key(key);
    uint32_t page = session->help_rows > 1 ? session->help_rows - 1 : 1;
    uint32_t most = session->help_lines > session->help_rows
                        ? session->help_lines - session->help_rows : 0;
    uint32_t top = session->help_top;

    if (command == COMMAND_QUIT || command == COMMAND_CANCEL || command == COMMAND_HELP)
        session->mode = MODE_CHART;
    else if (command == COMMAND_QUIT_NOW || command == COMMAND_SUSPEND ||
             command == COMMAND_REPAINT)
        session_apply(session, command);
    else if (command == COMMAND_MOVE_DOWN)
        top++;
    else if (command == COMMAND_MOVE_UP)
        top -= top > 0;
    else if (command == COMMAND_PAGE_NEXT || strcmp(key, "Space") == 0)
        top += page;
    else if (command == COMMAND_PAGE_PREVIOUS)
        top -= top < page ? top : page;
    else if (command == COMMAND_MOVE_FIRST)
        top = 0;
    else if (command == COMMAND_MOVE_LAST)
        top = most;
    session->help_top = top < most ? top : most;
}

static void apply_file_command(struct session *session, enum command command)
{
    const char *path = session_path(session);

    switch (command) {
    case COMMAND_SAVE:
        save(session, false);
        break;
    case COMMAND_OPEN:
        prompt_open(session, PROMPT_OPEN, "open: ", "");
        break;
    case COMMAND_RELOAD:
        if (path == NULL && !session_is_slide(session))
            refuse(session, "there is no file to read again");
        else
            ask_request(session, REQUEST_RELOAD, path);
        break;
    default:
        prompt_open(session, PROMPT_COMMAND, ":", "");
    }
}

static void apply_program_command(struct session *session, enum command command)
{
    switch (command) {
    case COMMAND_HELP:
        session->mode = MODE_HELP;
        session->help_top = 0;
        break;
    case COMMAND_REPAINT:
        ask_request(session, REQUEST_REPAINT, NULL);
        break;
    case COMMAND_SUSPEND:
        ask_request(session, REQUEST_SUSPEND, NULL);
        break;
    case COMMAND_QUIT:
        quit(session);
        break;
    case COMMAND_QUIT_NOW:
        ask_request(session, REQUEST_QUIT, NULL);
        break;
    default:
        break;
    }
}

bool session_is_slide(const struct session *session)
{
    return session->slides > 1 && session->now.slide != PG_NONE;
}

void session_apply(struct session *session, enum command command)
{
    enum command_group group = command_info(command)->group;

    hush(session);
    if (command == COMMAND_BUBBLE_VIEW) {
        session->is_bubble_view = !session->is_bubble_view;
        say(session, session->is_bubble_view ? "bubble view: work in grey, idle bright" : "");
    } else if (command == COMMAND_UNDO || command == COMMAND_REDO) {
        for (uint32_t i = 0, n = session->count > 0 ? session->count : 1; i < n; i++) {
            size_t left = command == COMMAND_UNDO ? session->history.past_count
                                                  : session->history.future_count;
            time_travel(session, command == COMMAND_UNDO);
            if (left <= 1)
                break;
        }
    } else if ((command == COMMAND_PAGE_NEXT || command == COMMAND_PAGE_PREVIOUS) &&
               session_is_slide(session)) {
        bool is_next = command == COMMAND_PAGE_NEXT;
        if (is_next ? session->now.slide + 1 == session->slides : session->now.slide == 0) {
            say(session, is_next ? "this is the last file" : "this is the first file");
        } else {
            ask_request(session, REQUEST_SLIDE, NULL);
            session->request.slide = is_next ? session->now.slide + 1 : session->now.slide - 1;
        }
    } else if (group == GROUP_PIPELINE || group == GROUP_COSTS) {
        change_apply(session, command);
    } else if (group == GROUP_SELECT || group == GROUP_WINDOW) {
        select_apply(session, command);
    } else if (group == GROUP_FILES) {
        apply_file_command(session, command);
    } else {
        apply_program_command(session, command);
    }
    session->count = 0;
}

/* A digit before a key: a number; a 0 that begins none is a key of its own. */
static bool take_digit(struct session *session, const char *key)
{
    if (key[0] < '0' || key[0] > '9' || key[1] != '\0' || (key[0] == '0' && session->count == 0))
        return false;
    if (session->count < 10000000)
        session->count = session->count * 10 + (uint32_t)(key[0] - '0');
    hush(session);
    return true;
}

void session_key(struct session *session, const char *key)
{
    switch (session->mode) {
    case MODE_PROMPT:
        prompt_key(session, key);
        return;
    case MODE_CONFIRM:
        confirm_key(session, key);
        return;
    case MODE_HELP:
        help_key(session, key);
        return;
    case MODE_CHART:
        break;
    }
    if (take_digit(session, key))
        return;
    enum command command = command_of_key(key);
    if (command != COMMAND_COUNT) {
        session_apply(session, command);
        return;
    }
    struct text text;
    char line[80];
    text_init(&text, line, sizeof line);
    text_addf(&text, "%s does nothing here; ? lists the keys", key);
    session->count = 0;
    refuse(session, line);
}

void session_paste(struct session *session, const char *text)
{
    if (session->mode == MODE_PROMPT)
        prompt_insert(session, text);
    else if (session->mode == MODE_CHART) /* a question stays to be read */
        say(session, "pasted text is taken only where a line is being typed");
}

/* ---- from outside ---- */

struct session *session_make(void)
{
    struct session *session = calloc(1, sizeof *session);
    struct scenario scenario;
    struct refusal refusal;

    if (session == NULL || !scenario_init(&scenario)) {
        free(session);
        return NULL;
    }
    session->slides = 1;
    bool is_good = session_load(session, &scenario, &(struct origin){.name = ""}, &refusal);
    session->is_loaded = false;
    scenario_free(&scenario);
    if (!is_good) {
        session_free(session);
        return NULL;
    }
    return session;
}

void session_free(struct session *session)
{
    if (session == NULL)
        return;
    state_free(&session->now);
    history_free(&session->history);
    prompt_free(session);
    outcome_free(&session->outcomes[0]);
    outcome_free(&session->outcomes[1]);
    free(session);
}

void session_set_slides(struct session *session, uint32_t slide, uint32_t slides)
{
    session->now.slide = slide;
    session->slides = slides;
}

void session_set_view(struct session *session, const struct session_view *view)
{
    session->view_start = view->start;
    session->view_span = view->span;
    session->columns = view->columns;
    if (session->lanes != view->lanes) {
        session->lanes = view->lanes;
        uint32_t devices = session_plan(session)->devices;
        if (session->lane_top + view->lanes > devices)
            session->lane_top = devices > view->lanes ? devices - view->lanes : 0;
        select_show_lane(session);
    }
    session->help_rows = view->help_rows;
    session->help_lines = view->help_lines;
}

void session_snapshot(const struct session *session, struct snapshot *snapshot)
{
    const struct state *now = &session->now;
    const struct baseline *base = &now->baseline;
    const struct pg_metrics *metrics = &session->outcomes[session->shown].metrics;

    *snapshot = (struct snapshot){
        .scenario = &now->scenario,
        .outcome = &session->outcomes[session->shown],
        .baseline = *base,
        .has_baseline = base->makespan != metrics->makespan ||
                        base->bubble != metrics->bubble_fraction ||
                        base->peak_stash != metrics->peak_stash,
        .name = string_text(now->file->name),
        .is_unsaved = session_is_unsaved(session),
        .selection = now->selection,
        .edited_stage = edited_stage(session),
        .window = now->window,
        .is_bubble_view = session->is_bubble_view,
        .mode = session->mode,
        .message = session->message,
        .is_error = session->is_error,
        .count = session->count,
        .prompt = {session->line.label, session->line.text, session->line.cursor},
        .help_top = session->help_top,
        .lane_top = session->lane_top,
        .slide = now->slide,
        .slides = now->slide == PG_NONE ? 1 : session->slides,
    };
}
