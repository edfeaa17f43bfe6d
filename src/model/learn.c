/* A lesson in a running session: which step is shown, the way from step to step, answering.
 *
 * A step is loaded like a file, so that undo leads back over it, and the chart stays the user's
 * own: every key works as ever. Only r and the page keys mean the step while one runs. */
#include "model/state.h"

#include <math.h>
#include <string.h>

static const struct lesson *present_step(const struct session *session)
{
    const struct course *course = session->course;

    return course != NULL && session->now.step < course->count ? &course->steps[session->now.step]
                                                               : NULL;
}

static bool has_reply(const struct session *session)
{
    return session->reply.kind != REPLY_NONE && session->reply_step == session->now.step;
}

void learn_view(const struct session *session, struct lesson_view *view)
{
    *view = (struct lesson_view){.step = session->is_lesson_hidden ? NULL : present_step(session)};
    if (view->step == NULL)
        return;
    view->number = session->now.step + 1;
    view->count = session->course->count;
    view->reply = has_reply(session) ? &session->reply : NULL;
}

/* ---- from step to step ---- */

static bool load_step(struct session *session, uint32_t step)
{
    const struct lesson *lesson = &session->course->steps[step];
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a course has steps */
    struct origin origin = {.name = lesson->title};
    struct refusal refusal;

    if (!session_load(session, &lesson->scenario, &origin, &refusal))
        return false;
    session->now.step = session->lesson_at = step;
    session->reply.kind = REPLY_NONE;
    hush(session);
    return true;
}

void session_begin_course(struct session *session, struct course *course, uint32_t step)
{
    bool is_over_work = session->is_loaded;

    session->course = course;
    session->is_lesson_hidden = false;
    if (load_step(session, step) && is_over_work)
        say(session, "the course begins; u goes back to what was here");
}

/* What is said at the end depends on what is still open. */
static void say_end(struct session *session)
{
    const struct course *course = session->course;
    struct text text;
    char line[MESSAGE_SIZE];

    text_init(&text, line, sizeof line);
    text_addf(&text, "this is the last step; %u of %u questions answered", course_done(course),
              course_asked(course));
    for (uint32_t i = 0; i < course->count; i++)
        if (course->steps[i].kind != LESSON_READ && !course->steps[i].is_done) {
            text_addf(&text, ", the first open one is step %u", i + 1);
            break;
        }
    say(session, line);
}

static void turn_page(struct session *session, bool is_next)
{
    uint32_t step = session->now.step, last = session->course->count - 1;
    uint32_t pages = session->count > 0 ? session->count : 1;
    uint32_t room = is_next ? last - step : step;

    if (room == 0 && is_next)
        say_end(session);
    else if (room == 0)
        say(session, "this is the first step");
    else {
        pages = pages < room ? pages : room;
        load_step(session, is_next ? step + pages : step - pages);
    }
}

/* Shows, hides, comes back from another file, or asks for the course that comes with the program.
 */
static void toggle(struct session *session)
{
    if (session->course == NULL) {
        ask_request(session, REQUEST_LESSON, NULL);
    } else if (present_step(session) == NULL) {
        session->is_lesson_hidden = false;
        if (load_step(session, session->lesson_at))
            say(session, "back in the lesson; u goes back to what was here");
    } else {
        session->is_lesson_hidden = !session->is_lesson_hidden;
        say(session, session->is_lesson_hidden ? "lesson hidden; L shows it again" : "");
    }
}

/* ---- answering ---- */

/* `typed` NULL: the state is the answer. */
static void judge(struct session *session, const char *typed)
{
    struct course *course = session->course;
    struct lesson *lesson = &course->steps[session->now.step];
    struct outcome outcome = {.block = NULL};
    struct refusal refusal;
    struct facts start = {&lesson->scenario, &outcome, NULL, NAN};
    bool has_start = outcome_run(&outcome, &lesson->scenario, &refusal);
    struct facts facts = {&session->now.scenario, session_outcome(session),
                          has_start ? &start : NULL, NAN};

    lesson_judge(lesson, typed, &facts, &session->reply);
    outcome_free(&outcome);
    session->reply_step = session->now.step;
    if (session->reply.kind == REPLY_RIGHT && !lesson->is_done) {
        lesson->is_done = true;
        ask_request(session, REQUEST_PROGRESS, NULL);
    }
}

void learn_answer(struct session *session, const char *typed)
{
    if (present_step(session) == NULL)
        return;
    if (typed[strspn(typed, " ")] == '\0')
        say(session, "not answered");
    else
        judge(session, typed);
}

static void answer(struct session *session)
{
    const struct lesson *lesson = present_step(session);
    struct text text;
    char label[80];

    if (lesson == NULL) {
        refuse(session, session->course == NULL
                            ? "no lesson runs; L begins the course"
                            : "this is no step of the lesson; L goes back to it");
        return;
    }
    session->is_lesson_hidden = false;
    if (lesson->kind == LESSON_READ) {
        say(session, "nothing is asked here; PageDown goes on");
    } else if (lesson->kind == LESSON_STATE) {
        judge(session, "");
    } else {
        text_init(&text, label, sizeof label);
        lesson_write_ask(lesson, &text);
        prompt_open(session, PROMPT_ANSWER, label, "");
    }
}

bool learn_apply(struct session *session, enum command command)
{
    bool is_in_step = present_step(session) != NULL;

    if (command == COMMAND_LESSON) {
        toggle(session);
    } else if (command == COMMAND_ANSWER) {
        answer(session);
    } else if (!is_in_step) {
        return false;
    } else if (command == COMMAND_PAGE_NEXT || command == COMMAND_PAGE_PREVIOUS) {
        turn_page(session, command == COMMAND_PAGE_NEXT);
    } else if (command == COMMAND_RELOAD) {
        if (load_step(session, session->now.step))
            say(session, "the step is as it was given; u goes back");
    } else if (command == COMMAND_CANCEL && has_reply(session) && session->count == 0) {
        session->reply.kind = REPLY_NONE;
    } else {
        return false;
    }
    session->count = 0;
    return true;
}
