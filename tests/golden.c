/* Reads golden files, and makes orders that the core had no hand in.
 *
 * Text goes in here and numbers come out; judging is left to the tests. An order keeps every array
 * in a block of its own, exactly as long as the plan says, so that a sanitizer notices a core that
 * reads one entry too far. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- small things ---- */

void golden_exact(double actual, double expected, const char *what, const char *file, int line)
{
    if (actual == expected || (isnan(actual) && isnan(expected)))
        return;
    print_error("%s is %.17g, not %.17g\n", what, actual, expected);
    _assert_true(0, what, file, line);
}

void golden_close(double actual, double expected, const char *what, const char *file, int line)
{
    if (fabs(actual - expected) > 1e-12 * fmax(fabs(actual), fabs(expected)))
        golden_exact(actual, expected, what, file, line);
}

uint32_t golden_roll(struct golden_dice *dice, uint32_t sides)
{
    dice->state ^= dice->state << 13;
    dice->state ^= dice->state >> 7;
    dice->state ^= dice->state << 17;
    return (uint32_t)(dice->state >> 32) % sides;
}

struct pg_arena golden_arena(size_t size)
{
    struct pg_arena arena;
    void *block = malloc(size > 0 ? size : 1);

    assert_non_null(block);
    pg_arena_init(&arena, block, size);
    return arena;
}

void golden_arena_free(struct pg_arena *arena)
{
    free(arena->base);
}

struct pg_arena golden_plan(struct pg_plan *plan, const char *family, uint32_t devices,
                            uint32_t micro_batches, double forward, double backward,
                            double transfer)
{
    struct pg_problem problem = {
        .family = pg_family_find(family),
        .devices = devices,
        .micro_batches = micro_batches,
        .forward = {&forward, 1},
        .backward = {&backward, 1},
        .transfer = transfer,
        .fused = 1,
    };
    struct pg_arena arena = golden_arena(pg_plan_size(&problem));
    struct pg_fault fault;

    assert_int_equal(pg_plan_build(&arena, &problem, plan, &fault), PG_OK);
    return arena;
}

struct pg_fault golden_fault(enum pg_status status, enum pg_field field, double value, double limit)
{
    return (struct pg_fault){status, field, PG_NONE, PG_NONE, PG_NONE, PG_NONE, -1, value, limit};
}

void golden_same_fault(const struct pg_fault *actual, const struct pg_fault *expected)
{
    assert_int_equal(actual->status, expected->status);
    assert_int_equal(actual->field, expected->field);
    assert_int_equal(actual->device, expected->device);
    assert_int_equal(actual->stage, expected->stage);
    assert_int_equal(actual->micro_batch, expected->micro_batch);
    assert_int_equal(actual->index, expected->index);
    assert_int_equal(actual->kind, expected->kind);
    assert_exact(actual->value, expected->value);
    assert_exact(actual->limit, expected->limit);
}

bool golden_same_op(const struct pg_op *a, const struct pg_op *b)
{
    return a->start == b->start && a->end == b->end && a->device == b->device &&
           a->stage == b->stage && a->micro_batch == b->micro_batch && a->kind == b->kind &&
           a->replica == b->replica && a->is_fused == b->is_fused;
}

bool golden_needs(const struct pg_plan *plan, const struct pg_op *op, const struct pg_op *other)
{
    bool is_gradient = other->kind == PG_BACKWARD || other->kind == PG_INPUT_GRAD;

    if (op->replica != other->replica || op->micro_batch != other->micro_batch)
        return false;
    if (op->kind == PG_FORWARD)
        return other->kind == PG_FORWARD && op->stage == other->stage + 1;
    if (op->kind == PG_WEIGHT_GRAD)
        return other->kind == PG_INPUT_GRAD && op->stage == other->stage;
    return (other->kind == PG_FORWARD && op->stage == other->stage) ||
           (is_gradient && op->stage + 1 == other->stage && other->stage < plan->stages);
}

static char *path_of(const char *name)
{
    const char *given = getenv("PIPEGANTT_GOLDEN"), *source = getenv("SRCDIR");
    size_t size = strlen(name) + 64 + (given ? strlen(given) : source ? strlen(source) : 0);
    char *path = malloc(size);

    assert_non_null(path);
    if (given)
        snprintf(path, size, "%s/%s", given, name);
    else
        snprintf(path, size, "%s/../shared/golden/%s", source ? source : ".", name);
    return path;
}

FILE *golden_open(const char *name)
{
    char *path = path_of(name);
    FILE *file = fopen(path, "r");

    free(path);
    return file;
}

char *golden_text(const char *name)
{
    FILE *file = golden_open(name);
    if (file == NULL)
        return NULL;

    char *text = NULL;
    size_t size = 0, got;
    do {
        text = realloc(text, size + 65536 + 1);
        assert_non_null(text);
        got = fread(text + size, 1, 65536, file);
        size += got;
    } while (got > 0);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* ---- cases ---- */

static void read_numbers(const char *text, struct golden_numbers *out)
{
    char *end;

    for (out->n = 0;; text = end) {
        double value = strtod(text, &end);
        if (end == text)
            break;
        assert_true(out->n < sizeof out->v / sizeof out->v[0]);
        out->v[out->n++] = value;
    }
    assert_true(*end == '\n' || *end == '\0');
}

static void read_op(const char *text, struct golden_case *out)
{
    assert_true(out->ops < sizeof out->op / sizeof out->op[0]);
    struct pg_op *op = &out->op[out->ops++];
    char kind;

    *op = (struct pg_op){0};
    assert_int_equal(
        sscanf(text, "%u %u %c %lf %lf", &op->stage, &op->micro_batch, &kind, &op->start, &op->end),
        5);
    op->kind = kind == 'F' ? PG_FORWARD : PG_BACKWARD;
    op->device = op->stage;
}

static void read_range(const char *text, struct golden_case *out)
{
    assert_true(out->ranges < sizeof out->range / sizeof out->range[0]);
    struct pg_range *range = &out->range[out->ranges];
    uint32_t stage;

    assert_int_equal(sscanf(text, "%u %u %u %lf", &stage, &range->start, &range->end, &range->load),
                     4);
    assert_int_equal(stage, out->ranges++);
}

static bool read_scalar(const char *key, double value, struct golden_case *out)
{
    const struct {
        const char *key;
        double *to;
    } scalars[] = {
        {"makespan", &out->makespan},
        {"bubble_fraction", &out->bubble_fraction},
        {"utilization", &out->utilization},
        {"throughput", &out->throughput},
        {"total_busy_time", &out->total_busy_time},
        {"peak_stash", &out->peak_stash},
        {"analytical_bubble_fraction", &out->analytical_bubble_fraction},
        {"analytical_utilization", &out->analytical_utilization},
        {"optimal_max_load", &out->optimal_max_load},
    };
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        if (strcmp(key, scalars[i].key) == 0) {
            *scalars[i].to = value;
            return true;
        }
    return false;
}

static void read_line(const char *key, const char *value, struct golden_case *out)
{
    if (strcmp(key, "schedule") == 0)
        assert_int_equal(sscanf(value, "%15s", out->schedule), 1);
    else if (strcmp(key, "stages") == 0)
        out->stages = (uint32_t)atoi(value);
    else if (strcmp(key, "micro_batches") == 0)
        out->micro_batches = (uint32_t)atoi(value);
    else if (strcmp(key, "forward") == 0)
        read_numbers(value, &out->forward);
    else if (strcmp(key, "backward") == 0)
        read_numbers(value, &out->backward);
    else if (strcmp(key, "layers") == 0)
        read_numbers(value, &out->layers);
    else if (strcmp(key, "stage_peak_stash") == 0)
        read_numbers(value, &out->stage_peak_stash);
    else if (strcmp(key, "op") == 0)
        read_op(value, out);
    else if (strcmp(key, "range") == 0)
        read_range(value, out);
    else if (strcmp(key, "error") == 0)
        out->is_error = true;
    else if (!read_scalar(key, strtod(value, NULL), out))
        fail_msg("golden case %s: unknown key '%s'", out->name, key);
}

bool golden_next(FILE *file, struct golden_case *out)
{
    char line[8192], key[64];
    int length;

    *out = (struct golden_case){0};
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63s%n", key, &length) != 1)
            continue;
        if (strcmp(key, "end") == 0)
            return true;
        if (strcmp(key, "case") == 0)
            assert_int_equal(sscanf(line + length, "%79s", out->name), 1);
        else
            read_line(key, line + length, out);
    }
    assert_string_equal(out->name, ""); /* a case without end */
    fclose(file);
    return false;
}

struct pg_arena golden_plan_case(struct pg_plan *plan, const struct golden_case *golden)
{
    struct pg_problem problem = {
        .family = pg_family_find(golden->schedule),
        .devices = golden->stages,
        .micro_batches = golden->micro_batches,
        .forward = {golden->forward.v, golden->forward.n},
        .backward = {golden->backward.v, golden->backward.n},
        .fused = 1,
    };
    struct pg_arena arena = golden_arena(pg_plan_size(&problem));
    struct pg_fault fault;

    assert_int_equal(pg_plan_build(&arena, &problem, plan, &fault), PG_OK);
    return arena;
}

/* ---- orders ---- */

void golden_order_new(struct golden_order *order, uint32_t devices, uint32_t chunks,
                      uint32_t replicas, uint32_t micro_each)
{
    size_t cells = (size_t)devices * chunks * replicas;

    *order = (struct golden_order){
        .family = {.name = "by hand", .title = "By hand", .splits = true},
        .cell_device = calloc(cells, sizeof(uint32_t)),
        .slot_cell = calloc(cells, sizeof(uint32_t)),
        .cost = calloc(cells * PG_KINDS, sizeof(double)),
    };
    order->plan = (struct pg_plan){
        .family = &order->family,
        .devices = devices,
        .chunks = chunks,
        .replicas = replicas,
        .stages = devices * chunks,
        .slots = chunks * replicas,
        .micro_batches = micro_each * replicas,
        .micro_each = micro_each,
        .fused = 1,
        .cell_device = order->cell_device,
        .slot_cell = order->slot_cell,
        .cost = order->cost,
        .run = calloc(devices, sizeof(struct pg_run)),
        .done = calloc(cells * 2 * micro_each, sizeof(double)),
        .done_stride = micro_each,
    };
    assert_true(order->cell_device && order->slot_cell && order->cost && order->plan.run &&
                order->plan.done);
    golden_order_price(order, 1, 1, 1);
}

void golden_order_place(struct golden_order *order, uint32_t device, uint32_t slot, uint32_t cell)
{
    assert_true(device < order->plan.devices && slot < order->plan.slots);
    assert_true(cell < order->plan.replicas * order->plan.stages);
    order->cell_device[cell] = device;
    order->slot_cell[(size_t)device * order->plan.slots + slot] = cell;
}

void golden_order_put(struct golden_order *order, enum pg_kind kind, uint32_t cell,
                      uint32_t micro_batch, uint32_t fused)
{
    uint32_t device = order->cell_device[cell], slot = 0;
    struct pg_run *run = &order->plan.run[device];

    while (order->slot_cell[(size_t)device * order->plan.slots + slot] != cell)
        slot++;
    run->code = realloc(run->code, (run->count + 1) * sizeof *run->code);
    run->start = realloc(run->start, (run->count + 1) * sizeof *run->start);
    assert_true(run->code && run->start);
    run->code[run->count] = micro_batch + ((slot * 4 + (uint32_t)kind) << 20) + fused;
    run->start[run->count++] = 0;
    order->plan.ops++;
}

void golden_order_price(struct golden_order *order, double f, double i, double w)
{
    double row[PG_KINDS] = {f, i + w, i, w};

    for (size_t n = 0; n < (size_t)order->plan.replicas * order->plan.stages * PG_KINDS; n++)
        order->cost[n] = row[n % PG_KINDS];
}

/* One operation or a pair: "F0.7", "F0.7+B7.3". Returns how much text that was, 0 at the end. */
static int read_item(struct golden_order *order, uint32_t device, const char *text)
{
    static const char kinds[] = "FBIW";
    char kind[2];
    uint32_t cell[2], micro_batch[2];
    int length = 0, more = 0;

    if (sscanf(text, " %1[FBIW]%u.%u%n", kind, &cell[0], &micro_batch[0], &length) != 3)
        return 0;
    enum pg_kind first = (enum pg_kind)(strchr(kinds, kind[0]) - kinds);
    bool is_pair = text[length] == '+';
    assert_int_equal(order->cell_device[cell[0]], device);
    golden_order_put(order, first, cell[0], micro_batch[0], is_pair ? PG_CODE_FUSED_FIRST : 0);
    if (!is_pair)
        return length;
    assert_int_equal(
        sscanf(text + length, "+%1[FBIW]%u.%u%n", kind, &cell[1], &micro_batch[1], &more), 3);
    assert_int_equal(order->cell_device[cell[1]], device);
    golden_order_put(order, (enum pg_kind)(strchr(kinds, kind[0]) - kinds), cell[1], micro_batch[1],
                     PG_CODE_FUSED_SECOND);
    return length + more;
}

static void read_run(struct golden_order *order, uint32_t device, const char *text)
{
    for (int length; (length = read_item(order, device, text)) > 0;)
        text += length;
    text += strspn(text, " ");
    assert_true(*text == '\n' || *text == '\0');
}

/* The text after "key:" at the beginning of a line. */
static const char *value_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    while (at != NULL && at != text && at[-1] != '\n')
        at = strstr(at + 1, key);
    if (at == NULL)
        fail_msg("no line '%s'", key);
    return at + strlen(key);
}

void golden_order_read(struct golden_order *order, const char *text)
{
    uint32_t devices = (uint32_t)atoi(value_of(text, "P:"));
    uint32_t micro_batches = (uint32_t)atoi(value_of(text, "M:"));
    uint32_t per_device = (uint32_t)atoi(value_of(text, "V:"));
    const char *chains = value_of(text, "chains:");
    uint32_t replicas = memchr(chains + 1, ' ', strcspn(chains + 1, "\n")) ? 2 : 1;
    char key[32];

    golden_order_new(order, devices, per_device / replicas, replicas, micro_batches / replicas);
    for (uint32_t d = 0; d < devices; d++) {
        snprintf(key, sizeof key, "place %u:", d);
        const char *at = value_of(text, key);
        for (uint32_t slot = 0; slot < per_device; slot++) {
            char *end;
            golden_order_place(order, d, slot, (uint32_t)strtoul(at, &end, 10));
            at = end;
        }
    }
    for (uint32_t d = 0; d < devices; d++) {
        snprintf(key, sizeof key, "rank %u:", d);
        read_run(order, d, value_of(text, key));
    }
}

enum pg_status golden_order_time(struct golden_order *order, struct pg_fault *fault)
{
    const struct pg_plan *plan = &order->plan;
    size_t most = plan->devices * (plan->slots * PG_KINDS * (size_t)128 + 256);
    struct pg_arena arena = golden_arena(most + (size_t)plan->micro_each * 32 + 4096);
    size_t mark = pg_arena_mark(&arena);
    enum pg_status status = pg_plan_time(&order->plan, &arena, fault);

    assert_int_equal(pg_arena_mark(&arena), mark);
    golden_arena_free(&arena);
    return status;
}

void golden_order_free(struct golden_order *order)
{
    for (uint32_t d = 0; d < order->plan.devices; d++) {
        free(order->plan.run[d].code);
        free(order->plan.run[d].start);
    }
    free(order->plan.run);
    free(order->plan.done);
    free(order->cell_device);
    free(order->slot_cell);
    free(order->cost);
}

/* ---- orders at random ---- */

/* Which operations are in the order so far, and which stages split their backward. */
struct draft {
    const struct pg_plan *plan;
    bool *has;    /* [cells][micro_each][PG_KINDS] */
    bool *splits; /* [cells][micro_each] */
};

static bool draft_has(const struct draft *draft, uint32_t cell, uint32_t m, enum pg_kind kind)
{
    return draft->has[(cell * draft->plan->micro_each + m) * PG_KINDS + kind];
}

/* Is it not in the order yet, and everything it needs is? */
static bool is_ready(const struct draft *draft, uint32_t cell, uint32_t m, enum pg_kind kind)
{
    uint32_t stages = draft->plan->stages, stage = cell % stages;
    bool splits = draft->splits[cell * draft->plan->micro_each + m];

    if (draft_has(draft, cell, m, kind) || (kind == PG_BACKWARD && splits) ||
        (kind > PG_BACKWARD && !splits))
        return false;
    if (kind == PG_FORWARD)
        return stage == 0 || draft_has(draft, cell - 1, m, PG_FORWARD);
    if (kind == PG_WEIGHT_GRAD)
        return draft_has(draft, cell, m, PG_INPUT_GRAD);
    return draft_has(draft, cell, m, PG_FORWARD) &&
           (stage + 1 == stages || draft_has(draft, cell + 1, m, PG_BACKWARD) ||
            draft_has(draft, cell + 1, m, PG_INPUT_GRAD));
}

/* Picks one of the ready operations, of one device unless `device` is PG_NONE; false if none is. */
static bool pick(const struct draft *draft, struct golden_dice *dice, uint32_t device,
                 size_t besides, size_t *picked)
{
    size_t found = 0, each = draft->plan->micro_each;
    size_t all = (size_t)draft->plan->replicas * draft->plan->stages * each * PG_KINDS;

    for (size_t n = 0; n < all; n++) {
        uint32_t cell = (uint32_t)(n / PG_KINDS / each), m = (uint32_t)(n / PG_KINDS % each);
        if (n == besides || (device != PG_NONE && draft->plan->cell_device[cell] != device) ||
            !is_ready(draft, cell, m, (enum pg_kind)(n % PG_KINDS)))
            continue;
        if (golden_roll(dice, (uint32_t)++found) == 0)
            *picked = n;
    }
    return found > 0;
}

static void write_down(struct golden_order *order, const struct draft *draft, size_t n,
                       uint32_t fused)
{
    size_t each = order->plan.micro_each;

    golden_order_put(order, (enum pg_kind)(n % PG_KINDS), (uint32_t)(n / PG_KINDS / each),
                     (uint32_t)(n / PG_KINDS % each), fused);
    draft->has[n] = true;
}

static void place_at_random(struct golden_order *order, struct golden_dice *dice)
{
    uint32_t cells = order->plan.replicas * order->plan.stages;

    for (uint32_t n = 0; n < cells; n++)
        order->slot_cell[n] = n;
    for (uint32_t n = cells; n > 1; n--) {
        uint32_t at = golden_roll(dice, n), cell = order->slot_cell[at];
        order->slot_cell[at] = order->slot_cell[n - 1];
        order->slot_cell[n - 1] = cell;
    }
    for (uint32_t n = 0; n < cells; n++)
        order->cell_device[order->slot_cell[n]] = n / order->plan.slots;
}

void golden_order_random(struct golden_order *order, struct golden_dice *dice)
{
    golden_order_new(order, 1 + golden_roll(dice, 4), 1 + golden_roll(dice, 3),
                     1 + golden_roll(dice, 2), 1 + golden_roll(dice, 5));
    size_t pairs = (size_t)order->plan.replicas * order->plan.stages * order->plan.micro_each;
    struct draft draft = {&order->plan, calloc(pairs * PG_KINDS, 1), calloc(pairs, 1)};
    uint32_t some_splits = golden_roll(dice, 3), some_fused = golden_roll(dice, 3);
    bool is_round = golden_roll(dice, 2) == 0;

    assert_true(draft.has && draft.splits);
    place_at_random(order, dice);
    for (size_t n = 0; n < pairs * PG_KINDS / 4; n++)
        draft.splits[n] = golden_roll(dice, 2) < some_splits;
    for (size_t n = 0; n < (size_t)order->plan.replicas * order->plan.stages * PG_KINDS; n++)
        order->cost[n] = (1 + golden_roll(dice, is_round ? 4 : 9999)) / (is_round ? 1 : 977.0);
    order->plan.transfer = golden_roll(dice, 3) * (is_round ? 0.5 : 0.3);
    order->plan.fused = 0.75 + 0.25 * golden_roll(dice, 3);
    for (size_t one, two; pick(&draft, dice, PG_NONE, SIZE_MAX, &one);) {
        uint32_t device = order->cell_device[one / PG_KINDS / order->plan.micro_each];
        bool is_pair = golden_roll(dice, 4) < some_fused && pick(&draft, dice, device, one, &two);
        write_down(order, &draft, one, is_pair ? PG_CODE_FUSED_FIRST : 0);
        if (is_pair)
            write_down(order, &draft, two, PG_CODE_FUSED_SECOND);
    }
    free(draft.has);
    free(draft.splits);
}

void golden_order_shuffle(struct golden_order *order, struct golden_dice *dice)
{
    const struct pg_run *run = &order->plan.run[golden_roll(dice, order->plan.devices)];

    for (uint32_t i = golden_roll(dice, run->count), n = golden_roll(dice, 4);
         n > 0 && i + 1 < run->count; i++, n--) {
        if (pg_code_is_fused(run->code[i]) || pg_code_is_fused(run->code[i + 1]))
            return;
        pg_code code = run->code[i];
        run->code[i] = run->code[i + 1];
        run->code[i + 1] = code;
    }
}
