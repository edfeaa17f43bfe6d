/* A session and what is drawn of it: see driver_screen.h. */
#include "driver_screen.h"

#include <string.h>

void start_screen(struct screen *s, int columns, int rows)
{
    *s = (struct screen){.session = session_after(""), .theme = {.depth = DEPTH_256}};
    resize(s, columns, rows);
}

void end_screen(struct screen *s)
{
    session_free(s->session);
    grid_free(&s->grid);
}

void redraw(struct screen *s)
{
    bool is_settled = false;

    while (!is_settled) { /* again when what was drawn moved the lanes */
        s->snapshot = look(s->session);
        s->theme.is_bubble_view = s->snapshot.is_bubble_view;
        screen_draw(&s->grid, &s->theme, &s->snapshot, true, &s->frame);
        uint32_t top = s->snapshot.lane_top;
        if (!s->frame.layout.is_too_small)
            session_set_view(s->session, &s->frame.view);
        s->snapshot = look(s->session);
        is_settled = s->snapshot.lane_top == top;
    }
}

void resize(struct screen *s, int columns, int rows)
{
    assert_true(grid_resize(&s->grid, columns, rows));
    redraw(s);
}

void press_on(struct screen *s, const char *keys)
{
    for (struct keys at = {.at = keys}; next_key(&at);) {
        if (strcmp(at.key, "tick") == 0)
            session_tick(s->session, 0.05);
        else
            session_key(s->session, at.key);
        redraw(s);
    }
}

void command_on(struct screen *s, const char *line)
{
    command(s->session, line);
    redraw(s);
    if (s->snapshot.is_error)
        fail_msg("%s: %s", line, s->snapshot.message);
}
