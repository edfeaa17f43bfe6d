/* Printed forms of a scenario's outcome: chart, summary, json, csv. All write to a stream; whether
 * that worked is asked of the stream afterwards. */
#ifndef APP_PRINT_H
#define APP_PRINT_H

#include "model/session.h"
#include "view/theme.h"

#include <stdio.h>

void print_summary(FILE *out, const struct outcome *outcome);
/* Both need a list of all operations: false when there is no memory for it. */
bool print_json(FILE *out, const struct outcome *outcome);
bool print_csv(FILE *out, const struct outcome *outcome);
/* The chart as the screen shows it, without keys; coloured unless the theme is monochrome. */
bool print_chart(FILE *out, const struct snapshot *snapshot, const struct theme *theme, int columns);

#endif
