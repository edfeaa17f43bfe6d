/* Order + costs -> start and end of every operation.
 *
 * Each device runs down its order until it meets an operation whose input is not there. Devices
 * take turns in sweeps as long as these are worth it; then who is held up registers as waiting for
 * exactly that table entry, and is taken up again when the device that fills the entry has moved
 * on. So the whole is linear in operations whatever the order; when nobody can be taken up and
 * somebody is not done, the order has a cycle.
 *
 * The inner loop knows no kinds, no families and no special cases: an operation's row says where
 * its inputs and its output lie, and rows without an input point at a row of zeros. "Not there
 * yet" is infinity, so that readiness and the latest input come from the same comparison.
 *
 * What was measured (ratios of times in alternating runs, 1f1b; make bench has today's). Sweeps
 * over the even and then the odd devices take 0.85 of the queue of waiting devices alone, and 0.77
 * with the body compiled into the loop; where M < 4 P they cost more than they save. Asking early
 * for the lines where a device will go on costs 1.1 while all fits into the second-level cache and
 * saves up to half beyond it; asking for those of the last operation done, and not only of the one
 * held up, is 0.88 of that. Rows of a power of two would share cache sets: an odd number of lines
 * takes 0.95 to 0.78 of the time; rows of fewer than eight lines are left as long as they are, which
 * takes 0.92 of the time and three quarters of the memory at M=16. Operations lie by device, in its
 * order, because everything that draws searches them. Ends lie by stage: by micro-batch, with the
 * stages in a row, they take 0.98 to 1.01 while all fits into the second-level cache and 1.1 beyond
 * it, and for gpipe, where one device runs through all micro-batches, 1.05 to 1.9.
 *
 * Only starts are stored, 8 bytes, beside a code, 4, and the ends, 8 for every operation that another
 * waits for: about 20 in all. What comes with a device (300 bytes) or once (two rows, for what has
 * no input and what nobody reads) is more than a sixth of that below M = 100 and P = 4. Writing the
 * same bytes once, in a row, takes a tenth of the time, so what is left is arithmetic that waits for
 * arithmetic. New memory costs as much again as everything, with large pages a third of that (see
 * model/block.c); a block that its owner keeps costs nothing. */
#include "core/internal.h"

#include <math.h>

/* One kind of work of one slot. */
struct row {
    const double *input;    /* from a neighbour; zeros where nothing is needed */
    const double *own;      /* what the device itself must have done before; zeros likewise */
    double *output;
    double lag;             /* transfer, when the input comes from another device */
    double cost;
    uint32_t input_device;
};

struct clock {
    const struct pg_plan *plan;
    double *done;                 /* end times: [cells][rows_each][done_stride], infinity before */
    size_t rows_each;
    struct row *rows;             /* [devices][slots][PG_KINDS] */
    uint32_t *at;                 /* next operation of each device */
    double *now;                  /* end of the last one */
    const double **awaited;       /* the entry a waiting device waits for */
    uint32_t *first_waiter;       /* of each device: who waits for it, a list through next_waiter */
    uint32_t *next_waiter;
    uint32_t *queue;              /* ring of devices that can go on */
    uint32_t head, queued;
};

size_t pg_time_scratch_size(size_t devices, size_t rows, size_t micro_each)
{
    return devices * rows * sizeof(struct row) + devices * (sizeof(double) + sizeof(double *)) +
           devices * sizeof(uint32_t) * 4 + micro_each * sizeof(double) * 2 +
           (size_t)64 * 10;
}

static void *take(struct pg_arena *arena, size_t count, size_t item, bool *is_short)
{
    void *piece = pg_arena_take(arena, count, item);
    *is_short = *is_short || piece == NULL;
    return piece;
}

/* Rows of a slot that need nothing and that nobody reads. */
static void blank_slot(const struct pg_plan *plan, struct row *row, uint32_t cell,
                       const double *zeros, double *sink)
{
    struct row blank = {zeros, zeros, sink, 0, 0, plan->cell_device[cell]};

    for (uint32_t kind = 0; kind < PG_KINDS; kind++) {
        row[kind] = blank;
        row[kind].cost = plan->cost[(size_t)cell * PG_KINDS + kind];
    }
}

static void wire_slot(const struct clock *clock, struct row *row, uint32_t cell)
{
    const struct pg_plan *plan = clock->plan;
    uint32_t stage = cell % plan->stages, device = plan->cell_device[cell];
    size_t stride = plan->done_stride;
    double *forward = clock->done + (size_t)cell * 2 * stride, *gradient = forward + stride;

    row[PG_FORWARD].output = forward;
    if (stage > 0) {
        row[PG_FORWARD].input = forward - 2 * stride;
        row[PG_FORWARD].input_device = plan->cell_device[cell - 1];
    }
    row[PG_BACKWARD].output = gradient;
    row[PG_BACKWARD].own = forward;
    if (stage + 1 < plan->stages) {
        row[PG_BACKWARD].input = gradient + 2 * stride;
        row[PG_BACKWARD].input_device = plan->cell_device[cell + 1];
    }
    for (uint32_t kind = 0; kind <= PG_BACKWARD; kind++)
        if (row[kind].input_device != device)
            row[kind].lag = plan->transfer;
    double input_grad_cost = row[PG_INPUT_GRAD].cost;
    row[PG_INPUT_GRAD] = row[PG_BACKWARD];
    row[PG_INPUT_GRAD].cost = input_grad_cost;
    row[PG_WEIGHT_GRAD].own = gradient;
}

/* The same for a clock that runs backwards: what an operation waits for are those that need it. A
 * weight gradient is needed by nobody, so its input gradient waits for it, in a row of its own. */
static void wire_slot_back(const struct clock *clock, struct row *row, uint32_t cell)
{
    const struct pg_plan *plan = clock->plan;
    uint32_t stage = cell % plan->stages, device = plan->cell_device[cell];
    size_t stride = plan->done_stride;
    double *forward = clock->done + (size_t)cell * 3 * stride, *gradient = forward + stride;

    row[PG_FORWARD].output = forward;
    row[PG_WEIGHT_GRAD].output = gradient + stride;
    if (!plan->family->is_forward_only)
        row[PG_FORWARD].own = gradient;
    if (stage + 1 < plan->stages) {
        row[PG_FORWARD].input = forward + 3 * stride;
        row[PG_FORWARD].input_device = plan->cell_device[cell + 1];
    }
    row[PG_BACKWARD].output = row[PG_INPUT_GRAD].output = gradient;
    row[PG_INPUT_GRAD].own = gradient + stride;
    for (uint32_t kind = PG_BACKWARD; kind <= PG_INPUT_GRAD && stage > 0; kind++) {
        row[kind].input = gradient - 3 * stride;
        row[kind].input_device = plan->cell_device[cell - 1];
    }
    for (uint32_t kind = 0; kind <= PG_INPUT_GRAD; kind++)
        if (row[kind].input_device != device)
            row[kind].lag = plan->transfer;
}

typedef void wire_function(const struct clock *clock, struct row *row, uint32_t cell);

/* `done` has the rows into which `wire` leads. */
static bool clock_start(struct clock *clock, const struct pg_plan *plan, double *done,
                        size_t rows_each, wire_function *wire, struct pg_arena *arena)
{
    size_t devices = plan->devices, width = (size_t)plan->slots * PG_KINDS;
    bool is_short = false;

    *clock = (struct clock){.plan = plan, .done = done, .rows_each = rows_each};
    clock->rows = take(arena, devices * width, sizeof *clock->rows, &is_short);
    clock->at = take(arena, devices, sizeof *clock->at, &is_short);
    clock->now = take(arena, devices, sizeof *clock->now, &is_short);
    clock->awaited = take(arena, devices, sizeof *clock->awaited, &is_short);
    clock->first_waiter = take(arena, devices, sizeof *clock->first_waiter, &is_short);
    clock->next_waiter = take(arena, devices, sizeof *clock->next_waiter, &is_short);
    clock->queue = take(arena, devices, sizeof *clock->queue, &is_short);
    double *zeros = take(arena, plan->micro_each, sizeof *zeros, &is_short);
    double *sink = take(arena, plan->micro_each, sizeof *sink, &is_short);
    if (is_short)
        return false;

    for (size_t i = 0; i < plan->micro_each; i++)
        zeros[i] = 0;
    size_t cells = (size_t)plan->replicas * plan->stages;
    size_t used = plan->family->is_forward_only ? 2 : rows_each; /* 2 strides are its one row */
    for (size_t cell = 0; cell < cells; cell++)
        for (size_t i = 0; i < used * plan->done_stride; i++)
            done[cell * rows_each * plan->done_stride + i] = INFINITY;
    for (uint32_t d = 0; d < devices; d++) {
        for (uint32_t slot = 0; slot < plan->slots; slot++) {
            uint32_t cell = plan->slot_cell[(size_t)d * plan->slots + slot];
            struct row *row = clock->rows + d * width + (size_t)slot * PG_KINDS;
            if (cell == PG_NONE)
                continue;
            blank_slot(plan, row, cell, zeros, sink);
            wire(clock, row, cell);
        }
        clock->at[d] = 0;
        clock->now[d] = 0;
        clock->first_waiter[d] = PG_NONE;
        clock->queue[d] = d;
    }
    clock->queued = plan->devices;
    return true;
}

static void enqueue(struct clock *clock, uint32_t device)
{
    uint32_t tail = clock->head + clock->queued++;
    clock->queue[tail < clock->plan->devices ? tail : tail - clock->plan->devices] = device;
}

static void wait_for(struct clock *clock, uint32_t device, const double *entry, uint32_t producer)
{
    if (producer == device)
        return; /* it waits for itself: for ever */
    clock->awaited[device] = entry;
    clock->next_waiter[device] = clock->first_waiter[producer];
    clock->first_waiter[producer] = device;
}

/* Takes up who waited for what `device` has done. */
static void wake(struct clock *clock, uint32_t device)
{
    uint32_t *link = &clock->first_waiter[device];

    while (*link != PG_NONE) {
        uint32_t waiter = *link;
        if (*clock->awaited[waiter] < INFINITY) {
            *link = clock->next_waiter[waiter];
            enqueue(clock, waiter);
        } else {
            link = &clock->next_waiter[waiter];
        }
    }
}

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* When both halves of a fused pair can start; infinity while one cannot. */
static double pair_ready(const struct row *first, uint32_t m, const struct row *second, uint32_t n)
{
    return later(later(first->input[m] + first->lag, first->own[m]),
                 later(second->input[n] + second->lag, second->own[n]));
}

/* Asks for a line of memory some items behind `array`; that may lie beyond its end, which is only
 * an address, never read. */
#if defined(__GNUC__)
#define FETCH_AHEAD(array, items) \
    __builtin_prefetch((const void *)((uintptr_t)(array) + (items) * sizeof *(array)))
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define FETCH_AHEAD(array, items) ((void)(array))
#define ALWAYS_INLINE inline
#endif

/* Runs one device as far as it goes, which is how many operations? `waits`: where it is held up it
 * is registered as waiting. */
static ALWAYS_INLINE uint32_t advance(struct clock *clock, uint32_t device, bool waits)
{
    const struct pg_plan *plan = clock->plan;
    const struct row *rows = clock->rows + (size_t)device * plan->slots * PG_KINDS;
    const struct pg_run run = plan->run[device];
    const uint32_t first = clock->at[device];
    uint32_t i = first;
    double now = clock->now[device], *written = &clock->now[device];

    while (i < run.count) {
        pg_code code = run.code[i];
        const struct row *row = &rows[pg_code_row(code)];
        uint32_t m = pg_code_micro(code);
        if (code & PG_CODE_FUSED_FIRST) {
            const struct row *other = &rows[pg_code_row(run.code[i + 1])];
            uint32_t n = pg_code_micro(run.code[i + 1]);
            double ready = pair_ready(row, m, other, n);
            if (!(ready < INFINITY)) {
                if (!waits)
                    break;
                const struct row *blocked = row->input[m] < INFINITY && row->own[m] < INFINITY ? other : row;
                uint32_t want = blocked == row ? m : n;
                wait_for(clock, device, &blocked->input[want],
                         blocked->own[want] < INFINITY ? blocked->input_device : device);
                break;
            }
            double start = later(now, ready);
            now = start + (row->cost + other->cost) * plan->fused;
            run.start[i] = run.start[i + 1] = start;
            row->output[m] = other->output[n] = now;
            i += 2;
            continue;
        }
        double ready = later(row->input[m] + row->lag, row->own[m]);
        if (!(ready < INFINITY)) {
            /* The others have their turn now, too many for the processor to see where this one will
             * go on: a line or two ahead in each of its arrays. */
            FETCH_AHEAD(run.start, i + 16);
            FETCH_AHEAD(run.code, i + 32);
            FETCH_AHEAD(row->output, m + 16);
            FETCH_AHEAD(written, 16);
            if (waits)
                wait_for(clock, device, &row->input[m],
                         row->own[m] < INFINITY ? row->input_device : device);
            break;
        }
        double start = later(now, ready);
        run.start[i++] = start;
        now = start + row->cost;
        written = &row->output[m];
        *written = now;
    }
    clock->at[device] = i;
    clock->now[device] = now;
    return i - first;
}

static enum pg_status deadlock(const struct clock *clock, struct pg_fault *fault)
{
    const struct pg_plan *plan = clock->plan;

    for (uint32_t d = 0; d < plan->devices; d++) {
        if (clock->at[d] == plan->run[d].count)
            continue;
        pg_code code = plan->run[d].code[clock->at[d]];
        *fault = fault_make(PG_E_DEADLOCK);
        fault->device = d;
        fault->index = clock->at[d];
        fault->stage = plan->slot_cell[(size_t)d * plan->slots + pg_code_slot(code)] % plan->stages;
        fault->micro_batch = pg_code_micro(code);
        fault->kind = (int)pg_code_kind(code);
        return PG_E_DEADLOCK;
    }
    return PG_OK;
}

/* Visits all devices, the even ones and then the odd ones: neighbours, who wait for each other,
 * are far apart, so that the processor works on several at a time, and in a steady state every
 * visit goes on by the same few operations. Ends where nobody goes on, or where visits outnumber
 * operations. */
static void sweep(struct clock *clock)
{
    uint64_t visits = 0, done = 0, before;

    do {
        before = done;
        for (uint32_t parity = 0; parity < 2; parity++)
            for (uint32_t d = parity; d < clock->plan->devices; d += 2)
                done += advance(clock, d, false);
        visits += clock->plan->devices;
    } while (done > before && visits < clock->plan->ops + done);
}

/* Runs the clock to the end, or to where nobody can go on; returns the last end. */
static double clock_run(struct clock *clock)
{
    double makespan = 0;

    if (clock->plan->micro_each / 4 >= clock->plan->devices) /* else it hardly gets steady */
        sweep(clock);
    while (clock->queued > 0) {
        uint32_t device = clock->queue[clock->head];
        clock->head = clock->head + 1 < clock->plan->devices ? clock->head + 1 : 0;
        clock->queued--;
        advance(clock, device, true);
        wake(clock, device);
    }
    for (uint32_t d = 0; d < clock->plan->devices; d++)
        makespan = later(makespan, clock->now[d]);
    return makespan;
}

static enum pg_status report_shortage(const struct pg_arena *arena, size_t mark, size_t needed,
                                      struct pg_fault *fault)
{
    size_t room = arena->size - mark;

    *fault = fault_make(PG_E_MEMORY);
    fault->value = needed > room ? (double)(needed - room) : 0;
    return PG_E_MEMORY;
}

enum pg_status pg_plan_time(struct pg_plan *plan, struct pg_arena *arena, struct pg_fault *fault)
{
    size_t mark = pg_arena_mark(arena);
    struct clock clock;

    if (!clock_start(&clock, plan, plan->done, 2, wire_slot, arena)) {
        pg_arena_reset(arena, mark);
        return report_shortage(arena, mark,
                               pg_time_scratch_size(plan->devices, (size_t)plan->slots * PG_KINDS,
                                                    plan->micro_each), fault);
    }
    plan->makespan = clock_run(&clock);
    enum pg_status status = deadlock(&clock, fault);
    pg_arena_reset(arena, mark);
    return status;
}

/* ---- the same orders under another clock ---- */

size_t pg_retime_size(const struct pg_plan *plan)
{
    size_t cells = (size_t)plan->replicas * plan->stages, ops = (size_t)plan->ops;

    return ops * (sizeof(pg_code) + sizeof(double)) + cells * 3 * plan->done_stride * sizeof(double) +
           plan->devices * (sizeof(struct pg_run) + sizeof(double *)) + (size_t)64 * 6 +
           pg_time_scratch_size(plan->devices, (size_t)plan->slots * PG_KINDS, plan->micro_each);
}

/* A copy with start times, and ends, of its own; its codes are the plan's or, mirrored, a copy that
 * goes from the last operation to the first. */
static bool copy_make(struct pg_plan *copy, const struct pg_plan *plan, bool is_mirrored,
                      struct pg_arena *arena)
{
    size_t cells = (size_t)plan->replicas * plan->stages, ops = (size_t)plan->ops;
    bool is_short = false;
    double *start = take(arena, ops, sizeof *start, &is_short);

    *copy = *plan;
    copy->run = take(arena, plan->devices, sizeof *copy->run, &is_short);
    copy->done = take(arena, cells * 3 * plan->done_stride, sizeof *copy->done, &is_short);
    pg_code *code = is_mirrored ? take(arena, ops, sizeof *code, &is_short) : NULL;
    if (is_short)
        return false;
    for (uint32_t d = 0; d < plan->devices; d++) {
        const struct pg_run *run = &plan->run[d];
        copy->run[d] = (struct pg_run){is_mirrored ? code : run->code, start, run->count};
        for (uint32_t i = 0; is_mirrored && i < run->count; i++) {
            pg_code of = run->code[run->count - 1 - i];
            /* Of a fused pair the second half now comes first. */
            code[i] = pg_code_is_fused(of) ? of ^ (PG_CODE_FUSED_FIRST | PG_CODE_FUSED_SECOND) : of;
        }
        start += run->count;
        code = is_mirrored ? code + run->count : NULL;
    }
    return true;
}

enum pg_status pg_plan_retime(const struct pg_plan *plan, double transfer, struct pg_arena *arena,
                              double *makespan, struct pg_fault *fault)
{
    size_t mark = pg_arena_mark(arena);
    struct pg_plan copy;
    struct clock clock;
    bool is_done = copy_make(&copy, plan, false, arena);

    copy.transfer = transfer;
    is_done = is_done && clock_start(&clock, &copy, copy.done, 2, wire_slot, arena);
    if (is_done)
        *makespan = clock_run(&clock);
    pg_arena_reset(arena, mark);
    return is_done ? PG_OK : report_shortage(arena, mark, pg_retime_size(plan), fault);
}

/* Seen from the end of the step an operation waits for those that need it, and the moment at which
 * it could begin, counted backwards, is the latest at which it may end. */
enum pg_status pg_plan_latest(const struct pg_plan *plan, struct pg_arena *arena,
                              const double ***latest, struct pg_fault *fault)
{
    size_t mark = pg_arena_mark(arena);
    const double **ends = pg_arena_take(arena, plan->devices, sizeof *ends);
    double *start = pg_arena_take(arena, (size_t)plan->ops, sizeof *start);
    struct pg_plan copy;
    struct clock clock;
    size_t kept = pg_arena_mark(arena);
    bool is_done = ends != NULL && start != NULL;

    is_done = is_done && copy_make(&copy, plan, true, arena) &&
              clock_start(&clock, &copy, copy.done, 3, wire_slot_back, arena);
    if (!is_done) {
        pg_arena_reset(arena, mark);
        return report_shortage(arena, mark, pg_latest_size(plan), fault);
    }
    clock_run(&clock);
    for (uint32_t d = 0; d < plan->devices; d++) {
        const struct pg_run *run = &copy.run[d];
        ends[d] = start;
        for (uint32_t i = run->count; i-- > 0;)
            *start++ = plan->makespan - run->start[i];
    }
    *latest = ends;
    pg_arena_reset(arena, kept);
    return PG_OK;
}

size_t pg_latest_size(const struct pg_plan *plan)
{
    return pg_retime_size(plan) + (size_t)plan->ops * sizeof(double) +
           plan->devices * sizeof(double *) + (size_t)64 * 2;
}
