/* From a session to what a display is sent: see frames.h. */
#include "app/frames.h"

#include <stdlib.h>

/* ---- composing ---- */

/* Grids of the terminal's size, and room for a frame's bytes. */
static bool fit(struct frames *frames, int columns, int rows)
{
    if (!grid_resize(&frames->grid, columns, rows) || !grid_resize(&frames->shown, columns, rows))
        return false;
    if (!frames->is_wired)
        return true;
    if (!grid_resize(&frames->spare, columns, rows))
        return false;
    size_t room = wire_frame_size(&frames->grid) + 2 * sizeof frames->sync + 32;
    char *bytes = realloc(frames->bytes, room);
    if (bytes == NULL)
        return false;
    frames->bytes = bytes;
    frames->room = room;
    return true;
}

/* Twice where the first drawing shows that lanes have to move. */
static void compose(struct frames *frames, struct session *session)
{
    struct snapshot snapshot;

    session_snapshot(session, &snapshot);
    frames->theme.is_bubble_view = snapshot.is_bubble_view;
    screen_draw(&frames->grid, &frames->theme, &snapshot, true, &frames->frame);
    if (frames->frame.layout.is_too_small)
        return;
    uint32_t top = snapshot.lane_top;
    session_set_view(session, &frames->frame.view);
    session_snapshot(session, &snapshot);
    if (snapshot.lane_top != top)
        screen_draw(&frames->grid, &frames->theme, &snapshot, true, &frames->frame);
}

/* ---- as bytes ---- */

/* Does the cursor have to be set, where cells were written or not? */
static bool is_cursor_due(const struct frames *frames, bool is_written)
{
    const struct frame *frame = &frames->frame;

    return frame->cursor_x >= 0 &&
           (is_written || !frames->has_cursor || frames->cursor_x != frame->cursor_x ||
            frames->cursor_y != frame->cursor_y);
}

/* `is_recoloured`: every cell looks another way. */
static void send_bytes(struct frames *frames, bool is_whole, bool is_recoloured)
{
    const struct frame *frame = &frames->frame;
    struct text text;

    if (is_whole && frames->has_begun) {
        frames->display->clear();
        grid_clear(&frames->shown);
    } else if (is_recoloured) {
        wire_forget(&frames->shown);
    }
    text_init(&text, frames->bytes, frames->room);
    text_add(&text, frames->sync[0]);
    if (!frames->has_begun)
        text_add(&text, "\033[m\033[H\033[J");
    size_t mark = text.length;
    wire_frame(&frames->wire, &frames->theme, &frames->grid, &frames->shown, &frames->spare, &text);
    if (is_cursor_due(frames, text.length > mark))
        text_addf(&text, "\033[%d;%dH", frame->cursor_y + 1, frame->cursor_x + 1);
    frames->has_cursor = frame->cursor_x >= 0;
    frames->cursor_x = frame->cursor_x;
    frames->cursor_y = frame->cursor_y;
    if (text.length == mark)
        return;
    text_add(&text, frames->sync[1]);
    frames->display->send(text.buffer, text.length);
}

/* ---- as cells ---- */

/* Puts what looks different from what is shown. */
static void put_cells(struct frames *frames, bool is_whole)
{
    const struct grid *grid = &frames->grid;

    for (int y = 0; y < grid->rows; y++) {
        struct cell left = {.glyph = ' ', .paper = COLOUR_OWN};
        for (int x = 0; x < grid->columns; x++) {
            const struct cell *cell = grid_at(grid, x, y);
            struct cell *old = grid_at(&frames->shown, x, y);
            if (is_whole || !cell_looks_equal(cell, old)) {
                *old = cell_as_sent(grid, x, y, &left);
                if (cell->glyph != 0)
                    frames->display->put(&frames->theme, x, y, old);
            }
            left = *old;
        }
    }
}

static void show_cells(struct frames *frames, bool is_whole)
{
    const struct frame *frame = &frames->frame;

    put_cells(frames, is_whole);
    if (frame->cursor_x >= 0)
        frames->display->show(frame->cursor_x, frame->cursor_y);
    else
        frames->display->show(0, frames->grid.rows - 1);
}

/* ---- either way ---- */

bool frames_draw(struct frames *frames, struct session *session, int columns, int rows,
                 bool is_whole)
{
    if (frames->grid.columns != columns || frames->grid.rows != rows) {
        if (!fit(frames, columns, rows)) {
            grid_free(&frames->grid);
            frames->has_begun = true; /* with whatever says so */
            return false;
        }
        is_whole = true;
    }
    bool was_bubble_view = frames->theme.is_bubble_view;
    compose(frames, session);
    bool is_recoloured = was_bubble_view != frames->theme.is_bubble_view;
    if (frames->is_wired)
        send_bytes(frames, is_whole || frames->is_stale, is_recoloured);
    else
        show_cells(frames, is_whole || is_recoloured);
    frames->has_begun = true;
    frames->is_stale = false;
    return true;
}

void frames_free(struct frames *frames)
{
    grid_free(&frames->grid);
    grid_free(&frames->shown);
    grid_free(&frames->spare);
    free(frames->bytes);
    frames->bytes = NULL;
}
