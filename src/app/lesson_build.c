/* The parts of a lesson file to a lesson: see lesson_parts.h. Here is what takes more than one key
 * to judge: which kind of question it is, whether answers fit it, whether the scenario runs. */
#include "app/config_table.h"
#include "app/desk.h"
#include "app/lesson_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the scenario ---- */

/* Beside the lesson, or an installed one by its name. To be freed. */
static char *scenario_path(const struct lesson_reader *reader, const char *name)
{
    char installed[4096], *path = path_join(reader->path, name);

    if (path == NULL || access(path, F_OK) == 0 ||
        !desk_installed_path(name, installed, sizeof installed))
        return path;
    free(path);
    return strdup(installed);
}

static bool read_other_scenario(struct lesson_reader *reader, struct config *config)
{
    const struct value *value = &reader->lesson.value[KEY_SCENARIO];

    if (reader->scenario_line != 0)
        return lesson_refuse(reader, value->line,
                             "scenario cannot stand beside the sections of a scenario (line %u)",
                             reader->scenario_line);
    char *path = scenario_path(reader, value->text);
    if (path == NULL)
        return lesson_refuse_memory(reader);
    bool is_there = access(path, F_OK) == 0;
    bool is_good = is_there && config_read_file(path, config, reader->error);
    free(path);
    if (is_there)
        return is_good;
    return lesson_refuse(reader, value->line,
                         "the scenario '%s' cannot be opened: no such file, and no installed "
                         "scenario of that name",
                         text_excerpt(value->text).s);
}

static bool read_own_scenario(struct lesson_reader *reader, struct config *config)
{
    lesson_blank(reader);
    FILE *stream = fmemopen(reader->bytes, reader->count, "r");
    if (stream == NULL)
        return lesson_refuse_memory(reader);
    bool is_good = config_read(stream, reader->path, config, reader->error);
    fclose(stream);
    return is_good;
}

static bool read_scenario(struct lesson_reader *reader, struct lesson *lesson)
{
    struct config config;
    struct report ignored;
    bool is_good = reader->lesson.value[KEY_SCENARIO].text != NULL
                       ? read_other_scenario(reader, &config)
                       : read_own_scenario(reader, &config);

    if (!is_good)
        return false;
    scenario_copy(&lesson->scenario, &config.scenario);
    config_free(&config);
    /* Its own notes may give answers away. */
    return (scenario_set(&lesson->scenario, PARAM_NOTES, "", &ignored) &&
            scenario_set(&lesson->scenario, PARAM_TITLE, lesson->title, &ignored)) ||
           lesson_refuse_memory(reader);
}

/* ---- what takes more than one key ---- */

static char *take(struct value *value)
{
    char *text = value->text;
    value->text = NULL;
    return text;
}

static bool take_words(struct lesson_reader *reader, struct value *value, char **to)
{
    struct report report;

    if (value->text != NULL && !words_check(value->text, &report))
        return lesson_refuse(reader, value->line, "%s", report.text);
    *to = take(value);
    return true;
}

/* Choices are parted by |. */
static bool take_choices(struct lesson_reader *reader, struct lesson *lesson)
{
    const struct value *value = &reader->lesson.value[KEY_CHOICES];

    for (const char *at = value->text; at != NULL;) {
        const char *end = strchr(at, '|');
        size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
        const char *next = end == NULL ? NULL : end + 1;
        for (; length > 0 && *at == ' '; at++)
            length--;
        while (length > 0 && at[length - 1] == ' ')
            length--;
        if (length == 0 || lesson->choice_count == LESSON_MOST_CHOICES)
            return lesson_refuse(reader, value->line,
                                 length == 0 ? "between two | there is no choice"
                                             : "there are more than 8 choices");
        char *choice = strndup(at, length);
        if (choice == NULL)
            return lesson_refuse_memory(reader);
        lesson->choices[lesson->choice_count++] = choice;
        at = next;
    }
    return lesson->choice_count > 1 ||
           lesson_refuse(reader, value->line, "choices need two at least, parted by |");
}

/* An answer as the lesson gives it: a letter where there are choices, else a number. */
static bool parse_answer(struct lesson_reader *reader, const struct lesson *lesson,
                         const struct value *value, double *answer)
{
    struct lesson share = {.is_percent = true};

    if (lesson->kind == LESSON_NUMBER && !lesson->is_percent && strchr(value->text, '%') != NULL &&
        lesson_number(&share, value->text, answer))
        return lesson_refuse(reader, value->line,
                             "'%s' is a share, but the answer of [lesson] is a plain number: 28, "
                             "1.5 or 3/4 is needed here, or a %% there",
                             text_excerpt(value->text).s);
    if (lesson->kind == LESSON_NUMBER)
        return lesson_number(lesson, value->text, answer) ||
               lesson_refuse(
                   reader, value->line,
                   "'%s' is no number: 28, 1.5, 3/4 or 75%% is needed (or choices for letters)",
                   text_excerpt(value->text).s);
    int letter = value->text[0] - 'a';
    *answer = letter + 1;
    return (value->text[1] == '\0' && letter >= 0 && letter < (int)lesson->choice_count) ||
           lesson_refuse(reader, value->line, "'%s' is none of the letters a to %c of the choices",
                         text_excerpt(value->text).s,
                         (char)('a' + (int)lesson->choice_count - 1));
}

static bool parse_goal(struct lesson_reader *reader, const struct value *value, struct goal *goal)
{
    struct report report;

    if (goal_parse(goal, value->text, &report))
        return true;
    return report.is_memory ? lesson_refuse_memory(reader)
                            : lesson_refuse(reader, value->line, "%s", report.text);
}

static bool take_tolerance(struct lesson_reader *reader, struct lesson *lesson)
{
    const struct value *value = &reader->lesson.value[KEY_TOLERANCE];
    struct lesson plain = {.is_percent = false};

    lesson->tolerance = lesson->is_percent ? 0.005 : 0;
    if (value->text == NULL)
        return true;
    if (lesson->kind != LESSON_NUMBER)
        return lesson_refuse(reader, value->line, "tolerance is for an answer that is a number");
    plain.is_percent = strchr(value->text, '%') != NULL;
    if (plain.is_percent && !lesson->is_percent)
        return lesson_refuse(reader, value->line,
                             "tolerance is a share, but the answer is a plain number: a plain "
                             "number is needed, as 0.5");
    return (lesson_number(&plain, value->text, &lesson->tolerance) && lesson->tolerance >= 0) ||
           lesson_refuse(reader, value->line, "tolerance needs a number, as 0.5 or 1%%");
}

/* Which kind of question it is follows from the keys that are there. */
static bool take_question(struct lesson_reader *reader, struct lesson *lesson)
{
    struct value *values = reader->lesson.value;
    const struct value *answer = &values[KEY_ANSWER], *goal = &values[KEY_GOAL];

    if (goal->text != NULL && (answer->text != NULL || values[KEY_CHOICES].text != NULL))
        return lesson_refuse(reader, goal->line,
                             "goal cannot stand beside answer or choices: the answer is "
                             "typed or read off the state");
    if (values[KEY_CHOICES].text != NULL && answer->text == NULL)
        return lesson_refuse(reader, values[KEY_CHOICES].line,
                             "choices need the right letter: answer = a");
    bool is_asked = goal->text != NULL || answer->text != NULL;
    if (is_asked != (values[KEY_QUESTION].text != NULL))
        return lesson_refuse(reader, is_asked ? reader->lesson.line : values[KEY_QUESTION].line,
                             is_asked ? "there is an answer but no question"
                                      : "question needs an answer or a goal");
    lesson->kind = goal->text != NULL                 ? LESSON_STATE
                   : answer->text == NULL             ? LESSON_READ
                   : values[KEY_CHOICES].text != NULL ? LESSON_CHOICE
                                                      : LESSON_NUMBER;
    lesson->is_percent = lesson->kind == LESSON_NUMBER && strchr(answer->text, '%') != NULL;
    if (!take_tolerance(reader, lesson))
        return false;
    if (lesson->kind == LESSON_STATE)
        return parse_goal(reader, goal, &lesson->goal);
    if (lesson->kind == LESSON_CHOICE && !take_choices(reader, lesson))
        return false;
    return lesson->kind == LESSON_READ || parse_answer(reader, lesson, answer, &lesson->answer);
}

static bool take_wrong(struct lesson_reader *reader, struct lesson *lesson, struct part *part)
{
    struct value *answer = &part->value[KEY_ANSWER], *when = &part->value[KEY_WHEN];
    struct lesson_wrong *wrong = &lesson->wrong[lesson->wrong_count++];

    *wrong = (struct lesson_wrong){.number = part->number, .is_answer = answer->text != NULL};
    if ((answer->text != NULL) == (when->text != NULL))
        return lesson_refuse(reader, part->line, "[wrong %u] needs either answer or when",
                             part->number);
    if (part->value[KEY_SAY].text == NULL)
        return lesson_refuse(reader, part->line, "[wrong %u] needs the words for it: say = …",
                             part->number);
    if (wrong->is_answer && lesson->kind != LESSON_NUMBER && lesson->kind != LESSON_CHOICE)
        return lesson_refuse(reader, answer->line,
                             "nothing is typed here: when = CONDITION is needed");
    if (wrong->is_answer ? !parse_answer(reader, lesson, answer, &wrong->answer)
                         : !parse_goal(reader, when, &wrong->when))
        return false;
    if (wrong->is_answer && fabs(wrong->answer - lesson->answer) <= lesson->tolerance)
        return lesson_refuse(reader, answer->line,
                             "this is the right answer, or within its tolerance");
    return take_words(reader, &part->value[KEY_SAY], &wrong->say);
}

static int by_number(const void *a, const void *b)
{
    const struct part *first = a, *second = b;
    return (first->number > second->number) - (first->number < second->number);
}

static bool take_answers(struct lesson_reader *reader, struct lesson *lesson)
{
    struct part *otherwise = &reader->otherwise;

    if (lesson->kind == LESSON_READ && (reader->wrong_count > 0 || otherwise->line != 0))
        return lesson_refuse(reader,
                             reader->wrong_count > 0 ? reader->wrong[0].line : otherwise->line,
                             "nothing is asked, so nothing can be wrong");
    qsort(reader->wrong, reader->wrong_count, sizeof reader->wrong[0], by_number);
    for (uint32_t i = 0; i < reader->wrong_count; i++)
        if (!take_wrong(reader, lesson, &reader->wrong[i]))
            return false;
    if (otherwise->line != 0 && otherwise->value[KEY_SAY].text == NULL)
        return lesson_refuse(reader, otherwise->line, "[else] needs words: say = …");
    return take_words(reader, &otherwise->value[KEY_SAY], &lesson->otherwise) &&
           take_words(reader, &reader->lesson.value[KEY_NEXT], &lesson->next);
}

/* Figures of a stage or device that the scenario does not have are slips: they would be shown as
 * "?". */
static bool check_figures(struct lesson_reader *reader, const struct lesson *lesson,
                          const struct facts *facts)
{
    const unsigned next = reader->lesson.value[KEY_NEXT].line;
    const unsigned otherwise = reader->otherwise.value[KEY_SAY].line;
    struct report report;

    if (!goal_fits(&lesson->goal, facts, &report))
        return lesson_refuse(reader, reader->lesson.value[KEY_GOAL].line, "%s", report.text);
    if (lesson->next != NULL && !words_fit(lesson->next, facts, &report))
        return lesson_refuse(reader, next, "%s", report.text);
    if (lesson->otherwise != NULL && !words_fit(lesson->otherwise, facts, &report))
        return lesson_refuse(reader, otherwise, "%s", report.text);
    for (uint32_t i = 0; i < lesson->wrong_count; i++) {
        const struct value *values = reader->wrong[i].value; /* in the same order */
        if (!goal_fits(&lesson->wrong[i].when, facts, &report))
            return lesson_refuse(reader, values[KEY_WHEN].line, "%s", report.text);
        if (!words_fit(lesson->wrong[i].say, facts, &report))
            return lesson_refuse(reader, values[KEY_SAY].line, "%s", report.text);
    }
    return true;
}

/* A scenario that cannot run, or a question that is answered before a key is pressed, is a slip. */
static bool check_start(struct lesson_reader *reader, const struct lesson *lesson)
{
    struct outcome outcome = {.block = NULL};
    struct refusal refusal;
    struct facts start = {&lesson->scenario, &outcome, NULL, NAN};
    struct facts facts = {&lesson->scenario, &outcome, &start, NAN};
    struct facts typed = {&lesson->scenario, &outcome, &start,
                          lesson->kind == LESSON_STATE ? NAN : lesson->answer};
    bool is_good = outcome_run(&outcome, &lesson->scenario, &refusal);

    if (!is_good && refusal.is_memory)
        lesson_refuse_memory(reader);
    else if (!is_good)
        lesson_refuse(reader, reader->lesson.line, "the scenario cannot run: %s",
                      refusal.report.text);
    else if (lesson->kind == LESSON_STATE && goal_holds(&lesson->goal, &facts))
        is_good = lesson_refuse(reader, reader->lesson.value[KEY_GOAL].line,
                                "the goal holds before anything is changed");
    else
        is_good = check_figures(reader, lesson, &typed);
    outcome_free(&outcome);
    return is_good;
}

bool lesson_build(struct lesson_reader *reader, const char *id, struct lesson *lesson)
{
    struct value *values = reader->lesson.value;

    for (enum key k = KEY_TITLE; k <= KEY_TEXT; k++)
        if (values[k].text == NULL)
            return lesson_refuse(reader, reader->lesson.line, "[lesson] needs a %s",
                                 lesson_key_name(k));
    lesson->id = strdup(id);
    lesson->title = take(&values[KEY_TITLE]);
    if (lesson->id == NULL)
        return lesson_refuse_memory(reader);
    if (!take_question(reader, lesson) || !take_answers(reader, lesson))
        return false;
    lesson->text = take(&values[KEY_TEXT]);
    lesson->try_it = take(&values[KEY_TRY]);
    lesson->question = take(&values[KEY_QUESTION]);
    return read_scenario(reader, lesson) && check_start(reader, lesson);
}
