/* A session played without a terminal: keys, pastes, clicks and sizes go in, every frame is drawn as
 * the program draws it and looked at. Requests are answered from a few scenarios and a table in memory:
 * no file is opened. */
#ifndef TESTS_FUZZ_SCRIPT_H
#define TESTS_FUZZ_SCRIPT_H

#include "app/mouse.h"
#include "fuzz.h"

struct script {
    struct session *session;
    struct theme theme;
    struct grid grid;
    struct snapshot snapshot;
    struct frame frame;
    int drag_x;
    bool has_quit;
    double seen_makespan; /* of the frame before: it stands for all figures */
    int seen_columns;
};

/* Starts with one of the scenarios; the size comes with script_resize. */
void script_start(struct script *script, uint32_t scenario);
void script_end(struct script *script);
void script_resize(struct script *script, int columns, int rows);
/* Not if it would make more than FUZZ_MOST_PLAYED operations, or about that. */
void script_key(struct script *script, const char *key);
void script_paste(struct script *script, const char *text);
/* Time goes by. */
void script_tick(struct script *script, double seconds);
/* Some of the runs that the session waits for are done. */
void script_work(struct script *script);
void script_pointer(struct script *script, const struct pointer *pointer);
/* The state of the session: nothing points outside of what there is. */
void script_check(struct script *script);
/* As the program draws after a turn; then the frame is checked. */
void script_draw(struct script *script);
/* One change back and forth again is no change. */
void script_check_undo(struct script *script);

/* frame.c: every cell can be sent, every number is whole. */
void check_frame(const struct script *script);
/* The frame once more, as it is printed. */
void check_dumps(const struct script *script);

#endif
