/* The checker takes what the clock has timed and refuses what the clock cannot time. Then plans are
 * spoilt in every way there is a word for, and each must be refused for what was done to it. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum pg_status verify(const struct pg_plan *plan, struct pg_fault *fault)
{
    struct pg_arena arena = golden_arena(pg_verify_size(plan));
    size_t mark = pg_arena_mark(&arena);
    enum pg_status status = pg_plan_verify(plan, &arena, fault);

    assert_int_equal(pg_arena_mark(&arena), mark);
    assert_true(status == PG_OK || fault->status == status);
    golden_arena_free(&arena);
    return status;
}

/* ---- sound plans ---- */

/* Whatever can run passes; moved about, exactly what can still run does. */
static void test_any_order(void **state)
{
    struct golden_dice dice = {20};
    int done = 0, stuck = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        struct golden_order order;
        struct pg_fault fault;
        golden_order_random(&order, &dice);
        assert_int_equal(golden_order_time(&order, &fault), PG_OK);
        assert_int_equal(verify(&order.plan, &fault), PG_OK);
        golden_order_shuffle(&order, &dice);
        bool is_done = golden_order_time(&order, &fault) == PG_OK;
        assert_int_equal(verify(&order.plan, &fault) == PG_OK, is_done);
        *(is_done ? &done : &stuck) += 1;
        golden_order_free(&order);
    }
    assert_true(done > 100 && stuck > 100);
}

static void check_family(const char *name, uint32_t devices, uint32_t micro_batches, double forward,
                         double backward, double transfer)
{
    struct pg_plan plan;
    struct pg_arena arena =
        golden_plan(&plan, name, devices, micro_batches, forward, backward, transfer);
    struct pg_fault fault;

    assert_int_equal(verify(&plan, &fault), PG_OK);
    golden_arena_free(&arena);
}

static void test_families(void **state)
{
    (void)state;
    for (uint32_t devices = 1; devices <= 9; devices++)
        for (uint32_t m = 1; m <= 20; m++) {
            check_family("gpipe", devices, m, 1, 2, 0);
            check_family("1f1b", devices, m, 1, 2, 0);
            check_family("gpipe", devices, m, 0.1, 0.3, 0.7);
            check_family("1f1b", devices, m, 0.3, 0.1, 0.7);
            check_family("gpipe", devices, m, 1e20, 1e-3, 0); /* too little to move the clock */
            check_family("1f1b", devices, m, 1e-3, 1e20, 0);
        }
    check_family("gpipe", 64, 1024, 1, 2, 0);
    check_family("1f1b", 64, 1024, 1, 2, 0);
}

/* ---- spoilt plans ---- */

/* One operation of a plan, and the plan as something that can be spoilt. */
struct victim {
    struct golden_order *order;
    struct pg_run *run;
    double *done; /* NULL for a W */
    uint32_t device, index, cell, micro_batch;
    enum pg_kind kind;
    bool is_fused;
};

static uint32_t cell_at(const struct pg_plan *plan, uint32_t device, uint32_t index)
{
    return plan->slot_cell[device * plan->slots + pg_code_slot(plan->run[device].code[index])];
}

static struct victim choose(struct golden_order *order, uint32_t device, uint32_t index)
{
    struct pg_plan *plan = &order->plan;
    pg_code code = plan->run[device].code[index];
    struct victim v = {
        .order = order,
        .run = &plan->run[device],
        .device = device,
        .index = index,
        .cell = cell_at(plan, device, index),
        .micro_batch = pg_code_micro(code),
        .kind = pg_code_kind(code),
        .is_fused = pg_code_is_fused(code),
    };
    size_t row = (size_t)v.cell * 2 + (v.kind != PG_FORWARD);

    if (v.kind != PG_WEIGHT_GRAD)
        v.done = &plan->done[row * plan->done_stride + v.micro_batch];
    return v;
}

/* Each spoils the plan and says as which offence that may be seen: a bit a status, 0 for "this
 * cannot be done here". `named` may be set to the index to be named; PG_NONE: not looked at. */
typedef unsigned spoil(struct victim v, struct golden_dice *dice, uint32_t *named);

#define AS(status) (1u << (status))

static unsigned leave_out(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    (void)dice;
    (void)named;
    v.run->count--;
    for (uint32_t i = v.index; i < v.run->count; i++) {
        v.run->code[i] = v.run->code[i + 1];
        v.run->start[i] = v.run->start[i + 1];
    }
    return AS(PG_E_MISSING);
}

/* In the place of another one, so that the run does not grow. */
static unsigned repeat(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    uint32_t other = golden_roll(dice, v.run->count);
    if (other == v.index)
        return 0;
    v.run->code[other] = v.run->code[v.index];
    *named = other > v.index ? other : v.index;
    return AS(PG_E_DOUBLED);
}

/* Times kept. Two W may change places: nobody waits for them. */
static unsigned swap_with_next(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    pg_code *code = &v.run->code[v.index];

    (void)dice;
    (void)named;
    if (v.index + 1 == v.run->count || (v.kind == PG_WEIGHT_GRAD && !v.is_fused))
        return 0;
    pg_code first = code[0];
    code[0] = code[1];
    code[1] = first;
    return AS(PG_E_DEPENDENCY) | AS(PG_E_OVERLAP) | AS(PG_E_DURATION) | AS(PG_E_PLACE);
}

/* The clock starts everything as early as it can; but half of a pair may wait for the other. */
static unsigned start_earlier(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    (void)dice;
    v.run->start[v.index] -= 0.01;
    *named = v.is_fused ? PG_NONE : v.index;
    return AS(PG_E_DEPENDENCY) | AS(PG_E_OVERLAP) | (v.is_fused ? AS(PG_E_DURATION) : 0);
}

/* Its recorded end is wrong then; and those who wait for it start too early. */
static unsigned start_later(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    (void)dice;
    (void)named;
    v.run->start[v.index] += 0.01;
    return v.done ? AS(PG_E_DURATION) | AS(PG_E_DEPENDENCY) : 0;
}

static unsigned start_never(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    v.run->start[v.index] = golden_roll(dice, 2) ? NAN : INFINITY;
    (void)named;
    return AS(PG_E_OVERLAP) | AS(PG_E_DEPENDENCY) | AS(PG_E_DURATION);
}

static unsigned record_other_end(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    if (v.done == NULL)
        return 0;
    *v.done += golden_roll(dice, 2) ? 0.5 : -0.5;
    *named = v.index;
    return AS(PG_E_DURATION);
}

static unsigned change_makespan(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    (void)named;
    v.order->plan.makespan += golden_roll(dice, 2) ? 0.5 : -0.5;
    return AS(PG_E_DURATION);
}

static unsigned change_slot(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    uint32_t slots = v.order->plan.slots, slot = golden_roll(dice, slots + 1);
    pg_code *code = &v.run->code[v.index];

    if (slot == pg_code_slot(*code))
        return 0;
    *code = (*code & ~(63u << 22)) | slot << 22;
    if (slot < slots) /* that one was there already; unless it splits and this one does not */
        return AS(PG_E_DOUBLED) | AS(PG_E_MISSING);
    *named = v.index;
    return AS(PG_E_PLACE);
}

static unsigned change_micro_batch(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    uint32_t each = v.order->plan.micro_each, m = golden_roll(dice, each + 1);

    if (m == v.micro_batch)
        return 0;
    v.run->code[v.index] ^= m ^ v.micro_batch;
    if (m < each)
        return AS(PG_E_DOUBLED) | AS(PG_E_MISSING);
    *named = v.index;
    return AS(PG_E_PLACE);
}

static unsigned change_kind(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    uint32_t kind = golden_roll(dice, PG_KINDS);

    (void)named;
    if (kind == (uint32_t)v.kind)
        return 0;
    v.run->code[v.index] ^= (kind ^ (uint32_t)v.kind) << 20;
    return AS(PG_E_DOUBLED) | AS(PG_E_MISSING);
}

static unsigned change_flags(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    (void)named;
    v.run->code[v.index] ^= (1 + golden_roll(dice, 15)) << 28;
    return AS(PG_E_PLACE);
}

static unsigned move_cell(struct victim v, struct golden_dice *dice, uint32_t *named)
{
    struct pg_plan *plan = &v.order->plan;

    (void)named;
    if (golden_roll(dice, 2))
        v.order->slot_cell[v.device * plan->slots + pg_code_slot(v.run->code[v.index])] =
            plan->replicas * plan->stages;
    else
        v.order->cell_device[v.cell] = plan->devices;
    return AS(PG_E_PLACE);
}

static const struct {
    const char *name;
    spoil *spoil;
} spoils[] = {
    {"leave out", leave_out},
    {"repeat", repeat},
    {"swap with next", swap_with_next},
    {"start earlier", start_earlier},
    {"start later", start_later},
    {"start never", start_never},
    {"record other end", record_other_end},
    {"change makespan", change_makespan},
    {"change slot", change_slot},
    {"change micro-batch", change_micro_batch},
    {"change kind", change_kind},
    {"change flags", change_flags},
    {"move cell", move_cell},
};

/* A missing operation is named by what it is, a wrong one by where it stands. */
static void check_spoilt(const struct victim *v, const char *name, unsigned expected,
                         uint32_t named)
{
    struct pg_fault fault;
    enum pg_status status = verify(&v->order->plan, &fault);

    if (!(expected & AS(status)))
        fail_msg("%s: status %d", name, (int)status);
    if (expected == AS(PG_E_MISSING)) {
        assert_int_equal(fault.device, v->device);
        assert_int_equal(fault.stage, v->cell % v->order->plan.stages);
        assert_int_equal(fault.micro_batch, v->micro_batch);
        assert_int_equal(fault.kind, v->kind);
        assert_int_equal(fault.index, PG_NONE);
    }
    if (named != PG_NONE && (fault.device != v->device || fault.index != named))
        fail_msg("%s: operation %u of device %u named, not %u of %u", name, fault.index,
                 fault.device, named, v->device);
    if (status == PG_E_DEPENDENCY || status == PG_E_OVERLAP)
        assert_true(!(fault.value >= fault.limit));
}

static void test_spoilt_plans(void **state)
{
    struct golden_dice dice = {7};
    unsigned done[sizeof spoils / sizeof spoils[0]] = {0};

    (void)state;
    for (unsigned n = 0; n < 13 * 800; n++) {
        struct golden_order order;
        struct pg_fault fault;
        uint32_t named = PG_NONE;
        golden_order_random(&order, &dice);
        assert_int_equal(golden_order_time(&order, &fault), PG_OK);
        uint32_t device = golden_roll(&dice, order.plan.devices);
        struct victim v = choose(&order, device, golden_roll(&dice, order.plan.run[device].count));
        unsigned way = n % (sizeof spoils / sizeof spoils[0]);
        unsigned expected = spoils[way].spoil(v, &dice, &named);
        if (expected != 0)
            check_spoilt(&v, spoils[way].name, expected, named);
        done[way] += expected != 0;
        golden_order_free(&order);
    }
    for (size_t way = 0; way < sizeof done / sizeof done[0]; way++)
        assert_true(done[way] > 200);
}

/* ---- by hand: each offence with its facts ---- */

static const char pipeline[] = "P: 2\nM: 2\nV: 1\nchains: 0-1\nplace 0: 0\nplace 1: 1\n"
                               "rank 0: F0.0 F0.1 B0.0 B0.1\nrank 1: F1.0 B1.0 F1.1 I1.1 W1.1\n";

static void timed(struct golden_order *order, double transfer)
{
    struct pg_fault fault;

    golden_order_read(order, pipeline);
    order->plan.transfer = transfer;
    assert_int_equal(golden_order_time(order, &fault), PG_OK);
}

static void offends(struct golden_order *order, enum pg_status status, uint32_t device,
                    uint32_t index, double value, double limit)
{
    struct pg_fault fault;

    assert_int_equal(verify(&order->plan, &fault), status);
    assert_int_equal(fault.device, device);
    assert_int_equal(fault.index, index);
    assert_exact(fault.value, value);
    assert_exact(fault.limit, limit);
    if (index != PG_NONE) {
        pg_code code = order->plan.run[device].code[index];
        assert_int_equal(fault.stage, device);
        assert_int_equal(fault.kind, pg_code_kind(code));
        assert_int_equal(fault.micro_batch, pg_code_micro(code));
    }
    golden_order_free(order);
}

static void test_facts(void **state)
{
    struct golden_order order;

    (void)state;
    timed(&order, 0); /* device 1: F 1…2, B 2…4, F 4…5, I 5…6, W 6…7; device 0: B 4…6, B 6…8 */
    order.plan.run[1].start[0] = 0.5;
    offends(&order, PG_E_DEPENDENCY, 1, 0, 0.5, 1);
    timed(&order, 0.25);
    order.plan.run[1].start[0] = 1;
    offends(&order, PG_E_DEPENDENCY, 1, 0, 1, 1.25);
    timed(&order, 0.25);
    order.plan.run[0].start[2] = 4.25; /* device 1 ends B at 4.25 and I at 6.25 */
    offends(&order, PG_E_DEPENDENCY, 0, 2, 4.25, 4.5);
    timed(&order, 0);
    order.plan.run[0].start[0] = -1;
    offends(&order, PG_E_OVERLAP, 0, 0, -1, 0);
    timed(&order, 0);
    order.plan.run[1].start[2] = 3.5;
    offends(&order, PG_E_OVERLAP, 1, 2, 3.5, 4);
    timed(&order, 0);
    order.plan.run[1].start[4] = 8; /* nobody minds but the makespan */
    offends(&order, PG_E_DURATION, 1, 4, 8, 9);
    timed(&order, 0);
    order.plan.done[0] = 1.5;
    offends(&order, PG_E_DURATION, 0, 0, 1.5, 1);
    timed(&order, 0);
    order.plan.makespan = 7;
    offends(&order, PG_E_DURATION, 0, 3, 7, 8);
    timed(&order, 0);
    order.plan.run[1].code[4] = order.plan.run[1].code[3];
    offends(&order, PG_E_DOUBLED, 1, 4, 0, 0);
    timed(&order, 0);
    order.plan.run[1].code[4] -= 1; /* W of what has a B */
    offends(&order, PG_E_DOUBLED, 1, 4, 0, 0);
    timed(&order, 0);
    order.plan.run[1].code[3] -= 1; /* I of what has a B */
    offends(&order, PG_E_DOUBLED, 1, 3, 0, 0);
    timed(&order, 0);
    order.plan.run[1].code[4] = order.plan.run[1].code[1] + 1; /* B of what has an I */
    offends(&order, PG_E_DOUBLED, 1, 4, 0, 0);
    timed(&order, 0);
    order.plan.run[1].code[3] = order.plan.run[1].code[4]; /* B of what has a W */
    order.plan.run[1].code[4] = order.plan.run[1].code[1] + 1;
    offends(&order, PG_E_DOUBLED, 1, 4, 0, 0);
    timed(&order, 0);
    order.plan.run[0].count = 3;
    offends(&order, PG_E_MISSING, 0, PG_NONE, 0, 0);
}

static void swap_codes(struct golden_order *order, uint32_t device, uint32_t index)
{
    pg_code *code = &order->plan.run[device].code[index], first = code[0];

    code[0] = code[1];
    code[1] = first;
}

/* All times in order and all ends as recorded: only what is needed comes too late. */
static void test_wrong_way_round(void **state)
{
    struct golden_order order;

    (void)state;
    timed(&order, 0); /* W before I, on device 1 */
    swap_codes(&order, 1, 3);
    order.plan.done[3 * 2 + 1] = 7;
    order.plan.run[0].start[3] = 7;
    order.plan.done[1 * 2 + 1] = 9;
    order.plan.makespan = 9;
    offends(&order, PG_E_DEPENDENCY, 1, 3, 5, 7);
    timed(&order, 0); /* B before F of the same micro-batch, on device 0 */
    swap_codes(&order, 0, 1);
    swap_codes(&order, 0, 2);
    swap_codes(&order, 0, 1);
    order.plan.run[0].start[1] = 6;
    order.plan.run[0].start[2] = 8;
    order.plan.run[0].start[3] = 10;
    offends(&order, PG_E_DEPENDENCY, 0, 1, 6, 11);
    timed(&order, 0); /* B at the end of all time */
    order.plan.run[0].start[3] = order.plan.done[1 * 2 + 1] = order.plan.makespan = INFINITY;
    offends(&order, PG_E_DURATION, 0, 3, INFINITY, INFINITY);
}

/* Later than it could be is no offence: orders from elsewhere may wait. */
static void test_lazy_plan(void **state)
{
    struct golden_order order;
    struct pg_fault fault;

    (void)state;
    timed(&order, 0.25);
    for (uint32_t d = 0; d < 2; d++)
        for (uint32_t i = 0; i < order.plan.run[d].count; i++)
            order.plan.run[d].start[i] += 3;
    for (int i = 0; i < 8; i++)
        order.plan.done[i] += 3;
    order.plan.makespan += 3;
    assert_int_equal(verify(&order.plan, &fault), PG_OK);
    golden_order_free(&order);
}

/* Times alone cannot tell a backward before its forward when neither moves the clock. */
static void test_order_below_the_clock(void **state)
{
    struct golden_order order;
    struct pg_fault fault;

    (void)state;
    golden_order_read(&order, "P: 1\nM: 1\nV: 2\nchains: 0-1\nplace 0: 0 1\n"
                              "rank 0: F0.0 F1.0 B1.0 B0.0\n");
    golden_order_price(&order, 1e-3, 1e-3, 1e-3);
    order.cost[PG_FORWARD] = 1e20;
    assert_int_equal(golden_order_time(&order, &fault), PG_OK);
    assert_int_equal(verify(&order.plan, &fault), PG_OK);

    swap_codes(&order, 0, 1);
    assert_int_equal(verify(&order.plan, &fault), PG_E_DEPENDENCY);
    assert_int_equal(fault.index, 1);
    golden_order_free(&order);
}

static void test_little_memory(void **state)
{
    struct golden_order order;
    struct pg_fault fault;
    bool has_fit = false;

    (void)state;
    timed(&order, 0);
    for (size_t size = 0; size <= pg_verify_size(&order.plan); size++) {
        struct pg_arena arena = golden_arena(size);
        size_t mark = pg_arena_mark(&arena);
        enum pg_status status = pg_plan_verify(&order.plan, &arena, &fault);
        assert_true(status == PG_OK || (status == PG_E_MEMORY && fault.value > 0));
        assert_int_equal(pg_arena_mark(&arena), mark);
        has_fit = status == PG_OK;
        golden_arena_free(&arena);
    }
    assert_true(has_fit);
    golden_order_free(&order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_spoilt_plans),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_wrong_way_round),
        cmocka_unit_test(test_lazy_plan),
        cmocka_unit_test(test_order_below_the_clock),
        cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
