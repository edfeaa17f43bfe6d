/* The tables behind theme.h. */
#include "view/theme.h"

#include "core/pg.h"

struct colour_info {
    int16_t normal[3], bubble[3]; /* at 256, 16 and 8 colours */
};

static const struct colour_info colours[COLOUR_COUNT] = {
#define COLOUR(id, c256, c16, c8, b256, b16, b8) {{c256, c16, c8}, {b256, b16, b8}},
#define STYLE(id, ink, paper, attributes)
#include "view/theme.def"
#undef COLOUR
#undef STYLE
};

static const struct style_info styles[STYLE_COUNT] = {
#define COLOUR(id, c256, c16, c8, b256, b16, b8)
#define STYLE(id, ink, paper, attributes) {COLOUR_##ink, COLOUR_##paper, attributes},
#include "view/theme.def"
#undef COLOUR
#undef STYLE
};

const struct style_info *style_info(enum style style)
{
    return &styles[style];
}

int theme_index(const struct theme *theme, enum colour colour)
{
    const struct colour_info *info = &colours[colour];
    const int16_t *row = theme->is_bubble_view ? info->bubble : info->normal;

    switch (theme->depth) {
    case DEPTH_256:
        return row[0];
    case DEPTH_16:
        return row[1];
    case DEPTH_8:
        return row[2];
    case DEPTH_MONO:
        break;
    }
    return -1;
}

static const enum colour papers[DRAWN_KINDS][2][2] = {
    [PG_FORWARD] = {{COLOUR_FORWARD_A, COLOUR_FORWARD_B}, {COLOUR_FORWARD2_A, COLOUR_FORWARD2_B}},
    [PG_BACKWARD] = {{COLOUR_BACKWARD_A, COLOUR_BACKWARD_B},
                     {COLOUR_BACKWARD2_A, COLOUR_BACKWARD2_B}},
    [PG_INPUT_GRAD] = {{COLOUR_INPUT_A, COLOUR_INPUT_B}, {COLOUR_INPUT2_A, COLOUR_INPUT2_B}},
    [PG_WEIGHT_GRAD] = {{COLOUR_WEIGHT_A, COLOUR_WEIGHT_B}, {COLOUR_WEIGHT2_A, COLOUR_WEIGHT2_B}},
    [KIND_FUSED] = {{COLOUR_FUSED_A, COLOUR_FUSED_B}, {COLOUR_FUSED2_A, COLOUR_FUSED2_B}},
};

enum colour theme_kind_paper(int kind, unsigned shade)
{
    return papers[kind][0][shade & 1u];
}

enum colour theme_second_paper(int kind, unsigned shade)
{
    return papers[kind][1][shade & 1u];
}

enum colour theme_kind_ink(int kind)
{
    return kind == PG_FORWARD || kind == KIND_FUSED ? COLOUR_ON_FORWARD : COLOUR_ON_BACKWARD;
}

bool theme_kind_of_paper(enum colour paper, int *kind, bool *is_second)
{
    for (*kind = 0; *kind < DRAWN_KINDS; ++*kind)
        for (int i = 0; i < 4; i++)
            if (papers[*kind][i / 2][i % 2] == paper) {
                *is_second = i / 2 == 1;
                return true;
            }
    return false;
}

enum colour theme_ink_on(enum colour paper)
{
    int kind;
    bool is_second;

    if (theme_kind_of_paper(paper, &kind, &is_second))
        return theme_kind_ink(kind);
    return paper == COLOUR_IDLE_PLAIN ? COLOUR_ON_BACKWARD
           : paper == COLOUR_OWN      ? COLOUR_STRONG
                                      : COLOUR_HATCH;
}

uint32_t theme_kind_glyph(const struct theme *theme, int kind)
{
    static const uint32_t ascii[DRAWN_KINDS] = {'>', '<', 'i', 'w', '&'};
    static const uint32_t shades[DRAWN_KINDS] = {0x2591, 0x2593, 'i', 'w', 0x2592};
    return theme->is_ascii ? ascii[kind] : shades[kind];
}

uint32_t theme_future_glyph(const struct theme *theme, int kind)
{
    static const uint32_t ascii[DRAWN_KINDS] = {'-', '=', ':', '~', '+'};
    static const uint32_t lines[DRAWN_KINDS] = {0x254c, 0x2550, ':', '~', '+'};
    return theme->is_ascii ? ascii[kind] : lines[kind];
}

uint32_t theme_fill(const struct theme *theme, int kind, bool is_second)
{
    static const uint32_t second[DRAWN_KINDS] = {'}', '{', 'I', 'W', '%'};
    static const uint32_t textures[DRAWN_KINDS][2] = {
        {' ', '.'}, {' ', '.'}, {'-', '='}, {':', ';'}, {' ', '.'}};

    if (theme->depth == DEPTH_MONO)
        return is_second ? second[kind] : theme_kind_glyph(theme, kind);
    uint32_t texture = textures[kind][is_second];
    return texture == '.' && !theme->is_ascii ? 0xb7 : texture;
}

uint32_t theme_idle_glyph(const struct theme *theme)
{
    if (theme->depth == DEPTH_MONO)
        return theme->is_ascii ? '.' : 0xb7;
    return theme->is_ascii || theme->is_sparing ? '/' : 0x2571;
}

void theme_rgb(int index, uint8_t rgb[3])
{
    static const uint8_t base[16][3] = {
        {0, 0, 0},       {205, 0, 0},   {0, 205, 0},   {205, 205, 0},
        {0, 0, 238},     {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
        {127, 127, 127}, {255, 0, 0},   {0, 255, 0},   {255, 255, 0},
        {92, 92, 255},   {255, 0, 255}, {0, 255, 255}, {255, 255, 255},
    };
    for (int i = 0; i < 3; i++) {
        if (index < 16) {
            rgb[i] = base[index][i];
        } else if (index < 232) {
            int level = (index - 16) / (i == 0 ? 36 : i == 1 ? 6 : 1) % 6;
            rgb[i] = (uint8_t)(level == 0 ? 0 : 55 + 40 * level);
        } else {
            rgb[i] = (uint8_t)(8 + 10 * (index - 232));
        }
    }
}
