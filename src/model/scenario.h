/* A scenario: everything that describes one pipeline-parallel training step, as the user gave it.
 *
 * scenario.def lists the parameters; here is where they are kept and how they go to and from text.
 * A scenario is a value: copying it is cheap because lists and texts are shared and never changed
 * in place, which is what makes undoing everything simple. Which combinations can be drawn is
 * decided by resolve.h. */
#ifndef MODEL_SCENARIO_H
#define MODEL_SCENARIO_H

#include "core/pg.h"
#include "model/table.h"
#include "model/text.h"

/* A shared list of numbers. Immutable once more than one scenario holds it. */
struct list {
    uint32_t refs, n;
    double v[];
};

/* A shared string. */
struct string {
    uint32_t refs;
    char s[];
};

enum hold { HOLD_STAGE, HOLD_MODEL };
enum split { SPLIT_BALANCED, SPLIT_UNIFORM, SPLIT_GIVEN };

struct scenario {
    struct string *title, *notes, *time;
    const struct pg_family *schedule;
    struct table *table;     /* of the family that is_table: it fixes P, M and V; else NULL */
    uint32_t stages, micro_batches, chunks;
    uint32_t group;          /* 0: the family's own rule */
    double transfer, fused;
    double memory_limit;     /* 0: none */
    enum hold hold;
    struct list *forward, *backward; /* 1, P or P*V values; unused while there are layers */
    struct list *weight;             /* likewise; NULL: half of backward */
    struct list *activation, *weight_activation; /* likewise; NULL: 1 a device, all of it */
    struct list *layers;             /* NULL, or forward and backward of each: NAN = ratio * forward */
    enum split split;
    struct list *counts;             /* of SPLIT_GIVEN */
    double backward_ratio;
};

enum param {
#define PARAM(id, kind, section, key, letter, option, metavar, least, most, fallback, absent, help) \
    PARAM_##id,
#include "model/scenario.def"
#undef PARAM
    PARAM_COUNT
};

enum param_kind {
    PARAM_KIND_SCHEDULE,
    PARAM_KIND_COUNT,
    PARAM_KIND_NUMBER,
    PARAM_KIND_COSTS,
    PARAM_KIND_LAYERS,
    PARAM_KIND_SPLIT,
    PARAM_KIND_HOLD,
    PARAM_KIND_TEXT,
};

struct param_info {
    enum param_kind kind;
    const char *section, *key;
    char letter;
    const char *option, *metavar;
    double least, most;
    bool is_least_excluded;
    const char *fallback, *absent, *help;
};

/* What is wrong, what was given, what is allowed: one sentence without its place. */
struct report {
    char text[512];
    bool is_memory; /* nothing is wrong with what was given: there was no memory for it */
};

const struct param_info *param_info(enum param param);
/* Is a number within the parameter's bounds? */
bool param_allows(enum param param, double value);
/* The word for "as if it were not given", wherever a value can stand. */
#define PARAM_DEFAULT "default"
/* Is the value that word? A text may be any word, this one too. */
bool param_is_default_word(enum param param, const char *value);
/* What one that is not given is: a value, or words; "" for text. */
const char *param_default(enum param param);
/* By INI key, option name or option letter; PARAM_COUNT when there is none. */
enum param param_find(const char *name);

/* The default scenario. False when out of memory. */
bool scenario_init(struct scenario *scenario);
void scenario_free(struct scenario *scenario);
/* `to` becomes the same as `from`, sharing its lists; what it held before is freed. */
void scenario_copy(struct scenario *to, const struct scenario *from);
/* Takes a table up as the schedule (one reference handed over), or drops it with NULL, which needs
 * another family to follow. */
void scenario_set_table(struct scenario *scenario, struct table *table);
/* The schedule as people call it: the family's title, or "Table" and the table's name. */
void scenario_write_schedule(const struct scenario *scenario, struct text *out);
/* Is it a count that the table fixes? */
bool scenario_is_fixed(const struct scenario *scenario, enum param param);
/* Is this count another than the table has? Then the report says so. */
bool scenario_clashes(const struct scenario *scenario, enum param param, uint32_t value,
                      struct report *report);
/* Same parameters, bit for bit? */
bool scenario_equal(const struct scenario *a, const struct scenario *b);

/* Sets one parameter from text, or takes it away with PARAM_DEFAULT. On failure nothing changes and
 * the report says why. */
bool scenario_set(struct scenario *scenario, enum param param, const char *value,
                  struct report *report);
/* The parameter as text that scenario_set reads back to the same value. */
void scenario_write(const struct scenario *scenario, enum param param, struct text *out);
/* The parameter, which has no fallback, is not given any more. */
void scenario_unset(struct scenario *scenario, enum param param);
/* No layers, and nothing that says how they are split. */
void scenario_drop_layers(struct scenario *scenario);
/* Room that scenario_write can need. */
size_t scenario_write_size(const struct scenario *scenario, enum param param);
/* Is it what a fresh scenario has? (A parameter that need not be written.) */
bool scenario_is_default(const struct scenario *scenario, enum param param);

struct list *list_make(uint32_t n);
void list_release(struct list **list);
/* Puts a list (one reference handed over) into a field. */
void list_put(struct list **field, struct list *list);
bool list_equal(const struct list *a, const struct list *b);
/* The field of a parameter that is a list of costs; NULL for any other. */
struct list **scenario_costs(struct scenario *scenario, enum param param);
uint32_t layer_count(const struct scenario *scenario);
/* Gives up a reference; the field becomes NULL. */
void string_release(struct string **string);
/* "" for an absent one. */
const char *string_text(const struct string *string);

#endif
