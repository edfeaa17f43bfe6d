/* Sequences of a terminal: see sequence.h.
 *
 * Curses knows the keys that the type of the terminal has. All the rest comes here, since its letters
 * must not be taken for commands: keys of other terminals, an answer to a question that an earlier
 * program asked, and reports of the mouse, which curses would wait for without an end once they have
 * begun. A sequence is read to the end that its grammar (ECMA-48) gives it, however long, or to where
 * it stalls. What a hand could have typed, Esc and one key behind it, stays that. */
#include "app/sequence.h"

#include "app/keys.h"
#include "model/text.h"

#include <stdlib.h>
#include <string.h>

#define PATIENCE 50        /* ms for what is under way */
#define MOUSE_PATIENCE 500 /* over a slow link: what is left of a report would be digits */
#define MOST_CHARACTERS 65536

static int next(const struct source *source, int patience)
{
    return source->next(source->about, patience);
}

static bool is_printable(int c)
{
    return c >= ' ' && c < 127;
}

/* ---- the mouse ---- */

static struct pointer pointer_of(unsigned long button, unsigned long x, unsigned long y,
                                 bool is_release)
{
    bool is_moved = (button & 32) != 0, is_wheel = (button & 64) != 0;
    bool is_left = (button & 3) == 0 && !is_wheel && button < 128;

    return (struct pointer){
        .x = x > 0 && x < 65536 ? (int)x - 1 : -1,
        .y = y > 0 && y < 65536 ? (int)y - 1 : -1,
        .wheel = !is_wheel || is_release ? 0 : (button & 3) == 0 ? 1 : (button & 3) == 1 ? -1 : 0,
        .is_pressed = is_left && !is_moved && !is_release,
        .is_released = is_left && !is_moved && is_release,
        .is_moved = is_moved && !is_wheel,
    };
}

/* "<button;x;yM", or m for a release. */
static bool parse_report(const char *bytes, struct pointer *pointer)
{
    unsigned long number[3];
    char *end;

    for (int i = 0; i < 3; i++) {
        if (bytes[1] < '0' || bytes[1] > '9')
            return false;
        number[i] = strtoul(bytes + 1, &end, 10);
        bytes = end;
        if (i < 2 && *bytes != ';')
            return false;
    }
    *pointer = pointer_of(number[0], number[1], number[2], *bytes == 'm');
    return (*bytes == 'M' || *bytes == 'm') && pointer->x >= 0 && pointer->y >= 0;
}

/* Three bytes of the old form, in which a release does not say of what. */
static bool take_old_report(const struct source *source, struct pointer *pointer)
{
    int byte[3];

    for (int i = 0; i < 3; i++) {
        byte[i] = source->next_byte(source->about, MOUSE_PATIENCE);
        if (byte[i] < 0)
            return false;
        byte[i] -= 32;
    }
    if (byte[0] < 0 || byte[1] < 1 || byte[2] < 1)
        return false;
    bool is_release = (byte[0] & 3) == 3 && (byte[0] & (32 | 64)) == 0;
    *pointer = pointer_of((unsigned long)(is_release ? byte[0] & ~3 : byte[0]),
                          (unsigned long)byte[1], (unsigned long)byte[2], is_release);
    return true;
}

/* ---- control sequences ---- */

/* Behind "Esc [" or "Esc O": parameters and one letter. */
static struct sequence take_control(const struct source *source, int introducer)
{
    struct sequence sequence = {.key = NULL};
    char bytes[64];
    size_t length = 0, kept = 0;
    int c = introducer;

    do {
        if (kept + 1 < sizeof bytes)
            bytes[kept++] = (char)c;
        length++;
        bool is_report = length >= 2 && bytes[0] == '[' && bytes[1] == '<';
        c = next(source, is_report ? MOUSE_PATIENCE : PATIENCE);
        if (!is_printable(c))
            break;
        bool is_letter = c >= '@' && !(length == 1 && c == '[');
        if (is_letter) {
            if (kept + 1 < sizeof bytes)
                bytes[kept++] = (char)c;
            length++;
            break;
        }
    } while (length < MOST_CHARACTERS);
    bytes[kept] = '\0';
    if (c >= 0 && !is_printable(c)) /* cut short: the next one begins */
        source->put_back(source->about, c);
    if (length == 1) { /* typed by a hand after all */
        source->put_back(source->about, introducer);
        sequence.key = "Esc";
    } else if (strcmp(bytes, "[M") == 0 && source->has_mouse) {
        sequence.is_pointer = take_old_report(source, &sequence.pointer);
    } else if (bytes[1] == '<') {
        sequence.is_pointer = source->has_mouse && kept == length && parse_report(bytes + 1, &sequence.pointer);
    } else if (kept == length) {
        sequence.key = key_of_sequence(bytes);
    }
    return sequence;
}

/* ---- strings ---- */

/* Can a string that `introducer` begins go on like this? By it answers are told from keys that are
 * typed fast: OSC has a number, DCS too or one of the marks of what terminals answer, APC pictures. */
static bool goes_on(int introducer, int c)
{
    const char *starts = introducer == ']'   ? "0123456789"
                         : introducer == 'P' ? "0123456789>!$+|"
                         : introducer == '_' ? "G"
                                             : "";
    return c > 0 && c < 127 && strchr(starts, c) != NULL;
}

/* To the bell or the "Esc \" that ends it. */
static struct sequence take_string(const struct source *source, int introducer)
{
    struct sequence sequence = {.key = NULL};
    int c = next(source, PATIENCE);

    if (!goes_on(introducer, c)) {
        if (c >= 0)
            source->put_back(source->about, c);
        source->put_back(source->about, introducer);
        sequence.key = "Esc";
        return sequence;
    }
    for (int i = 0; i < MOST_CHARACTERS; i++) {
        c = next(source, PATIENCE);
        if (c < 0 || c == 7)
            break;
        if (c != 27)
            continue;
        c = next(source, PATIENCE);
        if (c >= 0 && c != '\\') { /* cut short: the next one begins */
            source->put_back(source->about, c);
            source->put_back(source->about, 27);
        }
        break;
    }
    return sequence;
}

struct sequence sequence_take(const struct source *source)
{
    int c = next(source, 0);

    switch (c) {
    case '[':
    case 'O':
        return take_control(source, c);
    case ']':
    case 'P':
    case '_':
        return take_string(source, c);
    default:
        if (c >= 0)
            source->put_back(source->about, c);
        return (struct sequence){.key = "Esc"};
    }
}
