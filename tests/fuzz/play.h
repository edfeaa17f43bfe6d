/* A session played without a terminal: keys, pastes, clicks and sizes go in, every frame is drawn as
 * the program draws it and looked at. Requests are answered from a few scenarios and a table in memory:
 * no file is opened. */
#ifndef TESTS_FUZZ_PLAY_H
#define TESTS_FUZZ_PLAY_H

#include "app/mouse.h"
#include "fuzz.h"

struct play {
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

/* Starts with one of the scenarios; the size comes with play_resize. */
void play_start(struct play *play, uint32_t scenario);
void play_end(struct play *play);
void play_resize(struct play *play, int columns, int rows);
/* Not if it would make more than FUZZ_MOST_OPS operations, or about that. */
void play_key(struct play *play, const char *key);
void play_paste(struct play *play, const char *text);
void play_pointer(struct play *play, const struct pointer *pointer);
/* The state of the session: nothing points outside of what there is. */
void play_check(struct play *play);
/* As the program draws after a turn; then the frame is checked. */
void play_draw(struct play *play);
/* One change back and forth again is no change. */
void play_check_undo(struct play *play);

/* frame.c: every cell can be sent, every number is whole. */
void check_frame(const struct play *play);

#endif
