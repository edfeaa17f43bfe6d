/* The expression language of lessons: see goal.h. One grammar for numbers and conditions, with
 * binding powers; what may stand where is a matter of kinds, checked as parts are put together, so
 * that a finished goal needs no checks when it is evaluated (goal_facts.c). */
#include "model/goal_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 24

const struct figure_info goal_figures[FIGURE_COUNT] = {
#define FIGURE(id, name, index, unit, value) {name, INDEX_##index, UNIT_##unit},
#include "model/figure.def"
#undef FIGURE
};

enum kind { KIND_NUMBER, KIND_CONDITION };

struct parser {
    const char *text, *at;
    struct goal_part part[GOAL_MOST_PARTS];
    uint32_t count;
    int depth;
    struct report *report;
    bool is_failed;
};

/* ---- errors ---- */

/* The sentence begins with where: what stands there, as far as a message can show it. */
static void fail(struct parser *parser, const char *where, const char *what)
{
    char shown[60];
    struct text text;

    if (parser->is_failed)
        return;
    parser->is_failed = true;
    text_init(&text, shown, sizeof shown);
    text_printable(&text, where);
    text_init(&text, parser->report->text, sizeof parser->report->text);
    if (*where == '\0')
        text_addf(&text, "at the end: %s", what);
    else
        text_addf(&text, "at '%s%s': %s", shown, strlen(where) >= sizeof shown ? "…" : "", what);
}

static void fail_figure(struct parser *parser, const char *where)
{
    char list[400];
    struct text text;

    text_init(&text, list, sizeof list);
    text_add(&text, "no such figure; there are schedule, answer");
    for (enum figure f = 0; f < FIGURE_COUNT; f++)
        text_addf(&text, ", %s%s", goal_figures[f].name,
                  goal_figures[f].index != INDEX_PLAIN ? " N" : "");
    fail(parser, where, list);
}

/* ---- words of the language ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\n");
}

static size_t word_length(const char *at)
{
    size_t length = 0;

    if (is_letter(*at))
        while (is_letter(at[length]) || is_digit(at[length]))
            length++;
    return length;
}

static bool is_word(const char *at, const char *word)
{
    size_t length = word_length(at);
    return length == strlen(word) && memcmp(at, word, length) == 0;
}

static bool take_word(struct parser *parser, const char *word)
{
    skip_blanks(parser);
    if (!is_word(parser->at, word))
        return false;
    parser->at += strlen(word);
    return true;
}

static bool take_sign(struct parser *parser, const char *sign)
{
    skip_blanks(parser);
    if (strncmp(parser->at, sign, strlen(sign)) != 0)
        return false;
    parser->at += strlen(sign);
    return true;
}

/* ---- parts ---- */

static void add(struct parser *parser, struct goal_part part)
{
    if (parser->count == GOAL_MOST_PARTS)
        fail(parser, parser->at, "a condition has at most 64 numbers, figures and signs");
    else
        parser->part[parser->count++] = part;
}

static void parse_number(struct parser *parser)
{
    char digits[40];
    const char *at = parser->at, *from = at;
    double number;

    while (is_digit(*at) || *at == '.' || ((*at == 'e' || *at == 'E') && at > from) ||
           ((*at == '-' || *at == '+') && at > from && (at[-1] == 'e' || at[-1] == 'E')))
        at++;
    size_t length = (size_t)(at - from);
    if (length < sizeof digits) {
        memcpy(digits, from, length);
        digits[length] = '\0';
    }
    if (length >= sizeof digits || !number_parse(digits, &number)) {
        fail(parser, from, "this is no number");
        return;
    }
    if (*at == '%') {
        at++;
        number /= 100;
    }
    parser->at = at;
    add(parser, (struct goal_part){.code = CODE_NUMBER, .number = number});
}

/* Names of families are no words of the language: 1f1b, zb-h1. */
static void parse_family(struct parser *parser)
{
    char name[40];
    bool is_not = take_sign(parser, "!=");

    if (!is_not && !take_sign(parser, "=")) {
        fail(parser, parser->at, "schedule needs = or != and the name of a family");
        return;
    }
    skip_blanks(parser);
    const char *from = parser->at;
    size_t length = strspn(from, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (length < sizeof name) {
        memcpy(name, from, length);
        name[length] = '\0';
    }
    const struct pg_family *family = length < sizeof name ? pg_family_find(name) : NULL;
    if (family == NULL) {
        fail(parser, from, "no such family; --list-schedules has their names");
        return;
    }
    parser->at += length;
    add(parser, (struct goal_part){.code = CODE_FAMILY, .family = family});
    if (is_not)
        add(parser, (struct goal_part){.code = CODE_NOT});
}

static void parse_figure(struct parser *parser, bool is_start)
{
    struct goal_part part = {.code = CODE_FIGURE, .is_start = is_start};
    char digits[12];
    uint64_t index = 0;

    skip_blanks(parser);
    while (part.figure < FIGURE_COUNT && !is_word(parser->at, goal_figures[part.figure].name))
        part.figure++;
    if (part.figure == FIGURE_COUNT) {
        fail_figure(parser, parser->at);
        return;
    }
    const char *from = parser->at;
    parser->at += strlen(goal_figures[part.figure].name);
    if (goal_figures[part.figure].index != INDEX_PLAIN) {
        skip_blanks(parser);
        size_t length = strspn(parser->at, "0123456789");
        snprintf(digits, sizeof digits, "%.*s", (int)(length < 11 ? length : 11), parser->at);
        if (!count_parse(digits, &index) || index >= (uint64_t)PG_MAX_DEVICES * PG_MAX_CHUNKS) {
            fail(parser, from,
                 goal_figures[part.figure].index == INDEX_DEVICE
                     ? "this figure needs the number of a device, from 0"
                     : "this figure needs the number of a stage, from 0");
            return;
        }
        parser->at += length;
        part.index = (uint32_t)index;
    }
    add(parser, part);
}

/* ---- grammar ---- */

static enum kind parse(struct parser *parser, int power);

static enum kind parse_group(struct parser *parser)
{
    enum kind kind = parse(parser, 0);

    if (!parser->is_failed && !take_sign(parser, ")"))
        fail(parser, parser->at, "a ) is missing before this");
    return kind;
}

enum { POWER_OR = 1, POWER_AND, POWER_NOT, POWER_COMPARISON, POWER_SUM, POWER_PRODUCT, POWER_SIGN };

static enum kind parse_operand(struct parser *parser, enum code code, int power, enum kind wanted)
{
    const char *from = parser->at;
    enum kind kind = parse(parser, power);

    if (kind != wanted)
        fail(parser, from,
             wanted == KIND_NUMBER ? "a number or figure is needed here"
                                   : "a comparison is needed here");
    add(parser, (struct goal_part){.code = code});
    return wanted;
}

static enum kind parse_first(struct parser *parser)
{
    skip_blanks(parser);
    if (take_sign(parser, "("))
        return parse_group(parser);
    if (take_sign(parser, "-"))
        return parse_operand(parser, CODE_NEGATE, POWER_SIGN, KIND_NUMBER);
    if (take_word(parser, "not"))
        return parse_operand(parser, CODE_NOT, POWER_NOT, KIND_CONDITION);
    if (take_word(parser, "schedule")) {
        parse_family(parser);
        return KIND_CONDITION;
    }
    if (take_word(parser, "answer"))
        add(parser, (struct goal_part){.code = CODE_ANSWER});
    else if (take_word(parser, "start"))
        parse_figure(parser, true);
    else if (is_digit(*parser->at) || *parser->at == '.')
        parse_number(parser);
    else if (is_letter(*parser->at))
        parse_figure(parser, false);
    else
        fail(parser, parser->at, "a number or the name of a figure is needed");
    return KIND_NUMBER;
}

struct sign {
    const char *sign; /* longer ones before what they begin with */
    enum code code;
    int power;
    enum kind operands;
};

static const struct sign signs[] = {
    {"or", CODE_OR, POWER_OR, KIND_CONDITION},
    {"and", CODE_AND, POWER_AND, KIND_CONDITION},
    {"<=", CODE_LESS_EQUAL, POWER_COMPARISON, KIND_NUMBER},
    {">=", CODE_MORE_EQUAL, POWER_COMPARISON, KIND_NUMBER},
    {"!=", CODE_DIFFERENT, POWER_COMPARISON, KIND_NUMBER},
    {"<", CODE_LESS, POWER_COMPARISON, KIND_NUMBER},
    {">", CODE_MORE, POWER_COMPARISON, KIND_NUMBER},
    {"=", CODE_EQUAL, POWER_COMPARISON, KIND_NUMBER},
    {"+", CODE_ADD, POWER_SUM, KIND_NUMBER},
    {"-", CODE_SUBTRACT, POWER_SUM, KIND_NUMBER},
    {"*", CODE_MULTIPLY, POWER_PRODUCT, KIND_NUMBER},
    {"/", CODE_DIVIDE, POWER_PRODUCT, KIND_NUMBER},
};

/* The sign between two operands that binds tighter than `power`, taken; NULL when there is none. */
static const struct sign *take_operator(struct parser *parser, int power)
{
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const char *before = parser->at;
        bool is_there = is_letter(signs[i].sign[0]) ? take_word(parser, signs[i].sign)
                                                    : take_sign(parser, signs[i].sign);
        if (is_there && signs[i].power > power)
            return &signs[i];
        if (is_there) {
            parser->at = before;
            return NULL;
        }
    }
    return NULL;
}

static enum kind parse(struct parser *parser, int power)
{
    const struct sign *sign;
    const char *from = parser->at;

    if (++parser->depth > MOST_DEPTH)
        fail(parser, from, "this is nested too deeply");
    enum kind kind = parser->is_failed ? KIND_NUMBER : parse_first(parser);
    while (!parser->is_failed && (sign = take_operator(parser, power)) != NULL) {
        bool is_number = sign->operands == KIND_NUMBER;
        if (kind != sign->operands)
            fail(parser, from,
                 is_number ? "a comparison cannot be compared or added to"
                           : "and, or need a comparison on either side");
        else
            parse_operand(parser, sign->code, sign->power, sign->operands);
        kind = sign->power <= POWER_COMPARISON ? KIND_CONDITION : KIND_NUMBER;
    }
    parser->depth--;
    return kind;
}

static bool parse_whole(struct parser *parser, const char *text, enum kind wanted,
                        struct report *report)
{
    *parser = (struct parser){.text = text, .at = text, .report = report};
    enum kind kind = parse(parser, 0);

    skip_blanks(parser);
    if (!parser->is_failed && *parser->at != '\0')
        fail(parser, parser->at, "and, or, or the end is needed before this");
    if (kind != wanted)
        fail(parser, text,
             wanted == KIND_CONDITION ? "this compares nothing: < <= > >= = or != is needed"
                                      : "a number or figure is needed, not a comparison");
    return !parser->is_failed;
}

bool goal_parse(struct goal *goal, const char *text, struct report *report)
{
    struct parser parser;

    *goal = (struct goal){.count = 0};
    report->is_memory = false;
    if (!parse_whole(&parser, text, KIND_CONDITION, report))
        return false;
    goal->part = malloc(parser.count * sizeof goal->part[0]);
    if (goal->part == NULL) {
        strcpy(report->text, "there is not enough memory");
        report->is_memory = true;
        return false;
    }
    memcpy(goal->part, parser.part, parser.count * sizeof goal->part[0]);
    goal->count = parser.count;
    return true;
}

bool goal_parse_sum(struct goal_sum *sum, const char *text, struct report *report)
{
    struct parser parser;

    report->is_memory = false;
    if (!parse_whole(&parser, text, KIND_NUMBER, report))
        return false;
    memcpy(sum->part, parser.part, parser.count * sizeof parser.part[0]);
    sum->count = parser.count;
    return true;
}

void goal_free(struct goal *goal)
{
    free(goal->part);
    *goal = (struct goal){.count = 0};
}
