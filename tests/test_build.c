/* An order placed by hand: what is refused and why, that every family can be built and is
 * recognised, that any legal play ends in a schedule which the independent checker accepts, and
 * what the policies and the bound promise. Reasons and figures are worked out by hand or by
 * closed form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/pg_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct room {
    void *block;
    struct pg_arena arena;
};

struct game {
    struct room room;
    struct pg_problem problem;
    struct pg_build build;
};

static struct room room_of(size_t size)
{
    struct room room = {.block = malloc(size + 1)};

    assert_non_null(room.block);
    pg_arena_init(&room.arena, room.block, size);
    return room;
}

static struct pg_problem problem_of(const char *family, uint32_t devices, uint32_t micro_batches,
                                    uint32_t chunks)
{
    static const double one = 1, two = 2;

    return (struct pg_problem){.family = pg_family_find(family),
                               .devices = devices,
                               .chunks = chunks,
                               .micro_batches = micro_batches,
                               .forward = {&one, 1},
                               .backward = {&two, 1},
                               .fused = 1};
}

static void open_game(struct game *game, const struct pg_problem *problem, double limit)
{
    struct pg_fault fault;

    game->problem = *problem;
    game->room = room_of(pg_build_size(problem));
    assert_int_equal(pg_build_start(&game->room.arena, problem, limit, &game->build, &fault),
                     PG_OK);
}

static void open_simple(struct game *game, const char *family, uint32_t devices,
                        uint32_t micro_batches, double limit)
{
    struct pg_problem problem = problem_of(family, devices, micro_batches, 1);
    open_game(game, &problem, limit);
}

static void close_game(struct game *game)
{
    free(game->room.block);
}

static pg_code code_of(enum pg_kind kind, uint32_t slot, uint32_t micro_batch)
{
    return micro_batch | (slot * 4 + (uint32_t)kind) << PG_CODE_ROW_SHIFT;
}

static bool put(struct game *game, uint32_t device, enum pg_kind kind, uint32_t micro_batch,
                struct pg_bar *bar)
{
    struct pg_move move = {device, code_of(kind, 0, micro_batch), PG_NONE};
    return pg_build_put(&game->build, &move, bar);
}

static void must(struct game *game, uint32_t device, enum pg_kind kind, uint32_t micro_batch)
{
    struct pg_bar bar;
    assert_true(put(game, device, kind, micro_batch, &bar));
}

static struct pg_bar refused(struct game *game, uint32_t device, enum pg_kind kind,
                             uint32_t micro_batch)
{
    struct pg_bar bar;
    uint64_t ops = game->build.plan.ops;

    assert_false(put(game, device, kind, micro_batch, &bar));
    assert_int_equal(game->build.plan.ops, ops);
    assert_int_equal(pg_code_kind(bar.of), kind);
    assert_int_equal(pg_code_micro(bar.of), micro_batch);
    return bar;
}

static void assert_needs(struct pg_bar bar, enum pg_kind op, uint32_t micro_batch, uint32_t stage)
{
    assert_int_equal(bar.kind, PG_BAR_NEEDS);
    assert_int_equal(bar.op, op);
    assert_int_equal(bar.micro_batch, micro_batch);
    assert_int_equal(bar.stage, stage);
    assert_int_equal(bar.device, stage);
}

static void assert_verified(const struct pg_plan *plan)
{
    struct room room = room_of(pg_verify_size(plan));
    struct pg_fault fault;
    enum pg_status status = pg_plan_verify(plan, &room.arena, &fault);

    if (status != PG_OK)
        fail_msg("status %d: device %u index %u kind %d", (int)status, fault.device, fault.index,
                 fault.kind);
    free(room.block);
}

static double peak_memory(const struct pg_plan *plan)
{
    struct room room = room_of(pg_metrics_size(plan->devices));
    struct pg_metrics metrics;

    assert_int_equal(pg_plan_judge(plan, &room.arena, &metrics), PG_OK);
    double peak = metrics.peak_memory;
    free(room.block);
    return peak;
}

/* ---- what is refused ---- */

static void test_every_reason_is_named(void **state)
{
    struct game game;
    struct pg_bar bar;

    (void)state;
    open_simple(&game, "1f1b", 3, 3, 2);
    assert_needs(refused(&game, 1, PG_FORWARD, 2), PG_FORWARD, 2, 0);
    assert_needs(refused(&game, 2, PG_BACKWARD, 0), PG_FORWARD, 0, 2); /* its own forward */
    must(&game, 0, PG_FORWARD, 2);
    must(&game, 1, PG_FORWARD, 2);
    assert_needs(refused(&game, 1, PG_BACKWARD, 2), PG_BACKWARD, 2, 2);
    must(&game, 2, PG_FORWARD, 2);
    must(&game, 2, PG_BACKWARD, 2);
    must(&game, 1, PG_BACKWARD, 2);

    bar = refused(&game, 0, PG_FORWARD, 2);
    assert_int_equal(bar.kind, PG_BAR_PLACED);
    assert_int_equal(bar.op, PG_FORWARD);
    assert_int_equal(refused(&game, 0, PG_FORWARD, 3).kind, PG_BAR_PLACE);
    assert_int_equal(refused(&game, 0, PG_INPUT_GRAD, 2).kind, PG_BAR_KIND);
    assert_int_equal(refused(&game, 0, PG_WEIGHT_GRAD, 2).kind, PG_BAR_KIND);
    bar = refused(&game, 7, PG_FORWARD, 0);
    assert_int_equal(bar.kind, PG_BAR_PLACE);
    struct pg_move pair = {1, code_of(PG_FORWARD, 0, 0), code_of(PG_BACKWARD, 0, 2)};
    assert_false(pg_build_put(&game.build, &pair, &bar));
    assert_int_equal(bar.kind, PG_BAR_KIND);

    /* stage 0 holds one of two; a second forward fits, a third would be three */
    must(&game, 0, PG_FORWARD, 0);
    bar = refused(&game, 0, PG_FORWARD, 1);
    assert_int_equal(bar.kind, PG_BAR_MEMORY);
    assert_int_equal(bar.device, 0);
    assert_true(bar.value == 3 && bar.limit == 2);
    must(&game, 0, PG_BACKWARD, 2);
    must(&game, 0, PG_FORWARD, 1);
    close_game(&game);
}

static void test_a_backward_is_whole_or_split(void **state)
{
    struct game game;

    (void)state;
    open_simple(&game, "zb-h1", 1, 2, 0);
    must(&game, 0, PG_FORWARD, 0);
    must(&game, 0, PG_FORWARD, 1);
    assert_needs(refused(&game, 0, PG_WEIGHT_GRAD, 0), PG_INPUT_GRAD, 0, 0);
    must(&game, 0, PG_INPUT_GRAD, 0);
    struct pg_bar bar = refused(&game, 0, PG_BACKWARD, 0);
    assert_int_equal(bar.kind, PG_BAR_PLACED);
    assert_int_equal(bar.op, PG_INPUT_GRAD);
    must(&game, 0, PG_BACKWARD, 1);
    bar = refused(&game, 0, PG_INPUT_GRAD, 1);
    assert_int_equal(bar.kind, PG_BAR_PLACED);
    assert_int_equal(bar.op, PG_BACKWARD);
    assert_int_equal(refused(&game, 0, PG_WEIGHT_GRAD, 1).op, PG_BACKWARD);
    assert_false(pg_build_is_done(&game.build));
    must(&game, 0, PG_WEIGHT_GRAD, 0);
    assert_true(pg_build_is_done(&game.build));
    assert_verified(&game.build.plan);
    close_game(&game);

    open_simple(&game, "forward-only", 2, 1, 0);
    must(&game, 0, PG_FORWARD, 0);
    assert_int_equal(refused(&game, 0, PG_BACKWARD, 0).kind, PG_BAR_KIND);
    must(&game, 1, PG_FORWARD, 0);
    assert_true(pg_build_is_done(&game.build));
    close_game(&game);
}

static void test_pairs(void **state)
{
    struct game game;
    struct pg_bar bar;
    struct pg_step step;

    (void)state;
    open_simple(&game, "1f1b-overlap", 1, 2, 0);
    struct pg_move self = {0, code_of(PG_FORWARD, 0, 0), code_of(PG_BACKWARD, 0, 0)};
    assert_false(pg_build_try(&game.build, &self, &step, &bar));
    assert_int_equal(bar.kind, PG_BAR_NEEDS); /* a backward cannot run with its own forward */
    assert_int_equal(bar.op, PG_FORWARD);
    must(&game, 0, PG_FORWARD, 0);
    struct pg_move pair = {0, code_of(PG_FORWARD, 0, 1), code_of(PG_BACKWARD, 0, 0)};
    struct pg_move reversed = {0, pair.with, pair.code};
    assert_false(pg_build_try(&game.build, &reversed, &step, &bar));
    assert_int_equal(bar.kind, PG_BAR_KIND);
    assert_true(pg_build_put(&game.build, &pair, &bar));
    assert_true(game.build.plan.makespan == 1 + 3);
    assert_true(pg_build_undo(&game.build));
    assert_int_equal(game.build.plan.ops, 1);
    assert_true(pg_build_redo(&game.build));
    must(&game, 0, PG_BACKWARD, 1);
    assert_true(pg_build_is_done(&game.build));
    assert_verified(&game.build.plan);
    close_game(&game);
}

static void test_too_large(void **state)
{
    struct pg_problem problem = problem_of("gpipe", 4, 512, 1), larger = problem;
    struct pg_build build;
    struct pg_fault fault;
    struct room room = room_of(pg_build_size(&problem));

    (void)state;
    assert_int_equal(pg_build_start(&room.arena, &problem, 0, &build, &fault), PG_OK);
    larger.micro_batches = 513;
    assert_int_equal(pg_build_start(&room.arena, &larger, 0, &build, &fault), PG_E_OPS);
    assert_true(fault.value == 2 * 4 * 513 && fault.limit == PG_BUILD_MOST);
    free(room.block);
    /* a byte less than it asks for is too little, and said so */
    problem.micro_batches = 3;
    for (size_t less = 1, size = pg_build_size(&problem); less < size; less += 64) {
        struct room small = room_of(size - less);
        enum pg_status status = pg_build_start(&small.arena, &problem, 0, &build, &fault);
        assert_true(status == PG_OK || status == PG_E_MEMORY);
        free(small.block);
    }
}

/* ---- times ---- */

/* Two stages, forward 1, backward 2, transfer 0.5, by hand. */
static void test_times_by_hand(void **state)
{
    struct pg_problem problem = problem_of("1f1b", 2, 2, 1);
    struct game game;
    struct pg_step step;
    struct pg_bar bar;

    (void)state;
    problem.transfer = 0.5;
    open_game(&game, &problem, 0);
    assert_int_equal(pg_build_total(&game.build), 8);
    must(&game, 0, PG_FORWARD, 0); /* 0 - 1 */
    must(&game, 0, PG_FORWARD, 1); /* 1 - 2 */
    struct pg_move move = {1, code_of(PG_FORWARD, 0, 0), PG_NONE};
    assert_true(pg_build_try(&game.build, &move, &step, &bar));
    assert_true(step.start == 1.5 && step.end == 2.5 && step.waits == 1.5);
    must(&game, 1, PG_FORWARD, 0);
    must(&game, 1, PG_BACKWARD, 0); /* 2.5 - 4.5 */
    must(&game, 0, PG_BACKWARD, 0); /* 5 - 7 */
    assert_true(pg_build_front(&game.build, 0) == 7 && pg_build_idle(&game.build, 0) == 3);
    assert_true(pg_build_front(&game.build, 1) == 4.5 && pg_build_idle(&game.build, 1) == 1.5);
    assert_true(game.build.plan.makespan == 7);
    assert_true(pg_build_undo(&game.build));
    assert_true(game.build.plan.makespan == 4.5 && pg_build_front(&game.build, 0) == 2);
    /* another move than the one taken back: that one is gone */
    must(&game, 1, PG_FORWARD, 1);
    assert_false(pg_build_redo(&game.build));
    close_game(&game);
}

static void test_the_list_of_moves(void **state)
{
    struct game game;
    struct pg_step steps[64];

    (void)state;
    open_simple(&game, "1f1b", 2, 3, 0);
    must(&game, 0, PG_FORWARD, 0);
    must(&game, 1, PG_FORWARD, 0);
    must(&game, 1, PG_BACKWARD, 0); /* 2 - 4 */
    assert_true(pg_build_moves_most(&game.build) <= 64);
    assert_int_equal(pg_build_moves(&game.build, 0, steps), 3);
    /* F1 at 1, B0 at 4 (waits 3), then the forward that is not the next one */
    assert_int_equal(steps[0].move.code, code_of(PG_FORWARD, 0, 1));
    assert_true(steps[0].start == 1 && steps[0].waits == 0 && steps[0].is_next);
    assert_int_equal(steps[1].move.code, code_of(PG_BACKWARD, 0, 0));
    assert_true(steps[1].start == 4 && steps[1].waits == 3 && steps[1].is_next);
    assert_int_equal(steps[2].move.code, code_of(PG_FORWARD, 0, 2));
    assert_false(steps[2].is_next);
    assert_int_equal(pg_build_moves(&game.build, 1, steps), 0);
    close_game(&game);
}

/* ---- every family ---- */

static uint32_t rng(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* Uneven costs for every stage, and a transfer: times that nothing rounds. */
static void make_costs(double *costs, uint64_t seed, struct pg_problem *problem)
{
    uint32_t stages = pg_problem_stages(problem);

    for (uint32_t s = 0; s < stages; s++) {
        costs[s] = 1 + rng(&seed) % 1000 / 700.0;
        costs[stages + s] = 2 + rng(&seed) % 1000 / 700.0;
    }
    problem->forward = (struct pg_list){costs, stages};
    problem->backward = (struct pg_list){costs + stages, stages};
    problem->transfer = (double)(seed % 3) * 0.3;
    problem->fused = seed % 2 == 0 ? 1 : 0.8;
}

/* The plan's operations in their order on each device, the devices in any order that works. */
static void replay(struct game *game, const struct pg_plan *plan, uint64_t seed)
{
    const pg_code halves = PG_CODE_FUSED_FIRST | PG_CODE_FUSED_SECOND;
    struct pg_bar bar = {.kind = PG_BAR_NONE};

    for (uint32_t tries = 0; !pg_build_is_done(&game->build); tries++) {
        uint32_t d = rng(&seed) % plan->devices, at = game->build.plan.run[d].count;
        if (tries > 100000)
            fail_msg("%s: stuck, bar %d", plan->family->name, (int)bar.kind);
        if (at == plan->run[d].count)
            continue;
        pg_code code = plan->run[d].code[at];
        struct pg_move move = {d, code & ~halves, PG_NONE};
        if (code & PG_CODE_FUSED_FIRST)
            move.with = plan->run[d].code[at + 1] & ~halves;
        if (!pg_build_put(&game->build, &move, &bar))
            assert_int_equal(bar.kind, PG_BAR_NEEDS);
    }
}

static void assert_same_times(const struct pg_plan *built, const struct pg_plan *plan)
{
    assert_true(built->makespan == plan->makespan);
    assert_int_equal(built->ops, plan->ops);
    assert_false(built->is_partial);
    for (uint32_t d = 0; d < plan->devices; d++) {
        assert_int_equal(built->run[d].count, plan->run[d].count);
        assert_memory_equal(built->run[d].code, plan->run[d].code,
                            plan->run[d].count * sizeof(pg_code));
        for (uint32_t i = 0; i < plan->run[d].count; i++)
            assert_true(built->run[d].start[i] == plan->run[d].start[i]);
    }
}

/* The names that are right, found without asking: families with these runs on these devices. */
static uint32_t twins_of(const struct pg_problem *problem, const struct pg_plan *plan,
                         const struct pg_family **out)
{
    uint32_t count, found = 0;
    const struct pg_family *families = pg_families(&count);

    for (uint32_t i = 0; i < count; i++) {
        struct pg_problem probe = *problem;
        struct pg_plan other;
        struct pg_fault fault;
        probe.family = &families[i];
        probe.chunks = plan->chunks;
        if (pg_problem_chunks(&probe) != plan->chunks)
            continue;
        struct room room = room_of(pg_plan_size(&probe));
        bool is_twin = pg_plan_build(&room.arena, &probe, &other, &fault) == PG_OK &&
                       other.ops == plan->ops && other.replicas == plan->replicas;
        for (uint32_t cell = 0; is_twin && cell < plan->replicas * plan->stages; cell++)
            is_twin = other.cell_device[cell] == plan->cell_device[cell];
        for (uint32_t d = 0; is_twin && d < plan->devices; d++)
            for (uint32_t k = 0; is_twin && k < plan->run[d].count; k++)
                is_twin = other.run[d].count == plan->run[d].count &&
                          other.run[d].code[k] == plan->run[d].code[k];
        if (is_twin)
            out[found++] = &families[i];
        free(room.block);
    }
    return found;
}

static void check_names(struct game *game, const struct pg_plan *plan)
{
    const struct pg_family *names[64], *wanted[64];
    struct room room = room_of(pg_build_families_size(&game->build, &game->problem));
    uint32_t count = pg_build_families(&game->build, &game->problem, &room.arena, names);
    bool is_named = false;

    assert_int_equal(count, twins_of(&game->problem, plan, wanted));
    for (uint32_t i = 0; i < count; i++) {
        assert_ptr_equal(names[i], wanted[i]);
        is_named = is_named || names[i] == game->problem.family;
    }
    assert_true(is_named);
    free(room.block);
}

static void check_family(const struct pg_problem *problem, uint64_t seed)
{
    struct pg_problem costly = *problem;
    double costs[64];
    struct game game;
    struct pg_plan plan;
    struct pg_fault fault;

    make_costs(costs, seed, &costly);
    struct room room = room_of(pg_plan_size(&costly));
    assert_int_equal(pg_plan_build(&room.arena, &costly, &plan, &fault), PG_OK);
    open_game(&game, &costly, 0);
    assert_true(pg_build_floor(&game.build) <= plan.makespan * (1 + 1e-12));
    replay(&game, &plan, seed);
    assert_same_times(&game.build.plan, &plan);
    assert_verified(&game.build.plan);
    assert_true(pg_build_floor(&game.build) == plan.makespan);
    check_names(&game, &plan);
    close_game(&game);
    free(room.block);
}

static void test_every_family_is_built_and_recognised(void **state)
{
    uint32_t count, checked = 0;
    const struct pg_family *families = pg_families(&count);
    bool was_checked[64] = {false};

    (void)state;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t p = 1; p <= 4; p++)
            for (uint32_t m = 1; m <= 8; m++)
                for (uint32_t v = 1; v <= 2; v++) {
                    struct pg_problem problem = problem_of(families[i].name, p, m, v);
                    struct pg_fault fault;
                    bool is_again = v == 2 && families[i].fixed_chunks != 0;
                    if (is_again || pg_problem_check(&problem, &fault) != PG_OK)
                        continue;
                    check_family(&problem, p * 1000 + m * 10 + v);
                    was_checked[i] = true;
                    checked++;
                }
    for (uint32_t i = 0; i < count; i++)
        assert_true(was_checked[i]);
    assert_true(checked > 400);
}

static void test_coinciding_names(void **state)
{
    const struct pg_family *names[64];
    struct pg_problem problem = problem_of("1f1b", 1, 3, 1);
    struct game game;

    (void)state;
    open_game(&game, &problem, 0);
    struct room room = room_of(pg_build_families_size(&game.build, &problem));
    for (uint32_t m = 0; m < 3; m++) {
        must(&game, 0, PG_FORWARD, m);
        must(&game, 0, PG_BACKWARD, m);
    }
    bool is_1f1b = false, is_eager = false;
    uint32_t count = pg_build_families(&game.build, &problem, &room.arena, names);
    for (uint32_t i = 0; i < count; i++) {
        is_1f1b = is_1f1b || strcmp(names[i]->name, "1f1b") == 0;
        is_eager = is_eager || strcmp(names[i]->name, "eager-1f1b") == 0;
        assert_string_not_equal(names[i]->name, "gpipe");
    }
    assert_true(is_1f1b && is_eager);
    close_game(&game);
    free(room.block);

    /* an order that is none of them: micro-batch 1 before 0 */
    open_game(&game, &problem, 0);
    room = room_of(pg_build_families_size(&game.build, &problem));
    must(&game, 0, PG_FORWARD, 1);
    assert_int_equal(pg_build_families(&game.build, &problem, &room.arena, names), 0);
    close_game(&game);
    free(room.block);
}

/* ---- any legal play ---- */

static bool random_move(struct game *game, uint64_t *seed)
{
    struct pg_step *steps = malloc(pg_build_moves_most(&game->build) * sizeof *steps);
    uint32_t devices = game->build.plan.devices, first = rng(seed) % devices, count = 0;
    struct pg_bar bar;

    assert_non_null(steps);
    for (uint32_t i = 0; i < devices && count == 0; i++)
        count = pg_build_moves(&game->build, (first + i) % devices, steps);
    assert_true(count <= pg_build_moves_most(&game->build));
    if (count > 0)
        assert_true(pg_build_put(&game->build, &steps[rng(seed) % count].move, &bar));
    free(steps);
    return count > 0;
}

static void test_any_legal_play_ends(void **state)
{
    uint32_t count, played = 0;
    const struct pg_family *families = pg_families(&count);

    (void)state;
    for (uint64_t n = 0; n < 1500; n++) {
        uint64_t seed = n * 7919 + 17;
        double costs[64];
        struct pg_problem problem = problem_of(families[n % count].name, 1 + rng(&seed) % 4,
                                               1 + rng(&seed) % 8, 1 + rng(&seed) % 2);
        struct pg_fault fault;
        if (pg_problem_check(&problem, &fault) != PG_OK)
            continue;
        make_costs(costs, seed, &problem);
        struct game game;
        open_game(&game, &problem, 0);
        double floor = pg_build_floor(&game.build);
        while (!pg_build_is_done(&game.build)) {
            if (!random_move(&game, &seed))
                fail_msg("%s: no move is left", problem.family->name);
            double next = pg_build_floor(&game.build);
            assert_true(next >= floor * (1 - 1e-12));
            floor = next;
            if (rng(&seed) % 4 == 0) { /* there and back */
                struct pg_plan before = game.build.plan;
                assert_true(pg_build_undo(&game.build));
                assert_true(game.build.plan.ops < before.ops);
                assert_true(pg_build_redo(&game.build));
                assert_true(game.build.plan.makespan == before.makespan &&
                            game.build.plan.ops == before.ops);
            }
        }
        assert_false(random_move(&game, &seed));
        assert_verified(&game.build.plan);
        played++;
        close_game(&game);
    }
    assert_true(played > 600);
}

static void test_the_limit_is_kept(void **state)
{
    static const double weights[] = {0.6, 0.9};
    uint32_t finished = 0;

    (void)state;
    for (uint64_t n = 0; n < 400; n++) {
        uint64_t seed = n * 104729 + 1;
        struct pg_problem problem = problem_of(n % 2 == 0 ? "zb1p" : "interleaved", 2, 4, 2);
        struct game game;
        if (n % 4 > 1)
            problem.activation = (struct pg_list){weights, 1};
        open_game(&game, &problem, 2.5);
        while (random_move(&game, &seed))
            ;
        if (pg_build_is_done(&game.build)) {
            assert_true(peak_memory(&game.build.plan) <= 2.5);
            finished++;
        } else { /* whatever could come next is a forward without room, or waits for one */
            struct pg_step step;
            assert_false(pg_build_choose(&game.build, PG_BACKWARD_FIRST, &step));
        }
        close_game(&game);
    }
    assert_true(finished > 20);
}

/* ---- policies ---- */

static bool is_named(struct game *game, const char *name)
{
    const struct pg_family *names[64];
    struct room room = room_of(pg_build_families_size(&game->build, &game->problem));
    uint32_t count = pg_build_families(&game->build, &game->problem, &room.arena, names);
    bool is_found = false;

    for (uint32_t i = 0; i < count; i++)
        is_found = is_found || strcmp(names[i]->name, name) == 0;
    free(room.block);
    return is_found;
}

static void test_policies_are_what_they_say(void **state)
{
    struct game game;

    (void)state;
    for (uint32_t p = 1; p <= 4; p++)
        for (uint32_t m = 1; m <= 8; m++) {
            open_simple(&game, "gpipe", p, m, 0);
            assert_true(pg_build_finish(&game.build, PG_BACKWARD_FIRST));
            assert_true(is_named(&game, "1f1b"));
            assert_true(game.build.plan.makespan == 3.0 * (m + p - 1));
            close_game(&game);
            open_simple(&game, "1f1b", p, m, 0);
            assert_true(pg_build_finish(&game.build, PG_FORWARD_FIRST));
            assert_true(is_named(&game, "gpipe"));
            close_game(&game);
            /* with f = b = w a bubble of the first forwards alone: 3M + P - 1 from M = 2P-1 on */
            open_simple(&game, "zb-h2", p, m, 0);
            assert_true(pg_build_finish(&game.build, PG_FILL));
            assert_verified(&game.build.plan);
            if (m >= 2 * p - 1)
                assert_true(game.build.plan.makespan <= 3.0 * m + 2 * (p - 1));
            close_game(&game);
        }
}

/* From wherever a random play has come to. */
static void test_policies_finish_anything(void **state)
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);

    (void)state;
    for (uint64_t n = 0; n < 900; n++) {
        uint64_t seed = n * 31337 + 5;
        struct pg_problem problem = problem_of(families[n % count].name, 1 + rng(&seed) % 4,
                                               1 + rng(&seed) % 8, 1 + rng(&seed) % 2);
        struct pg_fault fault;
        double costs[64];
        struct game game;
        if (pg_problem_check(&problem, &fault) != PG_OK)
            continue;
        make_costs(costs, seed, &problem);
        open_game(&game, &problem, 0);
        for (uint32_t i = rng(&seed) % 12; i > 0; i--)
            random_move(&game, &seed);
        double floor = pg_build_floor(&game.build);
        assert_true(pg_build_finish(&game.build, (enum pg_policy)(n % PG_POLICIES)));
        assert_verified(&game.build.plan);
        assert_true(floor <= game.build.plan.makespan * (1 + 1e-12));
        close_game(&game);
    }
}

/* The machine that finishes remembers what each device would do; asked again at every move it says
 * the same. With limits too, that leave moves which no caps would allow, or none. */
static void test_finishing_is_choosing_again_and_again(void **state)
{
    uint32_t count, stuck = 0;
    const struct pg_family *families = pg_families(&count);

    (void)state;
    for (uint64_t n = 0; n < 900; n++) {
        uint64_t seed = n * 7927 + 3;
        enum pg_policy policy = (enum pg_policy)(n % PG_POLICIES);
        struct pg_problem problem = problem_of(families[n % count].name, 1 + rng(&seed) % 6,
                                               1 + rng(&seed) % 8, 1 + rng(&seed) % 2);
        double costs[64], limit = n % 4 == 0 ? 0 : 1 + (double)(rng(&seed) % 4) / 2;
        uint32_t first = rng(&seed) % 12;
        struct game all, each;
        struct pg_fault fault;
        struct pg_step step;
        struct pg_bar bar;
        if (pg_problem_check(&problem, &fault) != PG_OK)
            continue;
        make_costs(costs, seed, &problem);
        open_game(&all, &problem, limit);
        open_game(&each, &problem, limit);
        for (uint64_t i = 0, same = seed; i < first; i++) {
            random_move(&all, &seed);
            random_move(&each, &same);
        }
        bool is_done = pg_build_finish(&all.build, policy);
        while (pg_build_choose(&each.build, policy, &step))
            assert_true(pg_build_put(&each.build, &step.move, &bar));
        stuck += !is_done;
        assert_int_equal(is_done, pg_build_is_done(&each.build));
        assert_int_equal(all.build.made, each.build.made);
        for (uint32_t i = 0; i < all.build.made; i++)
            assert_memory_equal(&all.build.moves[i], &each.build.moves[i], sizeof(struct pg_move));
        close_game(&all);
        close_game(&each);
    }
    assert_in_range(stuck, 20, 500);
}

static void test_a_limit_can_leave_no_move(void **state)
{
    struct game game;
    struct pg_bar bar;
    struct pg_step step;
    struct pg_problem problem = problem_of("interleaved", 1, 2, 2);

    (void)state;
    /* half a micro-batch a chunk, room for one: chunk 0 twice fills it, chunk 1 has none */
    open_game(&game, &problem, 1);
    must(&game, 0, PG_FORWARD, 0);
    must(&game, 0, PG_FORWARD, 1);
    struct pg_move move = {0, code_of(PG_FORWARD, 1, 0), PG_NONE};
    assert_false(pg_build_put(&game.build, &move, &bar));
    assert_int_equal(bar.kind, PG_BAR_MEMORY);
    assert_true(bar.value == 1.5);
    assert_false(pg_build_choose(&game.build, PG_FILL, &step));
    assert_false(pg_build_finish(&game.build, PG_BACKWARD_FIRST));
    assert_int_equal(game.build.plan.ops, 2);
    assert_true(pg_build_undo(&game.build));
    assert_true(pg_build_finish(&game.build, PG_BACKWARD_FIRST));
    assert_true(peak_memory(&game.build.plan) <= 1);
    close_game(&game);
}

/* ---- the bound ---- */

/* The shortest way to the end, by trying all of them; the bound is never above what is reached. */
static double shortest(struct game *game)
{
    struct pg_step steps[64];
    double best = INFINITY, floor = pg_build_floor(&game->build);
    struct pg_bar bar;

    if (pg_build_is_done(&game->build))
        return game->build.plan.makespan;
    for (uint32_t d = 0; d < game->build.plan.devices; d++)
        for (uint32_t i = 0, n = pg_build_moves(&game->build, d, steps); i < n; i++) {
            assert_true(pg_build_put(&game->build, &steps[i].move, &bar));
            best = fmin(best, shortest(game));
            assert_true(pg_build_undo(&game->build));
            n = pg_build_moves(&game->build, d, steps);
        }
    assert_true(floor <= best);
    return best;
}

static void test_the_bound_holds(void **state)
{
    static const char *const names[] = {"gpipe", "zb-h1", "1f1b-overlap"};
    struct game game;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct pg_problem problem = problem_of(names[i], 2, i == 0 ? 2 : 1, 1);
        problem.transfer = 0.25;
        problem.fused = 0.5;
        open_game(&game, &problem, 0);
        assert_true(shortest(&game) >= pg_build_floor(&game.build));
        close_game(&game);
    }
    for (uint32_t p = 1; p <= 4; p++)
        for (uint32_t m = 1; m <= 8; m++) { /* nothing is shorter than 1F1B with whole backwards */
            open_simple(&game, "gpipe", p, m, 0);
            assert_true(pg_build_floor(&game.build) == 3.0 * (m + p - 1));
            close_game(&game);
        }
    /* waiting in vain is paid for at once: stage 0 has let a forward pass */
    open_simple(&game, "gpipe", 2, 2, 0);
    must(&game, 0, PG_FORWARD, 0);
    must(&game, 1, PG_FORWARD, 0);
    must(&game, 1, PG_BACKWARD, 0);
    must(&game, 0, PG_BACKWARD, 0); /* ends at 6; F1 to 7, F1 B1 of stage 1 to 10, B1 to 12 */
    assert_true(pg_build_floor(&game.build) == 12);
    close_game(&game);
}

static void test_the_way_towards_a_family(void **state)
{
    struct pg_problem problem = problem_of("dualpipe", 2, 4, 1);
    struct game game;
    struct pg_plan plan;
    struct pg_fault fault;
    struct pg_step step;
    struct pg_bar bar;
    struct room room = room_of(pg_plan_size(&problem));

    (void)state;
    assert_int_equal(pg_plan_build(&room.arena, &problem, &plan, &fault), PG_OK);
    open_game(&game, &problem, 0);
    while (pg_build_towards(&game.build, &plan, &step)) {
        assert_true(pg_build_begins(&game.build, &plan));
        assert_true(pg_build_put(&game.build, &step.move, &bar));
    }
    assert_true(pg_build_is_done(&game.build));
    assert_same_times(&game.build.plan, &plan);
    close_game(&game);
    free(room.block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_reason_is_named),
        cmocka_unit_test(test_a_backward_is_whole_or_split),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_times_by_hand),
        cmocka_unit_test(test_the_list_of_moves),
        cmocka_unit_test(test_every_family_is_built_and_recognised),
        cmocka_unit_test(test_coinciding_names),
        cmocka_unit_test(test_any_legal_play_ends),
        cmocka_unit_test(test_the_limit_is_kept),
        cmocka_unit_test(test_policies_are_what_they_say),
        cmocka_unit_test(test_policies_finish_anything),
        cmocka_unit_test(test_finishing_is_choosing_again_and_again),
        cmocka_unit_test(test_a_limit_can_leave_no_move),
        cmocka_unit_test(test_the_bound_holds),
        cmocka_unit_test(test_the_way_towards_a_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
