/* Scenario parameters to and from text: see scenario.h.
 *
 * One row of scenario.def says what a parameter is; the table below says where its value lives in
 * the struct, and a function per kind reads or writes it, so a new parameter of a known kind is one
 * row and one field. */
#include "model/scenario.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const size_t fields[PARAM_COUNT] = {
    [PARAM_TITLE] = offsetof(struct scenario, title),
    [PARAM_NOTES] = offsetof(struct scenario, notes),
    [PARAM_TIME] = offsetof(struct scenario, time),
    [PARAM_STAGES] = offsetof(struct scenario, stages),
    [PARAM_MICRO_BATCHES] = offsetof(struct scenario, micro_batches),
    [PARAM_CHUNKS] = offsetof(struct scenario, chunks),
    [PARAM_GROUP] = offsetof(struct scenario, group),
    [PARAM_TRANSFER] = offsetof(struct scenario, transfer),
    [PARAM_FUSED] = offsetof(struct scenario, fused),
    [PARAM_MEMORY_LIMIT] = offsetof(struct scenario, memory_limit),
    [PARAM_FORWARD] = offsetof(struct scenario, forward),
    [PARAM_BACKWARD] = offsetof(struct scenario, backward),
    [PARAM_WEIGHT] = offsetof(struct scenario, weight),
    [PARAM_ACTIVATION] = offsetof(struct scenario, activation),
    [PARAM_WEIGHT_ACTIVATION] = offsetof(struct scenario, weight_activation),
    [PARAM_LAYERS] = offsetof(struct scenario, layers),
    [PARAM_RATIO] = offsetof(struct scenario, backward_ratio),
};

struct list **scenario_costs(struct scenario *scenario, enum param param)
{
    return param_info(param)->kind == PARAM_KIND_COSTS
               ? (struct list **)(void *)((char *)scenario + fields[param])
               : NULL;
}

/* ---- reading ---- */

static bool refuse(struct report *report, const char *key, const char *given, const char *allowed)
{
    struct text text;
    char shown[80];

    text_init(&text, shown, sizeof shown);
    text_printable(&text, given);
    bool is_cut = text.is_cut;
    text_init(&text, report->text, sizeof report->text);
    text_addf(&text, "%s is '%s%s': %s", key, shown, is_cut ? "…" : "", allowed);
    report->is_memory = false;
    return false;
}

static bool refuse_memory(struct report *report, const char *key, const char *given)
{
    refuse(report, key, given, "there is not enough memory for it");
    report->is_memory = true;
    return false;
}

static void describe_bounds(const struct param_info *info, struct text *out)
{
    if (info->is_least_excluded || info->least > 0) {
        text_add(out, info->is_least_excluded ? "more than " : "at least ");
        text_number(out, info->least);
    } else {
        text_add(out, "0 or more");
    }
    text_add(out, " and at most ");
    text_number(out, info->most);
}

static bool in_bounds(const struct param_info *info, double value)
{
    return (info->is_least_excluded ? value > info->least : value >= info->least) &&
           value <= info->most;
}

bool param_allows(enum param param, double value)
{
    return in_bounds(param_info(param), value);
}

static bool refuse_number(struct report *report, const struct param_info *info, const char *label,
                          const char *given, bool is_alone)
{
    char allowed[120];
    struct text text;

    text_init(&text, allowed, sizeof allowed);
    text_add(&text, info->kind == PARAM_KIND_COUNT ? "a whole number, " : "a number, ");
    describe_bounds(info, &text);
    text_add(&text, is_alone ? ", or " PARAM_DEFAULT " is needed" : ", is needed");
    return refuse(report, label, given, allowed);
}

/* A piece of a list, trimmed of blanks, in a buffer; false when it is too long to be a number. */
static bool copy_piece(char *buffer, size_t size, const char *from, const char *to)
{
    while (from < to && (*from == ' ' || *from == '\t' || *from == '\n'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\n'))
        to--;
    size_t length = (size_t)(to - from);
    bool fits = length < size;
    if (!fits)
        length = size - 1;
    memcpy(buffer, from, length);
    buffer[length] = '\0';
    return fits;
}

/* One item of a list, `N*` taken off. Where the list ends, `*at` becomes NULL. */
struct item {
    char text[400];
    uint64_t repeat;
    uint32_t place; /* from 1 */
};

static const char *next_piece_end(const char *at)
{
    const char *comma = strchr(at, ',');
    return comma == NULL ? at + strlen(at) : comma;
}

static bool next_item(const char **at, struct item *item, bool has_repeats)
{
    const char *end = next_piece_end(*at);
    const char *star = has_repeats ? memchr(*at, '*', (size_t)(end - *at)) : NULL;
    bool is_good = true;

    item->repeat = 1;
    item->place++;
    if (star != NULL) {
        is_good = copy_piece(item->text, sizeof item->text, *at, star) &&
                  count_parse(item->text, &item->repeat) && item->repeat > 0;
    }
    if (is_good)
        is_good = copy_piece(item->text, sizeof item->text, star == NULL ? *at : star + 1, end);
    else
        copy_piece(item->text, sizeof item->text, *at, end);
    *at = *end == ',' ? end + 1 : NULL;
    return is_good;
}

/* "forward[3]" for item 3 of a list, "forward" for the only one. */
static const char *item_label(char *buffer, size_t size, const char *key, const char *value,
                              uint32_t place)
{
    struct text text;

    text_init(&text, buffer, size);
    text_add(&text, key);
    if (strchr(value, ',') != NULL)
        text_addf(&text, ", value %u,", place);
    return buffer;
}

static bool set_costs(struct list **field, const struct param_info *info, const char *value,
                      struct report *report)
{
    uint32_t n = 1;
    for (const char *s = value; *s != '\0'; s++)
        n += *s == ',';
    if (n > PG_MAX_DEVICES * PG_MAX_CHUNKS) {
        char given[TEXT_NUMBER_SIZE], label[60];
        struct text text;
        text_init(&text, label, sizeof label);
        text_addf(&text, "number of values of %s", info->key);
        return refuse(report, label, number_write(given, n), "at most 262144 are allowed");
    }
    struct list *list = list_make(n);
    if (list == NULL)
        return refuse_memory(report, info->key, value);

    struct item item = {.place = 0};
    for (const char *at = value; at != NULL;) {
        bool is_good = next_item(&at, &item, false);
        double *number = &list->v[item.place - 1];
        if (is_good && number_parse(item.text, number) && in_bounds(info, *number))
            continue;
        char label[60];
        list_release(&list);
        return refuse_number(report, info, item_label(label, sizeof label, info->key, value,
                                                      item.place), item.text, n == 1);
    }
    list_put(field, list);
    return true;
}

/* A list that grows by repeats: layers (pairs) and split counts. */
struct growing {
    struct list *list;
    uint32_t used;
};

static bool grow(struct growing *growing, const double *values, uint32_t width, uint64_t repeat)
{
    uint32_t needed = growing->used + (uint32_t)repeat * width;

    if (growing->list == NULL || needed > growing->list->n) {
        struct list *larger = list_make(needed * 2);
        if (larger == NULL)
            return false;
        if (growing->used > 0)
            memcpy(larger->v, growing->list->v, growing->used * sizeof larger->v[0]);
        list_put(&growing->list, larger);
    }
    for (; growing->used < needed; growing->used += width)
        memcpy(growing->list->v + growing->used, values, width * sizeof *values);
    return true;
}

/* The list cut to what is used, handed over. */
static struct list *grown(struct growing *growing)
{
    struct list *list = list_make(growing->used);

    if (list != NULL)
        memcpy(list->v, growing->list->v, growing->used * sizeof list->v[0]);
    list_release(&growing->list);
    return list;
}

static bool parse_layer(const struct param_info *info, const char *text, double pair[2])
{
    char forward[400];
    const char *slash = strchr(text, '/');

    pair[1] = NAN;
    if (slash == NULL)
        return number_parse(text, &pair[0]) && in_bounds(info, pair[0]);
    return copy_piece(forward, sizeof forward, text, slash) && number_parse(forward, &pair[0]) &&
           number_parse(slash + 1 + strspn(slash + 1, " \t"), &pair[1]) &&
           in_bounds(info, pair[0]) && in_bounds(info, pair[1]);
}

static bool set_layers(struct list **field, const struct param_info *info, const char *value,
                       struct report *report)
{
    struct growing growing = {NULL, 0};
    struct item item = {.place = 0};
    char label[60];

    for (const char *at = value; at != NULL;) {
        double pair[2] = {0, 0};
        bool is_good = next_item(&at, &item, true) && parse_layer(info, item.text, pair);
        uint64_t layers = item.repeat + growing.used / 2;
        if (is_good && layers > PG_MAX_LAYERS) {
            char given[TEXT_NUMBER_SIZE];
            number_write(given, (double)layers);
            list_release(&growing.list);
            return refuse(report, "number of layers", given, "at most 65536 are allowed");
        }
        if (is_good && grow(&growing, pair, 2, item.repeat))
            continue;
        list_release(&growing.list);
        if (is_good)
            return refuse_memory(report, "layers", value);
        return refuse(report,
                      item_label(label, sizeof label, "layer cost", value, item.place), item.text,
                      strchr(value, ',') == NULL
                          ? "F, F/B or N*F/B, with F and B at least 0, or " PARAM_DEFAULT
                            " is needed"
                          : "F, F/B or N*F/B is needed, with F and B 0 or more");
    }
    struct list *list = grown(&growing);
    if (list == NULL)
        return refuse_memory(report, "layers", value);
    list_put(field, list);
    return true;
}

static bool set_split(struct scenario *scenario, const char *value, struct report *report)
{
    struct growing growing = {NULL, 0};
    struct item item = {.place = 0};

    if (strcmp(value, "balanced") == 0 || strcmp(value, "uniform") == 0) {
        scenario->split = value[0] == 'b' ? SPLIT_BALANCED : SPLIT_UNIFORM;
        list_release(&scenario->counts);
        return true;
    }
    for (const char *at = value; at != NULL;) {
        uint64_t count = 0;
        bool is_good = next_item(&at, &item, true) && count_parse(item.text, &count) &&
                       count > 0 && count <= PG_MAX_LAYERS &&
                       item.repeat + growing.used <= PG_MAX_LAYERS;
        double number = (double)count;
        if (is_good && grow(&growing, &number, 1, item.repeat))
            continue;
        list_release(&growing.list);
        if (is_good)
            return refuse_memory(report, "split", value);
        return refuse(report, "split", value,
                      "balanced, uniform, a list of layer counts such as 7,14*8,7 or " PARAM_DEFAULT
                      " is needed");
    }
    struct list *list = grown(&growing);
    if (list == NULL)
        return refuse_memory(report, "split", value);
    scenario->split = SPLIT_GIVEN;
    list_put(&scenario->counts, list);
    return true;
}

static bool set_schedule(struct scenario *scenario, const char *value, struct report *report)
{
    const struct pg_family *family = pg_family_find(value);
    if (family != NULL) {
        scenario_set_table(scenario, NULL);
        scenario->schedule = family;
        return true;
    }
    if (table_named(value) != NULL)
        return refuse(report, "schedule", value,
                      "a table has to be read from its file before it is a schedule");
    char allowed[300];
    struct text text;
    uint32_t count;
    const struct pg_family *families = pg_families(&count);
    text_init(&text, allowed, sizeof allowed);
    text_add(&text, "the schedules are");
    for (uint32_t i = 0; i < count; i++)
        text_addf(&text, "%s %s", i == 0 ? "" : ",", families[i].name);
    text_add(&text, ", file:NAME for a table, and " PARAM_DEFAULT);
    return refuse(report, "schedule", value, allowed);
}

/* Text that an INI file could not give back is refused when it is set, not found out when saving. */
static const char *text_flaw(enum param param, const char *value)
{
    bool is_line_start = true;

    for (const char *s = value; *s != '\0'; s++) {
        if (*s == '\n' && param != PARAM_NOTES)
            return "it must be one line";
        if (*s == ';' && s > value && (s[-1] == ' ' || s[-1] == '\t'))
            return "a ';' after a blank begins a comment in a scenario file";
        if (is_line_start && *s == ';')
            return "a line must not begin with ';'";
        if (is_line_start && param == PARAM_NOTES && (*s == '#' || *s == '['))
            return "a line must not begin with '#' or '['";
        is_line_start = *s == '\n' || (is_line_start && (*s == ' ' || *s == '\t'));
    }
    return NULL;
}

/* What a line of a scenario file has room for behind `title = `. */
#define TEXT_LINE_MAX (65536 - 8)

/* Adds the lines of `value`, which is cut up on the way, made printable. Blanks around a line and
 * empty lines around the whole are dropped, as reading them from a file would. */
static bool add_lines(struct text *out, char *value)
{
    uint32_t breaks = 0;

    for (char *line = value, *next; line != NULL; line = next, breaks++) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        line += strspn(line, " \t\r");
        size_t length = strlen(line);
        while (length > 0 && strchr(" \t\r", line[length - 1]) != NULL)
            line[--length] = '\0';
        if (length == 0)
            continue;
        for (; breaks > 0 && out->length > 0; breaks--)
            text_add(out, "\n");
        breaks = 0;
        size_t before = out->length;
        text_printable(out, line);
        if (out->length - before > TEXT_LINE_MAX)
            return false;
    }
    return true;
}

static bool set_text(struct scenario *scenario, enum param param, const char *value,
                     struct report *report)
{
    struct string **field = (struct string **)(void *)((char *)scenario + fields[param]);
    const char *flaw = text_flaw(param, value);
    if (flaw != NULL)
        return refuse(report, param_info(param)->key, value, flaw);

    /* Invalid bytes grow to three when made printable. */
    size_t length = strlen(value), size = length * 3 + 1;
    struct string *string = malloc(sizeof *string + size);
    char *copy = malloc(length + 1);
    struct text text;
    if (string == NULL || copy == NULL) {
        free(copy);
        free(string);
        return refuse_memory(report, param_info(param)->key, value);
    }
    string->refs = 1;
    text_init(&text, string->s, size);
    memcpy(copy, value, length + 1);
    if (!add_lines(&text, copy))
        flaw = "a line must have at most 65528 bytes";
    free(copy);
    if (flaw != NULL) {
        free(string);
        return refuse(report, param_info(param)->key, value, flaw);
    }
    string_release(field);
    if (text.length == 0)
        free(string);
    else
        *field = string;
    return true;
}

static bool set_number(struct scenario *scenario, enum param param, const char *value,
                       struct report *report)
{
    const struct param_info *info = param_info(param);
    void *field = (char *)scenario + fields[param];
    double number = 0;

    if (info->kind == PARAM_KIND_COUNT) {
        /* 1e6 is a whole number too. */
        if (!number_parse(value, &number) || number != floor(number) || !in_bounds(info, number))
            return refuse_number(report, info, info->key, value, true);
        if (scenario_clashes(scenario, param, (uint32_t)number, report))
            return false;
        *(uint32_t *)field = (uint32_t)number;
        return true;
    }
    if (!number_parse(value, &number) || !in_bounds(info, number))
        return refuse_number(report, info, info->key, value, true);
    *(double *)field = number;
    return true;
}

bool scenario_set(struct scenario *scenario, enum param param, const char *value,
                  struct report *report)
{
    const struct param_info *info = param_info(param);
    void *field = (char *)scenario + fields[param];

    if (param_is_default_word(param, value)) {
        if (scenario_is_fixed(scenario, param)) /* to what it has without anybody's word */
            return true;
        if (info->fallback[0] != '\0')
            return scenario_set(scenario, param, info->fallback, report);
        scenario_unset(scenario, param);
        return true;
    }
    if (*value == '\0' && info->kind != PARAM_KIND_TEXT)
        return refuse(report, info->key, value, "a value is needed");
    switch (info->kind) {
    case PARAM_KIND_SCHEDULE:
        return set_schedule(scenario, value, report);
    case PARAM_KIND_COUNT:
    case PARAM_KIND_NUMBER:
        return set_number(scenario, param, value, report);
    case PARAM_KIND_COSTS:
        return set_costs(field, info, value, report);
    case PARAM_KIND_LAYERS:
        return set_layers(field, info, value, report);
    case PARAM_KIND_SPLIT:
        return set_split(scenario, value, report);
    case PARAM_KIND_HOLD:
        if (strcmp(value, "stage") != 0 && strcmp(value, "model") != 0)
            return refuse(report, "hold", value, "stage, model or " PARAM_DEFAULT " is needed");
        scenario->hold = value[0] == 's' ? HOLD_STAGE : HOLD_MODEL;
        return true;
    case PARAM_KIND_TEXT:
        return set_text(scenario, param, value, report);
    }
    return false;
}

/* ---- writing ---- */

static bool pairs_equal(const double *a, const double *b, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i]))))
            return false;
    return true;
}

/* Runs of equal entries become N*entry; width 2 writes F or F/B. */
static void write_runs(const struct list *list, uint32_t width, struct text *out)
{
    for (uint32_t i = 0; i < list->n;) {
        const double *entry = &list->v[i];
        uint32_t run = 0;
        for (; i < list->n && pairs_equal(&list->v[i], entry, width); i += width)
            run++;
        if (entry != list->v)
            text_add(out, ", ");
        if (run > 1)
            text_addf(out, "%u*", run);
        text_number(out, entry[0]);
        if (width == 2 && !isnan(entry[1])) {
            text_add(out, "/");
            text_number(out, entry[1]);
        }
    }
}

static void write_costs(const struct scenario *scenario, const struct list *list, struct text *out)
{
    bool is_one = list->n == 1 || list->n == scenario->stages;

    for (uint32_t i = 1; i < list->n && is_one; i++)
        is_one = list->v[i] == list->v[0];
    for (uint32_t i = 0; i < (is_one ? 1 : list->n); i++) {
        if (i > 0)
            text_add(out, ", ");
        text_number(out, list->v[i]);
    }
}

void scenario_write(const struct scenario *scenario, enum param param, struct text *out)
{
    const void *field = (const char *)scenario + fields[param];

    switch (param_info(param)->kind) {
    case PARAM_KIND_SCHEDULE:
        if (scenario->table != NULL)
            text_addf(out, "file:%s", scenario->table->path);
        else
            text_add(out, scenario->schedule->name);
        break;
    case PARAM_KIND_COUNT: /* 0 is no count: the parameter is not given */
        if (*(const uint32_t *)field != 0)
            text_addf(out, "%u", *(const uint32_t *)field);
        break;
    case PARAM_KIND_NUMBER:
        if (param_allows(param, *(const double *)field))
            text_number(out, *(const double *)field);
        break;
    case PARAM_KIND_COSTS:
        if (*(struct list *const *)field != NULL)
            write_costs(scenario, *(struct list *const *)field, out);
        break;
    case PARAM_KIND_LAYERS:
        if (scenario->layers != NULL)
            write_runs(scenario->layers, 2, out);
        break;
    case PARAM_KIND_SPLIT:
        if (scenario->split == SPLIT_GIVEN)
            write_runs(scenario->counts, 1, out);
        else
            text_add(out, scenario->split == SPLIT_BALANCED ? "balanced" : "uniform");
        break;
    case PARAM_KIND_HOLD:
        text_add(out, scenario->hold == HOLD_STAGE ? "stage" : "model");
        break;
    case PARAM_KIND_TEXT:
        text_add(out, string_text(*(struct string *const *)field));
        break;
    }
}

static size_t list_count(const struct list *list)
{
    return list == NULL ? 0 : list->n;
}

size_t scenario_write_size(const struct scenario *scenario, enum param param)
{
    const void *field = (const char *)scenario + fields[param];

    switch (param_info(param)->kind) {
    case PARAM_KIND_SCHEDULE:
        return scenario->table == NULL ? 128 : strlen(scenario->table->path) + 16;
    case PARAM_KIND_COSTS:
        return list_count(*(struct list *const *)field) * (size_t)TEXT_NUMBER_SIZE + 64;
    case PARAM_KIND_LAYERS:
        return layer_count(scenario) * (size_t)(TEXT_NUMBER_SIZE * 2 + 16) + 64;
    case PARAM_KIND_SPLIT:
        return list_count(scenario->counts) * (size_t)TEXT_NUMBER_SIZE + 64;
    case PARAM_KIND_TEXT:
        return strlen(string_text(*(struct string *const *)field)) + 1;
    default:
        return 128;
    }
}

bool scenario_is_default(const struct scenario *scenario, enum param param)
{
    char buffer[128];
    struct text text;

    if (scenario_write_size(scenario, param) > sizeof buffer)
        return false;
    text_init(&text, buffer, sizeof buffer);
    scenario_write(scenario, param, &text);
    return strcmp(buffer, param_info(param)->fallback) == 0;
}
