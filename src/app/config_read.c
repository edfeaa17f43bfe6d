/* INI text to a scenario: see config.h.
 *
 * config_lines.c has cut the text into sections, keys and values; here they get their place, and in
 * config_value.c their meaning, one after the other, so that the first line that is wrong is the one
 * reported. What takes more than
 * one line to judge comes when all are read: the [stage N] costs are put into the lists, and the
 * scenario has to pass the checks of the core. No key is named here but where it has a rule of its
 * own: which there are, and where, is what scenario.def says. */
#include "app/config_parts.h"
#include "app/input.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

static void write_where(struct file_error *error, const char *name, unsigned line)
{
    file_error_name(error, name);
    size_t length = strlen(error->where);
    if (line > 0)
        snprintf(error->where + length, sizeof error->where - length, ":%u", line);
}

bool config_refuse(struct reader *reader, unsigned line, const char *format, ...)
{
    va_list args;

    reader->error->status = 2;
    reader->error->report.is_memory = false;
    write_where(reader->error, reader->name, line);
    va_start(args, format);
    vsnprintf(reader->error->report.text, sizeof reader->error->report.text, format, args);
    va_end(args);
    return false;
}

/* Something that has nothing to do with a line. */
static bool refuse_file(struct file_error *error, const char *name, int status, const char *what,
                        const char *why)
{
    error->status = status;
    error->report.is_memory = errno == ENOMEM && why[0] != '\0';
    write_where(error, name, 0);
    snprintf(error->report.text, sizeof error->report.text, "%s%s", what, why);
    return false;
}

bool config_refuse_memory(struct reader *reader)
{
    refuse_file(reader->error, reader->name, 1, "there is not enough memory to read it", "");
    reader->error->report.is_memory = true;
    return false;
}

static bool refuse_twice(struct reader *reader, const struct line *line, unsigned first)
{
    return config_refuse(reader, line->number,
                  line->kind == LINE_SECTION ? "[%s] is there twice: first in line %u"
                                             : "%s is there twice: first in line %u",
                  text_excerpt(line->name).s, first);
}

static bool refuse_clash(struct reader *reader, const struct line *line, const char *other,
                         unsigned first)
{
    return config_refuse(reader, line->number,
                  line->kind == LINE_SECTION
                      ? "[%s] cannot stand beside %s (line %u): costs are per layer or per stage"
                      : "%s cannot stand beside %s (line %u): costs are per layer or per stage",
                  text_excerpt(line->name).s, other, first);
}

/* ---- keys ---- */

static bool has_key(const struct reader *reader, enum param param)
{
    const struct param_info *info = param_info(param);

    return strcmp(info->section, param_info(reader->section)->section) == 0 &&
           (reader->stage == PG_NONE || info->kind == PARAM_KIND_COSTS);
}

static bool refuse_key(struct reader *reader, const struct line *line)
{
    char list[300];
    struct text text;

    text_init(&text, list, sizeof list);
    for (enum param p = 0; p < PARAM_COUNT; p++)
        if (has_key(reader, p))
            text_addf(&text, "%s%s", text.length > 0 ? ", " : "", param_info(p)->key);
    for (enum param p = 0; p < PARAM_COUNT; p++)
        if (strcmp(param_info(p)->key, line->name) == 0)
            text_addf(&text, " (%s belongs into [%s])", line->name, param_info(p)->section);
    return config_refuse(reader, line->number, "'%s' is no key of [%s]: it has %s", text_excerpt(line->name).s,
                  reader->stage == PG_NONE ? param_info(reader->section)->section : "stage N",
                  list);
}

/* Which section a name means: its first parameter. */
static enum param section_find(const char *name)
{
    enum param p = 0;

    while (p < PARAM_COUNT && strcmp(param_info(p)->section, name) != 0)
        p++;
    return p;
}

static unsigned *layers_line(struct reader *reader)
{
    return &reader->section_lines[section_find(param_info(PARAM_LAYERS)->section)];
}

/* The parameter of a key, if it may stand where it does. */
static bool open_key(struct reader *reader, const struct line *line, enum param *param)
{
    bool is_stage = reader->stage != PG_NONE;
    enum param p = 0;

    if (reader->section == PARAM_COUNT)
        return config_refuse(reader, line->number, "a key stands before the first [section]");
    while (p < PARAM_COUNT && !(has_key(reader, p) && strcmp(param_info(p)->key, line->name) == 0))
        p++;
    if (p == PARAM_COUNT)
        return refuse_key(reader, line);
    unsigned *first = is_stage                        ? &reader->stage_key_lines[p]
                      : reader->default_lines[p] != 0 ? &reader->default_lines[p]
                                                      : &reader->config->lines[p];
    if (*first != 0)
        return refuse_twice(reader, line, *first);
    *first = line->number;
    *param = p;
    bool is_cost = !is_stage && (p == PARAM_FORWARD || p == PARAM_BACKWARD) &&
                   !param_is_default_word(p, line->value);
    unsigned clash = is_cost ? *layers_line(reader) : 0;
    return clash == 0 || refuse_clash(reader, line, "[layers]", clash);
}

/* May this indented line go on with the value of a key? */
static bool can_go_on(const struct line *line, enum param param)
{
    if (config_is_list(param))
        return *line->value != '[' && strchr(line->value, '=') == NULL;
    return param == PARAM_NOTES && *line->value != '[';
}

/* A key and all lines of its value. */
static bool read_key(struct reader *reader, const struct line *line, size_t count)
{
    enum param param = PARAM_COUNT;
    size_t good = 1;

    if (!open_key(reader, line, &param))
        return false;
    while (good < count && can_go_on(&line[good], param))
        good++;
    if (!config_read_value(reader, line, good, param))
        return false;
    if (good == count)
        return true;
    return config_refuse(reader, line[good].number,
                  "an indented line goes on with %s of line %u, which it cannot: sections and keys "
                  "begin at the start of a line",
                  line->name, line->number);
}

/* ---- sections ---- */

static bool refuse_section(struct reader *reader, const struct line *line)
{
    char list[300];
    struct text text;

    text_init(&text, list, sizeof list);
    for (enum param p = 0; p < PARAM_COUNT; p++)
        if (section_find(param_info(p)->section) == p)
            text_addf(&text, "[%s], ", param_info(p)->section);
    return config_refuse(reader, line->number, "[%s] is no section: there are %s[stage N]",
                  text_excerpt(line->name).s, list);
}

static bool open_stage(struct reader *reader, const struct line *line)
{
    const char *number = line->name + 5 + strspn(line->name + 5, " \t");
    uint64_t stage;

    if (!count_parse(number, &stage))
        return config_refuse(reader, line->number, "[stage N] needs the number of a stage, from 0");
    if (*layers_line(reader) != 0)
        return refuse_clash(reader, line, "[layers]", *layers_line(reader));
    if (stage >= STAGES_MAX)
        return config_refuse(reader, line->number, "there is no stage %s: there can be at most %u, from 0",
                      text_excerpt(number).s, STAGES_MAX);
    if (reader->stage_lines == NULL)
        reader->stage_lines = calloc(STAGES_MAX, sizeof reader->stage_lines[0]);
    if (reader->stage_lines == NULL)
        return config_refuse_memory(reader);
    if (reader->stage_lines[stage] != 0)
        return refuse_twice(reader, line, reader->stage_lines[stage]);
    reader->stage_lines[stage] = line->number;
    reader->section = section_find(param_info(PARAM_FORWARD)->section);
    reader->stage = (uint32_t)stage;
    memset(reader->stage_key_lines, 0, sizeof reader->stage_key_lines);
    return true;
}

/* Layers where costs per stage stand already? */
static bool check_clash(struct reader *reader, const struct line *line)
{
    const unsigned *lines = reader->config->lines;

    if (lines[PARAM_FORWARD] != 0)
        return refuse_clash(reader, line, "[costs] forward", lines[PARAM_FORWARD]);
    if (lines[PARAM_BACKWARD] != 0)
        return refuse_clash(reader, line, "[costs] backward", lines[PARAM_BACKWARD]);
    for (uint32_t s = 0; reader->stage_lines != NULL && s < STAGES_MAX; s++)
        if (reader->stage_lines[s] != 0)
            return refuse_clash(reader, line, "[stage N]", reader->stage_lines[s]);
    return true;
}

static bool open_section(struct reader *reader, const struct line *line)
{
    const char *name = line->name;
    enum param section = section_find(name);

    if (strncmp(name, "stage", 5) == 0 && (name[5] == '\0' || name[5] == ' ' || name[5] == '\t'))
        return open_stage(reader, line);
    if (section == PARAM_COUNT)
        return refuse_section(reader, line);
    unsigned *first = &reader->section_lines[section];
    if (*first != 0)
        return refuse_twice(reader, line, *first);
    *first = line->number;
    reader->section = section;
    reader->stage = PG_NONE;
    return first != layers_line(reader) || check_clash(reader, line);
}

static bool read_lines(struct reader *reader)
{
    const struct lines *lines = &reader->lines;

    for (size_t i = 0, first; i < lines->count;) {
        const struct line *line = &lines->line[i];
        for (first = i++; i < lines->count && lines->line[i].kind == LINE_MORE;)
            i++;
        if (line->kind == LINE_BAD)
            return config_refuse(reader, line->number, *line->value == '\0' ? "%s%s" : "'%s': %s",
                          text_excerpt(line->value).s, line->name);
        if (line->kind == LINE_SECTION ? !open_section(reader, line)
                                       : !read_key(reader, line, i - first))
            return false;
    }
    return true;
}

/* ---- the whole scenario ---- */

/* The first [stage N] for which there is no stage. */
static bool check_stages(struct reader *reader)
{
    uint32_t stages = scenario_stages(&reader->config->scenario), worst = PG_NONE;
    const unsigned *lines = reader->stage_lines;

    for (uint32_t s = stages; lines != NULL && s < STAGES_MAX; s++)
        if (lines[s] != 0 && (worst == PG_NONE || lines[s] < lines[worst]))
            worst = s;
    return worst == PG_NONE || config_refuse(reader, lines[worst],
                                      "there is no stage %u: of %u stages the last is stage %u",
                                      worst, stages, stages - 1);
}

/* Spreads a list over all stages and puts the [stage N] costs into it. A list of a length that
 * makes no sense is left for the check. */
static bool apply_overrides(struct reader *reader, enum param param)
{
    struct scenario *scenario = &reader->config->scenario;
    uint32_t stages = scenario_stages(scenario);
    struct list **field = scenario_costs(scenario, param), *list = NULL;

    for (size_t i = 0; i < reader->override_count; i++) {
        const struct override *override = &reader->overrides[i];
        if (override->param != param)
            continue;
        if (reader->config->lines[param] == 0)
            reader->config->lines[param] = override->line;
        if (list == NULL) {
            uint32_t n = *field == NULL ? 1 : (*field)->n;
            if (n != 1 && n != scenario->stages && n != stages)
                return true;
            list = list_make(stages);
            if (list == NULL)
                return config_refuse_memory(reader);
            costs_effective(scenario, param, list->v);
        }
        list->v[override->stage] = override->cost;
    }
    if (list != NULL)
        list_put(field, list);
    return true;
}

static bool is_of_counts(enum param param)
{
    enum param_kind kind = param_info(param)->kind;
    return kind == PARAM_KIND_COUNT || kind == PARAM_KIND_SCHEDULE;
}

/* The line to blame for a refusal: the parameter's own, else the last one that had a say. */
static unsigned find_culprit(const struct config *config, const struct refusal *refusal)
{
    bool given[PARAM_COUNT];
    enum param param = refusal->param;
    unsigned line = 0;

    for (enum param p = 0; p < PARAM_COUNT; p++)
        given[p] = config->lines[p] != 0;
    if (refusal->is_rule)
        param = rule_culprit(&config->scenario, given);
    if (config->scenario.layers != NULL && (param == PARAM_FORWARD || param == PARAM_BACKWARD))
        param = PARAM_LAYERS;
    if (param != PARAM_COUNT && config->lines[param] != 0)
        return config->lines[param];
    bool is_count = !counts_good(&config->scenario);
    for (enum param p = 0; p < PARAM_COUNT; p++)
        if (is_of_counts(p) == is_count && param_info(p)->kind != PARAM_KIND_TEXT)
            line = config->lines[p] > line ? config->lines[p] : line;
    return line;
}

/* How layers are split, without any, would be ignored in silence. */
static bool check_layers(struct reader *reader)
{
    const unsigned *lines = reader->config->lines;
    enum param p = lines[PARAM_SPLIT] != 0 ? PARAM_SPLIT : PARAM_RATIO;

    return lines[p] == 0 || lines[PARAM_LAYERS] != 0 ||
           config_refuse(reader, lines[p], "%s is for layers, but [layers] has no cost",
                  param_info(p)->key);
}

static bool finish(struct reader *reader)
{
    struct refusal refusal;

    if (!check_stages(reader) || !check_layers(reader))
        return false;
    for (enum param p = 0; p < PARAM_COUNT; p++)
        if (!apply_overrides(reader, p))
            return false;
    if (scenario_check(&reader->config->scenario, &refusal))
        return true;
    if (refusal.is_memory)
        return config_refuse_memory(reader);
    return config_refuse(reader, find_culprit(reader->config, &refusal), "%s", refusal.report.text);
}

static bool refuse_stream(struct reader *reader, enum lines_status status)
{
    if (status == LINES_TOO_LARGE)
        return refuse_file(reader->error, reader->name, 2, "is larger than 16 MiB", "");
    if (status == LINES_UNREADABLE)
        return refuse_file(reader->error, reader->name, 1, "cannot be read: ", strerror(errno));
    return config_refuse_memory(reader);
}

bool config_read(FILE *stream, const char *name, struct config *config, struct file_error *error)
{
    return config_read_with(stream, name, NULL, config, error);
}

bool config_read_with(FILE *stream, const char *name, struct table *table, struct config *config,
                      struct file_error *error)
{
    struct reader reader = {
        .config = config,
        .name = name,
        .error = error,
        .table = table,
        .section = PARAM_COUNT,
        .stage = PG_NONE,
    };
    enum lines_status status = lines_read(&reader.lines, stream);
    bool is_good = status == LINES_GOOD || refuse_stream(&reader, status);

    *config = (struct config){.has_comments = reader.lines.has_comments};
    if (is_good && !scenario_init(&config->scenario))
        is_good = config_refuse_memory(&reader);
    is_good = is_good && read_lines(&reader) && finish(&reader);
    lines_free(&reader.lines);
    free(reader.stage_lines);
    free(reader.overrides);
    if (!is_good)
        config_free(config);
    return is_good;
}

bool config_read_file(const char *path, struct config *config, struct file_error *error)
{
    if (strcmp(path, "-") == 0)
        return config_read(stdin, path, config, error);
    FILE *stream = input_open(path, false, error);
    if (stream == NULL)
        return false;
    bool is_good = config_read(stream, path, config, error);
    fclose(stream);
    return is_good;
}

void config_free(struct config *config)
{
    scenario_free(&config->scenario);
}
