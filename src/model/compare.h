/* Two outcomes side by side: A, which is pinned, and B, which goes on changing.
 *
 * All times are told in B's unit, so that both fit on one axis: a unit is converted where both names
 * are known ones of time, and taken as it stands where not. */
#ifndef MODEL_COMPARE_H
#define MODEL_COMPARE_H

#include "model/resolve.h"

enum compare_metric {
#define METRIC(id, name, label, heading, form, better, value) COMPARE_##id,
#include "model/compare.def"
#undef METRIC
    COMPARE_COUNT
};

enum compare_form { FORM_TIME, FORM_RATE, FORM_SHARE, FORM_COUNT };
enum compare_better { BETTER_LOWER, BETTER_HIGHER, BETTER_NEITHER };

struct compare_info {
    const char *name, *label, *heading;
    enum compare_form form;
    enum compare_better better;
};

/* One side of a comparison, borrowed. */
struct side {
    const struct scenario *scenario;
    const struct outcome *outcome;
    const struct pg_idle_report *idle; /* needed by compare_values and what is made of them */
    const struct pg_path *path;        /* where the chart shows it; or NULL */
    const struct pg_stash *stash;      /* of A where a moment is in play; or NULL */
    const char *name; /* of its file; "" for the default */
};

/* Both sides; without a comparison a.outcome is NULL. */
struct compared {
    struct side a, b;
    double unit;         /* of A's times in B's */
    bool is_unit_alike;  /* false: both have names, which differ and are not both known ones */
    uint32_t top;        /* first line of the page of numbers */
};

enum verdict { VERDICT_SAME, VERDICT_BETTER, VERDICT_WORSE, VERDICT_OTHER };

const struct compare_info *compare_info(enum compare_metric metric);
void compare_make(struct compared *compared, const struct side *a, const struct side *b);
void compare_values(const struct side *side, double unit, double values[COMPARE_COUNT]);
/* Rounding alone is no difference; OTHER where neither way is better. */
enum verdict compare_verdict(enum compare_metric metric, double a, double b);
/* "", "better", "worse", "" */
const char *verdict_word(enum verdict verdict);
/* The longest of both steps, in B's unit. */
double compare_extent(const struct compared *compared);
/* A value of a metric for reading, and a difference with its sign: "+3", "-9.1%", "0". */
void compare_write(enum compare_metric metric, double value, struct text *text);
void compare_write_change(enum compare_metric metric, double a, double b, struct text *text);

#endif
