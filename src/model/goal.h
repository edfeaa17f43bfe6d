/* Conditions of lessons: "bubble < 10% and peak_stash <= start peak_stash" over the present state.
 *
 *   condition   comparisons with < <= > >= = != between sums, joined by not, and, or, ( )
 *   sum         numbers (0.1, 10%), figures (figure.def; some with an index: idle 2), + - * / ( )
 *   schedule = NAME, schedule != NAME
 *   start F     the figure F of the step as it was given
 *   answer      the number that was typed; a choice is the number of its letter, a = 1
 *
 * Comparisons allow for rounding: what differs by a part in 10^9 is equal, and neither less nor
 * more. One with a figure that there is not (idle 9 of four devices) does not hold. A condition is
 * parsed once, into a list that a stack evaluates. */
#ifndef MODEL_GOAL_H
#define MODEL_GOAL_H

#include "model/resolve.h"

struct goal_part;

struct goal {
    struct goal_part *part;
    uint32_t count; /* 0: no condition */
};

/* What conditions are judged by. */
struct facts {
    const struct scenario *scenario;
    const struct outcome *outcome;
    const struct facts *start; /* of the step as given; NULL: not known */
    double answer;             /* NAN: none */
};

/* False with a report that quotes where it went wrong. The goal is freed with goal_free only when
 * it was made. */
bool goal_parse(struct goal *goal, const char *text, struct report *report);
void goal_free(struct goal *goal);
bool goal_holds(const struct goal *goal, const struct facts *facts);
/* Has the start every figure that the goal names of it? Others may come to be. */
bool goal_fits(const struct goal *goal, const struct facts *facts, struct report *report);
/* Equal but for rounding, as conditions have it. */
bool goal_equal(double a, double b);

/* Words with {sums} in braces, which stand for their present value: "the bubble is {bubble}". */
bool words_check(const char *words, struct report *report);
/* Is none of the figures in them one that there is not? It would be shown as "?". */
bool words_fit(const char *words, const struct facts *facts, struct report *report);
void words_write(const char *words, const struct facts *facts, struct text *out);

#endif
