/* Every family of schedules: its order, its rule, its closed form, its stash.
 *
 * Nothing expected here comes from the emitters. Orders are compared, operation by operation, with
 * what other schedulers really ran (where the golden directory is) and with short orders copied
 * from them or worked out by hand; figures with the papers' closed forms and with a table that an
 * independent simulator made. */
#include "peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

struct built {
    struct pg_arena arena, more;
    struct pg_plan plan;
    struct pg_metrics metrics;
    double cost[PG_KINDS * 256]; /* where a cost is nothing, which no problem has */
};

static struct pg_arena arena_of(size_t size)
{
    struct pg_arena arena;
    void *block = malloc(size > 0 ? size : 1);

    assert_non_null(block);
    pg_arena_init(&arena, block, size);
    return arena;
}

static struct pg_problem problem_of(const char *family, uint32_t devices, uint32_t micro_batches,
                                    uint32_t chunks, uint32_t group)
{
    static const double one = 1, two = 2;
    struct pg_problem problem = {
        .family = pg_family_find(family),
        .devices = devices,
        .chunks = chunks,
        .micro_batches = micro_batches,
        .group = group,
        .forward = {&one, 1},
        .backward = {&two, 1},
        .fused = 1,
    };
    if (problem.family == NULL)
        fail_msg("no family '%s'", family);
    return problem;
}

static void describe(const struct pg_problem *problem)
{
    print_error("%s: P %u, M %u, V %u, G %u\n", problem->family->name, problem->devices,
                problem->micro_batches, problem->chunks, problem->group);
}

/* A test that says which problem it was about. */
#define check(condition, problem)                                                                  \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            describe(problem);                                                                     \
            fail_msg("not true: %s", #condition);                                                  \
        }                                                                                          \
    } while (0)

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static void build(struct built *built, const struct pg_problem *problem)
{
    struct pg_fault fault;

    built->arena = arena_of(pg_plan_size(problem));
    enum pg_status status = pg_plan_build(&built->arena, problem, &built->plan, &fault);
    if (status != PG_OK)
        print_error("status %d, device %u, index %u\n", (int)status, fault.device, fault.index);
    check(status == PG_OK, problem);
    built->more = arena_of(pg_metrics_size(built->plan.devices));
    check(pg_plan_judge(&built->plan, &built->more, &built->metrics) == PG_OK, problem);
}

static void unbuild(struct built *built)
{
    free(built->arena.base);
    free(built->more.base);
}

/* Costs of a problem point into what must live as long as it. */
struct prices {
    double f, whole, w;
};

static void set_costs(struct pg_problem *problem, struct prices *prices, double f, double b,
                      double w)
{
    *prices = (struct prices){f, b + w, w};
    problem->forward = (struct pg_list){&prices->f, 1};
    problem->backward = (struct pg_list){&prices->whole, 1};
    problem->weight = (struct pg_list){&prices->w, w > 0 ? 1 : 0};
}

static struct pg_op op_at(const struct pg_plan *plan, uint32_t device, uint32_t index)
{
    struct pg_op op;
    pg_op_at(plan, device, index, &op);
    return op;
}

/* The order of a device in the notation of the golden files, to be freed. */
static char *order_text(const struct pg_plan *plan, uint32_t device)
{
    char *text = calloc(plan->run[device].count * (size_t)32 + 1, 1), *at = text;

    assert_non_null(text);
    for (uint32_t i = 0; i < plan->run[device].count; i++) {
        struct pg_op op = op_at(plan, device, i);
        bool is_joined = (plan->run[device].code[i] & PG_CODE_FUSED_SECOND) != 0;
        if (i > 0)
            *at++ = is_joined ? '+' : ' ';
        at += sprintf(at, "%c%u.%u", "FBIW"[op.kind], op.replica * plan->stages + op.stage,
                      op.micro_batch);
    }
    return text;
}

/* ---- short orders ---- */

struct sample {
    const char *family;
    uint32_t size[4]; /* P, M, V, G */
    const char *order[4];
};

/* Copied from what the peers ran, but for gpipe (the paper's figure), afab, 1f1b, forward-only and
 * zb-h2, which are worked out by hand. */
static const struct sample samples[] = {
    {"gpipe", {2, 3, 1, 0}, {"F0.0 F0.1 F0.2 B0.2 B0.1 B0.0", "F1.0 F1.1 F1.2 B1.2 B1.1 B1.0"}},
    {"afab", {2, 3, 1, 0}, {"F0.0 F0.1 F0.2 B0.0 B0.1 B0.2", "F1.0 F1.1 F1.2 B1.0 B1.1 B1.2"}},
    {"forward-only", {2, 3, 1, 0}, {"F0.0 F0.1 F0.2", "F1.0 F1.1 F1.2"}},
    {"1f1b",
     {3, 4, 1, 0},
     {"F0.0 F0.1 F0.2 B0.0 F0.3 B0.1 B0.2 B0.3", "F1.0 F1.1 B1.0 F1.2 B1.1 F1.3 B1.2 B1.3",
      "F2.0 B2.0 F2.1 B2.1 F2.2 B2.2 F2.3 B2.3"}},
    {"1f1b",
     {4, 2, 1, 0},
     {"F0.0 F0.1 B0.0 B0.1", "F1.0 F1.1 B1.0 B1.1", "F2.0 F2.1 B2.0 B2.1", "F3.0 B3.0 F3.1 B3.1"}},
    {"eager-1f1b",
     {3, 6, 1, 0},
     {"F0.0 F0.1 F0.2 F0.3 F0.4 B0.0 F0.5 B0.1 B0.2 B0.3 B0.4 B0.5",
      "F1.0 F1.1 F1.2 B1.0 F1.3 B1.1 F1.4 B1.2 F1.5 B1.3 B1.4 B1.5",
      "F2.0 B2.0 F2.1 B2.1 F2.2 B2.2 F2.3 B2.3 F2.4 B2.4 F2.5 B2.5"}},
    {"1f1b-overlap",
     {3, 6, 1, 0},
     {"F0.0 F0.1 F0.2 F0.3 F0.4 F0.5+B0.0 B0.1 B0.2 B0.3 B0.4 B0.5",
      "F1.0 F1.1 F1.2 F1.3+B1.0 F1.4+B1.1 F1.5+B1.2 B1.3 B1.4 B1.5",
      "F2.0 F2.1+B2.0 F2.2+B2.1 F2.3+B2.2 F2.4+B2.3 F2.5+B2.4 B2.5"}},
    {"interleaved",
     {2, 4, 2, 0},
     {"F0.0 F0.1 F2.0 F2.1 F0.2 B2.0 F0.3 B2.1 F2.2 B0.0 F2.3 B0.1 B2.2 B2.3 B0.2 B0.3",
      "F1.0 F1.1 F3.0 B3.0 F3.1 B3.1 F1.2 B1.0 F1.3 B1.1 F3.2 B3.2 F3.3 B3.3 B1.2 B1.3"}},
    {"interleaved",
     {2, 8, 2, 3}, /* groups of three, and a last one of two */
     {"F0.0 F0.1 F0.2 F2.0 F2.1 F2.2 B2.0 F0.3 B2.1 F0.4 B2.2 F0.5 B0.0 F2.3 B0.1 F2.4 B0.2 F2.5 "
      "B2.3 F0.6 B2.4 F0.7 B2.5 F2.6 B0.3 F2.7 B0.4 B0.5 B2.6 B2.7 B0.6 B0.7",
      "F1.0 F1.1 F1.2 F3.0 B3.0 F3.1 B3.1 F3.2 B3.2 F1.3 B1.0 F1.4 B1.1 F1.5 B1.2 F3.3 B3.3 F3.4 "
      "B3.4 F3.5 B3.5 F1.6 B1.3 F1.7 B1.4 F3.6 B1.5 F3.7 B3.6 B3.7 B1.6 B1.7"}},
    {"interleaved-overlap",
     {2, 3, 2, 0},
     {"F0.0 F0.1 F2.0 F2.1 F0.2 F2.2+B2.0 B2.1 B0.0 B0.1 B2.2 B0.2",
      "F1.0 F1.1 F3.0 F3.1+B3.0 F1.2+B3.1 F3.2+B1.0 B1.1 B3.2 B1.2"}},
    {"looped-bfs",
     {2, 2, 2, 0},
     {"F0.0 F0.1 F2.0 F2.1 B2.1 B2.0 B0.1 B0.0", "F1.0 F1.1 F3.0 F3.1 B3.1 B3.0 B1.1 B1.0"}},
    {"zb1p",
     {3, 4, 1, 0},
     {"F0.0 F0.1 F0.2 I0.0 W0.0 F0.3 I0.1 W0.1 I0.2 W0.2 I0.3 W0.3",
      "F1.0 F1.1 I1.0 F1.2 I1.1 W1.0 F1.3 I1.2 W1.1 I1.3 W1.2 W1.3",
      "F2.0 I2.0 F2.1 I2.1 F2.2 I2.2 W2.0 F2.3 I2.3 W2.1 W2.2 W2.3"}},
    {"zb1p",
     {2, 3, 2, 0},
     {"F0.0 F0.1 F0.2 F2.0 F2.1 I2.0 W2.0 F2.2 I2.1 W2.1 I2.2 W2.2 I0.0 W0.0 I0.1 W0.1 I0.2 W0.2",
      "F1.0 F1.1 F1.2 F3.0 I3.0 F3.1 I3.1 W3.0 F3.2 I3.2 W3.1 I1.0 W3.2 I1.1 W1.0 I1.2 W1.1 W1.2"}},
    {"zb-h1",
     {3, 4, 1, 0},
     {"F0.0 F0.1 F0.2 B0.0 F0.3 B0.1 B0.2 B0.3",
      "F1.0 F1.1 I1.0 F1.2 B1.1 F1.3 I1.2 W1.0 I1.3 W1.2 W1.3",
      "F2.0 I2.0 F2.1 I2.1 F2.2 B2.2 F2.3 I2.3 W2.0 W2.1 W2.3"}},
    {"zb-h2",
     {2, 4, 1, 0},
     {"F0.0 F0.1 F0.2 I0.0 W0.0 F0.3 I0.1 W0.1 I0.2 W0.2 I0.3 W0.3",
      "F1.0 I1.0 F1.1 I1.1 F1.2 I1.2 W1.0 F1.3 I1.3 W1.1 W1.2 W1.3"}},
    {"zbv",
     {2, 4, 2, 0},
     {"F0.0 F0.1 F0.2 F3.0 I3.0 W3.0 F3.1 I3.1 W3.1 F0.3 I0.0 W0.0 F3.2 I3.2 W3.2 I0.1 W0.1 F3.3 "
      "I3.3 W3.3 I0.2 W0.2 I0.3 W0.3",
      "F1.0 F2.0 F1.1 F2.1 I2.0 W2.0 F1.2 I1.0 W1.0 F2.2 I2.1 W2.1 F1.3 I1.1 W1.1 F2.3 I2.2 W2.2 "
      "I1.2 I2.3 I1.3 W1.2 W2.3 W1.3"}},
    {"zbv",
     {2, 2, 2, 0}, /* fewer than 2P-1 */
     {"F0.0 F0.1 F3.0 I3.0 W3.0 F3.1 I3.1 W3.1 I0.0 W0.0 I0.1 W0.1",
      "F1.0 F2.0 F1.1 F2.1 I2.0 W2.0 I1.0 W1.0 I2.1 W2.1 I1.1 W1.1"}},
    {"dualpipev",
     {2, 4, 2, 0},
     {"F0.0 F0.1 F0.2 F3.0 I3.0 W3.0 F3.1 F0.3+B3.1 F3.2+B0.0 B3.2 F3.3+B0.1 B3.3 I0.2 W0.2 I0.3 "
      "W0.3",
      "F1.0 F2.0 F1.1 F2.1 F1.2 B2.0 F2.2+B1.0 F1.3+B2.1 F2.3+B1.1 B2.2 B1.2 I2.3 I1.3 W2.3 W1.3"}},
    {"dualpipe",
     {2, 4, 1, 0},
     {"F0.0 F3.0 F0.1 B3.0 F3.1+B0.0 B3.1 I0.1 W0.1",
      "F2.0 F1.0 F2.1 B1.0 F1.1+B2.0 B1.1 I2.1 W2.1"}},
    {"dualpipe",
     {4, 10, 1, 0},
     {"F0.0 F0.1 F0.2 F7.0 I7.0 W7.0 F7.1 F0.3+B7.1 F7.2+B0.0 F0.4+B7.2 F7.3+B0.1 B7.3 F7.4+B0.2 "
      "B7.4 I0.3 W0.3 I0.4 W0.4",
      "F1.0 F6.0 F1.1 F6.1 F1.2 B6.0 F6.2+B1.0 F1.3+B6.1 F6.3+B1.1 F1.4+B6.2 F6.4+B1.2 B6.3 B1.3 "
      "I6.4 I1.4 W6.4 W1.4",
      "F5.0 F2.0 F5.1 F2.1 F5.2 B2.0 F2.2+B5.0 F5.3+B2.1 F2.3+B5.1 F5.4+B2.2 F2.4+B5.2 B2.3 B5.3 "
      "I2.4 I5.4 W2.4 W5.4",
      "F4.0 F4.1 F4.2 F3.0 I3.0 W3.0 F3.1 F4.3+B3.1 F3.2+B4.0 F4.4+B3.2 F3.3+B4.1 B3.3 F3.4+B4.2 "
      "B3.4 I4.3 W4.3 I4.4 W4.4"}},
    {"chimera",
     {4, 8, 1, 0},
     {"F0.0 F0.1 F7.0 B7.0 F7.1 B7.1 B0.0 F0.2 B0.1 F0.3 F7.2 B7.2 F7.3 B7.3 B0.2 B0.3",
      "F1.0 F6.0 F1.1 F6.1 B6.0 B1.0 B6.1 B1.1 F1.2 F6.2 F1.3 F6.3 B6.2 B1.2 B6.3 B1.3",
      "F5.0 F2.0 F5.1 F2.1 B2.0 B5.0 B2.1 B5.1 F5.2 F2.2 F5.3 F2.3 B2.2 B5.2 B2.3 B5.3",
      "F4.0 F4.1 F3.0 B3.0 F3.1 B3.1 B4.0 F4.2 B4.1 F4.3 F3.2 B3.2 F3.3 B3.3 B4.2 B4.3"}},
};

static void test_short_orders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const uint32_t *size = samples[i].size;
        struct pg_problem problem =
            problem_of(samples[i].family, size[0], size[1], size[2], size[3]);
        static struct built built;
        build(&built, &problem);
        for (uint32_t d = 0; d < size[0]; d++) {
            char *text = order_text(&built.plan, d);
            if (strcmp(text, samples[i].order[d]) != 0)
                describe(&problem);
            assert_string_equal(text, samples[i].order[d]);
            free(text);
        }
        unbuild(&built);
    }
}

/* A new family needs a sample here, and rows below. */
static void test_every_family_has_a_sample(void **state)
{
    uint32_t count;
    const struct pg_family *family = pg_families(&count);

    (void)state;
    for (uint32_t n = 0; n < count; n++) {
        size_t i = 0;
        while (i < sizeof samples / sizeof samples[0] &&
               strcmp(samples[i].family, family[n].name) != 0)
            i++;
        if (i == sizeof samples / sizeof samples[0])
            fail_msg("no order of '%s' to compare with", family[n].name);
    }
}

/* ---- which sizes a family takes ---- */

static bool is_named(const struct pg_problem *problem, const char *name)
{
    return strcmp(problem->family->name, name) == 0;
}

static bool is_grouped(const struct pg_problem *problem)
{
    return is_named(problem, "interleaved") || is_named(problem, "zb1p");
}

/* Megatron's rule for a group size that is given, or one group of everything; PyTorch's groups, the
 * default, never break it. */
static bool takes_group(const struct pg_problem *problem)
{
    uint32_t p = problem->devices, m = problem->micro_batches, g = problem->group;

    if (problem->chunks == 1 || g == 0 || g == m)
        return true;
    return g >= p && g < m && (m % g == 0 || m % g >= p);
}

/* Interleaved overlap is not told here: test_overlap_rule runs its orders. */
static bool is_taken(const struct pg_problem *problem)
{
    uint32_t p = problem->devices, m = problem->micro_batches;

    if (is_grouped(problem))
        return takes_group(problem);
    if (is_named(problem, "dualpipe"))
        return p % 2 == 0 && m % 2 == 0 && m >= 2 * p;
    if (is_named(problem, "dualpipev"))
        return m >= 2 * p;
    if (is_named(problem, "chimera"))
        return p % 2 == 0 && m % p == 0;
    return true;
}

/* Each stage and micro-batch has one F, and one B or one I and one W after it, on one device. */
static bool is_complete(const struct pg_plan *plan)
{
    size_t pairs = (size_t)plan->replicas * plan->stages * plan->micro_each, right = 0;
    uint8_t *seen = calloc(pairs, 1);

    assert_non_null(seen);
    for (uint32_t d = 0; d < plan->devices; d++)
        for (uint32_t i = 0; i < plan->run[d].count; i++) {
            struct pg_op op = op_at(plan, d, i);
            size_t at = ((size_t)op.replica * plan->stages + op.stage) * plan->micro_each;
            uint8_t *mine = &seen[at + op.micro_batch];
            /* F is 1, a B on it makes 2, an I on it 3, and a W on that 2. */
            static const uint8_t from[PG_KINDS] = {0, 1, 1, 3}, to[PG_KINDS] = {1, 2, 3, 2};
            *mine = op.micro_batch < plan->micro_each && *mine == from[op.kind] ? to[op.kind] : 9;
        }
    for (size_t i = 0; i < pairs; i++)
        right += seen[i] == (plan->family->is_forward_only ? 1 : 2);
    free(seen);
    return right == pairs;
}

static void check_plan(const struct pg_problem *problem)
{
    static struct built built;
    struct pg_fault fault;

    build(&built, problem);
    check(is_complete(&built.plan), problem);
    enum pg_status status = peers_verify(&built.plan, &fault);
    if (status != PG_OK)
        print_error("verify: %d at %u/%u\n", (int)status, fault.device, fault.index);
    check(status == PG_OK, problem);
    unbuild(&built);
}

static void check_taken_or_refused(const struct pg_problem *problem)
{
    struct pg_fault fault;
    enum pg_status status = pg_problem_check(problem, &fault);

    check(status == PG_OK || status == PG_E_RULE, problem);
    if (!is_named(problem, "interleaved-overlap"))
        check((status == PG_OK) == is_taken(problem), problem);
    if (status == PG_OK)
        check_plan(problem);
    else
        check(pg_plan_size(problem) == 0, problem);
}

/* Sanitizers and valgrind (which leaves its name in the environment) get by with fewer sizes. */
static bool is_slow(void)
{
    const char *sanitize = getenv("SANITIZE"), *preload = getenv("LD_PRELOAD");

    return (sanitize != NULL && strcmp(sanitize, "no") != 0) ||
           (preload != NULL && strstr(preload, "vgpreload") != NULL);
}

typedef void visit(const struct pg_problem *problem);

/* Every family, size and number of chunks; and a few groups of families that have groups. */
static void for_each_problem(uint32_t devices, uint32_t micro_batches, visit *visitor)
{
    uint32_t count;
    const struct pg_family *family = pg_families(&count);

    for (uint32_t n = 0; n < count; n++)
        for (uint32_t v = 1; v <= (family[n].fixed_chunks ? 1 : 4); v++)
            for (uint32_t p = 1; p <= devices; p++)
                for (uint32_t m = 1; m <= micro_batches; m++) {
                    uint32_t chunks = family[n].fixed_chunks ? family[n].fixed_chunks : v;
                    const uint32_t groups[] = {0, p, p + 1, 2 * p, m, m / 2, p - 1};
                    uint32_t last = family[n].has_group ? 7 : 1;
                    for (uint32_t g = 0; g < last; g++) {
                        struct pg_problem problem =
                            problem_of(family[n].name, p, m, chunks, groups[g]);
                        if (g == 0 || groups[g] > 0)
                            visitor(&problem);
                    }
                }
}

static void test_taken_or_refused(void **state)
{
    bool is_short = is_slow();

    (void)state;
    for_each_problem(is_short ? 8 : 12, is_short ? 24 : 40, check_taken_or_refused);
}

/* PyTorch's groups where it takes the size; else the smallest whose last one is whole or not less
 * than P, found by hand; overlapped orders group by P as Megatron does. */
static void test_default_groups(void **state)
{
    static const struct {
        const char *family;
        uint32_t devices, micro_batches, group;
    } defaults[] = {
        {"interleaved", 4, 8, 4},
        {"interleaved", 4, 10, 5},
        {"interleaved", 4, 3, 3},
        {"interleaved", 4, 7, 7},
        {"zb1p", 4, 10, 5},
        {"zb1p", 1, 6, 1},
        {"interleaved", 2, 5, 3},
        {"interleaved", 4, 9, 5},
        {"interleaved", 4, 11, 6},
        {"interleaved", 3, 11, 4},
        {"zb1p", 8, 17, 9},
        {"interleaved-overlap", 4, 10, 4},
        {"interleaved-overlap", 4, 3, 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        struct pg_problem problem =
            problem_of(defaults[i].family, defaults[i].devices, defaults[i].micro_batches, 2, 0);
        check(pg_problem_group(&problem) == defaults[i].group, &problem);
        problem.group = 7;
        check(pg_problem_group(&problem) == 7, &problem);
    }
}

/* ---- the rule of interleaved overlap ---- */

/* The order of section 2.2 of arXiv 2104.04473, spelled from its table: forwards in groups, chunk
 * by chunk; backwards from the same table with chunks reversed; one forward more before the first
 * pair than interleaved 1F1B has. */
static char *overlap_text(uint32_t p, uint32_t m, uint32_t v, uint32_t group)
{
    uint32_t all = m * v, *chunk = calloc(all, sizeof *chunk), *micro = calloc(all, sizeof *micro);
    char *text = calloc(1, 256 + (size_t)p * (64 + all * 2 * 20)), *at = text;
    uint32_t n = 0;

    assert_true(chunk != NULL && micro != NULL && text != NULL);
    for (uint32_t i = 0; i < all; i++) { /* the place of chunk c, micro-batch j, counted out */
        uint32_t first = i / (group * v) * group, size = m - first < group ? m - first : group;
        uint32_t within = i - first * v;
        chunk[n] = within / size;
        micro[n++] = first + within % size;
    }
    at += sprintf(at, "P: %u\nM: %u\nV: %u\nchains: 0-%u\n", p, m, v, p * v - 1);
    for (uint32_t r = 0; r < p; r++) {
        at += sprintf(at, "place %u:", r);
        for (uint32_t c = 0; c < v; c++)
            at += sprintf(at, " %u", c * p + r);
        at += sprintf(at, "\n");
    }
    for (uint32_t r = 0; r < p; r++) {
        uint32_t ahead = (v - 1) * group + 2 * (p - 1 - r) + 1, done = 0;
        at += sprintf(at, "rank %u:", r);
        for (uint32_t i = 0; i < all + ahead; i++) {
            if (i < all)
                at += sprintf(at, " F%u.%u", chunk[i] * p + r, micro[i]);
            if (i >= ahead && done < all) {
                at += sprintf(at, "%cB%u.%u", i < all ? '+' : ' ', (v - 1 - chunk[done]) * p + r,
                              micro[done]);
                done++;
            }
        }
        for (; done < all; done++)
            at += sprintf(at, " B%u.%u", (v - 1 - chunk[done]) * p + r, micro[done]);
        at += sprintf(at, "\n");
    }
    free(chunk);
    free(micro);
    return text;
}

static bool is_same_run(const struct pg_plan *plan, uint32_t device, const struct peers_run *run)
{
    if (plan->run[device].count != run->count)
        return false;
    for (uint32_t i = 0; i < run->count; i++) {
        const struct peers_op *want = &run->op[i];
        struct pg_op op = op_at(plan, device, i);
        if (op.kind != want->kind || op.replica * plan->stages + op.stage != want->cell ||
            op.micro_batch != want->micro_batch ||
            (plan->run[device].code[i] & (PG_CODE_FUSED_FIRST | PG_CODE_FUSED_SECOND)) !=
                want->fused)
            return false;
    }
    return true;
}

/* It takes exactly what runs. */
static void check_overlap(uint32_t p, uint32_t m, uint32_t v, uint32_t group)
{
    char *text = overlap_text(p, m, v, group);
    struct pg_problem problem = problem_of("interleaved-overlap", p, m, v, group);
    static struct built built;
    struct peers_order order;
    struct peers_plan made;
    struct pg_fault fault;

    peers_parse(&order, text);
    peers_plan_new(&made, &order, m);
    bool runs = peers_time(&made.plan, &fault) == PG_OK;
    bool is_accepted = pg_problem_check(&problem, &fault) == PG_OK;
    check(runs == is_accepted, &problem);
    if (is_accepted) {
        build(&built, &problem);
        for (uint32_t d = 0; d < p; d++)
            check(is_same_run(&built.plan, d, &order.run[d]), &problem);
        unbuild(&built);
    }
    peers_plan_free(&made);
    peers_free(&order);
    free(text);
}

static void test_overlap_rule(void **state)
{
    uint32_t devices = is_slow() ? 5 : 8, micro_batches = is_slow() ? 16 : 24;

    (void)state;
    for (uint32_t p = 1; p <= devices; p++)
        for (uint32_t m = 1; m <= micro_batches; m++)
            for (uint32_t v = 1; v <= 4; v++)
                for (uint32_t group = p; group <= p + 3; group++)
                    check_overlap(p, m, v, group);
}

/* ---- closed forms ---- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What the papers and counts give for equal stages without transfer; NAN where they give nothing.
 */
static double closed_form(const struct pg_problem *problem, double f, double b, double w)
{
    double p = problem->devices, m = problem->micro_batches, v = problem->chunks, whole = b + w;
    double work = m * v * (f + whole), busiest = larger(f, larger(b, f + b - w));
    bool is_even = f == b && b == w;

    if (is_named(problem, "forward-only"))
        return (m + p - 1) * f;
    if (problem->family->is_synchronous_1v)
        return (m + p - 1) * (f + whole);
    if (is_named(problem, "looped-bfs") || (is_named(problem, "interleaved") && v > 1))
        return (m >= p ? m * v + p - 1 : p * v + m - 1) * (f + whole);
    if (is_named(problem, "zb-h1") || (is_named(problem, "zb1p") && v == 1))
        return m >= 2 * p ? work + (p - 1) * busiest : NAN;
    if (is_named(problem, "zb1p"))
        return m >= 2 * p && problem->micro_batches % problem->devices == 0
                   ? work + (p - 1) * busiest
                   : NAN;
    if (is_named(problem, "zb-h2"))
        return m >= 2 * p && is_even ? work + (p - 1) * f : NAN;
    if (is_named(problem, "zbv"))
        return m >= 2 * p - 1 && is_even ? work + (p - 1) * f : NAN;
    if (is_named(problem, "dualpipe") || is_named(problem, "dualpipev")) {
        double stages =
            is_named(problem, "dualpipe") ? p : 2 * p; /* work of M/2 in each direction */
        return f == b && w <= f ? work + (stages / 2 - 1) * (f + whole + whole - 3 * w) : NAN;
    }
    if (is_named(problem, "chimera"))
        return whole >= f ? work + (p - 2) * (f + m / p * (whole - f)) : NAN;
    return NAN;
}

static void check_form(const struct pg_problem *problem, double f, double b, double w, double fused)
{
    static struct built built;
    struct pg_problem priced = *problem;
    struct prices prices;

    set_costs(&priced, &prices, f, b, w);
    priced.fused = fused;
    build(&built, &priced);
    double expected = closed_form(problem, f, b, w);
    double form = problem->family->makespan ? problem->family->makespan(&built.plan) : (double)NAN;
    if (problem->family->has_fused && fused != 1)
        expected = NAN;
    if ((!isnan(expected) && !is_close(built.plan.makespan, expected)) ||
        (!isnan(form) && !is_close(built.plan.makespan, form)))
        print_error("f %g b %g w %g: makespan %.17g, expected %.17g, formula %.17g\n", f, b, w,
                    built.plan.makespan, expected, form);
    check(isnan(expected) || is_close(built.plan.makespan, expected), problem);
    check(isnan(form) || is_close(built.plan.makespan, form), problem);
    check(isnan(expected) || !isnan(form), problem);
    if (!isnan(form)) {
        double idle = 1 - built.metrics.total_busy_time / (priced.devices * form);
        check(fabs(built.metrics.formula - idle) < 1e-9, problem);
    }
    unbuild(&built);
}

static void check_forms(const struct pg_problem *problem)
{
    static const double costs[][4] = {
        {1, 1, 1, 1}, {3, 4, 2, 1},       {5, 1, 2, 1},   {1, 1, 3, 1},     {2, 2, 1, 1},
        {5, 1, 1, 1}, {0.1, 0.1, 0.1, 1}, {1, 3, 0.5, 1}, {2, 2, 1.5, 0.8}, {1, 1, 1, 1.25},
    };
    struct pg_fault fault;

    if (pg_problem_check(problem, &fault) != PG_OK)
        return;
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++)
        if (costs[i][3] == 1 || problem->family->has_fused)
            check_form(problem, costs[i][0], costs[i][1], costs[i][2], costs[i][3]);
}

static void test_closed_forms(void **state)
{
    bool is_short = is_slow();

    (void)state;
    for_each_problem(is_short ? 6 : 8, is_short ? 14 : 24, check_forms);
}

/* On one device nothing waits, so a pair that takes a share of its parts shortens the whole by the
 * rest, as often as there are pairs. */
static void check_pairs(const char *family, uint32_t micro_batches, uint32_t chunks, uint32_t pairs)
{
    const double shares[] = {0.5, 7.0 / 9, 1, 1.25};

    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        struct pg_problem problem = problem_of(family, 1, micro_batches, chunks, 0);
        static struct built built;
        struct prices prices;

        set_costs(&problem, &prices, 3, 4, 2);
        problem.fused = shares[i];
        build(&built, &problem);
        double expected = 9 * (micro_batches * chunks - pairs * (1 - shares[i]));
        check(is_close(built.plan.makespan, expected), &problem);
        check(is_close(built.metrics.total_busy_time, expected), &problem);
        unbuild(&built);
    }
}

static void test_price_of_pairs(void **state)
{
    (void)state;
    for (uint32_t m = 2; m <= 9; m++) {
        check_pairs("1f1b-overlap", m, 1, m - 1); /* all but the first forward */
        check_pairs("interleaved-overlap", m, 3, 3 * m - 3);
        check_pairs("dualpipev", m, 2, 2 * m - 3); /* the turn does not fuse its first */
        check_pairs("zbv", m, 2, 0);
    }
}

/* Zero bubble: at f = b = w no device ever waits between its first operation and its last. */
static void check_spans(const char *family, uint32_t chunks, uint32_t p, uint32_t m)
{
    const double costs[] = {1, 0.1, 7};

    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        struct pg_problem problem = problem_of(family, p, m, chunks, 0);
        static struct built built;
        struct prices prices;

        set_costs(&problem, &prices, costs[i], costs[i], costs[i]);
        build(&built, &problem);
        for (uint32_t d = 0; d < p; d++) {
            double first = built.plan.run[d].start[0];
            double last = pg_op_end(&built.plan, d, built.plan.run[d].count - 1);
            check(is_close(last - first, m * chunks * 3 * costs[i]), &problem);
            check(is_close(first, d * costs[i]), &problem);
        }
        check(is_close(built.metrics.span, m * chunks * 3 * costs[i]), &problem);
        check(fabs(built.metrics.span_bubble) < 1e-9, &problem);
        unbuild(&built);
    }
}

static void test_zero_bubble(void **state)
{
    (void)state;
    for (uint32_t p = 1; p <= 10; p++)
        for (uint32_t m = 2 * p - 1; m <= 2 * p + 9; m++) {
            check_spans("zbv", 2, p, m);
            if (m >= 2 * p)
                check_spans("zb-h2", 1, p, m);
        }
}

/* ---- stash ---- */

/* The largest number of chunks that a device holds, each from its F to its B, or to its I or W. */
static uint32_t held_of(const struct pg_plan *plan, uint32_t device, enum pg_kind until)
{
    uint32_t held = 0, most = 0;

    for (uint32_t i = 0; i < plan->run[device].count; i++) {
        struct pg_op op = op_at(plan, device, i);
        if (op.kind == PG_FORWARD && ++held > most)
            most = held;
        if (op.kind == PG_BACKWARD || op.kind == until)
            held--;
    }
    return most;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Group sizes as PyTorch has them where it takes the size; 0 elsewhere. Overlap groups by P. */
static uint32_t group_of(const struct pg_problem *problem)
{
    uint32_t p = problem->devices, m = problem->micro_batches, rounds = m / p > 0 ? m / p : 1;

    if (problem->group != 0)
        return problem->group;
    if (is_named(problem, "interleaved-overlap"))
        return least(p, m);
    return m % rounds == 0 ? m / rounds : 0;
}

/* Chunks held until W, by the papers; 0 where they say nothing. */
static uint32_t stash_of(const struct pg_problem *problem, uint32_t r)
{
    uint32_t p = problem->devices, m = problem->micro_batches, v = problem->chunks;
    uint32_t group = group_of(problem), far = r < p - 1 - r ? r : p - 1 - r;

    if (is_named(problem, "gpipe") || is_named(problem, "afab"))
        return m;
    if (is_named(problem, "1f1b"))
        return least(m, p - r);
    if (is_named(problem, "eager-1f1b"))
        return least(m, 2 * (p - r) - 1);
    if (is_named(problem, "1f1b-overlap"))
        return least(m, 2 * (p - r)); /* its warm-up, and the forward of a pair */
    if (is_named(problem, "looped-bfs"))
        return m * v;
    if (is_named(problem, "interleaved") && group > 0)
        return least(m * v, (v - 1) * group + 2 * (p - 1 - r) + 1);
    if (is_named(problem, "interleaved-overlap"))
        return least(m * v, (v - 1) * group + 2 * (p - r));
    if (is_named(problem, "zb1p") && group > 0)
        return least(m * v, (v - 1) * group + p);
    if (is_named(problem, "zb-h2") && m >= 2 * p)
        return 2 * p - 1;
    if (is_named(problem, "zbv") && m >= 2 * p - 1)
        return 2 * p;
    if (is_named(problem, "dualpipe"))
        return p + 1;
    if (is_named(problem, "dualpipev"))
        return 2 * p + 1;
    return is_named(problem, "chimera") ? p / 2 + 1 + far : 0;
}

/* The same until I. */
static uint32_t early_stash_of(const struct pg_problem *problem, uint32_t r)
{
    uint32_t p = problem->devices, m = problem->micro_batches, v = problem->chunks;

    if (is_named(problem, "zb1p") && group_of(problem) > 0)
        return least(m * v, (v - 1) * group_of(problem) + p - r);
    if (is_named(problem, "zb-h1"))
        return least(m, p - r);
    return is_named(problem, "zb-h2") ? least(m, 2 * (p - r) - 1) : 0;
}

static void check_stash(const struct pg_problem *problem)
{
    static const double one = 1, none = 0;
    static struct built built;
    struct pg_problem weighed = *problem;
    struct pg_fault fault;

    if (pg_problem_check(problem, &fault) != PG_OK || problem->family->is_forward_only)
        return;
    weighed.activation = (struct pg_list){&one, 1};
    weighed.weight_activation = (struct pg_list){&none, 1}; /* an I lets go of everything */
    build(&built, &weighed);
    for (uint32_t d = 0; d < problem->devices; d++) {
        uint32_t late = held_of(&built.plan, d, PG_WEIGHT_GRAD), until_w = stash_of(problem, d);
        uint32_t early = held_of(&built.plan, d, PG_INPUT_GRAD);
        uint32_t until_i = early_stash_of(problem, d);
        if ((until_w > 0 && late != until_w) || (until_i > 0 && early != until_i))
            print_error("device %u: %u until W, not %u; %u until I, not %u\n", d, late, until_w,
                        early, until_i);
        check(until_w == 0 || late == until_w, problem);
        check(until_i == 0 || early == until_i, problem);
        check(is_close(built.metrics.stage_peak_stash[d] * problem->chunks, late), problem);
        check(is_close(built.metrics.device_memory[d], early), problem);
        if (is_named(problem, "zb-h1"))
            check(late <= problem->devices, problem);
    }
    unbuild(&built);
}

static void test_stash(void **state)
{
    bool is_short = is_slow();

    (void)state;
    for_each_problem(is_short ? 6 : 8, is_short ? 16 : 24, check_stash);
}

/* ---- what peers ran ---- */

static const struct {
    const char *schedule, *family;
} matches[] = {
    {"pytorch/GPipe", "afab"},
    {"pytorch/1F1B", "1f1b"},
    {"megatron/1F1B", "1f1b"},
    {"sail/1f1b", "1f1b"},
    {"minpp/1f1b", "1f1b"},
    {"pipedream/PipeDream", "1f1b"},
    {"minpp/eager1f1b", "eager-1f1b"},
    {"megatron/Interleaved1F1B", "interleaved"},
    {"pytorch/Interleaved1F1B", "interleaved"},
    {"sail/vpp", "interleaved"},
    {"pytorch/LoopedBFS", "looped-bfs"},
    {"pytorch/InterleavedZeroBubble", "zb1p"},
    {"victarry/ZB1P", "zb1p"},
    {"sail/ZBH1_quickstart", "zb-h1"},
    {"pytorch/ZBVZeroBubble", "zbv"},
    {"sail/ZBV_handcrafted", "zbv"},
    {"dualpipe/DualPipe", "dualpipe"},
    {"victarry/DualPipe", "dualpipe"},
    {"dualpipe/DualPipeV", "dualpipev"},
    {"victarry/DualPipeV", "dualpipev"},
    {"pytorch/DualPipeV", "dualpipev"},
    {"victarry/1F1B_overlap", "1f1b-overlap"},
    {"megatron/Interleaved1F1B_moe_overlap", "interleaved-overlap"},
    {"victarry/Interleave_overlap", "interleaved-overlap"},
    {"pipefisher/Chimera", "chimera"},
};

#define MATCHES (sizeof matches / sizeof matches[0])

static size_t match_of(const struct peers_row *row)
{
    size_t i = 0;

    while (i < MATCHES && strcmp(matches[i].schedule, row->schedule) != 0)
        i++;
    return i;
}

static FILE *open_table(void)
{
    FILE *table = peers_open("sim_makespans.csv");

    if (table == NULL)
        skip();
    return table;
}

static struct pg_problem problem_of_row(const struct peers_row *row, const char *family)
{
    struct pg_problem problem =
        problem_of(family, row->devices, row->micro_batches, row->per_device, row->group);

    if (problem.family->placement == PG_BIDIRECTIONAL)
        problem.chunks = row->per_device / 2;
    return problem;
}

static void check_same_order(const struct pg_problem *problem, const struct peers_order *order)
{
    static struct built built;

    build(&built, problem);
    for (uint32_t d = 0; d < problem->devices; d++) {
        check(is_same_run(&built.plan, d, &order->run[d]), problem);
        for (uint32_t slot = 0; slot < built.plan.slots; slot++) {
            uint32_t cell = order->cell[d * order->slots + slot];
            check(built.plan.cell_device[cell] == d, problem);
        }
    }
    unbuild(&built);
}

static void test_peer_orders(void **state)
{
    uint32_t compared[MATCHES] = {0};
    struct peers_row row;
    FILE *table = open_table();

    (void)state;
    while (peers_next(table, &row)) {
        size_t match = match_of(&row);
        struct peers_order order;
        if (match == MATCHES || !peers_read(&order, row.name))
            continue;
        struct pg_problem problem = problem_of_row(&row, matches[match].family);
        if (order.group != 0) /* a file says what its name leaves out */
            problem.group = order.group;
        check(order.devices == row.devices && order.micro_batches == row.micro_batches, &problem);
        check(row.group == 0 || row.group == problem.group, &problem);
        check_same_order(&problem, &order);
        peers_free(&order);
        compared[match]++;
    }
    for (size_t i = 0; i < MATCHES; i++)
        if (compared[i] == 0)
            fail_msg("no order of %s was there to compare with", matches[i].schedule);
}

/* Times of a plan, peaks of its devices and the verdict on it, by one row of the table. */
static void check_figures(const struct peers_row *row, const struct pg_plan *plan, size_t costs)
{
    struct pg_arena arena = arena_of(pg_metrics_size(plan->devices));
    struct pg_metrics metrics;
    struct pg_fault fault;

    if (fabs(plan->makespan - row->makespan[costs]) > 1e-9)
        fail_msg("%s, costs %zu: makespan %.17g, not %.17g", row->name, costs, plan->makespan,
                 row->makespan[costs]);
    enum pg_status status = peers_verify(plan, &fault);
    if (status != PG_OK)
        fail_msg("%s: verify says %d", row->name, (int)status);
    assert_int_equal(pg_plan_judge(plan, &arena, &metrics), PG_OK);
    for (uint32_t d = 0; d < row->devices; d++) {
        if (!is_close(metrics.stage_peak_stash[d] * plan->chunks, row->until_w[d]) ||
            !is_close(metrics.device_memory[d], row->until_i[d]))
            fail_msg("%s, device %u: stash %g until W and %g until I, not %g and %g", row->name, d,
                     metrics.stage_peak_stash[d] * plan->chunks, metrics.device_memory[d],
                     row->until_w[d], row->until_i[d]);
    }
    assert_true(is_close(metrics.peak_stash * plan->chunks, row->peak));
    free(arena.base);
}

/* A weight gradient for nothing is not a problem that the core takes: its plan gets other costs. */
static void make_weights_free(struct built *built, const struct peers_costs *costs)
{
    const double row[PG_KINDS] = {costs->f, costs->b, costs->b, 0};
    size_t entries = (size_t)built->plan.replicas * built->plan.stages * PG_KINDS;
    struct pg_fault fault;

    assert_true(entries <= sizeof built->cost / sizeof built->cost[0]);
    for (size_t i = 0; i < entries; i++)
        built->cost[i] = row[i % PG_KINDS];
    built->plan.cost = built->cost;
    assert_int_equal(peers_time(&built->plan, &fault), PG_OK);
}

static void check_row(const struct peers_row *row, const char *family)
{
    static const double one = 1, none = 0;
    struct pg_problem problem = problem_of_row(row, family);
    static struct built built;

    problem.activation = (struct pg_list){&one, 1};
    problem.weight_activation = (struct pg_list){&none, 1};
    for (size_t i = 0; i < PEERS_COSTS; i++) {
        const struct peers_costs *costs = &peers_costs[i];
        struct prices prices;
        if (isnan(row->makespan[i]))
            continue;
        set_costs(&problem, &prices, costs->f, costs->b, costs->w);
        problem.transfer = costs->transfer;
        problem.fused = costs->pair > 0 ? costs->pair / (costs->f + costs->b + costs->w) : 1;
        build(&built, &problem);
        if (costs->w == 0 && problem.family->splits)
            make_weights_free(&built, costs);
        check_figures(row, &built.plan, i);
        unbuild(&built);
    }
}

static void test_peer_figures(void **state)
{
    uint32_t rows = 0;
    struct peers_row row;
    FILE *table = open_table();

    (void)state;
    while (peers_next(table, &row)) {
        size_t match = match_of(&row);
        if (match == MATCHES)
            continue;
        check_row(&row, matches[match].family);
        rows++;
    }
    assert_true(rows > 500);
}

/* Orders of any kind, ours or not: clock, metrics and checker must do justice to all of them. */
static void check_foreign(const struct peers_row *row, const struct peers_order *order)
{
    struct peers_plan made;
    struct pg_fault fault;

    peers_plan_new(&made, order, order->micro_batches / order->replicas);
    assert_true(peers_plan_is_within(&made));
    for (size_t i = 0; i < PEERS_COSTS; i++) {
        const struct peers_costs *costs = &peers_costs[i];
        const double price[PG_KINDS] = {costs->f, costs->b + costs->w, costs->b, costs->w};
        if (isnan(row->makespan[i]))
            continue;
        for (size_t n = 0; n < (size_t)order->stages * order->replicas * PG_KINDS; n++)
            made.cost[n] = price[n % PG_KINDS];
        made.plan.transfer = costs->transfer;
        made.plan.fused = costs->pair > 0 ? costs->pair / (costs->f + costs->b + costs->w) : 1;
        if (peers_time(&made.plan, &fault) != PG_OK)
            fail_msg("%s does not run", row->name);
        check_figures(row, &made.plan, i);
    }
    peers_plan_free(&made);
}

static void test_foreign_orders(void **state)
{
    uint32_t orders = 0;
    struct peers_row row;
    FILE *table = open_table();

    (void)state;
    while (peers_next(table, &row)) {
        struct peers_order order;
        if (!peers_read(&order, row.name))
            continue;
        check_foreign(&row, &order);
        peers_free(&order);
        orders++;
    }
    assert_true(orders > 500);
}

/* ---- what peers ran and should not have ---- */

enum mishap { STRANGE, LOST, STUCK }; /* a micro-batch beyond M, operations left out, a deadlock */

static const struct {
    const char *name;
    enum mishap mishap;
} invalid[] = {
    {"chimera__ChimeraAuto_P2_M4_V2", LOST},
    {"chimera__ChimeraAuto_P2_M6_V2", LOST},
    {"chimera__ChimeraAuto_P2_M8_V2", LOST},
    {"chimera__ChimeraAuto_P8_M24_V2", LOST},
    {"chimera__ChimeraAuto_P8_M32_V2", LOST},
    {"pipedream__PipeDream_P3_M1_V1", STRANGE},
    {"pipedream__PipeDream_P4_M1_V1", STRANGE},
    {"pipedream__PipeDream_P8_M1_V1", STRANGE},
    {"pipedream__PipeDream_P16_M1_V1", STRANGE},
    {"pytorch__1F1B_IR_P1_M1_V1", STRANGE},
    {"pytorch__1F1B_IR_P1_M2_V1", STRANGE},
    {"pytorch__1F1B_IR_P2_M2_V1", STRANGE},
    {"pytorch__1F1B_IR_P2_M3_V1", STRANGE},
    {"pytorch__1F1B_IR_P2_M4_V1", STRANGE},
    {"pytorch__1F1B_IR_P4_M4_V1", STRANGE},
    {"pytorch__1F1B_IR_P4_M5_V1", STRANGE},
    {"pytorch__1F1B_IR_P4_M6_V1", STRANGE},
    {"pytorch__1F1B_IR_P4_M8_V1", STRANGE},
    {"sail__vpp_P2_M1_V4", STUCK},
    {"sail__vpp_P3_M1_V4", STUCK},
    {"sail__vpp_P4_M1_V4", STUCK},
    {"sail__vpp_P8_M1_V4", STUCK},
};

/* Taken at its word a strange order is refused by the checker; with room for what it names, the
 * clock runs it into a deadlock, as its schedulers would have run. */
static void check_invalid(const struct peers_order *order, enum mishap mishap, const char *name)
{
    uint32_t each = order->micro_batches / order->replicas;
    struct peers_plan made;
    struct pg_fault fault;

    peers_plan_new(&made, order, each);
    enum pg_status verdict = peers_verify(&made.plan, &fault);
    if (verdict != (mishap == STRANGE ? PG_E_PLACE : PG_E_MISSING))
        fail_msg("%s: verify says %d", name, (int)verdict);
    assert_int_equal(peers_plan_is_within(&made), mishap != STRANGE);
    peers_plan_free(&made);

    peers_plan_new(&made, order, 64);
    assert_true(peers_plan_is_within(&made));
    enum pg_status status = peers_time(&made.plan, &fault);
    if (status != (mishap == LOST ? PG_OK : PG_E_DEADLOCK))
        fail_msg("%s: the clock says %d", name, (int)status);
    if (status == PG_E_DEADLOCK) /* all of them get stuck before a backward on device 0 */
        assert_true(fault.device == 0 && fault.kind == PG_BACKWARD);
    peers_plan_free(&made);
}

static void test_invalid_orders(void **state)
{
    FILE *table = open_table();

    (void)state;
    fclose(table);
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        char name[128];
        struct peers_order order;
        snprintf(name, sizeof name, "_invalid/%s", invalid[i].name);
        if (!peers_read(&order, name))
            fail_msg("no order %s", name);
        check_invalid(&order, invalid[i].mishap, name);
        peers_free(&order);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_orders),
        cmocka_unit_test(test_every_family_has_a_sample),
        cmocka_unit_test(test_taken_or_refused),
        cmocka_unit_test(test_default_groups),
        cmocka_unit_test(test_overlap_rule),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_price_of_pairs),
        cmocka_unit_test(test_zero_bubble),
        cmocka_unit_test(test_stash),
        cmocka_unit_test(test_peer_orders),
        cmocka_unit_test(test_peer_figures),
        cmocka_unit_test(test_foreign_orders),
        cmocka_unit_test(test_invalid_orders),
    };
    return cmocka_run_group_tests_name("families", tests, NULL, NULL);
}
