/* What the files that make up a session share: the session itself.
 *
 * session.c owns the life of it, takeup.c what makes another state the present one, history.c the past, select.c what is selected and seen, change.c
 * every change of the scenario, prompt.c what is typed, pin.c what is
 * compared against. Nothing outside src/model includes this. */
#ifndef MODEL_STATE_H
#define MODEL_STATE_H

#include "model/edit.h"
#include "model/session.h"

/* A file as it is on disk. The states that came from it share it, so saving is no change to undo. */
struct file {
    uint32_t refs;
    struct scenario saved;      /* unsaved means: the scenario differs from this */
    struct string *name, *path; /* path NULL: saving asks for a name */
    bool has_comments;
    bool is_unknown;    /* nobody knows what was saved: unsaved until it is */
    uint32_t recovered; /* which changes of an earlier run it has, not saved yet; 0: none */
};

/* What is compared against: a scenario as it was when it was pinned, with all that exchanging it for
 * the present one has to bring along. The states that were made while it was pinned share it. */
struct pin {
    uint32_t refs;
    struct scenario scenario;
    struct table *table;
    struct file *file;
    struct baseline baseline;
    uint32_t slide;
};

/* Everything that undo brings back. */
struct state {
    struct scenario scenario;
    struct table *table; /* the last one that was the schedule: the families' list leads back */
    struct file *file;
    struct baseline baseline;
    struct selection selection;
    double aim; /* time that moving from lane to lane keeps to */
    struct window window;
    uint32_t slide; /* of the show; PG_NONE: not part of it */
    bool was_unsaved; /* when it became the past */
    bool is_recovered; /* an earlier run made it, or what it comes from */
    struct pin *pin; /* A of a comparison, of which the state is B; NULL: none */
    uint32_t step;  /* of the course; PG_NONE: not part of it */
};

/* Two of them for a change, one for what is pinned, one for an undo that changes both. */
enum { OUTCOMES = 4 };

struct history {
    struct state *past, *future; /* last one first to come back */
    size_t past_count, future_count, past_room, future_room;
    size_t bytes; /* that the past keeps alive: see history.c */
    uint64_t moves; /* times that what is unsaved may have become something else */
};

enum confirm {
    CONFIRM_NONE,
    CONFIRM_QUIT,
    CONFIRM_SAVE,
    CONFIRM_LAYERS,
    CONFIRM_RECOVER,
    CONFIRM_FORGET,
};

enum prompt_kind { PROMPT_COMMAND, PROMPT_COSTS, PROMPT_SAVE, PROMPT_OPEN, PROMPT_ANSWER };

#define LINE_SIZE 4096
#define MESSAGE_SIZE 640
#define REMEMBERED_LINES 32

struct line {
    enum prompt_kind kind;
    bool quits_after; /* of PROMPT_SAVE: the program is to end when it is saved */
    char label[80];
    char text[LINE_SIZE];
    size_t length, cursor;
    char *past[REMEMBERED_LINES]; /* command lines given before, newest first */
    uint32_t past_at;             /* 0: the line being typed */
    char typed[LINE_SIZE];        /* that line, while older ones are looked at */
};

struct session {
    struct state now;
    struct history history;
    struct outcome outcomes[OUTCOMES];
    uint32_t shown;  /* which outcome the state has */
    uint32_t before; /* which it had before the last run */
    uint32_t pinned; /* which what is pinned has; PG_NONE: nothing is */
    bool is_loaded;
    enum mode mode, home; /* home: where help, a line and a question go back to */
    struct puzzle *puzzle; /* NULL until one is opened */
    struct line line;
    enum confirm confirm;
    char message[MESSAGE_SIZE];
    bool is_error;
    uint32_t count;
    bool is_bubble_view;
    uint32_t lane_top;
    uint32_t slides;
    struct request request, held; /* held: made when a question is answered with yes */
    char request_path[LINE_SIZE];
    double view_start, view_span;
    struct family_row *families; /* while MODE_FAMILIES */
    uint32_t family_count, family_cursor;
    struct play play;
    bool has_memory;
    enum family_column family_sort;
    struct sweep_page *sweep; /* NULL: never opened */
    struct advice_page *advice; /* likewise */
    bool shows_path;      /* the critical path stands out */
    uint32_t idle_cursor; /* while MODE_IDLE */
    bool idle_by_place;
    uint32_t columns, lanes, help_rows, help_lines, help_top;
    uint32_t compare_top; /* first line of the page of numbers */
    struct course *course; /* the app's; NULL: none runs */
    uint32_t lesson_at;    /* the step that was shown last */
    bool is_lesson_hidden;
    struct reply reply; /* on an answer to step `reply_step` */
    uint32_t reply_step;
};

static inline struct outcome *session_outcome(struct session *session)
{
    return &session->outcomes[session->shown];
}

static inline const struct pg_plan *session_plan(const struct session *session)
{
    return &session->outcomes[session->shown].plan;
}

/* To help, a line or a question, which go back to the puzzle when they were opened there. */
static inline void session_aside(struct session *session, enum mode mode)
{
    session->home = session->mode == MODE_BUILD ? MODE_BUILD : MODE_CHART;
    session->mode = mode;
}

/* history.c */
void state_copy(struct state *to, const struct state *from);
void state_free(struct state *state);
/* Room for one state more: after it the next push cannot fail. */
bool history_reserve(struct history *history);
void pin_release(struct pin **pin);
/* Remembers `state` as the past of a change; what had been undone is forgotten. */
bool history_push(struct history *history, const struct state *state);
/* Swaps `state` with the last of the past, or of the future. False when there is none. */
bool history_undo(struct history *history, struct state *state);
bool history_redo(struct history *history, struct state *state);
void history_free(struct history *history);

/* session.c */
/* Is there a show, and is this a part of it? */
bool session_is_slide(const struct session *session);
/* No message stands. */
void hush(struct session *session);
void say(struct session *session, const char *message);
void refuse(struct session *session, const char *message);
void ask_request(struct session *session, enum request_kind kind, const char *path);
void ask_question(struct session *session, enum confirm what, const char *question);
/* Runs the core for `next`; on success next (handed over) is the state, the old one is remembered,
 * and the message is `what` with the figures before and after. On failure next is freed, the
 * message says why. */
bool take_up(struct session *session, struct state *next, const char *what);

/* unsaved.c */
bool state_is_unsaved(const struct state *state);
/* The question before the end; false when nothing is unsaved. */
bool unsaved_question(const struct session *session, struct text *text);
/* A key while changes of an earlier run are offered; false when it is to do what it does elsewhere. */
bool offer_key(struct session *session, enum confirm what, const char *key);

/* takeup.c */
struct baseline baseline_of(const struct outcome *outcome);
/* ": makespan 33→36, ..." */
void baseline_write(struct text *text, const struct baseline *before, const struct baseline *after);
/* An outcome that nothing needs: neither the state, nor what is pinned, nor, where that is to be
 * kept, the state before. */
uint32_t outcome_spare(const struct session *session, bool keeps_before);
/* To the state before the last change, or back again. */
void time_travel(struct session *session, bool is_undo);

/* change.c */
void change_apply(struct session *session, enum command command);
/* Sets a parameter from text, as `:` does. */
void change_param(struct session *session, enum param param, const char *value);
void change_costs_typed(struct session *session, const char *value);
uint32_t edited_stage(const struct session *session);

/* advice_page.c */
void advice_open(struct session *session);
void advice_key(struct session *session, const char *key);
struct batch *advice_page_batch(struct advice_page *page);
void advice_page_free(struct advice_page *page);

/* sweep_page.c */
void sweep_open(struct session *session);
void sweep_key(struct session *session, const char *key);
void sweep_paste(struct session *session, const char *text);
/* Looks for crossovers among what is done by now. */
const struct sweep_page *sweep_page_look(struct sweep_page *page);
void sweep_page_free(struct sweep_page *page);

void change_to_family(struct session *session, const struct pg_family *family);

/* select.c */
void select_apply(struct session *session, enum command command);
/* Makes the selection point at the operation it pointed at in `old`, as far as that exists. */
void select_again(struct session *session, const struct pg_plan *old, const struct selection *was);
/* Scrolls the lanes to the selection. */
void select_show_lane(struct session *session);

/* A key that does on a page what it does anywhere: quit at once, suspend, repaint. False: none of
 * these. */
bool apply_anywhere(struct session *session, enum command command);

/* explain.c */
void explain_apply(struct session *session, enum command command);
void idle_key(struct session *session, const char *key);
void explain_snapshot(struct session *session, struct snapshot *snapshot);
/* learn.c */
/* False when the command means something else here. */
bool learn_apply(struct session *session, enum command command);
void learn_answer(struct session *session, const char *typed);
void learn_view(const struct session *session, struct lesson_view *view);

/* pin.c */
void compare_apply(struct session *session, enum command command);
/* True when the page of numbers took the key. */
bool compare_key(struct session *session, const char *key);
/* The outcome of a pin, run anew where it is not at hand: *pinned is PG_NONE for no pin. */
bool pin_outcome(struct session *session, const struct pin *pin, uint32_t *pinned,
                 struct refusal *refusal);
/* After outcomes changed: nothing is kept that nothing needs. */
void compare_refresh(struct session *session);
/* The longest time there is to see. */
double session_extent(const struct session *session);
void compare_snapshot(struct session *session, struct snapshot *snapshot);
void compare_free(struct session *session);
/* build.c and build_key.c */
void build_open(struct session *session);
void build_key(struct session *session, const char *key);
void build_select(struct session *session, uint32_t device);
/* The puzzle while it is on screen, else NULL. */
const struct build_view *build_look(const struct session *session);
/* Scrolls its lanes to the device that is looked at. */
void build_show_lane(struct session *session);
void build_free(struct session *session);
/* Is anything built that is neither written nor taken? */
bool build_is_unsaved(const struct session *session);

/* play.c */
void play_apply(struct session *session, enum command command);
/* A key that means something else while a moment is on screen; true when it was taken. */
bool play_key(struct session *session, const char *key);
void play_snapshot(struct session *session, struct snapshot *snapshot);

/* memory.c */
void memory_toggle(struct session *session);

/* prompt.c */
void prompt_open(struct session *session, enum prompt_kind kind, const char *label,
                 const char *text);
void prompt_key(struct session *session, const char *key);
void prompt_insert(struct session *session, const char *text);
void prompt_free(struct session *session);

#endif
