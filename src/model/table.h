/* A schedule table: the order of a training step as text, the way torch.distributed.pipelining
 * writes it (a row a device, cells `0F1`), or as our own list of operations.
 *
 * A table is read once, judged wholly, and never changed: whoever holds one holds an order that can
 * run. So scenarios share it by counting references. What is wrong is told with its row and its
 * cell, because that is how people find a place in a file of long lines. */
#ifndef MODEL_TABLE_H
#define MODEL_TABLE_H

#include "core/pg.h"
#include "model/text.h"

struct table {
    uint32_t refs;
    bool is_old_naming; /* B was an input gradient and BW the whole: read as I and B */
    struct pg_table core;
    char *path; /* the file, as it can be opened from here */
};

struct table_error {
    uint32_t row, column; /* from 1: line of the text, cell of the line; 0: the text as a whole */
    bool is_memory;
    char text[400];
};

/* Text (any bytes) to a table with one reference; NULL with the error. */
struct table *table_parse(const char *text, size_t length, const char *path,
                          struct table_error *error);
struct table *table_share(struct table *table);
/* Gives up a reference; the field becomes NULL. */
void table_release(struct table **table);
/* The same order of the same stages on the same devices? */
bool table_equal(const struct table *a, const struct table *b);
/* Could text that begins with this byte be a table of actions, but no scenario file? */
bool table_begins(int byte);
/* The file's name without its folder. */
const char *table_name(const struct table *table);
/* What a schedule given as "file:NAME" names; NULL when it is no such thing. */
const char *table_named(const char *schedule);
/* Memory that it takes. */
size_t table_bytes(const struct table *table);
/* The other way: a plan's order as a table of actions, a device a line. Only of one replica. */
size_t table_write_size(const struct pg_plan *plan);
void table_write(const struct pg_plan *plan, struct text *out);

#endif
