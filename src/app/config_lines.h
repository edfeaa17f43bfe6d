/* INI text cut into sections, keys and values, each with its line: where config_read begins. */
#ifndef APP_CONFIG_LINES_H
#define APP_CONFIG_LINES_H

#include <stdbool.h>
#include <stdio.h>

enum line_kind {
    LINE_SECTION, /* [name] */
    LINE_KEY,     /* name = value */
    LINE_MORE,    /* an indented line that goes on with the value of the last key */
    LINE_BAD,     /* none of these: `name` says why, and `value` may show it; always the last one */
};

struct line {
    enum line_kind kind;
    unsigned number;      /* in the file, from 1 */
    unsigned blank_lines; /* empty lines right before it */
    const char *name, *value;
};

/* What a file holds besides empty lines and comments, in order. */
struct lines {
    struct line *line;
    size_t count, room;
    bool has_comments;
    char *text; /* what names and values point into */
};

enum lines_status {
    LINES_GOOD,
    LINES_UNREADABLE, /* errno says why */
    LINES_TOO_LARGE,
    LINES_NO_MEMORY,
};

/* Reads a stream to its end and cuts it up. Whatever comes of it, lines_free has to follow. */
enum lines_status lines_read(struct lines *lines, FILE *stream);
void lines_free(struct lines *lines);

#endif
