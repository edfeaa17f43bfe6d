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

/* ---- questions and requests ---- */

const char *session_path(const struct session *session)
{
    return session->now.file->path == NULL ? NULL : session->now.file->path->s;
}

void ask_question(struct session *session, enum confirm what, const char *question)
{
    session_aside(session, MODE_CONFIRM);
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
    ask_question(session, CONFIRM_SAVE, question);
}

static void quit(struct session *session)
{
    char question[MESSAGE_SIZE];
    struct text text;

    text_init(&text, question, sizeof question);
    if (unsaved_question(session, &text))
        ask_question(session, CONFIRM_QUIT, question);
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

    session->mode = session->home;
    session->confirm = CONFIRM_NONE;
    hush(session);
    if (what == CONFIRM_QUIT) {
        is_yes = is_yes || strcmp(key, "q") == 0 || strcmp(key, "Q") == 0 ||
                 strcmp(key, "Ctrl-C") == 0;
        bool is_save = strcmp(key, "s") == 0 || strcmp(key, "Ctrl-S") == 0;
        if (is_save && session_is_unsaved(session))
            save(session, true);
        else if (is_yes)
            ask_request(session, REQUEST_QUIT, NULL);
        session->request.is_forced = is_yes && strcmp(key, "Q") != 0; /* Q keeps, as ever */
        return;
    }
    if (what == CONFIRM_RECOVER || what == CONFIRM_FORGET) {
        if (!offer_key(session, what, key))
            session_key(session, key);
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

/* ---- pages ---- */

bool apply_anywhere(struct session *session, enum command command)
{
    if (command != COMMAND_QUIT_NOW && command != COMMAND_SUSPEND && command != COMMAND_REPAINT)
        return false;
    session_apply(session, command);
    return true;
}

/* ---- the table of families ---- */

static void open_families(struct session *session)
{
    free(session->families);
    session->families = families_run(&session->now.scenario, session->now.table,
                                     &session->family_count);
    if (session->families == NULL) {
        refuse(session, "there is not enough memory to run all families");
        return;
    }
    families_sort(session->families, session->family_count, session->family_sort);
    session->mode = MODE_FAMILIES;
    session->family_cursor = 0;
    while (session->family_cursor + 1 < session->family_count &&
           session->families[session->family_cursor].family != session->now.scenario.schedule)
        session->family_cursor++;
}

static void sort_families(struct session *session, int step)
{
    const struct pg_family *chosen = session->families[session->family_cursor].family;
    int column = ((int)session->family_sort + FAMILY_COLUMNS + step) % FAMILY_COLUMNS;

    session->family_sort = (enum family_column)column;
    families_sort(session->families, session->family_count, session->family_sort);
    for (uint32_t i = 0; i < session->family_count; i++)
        if (session->families[i].family == chosen)
            session->family_cursor = i;
}

static void families_key(struct session *session, const char *key)
{
    enum command command = command_of_key(key);
    uint32_t last = session->family_count - 1;

    switch (command) {
    case COMMAND_MOVE_UP:
        session->family_cursor -= session->family_cursor > 0;
        break;
    case COMMAND_MOVE_DOWN:
        session->family_cursor += session->family_cursor < last;
        break;
    case COMMAND_MOVE_FIRST:
    case COMMAND_MOVE_LAST:
        session->family_cursor = command == COMMAND_MOVE_FIRST ? 0 : last;
        break;
    case COMMAND_MOVE_LEFT:
    case COMMAND_MOVE_RIGHT:
        sort_families(session, command == COMMAND_MOVE_LEFT ? -1 : 1);
        break;
    case COMMAND_COSTS_TYPE:
        session->mode = MODE_CHART;
        if (session->families[session->family_cursor].table != NULL)
            session_take_table(session, session->now.table);
        else
            change_to_family(session, session->families[session->family_cursor].family);
        break;
    case COMMAND_FAMILIES:
    case COMMAND_QUIT:
    case COMMAND_CANCEL:
        session->mode = MODE_CHART;
        break;
    default:
        apply_anywhere(session, command);
        break;
    }
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
        session->mode = session->home;
    else if (apply_anywhere(session, command))
        return;
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
    case COMMAND_RECOVER:
        ask_request(session, REQUEST_KEPT, NULL);
        break;
    default:
        prompt_open(session, PROMPT_COMMAND, ":", "");
    }
}

static void apply_program_command(struct session *session, enum command command)
{
    switch (command) {
    case COMMAND_HELP:
        session_aside(session, MODE_HELP);
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
    if (learn_apply(session, command))
        return;
    if (command == COMMAND_COMPARE || command == COMMAND_COMPARE_SWAP) {
        compare_apply(session, command);
    } else if (command == COMMAND_FAMILIES) {
        open_families(session);
    } else if (command == COMMAND_SWEEP) {
        sweep_open(session);
    } else if (command == COMMAND_BUILD) {
        build_open(session);
    } else if (command == COMMAND_ADVICE) {
        advice_open(session);
    } else if (command == COMMAND_BUBBLE_VIEW) {
        session->is_bubble_view = !session->is_bubble_view;
        say(session, session->is_bubble_view ? "bubble view: work in grey, idle bright" : "");
    } else if (command == COMMAND_UNDO || command == COMMAND_REDO) {
        for (uint32_t i = 0, n = session->count > 0 ? session->count : 1; i < n; i++) {
            size_t left = command == COMMAND_UNDO ? session->history.past_count
                                                  : session->history.future_count;
            time_travel(session, command == COMMAND_UNDO);
            if (left <= 1 || session->is_error)
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
    } else if (command == COMMAND_MEMORY) {
        memory_toggle(session);
    } else if (group == GROUP_PLAY) {
        play_apply(session, command);
    } else if (group == GROUP_EXPLAIN) {
        explain_apply(session, command);
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
    case MODE_FAMILIES:
        families_key(session, key);
        return;
    case MODE_ADVICE:
        advice_key(session, key);
        return;
    case MODE_SWEEP:
        sweep_key(session, key);
        return;
    case MODE_IDLE:
        idle_key(session, key);
        return;
    case MODE_COMPARE:
        if (compare_key(session, key))
            return;
        break;
    case MODE_BUILD:
        build_key(session, key);
        return;
    case MODE_CHART:
        break;
    }
    if (take_digit(session, key) || play_key(session, key))
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
    else if (session->mode == MODE_SWEEP)
        sweep_paste(session, text);
    else if (session->mode == MODE_CHART || session->mode == MODE_COMPARE) /* a question stays to be read */
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
    session->pinned = PG_NONE;
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
    free(session->families);
    sweep_page_free(session->sweep);
    advice_page_free(session->advice);
    compare_free(session);
    build_free(session);
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
        build_show_lane(session);
    }
    session->help_rows = view->help_rows;
    session->help_lines = view->help_lines;
}

void session_snapshot(struct session *session, struct snapshot *snapshot)
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
        .families = {session->families, session->family_count, session->family_cursor,
                     session->family_sort},
        .play = session->play,
        .has_memory = session->has_memory,
        .sweep = sweep_page_look(session->sweep),
        .build = build_look(session),
        .advice = session->advice,
        .help_top = session->help_top,
        .lane_top = session->lane_top,
        .slide = now->slide,
        .slides = now->slide == PG_NONE ? 1 : session->slides,
    };
    explain_snapshot(session, snapshot);
    compare_snapshot(session, snapshot);
    play_snapshot(session, snapshot);
    learn_view(session, &snapshot->lesson);
}
