/* Every family with any P, M, V, group, costs, transfer and fused: either a refusal for a reason that
 * is there, or a plan that is legal and of which all that the core says is true (judge.c). */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 256u
#define MOST_PLAN_OPS 1500u

/* One number for all, one for each stage, none, or a wrong number of them. */
static struct pg_list take_list(struct bytes *bytes, uint32_t stages, double *room)
{
    uint32_t choice = take_byte(bytes), n = choice < 100 ? 1 : choice < 240 ? stages : choice - 240;

    n = n < MOST_VALUES ? n : MOST_VALUES;
    for (uint32_t i = 0; i < n; i++)
        room[i] = take_number(bytes);
    return (struct pg_list){room, n};
}

static struct pg_problem take_problem(struct bytes *bytes, double room[5][MOST_VALUES])
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    struct pg_problem problem = {.family = &families[take_up_to(bytes, count - 1)]};

    problem.devices = take_up_to(bytes, 24);
    problem.chunks = take_up_to(bytes, 8);
    problem.micro_batches = take_up_to(bytes, 96);
    problem.group = take_byte(bytes);
    problem.group = problem.group < 128 ? 0 : problem.group - 128;
    uint32_t stages = pg_problem_stages(&problem);
    problem.forward = take_list(bytes, stages, room[0]);
    problem.backward = take_list(bytes, stages, room[1]);
    problem.weight = take_byte(bytes) & 1 ? take_list(bytes, stages, room[2]) : (struct pg_list){0};
    problem.transfer = take_byte(bytes) & 1 ? take_number(bytes) : 0;
    problem.fused = take_byte(bytes) & 1 ? take_number(bytes) : 1;
    if (take_byte(bytes) & 1) {
        problem.activation = take_list(bytes, stages, room[3]);
        problem.weight_activation = take_list(bytes, stages, room[4]);
    }
    return problem;
}

/* A little memory too few: refused, and the arena as it was. */
static void check_little_memory(const struct pg_problem *problem, size_t size, size_t missing)
{
    struct block block = fuzz_block(size - missing);
    struct pg_fault fault;
    struct pg_plan plan;

    enum pg_status status = pg_plan_build(&block.arena, problem, &plan, &fault);
    must(status == PG_OK || (status == PG_E_MEMORY && fault.status == PG_E_MEMORY && fault.value > 0));
    must(status == PG_OK || pg_arena_mark(&block.arena) == block.mark);
    free(block.memory);
}

static bool is_good_number(double value)
{
    return value > 0 && isfinite(value);
}

static bool is_good_list(const struct pg_list *list, uint32_t stages)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (!is_good_number(list->v[i]))
            return false;
    return list->n == 1 || list->n == stages;
}

/* A refusal must be there for a reason that one can see. */
static void check_refusal(const struct pg_problem *p, const struct pg_fault *fault)
{
    uint32_t stages = pg_problem_stages(p);
    bool has_list = is_good_list(&p->forward, stages) && is_good_list(&p->backward, stages);
    char sentence[400];
    struct text text;

    text_init(&text, sentence, sizeof sentence);
    fault_write(fault, p->family, &text);
    check_sentence(sentence);
    switch (fault->status) {
    case PG_E_ZERO:
        must(p->devices == 0 || p->micro_batches == 0 || p->chunks == 0);
        break;
    case PG_E_RULE:
        must(!p->family->can(p));
        break;
    case PG_E_COST:
    case PG_E_LENGTH:
        must(!has_list || p->weight.n > 0 || p->activation.n > 0 || p->weight_activation.n > 0);
        break;
    case PG_E_SPLIT:
        must(p->family->splits || p->weight.n > 0);
        break;
    case PG_E_NUMBER:
        must(!(p->transfer >= 0 && isfinite(p->transfer)) || !is_good_number(p->fused) ||
             p->activation.n > 0 || p->weight_activation.n > 0);
        break;
    default:
        must(fault->status == PG_E_OVERFLOW);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, data + size};
    static double room[5][MOST_VALUES];
    struct pg_fault fault = {.status = PG_OK};
    struct pg_plan plan;

    struct pg_problem problem = take_problem(&bytes, room);
    double ops = 2.0 * pg_problem_stages(&problem) * problem.micro_batches *
                 pg_family_ops(problem.family);
    if (ops > MOST_PLAN_OPS)
        return 0;
    size_t needed = pg_plan_size(&problem);
    if (pg_problem_check(&problem, &fault) != PG_OK) {
        must(needed == 0);
        check_refusal(&problem, &fault);
        return 0;
    }
    must(needed > 0 && problem.family->can(&problem));
    struct block block = fuzz_block(needed);
    /* What passes the check runs: no family's order waits for ever. */
    must(pg_plan_build(&block.arena, &problem, &plan, &fault) == PG_OK);
    check_plan(&plan);
    free(block.memory);
    uint32_t missing = take_byte(&bytes);
    if (missing > 0)
        check_little_memory(&problem, needed, needed * missing / 256);
    return 0;
}
