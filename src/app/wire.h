/* A frame as bytes for a terminal: as few as make the screen that is shown into the one that is wanted.
 *
 * For terminals that speak ECMA-48, which is nearly all of them; the codes of colours come from their
 * descriptions. What a library that knows every terminal sends again and again is left out here: of a
 * look only what changes is said, nothing is said about the ink of blanks, and a row whose contents
 * have moved sideways is moved by the terminal itself. Nothing here reads or writes anything. */
#ifndef APP_WIRE_H
#define APP_WIRE_H

#include "view/grid.h"

#define WIRE_CODE_SIZE 16

/* What the terminal can do beyond moving the cursor and setting looks. */
struct wire {
    bool has_colours;
    bool has_erase; /* of a number of characters */
    bool has_bce;   /* what is erased has the paper that is set */
    bool has_shift; /* deletes and inserts characters */
    bool has_moves; /* of the cursor to a column, to a row, and by so many of both in all directions */
    /* Parameters that set a palette index, such as "38;5;26". */
    char ink[256][WIRE_CODE_SIZE], paper[256][WIRE_CODE_SIZE];
};

/* Bytes that a frame of a grid can need at most. */
size_t wire_frame_size(const struct grid *grid);
/* Adds what makes a terminal that shows `shown` show `grid`; `shown` is that from then on. The look
 * is plain before and after it, the cursor anywhere. The grids have the same size; `room` is one to
 * work in. */
void wire_frame(const struct wire *wire, const struct theme *theme, const struct grid *grid,
                struct grid *shown, struct grid *room, struct text *out);
/* Of what is shown nothing is to be relied on. */
void wire_forget(struct grid *shown);

#endif
