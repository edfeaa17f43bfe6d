/* The value of a key, of one line or of many, to what it means: see config.h.
 *
 * A list may go on for thousands of lines, and whoever wrote it wants to know which one is wrong: the
 * one up to which the list is good, found by halving. */
#include "app/config_parts.h"
#include "app/config_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool config_is_list(enum param param)
{
    enum param_kind kind = param_info(param)->kind;
    return kind == PARAM_KIND_COSTS || kind == PARAM_KIND_LAYERS || kind == PARAM_KIND_SPLIT;
}

/* The lines of a value as one string, to be freed. In a list the end of a line ends an entry, notes
 * keep their lines. */
static char *join(const struct line *line, size_t count, enum param param)
{
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(line[i].value) + line[i].blank_lines + 1;
    char *whole = malloc(size);
    if (whole == NULL)
        return NULL;

    char *to = whole;
    for (size_t i = 0; i < count; i++) {
        const char *value = line[i].value;
        if (!config_is_list(param)) {
            for (unsigned n = 0; i > 0 && n <= line[i].blank_lines; n++)
                *to++ = '\n';
        } else if (to > whole && to[-1] != ',' && *value != ',') {
            *to++ = ',';
        }
        size_t length = strlen(value);
        memcpy(to, value, length);
        to += length;
    }
    *to = '\0';
    return whole;
}

/* Sets the parameter from the first `count` lines of a list, were they all. */
static bool is_good_until(const struct line *line, size_t count, enum param param,
                          struct scenario *scratch, struct report *why)
{
    char *value = join(line, count, param);

    why->is_memory = value == NULL;
    if (value == NULL)
        return false;
    if (*value != '\0' && value[strlen(value) - 1] == ',')
        value[strlen(value) - 1] = '\0';
    /* `default` is no list that could go on */
    bool is_good = !param_is_default_word(param, value) && scenario_set(scratch, param, value, why);
    free(value);
    return is_good;
}

/* The line with the refused entry of a list: the first one up to which it is not good. 0: there is no
 * memory to find it. */
static unsigned find_flaw(const struct line *line, size_t count, enum param param)
{
    size_t low = count > 1 && *line->value == '\0', high = count - 1;
    struct scenario scratch;
    struct report why = {.is_memory = false};

    if (!config_is_list(param))
        return line->number;
    if (!scenario_init(&scratch))
        return 0;
    while (low < high && !why.is_memory) {
        size_t middle = low + (high - low) / 2;
        if (is_good_until(line, middle + 1, param, &scratch, &why))
            low = middle + 1;
        else
            high = middle;
    }
    scenario_free(&scratch);
    return why.is_memory ? 0 : line[low].number;
}

static bool refuse_value(struct reader *reader, const struct line *line, size_t count,
                         enum param param, const struct report *why)
{
    return why->is_memory ? config_refuse_memory(reader)
                          : config_refuse(reader, find_flaw(line, count, param), "%s", why->text);
}

static bool add_override(struct reader *reader, struct override override)
{
    if (reader->override_count == reader->override_room) {
        size_t room = reader->override_room * 2 + 16;
        struct override *larger = realloc(reader->overrides, room * sizeof *larger);
        if (larger == NULL)
            return config_refuse_memory(reader);
        reader->overrides = larger;
        reader->override_room = room;
    }
    reader->overrides[reader->override_count++] = override;
    return true;
}

/* A cost of one stage. */
static bool read_override(struct reader *reader, unsigned line, enum param param, const char *value)
{
    struct scenario scratch;
    struct report report;

    if (!scenario_init(&scratch))
        return config_refuse_memory(reader);
    bool is_good = scenario_set(&scratch, param, value, &report);
    const struct list *list = *scenario_costs(&scratch, param);
    if (!is_good)
        report.is_memory ? config_refuse_memory(reader) : config_refuse(reader, line, "%s", report.text);
    else if (list->n != 1)
        is_good = config_refuse(reader, line, "%s has %u values: one is needed for a stage",
                         param_info(param)->key, list->n);
    else
        is_good = add_override(reader, (struct override){param, reader->stage, line, list->v[0]});
    scenario_free(&scratch);
    return is_good;
}

static struct table *open_table(struct reader *reader, unsigned line, const char *name)
{
    struct stat status;
    char *path = path_join(reader->name, name);

    if (path == NULL) {
        config_refuse_memory(reader);
        return NULL;
    }
    bool is_there = stat(path, &status) == 0;
    if (!is_there)
        config_refuse(reader, line, "the table '%s' cannot be opened: no such file", text_excerpt(name).s);
    struct table *table = is_there ? table_file_open(path, false, reader->error) : NULL;
    free(path);
    return table;
}

/* `schedule = file:NAME`: the table fixes counts that may stand before it. */
static bool read_table(struct reader *reader, unsigned line, const char *name)
{
    struct scenario *scenario = &reader->config->scenario;
    const uint32_t given[] = {scenario->stages, scenario->micro_batches, scenario->chunks};
    struct report report;
    struct table *table = *name == '\0' && reader->table != NULL ? table_share(reader->table)
                                                                 : open_table(reader, line, name);

    if (table == NULL)
        return false;
    scenario_set_table(scenario, table);
    for (enum param p = PARAM_STAGES; p <= PARAM_CHUNKS; p++)
        if (reader->config->lines[p] != 0 &&
            scenario_clashes(scenario, p, given[p - PARAM_STAGES], &report))
            return config_refuse(reader, reader->config->lines[p], "%s", report.text);
    return true;
}

/* A key that says `default` is one that is not there, but for being there twice if it comes again. */
static void read_default(struct reader *reader, enum param param)
{
    if (reader->stage != PG_NONE)
        return;
    reader->default_lines[param] = reader->config->lines[param];
    reader->config->lines[param] = 0;
}

bool config_read_value(struct reader *reader, const struct line *line, size_t count,
                       enum param param)
{
    struct report report;
    char *value = join(line, count, param);
    const char *table = value == NULL || param != PARAM_SCHEDULE ? NULL : table_named(value);
    bool is_good = true;

    if (value == NULL) {
        is_good = config_refuse_memory(reader);
    } else if (param_is_default_word(param, value)) {
        read_default(reader, param);
    } else if (reader->stage != PG_NONE) {
        is_good = read_override(reader, line->number, param, value);
    } else if (table != NULL) {
        is_good = read_table(reader, line->number, table);
    } else {
        is_good = scenario_set(&reader->config->scenario, param, value, &report) ||
                  refuse_value(reader, line, count, param, &report);
    }
    free(value);
    return is_good;
}
