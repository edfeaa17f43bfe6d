/* What a condition or sum is made of, shared by the two who know it: goal.c puts parts together,
 * goal_facts.c evaluates them. A finished list of parts needs no checks when it is evaluated. */
#ifndef MODEL_GOAL_PARTS_H
#define MODEL_GOAL_PARTS_H

#include "model/goal.h"

#define GOAL_MOST_PARTS 64

enum figure_index { INDEX_PLAIN, INDEX_DEVICE, INDEX_STAGE };
enum figure_unit { UNIT_NUMBER, UNIT_SHARE };

enum figure {
#define FIGURE(id, name, index, unit, value) FIGURE_##id,
#include "model/figure.def"
#undef FIGURE
    FIGURE_COUNT
};

struct figure_info {
    const char *name;
    enum figure_index index;
    enum figure_unit unit;
};

extern const struct figure_info goal_figures[FIGURE_COUNT];

enum code {
    CODE_NUMBER,
    CODE_FIGURE,
    CODE_ANSWER,
    CODE_FAMILY,
    CODE_NEGATE,
    CODE_NOT,
    CODE_ADD,
    CODE_SUBTRACT,
    CODE_MULTIPLY,
    CODE_DIVIDE,
    CODE_LESS,
    CODE_LESS_EQUAL,
    CODE_MORE,
    CODE_MORE_EQUAL,
    CODE_EQUAL,
    CODE_DIFFERENT,
    CODE_AND,
    CODE_OR,
};

struct goal_part {
    enum code code;
    bool is_start;
    enum figure figure;
    uint32_t index;
    double number;
    const struct pg_family *family;
};

/* A sum, as between the braces of words: no condition. */
struct goal_sum {
    struct goal_part part[GOAL_MOST_PARTS];
    uint32_t count;
};

bool goal_parse_sum(struct goal_sum *sum, const char *text, struct report *report);

#endif
