/* Printed forms of a scenario's outcome: chart, summary, json, csv, pytorch. All write to a stream; whether
 * that worked is asked of the stream afterwards. */
#ifndef APP_PRINT_H
#define APP_PRINT_H

#include "model/advice.h"
#include "model/session.h"
#include "model/sweep.h"
#include "view/theme.h"

#include <stdio.h>

bool print_summary(FILE *out, const struct scenario *scenario, struct outcome *outcome);
/* Both need a list of all operations: false when there is no memory for it. */
bool print_json(FILE *out, const struct scenario *scenario, struct outcome *outcome);
/* In two steps, so that what finds no memory has printed nothing: all operations, to be freed, and
 * with them the object without a newline behind it. */
struct pg_op *print_json_ready(struct outcome *outcome);
void print_json_object(FILE *out, const struct scenario *scenario, struct outcome *outcome,
                       const struct pg_op *ops);
bool print_csv(FILE *out, const struct outcome *outcome);
/* The table of actions of torch.distributed.pipelining: not for two replicas. */
bool print_pytorch(FILE *out, const struct outcome *outcome);
/* The chart as the screen shows it, without keys; coloured unless the theme is monochrome. */
bool print_chart(FILE *out, const struct snapshot *snapshot, const struct theme *theme, int columns);

/* A comparison: every metric of A and B and what B has more. False when out of memory. */
bool print_compared_summary(FILE *out, const struct compared *compared);
bool print_compared_csv(FILE *out, const struct compared *compared);
bool print_compared_json(FILE *out, struct outcome outcomes[2], const struct compared *compared);

/* All families on a scenario's costs, one row each; false when out of memory. */
enum families_form { FAMILIES_TEXT, FAMILIES_CSV, FAMILIES_JSON };
bool print_families(FILE *out, const struct scenario *scenario, enum families_form form);

/* What would help a scenario whose outcome this is, for a bubble of `target`; runs what it needs. */
bool print_advice(FILE *out, const struct scenario *scenario, struct outcome *outcome,
                  double target, enum families_form form);

/* A sweep that was run to its end; false when out of memory. Theme and width are for the text. */
enum sweep_form { SWEEP_TEXT, SWEEP_CSV, SWEEP_JSON };
bool print_sweep(FILE *out, const struct sweep *sweep, enum measure measure, enum sweep_form form,
                 const struct theme *theme, int width);

#endif
