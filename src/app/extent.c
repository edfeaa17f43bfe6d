/* The size of the terminal: see extent.h.
 *
 * A terminal may say any size. Curses counts in shorts and opens no screen of more, and a frame of a
 * hundred million cells is never done, so a size beyond all screens is cut. Memory may end too, and
 * curses is not to be asked for what would then fail in the middle: after half a resize it goes on with
 * windows of two sizes and writes behind the smaller ones. */
#include "app/extent.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_COLUMNS 10000
#define MOST_ROWS 10000
#define MOST_CELLS (1 << 20)
#define CELL_BYTES 32 /* of curses, or a little less */
#define LINE_BYTES 100
#define WINDOWS 3
#define START_BYTES (1 << 18) /* what curses keeps besides, and the first frame */

bool extent_ask(int terminal, struct winsize *size)
{
    if (ioctl(terminal, TIOCGWINSZ, size) != 0 || size->ws_row == 0 || size->ws_col == 0)
        return false;
    if (size->ws_col > MOST_COLUMNS)
        size->ws_col = MOST_COLUMNS;
    int most = MOST_CELLS / size->ws_col;
    if (most > MOST_ROWS)
        most = MOST_ROWS;
    if (size->ws_row > most)
        size->ws_row = (unsigned short)most;
    return true;
}

static void set(const char *variable, int value)
{
    char number[12];

    snprintf(number, sizeof number, "%d", value);
    setenv(variable, number, 1);
}

/* Exported by some shells, these two would freeze the size. */
void extent_export(int terminal)
{
    struct winsize size, said;

    unsetenv("LINES");
    unsetenv("COLUMNS");
    if (!extent_ask(terminal, &size) || ioctl(terminal, TIOCGWINSZ, &said) != 0 ||
        (size.ws_row == said.ws_row && size.ws_col == said.ws_col))
        return;
    set("LINES", size.ws_row);
    set("COLUMNS", size.ws_col);
}

static bool has_bytes(size_t bytes)
{
    void *volatile room = malloc(bytes);
    bool is_there = room != NULL;

    free(room);
    return is_there;
}

bool extent_has_start(void)
{
    return has_bytes(START_BYTES);
}

bool extent_has_room(const struct winsize *size)
{
    size_t line = (size_t)size->ws_col * CELL_BYTES + LINE_BYTES, rows = size->ws_row;

    return has_bytes(WINDOWS * rows * line + START_BYTES);
}

enum extent_change extent_follow(struct extent *extent, int terminal, int told, int columns,
                                 int rows, struct winsize *size)
{
    if (!extent_ask(terminal, size))
        return EXTENT_KEPT;
    extent->unexplained += told;
    bool is_same = size->ws_col == columns && size->ws_row == rows;
    extent->is_behind = !is_same && !extent_has_room(size);
    if (is_same && extent->unexplained <= 1)
        return EXTENT_KEPT;
    extent->unexplained = 0;
    if (is_same)
        return EXTENT_DOUBTFUL;
    return extent->is_behind ? EXTENT_KEPT : EXTENT_CHANGED;
}
