/* A course of lessons: steps, each a scenario, a text, and a question whose answer can be checked.
 *
 * A step is data; what is right about an answer and which words a wrong one gets is decided here,
 * by a pure function of the step, the present state and what was typed. Where steps are written and
 * where progress is kept is the app's business, how they are shown the view's. */
#ifndef MODEL_LESSON_H
#define MODEL_LESSON_H

#include "model/goal.h"

#define LESSON_MOST_WRONG 16
#define LESSON_MOST_CHOICES 8

enum lesson_kind {
    LESSON_READ,   /* nothing is asked */
    LESSON_NUMBER, /* a number is typed */
    LESSON_CHOICE, /* a letter is typed */
    LESSON_STATE,  /* the present state is looked at */
};

/* What a wrong answer says about who gives it. */
struct lesson_wrong {
    uint32_t number; /* of its section [wrong N] */
    bool is_answer;  /* the answer itself, else the condition */
    double answer;
    struct goal when;
    char *say;
};

/* Texts are printable, paragraphs end with a newline; NULL where there is none. */
struct lesson {
    char *id, *title, *text, *try_it, *question, *next, *otherwise;
    enum lesson_kind kind;
    double answer, tolerance;
    bool is_percent; /* the answer is a share: 75, 75%, 0.75 and 3/4 are the same */
    char *choices[LESSON_MOST_CHOICES];
    uint32_t choice_count;
    struct goal goal;
    struct lesson_wrong wrong[LESSON_MOST_WRONG];
    uint32_t wrong_count;
    struct scenario scenario;
    bool is_done; /* answered rightly, now or in another run */
};

struct course {
    struct lesson *steps;
    uint32_t count;
};

enum reply_kind { REPLY_NONE, REPLY_RIGHT, REPLY_WRONG, REPLY_UNCLEAR };

struct reply {
    enum reply_kind kind;
    char text[1200];
};

void lesson_free(struct lesson *lesson);
void course_free(struct course *course);
/* The first question that is not done, or what there is to read right before it; 0 when all are. */
uint32_t course_first_open(const struct course *course);
/* How many steps ask something, and how many of these are done. */
uint32_t course_asked(const struct course *course);
uint32_t course_done(const struct course *course);

/* "75", "75 %", "3/4", ".75"; as a share when the answer is one. */
bool lesson_number(const struct lesson *lesson, const char *typed, double *number);
/* Judges what was typed (of a LESSON_STATE nothing: the facts of the present state). */
void lesson_judge(const struct lesson *lesson, const char *typed, const struct facts *facts,
                  struct reply *reply);
/* "answer a, b or c" */
void lesson_write_ask(const struct lesson *lesson, struct text *out);

#endif
