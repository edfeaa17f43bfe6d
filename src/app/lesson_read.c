/* A lesson file: see lesson.h. It is a scenario file with sections more: [lesson], [wrong N],
 * [else].
 *
 * The same cutter of lines reads both. First the lesson's own sections are taken out, every value
 * with its line; then the text goes to the reader of scenarios with these sections blanked, so that
 * its line numbers, its keys and its strictness are the ones of any scenario file. What takes more
 * than one key to judge comes last. */
#include "app/lesson_parts.h"

#include "app/input.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_LESSON ((size_t)1 << 20)
#define LONGEST_TITLE 60
#define LONGEST_VALUE 1000

/* ---- sections and keys ---- */

static const struct {
    const char *name;
    bool in_lesson, in_wrong, in_else;
} keys[KEY_COUNT] = {
    [KEY_TITLE] = {"title", true, false, false},
    [KEY_TEXT] = {"text", true, false, false},
    [KEY_TRY] = {"try", true, false, false},
    [KEY_QUESTION] = {"question", true, false, false},
    [KEY_ANSWER] = {"answer", true, true, false},
    [KEY_TOLERANCE] = {"tolerance", true, false, false},
    [KEY_CHOICES] = {"choices", true, false, false},
    [KEY_GOAL] = {"goal", true, false, false},
    [KEY_NEXT] = {"next", true, false, false},
    [KEY_SCENARIO] = {"scenario", true, false, false},
    [KEY_WHEN] = {"when", false, true, false},
    [KEY_SAY] = {"say", false, true, true},
};

const char *lesson_key_name(enum key key)
{
    return keys[key].name;
}

static bool has_key(enum section section, enum key key)
{
    return section == SECTION_LESSON  ? keys[key].in_lesson
           : section == SECTION_WRONG ? keys[key].in_wrong
                                      : keys[key].in_else;
}

bool lesson_refuse(struct lesson_reader *reader, unsigned line, const char *format, ...)
{
    struct file_error *error = reader->error;
    va_list args;

    error->status = 2;
    error->report.is_memory = false;
    file_error_name(error, reader->path);
    size_t length = strlen(error->where);
    if (line > 0)
        snprintf(error->where + length, sizeof error->where - length, ":%u", line);
    va_start(args, format);
    vsnprintf(error->report.text, sizeof error->report.text, format, args);
    va_end(args);
    return false;
}

static bool refuse_status(struct lesson_reader *reader, int status, const char *what, int why)
{
    lesson_refuse(reader, 0, "%s%s%s", what, why != 0 ? ": " : "", why != 0 ? strerror(why) : "");
    reader->error->status = status;
    reader->error->report.is_memory = why == ENOMEM;
    return false;
}

bool lesson_refuse_memory(struct lesson_reader *reader)
{
    refuse_status(reader, 1, "there is not enough memory to read it", 0);
    reader->error->report.is_memory = true;
    return false;
}

/* ---- reading ---- */

static bool refuse_section(struct lesson_reader *reader, const struct line *line)
{
    char list[300];
    struct text text;

    text_init(&text, list, sizeof list);
    for (enum param p = 0; p < PARAM_COUNT; p++)
        if (p == 0 || strcmp(param_info(p)->section, param_info(p - 1)->section) != 0)
            text_addf(&text, "[%s], ", param_info(p)->section);
    return lesson_refuse(reader, line->number,
                         "[%s] is no section: there are [lesson], [wrong N], [else], %s[stage N]",
                         text_excerpt(line->name).s, list);
}

static bool is_numbered(const char *name, const char *word)
{
    size_t length = strlen(word);
    return strncmp(name, word, length) == 0 &&
           (name[length] == '\0' || name[length] == ' ' || name[length] == '\t');
}

static bool open_wrong(struct lesson_reader *reader, const struct line *line)
{
    uint64_t number;

    if (!count_parse(line->name + 5 + strspn(line->name + 5, " \t"), &number) || number == 0 ||
        number > LESSON_MOST_WRONG)
        return lesson_refuse(reader, line->number, "[wrong N] needs a number from 1 to %d",
                             LESSON_MOST_WRONG);
    for (uint32_t i = 0; i < reader->wrong_count; i++)
        if (reader->wrong[i].number == number)
            return lesson_refuse(reader, line->number,
                                 "[wrong %u] is there twice: first in line %u", (unsigned)number,
                                 reader->wrong[i].line);
    reader->section = SECTION_WRONG;
    reader->part = &reader->wrong[reader->wrong_count++];
    reader->part->number = (uint32_t)number;
    reader->part->line = line->number;
    return true;
}

static bool open_section(struct lesson_reader *reader, const struct line *line)
{
    bool is_lesson = strcmp(line->name, "lesson") == 0;

    if (is_numbered(line->name, "wrong"))
        return open_wrong(reader, line);
    if (is_lesson || strcmp(line->name, "else") == 0) {
        struct part *part = is_lesson ? &reader->lesson : &reader->otherwise;
        if (part->line != 0)
            return lesson_refuse(reader, line->number, "[%s] is there twice: first in line %u",
                                 line->name, part->line);
        part->line = line->number;
        reader->part = part;
        reader->section = is_lesson ? SECTION_LESSON : SECTION_ELSE;
        return true;
    }
    bool is_known = is_numbered(line->name, "stage");
    for (enum param p = 0; p < PARAM_COUNT; p++)
        is_known = is_known || strcmp(param_info(p)->section, line->name) == 0;
    if (!is_known)
        return refuse_section(reader, line);
    reader->section = SECTION_OTHER;
    reader->part = NULL;
    if (reader->scenario_line == 0)
        reader->scenario_line = line->number;
    return true;
}

/* The lines of a value as one printable text: lines go on, an empty line begins a paragraph. */
static char *join(const struct line *line, size_t count)
{
    size_t size = 1;
    struct text text;

    for (size_t i = 0; i < count; i++)
        size += 3 * strlen(line[i].value) + 1;
    char *whole = malloc(size);
    if (whole == NULL)
        return NULL;
    text_init(&text, whole, size);
    for (size_t i = 0; i < count; i++) {
        if (text.length > 0)
            text_add(&text, line[i].blank_lines > 0 ? "\n" : " ");
        text_printable(&text, line[i].value);
    }
    return whole;
}

static bool refuse_key(struct lesson_reader *reader, const struct line *line)
{
    char list[200];
    struct text text;
    const char *section = reader->section == SECTION_LESSON  ? "lesson"
                          : reader->section == SECTION_WRONG ? "wrong N"
                                                             : "else";

    text_init(&text, list, sizeof list);
    for (enum key k = 0; k < KEY_COUNT; k++)
        if (has_key(reader->section, k))
            text_addf(&text, "%s%s", text.length > 0 ? ", " : "", keys[k].name);
    return lesson_refuse(reader, line->number, "'%s' is no key of [%s]: it has %s",
                         text_excerpt(line->name).s, section, list);
}

static bool read_key(struct lesson_reader *reader, const struct line *line, size_t count)
{
    enum key key = 0;

    if (reader->section == SECTION_OTHER)
        return true; /* of the scenario */
    while (key < KEY_COUNT &&
           !(has_key(reader->section, key) && strcmp(keys[key].name, line->name) == 0))
        key++;
    if (key == KEY_COUNT)
        return refuse_key(reader, line);
    struct value *value = &reader->part->value[key];
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a section that has keys has its part */
    if (value->text != NULL)
        return lesson_refuse(reader, line->number, "%s is there twice: first in line %u",
                             keys[key].name, value->line);
    for (size_t i = 1; i < count; i++)
        if (*line[i].value == '[')
            return lesson_refuse(
                reader, line[i].number,
                "an indented line goes on with %s of line %u, which it cannot: sections "
                "begin at the start of a line",
                keys[key].name, line->number);
    *value = (struct value){join(line, count), line->number};
    if (value->text == NULL)
        return lesson_refuse_memory(reader);
    size_t most = key == KEY_TITLE ? LONGEST_TITLE : LONGEST_VALUE;
    if (strlen(value->text) > most)
        return lesson_refuse(reader, line->number, "%s is %zu bytes long: at most %zu can be shown",
                             keys[key].name, strlen(value->text), most);
    if (*value->text == '\0')
        return lesson_refuse(reader, line->number, "%s is empty", keys[key].name);
    return true;
}

static bool read_lines(struct lesson_reader *reader)
{
    const struct lines *lines = &reader->lines;

    for (size_t i = 0, first; i < lines->count;) {
        const struct line *line = &lines->line[i];
        for (first = i++; i < lines->count && lines->line[i].kind == LINE_MORE;)
            i++;
        if (line->kind == LINE_BAD)
            return lesson_refuse(reader, line->number, *line->value == '\0' ? "%s%s" : "'%s': %s",
                                 text_excerpt(line->value).s, line->name);
        if (line->kind == LINE_KEY && reader->part == NULL && reader->scenario_line == 0)
            return lesson_refuse(reader, line->number, "a key stands before the first [section]");
        if (line->kind == LINE_SECTION ? !open_section(reader, line)
                                       : !read_key(reader, line, i - first))
            return false;
    }
    return reader->lesson.line != 0 ||
           lesson_refuse(reader, 0, "there is no [lesson]: this is not a lesson");
}

/* ---- bytes ---- */

static bool slurp(struct lesson_reader *reader)
{
    int why = 0;
    FILE *stream = input_open(reader->path, false, reader->error);

    if (stream == NULL)
        return false;
    reader->bytes = malloc(LARGEST_LESSON + 2);
    if (reader->bytes != NULL) {
        reader->count = fread(reader->bytes, 1, LARGEST_LESSON + 1, stream);
        why = ferror(stream) ? errno : 0;
    }
    fclose(stream);
    if (reader->bytes == NULL)
        return lesson_refuse_memory(reader);
    if (why != 0)
        return refuse_status(reader, 1, "cannot be read", why);
    if (reader->count > LARGEST_LESSON)
        return refuse_status(reader, 2, "is larger than 1 MiB", 0);
    /* So that it is never empty, which no stream in memory can be. */
    reader->bytes[reader->count++] = '\n';
    return true;
}

static bool cut_lines(struct lesson_reader *reader)
{
    FILE *stream = fmemopen(reader->bytes, reader->count, "r");

    if (stream == NULL)
        return lesson_refuse_memory(reader);
    enum lines_status status = lines_read(&reader->lines, stream);
    fclose(stream);
    return status == LINES_GOOD || lesson_refuse_memory(reader);
}

static bool is_lesson_section(const char *name)
{
    return strcmp(name, "lesson") == 0 || strcmp(name, "else") == 0 || is_numbered(name, "wrong");
}

/* Leaves nothing of the lesson's sections but their line ends. */
void lesson_blank(struct lesson_reader *reader)
{
    const struct lines *lines = &reader->lines;
    bool is_lesson = true;
    unsigned number = 1;
    size_t at = 0;

    for (char *byte = reader->bytes; byte < reader->bytes + reader->count; byte++) {
        for (; at < lines->count && lines->line[at].number <= number; at++)
            if (lines->line[at].kind == LINE_SECTION)
                is_lesson = is_lesson_section(lines->line[at].name);
        if (*byte == '\n')
            number++;
        else if (is_lesson)
            *byte = ' ';
    }
}

static void free_part(struct part *part)
{
    for (enum key k = 0; k < KEY_COUNT; k++)
        free(part->value[k].text);
}

bool lesson_read_file(const char *path, const char *id, struct lesson *lesson,
                      struct file_error *error)
{
    struct lesson_reader reader = {.path = path, .error = error, .section = SECTION_OTHER};

    *lesson = (struct lesson){.id = NULL};
    bool is_good = slurp(&reader) && cut_lines(&reader) && read_lines(&reader) &&
                   lesson_build(&reader, id, lesson);
    if (!is_good)
        lesson_free(lesson);
    lines_free(&reader.lines);
    free(reader.bytes);
    free_part(&reader.lesson);
    free_part(&reader.otherwise);
    for (uint32_t i = 0; i < reader.wrong_count; i++)
        free_part(&reader.wrong[i]);
    return is_good;
}
