/* The page of sweeps in a session: what is swept, for which families, what of it is looked at and
 * where. The runs are a batch that the program around the session works at; until it is through
 * the page shows what there is. The page keeps its settings while it is closed. */
#ifndef MODEL_SWEEP_PAGE_H
#define MODEL_SWEEP_PAGE_H

#include "model/sweep.h"

#define SWEEP_MOST_CROSSINGS 400u

struct sweep_page {
    struct sweep *sweep; /* of the families that are shown; NULL: none is, or it is closed */
    enum swept swept;
    enum measure measure;
    uint32_t stage;      /* of a swept cost; PG_NONE: all alike */
    int scale;           /* of the usual range */
    char range[200];     /* as --sweep takes it */
    bool is_own_range;   /* typed, not the usual one */
    const struct pg_family *families[SWEEP_MOST_FAMILIES]; /* that can be chosen from */
    bool is_shown[SWEEP_MOST_FAMILIES];
    uint32_t family_count, family; /* family: under the cursor */
    uint32_t value;      /* under the cursor */
    struct crossing crossings[SWEEP_MOST_CROSSINGS];
    uint32_t crossing_count, judged; /* judged: jobs that were done when these were looked for */
    bool is_typing;
    char typed[200];
};

/* Number of a family within the sweep, PG_NONE when it is not shown. */
uint32_t sweep_page_shown(const struct sweep_page *page, uint32_t family);

#endif
