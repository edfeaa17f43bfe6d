/* The line that is typed: editing it, completing it, and doing what it says.
 *
 * A line is bytes of UTF-8 and a cursor that stands between characters. What the line means depends
 * on what opened it: a command after `:`, costs, a file to save to or open. */
#include "model/state.h"

#include <stdlib.h>
#include <string.h>

static void set_line(struct line *line, const char *text)
{
    struct text out;

    text_init(&out, line->text, sizeof line->text);
    text_add(&out, text);
    line->length = line->cursor = out.length;
}

void prompt_open(struct session *session, enum prompt_kind kind, const char *label,
                 const char *text)
{
    struct line *line = &session->line;
    struct text out;

    line->kind = kind;
    line->quits_after = false;
    line->past_at = 0;
    text_init(&out, line->label, sizeof line->label);
    text_add(&out, label);
    set_line(line, text);
    session_aside(session, MODE_PROMPT);
}

void prompt_insert(struct session *session, const char *text)
{
    struct line *line = &session->line;

    while (*text != '\0') {
        const char *from = text;
        bool is_invalid;
        uint32_t c = text_decode_strict(&text, &is_invalid);
        size_t bytes = (size_t)(text - from);
        if (c == '\n' || c == '\r' || c == '\t') { /* a pasted line break runs nothing */
            bool is_apart = line->cursor == 0 || line->text[line->cursor - 1] == ' ';
            if (!is_apart && *text != '\0')
                prompt_insert(session, " ");
            continue;
        }
        if (is_invalid || text_is_control(c))
            continue;
        if (line->length + bytes >= sizeof line->text)
            return;
        memmove(line->text + line->cursor + bytes, line->text + line->cursor,
                line->length - line->cursor + 1);
        memcpy(line->text + line->cursor, from, bytes);
        line->cursor += bytes;
        line->length += bytes;
    }
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0u) == 0x80u;
}

static void move_cursor(struct line *line, bool is_right)
{
    if (is_right && line->cursor < line->length) {
        do
            line->cursor++;
        while (is_continuation(line->text[line->cursor]));
    } else if (!is_right && line->cursor > 0) {
        do
            line->cursor--;
        while (is_continuation(line->text[line->cursor]));
    }
}

static void erase(struct line *line, size_t from, size_t to)
{
    memmove(line->text + from, line->text + to, line->length - to + 1);
    line->length -= to - from;
    line->cursor = from;
}

static void erase_word(struct line *line)
{
    size_t to = line->cursor, from = to;

    while (from > 0 && line->text[from - 1] == ' ')
        from--;
    while (from > 0 && line->text[from - 1] != ' ')
        from--;
    erase(line, from, to);
}

/* ---- lines given before ---- */

static void remember(struct line *line)
{
    if (line->length == 0 || (line->past[0] != NULL && strcmp(line->past[0], line->text) == 0))
        return;
    char *copy = malloc(line->length + 1);
    if (copy == NULL)
        return;
    memcpy(copy, line->text, line->length + 1);
    free(line->past[REMEMBERED_LINES - 1]);
    memmove(line->past + 1, line->past, (REMEMBERED_LINES - 1) * sizeof line->past[0]);
    line->past[0] = copy;
}

static void recall(struct line *line, bool is_older)
{
    if (line->kind != PROMPT_COMMAND)
        return;
    uint32_t at = line->past_at;
    if (at == 0)
        memcpy(line->typed, line->text, line->length + 1);
    if (is_older && at < REMEMBERED_LINES && line->past[at] != NULL)
        line->past_at = at + 1;
    else if (!is_older && at > 0)
        line->past_at = at - 1;
    else
        return;
    set_line(line, line->past_at == 0 ? line->typed : line->past[line->past_at - 1]);
}

void prompt_free(struct session *session)
{
    for (size_t i = 0; i < REMEMBERED_LINES; i++)
        free(session->line.past[i]);
}

/* ---- completion ---- */

struct completion {
    const char *typed;
    size_t length;
    char common[80];
    char list[MESSAGE_SIZE];
    struct text shown;
    uint32_t count;
};

static void offer(struct completion *completion, const char *word)
{
    size_t i = 0;

    if (strncmp(word, completion->typed, completion->length) != 0 || word[0] == '\0')
        return;
    if (completion->count == 0) {
        struct text common;
        text_init(&common, completion->common, sizeof completion->common);
        text_add(&common, word);
    }
    while (completion->common[i] != '\0' && completion->common[i] == word[i])
        i++;
    completion->common[i] = '\0';
    text_addf(&completion->shown, "%s%s", completion->count == 0 ? "" : "  ", word);
    completion->count++;
}

static void offer_values(struct completion *completion, enum param param)
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);

    switch (param_info(param)->kind) {
    case PARAM_KIND_SCHEDULE:
        for (uint32_t i = 0; i < count; i++)
            offer(completion, families[i].name);
        offer(completion, "file:");
        break;
    case PARAM_KIND_HOLD:
        offer(completion, "stage");
        offer(completion, "model");
        break;
    case PARAM_KIND_SPLIT:
        offer(completion, "balanced");
        offer(completion, "uniform");
        break;
    default:
        break;
    }
    if (param_is_default_word(param, PARAM_DEFAULT))
        offer(completion, PARAM_DEFAULT);
}

static const char *param_name(enum param param)
{
    return param == PARAM_LAYERS ? "layers" : param_info(param)->key;
}

static void offer_words(struct completion *completion)
{
    for (enum param p = 0; p < PARAM_COUNT; p++)
        offer(completion, param_name(p));
    for (enum command c = 0; c < COMMAND_COUNT; c++)
        if (c != COMMAND_HOLD) /* a parameter of that name stands already */
            offer(completion, command_info(c)->name);
}

/* Where the value of "name value" or "name = value" begins; NULL while the name is being typed. */
static char *value_of(char *line)
{
    char *at = line + strspn(line, " ");

    at += strcspn(at, " =");
    if (*at == '\0')
        return NULL;
    at += strspn(at, " ");
    if (*at == '=')
        at++;
    return at + strspn(at, " ");
}

static bool is_file_command(const char *line)
{
    line += strspn(line, " ");
    return (line[0] == 'w' || line[0] == 'o') && line[1] == ' ';
}

static void name_of(const char *line, char *name, size_t size)
{
    line += strspn(line, " ");
    size_t length = strcspn(line, " =");
    if (length >= size)
        length = size - 1;
    memcpy(name, line, length);
    name[length] = '\0';
}

/* Where the name of a file begins in a line of commands; NULL where none is wanted. */
static char *file_of(char *line)
{
    char *value = value_of(line), name[80];

    if (value == NULL || is_file_command(line))
        return value;
    name_of(line, name, sizeof name);
    const char *file = param_find(name) == PARAM_SCHEDULE ? table_named(value) : NULL;
    return file == NULL ? NULL : value + (file - value);
}

static void complete(struct session *session)
{
    struct line *line = &session->line;
    struct completion completion = {.count = 0};
    char *value = value_of(line->text);
    char name[80];

    char *file = line->kind == PROMPT_COMMAND ? file_of(line->text)
                 : line->kind == PROMPT_SAVE || line->kind == PROMPT_OPEN ? line->text
                                                                          : NULL;
    if (file != NULL) {
        ask_request(session, REQUEST_COMPLETE, file);
        return;
    }
    if (line->kind != PROMPT_COMMAND || line->cursor != line->length)
        return;
    text_init(&completion.shown, completion.list, sizeof completion.list);
    completion.typed = value != NULL ? value : line->text + strspn(line->text, " ");
    completion.length = strlen(completion.typed);
    if (value == NULL) {
        offer_words(&completion);
    } else {
        name_of(line->text, name, sizeof name);
        enum param param = param_find(name);
        if (param != PARAM_COUNT)
            offer_values(&completion, param);
    }
    if (completion.count == 0) {
        refuse(session, "nothing completes this");
        return;
    }
    prompt_insert(session, completion.common + completion.length);
    if (completion.count == 1 && line->text[line->length - 1] != ':')
        prompt_insert(session, " ");
    else
        say(session, completion.list);
}

void session_complete(struct session *session, const char *text)
{
    struct line *line = &session->line;

    if (line->kind != PROMPT_COMMAND) {
        set_line(line, text);
        return;
    }
    char *file = file_of(line->text);
    if (file == NULL)
        return;
    line->length = line->cursor = (size_t)(file - line->text);
    *file = '\0';
    prompt_insert(session, text);
}

/* ---- doing what it says ---- */

static void show_param(struct session *session, enum param param)
{
    struct text text;
    char line[MESSAGE_SIZE];

    text_init(&text, line, sizeof line);
    text_addf(&text, "%s = ", param_name(param));
    size_t before = text.length;
    scenario_write(&session->now.scenario, param, &text);
    if (text.length == before && param_is_default_word(param, PARAM_DEFAULT))
        text_addf(&text, PARAM_DEFAULT " (%s)", param_default(param));
    say(session, line);
}

static void request_named(struct session *session, enum request_kind kind, const char *path)
{
    if (*path != '\0')
        ask_request(session, kind, path);
    else
        session_apply(session, kind == REQUEST_SAVE ? COMMAND_SAVE : COMMAND_OPEN);
}

/* The short ones of vi and less; a value after :p or :m makes them parameters. */
static bool run_short(struct session *session, const char *name, const char *value)
{
    bool has_value = *value != '\0';

    if (strcmp(name, "w") == 0)
        request_named(session, REQUEST_SAVE, value);
    else if (strcmp(name, "o") == 0)
        request_named(session, REQUEST_OPEN, value);
    else if (strcmp(name, "q") == 0 && !has_value)
        session_apply(session, COMMAND_QUIT);
    else if (strcmp(name, "q!") == 0 && !has_value)
        session_apply(session, COMMAND_QUIT_NOW);
    else if ((strcmp(name, "n") == 0 || strcmp(name, "p") == 0) && !has_value)
        if (session_is_slide(session))
            session_apply(session, name[0] == 'n' ? COMMAND_PAGE_NEXT : COMMAND_PAGE_PREVIOUS);
        else
            refuse(session, "there is only one file");
    else
        return false;
    return true;
}

static enum command command_named(const char *name)
{
    for (enum command c = 0; c < COMMAND_COUNT; c++)
        if (strcmp(command_info(c)->name, name) == 0)
            return c;
    return COMMAND_COUNT;
}

static enum param param_named(const char *name)
{
    return strcmp(name, "layers") == 0 ? PARAM_LAYERS : param_find(name);
}

static void run_command(struct session *session, char *line)
{
    char name[80];
    char *value = value_of(line);
    size_t end = strlen(line);

    while (end > 0 && line[end - 1] == ' ')
        line[--end] = '\0';
    name_of(line, name, sizeof name);
    if (name[0] == '\0' || run_short(session, name, value == NULL ? "" : value))
        return;
    enum param param = param_named(name);
    enum command command = command_named(name);
    bool has_value = value != NULL && *value != '\0';
    /* `title =` as in a file: text that is not there. */
    bool is_emptied = param != PARAM_COUNT && param_info(param)->kind == PARAM_KIND_TEXT &&
                      !has_value && line[end - 1] == '=';
    if (param != PARAM_COUNT && (has_value || is_emptied))
        change_param(session, param, has_value ? value : "");
    else if (param != PARAM_COUNT)
        show_param(session, param);
    else if (command != COMMAND_COUNT && !has_value)
        session_apply(session, command);
    else {
        struct text text;
        char message[160];
        text_init(&text, message, sizeof message);
        text_addf(&text, "'%s' is no parameter and no command: Tab after : lists them", name);
        refuse(session, message);
    }
}

static void enter(struct session *session)
{
    struct line *line = &session->line;
    char text[LINE_SIZE];

    memcpy(text, line->text, line->length + 1);
    session->mode = session->home;
    hush(session);
    switch (line->kind) {
    case PROMPT_COMMAND:
        remember(line);
        run_command(session, text);
        break;
    case PROMPT_COSTS:
        change_costs_typed(session, text);
        break;
    case PROMPT_SAVE:
    case PROMPT_OPEN:
        if (text[0] == '\0')
            say(session, line->kind == PROMPT_SAVE ? "not saved" : "nothing opened");
        else
            ask_request(session, line->kind == PROMPT_SAVE ? REQUEST_SAVE : REQUEST_OPEN, text);
        session->request.quits_after = line->kind == PROMPT_SAVE && line->quits_after;
        break;
    case PROMPT_ANSWER:
        learn_answer(session, text);
        break;
    }
}

static bool is_key(const char *key, const char *a, const char *b)
{
    return strcmp(key, a) == 0 || strcmp(key, b) == 0;
}

static bool edit_key(struct session *session, const char *key)
{
    struct line *line = &session->line;
    size_t at = line->cursor;

    if (is_key(key, "Left", "Ctrl-B") || is_key(key, "Right", "Ctrl-F")) {
        move_cursor(line, is_key(key, "Right", "Ctrl-F"));
    } else if (is_key(key, "Home", "Ctrl-A")) {
        line->cursor = 0;
    } else if (is_key(key, "End", "Ctrl-E")) {
        line->cursor = line->length;
    } else if (is_key(key, "Delete", "Ctrl-D")) {
        move_cursor(line, true);
        erase(line, at, line->cursor);
    } else if (is_key(key, "Ctrl-U", "Ctrl-U")) {
        erase(line, 0, at);
    } else if (is_key(key, "Ctrl-K", "Ctrl-K")) {
        erase(line, at, line->length);
    } else if (is_key(key, "Ctrl-W", "Ctrl-W")) {
        erase_word(line);
    } else if (is_key(key, "Up", "Ctrl-P") || is_key(key, "Down", "Ctrl-N")) {
        recall(line, is_key(key, "Up", "Ctrl-P"));
    } else {
        return false;
    }
    return true;
}

void prompt_key(struct session *session, const char *key)
{
    struct line *line = &session->line;
    size_t at = line->cursor;
    bool is_leaving = is_key(key, "Esc", "Ctrl-C") ||
                      (is_key(key, "Backspace", "Ctrl-H") && line->length == 0);

    hush(session);
    if (is_key(key, "Enter", "Ctrl-M")) {
        enter(session);
    } else if (is_leaving) {
        session->mode = session->home;
    } else if (is_key(key, "Backspace", "Ctrl-H")) {
        move_cursor(line, false);
        erase(line, line->cursor, at);
    } else if (is_key(key, "Tab", "Ctrl-I")) {
        complete(session);
    } else if (is_key(key, "Ctrl-Z", "Ctrl-Z")) {
        session_apply(session, COMMAND_SUSPEND);
    } else if (!edit_key(session, key)) {
        const char *rest = key;
        text_decode(&rest);
        if (strcmp(key, "Space") == 0)
            prompt_insert(session, " ");
        else if (*rest == '\0') /* one character: not the name of a key */
            prompt_insert(session, key);
    }
}
