/* Sweeps: the figures of one or several families along the values of one parameter.
 *
 * A sweep is a batch with a job for each value and family, made ready here and run elsewhere. What a
 * family cannot do is a gap with its reason, never a number made up from its neighbours. Where two
 * curves change places is a crossover. */
#ifndef MODEL_SWEEP_H
#define MODEL_SWEEP_H

#include "model/batch.h"

enum swept {
#define SWEPT(id, param, letter, symbol) SWEPT_##id,
#define MEASURE(id, name, title, field, is_share, is_more_better)
#include "model/sweep.def"
#undef SWEPT
#undef MEASURE
    SWEPT_COUNT
};

enum measure {
#define SWEPT(id, param, letter, symbol)
#define MEASURE(id, name, title, field, is_share, is_more_better) MEASURE_##id,
#include "model/sweep.def"
#undef SWEPT
#undef MEASURE
    MEASURE_COUNT
};

struct swept_info {
    enum param param;
    const char *letter, *symbol;
};

struct measure_info {
    const char *name, *title;
    size_t offset; /* of a double in struct figures */
    bool is_share, is_more_better;
};

const struct swept_info *swept_info(enum swept swept);
const struct measure_info *measure_info(enum measure measure);
/* The measure of a name; otherwise the report lists them. */
bool measure_parse(const char *name, enum measure *measure, struct report *report);

#define SWEEP_MOST_VALUES 1000u
#define SWEEP_MOST_FAMILIES 32u

/* sweep_range.c */
struct sweep_range {
    enum swept swept;
    uint32_t stage; /* of a cost: one device's; PG_NONE: all alike */
    uint32_t count;
    double values[SWEEP_MOST_VALUES]; /* rising */
};

/* "m=1..64", "m=8..512*2", "transfer=0..2:0.1", "forward=0.5..3:0.1@2": the grammar is in README. */
bool sweep_range_parse(struct sweep_range *range, const char *text, struct report *report);
/* A range around what the scenario has, as text for sweep_range_parse; each `scale` doubles it. */
void sweep_range_usual(const struct scenario *scenario, enum swept swept, uint32_t stage, int scale,
                       struct text *out);
/* The value that the scenario has. */
double sweep_present(const struct scenario *scenario, enum swept swept, uint32_t stage);
/* "gpipe,1f1b", or "all" of the table of families. */
bool sweep_families_parse(const char *names, const struct pg_family **families, uint32_t *count,
                          struct report *report);

/* sweep.c */
struct sweep {
    struct sweep_range range;
    const struct pg_family *families[SWEEP_MOST_FAMILIES];
    uint32_t family_count;
    struct batch *batch; /* job of value v and family f: v * family_count + f */
};

/* Makes the jobs ready. Figures that `old` (NULL: none), a sweep of the same scenario over the same
 * range, has already are taken over. NULL with a report. */
struct sweep *sweep_make(const struct scenario *scenario, const struct sweep_range *range,
                         const struct pg_family *const *families, uint32_t family_count,
                         const struct sweep *old, struct report *report);
void sweep_free(struct sweep *sweep);
/* NULL while they are not there. */
const struct figures *sweep_figures(const struct sweep *sweep, uint32_t value, uint32_t family);
const struct scenario *sweep_scenario(const struct sweep *sweep, uint32_t value, uint32_t family);
/* One number of them; false where there is a gap. */
bool sweep_measure(const struct sweep *sweep, enum measure measure, uint32_t value, uint32_t family,
                   double *out);

enum crossing_kind {
    CROSSING_CROSS, /* the other one was better before */
    CROSSING_PART,  /* they were equal before */
    CROSSING_MEET,  /* equal from here on to the end */
};

/* From this value on `better` is the better one of the two. */
struct crossing {
    enum crossing_kind kind;
    uint32_t value, better, worse;
};

/* All there are in order of the value; at most `room` of them are written, the number is returned.
 * Only values that both families can do are compared. */
uint32_t sweep_crossings(const struct sweep *sweep, enum measure measure, struct crossing *out,
                         uint32_t room);
/* "zb1p below 1f1b from M=6" */
void crossing_write(const struct sweep *sweep, enum measure measure, const struct crossing *crossing,
                    struct text *out);
/* "M=6", "forward of stage 2=1.5" */
void sweep_value_write(const struct sweep *sweep, uint32_t value, struct text *out);
/* A number of a measure for reading: a share in percent. */
void measure_write(enum measure measure, double number, struct text *out);

#endif
