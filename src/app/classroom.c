/* The lesson of a run: see classroom.h. */
#include "app/classroom.h"

#include "app/lesson.h"
#include "app/safe.h"

#include <stdlib.h>
#include <string.h>

static bool fail_memory(struct file_error *error)
{
    file_error_name(error, "memory");
    strcpy(error->report.text, "there is not enough for a course");
    error->status = 1;
    return false;
}

/* ---- on the screen ---- */

bool classroom_begin(struct desk *desk, struct session *session, const char *name,
                     struct file_error *error)
{
    struct lessons *lessons = malloc(sizeof *lessons);
    struct report note;

    if (lessons == NULL)
        return fail_memory(error);
    if (!lessons_open(lessons, name, &note, error)) {
        free(lessons);
        return false;
    }
    classroom_close(desk);
    desk->lessons = lessons;
    session_begin_course(session, &lessons->course, lessons->first);
    if (note.text[0] != '\0')
        session_message(session, note.text, true);
    else if (!lessons->is_one && course_asked(&lessons->course) > 0 &&
             course_done(&lessons->course) == course_asked(&lessons->course))
        session_message(session, "every question has been answered already: this is the first step",
                        false);
    return true;
}

void classroom_close(struct desk *desk)
{
    if (desk->lessons != NULL)
        lessons_free(desk->lessons);
    free(desk->lessons);
    desk->lessons = NULL;
}

void classroom_serve(struct desk *desk, struct session *session, const struct request *request)
{
    struct file_error error;
    struct report report;
    char message[900];
    struct text text;

    if (request->kind == REQUEST_LESSON && !classroom_begin(desk, session, NULL, &error)) {
        text_init(&text, message, sizeof message);
        text_addf(&text, "%s: %s", error.where, error.report.text);
        session_message(session, message, true);
    }
    if (request->kind == REQUEST_PROGRESS && desk->lessons != NULL && !desk->lessons->was_told &&
        !progress_write(desk->lessons, &report)) {
        desk->lessons->was_told = true; /* it would be the same at every answer */
        session_message(session, report.text, true);
    }
}

/* ---- printed ---- */

/* A text in lines of a width, after a word in front of its first one. */
static void print_wrapped(FILE *out, const char *label, const char *string, int columns)
{
    int indent = (int)strlen(label), used = 0;

    if (string == NULL)
        return;
    fputs(label, out);
    while (*string != '\0') {
        char word[1200];
        struct text text;
        size_t length = strcspn(string, " \n");
        text_init(&text, word, sizeof word);
        text_addf(&text, "%.*s", (int)length, string);
        int wide = text_columns(word);
        if (used > 0 && indent + used + 1 + wide > columns) {
            fprintf(out, "\n%*s", indent, "");
            used = 0;
        }
        fputs(used > 0 ? " " : "", out);
        safe_print(out, word);
        used += wide + (used > 0);
        string += length;
        if (*string == '\n') {
            fprintf(out, "\n%*s", indent, "");
            used = 0;
        }
        string += *string != '\0';
    }
    fputc('\n', out);
}

static bool print_step_chart(FILE *out, const struct lesson *step, const struct theme *theme,
                             int columns)
{
    struct session *session = session_make();
    struct origin origin = {.name = step->title};
    struct refusal refusal;
    struct snapshot snapshot;
    bool is_done = session != NULL && session_load(session, &step->scenario, &origin, &refusal);

    if (is_done) {
        session_snapshot(session, &snapshot);
        is_done = print_chart(out, &snapshot, theme, columns);
    }
    session_free(session);
    return is_done;
}

static bool print_step(FILE *out, const struct lesson *step, uint32_t number,
                       const struct theme *theme, int columns)
{
    fprintf(out, "%u. ", number);
    safe_print(out, step->title);
    fputs("\n\n", out);
    print_wrapped(out, "", step->text, columns);
    fputc('\n', out);
    if (!print_step_chart(out, step, theme, columns))
        return false;
    fputc('\n', out);
    print_wrapped(out, "Try: ", step->try_it, columns);
    print_wrapped(out, "Question: ", step->question, columns);
    for (uint32_t i = 0; i < step->choice_count; i++) {
        fprintf(out, "  %c) ", (char)('a' + (int)i));
        safe_print(out, step->choices[i]);
        fputc('\n', out);
    }
    return true;
}

int classroom_print(FILE *out, const struct cli *cli, const struct theme *theme, int columns,
                    struct file_error *error)
{
    struct lessons lessons;
    struct report note;
    bool is_done = true;

    if (!lessons_open(&lessons, cli->file_count > 0 ? cli->files[0] : NULL, &note, error))
        return error->status;
    for (uint32_t i = 0, printed = 0; is_done && i < lessons.course.count; i++) {
        if (lessons.is_one && i != lessons.first)
            continue;
        if (printed++ > 0)
            fputs("\n\n", out);
        is_done = print_step(out, &lessons.course.steps[i], i + 1, theme, columns);
    }
    lessons_free(&lessons);
    return is_done || fail_memory(error) ? 0 : 1;
}

/* ---- the command line ---- */

static bool refuse(struct cli_error *error, const char *where, const char *what)
{
    struct text text;

    text_init(&text, error->where, sizeof error->where);
    text_printable(&text, where);
    text_init(&text, error->report.text, sizeof error->report.text);
    text_add(&text, what);
    return false;
}

bool classroom_check(const struct cli *cli, struct cli_error *error)
{
    char buffer[60];

    for (enum param p = 0; p < PARAM_COUNT; p++)
        if (cli->values[p] != NULL)
            return refuse(error, cli_option_of(cli, p, buffer, sizeof buffer),
                          "a lesson brings its own scenario: leave --lesson out, or this");
    const char *other = cli->is_families     ? "--families"
                        : cli->is_compare    ? "--compare"
                        : cli->is_advice     ? "--advice"
                        : cli->sweep != NULL ? "--sweep"
                                             : NULL;
    if (other != NULL)
        return refuse(error, other,
                      "a lesson is shown or printed as text: leave --lesson out, or this");
    if (cli->format != FORMAT_NONE && cli->format != FORMAT_TEXT)
        return refuse(error, "--format", "a lesson is printed as text only");
    if (cli->file_count > 1)
        return refuse(error, cli->files[1], "one lesson, or one folder of lessons, at a time");
    return true;
}
