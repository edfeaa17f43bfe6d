/* What the files of the puzzle share: the puzzle itself.
 *
 * build.c owns the life of it (opening, figures, what becomes of a finished order), build_play.c
 * the moves, the hints and the machine, build_key.c the way of a key to them, build_words.c the
 * sentences, build_kept.c the way out of a run of the program and into the next. Nothing outside src/model includes this. */
#ifndef MODEL_BUILD_STATE_H
#define MODEL_BUILD_STATE_H

#include "model/build.h"
#include "model/state.h"

enum question { ASK_NOTHING, ASK_POLICY, ASK_LEAVE };

struct puzzle {
    struct scenario scenario; /* rules and costs */
    struct outcome outcome;   /* its costs; plan and metrics are those of what is built */
    struct pg_arena arena;
    void *block;
    struct pg_build build;
    struct pg_step *moves;    /* of the device, */
    double *shown_work;       /* what idle shares are reckoned from, */
    double *shown_memory;     /* and what marks of the limit are: all in the arena */
    struct family_row *rows;  /* all families on these costs, by makespan */
    uint32_t row_count;
    char names[400], none[300];
    char *written;            /* the file that has this order; NULL: none */
    bool is_taken;            /* this order became the schedule: */
    struct table *taken;      /* as this table; NULL: as a family */
    uint32_t recovered;       /* what an earlier run kept of it, not written yet; 0: none */
    uint32_t number;          /* micro-batch typed before a key */
    bool has_number;
    enum question question;
    bool is_to_drop;          /* it was said that another E drops it for one of another size */
    struct build_view view;
};

/* build.c */
/* A puzzle by the rules of a scenario (handed over). NULL with a message where it cannot be. */
struct puzzle *puzzle_make(struct session *session, struct scenario *scenario);
void puzzle_free(struct puzzle *puzzle);
/* Figures and the list of moves, of what is placed and looked at. */
void build_refresh(struct session *session);
/* What is placed is another. */
void build_changed(struct session *session);
/* Is it a family that can be compared: possible, under the limit? Could it be built by these
 * rules? */
bool build_is_rival(const struct puzzle *puzzle, const struct family_row *row);
bool build_keeps_rules(const struct puzzle *puzzle, const struct family_row *row);
void build_take(struct session *session);
/* All is taken back; of an empty chart: another one, by the rules of the present schedule. */
void build_restart(struct session *session);

/* build_play.c */
void build_put_kind(struct session *session, enum pg_kind kind);
void build_put_pair(struct session *session);
/* Why the device has no move. */
void build_write_none(const struct puzzle *puzzle, struct text *out);
void build_place_chosen(struct session *session);
void build_choose(struct session *session, int step);
void build_move_device(struct session *session, uint32_t device);
void build_undo(struct session *session, bool is_undo);
void build_hint(struct session *session);
/* Asks for a policy, and finishes by the one that was asked for. */
void build_ask_policy(struct session *session);
void build_answer_policy(struct session *session, const char *key);

#endif
