/* A running session: a state machine with no terminal in it.
 *
 * Keys go in by name, a snapshot for drawing comes out, and what only the program around it can do
 * (read and write files, suspend, quit) comes out as a request. Everything an undo must bring back
 * is one struct, `state`; history is a list of those. Each change runs the core into an outcome that
 * nothing needs and shows it on success, so that a bad edit leaves the old chart standing. */
#ifndef MODEL_SESSION_H
#define MODEL_SESSION_H

#include "model/build.h"
#include "model/command.h"
#include "model/compare.h"
#include "model/families.h"
#include "model/lesson.h"
#include "model/resolve.h"

struct session;
struct sweep_page;
struct advice_page;
struct batch;

/* What is selected on a lane: an operation, or the gap before operation `index` (index = count: the
 * gap after the last one). */
struct selection {
    bool is_all;     /* the row above stage 0: keys act on all stages, nothing else counts */
    uint32_t device;
    bool is_gap;
    uint32_t index;
};

/* The part of time on screen. While `is_fit` it is the whole step, whatever that is. */
struct window {
    bool is_fit;
    double start, span;
};

/* What differences are taken against. */
struct baseline {
    double makespan, bubble, peak_stash;
    double peak_memory; /* weighted; peak_stash where activations are not given */
};

enum mode {
    MODE_CHART,
    MODE_HELP,
    MODE_FAMILIES,
    MODE_IDLE,
    MODE_PROMPT,
    MODE_CONFIRM,
    MODE_COMPARE,
    MODE_SWEEP,
    MODE_BUILD,
    MODE_ADVICE,
};

/* A line being typed. */
struct prompt {
    const char *label; /* ":" or "costs of stage 2 (forward, backward): " */
    const char *line;
    size_t cursor; /* bytes before it */
};

/* The table of families while it is open. */
struct families_view {
    const struct family_row *rows;
    uint32_t count, cursor;
    enum family_column sorted;
};

/* A moment that sweeps over the step. While it is on, the chart is told apart at `time`. */
struct play {
    bool is_on, is_running;
    double time;
    double speed; /* 1: the whole step in PLAY_SECONDS */
};

#define PLAY_SECONDS 20

/* The page of idle time while it is open. */
struct idle_view {
    const struct pg_idle_report *report; /* NULL: no memory for it */
    uint32_t cursor;                     /* 0: all devices, then one after another */
    bool is_by_place;                    /* bars show place, not cause */
};

/* The step of a lesson that is shown. */
struct lesson_view {
    const struct lesson *step; /* NULL: none is */
    uint32_t number, count;    /* from 1 */
    const struct reply *reply; /* on the answer given last; NULL: none */
};

/* What a frame is drawn from. Borrowed from the session: valid until the next call that changes it. */
struct snapshot {
    const struct scenario *scenario;
    const struct outcome *outcome;
    struct baseline baseline;
    bool has_baseline;       /* there is a difference worth showing */
    const char *name;        /* of the file; "" for the default scenario */
    bool is_unsaved;
    struct selection selection;
    uint32_t edited_stage;   /* PG_NONE: all */
    struct window window;
    bool is_bubble_view;
    enum mode mode;
    const char *message;
    bool is_error;           /* the message is a refusal */
    uint32_t count;          /* number typed before a key, 0 for none */
    struct prompt prompt;
    struct families_view families;
    struct play play;
    bool has_memory;              /* memory lanes are wanted */
    const struct pg_stash *stash; /* levels for these two; NULL: not wanted, or no memory for them */
    const struct sweep_page *sweep; /* of MODE_SWEEP: sweep_page.h */
    const struct advice_page *advice; /* of MODE_ADVICE: advice_page.h */
    const struct pg_path *path;     /* to be seen in the chart, or on the page of idle time; or NULL */
    const double *const *latest;    /* of every operation, where one is selected; or NULL */
    struct idle_view idle;
    struct lesson_view lesson;
    const struct build_view *build; /* the puzzle while it is on screen, else NULL */
    uint32_t help_top;
    uint32_t lane_top;       /* first lane on screen when not all fit */
    struct compared compared; /* what is pinned, when something is */
    uint32_t slide, slides;  /* from 0; slides is 1 without a show, slide PG_NONE outside of one */
};

enum request_kind {
    REQUEST_NONE,
    REQUEST_QUIT,
    REQUEST_SUSPEND,
    REQUEST_REPAINT,
    REQUEST_SAVE,     /* path */
    REQUEST_OPEN,     /* path: a file or the name of an installed scenario */
    REQUEST_RELOAD,   /* path */
    REQUEST_TABLE,    /* path: a schedule table; answer with session_take_table */
    REQUEST_SLIDE,    /* slide */
    REQUEST_COMPLETE, /* path: what of a file's name is typed; answer with session_complete */
    REQUEST_KEPT,     /* what earlier runs kept: offers the first */
    REQUEST_RECOVER,  /* the offered changes of an earlier run */
    REQUEST_FORGET,   /* deletes them */
    REQUEST_OFFER,    /* keeps them, and offers the next ones */
    REQUEST_LESSON,   /* the course that comes with the program: session_begin_course */
    REQUEST_PROGRESS, /* a step of the course was answered rightly */
};

struct request {
    enum request_kind kind;
    const char *path; /* borrowed from the session until the next key */
    uint32_t slide;
    bool is_forced;   /* save, quit: a question was answered */
    bool quits_after; /* save: and then quit */
};

/* Where a scenario came from. */
struct origin {
    const char *name;       /* shown; "" for the default */
    const char *path;       /* what Ctrl-S writes; NULL: it asks for a name */
    bool has_comments;      /* a save loses them: it asks first */
};

/* NULL when out of memory. */
struct session *session_make(void);
void session_free(struct session *session);

/* Takes a scenario up as loaded: it becomes the state, the baseline and what "unsaved" is measured
 * against. An undoable change unless it is the first. False (state as before, message set) when the
 * core refuses it. */
bool session_load(struct session *session, const struct scenario *scenario,
                  const struct origin *origin, struct refusal *refusal);
/* The same for a scenario that was run already: the session takes the outcome over, and leaves it
 * empty. The core runs when it is empty before. */
bool session_load_run(struct session *session, const struct scenario *scenario,
                      struct outcome *outcome, const struct origin *origin,
                      struct refusal *refusal);
/* The table asked for becomes the schedule: a change like any other. It is shared. */
void session_take_table(struct session *session, struct table *table);
/* Pins what is loaded as A, before the one that is to be B is loaded. False when out of memory. */
bool session_pin_loaded(struct session *session);
/* The scenario just loaded is one of a show. */
void session_set_slides(struct session *session, uint32_t slide, uint32_t slides);
/* The state was written to `path`. */
void session_saved(struct session *session, const char *path);
/* Takes a course up, which stays the caller's, and shows a step of it. Steps answered rightly are
 * marked in it. */
void session_begin_course(struct session *session, struct course *course, uint32_t step);
/* The order on screen was written to `path` as a table. */
void session_table_saved(struct session *session, const char *path);
void session_message(struct session *session, const char *message, bool is_error);
/* Replaces what is typed of a file's name. */
void session_complete(struct session *session, const char *text);

/* A key by name; printable characters by themselves. */
void session_key(struct session *session, const char *key);
/* Pasted text: goes into a prompt, and nowhere else. */
void session_paste(struct session *session, const char *text);
void session_apply(struct session *session, enum command command);
/* A click: select what is at a time on a lane. */
void session_select_at(struct session *session, uint32_t device, double time);
void session_select_all(struct session *session);
/* Mouse wheel and drag: zoom by a factor around a time, or move the window by a span of time. */
void session_zoom_at(struct session *session, double factor, double time);
void session_pan_by(struct session *session, double time);

/* Time goes by for a session that plays: the program around it owns the clock. */
bool session_is_playing(const struct session *session);
void session_tick(struct session *session, double seconds);

/* What the view found room for: the window as it is in fact (the view decides the scale of a fitted
 * one), the columns of the chart, lanes at a time, rows of the help screen, or of another page, and
 * lines it has in all.
 * Pans, zooms and scrolls start from there. */
struct session_view {
    double start, span;
    uint32_t columns, lanes, help_rows, help_lines;
};
void session_set_view(struct session *session, const struct session_view *view);

/* A question about a request that the program found a reason to ask: on yes it is made again,
 * forced. */
void session_confirm(struct session *session, const char *question,
                     const struct request *request);

/* One thing to do, taken off the session; kind REQUEST_NONE when there is none. */
struct request session_take_request(struct session *session);
/* Not const: explanations are worked out when they are first looked at. */
void session_snapshot(struct session *session, struct snapshot *snapshot);
/* The longest time there is to see: the makespan, or that of the longer one of a comparison. */
double snapshot_extent(const struct snapshot *snapshot);
/* Runs that the session waits for, to be worked at (workers.h) between its keys; NULL: none. What is
 * not done yet is shown as missing. Another batch than before: the one before is of no use. */
struct batch *session_batch(struct session *session);
bool session_is_unsaved(const struct session *session);

/* Changes that no file has. */
struct unsaved {
    const struct scenario *scenario;
    const char *name, *path; /* of the file they belong to; path NULL where a save asks for it */
    uint32_t recovered;      /* as given to session_recover; 0: made in this session */
    bool is_pinned;          /* A of a comparison */
};

#define UNSAVED_MOST 16
/* All there are, the state's first, then what is pinned beside it, then those that slides and opened files
 * left behind for undo, newest first. */
size_t session_unsaved(const struct session *session, struct unsaved unsaved[UNSAVED_MOST]);
/* What is built by hand and neither taken nor written; false when there is none. The scenario is that
 * of its rules. */
bool session_unsaved_build(const struct session *session, struct unsaved *unsaved);
/* What it was recovered from, once it is written to a table; else 0. */
uint32_t session_written_build(const struct session *session);
/* Its moves as text that session_recover_build reads back. */
size_t session_build_size(const struct session *session);
void session_build_write(const struct session *session, struct text *out);
/* Another number when the answers may be other ones. */
uint64_t session_moves(const struct session *session);
/* Asks what is to become of changes that an earlier run could not save. */
void session_offer(struct session *session, const char *question);
/* Takes them up. `saved` is what the file has, NULL where there is none; `id` (not 0) is theirs until
 * they are saved. */
bool session_recover(struct session *session, const struct scenario *scenario,
                     const struct scenario *saved, const struct origin *origin, uint32_t id,
                     struct refusal *refusal);
/* Takes up what was built by hand: `moves` on the rules of `scenario`, which becomes the state. */
bool session_recover_build(struct session *session, const struct scenario *scenario,
                           const char *moves, uint32_t id, struct refusal *refusal);
/* What Ctrl-S writes; NULL where it asks for a name. */
const char *session_path(const struct session *session);
/* What that file has, as far as the session knows; NULL when it does not. */
const struct scenario *session_saved_scenario(const struct session *session);

/* Start and end of the gap before operation `index`. */
void gap_bounds(const struct pg_plan *plan, uint32_t device, uint32_t index, double *start,
                double *end);

#endif
