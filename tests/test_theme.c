/* The colours, judged by numbers: contrast as WCAG 2 defines it, the three colour deficiencies as
 * Machado, Oliveira and Fernandes simulate them (2009, severity 1.0, in linear light), differences
 * in CIELAB (CIE76).
 *
 * The 256-colour palette is fixed from index 16 on. The first 16 are not: they are judged as xterm
 * has them and, where a Linux console has only 8, as VGA has them, and held to what those can give.
 */
#include "core/pg.h"
#include "view/theme.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Far above the 2.3 that can just be told apart, and above the 9 to 16 of pairs that are known to
 * be taken for each other, such as green and yellow without red receptors. */
#define DIFFERENCE_ENOUGH 20.0
#define TEXT_ENOUGH 4.5
#define KINDS_ENOUGH 3.0

/* ---- colour arithmetic ---- */

struct light {
    double v[3]; /* linear red, green, blue */
};

static const double deficiencies[][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868},
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968},
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779},
     {-0.078411, 0.930809, 0.147602},
     {0.004733, 0.691367, 0.303900}},
};
static const char *const eyes[] = {"all", "no red", "no green", "no blue"};
enum { EYES = 4 };

static const uint8_t vga[8][3] = {
    {0, 0, 0},   {170, 0, 0},   {0, 170, 0},   {170, 85, 0},
    {0, 0, 170}, {170, 0, 170}, {0, 170, 170}, {170, 170, 170},
};

static struct light light_of_rgb(const uint8_t rgb[3])
{
    struct light light;

    for (int i = 0; i < 3; i++) {
        double u = rgb[i] / 255.0;
        light.v[i] = u <= 0.04045 ? u / 12.92 : pow((u + 0.055) / 1.055, 2.4);
    }
    return light;
}

static struct light light_of(int index)
{
    uint8_t rgb[3];

    theme_rgb(index, rgb);
    return light_of_rgb(rgb);
}

static double luminance(struct light light)
{
    return 0.2126 * light.v[0] + 0.7152 * light.v[1] + 0.0722 * light.v[2];
}

static double contrast(struct light a, struct light b)
{
    double one = luminance(a) + 0.05, other = luminance(b) + 0.05;
    return one > other ? one / other : other / one;
}

static struct light seen_by(int eye, struct light light)
{
    struct light seen;

    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            sum += deficiencies[eye][i][k] * light.v[k];
        seen.v[i] = fmin(1, fmax(0, sum));
    }
    return seen;
}

static double lab_curve(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static void lab_of(struct light light, double lab[3])
{
    const double *v = light.v;
    double x = lab_curve((0.4124 * v[0] + 0.3576 * v[1] + 0.1805 * v[2]) / 0.95047);
    double y = lab_curve(luminance(light));
    double z = lab_curve((0.0193 * v[0] + 0.1192 * v[1] + 0.9505 * v[2]) / 1.08883);

    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

static double lightness(struct light light)
{
    double lab[3];

    lab_of(light, lab);
    return lab[0];
}

static double difference(struct light a, struct light b, int eye)
{
    double one[3], other[3], sum = 0;

    lab_of(seen_by(eye, a), one);
    lab_of(seen_by(eye, b), other);
    for (int i = 0; i < 3; i++)
        sum += (one[i] - other[i]) * (one[i] - other[i]);
    return sqrt(sum);
}

/* The arithmetic above against figures measured with other programs. */
static void test_arithmetic(void **state)
{
    static const struct {
        int a, b;
        double difference[EYES], contrast;
    } known[] = {
        {74, 214, {113, 100, 110, 81}, 1.32}, {74, 36, {51, 41, 37, 9}, 1.15},
        {214, 36, {98, 59, 75, 81}, 1.52},    {74, 175, {53, 13, 26, 77}, 1.08},
        {1, 2, {145, 56, 24, 136}, 2.7},      {2, 3, {56, 6, 16, 57}, 1.3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct light a = light_of(known[i].a), b = light_of(known[i].b);
        for (int eye = 0; eye < EYES; eye++)
            assert_true(fabs(difference(a, b, eye) - known[i].difference[eye]) <= 0.51);
        assert_true(fabs(contrast(a, b) - known[i].contrast) <= 0.035);
    }
    assert_true(fabs(contrast(light_of(16), light_of(231)) - 21) < 1e-9);
    assert_true(fabs(contrast(light_of(16), light_of(243)) - 4.62) < 0.01);
}

/* The cube and the greys as xterm defines them, from their ends and a few known colours. */
static void test_palette(void **state)
{
    static const struct {
        int index;
        uint8_t rgb[3];
    } known[] = {
        {0, {0, 0, 0}},       {15, {255, 255, 255}}, {16, {0, 0, 0}},        {231, {255, 255, 255}},
        {21, {0, 0, 255}},    {46, {0, 255, 0}},     {196, {255, 0, 0}},     {208, {255, 135, 0}},
        {67, {95, 135, 175}}, {232, {8, 8, 8}},      {244, {128, 128, 128}}, {255, {238, 238, 238}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint8_t rgb[3];
        theme_rgb(known[i].index, rgb);
        assert_memory_equal(rgb, known[i].rgb, 3);
    }
}

/* ---- what is judged ---- */

static const struct theme views[] = {
    {DEPTH_256, false, false, false}, {DEPTH_256, false, true, false},
    {DEPTH_16, false, false, false},  {DEPTH_16, false, true, false},
    {DEPTH_8, false, false, false},   {DEPTH_8, false, true, false},
};
#define VIEWS (sizeof views / sizeof views[0])

/* A colour in a view; on the console's palette when that is asked for. */
static struct light paint(const struct theme *theme, enum colour colour, bool is_console)
{
    int index = theme_index(theme, colour);

    assert_true(index >= 0);
    return is_console ? light_of_rgb(vga[index]) : light_of(index);
}

static struct light paper_of(const struct theme *theme, int kind, unsigned shade)
{
    return paint(theme, theme_kind_paper(kind, shade), false);
}

static const char *view_name(const struct theme *theme)
{
    static const char *const names[2][4] = {
        {"mono", "8 colours", "16 colours", "256 colours"},
        {"mono bubble", "8 colours, bubble view", "16 colours, bubble view",
         "256 colours, bubble view"},
    };
    return names[theme->is_bubble_view][theme->depth];
}

#define assert_enough(value, least, what, theme)                                                   \
    do {                                                                                           \
        double value_ = (value);                                                                   \
        if (!(value_ >= (least)))                                                                  \
            fail_msg("%s: %s is %.2f, less than %.2f", view_name(theme), what, value_,             \
                     (double)(least));                                                             \
    } while (0)

static void test_ranges(void **state)
{
    static const int sizes[] = {
        [DEPTH_MONO] = 0, [DEPTH_8] = 8, [DEPTH_16] = 16, [DEPTH_256] = 256};

    (void)state;
    for (int colour = 0; colour < COLOUR_COUNT; colour++)
        for (int depth = DEPTH_MONO; depth <= DEPTH_256; depth++)
            for (int i = 0; i < 4; i++) {
                struct theme theme = {(enum depth)depth, i & 1, i & 2, false};
                int index = theme_index(&theme, (enum colour)colour);
                assert_true(index >= -1 && index < sizes[depth]);
                /* The first 16 look different on every terminal. */
                assert_true(depth != DEPTH_256 || index == -1 || index >= 16);
            }
    for (int i = 0; i < 2; i++)
        assert_int_equal(theme_index(&views[i], COLOUR_OWN), -1);
    for (int style = 0; style < STYLE_COUNT; style++) {
        const struct style_info *info = style_info((enum style)style);
        assert_true(info->ink < COLOUR_COUNT && info->paper < COLOUR_COUNT);
        assert_int_equal(info->attributes & ~(ATTR_BOLD | ATTR_REVERSE | ATTR_REVERSE_MONO), 0);
    }
}

/* ---- operations ---- */

/* The four papers of a kind: two shades, of the first chunk and of the second. */
static enum colour any_paper(int kind, unsigned i)
{
    return i < 2 ? theme_kind_paper(kind, i) : theme_second_paper(kind, i & 1);
}

static double least_text_contrast(const struct theme *theme, int kinds, bool is_console)
{
    double least = 21;

    for (int kind = 0; kind < kinds; kind++)
        for (unsigned i = 0; i < 4; i++)
            least = fmin(least, contrast(paint(theme, theme_kind_ink(kind), is_console),
                                         paint(theme, any_paper(kind, i), is_console)));
    return least;
}

static double least_kind_contrast(const struct theme *theme, bool is_console)
{
    double least = 21;

    for (int kind = PG_BACKWARD; kind < PG_KINDS; kind++)
        for (unsigned i = 0; i < 4; i++)
            least =
                fmin(least, contrast(paint(theme, theme_kind_paper(PG_FORWARD, i & 1), is_console),
                                     paint(theme, theme_kind_paper(kind, i >> 1), is_console)));
    return least;
}

static void test_text_on_operations(void **state)
{
    (void)state;
    for (size_t v = 0; v < VIEWS; v++) {
        /* White and black are both 4 to 5 from the one grey that 16 colours have for work. */
        bool is_hard = views[v].depth == DEPTH_16 && views[v].is_bubble_view;
        assert_enough(least_text_contrast(&views[v], DRAWN_KINDS, false), is_hard ? 4.0 : TEXT_ENOUGH,
                      "text on an operation", &views[v]);
        if (views[v].depth != DEPTH_8)
            continue;
        /* The console's yellow is brown, black on it is 4.0, and its white on red no more than 3.3. */
        assert_enough(least_text_contrast(&views[v], PG_KINDS, true), 4.0,
                      "text on an operation on a console", &views[v]);
        assert_enough(least_text_contrast(&views[v], DRAWN_KINDS, true), 3.3,
                      "text on a fused pair on a console", &views[v]);
    }
}

static void test_forward_and_backward(void **state)
{
    (void)state;
    for (size_t v = 0; v < VIEWS; v++) {
        double least = KINDS_ENOUGH;
        if (views[v].depth == DEPTH_16)
            least = 2.35; /* bright blue and dark cyan; 5.5 and more for the first shades */
        assert_enough(least_kind_contrast(&views[v], false), least, "forward to backward",
                      &views[v]);
        if (views[v].depth == DEPTH_8)
            assert_enough(least_kind_contrast(&views[v], true), 2.5,
                          "forward to backward on a console", &views[v]);
    }
    struct theme sixteen = {.depth = DEPTH_16};
    assert_enough(contrast(paper_of(&sixteen, PG_FORWARD, 0), paper_of(&sixteen, PG_BACKWARD, 0)),
                  KINDS_ENOUGH, "first shades of forward and backward", &sixteen);
}

/* Without colour only lightness is left: steps of L*, of which 100 lead from black to white. */
static void test_grey(void **state)
{
    (void)state;
    for (size_t v = 0; v < 2; v++)
        for (unsigned i = 0; i < 4; i++)
            assert_enough(lightness(paper_of(&views[v], PG_BACKWARD, i >> 1)) -
                              lightness(paper_of(&views[v], PG_FORWARD, i & 1)),
                          30, "lightness from forward up to backward", &views[v]);
    for (unsigned i = 0; i < 4; i++) {
        /* Idle time in half blocks has no hatch: its grey stands between the two. */
        double plain = lightness(paint(&views[0], COLOUR_IDLE_PLAIN, false));
        assert_enough(lightness(paper_of(&views[0], PG_BACKWARD, i >> 1)) - plain, 15,
                      "lightness from plain idle up to backward", &views[0]);
        assert_enough(plain - lightness(paper_of(&views[0], PG_FORWARD, i & 1)), 10,
                      "lightness from forward up to plain idle", &views[0]);
    }
}

static void test_shades(void **state)
{
    (void)state;
    for (size_t v = 0; v < 2; v++)
        for (int n = 0; n < 2 * DRAWN_KINDS; n++) {
            unsigned chunk = 2 * ((unsigned)n & 1);
            struct light a = paint(&views[v], any_paper(n / 2, chunk), false);
            struct light b = paint(&views[v], any_paper(n / 2, chunk + 1), false);
            assert_enough(contrast(a, b), v == 0 ? 1.2 : 1.1, "one shade to the other", &views[v]);
            for (int eye = 0; eye < EYES; eye++)
                assert_enough(difference(a, b, eye), 7, eyes[eye], &views[v]);
        }
    assert_int_equal(theme_kind_paper(PG_FORWARD, 2), theme_kind_paper(PG_FORWARD, 0));
    assert_int_equal(theme_kind_paper(PG_BACKWARD, 7), theme_kind_paper(PG_BACKWARD, 1));
}

/* ---- all eyes ---- */

static double least_difference(const struct theme *theme, enum colour idle, int eye,
                               bool is_console)
{
    double least = 1000;

    for (unsigned i = 0; i < 4; i++) {
        struct light forward = paint(theme, theme_kind_paper(PG_FORWARD, i & 1), is_console);
        struct light backward = paint(theme, theme_kind_paper(PG_BACKWARD, i >> 1), is_console);
        struct light gap = paint(theme, idle, is_console);
        least = fmin(least, difference(forward, backward, eye));
        least = fmin(least, difference(forward, gap, eye));
        least = fmin(least, difference(backward, gap, eye));
    }
    return least;
}

static void test_deficiencies(void **state)
{
    (void)state;
    for (size_t v = 0; v < VIEWS; v++)
        for (int eye = 0; eye < EYES; eye++) {
            double least = DIFFERENCE_ENOUGH;
            /* Yellow beside light grey, without blue receptors: xterm's base colours have no more.
             */
            if (views[v].depth == DEPTH_8)
                least = 18;
            if (views[v].depth == DEPTH_16 && views[v].is_bubble_view)
                least = 12;
            assert_enough(least_difference(&views[v], COLOUR_IDLE, eye, false), least, eyes[eye],
                          &views[v]);
            assert_enough(least_difference(&views[v], COLOUR_IDLE_PLAIN, eye, false), least,
                          eyes[eye], &views[v]);
            if (views[v].depth == DEPTH_8)
                assert_enough(least_difference(&views[v], COLOUR_IDLE, eye, true), least, eyes[eye],
                              &views[v]);
        }
}

static double least_between(const struct theme *theme, int kind, int other, int eye)
{
    double least = 1000;

    for (unsigned i = 0; i < 16; i++)
        least = fmin(least, difference(paint(theme, any_paper(kind, i & 3), false),
                                       paint(theme, any_paper(other, i >> 2), false), eye));
    return least;
}

/* An input gradient is a kind of backward, and looks like one where there is no texture. */
static bool is_one_hue(int kind, int other)
{
    return (kind == PG_BACKWARD || kind == PG_INPUT_GRAD) &&
           (other == PG_BACKWARD || other == PG_INPUT_GRAD);
}

/* Half blocks have colour alone: every hue is told from every other and from idle time. */
static void test_half_blocks(void **state)
{
    (void)state;
    for (size_t v = 0; v < VIEWS; v++) {
        if (views[v].is_bubble_view || views[v].depth == DEPTH_8)
            continue; /* only idle time is to be seen; eight colours are too few */
        struct light idle = paint(&views[v], COLOUR_IDLE_PLAIN, false);
        for (int eye = 0; eye < EYES; eye++)
            for (int kind = 0; kind < DRAWN_KINDS; kind++) {
                for (unsigned i = 0; i < 4; i++)
                    assert_enough(difference(paint(&views[v], any_paper(kind, i), false), idle, eye),
                                  DIFFERENCE_ENOUGH, eyes[eye], &views[v]);
                for (int other = 0; other < kind; other++)
                    if (!is_one_hue(kind, other))
                        assert_enough(least_between(&views[v], kind, other, eye),
                                      DIFFERENCE_ENOUGH, eyes[eye], &views[v]);
            }
    }
}

/* Where two kinds are filled alike, or a kind and idle time, colour alone has to do it; the chunks
 * of a kind are never filled alike. */
static void test_textures(void **state)
{
    (void)state;
    for (size_t v = 0; v < VIEWS; v++)
        for (int is_ascii = 0; is_ascii < 2; is_ascii++) {
            struct theme theme = {views[v].depth, is_ascii, views[v].is_bubble_view, false};
            for (int kind = 0; kind < DRAWN_KINDS; kind++) {
                assert_int_not_equal(theme_fill(&theme, kind, false), theme_fill(&theme, kind, true));
                for (int second = 0; second < 2; second++)
                    assert_int_not_equal(theme_fill(&theme, kind, second), theme_idle_glyph(&theme));
                for (int other = 0; other < kind && !theme.is_bubble_view; other++)
                    for (int i = 0; i < 4; i++)
                        if (theme_fill(&theme, kind, i & 1) == theme_fill(&theme, other, i >> 1))
                            for (int eye = 0; eye < EYES; eye++)
                                assert_enough(least_between(&theme, kind, other, eye),
                                              DIFFERENCE_ENOUGH, eyes[eye], &theme);
            }
        }
    for (int is_ascii = 0; is_ascii < 2; is_ascii++) {
        struct theme theme = {DEPTH_MONO, is_ascii, false, false};
        uint32_t seen[2 * DRAWN_KINDS + 1] = {theme_idle_glyph(&theme)};
        for (int n = 1; n <= 2 * DRAWN_KINDS; n++) {
            seen[n] = theme_fill(&theme, (n - 1) / 2, (n - 1) % 2);
            for (int k = 0; k < n; k++)
                assert_int_not_equal(seen[n], seen[k]);
        }
    }
}

/* ---- idle time ---- */

static void test_idle(void **state)
{
    (void)state;
    for (size_t v = 0; v < VIEWS; v++) {
        struct light black = {{0, 0, 0}};
        struct light idle = paint(&views[v], COLOUR_IDLE, false);
        struct light hatch = paint(&views[v], COLOUR_HATCH, false);
        assert_enough(contrast(idle, hatch), 3, "the hatch on idle time", &views[v]);
        assert_enough(contrast(idle, black), 2, "idle time to a black background", &views[v]);
        assert_enough(luminance(paint(&views[v], COLOUR_IDLE_PLAIN, false)), luminance(idle),
                      "idle time without a hatch", &views[v]);
    }
}

static double brightest_work(const struct theme *theme, bool is_console)
{
    double most = 0;

    for (int kind = 0; kind < PG_KINDS; kind++)
        for (unsigned shade = 0; shade < 2; shade++)
            most = fmax(most, luminance(paint(theme, theme_kind_paper(kind, shade), is_console)));
    return most;
}

static void test_bubble_view(void **state)
{
    static const double least[] = {[DEPTH_8] = 1.2, [DEPTH_16] = 1.15, [DEPTH_256] = 1.5};

    (void)state;
    for (size_t v = 0; v < VIEWS; v++) {
        const struct theme *theme = &views[v];
        if (!theme->is_bubble_view)
            continue;
        for (int is_console = 0; is_console <= (theme->depth == DEPTH_8); is_console++) {
            double work = brightest_work(theme, is_console) + 0.05;
            double idle = luminance(paint(theme, COLOUR_IDLE, is_console)) + 0.05;
            double plain = luminance(paint(theme, COLOUR_IDLE_PLAIN, is_console)) + 0.05;
            assert_enough(idle / work, least[theme->depth], "idle time to work", theme);
            assert_enough(plain / work, least[theme->depth], "plain idle time to work", theme);
        }
    }
    /* Work is grey: no colour at all. */
    for (int kind = 0; kind < PG_KINDS; kind++)
        for (unsigned shade = 0; shade < 2; shade++) {
            struct light grey = paper_of(&views[1], kind, shade);
            assert_true(grey.v[0] == grey.v[1] && grey.v[1] == grey.v[2]);
        }
}

/* ---- everything else that is written ---- */

static void test_styles(void **state)
{
    (void)state;
    for (size_t v = 0; v < VIEWS; v++)
        for (int style = 0; style < STYLE_COUNT; style++) {
            const struct style_info *info = style_info((enum style)style);
            if (theme_index(&views[v], info->ink) < 0)
                continue;
            bool is_own = theme_index(&views[v], info->paper) < 0;
            struct light black = {{0, 0, 0}};
            struct light paper = is_own ? black : paint(&views[v], info->paper, false);
            assert_enough(contrast(paint(&views[v], info->ink, false), paper), TEXT_ENOUGH,
                          "text on a panel", &views[v]);
        }
}

static void test_glyphs(void **state)
{
    (void)state;
    for (int depth = DEPTH_MONO; depth <= DEPTH_256; depth++)
        for (int is_ascii = 0; is_ascii < 2; is_ascii++) {
            struct theme theme = {(enum depth)depth, is_ascii, false, false};
            uint32_t idle = theme_idle_glyph(&theme);
            uint32_t forward = theme_kind_glyph(&theme, PG_FORWARD);
            uint32_t backward = theme_kind_glyph(&theme, PG_BACKWARD);
            assert_true(idle != forward && idle != backward && forward != backward);
            assert_true(idle != ' ' && (!is_ascii || (idle > 0x20 && idle < 0x7f)));
            for (int kind = 0; kind < PG_KINDS; kind++) {
                uint32_t glyph = theme_kind_glyph(&theme, kind);
                assert_true(glyph > 0x20 && glyph != idle && (!is_ascii || glyph < 0x7f));
                assert_false(glyph >= '0' && glyph <= '9');
                for (int other = 0; is_ascii && other < kind; other++)
                    assert_true(glyph != theme_kind_glyph(&theme, other));
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_palette),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_text_on_operations),
        cmocka_unit_test(test_forward_and_backward),
        cmocka_unit_test(test_grey),
        cmocka_unit_test(test_shades),
        cmocka_unit_test(test_deficiencies),
        cmocka_unit_test(test_half_blocks),
        cmocka_unit_test(test_textures),
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_bubble_view),
        cmocka_unit_test(test_styles),
        cmocka_unit_test(test_glyphs),
    };

    return cmocka_run_group_tests_name("theme", tests, NULL, NULL);
}
