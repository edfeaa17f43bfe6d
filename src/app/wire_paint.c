/* Rows to the screen: see wire_parts.h.
 *
 * From left to right a look is said again wherever it returns. Look by look it is said once for some
 * rows, and cells in between are jumped over; those that are still to come may also be written over
 * with blanks, or erased together, whatever is shorter. Which way is shorter depends on the cells,
 * so both are tried. */
#include "app/wire_parts.h"

#include <string.h>

#define BAND 16      /* rows that share a look; more of them would be seen to come in layers */
#define MOST_LOOKS 64
#define WIDEST 1024  /* columns that are painted look by look */
#define SURE 8       /* changes of look for each look with which a way is not tried */
#define OF_OTHERS 255 /* a look that the list has no room for */

/* ---- what has to be written ---- */

/* Halves of wide characters go together. */
static bool differs(const struct job *job, const struct cell *row, const struct cell *old, int x)
{
    bool is_left = x + 1 < job->columns && (row[x + 1].glyph == 0 || old[x + 1].glyph == 0);
    bool is_right = x > 0 && (row[x].glyph == 0 || old[x].glyph == 0);

    return !wire_is_same(job, &row[x], &old[x]) ||
           (is_left && !wire_is_same(job, &row[x + 1], &old[x + 1])) ||
           (is_right && !wire_is_same(job, &row[x - 1], &old[x - 1]));
}

/* A character at the pen, which moves on. */
static void write_cell(struct job *job, const struct cell *cell)
{
    job_shown(job, job->pen.y)[job->pen.x++] = *cell;
    text_add_character(job->out, cell->glyph == 0 ? ' ' : cell->glyph);
}

static void take_look(struct job *job, const struct cell *cell)
{
    wire_set_look(job, wire_look_for(job, &job->pen.look, cell));
}

static void mark_blank(struct job *job, int y, int x, int count, uint8_t paper)
{
    for (int i = 0; i < count; i++)
        job_shown(job, y)[x + i] = (struct cell){' ', COLOUR_OWN, paper, 0};
}

/* ---- from left to right ---- */

/* Blanks on one paper from a column on: how many of them up to the last that differs, and whether
 * they reach the end of the row. */
static int count_blanks(const struct job *job, const struct cell *row, const struct cell *old,
                        int x, bool *is_to_end)
{
    int count = 0, at = x;

    for (; at < job->columns && wire_is_blank(&row[at]) &&
           job->index[row[at].paper] == job->index[row[x].paper];
         at++)
        if (differs(job, row, old, at))
            count = at + 1 - x;
    *is_to_end = at == job->columns;
    return count;
}

/* Erases instead of writing blanks where that is shorter; columns that are done, 0 for none. */
static int erase_blanks(struct job *job, int x, int y)
{
    const struct cell *row = job_row(job, y);
    bool is_to_end, can_erase = job->wire->has_bce || job->index[row[x].paper] < 0;
    int count = can_erase ? count_blanks(job, row, job_shown(job, y), x, &is_to_end) : 0;

    if (count > 3 && is_to_end) {
        count = job->columns - x;
        take_look(job, &row[x]);
        text_add(job->out, "\033[K");
    } else if (count > 9 && job->wire->has_erase) {
        take_look(job, &row[x]);
        wire_control(job->out, count, 'X');
    } else {
        return 0;
    }
    mark_blank(job, y, x, count, row[x].paper);
    return count;
}

void wire_write_row(struct job *job, int y, int from, int to)
{
    const struct cell *row = job_row(job, y), *old = job_shown(job, y);

    for (int x = from; x < to;) {
        if (!differs(job, row, old, x) || (row[x].glyph == 0 && x > 0)) {
            x++;
            continue;
        }
        wire_reach(job, &(struct place){x, y, false});
        int erased = wire_is_blank(&row[x]) ? erase_blanks(job, x, y) : 0;
        if (erased > 0) {
            x += erased;
            continue;
        }
        take_look(job, &row[x]);
        write_cell(job, &row[x]);
        if (x + 1 < job->columns && row[x + 1].glyph == 0)
            job_shown(job, y)[job->pen.x++] = row[x + 1];
        x = job->pen.x;
    }
}

/* ---- look by look ---- */

/* Looks of what is to do in some rows, and how many cells each has; that of blanks has any ink. And
 * for each cell which look it waits for, from 1 on; 0 for none. */
struct looks {
    struct {
        struct look look;
        bool is_blank;
        int count; /* 0: done */
    } list[MOST_LOOKS];
    int count, changes; /* of look from cell to cell */
    uint8_t waits[BAND][WIDEST];
};

static bool is_to_do(const struct job *job, int x, int y)
{
    return !wire_is_same(job, &job_row(job, y)[x], &job_shown(job, y)[x]);
}

/* From a blank on, erases all that is blank on its paper together with what is to come, if that is
 * shorter than to write the blanks. The pen stays. */
static bool erase_through(struct job *job, uint8_t *waits, int x, int y)
{
    const struct cell *row = job_row(job, y);
    int paper = job->index[row[x].paper], last = x, written = 0, at = x, gap = 0;

    if (!(job->wire->has_bce || paper < 0))
        return false;
    for (; at < job->columns; at++) {
        bool is_to_come = is_to_do(job, at, y);
        bool is_blank = wire_is_blank(&row[at]) && job->index[row[at].paper] == paper;
        if (!is_to_come && !is_blank)
            break;
        if (is_to_come && is_blank) {
            written += 1 + (gap < 4 ? gap : gap < 10 ? 4 : 5);
            gap = 0;
            last = at;
        } else {
            gap++;
        }
    }
    bool is_to_end = at == job->columns;
    int count = last + 1 - x;
    if (is_to_end && written > 3)
        count = job->columns - x;
    else if (!job->wire->has_erase || written <= (count < 10 ? 4 : count < 100 ? 5 : 6) + 4)
        return false;
    wire_reach(job, &(struct place){x, y, true});
    if (is_to_end && written > 3)
        text_add(job->out, "\033[K");
    else
        wire_control(job->out, count, 'X');
    mark_blank(job, y, x, count, row[x].paper);
    for (int i = x, id = waits[x]; i < x + count; i++)
        if (waits[i] == id)
            waits[i] = 0;
    return true;
}

/* Writes what waits for one of two looks, that of the pen and that of blanks on its paper. */
static void paint_look(struct job *job, struct looks *looks, int from, int to, const uint8_t ids[2])
{
    for (int y = from; y < to; y++) {
        const struct cell *row = job_row(job, y);
        uint8_t *waits = looks->waits[y - from];
        for (int x = 0; x < job->columns; x++) {
            if (waits[x] == 0 || (waits[x] != ids[0] && waits[x] != ids[1]))
                continue;
            if (waits[x] == ids[1] && erase_through(job, waits, x, y))
                continue;
            wire_reach(job, &(struct place){x, y, true});
            write_cell(job, &row[x]);
            waits[x] = 0;
        }
    }
}

/* The place of a look in the list, from 1 on, with one cell more. */
static uint8_t note_look(const struct job *job, struct looks *looks, const struct cell *cell)
{
    bool is_blank = wire_is_blank(cell);
    struct look look = wire_look_of(job, cell);
    int i = 0;

    while (i < looks->count && (looks->list[i].is_blank != is_blank ||
                                (is_blank ? looks->list[i].look.paper != look.paper
                                          : !wire_look_equal(&looks->list[i].look, &look))))
        i++;
    if (i == MOST_LOOKS)
        return OF_OTHERS;
    if (i == looks->count) {
        looks->list[i].look = look;
        looks->list[i].is_blank = is_blank;
        looks->list[i].count = 0;
        looks->count++;
    }
    looks->list[i].count++;
    return (uint8_t)(i + 1);
}

/* Blanks that lie on the paper of a look, and whether these are all that is on it. */
static int count_on_paper(const struct looks *looks, int paper, bool *is_all)
{
    int blanks = 0;

    *is_all = true;
    for (int i = 0; i < looks->count; i++)
        if (looks->list[i].look.paper == paper && looks->list[i].is_blank)
            blanks = looks->list[i].count;
        else if (looks->list[i].count > 0 && looks->list[i].look.paper == paper &&
                 !looks->list[i].look.is_reverse)
            *is_all = false;
    return blanks;
}

/* The look to go on with: at first that on whose paper most blanks lie, for what is to come can be
 * written over; then what is near. Blanks go with what else is on their paper. False when nothing is
 * to do. */
static bool choose_look(const struct job *job, const struct looks *looks, bool is_first,
                        struct look *chosen)
{
    bool is_found = false;
    long best = 0;

    for (int i = 0; i < looks->count; i++) {
        struct look look = looks->list[i].look;
        bool is_all;
        int blanks = count_on_paper(looks, look.paper, &is_all);
        if (looks->list[i].count == 0 || (looks->list[i].is_blank && !is_all))
            continue;
        if (looks->list[i].is_blank) {
            look.ink = look.paper < 0 ? -1 : job->pen.look.ink;
            look.is_bold = look.paper >= 0 && job->pen.look.is_bold;
            look.is_reverse = false;
        }
        long cost = wire_look_cost(job, &job->pen.look, &look) * 1000L - looks->list[i].count;
        if (is_first)
            cost -= blanks * 1000000L;
        if (!is_found || cost < best) {
            is_found = true;
            best = cost;
            *chosen = look;
        }
    }
    return is_found;
}

/* Looks of what is to do; more than there is room for are found when these are done. */
static void find_looks(const struct job *job, int from, int to, struct looks *looks)
{
    uint8_t last = 0;

    looks->count = looks->changes = 0;
    for (int y = from; y < to; y++) {
        const struct cell *row = job_row(job, y), *shown = job_shown(job, y);
        uint8_t *waits = looks->waits[y - from];
        for (int x = 0; x < job->columns; x++) {
            waits[x] = wire_is_same(job, &row[x], &shown[x]) ? 0 : note_look(job, looks, &row[x]);
            looks->changes += waits[x] != 0 && waits[x] != last;
            last = waits[x] != 0 ? waits[x] : last;
        }
    }
}

/* Finds the places of what is written with a look, and takes these off the list. */
static void take_off(struct looks *looks, const struct look *look, uint8_t ids[2])
{
    ids[0] = ids[1] = 0;
    for (int i = 0; i < looks->count; i++) {
        bool is_blank = looks->list[i].is_blank;
        if (looks->list[i].count == 0 ||
            (is_blank ? looks->list[i].look.paper != look->paper || look->is_reverse
                      : !wire_look_equal(&looks->list[i].look, look)))
            continue;
        ids[is_blank] = (uint8_t)(i + 1);
        looks->list[i].count = 0;
    }
}

/* True when looks take turns so often that from left to right would need more. */
static bool paint_looks(struct job *job, int from, int to)
{
    struct looks looks;
    struct look look;
    uint8_t ids[2];
    bool is_first = true;

    find_looks(job, from, to, &looks);
    bool is_sure = looks.changes > looks.count * SURE;
    for (; looks.count > 0; find_looks(job, from, to, &looks))
        while (choose_look(job, &looks, is_first, &look)) {
            wire_set_look(job, look);
            take_off(&looks, &look, ids);
            paint_look(job, &looks, from, to, ids);
            is_first = false;
        }
    return is_sure;
}

/* ---- the shorter way ---- */

static bool has_wide(const struct job *job, int y)
{
    for (int x = 0; x < job->columns; x++)
        if (job_row(job, y)[x].glyph == 0 || job_shown(job, y)[x].glyph == 0)
            return true;
    return false;
}

static void write_rows(struct job *job, int from, int to)
{
    for (int y = from; y < to; y++)
        wire_write_row(job, y, 0, job->columns);
}

/* Both ways one behind the other, if it is not clear which is shorter; the bytes of that stay.
 * Whichever it is, the same is shown. */
static void paint_band(struct job *job, int from, int to)
{
    struct text *out = job->out;
    struct pen before = job->pen;
    size_t size = (size_t)(to - from) * (size_t)job->columns * sizeof(struct cell);
    size_t mark = out->length;

    memcpy(job_room(job, from), job_shown(job, from), size);
    bool is_sure = paint_looks(job, from, to);
    size_t middle = out->length;
    struct pen after = job->pen;
    if (middle == mark || is_sure)
        return;
    memcpy(job_shown(job, from), job_room(job, from), size);
    job->pen = before;
    write_rows(job, from, to);
    if (out->length - middle <= middle - mark) {
        memmove(out->buffer + mark, out->buffer + middle, out->length - middle + 1);
        out->length -= middle - mark;
    } else {
        out->length = middle;
        job->pen = after;
    }
}

void wire_paint(struct job *job, int from, int to)
{
    int first = from;

    for (int y = from; y < to; y++)
        if (job->columns > WIDEST || has_wide(job, y)) {
            if (first < y)
                paint_band(job, first, y);
            write_rows(job, y, y + 1);
            first = y + 1;
        } else if (y + 1 - first == BAND) {
            paint_band(job, first, y + 1);
            first = y + 1;
        }
    if (first < to)
        paint_band(job, first, to);
}
