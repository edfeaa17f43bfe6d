/* The moves of an order under construction: all that can be made, and the one that a policy
 * makes.
 *
 * A policy is an order of preference, nothing more. It always makes the move that starts first,
 * over all devices: whatever could still be in time to compete with it has then been placed, so
 * the choice is one that a scheduler without foresight could make while the step runs. */
#include "core/internal.h"
#include "core/pg_build.h"

/* ---- all moves ---- */

uint32_t pg_build_moves_most(const struct pg_build *build)
{
    const struct pg_plan *plan = &build->plan;
    return plan->slots * PG_KINDS * plan->micro_each + plan->slots * plan->slots;
}

/* In the order of the list: the next ones first, then by start; what starts together stays as
 * found. */
static bool is_before(const struct pg_step *a, const struct pg_step *b)
{
    return a->is_next != b->is_next ? a->is_next : a->start < b->start;
}

static void insert(struct pg_step *list, uint32_t *count, const struct pg_step *step)
{
    uint32_t at = (*count)++;

    for (; at > 0 && is_before(step, &list[at - 1]); at--)
        list[at] = list[at - 1];
    list[at] = *step;
}

static void add_pairs(const struct pg_build *build, uint32_t device, const struct pg_step *next,
                      uint32_t next_count, struct pg_step *out, uint32_t *count)
{
    struct pg_step step;
    struct pg_bar why;

    if (!build->plan.family->has_fused)
        return;
    for (uint32_t i = 0; i < next_count; i++)
        for (uint32_t j = 0; j < next_count; j++) {
            struct pg_move pair = {device, next[i].move.code, next[j].move.code};
            if (pg_code_kind(pair.code) != PG_FORWARD || pg_code_kind(pair.with) != PG_BACKWARD ||
                !pg_build_try(build, &pair, &step, &why))
                continue;
            step.is_next = true;
            insert(out, count, &step);
        }
}

uint32_t pg_build_moves(const struct pg_build *build, uint32_t device, struct pg_step *out)
{
    const struct pg_plan *plan = &build->plan;
    struct pg_step next[PG_MAX_CHUNKS * 2 * PG_KINDS], step;
    uint32_t count = 0, next_count = 0;
    struct pg_bar why;

    for (enum pg_kind kind = 0; kind < PG_KINDS; kind++)
        for (uint32_t slot = 0; slot < plan->slots; slot++) {
            bool is_next = true;
            for (uint32_t m = 0; m < plan->micro_each; m++) {
                struct pg_move move = {device, code_make(kind, slot, m), PG_NONE};
                if (!pg_build_try(build, &move, &step, &why))
                    continue;
                step.is_next = is_next;
                insert(out, &count, &step);
                if (is_next)
                    next[next_count++] = step;
                is_next = false;
            }
        }
    add_pairs(build, device, next, next_count, out, &count);
    return count;
}

/* ---- policies ---- */

struct preference {
    enum pg_policy policy;
    bool is_strict; /* caps count, and forwards are waited for */
};

/* How many micro-batches stand between their forward and their gradient on a stage. */
static uint32_t in_flight(const struct pg_build *build, uint32_t cell)
{
    const uint8_t *has = build->has + (size_t)cell * build->plan.micro_each;
    uint32_t count = 0;

    for (uint32_t m = 0; m < build->plan.micro_each; m++)
        count += (has[m] & 1u << PG_FORWARD) &&
                 !(has[m] & (1u << PG_BACKWARD | 1u << PG_INPUT_GRAD));
    return count;
}

static bool has_forwards_left(const struct pg_build *build, uint32_t device)
{
    const struct pg_plan *plan = &build->plan;
    const uint32_t *cells = plan->slot_cell + (size_t)device * plan->slots;

    for (uint32_t slot = 0; slot < plan->slots && cells[slot] != PG_NONE; slot++)
        for (uint32_t m = 0; m < plan->micro_each; m++)
            if (!(build->has[(size_t)cells[slot] * plan->micro_each + m] & 1u << PG_FORWARD))
                return true;
    return false;
}

/* May a policy make moves of this kind on this stage now? With these caps some stage can always go
 * on: of the deepest one that holds a micro-batch the backward, or the forward behind it. */
static bool is_wanted(const struct pg_build *build, struct preference wish, uint32_t device,
                      uint32_t cell, enum pg_kind kind)
{
    uint32_t behind = build->plan.stages - cell % build->plan.stages; /* S-s */

    if (kind == (wish.policy == PG_FILL ? PG_BACKWARD : PG_INPUT_GRAD) &&
        build->plan.family->splits)
        return false;
    if (!wish.is_strict)
        return true;
    if (wish.policy == PG_FORWARD_FIRST)
        return kind == PG_FORWARD || !has_forwards_left(build, device);
    return kind != PG_FORWARD ||
           in_flight(build, cell) < (wish.policy == PG_FILL ? 2 * behind - 1 : behind);
}

/* The lower the better where moves start together. */
static uint32_t rank_of(enum pg_policy policy, const struct pg_build *build, pg_code code)
{
    static const uint8_t ranks[PG_POLICIES][PG_KINDS] = {
        [PG_BACKWARD_FIRST] = {2, 0, 0, 1}, /* F B I W */
        [PG_FORWARD_FIRST] = {0, 1, 1, 2},
        [PG_FILL] = {1, 0, 0, 2},
    };
    uint32_t each = build->plan.micro_each, micro_batch = pg_code_micro(code);
    enum pg_kind kind = pg_code_kind(code);

    /* GPipe takes back last what it put in last. */
    if (policy == PG_FORWARD_FIRST && kind != PG_FORWARD)
        micro_batch = each - 1 - micro_batch;
    return ranks[policy][kind] * each + micro_batch;
}

static bool is_better(const struct pg_build *build, enum pg_policy policy, const struct pg_step *a,
                      const struct pg_step *b)
{
    if (a->start != b->start)
        return a->start < b->start;
    uint32_t x = rank_of(policy, build, a->move.code), y = rank_of(policy, build, b->move.code);
    if (x != y)
        return x < y;
    /* The deeper stage: it is nearer to giving memory back. */
    return pg_code_slot(a->move.code) > pg_code_slot(b->move.code);
}

static bool choose_on(const struct pg_build *build, struct preference wish, uint32_t device,
                      struct pg_step *best)
{
    const struct pg_plan *plan = &build->plan;
    const uint32_t *cells = plan->slot_cell + (size_t)device * plan->slots;
    bool is_found = false;
    struct pg_step step;
    struct pg_bar why;

    for (uint32_t slot = 0; slot < plan->slots && cells[slot] != PG_NONE; slot++)
        for (enum pg_kind kind = 0; kind < PG_KINDS; kind++) {
            if (!is_wanted(build, wish, device, cells[slot], kind))
                continue;
            for (uint32_t m = 0; m < plan->micro_each; m++) {
                struct pg_move move = {device, code_make(kind, slot, m), PG_NONE};
                if (!pg_build_try(build, &move, &step, &why) ||
                    (is_found && !is_better(build, wish.policy, &step, best)))
                    continue;
                *best = step;
                is_found = true;
            }
        }
    return is_found;
}

/* What this device would do, into build->choice. */
static void choose_again(struct pg_build *build, struct preference wish, uint32_t device)
{
    struct pg_step *choice = &build->choice[device];

    if (!choose_on(build, wish, device, choice))
        choice->move.device = PG_NONE;
}

/* The first of those, the lower device of two. */
static const struct pg_step *first_choice(const struct pg_build *build)
{
    const struct pg_step *best = NULL;

    for (uint32_t d = 0; d < build->plan.devices; d++) {
        const struct pg_step *choice = &build->choice[d];
        if (choice->move.device != PG_NONE && (best == NULL || choice->start < best->start))
            best = choice;
    }
    return best;
}

bool pg_build_choose(const struct pg_build *build, enum pg_policy policy, struct pg_step *best)
{
    bool is_found = false;
    struct pg_step step;

    for (int is_strict = 1; is_strict >= 0 && !is_found; is_strict--)
        for (uint32_t d = 0; d < build->plan.devices; d++) {
            struct preference wish = {policy, is_strict != 0};
            if (!choose_on(build, wish, d, &step) || (is_found && step.start >= best->start))
                continue;
            *best = step;
            is_found = true;
        }
    return is_found;
}

/* A move changes what its own device can do and what the stages beside it can, nothing else. */
static void choose_around(struct pg_build *build, struct preference wish,
                          const struct pg_move *move)
{
    const struct pg_plan *plan = &build->plan;
    uint32_t cell = plan->slot_cell[(size_t)move->device * plan->slots + pg_code_slot(move->code)];
    uint32_t stage = cell % plan->stages;

    choose_again(build, wish, move->device);
    if (stage > 0 && plan->cell_device[cell - 1] != move->device)
        choose_again(build, wish, plan->cell_device[cell - 1]);
    if (stage + 1 < plan->stages && plan->cell_device[cell + 1] != move->device)
        choose_again(build, wish, plan->cell_device[cell + 1]);
}

bool pg_build_finish(struct pg_build *build, enum pg_policy policy)
{
    struct preference wish = {policy, true};
    struct pg_step step;
    struct pg_bar why;

    for (uint32_t d = 0; d < build->plan.devices; d++)
        choose_again(build, wish, d);
    for (;;) {
        const struct pg_step *choice = first_choice(build);
        if (choice != NULL)
            step = *choice;
        else if (!pg_build_choose(build, policy, &step))
            break;
        if (!pg_build_put(build, &step.move, &why))
            break;
        choose_around(build, wish, &step.move);
    }
    return pg_build_is_done(build);
}
