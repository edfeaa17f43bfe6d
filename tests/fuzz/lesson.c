/* Any bytes as a lesson file, a condition (after '?') or words with figures in braces (after '!'):
 * either an error with its place, or a lesson whose question can be answered with anything. */
#include "fuzz.h"

#include "app/lesson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Larger counts would be run before there is a say in it; other files are not opened. */
static bool is_too_much(const uint8_t *data, size_t size)
{
    uint32_t digits = 0;

    for (size_t i = 0; i < size; i++) {
        digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
        if (digits > 2 || (size - i >= 5 && memcmp(data + i, "file:", 5) == 0))
            return true;
        if (size - i < 8 || memcmp(data + i, "scenario", 8) != 0)
            continue;
        size_t j = i + 8;
        while (j < size && (data[j] == ' ' || data[j] == '\t'))
            j++;
        if (j < size && data[j] == '=')
            return true;
    }
    return false;
}

static void check_words(const char *words, const struct facts *facts)
{
    char out[8000];
    struct text text;

    text_init(&text, out, sizeof out);
    words_write(words, facts, &text);
    check_text(out);
}

static void check_answers(const struct lesson *lesson, const struct facts *facts)
{
    static const char *const answers[] = {"", "a", "b", "75%", "3/4", "1/0", "-1e999", "0x1", "é"};
    struct facts asked = *facts;
    struct reply reply;
    char out[400];
    struct text text;

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        double number = NAN;
        asked.answer = lesson_number(lesson, answers[i], &number) ? number : NAN;
        lesson_judge(lesson, answers[i], &asked, &reply);
        must(reply.kind <= REPLY_UNCLEAR);
        check_text(reply.text);
    }
    text_init(&text, out, sizeof out);
    lesson_write_ask(lesson, &text);
    check_text(out);
}

static void check_lesson(struct lesson *lesson)
{
    struct outcome outcome = {.block = NULL};
    struct refusal refusal;
    struct facts start, now;

    must(lesson->title != NULL && lesson->text != NULL && lesson->id != NULL);
    check_sentence(lesson->title);
    check_text(lesson->text);
    if (scenario_ops(&lesson->scenario) <= FUZZ_MOST_OPS) {
        must(outcome_run(&outcome, &lesson->scenario, &refusal));
        start = (struct facts){&lesson->scenario, &outcome, NULL, NAN};
        now = (struct facts){&lesson->scenario, &outcome, &start, NAN};
        check_answers(lesson, &now);
        if (lesson->next != NULL)
            check_words(lesson->next, &now);
        if (lesson->kind == LESSON_STATE) /* there is something to do */
            must(!goal_holds(&lesson->goal, &now));
    }
    outcome_free(&outcome);
}

static void try_file(const uint8_t *data, size_t size)
{
    struct file_error error;
    struct lesson lesson;

    if (is_too_much(data, size))
        return;
    if (lesson_read_file(fuzz_file(data, size), "fuzz", &lesson, &error)) {
        check_lesson(&lesson);
        lesson_free(&lesson);
        return;
    }
    must(error.status == 1 || error.status == 2);
    check_sentence(error.where);
    check_sentence(error.report.text);
}

/* A condition or words, on a step that every figure can be asked of. */
static void try_text(const char *text, bool is_condition)
{
    static struct scenario scenario;
    static struct outcome outcome;
    struct refusal refusal;
    struct report report;
    struct goal goal;

    if (outcome.block == NULL)
        must(scenario_init(&scenario) && outcome_run(&outcome, &scenario, &refusal));
    struct facts start = {&scenario, &outcome, NULL, NAN};
    struct facts facts = {&scenario, &outcome, &start, 0.75};
    char printable[2048 * 3 + 1];
    struct text text_of;
    text_init(&text_of, printable, sizeof printable); /* as texts of lessons are by then */
    text_printable(&text_of, text);
    if (!is_condition && words_check(printable, &report)) {
        check_words(printable, &facts);
    } else if (!is_condition) {
        check_sentence(report.text);
    } else if (goal_parse(&goal, text, &report)) {
        goal_holds(&goal, &facts);
        goal_holds(&goal, &start);
        goal_free(&goal);
    } else {
        check_sentence(report.text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 2048)
        return 0;
    if (data[0] != '?' && data[0] != '!') {
        try_file(data, size);
        return 0;
    }
    char *text = malloc(size);
    must(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    try_text(text, data[0] == '?');
    free(text);
    return 0;
}
