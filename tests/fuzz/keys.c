/* A script of keys, pastes, mouse events, sizes and depths, every frame of it drawn and checked.
 *
 * The first byte picks a scenario. A printable byte is a key by itself, so that a corpus file reads
 * like a script; control characters are the named keys; bytes from 0x80 on are everything else. */
#include "play.h"

#include <string.h>

#define MOST_TURNS 40u

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
    ACTION_COUNT,
};

static void press(struct play *play, uint32_t byte)
{
    char key[2] = {(char)byte, '\0'};

    if (byte < ' ')
        play_key(play, named[byte]);
    else if (byte < 0x7f)
        play_key(play, byte == ' ' ? "Space" : key);
}

static void paste(struct play *play, struct bytes *bytes)
{
    char text[64];
    uint32_t length = take_up_to(bytes, sizeof text - 1), i = 0;

    while (i < length && bytes->at < bytes->end)
        text[i++] = (char)take_byte(bytes);
    text[i] = '\0';
    play_paste(play, text);
}

static void point(struct play *play, uint32_t action, struct bytes *bytes)
{
    struct pointer pointer = {.is_pressed = action == ACTION_CLICK,
                              .is_released = action == ACTION_RELEASE,
                              .is_moved = action == ACTION_DRAG};

    pointer.x = (int)take_byte(bytes);
    pointer.y = (int)take_byte(bytes);
    if (action == ACTION_WHEEL)
        pointer.wheel = take_byte(bytes) & 1 ? 1 : -1;
    play_pointer(play, &pointer);
}

/* Mostly the size of a terminal, sometimes 1x1, sometimes 300x100. */
static void resize(struct play *play, struct bytes *bytes)
{
    int columns = (int)take_byte(bytes), rows = (int)take_byte(bytes);

    columns = columns < 240 ? 1 + columns / 2 : 130 + (columns - 240) * 11;
    rows = rows < 240 ? 1 + rows / 6 : 45 + (rows - 240) * 3;
    play_resize(play, columns, rows > 100 ? 100 : rows);
}

static void act(struct play *play, struct bytes *bytes)
{
    uint32_t action = take_byte(bytes);

    if (action < ACTION_SIZE) {
        press(play, action);
        return;
    }
    switch (ACTION_SIZE + (action - ACTION_SIZE) % (ACTION_COUNT - ACTION_SIZE)) {
    case ACTION_SIZE:
        resize(play, bytes);
        break;
    case ACTION_PASTE:
        paste(play, bytes);
        break;
    case ACTION_THEME:
        play->theme.depth = (enum depth)take_up_to(bytes, DEPTH_256);
        play->theme.is_ascii = take_byte(bytes) & 1;
        break;
    default:
        point(play, action, bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, data + size};
    struct play play;
    uint32_t turns = 0;

    if (size > 512)
        return 0;
    play_start(&play, take_byte(&bytes) & 7u);
    play.theme.depth = DEPTH_256;
    play_resize(&play, 50, 14);
    while (bytes.at < bytes.end && turns++ < MOST_TURNS && !play.has_quit) {
        act(&play, &bytes);
        /* Keys that come faster than frames are drawn together; large frames cost the most. */
        bool is_large = play.grid.columns * play.grid.rows > 2000;
        if (!is_large || turns % 8 == 0)
            play_draw(&play);
    }
    if (!play.has_quit) {
        play_draw(&play);
        play_check_undo(&play);
        play_draw(&play);
    }
    play_end(&play);
    return 0;
}
