/* A script of keys, pastes, mouse events, sizes and depths, every frame of it drawn and checked.
 *
 * The first byte picks a scenario, and how often a frame is drawn. A printable byte is a key by itself, so that a corpus file reads
 * like a script; control characters are the named keys; bytes from 0x80 on are everything else. */
#include "script.h"

#include <string.h>

#define MOST_TURNS 40u
#define MOST_CELLS 4000

static const char *const named[32] = {
    "Up",    "Down",  "Left",      "Right",     "Home",       "End",        "PageUp", "PageDown",
    "Backspace", "Tab", "Enter",   "Delete",    "Shift-Left", "Shift-Right", "F1",    "F12",
    "Ctrl-A", "Ctrl-C", "Ctrl-E",  "Ctrl-H",    "Ctrl-K",     "Ctrl-L",     "Ctrl-M", "Ctrl-P",
    "Ctrl-S", "Ctrl-U", "Ctrl-W",  "Esc",       "Ctrl-Z",     "key 999",    "\xc3\xa9", "\xe4\xb8\xad",
};

enum {
    ACTION_SIZE = 0x80, /* columns, rows */
    ACTION_PASTE,       /* length, bytes */
    ACTION_CLICK,       /* x, y */
    ACTION_WHEEL,       /* x, y, up or down */
    ACTION_DRAG,        /* x, y: moved with the button held */
    ACTION_RELEASE,     /* x, y */
    ACTION_THEME,       /* depth, ASCII */
    ACTION_TICK,        /* hundredths of a second */
    ACTION_WORK,        /* runs in the background */
    ACTION_COUNT,
};

static void press(struct script *script, uint32_t byte)
{
    char key[2] = {(char)byte, '\0'};

    if (byte < ' ')
        script_key(script, named[byte]);
    else if (byte < 0x7f)
        script_key(script, byte == ' ' ? "Space" : key);
}

static void paste(struct script *script, struct bytes *bytes)
{
    char text[64];
    uint32_t length = take_up_to(bytes, sizeof text - 1), i = 0;

    while (i < length && bytes->at < bytes->end)
        text[i++] = (char)take_byte(bytes);
    text[i] = '\0';
    script_paste(script, text);
}

static void point(struct script *script, uint32_t action, struct bytes *bytes)
{
    struct pointer pointer = {.is_pressed = action == ACTION_CLICK,
                              .is_released = action == ACTION_RELEASE,
                              .is_moved = action == ACTION_DRAG};

    pointer.x = (int)take_byte(bytes);
    pointer.y = (int)take_byte(bytes);
    if (action == ACTION_WHEEL)
        pointer.wheel = take_byte(bytes) & 1 ? 1 : -1;
    script_pointer(script, &pointer);
}

/* Mostly the size of a terminal, sometimes 1x1, sometimes 295 columns or 90 rows, not both: such a
 * frame costs more than all else. */
static void resize(struct script *script, struct bytes *bytes)
{
    int columns = (int)take_byte(bytes), rows = (int)take_byte(bytes);

    columns = columns < 240 ? 1 + columns / 2 : 130 + (columns - 240) * 11;
    rows = rows < 240 ? 1 + rows / 6 : 45 + (rows - 240) * 3;
    if (columns * rows > MOST_CELLS)
        rows = MOST_CELLS / columns;
    script_resize(script, columns, rows);
}

static void act(struct script *script, struct bytes *bytes)
{
    uint32_t action = take_byte(bytes);

    if (action < ACTION_SIZE) {
        press(script, action);
        return;
    }
    switch (ACTION_SIZE + (action - ACTION_SIZE) % (ACTION_COUNT - ACTION_SIZE)) {
    case ACTION_SIZE:
        resize(script, bytes);
        break;
    case ACTION_PASTE:
        paste(script, bytes);
        break;
    case ACTION_THEME:
        script->theme.depth = (enum depth)take_up_to(bytes, DEPTH_256);
        script->theme.is_ascii = take_byte(bytes) & 1;
        break;
    case ACTION_TICK:
        script_tick(script, take_byte(bytes) / 100.0);
        break;
    case ACTION_WORK:
        script_work(script);
        break;
    default:
        point(script, action, bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, data + size};
    struct script script;
    uint32_t turns = 0, first = take_byte(&bytes);
    uint32_t keys_a_frame = 8u >> (first >> 3 & 3);

    if (size > 512)
        return 0;
    script_start(&script, first & 7u);
    script.theme.depth = DEPTH_256;
    script_resize(&script, 50, 14);
    while (bytes.at < bytes.end && turns++ < MOST_TURNS && !script.has_quit) {
        act(&script, &bytes);
        /* Keys that come faster than frames are drawn together; large frames cost the most. */
        bool is_large = script.grid.columns * script.grid.rows > 2000;
        if (turns % (is_large ? 8 : keys_a_frame) == 0)
            script_draw(&script);
    }
    if (!script.has_quit) {
        script_draw(&script);
        check_dumps(&script);
        script_check_undo(&script);
        if (turns % 4 == 0)
            script_draw(&script);
    }
    script_end(&script);
    return 0;
}
