/* How things look: colours by what they mean, at every depth a terminal may have, and glyphs with
 * and without UTF-8. theme.def is the table. Drawing code names colours and styles; only who sends a
 * grid out asks for a palette index. */
#ifndef VIEW_THEME_H
#define VIEW_THEME_H

#include <stdbool.h>
#include <stdint.h>

enum colour {
#define COLOUR(id, c256, c16, c8, b256, b16, b8) COLOUR_##id,
#define STYLE(id, ink, paper, attributes)
#include "view/theme.def"
#undef COLOUR
#undef STYLE
    COLOUR_COUNT
};

enum style {
#define COLOUR(id, c256, c16, c8, b256, b16, b8)
#define STYLE(id, ink, paper, attributes) STYLE_##id,
#include "view/theme.def"
#undef COLOUR
#undef STYLE
    STYLE_COUNT
};

enum {
    ATTR_BOLD = 1,
    ATTR_REVERSE = 2,
    ATTR_REVERSE_MONO = 4, /* reverse where there are no colours */
};

enum depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256 };

struct theme {
    enum depth depth;
    bool is_ascii;
    bool is_bubble_view;
    bool is_sparing; /* few bytes count more than edges between columns */
};

struct style_info {
    enum colour ink, paper;
    uint8_t attributes;
};

const struct style_info *style_info(enum style style);
/* Palette index of a colour; -1: the terminal's own. */
int theme_index(const struct theme *theme, enum colour colour);
/* A fused pair is drawn as a kind of its own. */
enum { KIND_FUSED = 4, DRAWN_KINDS = 5 };

/* What an operation of a kind is painted with; shade 0 or 1. */
enum colour theme_kind_paper(int kind, unsigned shade);
enum colour theme_kind_ink(int kind);
/* The same for every other chunk, or the second replica. */
enum colour theme_second_paper(int kind, unsigned shade);
/* The character that stands for a kind where there are no colours. */
uint32_t theme_kind_glyph(const struct theme *theme, int kind);
/* The same for what play has not come to. */
uint32_t theme_future_glyph(const struct theme *theme, int kind);
/* The character that fills an operation of a kind: with colours a texture that tells kinds and chunks
 * apart in grey as well, without them the glyph of the kind and chunk. */
uint32_t theme_fill(const struct theme *theme, int kind, bool is_second);
/* What can be read on a paper, and the kind and chunk it belongs to; false when to none. */
enum colour theme_ink_on(enum colour paper);
bool theme_kind_of_paper(enum colour paper, int *kind, bool *is_second);
uint32_t theme_idle_glyph(const struct theme *theme);
/* sRGB of an index of the 256-colour palette, as xterm has it. */
void theme_rgb(int index, uint8_t rgb[3]);

#endif
