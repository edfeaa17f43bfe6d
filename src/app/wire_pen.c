/* Looks and places: see wire_parts.h. Of all ways to say what changes the shortest is taken, and what
 * a way costs is known without taking it, so that others can choose an order by it. */
#include "app/wire_parts.h"

const struct look wire_plain = {-1, -1, false, false};

/* ---- looks ---- */

struct look wire_look_of(const struct job *job, const struct cell *cell)
{
    return (struct look){
        .ink = job->index[cell->ink],
        .paper = job->index[cell->paper],
        .is_bold = (cell->attributes & ATTR_BOLD) != 0,
        .is_reverse = (cell->attributes & ATTR_REVERSE) != 0 ||
                      (job->is_mono && (cell->attributes & ATTR_REVERSE_MONO) != 0),
    };
}

bool wire_look_equal(const struct look *a, const struct look *b)
{
    return a->ink == b->ink && a->paper == b->paper && a->is_bold == b->is_bold &&
           a->is_reverse == b->is_reverse;
}

struct look wire_look_for(const struct job *job, const struct look *has, const struct cell *cell)
{
    struct look wanted = wire_look_of(job, cell);

    if (!wire_is_blank(cell))
        return wanted;
    if (has->paper == wanted.paper && !has->is_reverse)
        return *has;
    if (wanted.paper < 0 || has->is_reverse) { /* a reset is the shortest */
        wanted.ink = -1;
        wanted.is_bold = false;
    } else {
        wanted.ink = has->ink;
        wanted.is_bold = has->is_bold;
    }
    return wanted;
}

/* Parameters of one sequence. */
struct parameters {
    const char *codes[6];
    int count, length; /* with what separates them */
};

static void add(struct parameters *parameters, const char *code)
{
    int length = 0;

    while (code[length] != '\0')
        length++;
    parameters->length += length + (parameters->count > 0);
    parameters->codes[parameters->count++] = code;
}

/* From one look to another, said by what differs, or by all of it behind a reset, which is shorter
 * where much becomes plain. */
static struct parameters find_parameters(const struct job *job, const struct look *has,
                                         const struct look *wanted)
{
    const struct wire *wire = job->wire;
    struct parameters some = {.count = 0}, all = {.count = 0};

    if (!wire_look_equal(wanted, &wire_plain))
        add(&all, "0");
    if (wanted->is_bold)
        add(&all, "1");
    if (wanted->is_reverse)
        add(&all, "7");
    if (wanted->ink >= 0)
        add(&all, wire->ink[wanted->ink]);
    if (wanted->paper >= 0)
        add(&all, wire->paper[wanted->paper]);
    if (has->is_bold != wanted->is_bold)
        add(&some, wanted->is_bold ? "1" : "22");
    if (has->is_reverse != wanted->is_reverse)
        add(&some, wanted->is_reverse ? "7" : "27");
    if (has->ink != wanted->ink)
        add(&some, wanted->ink < 0 ? "39" : wire->ink[wanted->ink]);
    if (has->paper != wanted->paper)
        add(&some, wanted->paper < 0 ? "49" : wire->paper[wanted->paper]);
    bool is_safe = wire->has_colours || ((wanted->is_bold || !has->is_bold) &&
                                         (wanted->is_reverse || !has->is_reverse));
    return is_safe && some.length <= all.length ? some : all;
}

int wire_look_cost(const struct job *job, const struct look *has, const struct look *wanted)
{
    return wire_look_equal(has, wanted) ? 0 : 3 + find_parameters(job, has, wanted).length;
}

void wire_set_look(struct job *job, struct look wanted)
{
    if (wire_look_equal(&job->pen.look, &wanted))
        return;
    struct parameters parameters = find_parameters(job, &job->pen.look, &wanted);
    text_add(job->out, "\033[");
    for (int i = 0; i < parameters.count; i++) {
        text_add(job->out, i > 0 ? ";" : "");
        text_add(job->out, parameters.codes[i]);
    }
    text_add(job->out, "m");
    job->pen.look = wanted;
}

/* ---- places ---- */

static int digits(int n)
{
    return n < 10 ? 1 : n < 100 ? 2 : n < 1000 ? 3 : n < 10000 ? 4 : 5;
}

/* Bytes of "ESC [ n letter", which means one without a number. */
static int control(int n)
{
    return n == 1 ? 3 : 3 + digits(n);
}

/* One step of a move: controls with a number, or so many of a character. */
struct step {
    char letter; /* 0: stay where it is */
    int n, cost;
};

static void offer(struct step *best, char letter, int n, int cost)
{
    if (cost < best->cost)
        *best = (struct step){letter, n, cost};
}

/* 'R': to the first column and from there to the right. */
static struct step across(const struct job *job, int from, int x)
{
    struct step best = {0, 0, 0};
    bool is_inside = from >= 0 && from < job->columns;

    if (from == x && is_inside)
        return best;
    best = (struct step){'R', x, x == 0 ? 1 : 1 + control(x)};
    if (is_inside && x > from)
        offer(&best, 'C', x - from, control(x - from));
    if (job->wire->has_moves) {
        offer(&best, 'G', x + 1, control(x + 1));
        if (is_inside && x < from) {
            offer(&best, 'D', from - x, control(from - x));
            offer(&best, '\b', from - x, from - x);
        }
    }
    return best;
}

static struct step down(int from, int y)
{
    struct step best = {0, 0, 0};

    if (from == y)
        return best;
    best = (struct step){'d', y + 1, control(y + 1)};
    if (y > from) {
        offer(&best, 'B', y - from, control(y - from));
        offer(&best, '\n', y - from, y - from);
    } else {
        offer(&best, 'A', from - y, control(from - y));
    }
    return best;
}

static void add_number(struct text *out, int n)
{
    char digits_of[12], *at = digits_of + sizeof digits_of - 1;

    for (*at = '\0'; n > 0; n /= 10)
        *--at = (char)('0' + n % 10);
    text_add(out, at);
}

void wire_control(struct text *out, int n, char letter)
{
    text_add(out, "\033[");
    if (n != 1)
        add_number(out, n);
    text_add(out, (char[]){letter, '\0'});
}

static void take(struct text *out, const struct step *step)
{
    if (step->letter == '\b' || step->letter == '\n') {
        for (int i = 0; i < step->n; i++)
            text_add(out, step->letter == '\b' ? "\b" : "\n");
    } else if (step->letter == 'R') {
        text_add(out, "\r");
        if (step->n > 0)
            take(out, &(struct step){'C', step->n, 0});
    } else if (step->letter != 0) {
        wire_control(out, step->n, step->letter);
    }
}

/* Relative moves only where all is known. Without further moves a row down is one behind a return. */
static bool find_steps(const struct job *job, int from_x, int from_y, int x, int y,
                       struct step steps[2])
{
    if (from_x < 0 || from_y < 0)
        return false;
    steps[0] = across(job, from_x, x);
    if (from_y == y || job->wire->has_moves) {
        steps[1] = down(from_y, y);
        return true;
    }
    steps[0] = (struct step){'R', 0, 1};
    steps[1] = (struct step){'\n', y - from_y, y - from_y};
    return x == 0 && y > from_y;
}

static int absolute_cost(int x, int y)
{
    return x == 0 ? control(y + 1) : 4 + digits(y + 1) + digits(x + 1);
}

static int move_cost(const struct job *job, int from_x, int from_y, int x, int y)
{
    struct step steps[2];
    int cost = absolute_cost(x, y);

    if (from_x == x && from_y == y && x < job->columns)
        return 0;
    if (find_steps(job, from_x, from_y, x, y, steps) && steps[0].cost + steps[1].cost < cost)
        cost = steps[0].cost + steps[1].cost;
    return cost;
}

void wire_move(struct job *job, int x, int y)
{
    struct pen *pen = &job->pen;
    struct step steps[2];

    if (pen->x == x && pen->y == y && x < job->columns)
        return;
    if (find_steps(job, pen->x, pen->y, x, y, steps) &&
        steps[0].cost + steps[1].cost <= absolute_cost(x, y)) {
        /* Across first: what moves down from behind the last column is not the same everywhere. */
        take(job->out, &steps[0]);
        take(job->out, &steps[1]);
    } else if (x == 0) {
        take(job->out, &(struct step){'H', y + 1, 0});
    } else {
        text_add(job->out, "\033[");
        add_number(job->out, y + 1);
        text_add(job->out, ";");
        add_number(job->out, x + 1);
        text_add(job->out, "H");
    }
    pen->x = x;
    pen->y = y;
}

/* Can what a cell shows be written again with a look? What is still to come may show anything until
 * then. */
static bool is_passable(const struct job *job, const struct look *look, int x, int y,
                        bool may_spoil)
{
    const struct cell *cell = &job_shown(job, y)[x];

    if (may_spoil && !wire_is_same(job, cell, &job_row(job, y)[x]))
        return true;
    if (cell->glyph < ' ' || cell->glyph > '~' || cell->paper == WIRE_NOBODYS)
        return false;
    struct look wanted = wire_look_for(job, look, cell);
    return wire_look_equal(&wanted, look);
}

/* How many cells before a place are better written again than jumped over. */
static int find_passage(const struct job *job, const struct look *look, int from_x, int from_y,
                        const struct place *to, int *cost)
{
    int best = 0;

    *cost = move_cost(job, from_x, from_y, to->x, to->y);
    for (int count = 1; count < *cost && count <= to->x && count < 4; count++) {
        if (!is_passable(job, look, to->x - count, to->y, to->may_spoil))
            break;
        int needs = count + move_cost(job, from_x, from_y, to->x - count, to->y);
        if (needs < *cost) {
            *cost = needs;
            best = count;
        }
    }
    return best;
}

int wire_reach_cost(const struct job *job, const struct look *look, int from_x, int from_y,
                    const struct place *to)
{
    int cost;

    find_passage(job, look, from_x, from_y, to, &cost);
    return cost;
}

void wire_reach(struct job *job, const struct place *to)
{
    int cost, count = find_passage(job, &job->pen.look, job->pen.x, job->pen.y, to, &cost);

    wire_move(job, to->x - count, to->y);
    while (job->pen.x < to->x) {
        struct cell *cell = &job_shown(job, to->y)[job->pen.x];
        if (!is_passable(job, &job->pen.look, job->pen.x, to->y, false))
            *cell = (struct cell){' ', COLOUR_OWN, WIRE_NOBODYS, 0};
        text_add_character(job->out, cell->glyph);
        job->pen.x++;
    }
}
