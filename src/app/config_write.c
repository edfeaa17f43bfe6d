/* A scenario to INI text: see config.h.
 *
 * The inverse of reading, and as little opinionated: sections and keys come in the order of
 * scenario.def, what a fresh scenario has anyway is left out, and lists are wrapped so that every
 * build of inih can read them, not only through our own reader. */
#include "app/bytes.h"
#include "app/config_table.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a line of a list, where its entries allow. Any inih reads lines up to 198 bytes. */
#define WRAP 96

/* Written even when it is the default: without these a scenario could not be read by people. */
static bool is_always_written(enum param param)
{
    switch (param) {
    case PARAM_SCHEDULE:
    case PARAM_STAGES:
    case PARAM_MICRO_BATCHES:
    case PARAM_FORWARD:
    case PARAM_BACKWARD:
    case PARAM_LAYERS:
    case PARAM_SPLIT:
    case PARAM_RATIO:
        return true;
    default:
        return false;
    }
}

static bool is_written(const struct scenario *scenario, enum param param)
{
    bool has_layers = scenario->layers != NULL;
    bool is_of_layers = strcmp(param_info(param)->section, param_info(PARAM_LAYERS)->section) == 0;

    if (is_of_layers && !has_layers)
        return false;
    if (scenario_is_fixed(scenario, param))
        return false;
    if ((param == PARAM_FORWARD || param == PARAM_BACKWARD) && has_layers)
        return false;
    return is_always_written(param) || !scenario_is_default(scenario, param);
}

/* A list goes on in the next line where the line would get too long. */
static void write_list(FILE *out, const char *value, size_t column)
{
    while (*value != '\0') {
        const char *comma = strchr(value, ',');
        size_t length = comma == NULL ? strlen(value) : (size_t)(comma + 1 - value);
        if (column + 1 + length > WRAP) {
            fputs("\n   ", out);
            column = 3;
        }
        fprintf(out, " %.*s", (int)length, value);
        column += 1 + length;
        value += length;
        value += strspn(value, " ");
    }
}

/* Further lines of the notes are indented; an empty one would stay empty anyway. */
static void write_lines(FILE *out, const char *value)
{
    if (*value != '\0' && *value != '\n')
        fputc(' ', out);
    for (; *value != '\0'; value++) {
        fputc(*value, out);
        if (*value == '\n' && value[1] != '\n')
            fputs("    ", out);
    }
}

static bool write_key(FILE *out, const struct scenario *scenario, enum param param, int width)
{
    const struct param_info *info = param_info(param);
    size_t size = scenario_write_size(scenario, param);
    char *value = malloc(size);
    struct text text;

    if (value == NULL)
        return false;
    text_init(&text, value, size);
    scenario_write(scenario, param, &text);
    int column = fprintf(out, "%-*s =", width, info->key);
    if (info->kind == PARAM_KIND_TEXT || info->kind == PARAM_KIND_SCHEDULE)
        write_lines(out, value);
    else
        write_list(out, value, (size_t)column);
    fputc('\n', out);
    free(value);
    return !text.is_cut;
}

/* The keys of the section that begins with parameter `first`. */
static bool write_section(FILE *out, const struct scenario *scenario, enum param first,
                          bool *is_first)
{
    const char *section = param_info(first)->section;
    int width = 0;

    for (enum param p = first; p < PARAM_COUNT; p++) {
        int length = (int)strlen(param_info(p)->key);
        bool is_in = strcmp(param_info(p)->section, section) == 0 && is_written(scenario, p);
        width = is_in && length > width ? length : width;
    }
    if (width == 0)
        return true;
    fprintf(out, "%s[%s]\n", *is_first ? "" : "\n", section);
    *is_first = false;
    for (enum param p = first; p < PARAM_COUNT; p++)
        if (strcmp(param_info(p)->section, section) == 0 && is_written(scenario, p) &&
            !write_key(out, scenario, p, width))
            return false;
    return true;
}

const char *config_flaw(const struct scenario *scenario)
{
    const char *path = scenario->table == NULL ? "" : scenario->table->path;

    if (scenario->table != NULL && path[0] == '\0')
        return "this order was built by hand and is in no file yet: :w FILE.csv writes it, then it "
               "can be saved";
    for (const char *s = path; *s != '\0';) {
        bool is_invalid;
        uint32_t c = text_decode_strict(&s, &is_invalid);
        if (is_invalid || (text_is_control(c) && c != '\n' && c != '\r' && c != '\t'))
            return "the name of its table has a character in it that a terminal could obey, or that "
                   "is no UTF-8: rename the table";
    }
    for (const char *s = path; *s != '\0'; s++) {
        bool is_comment = *s == ';' && s > path && (s[-1] == ' ' || s[-1] == '\t');
        bool is_last_blank = (*s == ' ' || *s == '\t') && s[1] == '\0';
        if (is_comment || is_last_blank || *s == '\n' || *s == '\r')
            return "the name of its table has a line end, a blank at its end, or a blank and a "
                   "';', which no scenario file can hold: rename the table";
    }
    return NULL;
}

/* With the table under another name, handed over; NULL: no memory for it. */
static char *text_with_table(const struct scenario *scenario, char *path)
{
    struct scenario moved = *scenario; /* borrowed, all but the path */
    struct table table = *scenario->table;

    table.path = path;
    moved.table = &table;
    char *ini = path == NULL ? NULL : config_text(&moved);
    free(path);
    return ini;
}

char *config_text_for(const struct scenario *scenario, const char *path)
{
    if (scenario->table == NULL)
        return config_text(scenario);
    return text_with_table(scenario, path_from(path, scenario->table->path));
}

char *config_text_from_root(const struct scenario *scenario)
{
    if (scenario->table == NULL)
        return config_text(scenario);
    char *path = realpath(scenario->table->path, NULL);
    return text_with_table(scenario, path != NULL ? path : strdup(scenario->table->path));
}

char *config_text(const struct scenario *scenario)
{
    struct bytes bytes;
    FILE *out = bytes_open(&bytes);
    bool is_good = out != NULL, is_first = true;

    for (enum param p = 0; p < PARAM_COUNT && is_good; p++) {
        enum param before = 0;
        while (strcmp(param_info(before)->section, param_info(p)->section) != 0)
            before++;
        if (before == p)
            is_good = write_section(out, scenario, p, &is_first);
    }
    if (out == NULL || !bytes_close(out, &bytes))
        return NULL;
    if (is_good)
        return bytes.text;
    free(bytes.text);
    return NULL;
}
