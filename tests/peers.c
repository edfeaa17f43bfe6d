/* Reads the golden orders of other schedulers and their table of makespans. */
#include "peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cost columns of the table, in its order. */
const struct peers_costs peers_costs[PEERS_COSTS] = {
    {1, 1, 1, 0, 0}, {3, 4, 2, 0, 0}, {3, 4, 2, 1, 0}, {1, 2, 0, 0, 0}, {3, 4, 2, 0, 7},
};

static void *zeros(size_t count, size_t item)
{
    void *block = calloc(count > 0 ? count : 1, item);

    assert_non_null(block);
    return block;
}

FILE *peers_open(const char *name)
{
    const char *given = getenv("PIPEGANTT_GOLDEN"), *source = getenv("SRCDIR");
    char path[4096];
    int length;

    if (given)
        length = snprintf(path, sizeof path, "%s/peers/%s", given, name);
    else
        length = snprintf(path, sizeof path, "%s/../shared/golden/peers/%s", source ? source : ".",
                          name);
    assert_in_range(length, 1, sizeof path - 1);
    return fopen(path, "r");
}

/* ---- orders ---- */

/* The text after "key:" at the beginning of a line, NULL when there is none. */
static const char *value_of(const char *text, const char *key)
{
    size_t length = strlen(key);

    while (text != NULL) {
        if (strncmp(text, key, length) == 0 && text[length] == ':')
            return text + length + 1;
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    return NULL;
}

static uint32_t number_of(const char *text, const char *key)
{
    const char *value = value_of(text, key);

    if (value == NULL)
        fail_msg("no line '%s:'", key);
    return (uint32_t)strtoul(value, NULL, 10);
}

static uint32_t group_of(const char *text)
{
    const char *value = value_of(text, "microbatch_group_size_per_vp_stage");

    if (value == NULL)
        value = value_of(text, "interleave_group_size");
    return value != NULL ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

static void read_place(struct peers_order *order, uint32_t device, const char *text)
{
    for (uint32_t slot = 0; slot < order->slots; slot++) {
        char *end;
        unsigned long cell = strtoul(text, &end, 10);
        assert_true(end != text && cell < (unsigned long)order->stages * order->replicas);
        order->cell[device * order->slots + slot] = (uint32_t)cell;
        text = end;
    }
}

/* One operation, "F0.7" with or without a '+' before it. Returns its length. */
static int read_op(const char *text, struct peers_op *op)
{
    static const char letters[] = {
        [PG_FORWARD] = 'F', [PG_BACKWARD] = 'B', [PG_INPUT_GRAD] = 'I', [PG_WEIGHT_GRAD] = 'W'};
    uint32_t joined = *text == '+';
    int length = 0;
    char letter;

    if (sscanf(text + joined, "%c%u.%u%n", &letter, &op->cell, &op->micro_batch, &length) != 3)
        fail_msg("no operation: '%.12s'", text);
    const char *kind = memchr(letters, letter, sizeof letters);
    assert_non_null(kind);
    op->kind = (enum pg_kind)(kind - letters);
    length += (int)joined;
    op->fused = joined ? PG_CODE_FUSED_SECOND : text[length] == '+' ? PG_CODE_FUSED_FIRST : 0;
    return length;
}

static void read_run(struct peers_run *run, const char *text)
{
    size_t most = 1;

    for (const char *at = text; *at != '\n' && *at != '\0'; at++)
        most += *at == ' ' || *at == '+';
    run->op = zeros(most, sizeof *run->op);
    for (text += strspn(text, " "); *text != '\n' && *text != '\0'; text += strspn(text, " "))
        text += read_op(text, &run->op[run->count++]);
}

void peers_parse(struct peers_order *order, const char *text)
{
    const char *chains = value_of(text, "chains");
    char key[32];

    assert_non_null(chains);
    *order = (struct peers_order){
        .devices = number_of(text, "P"),
        .micro_batches = number_of(text, "M"),
        .replicas = memchr(chains + 1, ' ', strcspn(chains + 1, "\n")) ? 2 : 1,
        .slots = number_of(text, "V"),
        .group = group_of(text),
    };
    assert_in_range(order->devices, 1, PEERS_MAX_DEVICES);
    order->stages = order->devices * order->slots / order->replicas;
    order->cell = zeros((size_t)order->devices * order->slots, sizeof *order->cell);
    order->run = zeros(order->devices, sizeof *order->run);
    for (uint32_t d = 0; d < order->devices; d++) {
        snprintf(key, sizeof key, "place %u", d);
        const char *place = value_of(text, key);
        snprintf(key, sizeof key, "rank %u", d);
        const char *run = value_of(text, key);
        assert_true(place != NULL && run != NULL);
        read_place(order, d, place);
        read_run(&order->run[d], run);
    }
}

bool peers_read(struct peers_order *order, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s.txt", name);
    FILE *file = peers_open(path);
    if (file == NULL)
        return false;

    size_t room = 1 << 20;
    char *text = zeros(room, 1);
    assert_true(fread(text, 1, room, file) < room); /* the last byte stays 0 */
    fclose(file);
    peers_parse(order, text);
    free(text);
    return true;
}

void peers_free(struct peers_order *order)
{
    for (uint32_t d = 0; d < order->devices; d++)
        free(order->run[d].op);
    free(order->run);
    free(order->cell);
}

/* ---- orders as plans ---- */

static pg_code code_of(const struct peers_order *order, uint32_t device, const struct peers_op *op)
{
    const uint32_t *cells = order->cell + (size_t)device * order->slots;
    uint32_t slot = 0;

    while (slot < order->slots && cells[slot] != op->cell)
        slot++;
    assert_true(op->micro_batch <=
                PG_CODE_MICRO); /* a strange cell gets a slot that is not there */
    return op->micro_batch | (slot * 4 + (uint32_t)op->kind) << PG_CODE_ROW_SHIFT | op->fused;
}

void peers_plan_new(struct peers_plan *made, const struct peers_order *order, uint32_t micro_each)
{
    size_t cells = (size_t)order->stages * order->replicas;

    *made = (struct peers_plan){
        .family = {.name = "peer", .title = "Peer", .splits = true},
        .cost = zeros(cells * PG_KINDS, sizeof(double)),
        .stash = zeros(cells * 2, sizeof(double)),
        .cell_device = zeros(cells, sizeof(uint32_t)),
    };
    made->plan = (struct pg_plan){
        .family = &made->family,
        .devices = order->devices,
        .chunks = order->slots / order->replicas,
        .replicas = order->replicas,
        .stages = order->stages,
        .slots = order->slots,
        .micro_batches = micro_each * order->replicas,
        .micro_each = micro_each,
        .fused = 1,
        .cell_device = made->cell_device,
        .slot_cell = order->cell,
        .cost = made->cost,
        .stash = made->stash,
        .run = zeros(order->devices, sizeof(struct pg_run)),
        .done = zeros(cells * 2 * micro_each, sizeof(double)),
        .done_stride = micro_each,
    };
    for (size_t i = 0; i < cells; i++)
        made->stash[2 * i] = 1;
    for (size_t i = 0; i < cells * PG_KINDS; i++)
        made->cost[i] = 1;
    for (size_t i = 0; i < cells; i++)
        made->cell_device[order->cell[i]] = (uint32_t)(i / order->slots);
    for (uint32_t d = 0; d < order->devices; d++) {
        struct pg_run *run = &made->plan.run[d];
        run->count = order->run[d].count;
        run->code = zeros(run->count, sizeof *run->code);
        run->start = zeros(run->count, sizeof *run->start);
        for (uint32_t i = 0; i < run->count; i++)
            run->code[i] = code_of(order, d, &order->run[d].op[i]);
        made->plan.ops += run->count;
    }
}

bool peers_plan_is_within(const struct peers_plan *made)
{
    for (uint32_t d = 0; d < made->plan.devices; d++)
        for (uint32_t i = 0; i < made->plan.run[d].count; i++) {
            pg_code code = made->plan.run[d].code[i];
            if (pg_code_micro(code) >= made->plan.micro_each ||
                pg_code_slot(code) >= made->plan.slots)
                return false;
        }
    return true;
}

void peers_plan_free(struct peers_plan *made)
{
    for (uint32_t d = 0; d < made->plan.devices; d++) {
        free(made->plan.run[d].code);
        free(made->plan.run[d].start);
    }
    free(made->plan.run);
    free(made->plan.done);
    free(made->cost);
    free(made->stash);
    free(made->cell_device);
}

/* An arena so large that the core need not be asked how much it takes. */
static struct pg_arena arena_for(const struct pg_plan *plan)
{
    size_t rows = (size_t)plan->devices * plan->slots * PG_KINDS;
    size_t pairs = (size_t)plan->replicas * plan->stages * plan->micro_each;
    size_t size = rows * 128 + plan->devices * (size_t)256 + pairs * 24 +
                  (size_t)plan->micro_each * 32 + 8192;
    struct pg_arena arena;

    pg_arena_init(&arena, zeros(size, 1), size);
    return arena;
}

enum pg_status peers_time(struct pg_plan *plan, struct pg_fault *fault)
{
    struct pg_arena arena = arena_for(plan);
    enum pg_status status = pg_plan_time(plan, &arena, fault);

    free(arena.base);
    return status;
}

enum pg_status peers_verify(const struct pg_plan *plan, struct pg_fault *fault)
{
    struct pg_arena arena = arena_for(plan);
    enum pg_status status = pg_plan_verify(plan, &arena, fault);

    free(arena.base);
    return status;
}

/* ---- the table ---- */

/* Splits "megatron/Interleaved1F1B_P2_M6_V4_G3" into its parts. */
static void read_name(struct peers_row *row)
{
    const char *at = strstr(row->name, "_P");
    int length = 0;

    while (at != NULL && sscanf(at, "_P%u_M%u_V%u%n", &row->devices, &row->micro_batches,
                                &row->per_device, &length) != 3)
        at = strstr(at + 1, "_P");
    assert_non_null(at);
    assert_in_range(row->devices, 1, PEERS_MAX_DEVICES);
    assert_in_range(at - row->name, 1, sizeof row->schedule - 1);
    memcpy(row->schedule, row->name, (size_t)(at - row->name));
    if (sscanf(at + length, "_G%u", &row->group) != 1)
        row->group = 0;
}

static const char *next_cell(const char *text)
{
    text += strcspn(text, ",\n");
    return *text == ',' ? text + 1 : text;
}

static void read_stashes(const char *text, uint32_t devices, double *out)
{
    for (uint32_t d = 0; d < devices; d++) {
        char *end;
        out[d] = strtod(text, &end);
        assert_true(end != text);
        text = end + (*end == '/');
    }
}

bool peers_next(FILE *table, struct peers_row *row)
{
    char line[1024];

    *row = (struct peers_row){0};
    do {
        if (fgets(line, sizeof line, table) == NULL) {
            fclose(table);
            return false;
        }
    } while (strncmp(line, "file,", 5) == 0);
    assert_int_equal(sscanf(line, "%127[^,]", row->name), 1);
    read_name(row);

    const char *at = line;
    for (uint32_t i = 0; i < PEERS_COSTS; i++) {
        at = next_cell(at);
        row->makespan[i] = *at == '-' ? NAN : strtod(at, NULL);
    }
    at = next_cell(at);
    row->peak = strtod(at, NULL);
    at = next_cell(at);
    read_stashes(at, row->devices, row->until_w);
    const char *last = next_cell(at);
    read_stashes(*last == '=' ? at : last, row->devices, row->until_i);
    return true;
}
