/* What terminals send for keys, as far as no description of a terminal is needed: characters,
 * and the sequences by which all terminals mean the same. */
#include "app/keys.h"

#include "view/grid.h"

#include <string.h>

const char *key_of_character(uint32_t character, char *buffer, size_t size)
{
    struct text text;

    text_init(&text, buffer, size);
    switch (character) {
    case '\r':
    case '\n':
        return "Enter";
    case '\t':
        return "Tab";
    case 27:
        return "Esc";
    case ' ':
        return "Space";
    case 127:
    case 8:
        return "Backspace";
    default:
        break;
    }
    if (character < 32)
        text_addf(&text, "Ctrl-%c", (int)character + 64);
    else
        text_add_character(&text, character);
    return buffer;
}

const char *key_of_sequence(const char *bytes)
{
    static const struct {
        const char *bytes, *name;
    } known[] = {
        {"[A", "Up"},        {"[B", "Down"},         {"[C", "Right"},         {"[D", "Left"},
        {"[H", "Home"},      {"[F", "End"},          {"OA", "Up"},            {"OB", "Down"},
        {"OC", "Right"},     {"OD", "Left"},         {"OH", "Home"},          {"OF", "End"},
        {"[1~", "Home"},     {"[4~", "End"},         {"[7~", "Home"},         {"[8~", "End"},
        {"[3~", "Delete"},   {"[5~", "PageUp"},      {"[6~", "PageDown"},     {"[11~", "F1"},
        {"OP", "F1"},        {"[[A", "F1"},          {"OM", "Enter"},         {"[Z", "Shift-Tab"},
        {"[1;2D", "Shift-Left"}, {"[1;2C", "Shift-Right"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].bytes, bytes) == 0)
            return known[i].name;
    return NULL;
}
