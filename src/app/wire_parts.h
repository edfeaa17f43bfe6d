/* What the parts of wire.h share: how the terminal writes at the moment, and what it takes to have it
 * write another way (wire_pen.c); ways to bring rows to the screen (wire_paint.c, wire_route.c). */
#ifndef APP_WIRE_PARTS_H
#define APP_WIRE_PARTS_H

#include "app/wire.h"

#define WIRE_NOBODYS 0xff /* a paper that no cell has: whatever is shown, it is not what is wanted */

/* Palette indices, -1 the terminal's own, -2 whatever it is. */
struct look {
    int ink, paper;
    bool is_bold, is_reverse;
};

/* Where the terminal writes and how; -1: not known. A cursor behind the last column waits there to
 * wrap. */
struct pen {
    struct look look;
    int x, y;
};

/* A frame under way. `shown` follows what is written; `room` is for what it was before. */
struct job {
    const struct wire *wire;
    const struct grid *grid;
    struct grid *shown, *room;
    struct text *out;
    struct pen pen;
    int columns;
    bool is_mono;
    int16_t index[256]; /* of the palette, by enum colour */
};

/* Cells of a row from a column on that are written in one go: one look, blanks on its paper. */
struct stroke {
    int x, y, count;
    int end; /* where the cursor is behind it */
    struct look look;
    bool is_blank; /* all of them: the ink is any */
};

static inline const struct cell *job_row(const struct job *job, int y)
{
    return job->grid->cells + (size_t)y * (size_t)job->columns;
}

static inline struct cell *job_shown(const struct job *job, int y)
{
    return job->shown->cells + (size_t)y * (size_t)job->columns;
}

/* A blank shows its paper and nothing else. */
static inline bool wire_is_blank(const struct cell *cell)
{
    return cell->glyph == ' ' && !(cell->attributes & (ATTR_REVERSE | ATTR_REVERSE_MONO));
}

/* Do two cells look the same? Colours may share an index. */
static inline bool wire_is_same(const struct job *job, const struct cell *a, const struct cell *b)
{
    if (a->glyph != b->glyph || job->index[a->paper] != job->index[b->paper])
        return false;
    return (job->index[a->ink] == job->index[b->ink] && a->attributes == b->attributes) ||
           (wire_is_blank(a) && wire_is_blank(b));
}

static inline struct cell *job_room(const struct job *job, int y)
{
    return job->room->cells + (size_t)y * (size_t)job->columns;
}

/* ---- wire_pen.c ---- */

extern const struct look wire_plain;

struct look wire_look_of(const struct job *job, const struct cell *cell);
bool wire_look_equal(const struct look *a, const struct look *b);
/* The look that a cell needs when the pen has one; of a blank's ink and weight that is any. */
struct look wire_look_for(const struct job *job, const struct look *has, const struct cell *cell);
void wire_set_look(struct job *job, struct look wanted);
/* "ESC [ n letter", of which one is what is meant without a number. */
void wire_control(struct text *out, int n, char letter);
int wire_look_cost(const struct job *job, const struct look *has, const struct look *wanted);

/* Where the pen is to go; on its way it may write over cells that are still to come. */
struct place {
    int x, y;
    bool may_spoil;
};

void wire_move(struct job *job, int x, int y);
/* The same, by writing a few cells again where that is shorter. */
void wire_reach(struct job *job, const struct place *to);
int wire_reach_cost(const struct job *job, const struct look *look, int from_x, int from_y,
                    const struct place *to);

/* ---- wire_paint.c ---- */

/* Writes the cells [from, to) of a row that differ from what is shown, from left to right. */
void wire_write_row(struct job *job, int y, int from, int to);
/* Brings rows [from, to) to the screen in the shorter of two ways, row by row or look by look. */
void wire_paint(struct job *job, int from, int to);

/* ---- wire_route.c ---- */

#define WIRE_MOST_STROKES 64

/* Strokes that the frame consists of; more than WIRE_MOST_STROKES when there are too many. */
int wire_find_strokes(const struct job *job, struct stroke *strokes);
/* In which order they need few bytes. */
void wire_route(const struct job *job, struct stroke *strokes, int count);

#endif
