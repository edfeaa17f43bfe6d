/* Capabilities by name become decisions: see terminal.h. */
#include "app/terminal.h"

#include <string.h>

/* ---- colours ---- */

enum depth terminal_depth(const struct description *description, int colours, bool is_sparing)
{
    /* With direct colour an index would be a colour of its own, but for the first eight. */
    if (description->flag("RGB") || colours > 256)
        return DEPTH_8;
    if (colours >= 256 && !is_sparing)
        return DEPTH_256;
    return colours >= 16 ? DEPTH_16 : colours >= 8 ? DEPTH_8 : DEPTH_MONO;
}

/* The parameters of "ESC [ parameters m"; false for anything else. */
static bool take_code(char *code, const char *sequence)
{
    size_t length = sequence == NULL ? 0 : strspn(sequence + (sequence[0] == '\033' ? 2 : 0),
                                                  "0123456789;:");

    if (sequence == NULL || strncmp(sequence, "\033[", 2) != 0 || length == 0 ||
        length >= WIRE_CODE_SIZE || strcmp(sequence + 2 + length, "m") != 0)
        return false;
    memcpy(code, sequence + 2, length);
    code[length] = '\0';
    return strchr("349", code[0]) != NULL || strncmp(code, "10", 2) == 0;
}

static bool says(const char *capability, const char *wanted)
{
    return capability != NULL && strcmp(capability, wanted) == 0;
}

/* Codes of all colours there are, in both views. */
static bool take_codes(const struct description *description, const struct theme *given,
                       struct wire *wire)
{
    struct theme theme = *given;

    for (int c = 0; c < COLOUR_COUNT * 2; c++) {
        theme.is_bubble_view = c % 2 == 1;
        int index = theme_index(&theme, (enum colour)(c / 2));
        if (index >= 0 && wire->ink[index][0] == '\0' &&
            !(take_code(wire->ink[index], description->expand("setaf", index, 0)) &&
              take_code(wire->paper[index], description->expand("setab", index, 0))))
            return false;
    }
    return says(description->string("op"), "\033[39;49m");
}

/* ---- frames ---- */

/* What every frame uses; the parameters tell rows from columns, and counts from 0 and from 1. */
static bool has_needed(const struct description *description)
{
    const char *reset = description->string("sgr0");
    int unusable = description->number("ncv"); /* with colours: 4 reverse, 32 bold */

    return description->flag("xenl") && description->number("xmc") <= 0 &&
           (unusable <= 0 || (unusable & (4 | 32)) == 0) && reset != NULL &&
           (strncmp(reset, "\033[m", 3) == 0 || strcmp(reset, "\033(B\033[m") == 0) &&
           says(description->expand("cup", 4, 6), "\033[5;7H") &&
           says(description->expand("cuf", 3, 0), "\033[3C") &&
           says(description->string("el"), "\033[K") &&
           says(description->string("bold"), "\033[1m") &&
           says(description->string("rev"), "\033[7m");
}

static bool has_moves(const struct description *description)
{
    return says(description->string("cub1"), "\b") && says(description->string("cud1"), "\n") &&
           says(description->expand("cub", 3, 0), "\033[3D") &&
           says(description->expand("cuu", 3, 0), "\033[3A") &&
           says(description->expand("cud", 3, 0), "\033[3B") &&
           says(description->expand("hpa", 6, 0), "\033[7G") &&
           says(description->expand("vpa", 4, 0), "\033[5d");
}

bool terminal_has_wire(const struct description *description, const struct theme *theme,
                       struct wire *wire)
{
    if (!has_needed(description))
        return false;
    wire->has_colours = theme->depth != DEPTH_MONO;
    wire->has_bce = description->flag("bce");
    wire->has_erase = says(description->expand("ech", 7, 0), "\033[7X");
    wire->has_shift = says(description->expand("dch", 7, 0), "\033[7P") &&
                      says(description->expand("ich", 7, 0), "\033[7@");
    wire->has_moves = has_moves(description);
    return !wire->has_colours || take_codes(description, theme, wire);
}

void terminal_take_sync(const struct description *description, char sync[2][SYNC_SIZE])
{
    for (int i = 0; i < 2; i++) {
        const char *bytes = description->expand("Sync", i + 1, 0);
        if (bytes != NULL && strlen(bytes) < SYNC_SIZE)
            strcpy(sync[i], bytes);
    }
}

/* ---- modes ---- */

bool terminal_take_modes(const struct description *description, bool has_mouse,
                         struct modes *modes)
{
    struct text on, off;

    text_init(&on, modes->on, sizeof modes->on);
    text_init(&off, modes->off, sizeof modes->off);
    if (description->string("kmous") == NULL)
        return false;
    if (has_mouse) {
        text_add(&on, "\033[?1000h\033[?1002h\033[?1006h");
        text_add(&off, "\033[?1006l\033[?1002l\033[?1000l");
    }
    text_add(&on, "\033[?2004h");
    text_add(&off, "\033[?2004l");
    return true;
}

void terminal_add_goodbye(const struct description *description, const struct modes *modes,
                          struct text *text)
{
    static const char *const names[] = {"sgr0", "rmkx", "rmcup", "cnorm"};

    text_add(text, modes->off);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *bytes = description->string(names[i]);
        if (bytes != NULL)
            text_add(text, bytes);
    }
}
