/* From a scenario to a timed plan.
 *
 * A scenario says what the user wants; here it becomes the core's problem: lists spread over the
 * stages, layers split, everything checked that needs more than one parameter to be judged. The
 * result lives in one arena and is called an outcome. This is also the one place where facts of
 * the core become sentences. */
#ifndef MODEL_RESOLVE_H
#define MODEL_RESOLVE_H

#include "model/explained.h"
#include "model/scenario.h"

/* A scenario's costs per stage, in memory of the arena. */
struct resolved {
    struct pg_problem problem;
    uint32_t stages;
    double *forward, *backward;   /* [stages] */
    double *weight, *activation, *weight_activation; /* likewise; NULL where not given */
    struct pg_range *ranges;      /* [stages] of layers; NULL without layers */
};

struct outcome {
    struct resolved resolved;
    struct pg_plan plan;
    struct pg_metrics metrics;
    struct explained explained; /* asked for by outcome_idle and its like */
    struct pg_arena arena;
    void *block; /* what the arena lies in; outcome_free frees it */
    size_t block_size;
};

/* The parameter that a refusal is about, PARAM_COUNT when it is none in particular. */
struct refusal {
    struct report report;
    enum param param;
    bool is_memory;
    bool is_rule; /* the family cannot do these counts; rule_culprit knows more */
};

/* Runs the whole core on a scenario. The outcome must be zeroed or have been run before (its block
 * is used again). On failure its contents are gone but it can be run again or freed. */
bool outcome_run(struct outcome *outcome, const struct scenario *scenario, struct refusal *refusal);
void outcome_free(struct outcome *outcome);
/* Would outcome_run get as far as the plan? Costs no more than the lists are long. */
bool scenario_check(const struct scenario *scenario, struct refusal *refusal);

/* V as the scenario's family uses it, and the P*V stages that follow. */
uint32_t scenario_chunks(const struct scenario *scenario);
uint32_t scenario_stages(const struct scenario *scenario);
/* Device on which a stage (of the first replica) lies. */
uint32_t scenario_device(const struct scenario *scenario, uint32_t stage);
/* Can the family do these P, M, V and group? And are they within all limits as well? */
bool counts_legal(const struct scenario *scenario);
bool counts_good(const struct scenario *scenario);
/* P, M, V and the family, with costs that nothing is wrong with. */
struct pg_problem scenario_counts(const struct scenario *scenario);
/* What a family needs; terms with their values where a problem is given: "M at least 2P = 16". */
void rule_words(const struct pg_family *family, const struct pg_problem *problem, struct text *out);
/* "dualpipe: needs … at least 2P = 16; try M=16 or P=2", the last part where it is wanted. */
void rule_write(const struct scenario *scenario, bool with_nearest, struct text *out);
/* Of the counts given that which is to blame for a broken rule: its change alone is enough, and is
 * the least in proportion; the group before all others. Where there is none, P or M when both have
 * to change, else the schedule; PARAM_COUNT when that is not given either. */
enum param rule_culprit(const struct scenario *scenario, const bool given[PARAM_COUNT]);
/* Does a device that keeps so much need more than the scenario says there is room for? */
bool memory_is_over(const struct scenario *scenario, double memory);
/* How many devices of its outcome do. */
uint32_t devices_over_limit(const struct scenario *scenario, const struct outcome *outcome);
/* A cost parameter by stage, also where it is not given: half of backward, a whole stash. */
double cost_effective(const struct scenario *scenario, enum param param, uint32_t stage);
void costs_effective(const struct scenario *scenario, enum param param, double *out);
/* A cost list spread over all stages: out[scenario_stages]. The list must be of a legal length. */
void costs_spread(const struct scenario *scenario, const struct list *list, double *out);
/* Forward and backward of every stage when layers are split as the scenario says, and the ranges.
 * Arrays of scenario_stages. */
bool layers_split(const struct scenario *scenario, struct pg_arena *scratch, double *forward,
                  double *backward, struct pg_range *ranges, struct refusal *refusal);
size_t layers_split_size(const struct scenario *scenario);

/* The sentence for facts of the core. */
void fault_write(const struct pg_fault *fault, const struct pg_family *family, struct text *out);
/* "F", "B", "I", "W" */
const char *kind_letter(int kind);

#endif
