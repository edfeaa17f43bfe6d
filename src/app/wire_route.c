/* An order for the few strokes of a frame in which little changes: see wire_parts.h.
 *
 * From stroke to stroke a move and a change of look are paid, and what one look costs at one place may
 * be had for nothing at another. It is a traveller's tour: begun from top to bottom, then stretches of
 * it are taken out and put where they cost less, until there is no such place. */
#include "app/wire_parts.h"

#include <string.h>

#define LONGEST 8 /* strokes that are moved together */
#define ROUNDS 16 /* through all of them */
#define NODES (WIRE_MOST_STROKES + 2)

/* ---- strokes ---- */

static bool fits(const struct job *job, const struct stroke *stroke, const struct cell *cell)
{
    if (wire_is_blank(cell))
        return stroke->look.paper == job->index[cell->paper] && !stroke->look.is_reverse;
    struct look look = wire_look_of(job, cell);
    return wire_look_equal(&stroke->look, &look) ||
           (stroke->is_blank && stroke->look.paper == look.paper && !look.is_reverse);
}

/* The stroke that begins in a column; over a few cells that are as wanted it goes on. */
static struct stroke stroke_from(const struct job *job, int x, int y)
{
    const struct cell *row = job_row(job, y), *old = job_shown(job, y);
    struct stroke stroke = {x, y, 0, x, wire_look_of(job, &row[x]), wire_is_blank(&row[x])};

    for (int at = x; at < job->columns && at - x - stroke.count <= 3; at++) {
        bool is_changed = !wire_is_same(job, &row[at], &old[at]);
        if (!fits(job, &stroke, &row[at]) || (!is_changed && row[at].glyph > '~'))
            break;
        if (!wire_is_blank(&row[at])) {
            stroke.look = wire_look_of(job, &row[at]);
            stroke.is_blank = false;
        }
        if (is_changed)
            stroke.count = at + 1 - x;
        if (!wire_is_blank(&row[at]))
            stroke.end = at + 1;
    }
    int blanks = x + stroke.count - stroke.end; /* what is erased leaves the cursor before it */
    if (blanks <= 3 || x + stroke.count < job->columns)
        stroke.end = x + stroke.count;
    return stroke;
}

static bool is_wide(const struct job *job, int x, int y)
{
    return job_row(job, y)[x].glyph == 0 || job_shown(job, y)[x].glyph == 0;
}

int wire_find_strokes(const struct job *job, struct stroke *strokes)
{
    int count = 0;

    for (int y = 0; y < job->grid->rows; y++) {
        const struct cell *row = job_row(job, y), *old = job_shown(job, y);
        int first = count;
        bool has_wide = false;
        for (int x = 0; x < job->columns; x++) {
            has_wide = has_wide || is_wide(job, x, y);
            if (wire_is_same(job, &row[x], &old[x]))
                continue;
            if (count == WIRE_MOST_STROKES)
                return WIRE_MOST_STROKES + 1;
            strokes[count] = stroke_from(job, x, y);
            x += strokes[count++].count - 1;
        }
        if (has_wide && count > first)
            return WIRE_MOST_STROKES + 1; /* its halves have to stay together */
    }
    return count;
}

/* ---- a tour ---- */

struct tour {
    short nodes[NODES]; /* [0] the beginning, [count + 1] the end */
    short cost[NODES][NODES];
    int count;
};

/* Blanks take the ink that there is, so behind them it may be any. */
static int cost_between(const struct job *job, const struct stroke *from, const struct stroke *to)
{
    struct look has = from == NULL ? job->pen.look : from->look, wanted;

    if (from != NULL && from->is_blank)
        has.ink = -2;
    wanted = to->look;
    if (to->is_blank && has.paper == wanted.paper && !has.is_reverse) {
        wanted = has;
    } else if (to->is_blank && wanted.paper >= 0) {
        wanted.ink = has.ink;
        wanted.is_bold = has.is_bold;
    }
    return wire_look_cost(job, &has, &wanted) +
           wire_reach_cost(job, &has, from == NULL ? job->pen.x : from->end,
                           from == NULL ? job->pen.y : from->y,
                           &(struct place){to->x, to->y, false});
}

static void tour_begin(struct tour *tour, const struct job *job, const struct stroke *strokes,
                       int count)
{
    tour->count = count;
    for (int i = 0; i <= count + 1; i++)
        tour->nodes[i] = (short)i;
    for (int i = 0; i <= count; i++) {
        for (int k = 1; k <= count; k++)
            tour->cost[i][k] =
                (short)cost_between(job, i == 0 ? NULL : &strokes[i - 1], &strokes[k - 1]);
        tour->cost[i][count + 1] =
            i > 0 && !wire_look_equal(&strokes[i - 1].look, &wire_plain) ? 3 : 0;
    }
}

/* Moves `count` nodes from `at` so that they follow node `to`, which is none of them. */
static void tour_move(struct tour *tour, int at, int count, int to)
{
    short kept[LONGEST];
    size_t size = sizeof *kept;

    memcpy(kept, tour->nodes + at, (size_t)count * size);
    if (to > at) {
        memmove(tour->nodes + at, tour->nodes + at + count, (size_t)(to - at - count + 1) * size);
        memcpy(tour->nodes + to - count + 1, kept, (size_t)count * size);
    } else {
        memmove(tour->nodes + to + 1 + count, tour->nodes + to + 1, (size_t)(at - to - 1) * size);
        memcpy(tour->nodes + to + 1, kept, (size_t)count * size);
    }
}

/* The best place for `count` nodes from `at`; false when it is where they are. */
static bool improve(struct tour *tour, int at, int count)
{
    const short *n = tour->nodes;
    int first = n[at], last = n[at + count - 1], before = n[at - 1], after = n[at + count];
    int gain = tour->cost[before][first] + tour->cost[last][after] - tour->cost[before][after];
    int best = gain, to = -1;

    for (int i = 0; i <= tour->count; i++) {
        if (i >= at - 1 && i < at + count)
            continue;
        int added = tour->cost[n[i]][first] + tour->cost[last][n[i + 1]] -
                    tour->cost[n[i]][n[i + 1]];
        if (added < best) {
            best = added;
            to = i;
        }
    }
    if (to >= 0)
        tour_move(tour, at, count, to);
    return to >= 0;
}

void wire_route(const struct job *job, struct stroke *strokes, int count)
{
    struct stroke ordered[WIRE_MOST_STROKES];
    struct tour tour;
    bool is_better = true;

    if (count < 2)
        return;
    tour_begin(&tour, job, strokes, count);
    for (int round = 0; is_better && round < ROUNDS; round++) {
        is_better = false;
        for (int length = 1; length <= LONGEST && length < count; length++)
            for (int at = 1; at + length <= count + 1; at++)
                is_better = improve(&tour, at, length) || is_better;
    }
    for (int i = 0; i < count; i++)
        ordered[i] = strokes[tour.nodes[i + 1] - 1];
    memcpy(strokes, ordered, (size_t)count * sizeof *strokes);
}
