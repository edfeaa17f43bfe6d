/* What lesson_read.c hands to lesson_build.c: a lesson file cut into its sections, keys and values,
 * each with its line. Nothing else includes this. */
#ifndef APP_LESSON_PARTS_H
#define APP_LESSON_PARTS_H

#include "app/config_lines.h"
#include "app/lesson.h"

enum section { SECTION_LESSON, SECTION_WRONG, SECTION_ELSE, SECTION_OTHER };

enum key {
    KEY_TITLE,
    KEY_TEXT,
    KEY_TRY,
    KEY_QUESTION,
    KEY_ANSWER,
    KEY_TOLERANCE,
    KEY_CHOICES,
    KEY_GOAL,
    KEY_NEXT,
    KEY_SCENARIO,
    KEY_WHEN,
    KEY_SAY,
    KEY_COUNT
};

struct value {
    char *text; /* NULL: not given */
    unsigned line;
};

/* What a section says; `line` 0: it is not there. */
struct part {
    unsigned line;
    uint32_t number; /* of a [wrong N] */
    struct value value[KEY_COUNT];
};

struct lesson_reader {
    const char *path;
    struct file_error *error;
    struct lines lines;
    char *bytes; /* the file; scenario_text leaves of it what is scenario */
    size_t count;
    struct part lesson, otherwise, wrong[LESSON_MOST_WRONG];
    uint32_t wrong_count;
    enum section section;
    struct part *part;      /* that is being read */
    unsigned scenario_line; /* of the first section of the scenario; 0: none */
};

/* Refuses with a place; all return false. */
bool lesson_refuse(struct lesson_reader *reader, unsigned line, const char *format, ...)
    TEXT_FORMAT(3, 4);
bool lesson_refuse_memory(struct lesson_reader *reader);
const char *lesson_key_name(enum key key);
/* Leaves nothing of the lesson's sections in the bytes but their line ends. */
void lesson_blank(struct lesson_reader *reader);

/* lesson_build.c: makes the lesson of what was read, taking texts out of the parts. */
bool lesson_build(struct lesson_reader *reader, const char *id, struct lesson *lesson);

#endif
