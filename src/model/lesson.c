/* What is right about an answer: see lesson.h. The right one is looked for first, then the wrong
 * ones in their order; the first that fits gives the words. */
#include "model/lesson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

void lesson_free(struct lesson *lesson)
{
    char *const texts[] = {lesson->id,       lesson->title, lesson->text,     lesson->try_it,
                           lesson->question, lesson->next,  lesson->otherwise};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    for (uint32_t i = 0; i < lesson->choice_count; i++)
        free(lesson->choices[i]);
    for (uint32_t i = 0; i < lesson->wrong_count; i++) {
        goal_free(&lesson->wrong[i].when);
        free(lesson->wrong[i].say);
    }
    goal_free(&lesson->goal);
    scenario_free(&lesson->scenario);
    *lesson = (struct lesson){.id = NULL};
}

void course_free(struct course *course)
{
    for (uint32_t i = 0; i < course->count; i++)
        lesson_free(&course->steps[i]);
    free(course->steps);
    *course = (struct course){.steps = NULL};
}

uint32_t course_first_open(const struct course *course)
{
    uint32_t open = 0;

    while (open < course->count &&
           (course->steps[open].is_done || course->steps[open].kind == LESSON_READ))
        open++;
    if (open == course->count)
        return 0;
    while (open > 0 && course->steps[open - 1].kind == LESSON_READ)
        open--;
    return open;
}

uint32_t course_asked(const struct course *course)
{
    uint32_t asked = 0;

    for (uint32_t i = 0; i < course->count; i++)
        asked += course->steps[i].kind != LESSON_READ;
    return asked;
}

uint32_t course_done(const struct course *course)
{
    uint32_t done = 0;

    for (uint32_t i = 0; i < course->count; i++)
        done += course->steps[i].is_done && course->steps[i].kind != LESSON_READ;
    return done;
}

/* ---- what is typed ---- */

/* A decimal with blanks around it. */
static bool parse_decimal(const char *from, size_t length, double *number)
{
    char digits[60];

    while (length > 0 && from[length - 1] == ' ')
        length--;
    for (; length > 0 && *from == ' '; from++)
        length--;
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, from, length);
    digits[length] = '\0';
    return number_parse(digits, number);
}

bool lesson_number(const struct lesson *lesson, const char *typed, double *number)
{
    size_t length = strlen(typed);
    const char *slash = strchr(typed, '/');
    double below = 1;
    bool is_percent = false;

    while (length > 0 && typed[length - 1] == ' ')
        length--;
    if (length > 0 && typed[length - 1] == '%') {
        if (!lesson->is_percent)
            return false; /* 28 % of what? */
        is_percent = true;
        length--;
    }
    if (slash != NULL && !parse_decimal(slash + 1, length - (size_t)(slash + 1 - typed), &below))
        return false;
    if (!parse_decimal(typed, slash != NULL ? (size_t)(slash - typed) : length, number) ||
        below == 0)
        return false;
    *number /= below;
    if (is_percent || (lesson->is_percent && slash == NULL && *number > 1))
        *number /= 100;
    return true;
}

/* "b", "B" or "b)" as its number, from 1. */
static bool parse_letter(const struct lesson *lesson, const char *typed, double *number)
{
    typed += strspn(typed, " ");
    int letter = *typed >= 'A' && *typed <= 'Z' ? *typed - 'A' : *typed - 'a';

    if (letter < 0 || letter >= (int)lesson->choice_count ||
        typed[1 + strspn(typed + 1, ") ")] != '\0')
        return false;
    *number = letter + 1;
    return true;
}

void lesson_write_ask(const struct lesson *lesson, struct text *out)
{
    text_add(out, "answer");
    if (lesson->kind == LESSON_NUMBER && lesson->is_percent)
        text_add(out, " (a share, as 40 % or 2/5)");
    for (uint32_t i = 0; lesson->kind == LESSON_CHOICE && i < lesson->choice_count; i++)
        text_addf(out, "%s%c",
                  i == 0                          ? " "
                  : i + 1 == lesson->choice_count ? " or "
                                                  : ", ",
                  (char)('a' + i));
    text_add(out, ": ");
}

/* ---- judging ---- */

static void set_unclear(const struct lesson *lesson, const char *typed, struct reply *reply)
{
    const struct lesson share = {.kind = LESSON_NUMBER, .is_percent = true};
    struct text text;
    double number;

    reply->kind = REPLY_UNCLEAR;
    text_init(&text, reply->text, sizeof reply->text);
    text_add(&text, "'");
    text_printable(&text, typed);
    if (lesson->kind == LESSON_CHOICE)
        text_addf(&text, "' is none of the letters a to %c.",
                  (char)('a' + (int)lesson->choice_count - 1));
    else if (!lesson->is_percent && lesson_number(&share, typed, &number))
        text_add(&text, "' is a share, but a plain number is asked for: type it as 12, 1.5 or "
                        "3/2.");
    else
        text_add(&text, lesson->is_percent ? "' is no number: type it as 40, 40 %, 0.4 or 2/5."
                                           : "' is no number: type it as 12, 1.5 or 3/2.");
}

static bool is_within(const struct lesson *lesson, double given, double wanted)
{
    return goal_equal(given, wanted) || fabs(given - wanted) <= lesson->tolerance * (1 + 1e-9);
}

static bool is_right(const struct lesson *lesson, const struct facts *facts)
{
    if (lesson->kind == LESSON_STATE)
        return goal_holds(&lesson->goal, facts);
    return is_within(lesson, facts->answer, lesson->answer);
}

static bool fits(const struct lesson *lesson, const struct lesson_wrong *wrong,
                 const struct facts *facts)
{
    if (wrong->is_answer)
        return is_within(lesson, facts->answer, wrong->answer);
    return goal_holds(&wrong->when, facts);
}

static const char *words_for(const struct lesson *lesson, const struct facts *facts)
{
    for (uint32_t i = 0; i < lesson->wrong_count; i++)
        if (fits(lesson, &lesson->wrong[i], facts))
            return lesson->wrong[i].say;
    if (lesson->otherwise != NULL)
        return lesson->otherwise;
    return lesson->kind == LESSON_STATE ? "" : "Look once more."; /* "Not yet." stands before it */
}

void lesson_judge(const struct lesson *lesson, const char *typed, const struct facts *facts,
                  struct reply *reply)
{
    struct facts known = *facts;
    struct text text;
    const char *words;

    known.answer = NAN;
    if (lesson->kind == LESSON_CHOICE
            ? !parse_letter(lesson, typed, &known.answer)
            : lesson->kind == LESSON_NUMBER && !lesson_number(lesson, typed, &known.answer)) {
        set_unclear(lesson, typed, reply);
        return;
    }
    reply->kind = is_right(lesson, &known) ? REPLY_RIGHT : REPLY_WRONG;
    words = reply->kind == REPLY_WRONG ? words_for(lesson, &known)
            : lesson->next != NULL     ? lesson->next
                                       : "";
    text_init(&text, reply->text, sizeof reply->text);
    words_write(words, &known, &text);
}
