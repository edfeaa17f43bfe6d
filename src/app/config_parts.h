/* A scenario file while it is being read: what config_read.c and config_value.c have of each other. */
#ifndef APP_CONFIG_PARTS_H
#define APP_CONFIG_PARTS_H

#include "app/config.h"
#include "app/config_lines.h"

#define STAGES_MAX 262144u
_Static_assert(STAGES_MAX == PG_MAX_DEVICES * PG_MAX_CHUNKS, "as many as there can be");

/* A cost from a [stage N]: applied when P, V and the lists are known. */
struct override {
    enum param param;
    uint32_t stage;
    unsigned line;
    double cost;
};

struct reader {
    struct config *config;
    const char *name;
    struct file_error *error;
    struct lines lines;
    enum param section; /* its first parameter; PARAM_COUNT before any section */
    uint32_t stage;     /* of a [stage N], else PG_NONE */
    unsigned section_lines[PARAM_COUNT], stage_key_lines[PARAM_COUNT];
    unsigned default_lines[PARAM_COUNT]; /* of keys that say no more than were they not there */
    unsigned *stage_lines; /* [STAGES_MAX] once there is a [stage N] */
    struct override *overrides;
    size_t override_count, override_room;
};

/* Refuses with a place; all return false. */
bool config_refuse(struct reader *reader, unsigned line, const char *format, ...) TEXT_FORMAT(3, 4);
bool config_refuse_memory(struct reader *reader);

/* Does the end of a line end an entry? */
bool config_is_list(enum param param);
/* Sets the parameter, or notes a cost of one stage, from the `count` lines of its value. */
bool config_read_value(struct reader *reader, const struct line *line, size_t count,
                       enum param param);

#endif
