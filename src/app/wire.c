/* Frames as bytes: see wire.h. Rows that have moved are moved first; what then differs is painted. */
#include "app/wire_parts.h"

#include <string.h>

#define WIDEST_SHIFTED 1024 /* columns of a row that may be shifted */
#define FARTHEST 40         /* that its contents are looked for */
#define SEARCHES 6          /* rows of a frame in which they are looked for everywhere */
#define WORTH_BYTES 48      /* a row that costs less stays where it is */

static const struct cell blank = {' ', COLOUR_OWN, COLOUR_OWN, 0};

/* ---- rows that move ---- */

/* The last shift that helped, and searches that are left. */
struct guess {
    int by, searches;
};

/* Columns [from, to) whose contents have moved by `by` to the left. */
struct shift {
    int from, to, by;
};

static int count_alike(const struct job *job, const struct cell *row, const struct cell *old,
                       const struct shift *shift)
{
    int first = shift->by > 0 ? shift->from : shift->from - shift->by;
    int last = shift->by > 0 ? shift->to - shift->by : shift->to;
    int alike = 0;

    for (int x = first; x < last; x++)
        alike += wire_is_same(job, &row[x], &old[x + shift->by]);
    return alike;
}

/* The columns in which a row changes. False when they are few, or all blank: nothing moves then. */
static bool find_span(const struct job *job, int y, struct shift *shift)
{
    const struct cell *row = job_row(job, y), *old = job_shown(job, y);

    *shift = (struct shift){0, job->columns, 0};
    while (shift->from < shift->to && wire_is_same(job, &row[shift->from], &old[shift->from]))
        shift->from++;
    while (shift->to > shift->from && wire_is_same(job, &row[shift->to - 1], &old[shift->to - 1]))
        shift->to--;
    int empty = shift->from;
    while (empty < shift->to && wire_is_same(job, &old[empty], &blank))
        empty++;
    return shift->to - shift->from >= 8 && empty < shift->to;
}

/* By how much most of what is in these columns has moved. */
static bool find_shift(const struct job *job, struct guess *guess, int y, struct shift *shift)
{
    const struct cell *row = job_row(job, y), *old = job_shown(job, y);
    int span = shift->to - shift->from, best = 0;

    shift->by = guess->by;
    if (guess->by != 0 && span > guess->by && span > -guess->by &&
        count_alike(job, row, old, shift) > span / 2)
        return true;
    if (guess->searches == 0)
        return false;
    guess->searches--;
    struct shift tried = *shift;
    for (tried.by = -FARTHEST; tried.by <= FARTHEST; tried.by++) {
        if (tried.by == 0 || span <= tried.by || span <= -tried.by)
            continue;
        int alike = count_alike(job, row, old, &tried);
        if (alike > best) {
            best = alike;
            shift->by = tried.by;
        }
    }
    return best > span / 2;
}

/* Lets the terminal do it. Blanks come in plain, which is the same on every terminal. */
static void shift_row(struct job *job, int y, const struct shift *shift)
{
    struct cell *shown = job_shown(job, y);
    int by = shift->by > 0 ? shift->by : -shift->by;
    int delete = shift->by > 0 ? shift->from : shift->to - by;
    int insert = shift->by > 0 ? shift->to - by : shift->from;

    memmove(shown + delete, shown + delete + by,
            (size_t)(job->columns - delete - by) * sizeof *shown);
    memmove(shown + insert + by, shown + insert,
            (size_t)(job->columns - insert - by) * sizeof *shown);
    for (int x = 0; x < by; x++)
        shown[insert + x] = blank;
    wire_set_look(job, wire_plain);
    wire_move(job, delete, y);
    wire_control(job->out, by, 'P');
    wire_move(job, insert, y);
    wire_control(job->out, by, '@');
}

/* Bytes that a row needs as it is shown now; nothing is done. */
static size_t cost_of_row(struct job *job, int y)
{
    struct cell kept[WIDEST_SHIFTED];
    size_t size = (size_t)job->columns * sizeof *kept, mark = job->out->length;
    struct pen pen = job->pen;

    memcpy(kept, job_shown(job, y), size);
    wire_write_row(job, y, 0, job->columns);
    size_t cost = job->out->length - mark;
    memcpy(job_shown(job, y), kept, size);
    job->out->length = mark;
    job->pen = pen;
    return cost;
}

static bool has_wide(const struct job *job, int y)
{
    for (int x = 0; x < job->columns; x++)
        if (job_row(job, y)[x].glyph == 0 || job_shown(job, y)[x].glyph == 0)
            return true;
    return false;
}

/* Shifts a row if what is then left to write is shorter by more than the shift. */
static void try_shift(struct job *job, struct guess *guess, int y)
{
    struct cell kept[WIDEST_SHIFTED];
    size_t size = (size_t)job->columns * sizeof *kept, mark = job->out->length;
    struct pen pen = job->pen;
    struct shift shift;

    if (!find_span(job, y, &shift) || has_wide(job, y))
        return;
    size_t written = cost_of_row(job, y);
    if (written < WORTH_BYTES || !find_shift(job, guess, y, &shift))
        return;
    memcpy(kept, job_shown(job, y), size);
    shift_row(job, y, &shift);
    if (job->out->length - mark + cost_of_row(job, y) < written) {
        guess->by = shift.by;
        return;
    }
    memcpy(job_shown(job, y), kept, size);
    job->out->length = mark;
    job->pen = pen;
}

/* ---- frames ---- */

/* For each cell a jump, a look and a character, in three ways one behind another. */
size_t wire_frame_size(const struct grid *grid)
{
    return ((size_t)grid->columns + 4) * ((size_t)grid->rows + 1) * 3 * 64 + 64;
}

void wire_forget(struct grid *shown)
{
    for (int y = 0; y < shown->rows; y++)
        for (int x = 0; x < shown->columns; x++)
            *grid_at(shown, x, y) = (struct cell){'?', COLOUR_OWN, WIRE_NOBODYS, 0};
}

static void job_init(struct job *job, const struct theme *theme)
{
    job->is_mono = theme->depth == DEPTH_MONO;
    for (int i = 0; i < 256; i++)
        job->index[i] = (int16_t)(i < COLOUR_COUNT ? theme_index(theme, (enum colour)i) : -2);
}

/* The same by strokes in the order that needs least, if they are few. False when they are not. */
static bool paint_strokes(struct job *job)
{
    struct stroke strokes[WIRE_MOST_STROKES];
    int count = wire_find_strokes(job, strokes);

    if (count > WIRE_MOST_STROKES)
        return false;
    wire_route(job, strokes, count);
    for (int i = 0; i < count; i++) { /* the look of all of it, whatever its first cell needs */
        wire_reach(job, &(struct place){strokes[i].x, strokes[i].y, false});
        if (!strokes[i].is_blank)
            wire_set_look(job, strokes[i].look);
        wire_write_row(job, strokes[i].y, strokes[i].x, strokes[i].x + strokes[i].count);
    }
    wire_set_look(job, wire_plain);
    return true;
}

static void paint(struct job *job)
{
    struct text *out = job->out;
    size_t size = (size_t)job->grid->rows * (size_t)job->columns * sizeof(struct cell);
    size_t mark = out->length;
    struct pen before = job->pen;

    memcpy(job->room->cells, job->shown->cells, size);
    bool is_done = paint_strokes(job);
    size_t middle = out->length;
    memcpy(job->shown->cells, job->room->cells, size);
    job->pen = before;
    wire_paint(job, 0, job->grid->rows);
    wire_set_look(job, wire_plain);
    if (is_done && middle - mark <= out->length - middle) {
        out->length = middle;
    } else {
        memmove(out->buffer + mark, out->buffer + middle, out->length - middle + 1);
        out->length -= middle - mark;
    }
    out->buffer[out->length] = '\0';
}

void wire_frame(const struct wire *wire, const struct theme *theme, const struct grid *grid,
                struct grid *shown, struct grid *room, struct text *out)
{
    struct guess guess = {0, SEARCHES};
    struct job job = {
        .wire = wire,
        .grid = grid,
        .shown = shown,
        .room = room,
        .out = out,
        .pen = {wire_plain, -1, -1},
        .columns = grid->columns,
    };

    job_init(&job, theme);
    if (wire->has_shift && grid->columns <= WIDEST_SHIFTED)
        for (int y = 0; y < grid->rows; y++)
            try_shift(&job, &guess, y);
    if (grid->columns > 0)
        paint(&job);
    memcpy(shown->cells, grid->cells,
           (size_t)grid->rows * (size_t)grid->columns * sizeof *grid->cells);
}
