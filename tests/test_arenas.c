/* Arenas that are too small by every amount: each function of the core that takes memory from one,
 * at each size from nothing to what it said it needs. In too little room it says so and leaves the
 * arena as it was; never does it write a byte beyond the room, or come to another result in just
 * enough of it. */
#include "golden.h"

#include <stdlib.h>
#include <string.h>

/* A block, of which the arena is told the first bytes only; the rest must keep its pattern. */
struct room {
    unsigned char *block;
    size_t size, total;
    struct pg_arena arena;
};

#define BEYOND 512
#define PATTERN 0xa5

static void open_room(struct room *room, size_t size)
{
    room->size = size;
    room->total = size + BEYOND;
    room->block = aligned_alloc(64, (room->total + 63) / 64 * 64);
    assert_non_null(room->block);
    memset(room->block, PATTERN, room->total);
    pg_arena_init(&room->arena, room->block, size);
}

static void close_room(struct room *room)
{
    for (size_t i = room->size; i < room->total; i++)
        if (room->block[i] != PATTERN)
            fail_msg("byte %zu of a room of %zu was written", i, room->size);
    free(room->block);
}

/* A sum over all that came out, to be compared. */
static double digest_of(const struct pg_plan *plan)
{
    double sum = plan->makespan;

    for (uint32_t d = 0; d < plan->devices; d++)
        for (uint32_t i = 0; i < plan->run[d].count; i++)
            sum = sum * 1.000001 + plan->run[d].start[i] * (d + 1) + plan->run[d].code[i] % 97;
    return sum;
}

struct trial;
/* One function in an arena: its status, and what it made of it as a number. */
typedef enum pg_status action(const struct trial *trial, struct pg_arena *arena, double *digest);

struct trial {
    const struct pg_problem *problem;
    const struct pg_plan *plan; /* with room of its own, for what comes after building */
    const struct pg_metrics *metrics;
};

static enum pg_status build(const struct trial *trial, struct pg_arena *arena, double *digest)
{
    struct pg_plan plan;
    struct pg_fault fault;
    enum pg_status status = pg_plan_build(arena, trial->problem, &plan, &fault);

    if (status == PG_OK)
        *digest = digest_of(&plan);
    else
        assert_int_equal(fault.status, status);
    return status;
}

static enum pg_status judge(const struct trial *trial, struct pg_arena *arena, double *digest)
{
    struct pg_metrics metrics;
    enum pg_status status = pg_plan_judge(trial->plan, arena, &metrics);

    if (status == PG_OK)
        *digest = metrics.makespan + metrics.peak_stash * 3 + metrics.total_busy_time;
    return status;
}

static enum pg_status verify(const struct trial *trial, struct pg_arena *arena, double *digest)
{
    struct pg_fault fault;

    *digest = 0;
    return pg_plan_verify(trial->plan, arena, &fault);
}

static enum pg_status retime(const struct trial *trial, struct pg_arena *arena, double *digest)
{
    struct pg_fault fault;

    return pg_plan_retime(trial->plan, 0.25, arena, digest, &fault);
}

static enum pg_status latest(const struct trial *trial, struct pg_arena *arena, double *digest)
{
    struct pg_fault fault;
    const double **ends;
    enum pg_status status = pg_plan_latest(trial->plan, arena, &ends, &fault);

    *digest = 0;
    for (uint32_t d = 0; status == PG_OK && d < trial->plan->devices; d++)
        for (uint32_t i = 0; i < trial->plan->run[d].count; i++)
            *digest += ends[d][i] * (d + 1);
    return status;
}

static enum pg_status idle(const struct trial *trial, struct pg_arena *arena, double *digest)
{
    struct pg_fault fault;
    struct pg_idle_report report;
    enum pg_status status = pg_plan_idle(trial->plan, trial->metrics, arena, &report, &fault);

    if (status == PG_OK)
        *digest = report.all.total + report.all.fill * 3 + report.all.schedule * 7;
    return status;
}

static enum pg_status path(const struct trial *trial, struct pg_arena *arena, double *digest)
{
    struct pg_fault fault;
    struct pg_path found;
    enum pg_status status = pg_plan_path(trial->plan, arena, &found, &fault);

    *digest = 0;
    for (uint64_t i = 0; status == PG_OK && i < found.count; i++)
        *digest = *digest * 1.01 + found.at[i].device * 17 + found.at[i].index;
    return status;
}

/* Every size up to `size`, which is enough. */
static void starve(const char *what, action *act, const struct trial *trial, size_t size)
{
    double whole = 0, digest;
    bool was_enough = false;
    struct room room;

    open_room(&room, size);
    assert_int_equal(act(trial, &room.arena, &whole), PG_OK);
    close_room(&room);
    /* Pieces are cut in 64 bytes; sizes between show that no remainder counts as a piece. */
    for (size_t n = 0; n < size; n += n % 64 == 0 ? 31 : n % 64 == 31 ? 32 : 1) {
        open_room(&room, n);
        size_t mark = pg_arena_mark(&room.arena);
        enum pg_status status = act(trial, &room.arena, &digest);
        if (status == PG_OK) {
            was_enough = true;
            if (digest != whole)
                fail_msg("%s of %s in %zu bytes: another result", what,
                         trial->problem->family->name, n);
        } else {
            if (status != PG_E_MEMORY || was_enough)
                fail_msg("%s of %s in %zu bytes: status %d", what, trial->problem->family->name, n,
                         status);
            assert_int_equal(pg_arena_mark(&room.arena), mark);
        }
        close_room(&room);
    }
}

static void starve_all(const struct pg_problem *problem)
{
    struct pg_plan plan;
    struct pg_metrics metrics;
    struct pg_fault fault;
    struct room room;
    size_t size = pg_plan_size(problem);

    if (size == 0)
        return; /* a family that cannot do these counts */
    open_room(&room, size + pg_metrics_size(problem->devices) + 64);
    assert_int_equal(pg_plan_build(&room.arena, problem, &plan, &fault), PG_OK);
    assert_int_equal(pg_plan_judge(&plan, &room.arena, &metrics), PG_OK);
    struct trial trial = {problem, &plan, &metrics};
    starve("building", build, &trial, size);
    starve("judging", judge, &trial, pg_metrics_size(problem->devices));
    starve("verifying", verify, &trial, pg_verify_size(&plan));
    starve("timing", retime, &trial, pg_retime_size(&plan));
    starve("slack", latest, &trial, pg_latest_size(&plan));
    starve("idle time", idle, &trial, pg_idle_size(&plan));
    starve("the path", path, &trial, pg_path_size(&plan));
    close_room(&room);
}

static void test_every_family(void **state)
{
    static const double costs[] = {1, 2, 1.5, 1, 1, 3, 1, 1}, weights[] = {0.5, 1, 0.5, 0.25};
    static const uint32_t counts[][2] = {{1, 1}, {2, 4}, {4, 8}, {3, 7}};
    uint32_t count;
    const struct pg_family *families = pg_families(&count);

    (void)state;
    for (uint32_t f = 0; f < count; f++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            struct pg_problem problem = {
                .family = &families[f],
                .devices = counts[c][0],
                .micro_batches = counts[c][1],
                .chunks = 2,
                .forward = {costs, 1},
                .backward = {costs + 1, 1},
                .weight = {weights, 1},
                .activation = {weights + 1, 1},
                .weight_activation = {weights, 1},
                .transfer = 0.5,
                .fused = 1,
            };
            starve_all(&problem);
        }
}

static void test_partition(void **state)
{
    static const double weights[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};

    (void)state;
    for (uint32_t stages = 1; stages <= 12; stages++) {
        struct pg_range whole[12], ranges[12];
        struct pg_fault fault;
        struct room room;
        size_t size = pg_partition_size(12, stages);
        bool was_enough = false;
        open_room(&room, size);
        assert_int_equal(pg_partition(&room.arena, weights, 12, stages, whole, &fault), PG_OK);
        close_room(&room);
        for (size_t n = 0; n < size; n++) {
            open_room(&room, n);
            size_t mark = pg_arena_mark(&room.arena);
            enum pg_status status = pg_partition(&room.arena, weights, 12, stages, ranges, &fault);
            assert_true(status == PG_OK || (status == PG_E_MEMORY && !was_enough));
            was_enough = status == PG_OK;
            for (uint32_t s = 0; was_enough && s < stages; s++)
                assert_int_equal(ranges[s].end, whole[s].end);
            assert_int_equal(pg_arena_mark(&room.arena), mark);
            close_room(&room);
        }
    }
}

/* Sizes that overflow when multiplied, and a block that begins anywhere. */
static void test_arena(void **state)
{
    static unsigned char block[1024];

    (void)state;
    for (size_t skew = 0; skew < 130; skew++)
        for (size_t size = 0; size < 300; size += 7) {
            struct pg_arena arena;
            pg_arena_init(&arena, block + skew, size);
            size_t mark = pg_arena_mark(&arena);
            assert_null(pg_arena_take(&arena, SIZE_MAX / 8, 16));
            assert_null(pg_arena_take(&arena, SIZE_MAX, SIZE_MAX));
            assert_null(pg_arena_take(&arena, SIZE_MAX, 1));
            assert_null(pg_arena_take(&arena, size + 1, 1));
            assert_int_equal(pg_arena_mark(&arena), mark);
            unsigned char *last = block + skew;
            for (unsigned char *piece; (piece = pg_arena_take(&arena, 5, 3)) != NULL; last = piece + 64) {
                assert_true(piece >= last && piece + 64 <= block + skew + size);
                assert_int_equal((uintptr_t)piece % 64, 0);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_partition),
        cmocka_unit_test(test_every_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
