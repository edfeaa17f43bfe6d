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

enum colour theme_kind_paper(int kind, unsigned shade)
{
    static const enum colour papers[PG_KINDS][2] = {
        [PG_FORWARD] = {COLOUR_FORWARD_A, COLOUR_FORWARD_B},
        [PG_BACKWARD] = {COLOUR_BACKWARD_A, COLOUR_BACKWARD_B},
        [PG_INPUT_GRAD] = {COLOUR_BACKWARD_A, COLOUR_BACKWARD_B},
        [PG_WEIGHT_GRAD] = {COLOUR_BACKWARD_A, COLOUR_BACKWARD_B},
    };
    return papers[kind][shade & 1u];
}

enum colour theme_kind_ink(int kind)
{
    return kind == PG_FORWARD ? COLOUR_ON_FORWARD : COLOUR_ON_BACKWARD;
}

uint32_t theme_kind_glyph(const struct theme *theme, int kind)
{
    static const uint32_t ascii[PG_KINDS] = {'>', '<', 'i', 'w'};
    static const uint32_t shades[PG_KINDS] = {0x2591, 0x2593, 0x2592, 0x2592};
    return theme->is_ascii ? ascii[kind] : shades[kind];
}

uint32_t theme_idle_glyph(const struct theme *theme)
{
    if (theme->depth == DEPTH_MONO)
        return theme->is_ascii ? '.' : 0xb7;
    return theme->is_ascii ? '/' : 0x2571;
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
