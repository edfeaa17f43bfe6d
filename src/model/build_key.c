/* From a key to what it does in the puzzle. build_keys.def is the list of keys; a question that
 * stands takes the next one as its answer, digits name a micro-batch. */
#include "model/build_state.h"

#include <string.h>

/* ---- leaving ---- */

static void ask_leave(struct session *session)
{
    struct puzzle *puzzle = session->puzzle;

    if (puzzle->build.made == 0) {
        session->mode = MODE_CHART;
        return;
    }
    puzzle->question = ASK_LEAVE;
    say(session, puzzle->view.is_done
                     ? "Leave? What is built stays, E comes back.  y leaves, t takes it as the "
                       "schedule, n stays"
                     : "Leave? What is built stays, E comes back to it.  y leaves, n stays");
}

static void answer_leave(struct session *session, const char *key)
{
    if (strcmp(key, "y") == 0 || strcmp(key, "Y") == 0 || strcmp(key, "q") == 0) {
        session->mode = MODE_CHART;
        say(session, "what is built is kept: E goes on with it");
    } else if (strcmp(key, "t") == 0) {
        build_take(session);
    }
}

/* ---- keys ---- */

static bool take_number(struct puzzle *puzzle, struct session *session, const char *key)
{
    if (key[0] < '0' || key[0] > '9' || key[1] != '\0')
        return false;
    uint32_t digit = (uint32_t)(key[0] - '0');
    puzzle->number = puzzle->has_number && puzzle->number < 100000 ? puzzle->number * 10 + digit
                                                                   : digit;
    puzzle->has_number = true;
    struct text text;
    char line[80];
    text_init(&text, line, sizeof line);
    text_addf(&text, "micro-batch %u: F, B, I or W places it", puzzle->number);
    say(session, line);
    return true;
}

static void open_help(struct session *session)
{
    session_aside(session, MODE_HELP);
    session->help_top = 0;
}

static void apply(struct session *session, enum build_key key)
{
    switch (key) {
    case BUILD_LESS:
    case BUILD_MORE:
        build_choose(session, key == BUILD_MORE ? 1 : -1);
        break;
    case BUILD_UP: /* from 0 that is beyond the last one, which is refused */
        build_move_device(session, session->puzzle->view.device - 1);
        break;
    case BUILD_DOWN:
        build_move_device(session, session->puzzle->view.device + 1);
        break;
    case BUILD_PLACE:
        build_place_chosen(session);
        break;
    case BUILD_FORWARD:
        build_put_kind(session, PG_FORWARD);
        break;
    case BUILD_BACKWARD:
        build_put_kind(session, PG_BACKWARD);
        break;
    case BUILD_INPUT:
        build_put_kind(session, PG_INPUT_GRAD);
        break;
    case BUILD_WEIGHT:
        build_put_kind(session, PG_WEIGHT_GRAD);
        break;
    case BUILD_PAIR:
        build_put_pair(session);
        break;
    case BUILD_UNDO:
    case BUILD_REDO:
        build_undo(session, key == BUILD_UNDO);
        break;
    case BUILD_HINT:
        build_hint(session);
        break;
    case BUILD_FINISH:
        build_ask_policy(session);
        break;
    case BUILD_TAKE:
        build_take(session);
        break;
    case BUILD_RESTART:
        build_restart(session);
        break;
    case BUILD_TYPE:
        prompt_open(session, PROMPT_COMMAND, ":", "");
        break;
    case BUILD_HELP:
        open_help(session);
        break;
    case BUILD_LEAVE:
        ask_leave(session);
        break;
    case BUILD_KEY_COUNT:
        break;
    }
}

static bool apply_global(struct session *session, const char *key)
{
    enum command command = command_of_key(key);

    if (command == COMMAND_SAVE)
        prompt_open(session, PROMPT_COMMAND, ":", "w ");
    else if (command == COMMAND_QUIT) /* Ctrl-C */
        ask_leave(session);
    else if (command == COMMAND_QUIT_NOW || command == COMMAND_SUSPEND ||
             command == COMMAND_REPAINT)
        session_apply(session, command);
    else
        return false;
    return true;
}

void build_key(struct session *session, const char *key)
{
    struct puzzle *puzzle = session->puzzle;
    enum question question = puzzle->question;
    enum command command = command_of_key(key);

    if (command == COMMAND_SUSPEND || command == COMMAND_REPAINT) {
        apply_global(session, key); /* no answer, and no other number */
        return;
    }
    puzzle->question = ASK_NOTHING;
    hush(session);
    if (question == ASK_POLICY) {
        build_answer_policy(session, key);
    } else if (question == ASK_LEAVE) {
        answer_leave(session, key);
    } else if (take_number(puzzle, session, key)) {
        return;
    } else {
        enum build_key known = build_key_of(key);
        bool had_number = puzzle->has_number;
        if (had_number && strcmp(key, "Esc") == 0) {
            known = BUILD_KEY_COUNT; /* Esc drops the number first */
        } else if (known == BUILD_KEY_COUNT && !apply_global(session, key)) {
            struct text text;
            char line[80];
            text_init(&text, line, sizeof line);
            text_addf(&text, "%s does nothing here; ? lists the keys", key);
            refuse(session, line);
        }
        apply(session, known);
    }
    session->puzzle->has_number = false; /* it may be another one now */
}
