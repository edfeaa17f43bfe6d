/* Changes to a scenario that keep its parts in step: what a change of P, of V or of one stage's cost
 * does to the lists. Pure functions on scenarios; no session, no plan. */
#ifndef MODEL_EDIT_H
#define MODEL_EDIT_H

#include "model/resolve.h"

/* P devices, the lists following as `hold` says. */
bool edit_stages(struct scenario *scenario, uint32_t stages, struct refusal *refusal);
/* V chunks: a list per stage becomes one per device first. */
bool edit_chunks(struct scenario *scenario, uint32_t chunks, struct refusal *refusal);
/* Another family; where it uses another V, lists follow as for edit_chunks. */
bool edit_schedule(struct scenario *scenario, const struct pg_family *family,
                   struct refusal *refusal);
/* A table as the schedule, with its P, M and V; lists follow as for edit_stages. */
bool edit_table(struct scenario *scenario, struct table *table, struct refusal *refusal);
/* Cost of one stage, or of all alike with stage PG_NONE. Any parameter that is a list of costs. */
bool edit_cost(struct scenario *scenario, enum param param, uint32_t stage, double cost,
               struct refusal *refusal);
/* Cost of one stage (PG_NONE: of each) a number of steps along the ladder. */
bool edit_cost_step(struct scenario *scenario, enum param param, uint32_t stage, int steps,
                    struct refusal *refusal);
/* Layers replaced by the stage costs that their split gives. */
bool edit_layers_to_costs(struct scenario *scenario, struct refusal *refusal);

/* The ladder of costs: 1 to 2 by 0.1, 2 to 5 by 0.2, 5 to 10 by 0.5, and so in every decade. The
 * next value above or below, whether or not `value` is on it. */
double ladder_step(double value, int steps);
/* The ladder's value at or below. */
double ladder_floor(double value);

#endif
