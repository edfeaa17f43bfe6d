/* All schedule families on the same scenario, side by side: what each would cost, or the rule that
 * keeps it from these P, M and V. Where there is a table it is the first row: what the others are
 * compared with. */
#ifndef MODEL_FAMILIES_H
#define MODEL_FAMILIES_H

#include "model/resolve.h"

struct family_row {
    const struct pg_family *family;
    struct table *table; /* of the row that is a table; borrowed */
    const char *name;    /* the family's, or that of the table's file */
    bool is_possible;
    char reason[200]; /* why not */
    uint32_t chunks;
    double makespan, bubble, idle_over_ideal, span_bubble, peak_stash, peak_memory;
    bool is_over_limit;
    bool is_short; /* there was not enough memory to run it */
};

enum family_column {
    FAMILY_BY_TABLE, /* as s and S walk */
    FAMILY_BY_MAKESPAN,
    FAMILY_BY_BUBBLE,
    FAMILY_BY_SPAN,
    FAMILY_BY_STASH,
    FAMILY_COLUMNS
};

/* A row for `table` unless it is NULL, then one a family in the order of the table of families; to
 * be freed. NULL when out of memory. */
struct family_row *families_run(const struct scenario *scenario, struct table *table,
                                uint32_t *count);
/* Sorts rows, that of a table first, the impossible ones last; rows that are equal keep the order
 * of the table of families. */
void families_sort(struct family_row *rows, uint32_t count, enum family_column column);
/* What is kept is "memory" where activations weigh it, else "stash". */
const char *family_column_name(enum family_column column, const struct scenario *scenario);

#endif
