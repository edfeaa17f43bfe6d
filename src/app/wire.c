/* Frames as bytes: see wire.h. */
#include "app/wire.h"

#include <string.h>

#define WIDEST_SHIFTED 1024 /* columns of a row that may be shifted */
#define FARTHEST 40         /* that its contents are looked for */
#define SEARCHES 6          /* rows of a frame in which they are looked for everywhere */
#define WORTH_BYTES 48      /* a row that costs less stays where it is */
#define NOBODYS 0xff        /* a paper that no cell has */

/* Palette indices, -1 the terminal's own. */
struct look {
    int ink, paper;
    bool is_bold, is_reverse;
};

/* Where the terminal writes and how. A cursor behind the last column waits there to wrap. */
struct pen {
    struct look look;
    int x, y;
};

struct job {
    const struct wire *wire;
    const struct theme *theme;
    struct text *out;
    struct pen pen;
    int columns;
    int shift, searches; /* the last shift that helped; searches that are left */
};

static const struct look plain = {-1, -1, false, false};
static const struct cell blank = {' ', COLOUR_OWN, COLOUR_OWN, 0};

/* ---- looks ---- */

static struct look look_of(const struct job *job, const struct cell *cell)
{
    bool is_mono = job->theme->depth == DEPTH_MONO;

    return (struct look){
        .ink = theme_index(job->theme, (enum colour)cell->ink),
        .paper = theme_index(job->theme, (enum colour)cell->paper),
        .is_bold = (cell->attributes & ATTR_BOLD) != 0,
        .is_reverse = (cell->attributes & ATTR_REVERSE) != 0 ||
                      (is_mono && (cell->attributes & ATTR_REVERSE_MONO) != 0),
    };
}

static bool look_equal(const struct look *a, const struct look *b)
{
    return a->ink == b->ink && a->paper == b->paper && a->is_bold == b->is_bold &&
           a->is_reverse == b->is_reverse;
}

/* A blank shows its paper and nothing else. */
static inline bool is_inkless(const struct cell *cell)
{
    return cell->glyph == ' ' && !(cell->attributes & (ATTR_REVERSE | ATTR_REVERSE_MONO));
}

static inline bool is_same(const struct cell *a, const struct cell *b)
{
    if (a->glyph != b->glyph || a->paper != b->paper)
        return false;
    return (a->ink == b->ink && a->attributes == b->attributes) || (is_inkless(a) && is_inkless(b));
}

static void add_parameter(struct text *text, const char *parameter)
{
    if (text->length > 0)
        text_add(text, ";");
    text_add(text, parameter);
}

static void add_colour(struct text *text, const char (*codes)[WIRE_CODE_SIZE], int index,
                       const char *own)
{
    add_parameter(text, index < 0 ? own : codes[index]);
}

/* From one look to another, said by what differs, or by all of it behind a reset, which is shorter
 * where much becomes plain. */
static void add_look(struct job *job, struct look wanted)
{
    const struct wire *wire = job->wire;
    struct look *has = &job->pen.look;
    char differs[80], whole[80];
    struct text a, b;

    if (look_equal(has, &wanted))
        return;
    text_init(&a, differs, sizeof differs);
    text_init(&b, whole, sizeof whole);
    if (!look_equal(&wanted, &plain))
        text_add(&b, "0");
    if (wanted.is_bold)
        add_parameter(&b, "1");
    if (wanted.is_reverse)
        add_parameter(&b, "7");
    if (wanted.ink >= 0)
        add_colour(&b, wire->ink, wanted.ink, "");
    if (wanted.paper >= 0)
        add_colour(&b, wire->paper, wanted.paper, "");
    if (has->is_bold != wanted.is_bold)
        add_parameter(&a, wanted.is_bold ? "1" : "22");
    if (has->is_reverse != wanted.is_reverse)
        add_parameter(&a, wanted.is_reverse ? "7" : "27");
    if (has->ink != wanted.ink)
        add_colour(&a, wire->ink, wanted.ink, "39");
    if (has->paper != wanted.paper)
        add_colour(&a, wire->paper, wanted.paper, "49");
    bool is_safe = wire->has_colours || ((wanted.is_bold || !has->is_bold) &&
                                         (wanted.is_reverse || !has->is_reverse));
    text_add(job->out, "\033[");
    text_add(job->out, is_safe && a.length <= b.length ? differs : whole);
    text_add(job->out, "m");
    *has = wanted;
}

/* The look that a cell needs; of a blank's ink and weight that is any. */
static void take_look(struct job *job, const struct cell *cell)
{
    struct look wanted = look_of(job, cell);

    if (is_inkless(cell)) {
        if (job->pen.look.paper == wanted.paper && !job->pen.look.is_reverse)
            return;
        wanted.ink = job->pen.look.ink;
        wanted.is_bold = job->pen.look.is_bold;
        if (wanted.paper < 0 || job->pen.look.is_reverse) { /* a reset is the shortest */
            wanted.ink = -1;
            wanted.is_bold = false;
        }
    }
    add_look(job, wanted);
}

/* ---- places ---- */

/* The cells between, written again where that is shorter than a jump over them. */
static bool write_over(struct job *job, const struct cell *row, int x)
{
    for (int at = job->pen.x; at < x; at++) {
        struct look look = look_of(job, &row[at]);
        bool is_free = is_inkless(&row[at]) && look.paper == job->pen.look.paper &&
                       !job->pen.look.is_reverse;
        if (row[at].glyph < ' ' || row[at].glyph > '~' ||
            (!is_free && !look_equal(&look, &job->pen.look)))
            return false;
    }
    for (int at = job->pen.x; at < x; at++)
        text_add_character(job->out, row[at].glyph);
    return true;
}

/* `row` is what that row shows; NULL where it does not yet. */
static void move_to(struct job *job, const struct cell *row, int x, int y)
{
    struct pen *pen = &job->pen;
    int gap = x - pen->x;

    if (pen->y == y && pen->x >= 0 && pen->x < job->columns && gap >= 0) {
        if (gap > 0 && !(row != NULL && gap <= 4 && write_over(job, row, x))) {
            if (gap == 1)
                text_add(job->out, "\033[C");
            else
                text_addf(job->out, "\033[%dC", gap);
        }
    } else if (x == 0 && pen->x >= 0 && (pen->y == y || pen->y + 1 == y)) {
        text_add(job->out, pen->y == y ? "\r" : "\r\n");
    } else if (x == 0) {
        text_addf(job->out, "\033[%dH", y + 1);
    } else {
        text_addf(job->out, "\033[%d;%dH", y + 1, x + 1);
    }
    pen->x = x;
    pen->y = y;
}

/* ---- rows ---- */

/* Does a column have to be written? Halves of wide characters go together. */
static bool differs(const struct job *job, const struct cell *row, const struct cell *old, int x)
{
    bool is_left = x + 1 < job->columns && (row[x + 1].glyph == 0 || old[x + 1].glyph == 0);
    bool is_right = x > 0 && (row[x].glyph == 0 || old[x].glyph == 0);

    return !is_same(&row[x], &old[x]) || (is_left && !is_same(&row[x + 1], &old[x + 1])) ||
           (is_right && !is_same(&row[x - 1], &old[x - 1]));
}

/* Blanks on one paper from a column on: how many of them up to the last that differs, and whether
 * they reach the end of the row. */
static int count_blanks(const struct job *job, const struct cell *row, const struct cell *old,
                        int x, bool *is_to_end)
{
    int count = 0, at = x;

    for (; at < job->columns && is_inkless(&row[at]) && row[at].paper == row[x].paper; at++)
        if (differs(job, row, old, at))
            count = at + 1 - x;
    *is_to_end = at == job->columns;
    return count;
}

/* Erases instead of writing blanks where that is shorter; columns that are done, 0 for none. */
static int erase_blanks(struct job *job, const struct cell *row, const struct cell *old, int x)
{
    bool is_to_end, can_erase = job->wire->has_bce || row[x].paper == COLOUR_OWN;
    int count = can_erase ? count_blanks(job, row, old, x, &is_to_end) : 0;

    if (count > 3 && is_to_end) {
        take_look(job, &row[x]);
        text_add(job->out, "\033[K");
        return job->columns - x;
    }
    if (count > 9 && job->wire->has_erase) {
        take_look(job, &row[x]);
        text_addf(job->out, "\033[%dX", count);
        return count;
    }
    return 0;
}

/* Writes the cells of a row that differ from what it shows. */
static void write_row(struct job *job, const struct cell *row, const struct cell *old, int y)
{
    for (int x = 0; x < job->columns;) {
        if (!differs(job, row, old, x) || (row[x].glyph == 0 && x > 0)) {
            x++;
            continue;
        }
        move_to(job, row, x, y);
        int erased = is_inkless(&row[x]) ? erase_blanks(job, row, old, x) : 0;
        if (erased > 0) {
            x += erased;
            continue;
        }
        take_look(job, &row[x]);
        text_add_character(job->out, row[x].glyph == 0 ? ' ' : row[x].glyph);
        x += x + 1 < job->columns && row[x + 1].glyph == 0 ? 2 : 1;
        job->pen.x = x;
    }
}

/* ---- rows that move ---- */

/* Columns [from, to) whose contents have moved by `by` to the left. */
struct shift {
    int from, to, by;
};

static int count_alike(const struct cell *row, const struct cell *old, const struct shift *shift)
{
    int first = shift->by > 0 ? shift->from : shift->from - shift->by;
    int last = shift->by > 0 ? shift->to - shift->by : shift->to;
    int alike = 0;

    for (int x = first; x < last; x++)
        alike += is_same(&row[x], &old[x + shift->by]);
    return alike;
}

static bool find_shift(struct job *job, const struct cell *row, const struct cell *old,
                       struct shift *shift)
{
    int best = 0;

    shift->to = job->columns;
    for (shift->from = 0; shift->from < job->columns; shift->from++)
        if (!is_same(&row[shift->from], &old[shift->from]))
            break;
    while (shift->to > shift->from && is_same(&row[shift->to - 1], &old[shift->to - 1]))
        shift->to--;
    shift->by = job->shift;
    int span = shift->to - shift->from, empty = shift->from;
    while (empty < shift->to && is_same(&old[empty], &blank))
        empty++;
    if (span < 8 || empty == shift->to)
        return false;
    if (job->shift != 0 && span > job->shift && span > -job->shift &&
        count_alike(row, old, shift) > span / 2)
        return true;
    if (job->searches == 0)
        return false;
    job->searches--;
    struct shift tried = *shift;
    for (tried.by = -FARTHEST; tried.by <= FARTHEST; tried.by++) {
        if (tried.by == 0 || span <= tried.by || span <= -tried.by)
            continue;
        int alike = count_alike(row, old, &tried);
        if (alike > best) {
            best = alike;
            shift->by = tried.by;
        }
    }
    return best > span / 2;
}

static bool has_wide(const struct job *job, const struct cell *row)
{
    for (int x = 0; x < job->columns; x++)
        if (row[x].glyph == 0)
            return true;
    return false;
}

/* Lets the terminal do it; `moved` becomes what it then shows. Blanks come in plain, which is the
 * same on every terminal. */
static void shift_row(struct job *job, struct cell *moved, const struct cell *old, int y,
                      const struct shift *shift)
{
    int by = shift->by > 0 ? shift->by : -shift->by;
    int delete = shift->by > 0 ? shift->from : shift->to - by;
    int insert = shift->by > 0 ? shift->to - by : shift->from;

    memcpy(moved, old, (size_t)job->columns * sizeof *moved);
    memmove(moved + delete, moved + delete + by,
            (size_t)(job->columns - delete - by) * sizeof *moved);
    memmove(moved + insert + by, moved + insert,
            (size_t)(job->columns - insert - by) * sizeof *moved);
    for (int x = 0; x < by; x++)
        moved[insert + x] = blank;
    add_look(job, plain);
    move_to(job, NULL, delete, y);
    text_addf(job->out, "\033[%dP", by);
    move_to(job, NULL, insert, y);
    text_addf(job->out, "\033[%d@", by);
}

/* A row in the shorter of two ways. */
static void send_row(struct job *job, const struct cell *row, const struct cell *old, int y)
{
    struct cell moved[WIDEST_SHIFTED];
    struct pen before = job->pen;
    struct shift shift;
    size_t mark = job->out->length;

    write_row(job, row, old, y);
    size_t written = job->out->length - mark;
    if (!job->wire->has_shift || written < WORTH_BYTES || job->columns > WIDEST_SHIFTED ||
        has_wide(job, row) || has_wide(job, old) || !find_shift(job, row, old, &shift))
        return;
    for (int way = 0; way < 2; way++) {
        job->out->length = mark;
        job->pen = before;
        if (way == 0) {
            shift_row(job, moved, old, y, &shift);
            write_row(job, row, moved, y);
            if (job->out->length - mark < written) {
                job->shift = shift.by;
                return;
            }
        } else {
            write_row(job, row, old, y);
        }
    }
}

/* ---- frames ---- */

/* For each cell a jump, a look and a character; a row may be tried in two ways one after another.
 * */
size_t wire_frame_size(const struct grid *grid)
{
    return ((size_t)grid->columns + 4) * ((size_t)grid->rows + 1) * 64 + 64;
}

void wire_forget(struct grid *shown)
{
    for (int y = 0; y < shown->rows; y++)
        for (int x = 0; x < shown->columns; x++)
            *grid_at(shown, x, y) = (struct cell){'?', COLOUR_OWN, NOBODYS, 0};
}

void wire_frame(const struct wire *wire, const struct theme *theme, const struct grid *grid,
                struct grid *shown, struct text *out)
{
    struct job job = {
        .wire = wire,
        .theme = theme,
        .out = out,
        .pen = {plain, -1, -1},
        .columns = grid->columns,
        .searches = SEARCHES,
    };

    for (int y = 0; y < grid->rows && grid->columns > 0; y++) {
        struct cell *old = grid_at(shown, 0, y);
        const struct cell *row = grid_at(grid, 0, y);
        send_row(&job, row, old, y);
        memcpy(old, row, (size_t)grid->columns * sizeof *old);
    }
    add_look(&job, plain);
}
