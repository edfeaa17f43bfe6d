/* The grid of cells, its two dumps and the canvas that draws into it: what comes out as plain text
 * or ANSI is read back and compared with the cells, text is never drawn outside its rectangle, and
 * nothing that a terminal could obey gets into a cell, whatever is written. */
#include "driver.h"
#include "view/canvas.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct theme rich = {DEPTH_256, false, false, false};
static const struct theme plain = {DEPTH_256, true, false, false};

static struct canvas canvas_of(struct grid *grid, const struct theme *theme)
{
    return (struct canvas){grid, theme, {0, 0, grid->columns, grid->rows}};
}

static void grid_of(struct grid *grid, int columns, int rows)
{
    *grid = (struct grid){0, 0, NULL};
    assert_true(grid_resize(grid, columns, rows));
}

static bool is_blank(const struct cell *cell)
{
    return cell->glyph == ' ' && cell->ink == COLOUR_OWN && cell->paper == COLOUR_OWN &&
           cell->attributes == 0;
}

/* Everything a terminal may be sent: no control character, no half of a wide character alone. */
static void check_cells(const struct grid *grid)
{
    for (int y = 0; y < grid->rows; y++) {
        bool is_awaited = false; /* the right half of a wide character */
        for (int x = 0; x < grid->columns; x++) {
            const struct cell *cell = grid_at(grid, x, y);
            if (is_awaited != (cell->glyph == 0))
                fail_msg("half of a wide character at %d,%d", x, y);
            is_awaited = false;
            if (cell->glyph == 0)
                continue;
            if (text_is_control(cell->glyph) || cell->glyph > 0x10ffff ||
                (cell->glyph >= 0xd800 && cell->glyph < 0xe000))
                fail_msg("U+%04X at %d,%d", cell->glyph, x, y);
            assert_in_range(text_width(cell->glyph), 1, 2);
            assert_true(cell->ink < COLOUR_COUNT && cell->paper < COLOUR_COUNT);
            is_awaited = text_width(cell->glyph) == 2;
        }
        assert_false(is_awaited);
    }
}

static char *dump(const struct grid *grid, const struct theme *theme)
{
    size_t size = grid_dump_size(grid, theme != NULL);
    char *buffer = malloc(size);
    struct text text;

    assert_non_null(buffer);
    text_init(&text, buffer, size);
    if (theme == NULL)
        grid_dump(grid, &text);
    else
        grid_dump_ansi(grid, theme, &text);
    assert_false(text.is_cut);
    assert_int_equal(text.length, strlen(buffer));
    return buffer;
}

static void assert_dump(const struct grid *grid, const char *expected)
{
    char *text = dump(grid, NULL);

    assert_string_equal(text, expected);
    free(text);
}

/* ---- sizes ---- */

static void test_resize(void **state)
{
    static const int sizes[][2] = {{1, 1},   {80, 24}, {5, 3}, {500, 200}, {1, 200},
                                   {500, 1}, {20, 6},  {1, 1}, {120, 40}};
    struct grid grid = {0, 0, NULL};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_true(grid_resize(&grid, sizes[i][0], sizes[i][1]));
        assert_true(grid.columns == sizes[i][0] && grid.rows == sizes[i][1]);
        for (int y = 0; y < grid.rows; y++)
            for (int x = 0; x < grid.columns; x++)
                assert_true(is_blank(grid_at(&grid, x, y)));
        assert_ptr_equal(grid_at(&grid, 0, 0), grid.cells);
        assert_ptr_equal(grid_at(&grid, grid.columns - 1, grid.rows - 1),
                         grid.cells + (size_t)grid.columns * (size_t)grid.rows - 1);
        assert_null(grid_at(&grid, -1, 0));
        assert_null(grid_at(&grid, 0, -1));
        assert_null(grid_at(&grid, grid.columns, 0));
        assert_null(grid_at(&grid, 0, grid.rows));
        /* Something in every cell: the next size must be blank again, and so after a clear. */
        struct canvas canvas = canvas_of(&grid, &rich);
        canvas_fill(&canvas, canvas.area, STYLE_TITLE);
        assert_false(is_blank(grid_at(&grid, 0, grid.rows - 1)));
    }
    grid_clear(&grid);
    assert_true(is_blank(grid_at(&grid, 119, 39)));
    grid_free(&grid);
    assert_null(grid.cells);
    grid_free(&grid);
}

static void test_cell_equal(void **state)
{
    const struct cell cell = {'a', COLOUR_DIM, COLOUR_BAND, ATTR_BOLD};
    struct cell other[5] = {cell, cell, cell, cell, cell};

    (void)state;
    other[1].glyph = 'b';
    other[2].ink = COLOUR_OWN;
    other[3].paper = COLOUR_OWN;
    other[4].attributes = 0;
    for (int i = 0; i < 5; i++)
        assert_int_equal(cell_equal(&cell, &other[i]), i == 0);
}

/* ---- dumps ---- */

static void test_dump(void **state)
{
    struct grid grid;

    (void)state;
    grid_of(&grid, 10, 3);
    assert_dump(&grid, "\n\n\n");
    struct canvas canvas = canvas_of(&grid, &rich);
    assert_int_equal(canvas_text(&canvas, 2, 0, STYLE_TITLE, "ab"), 4);
    assert_int_equal(canvas_text(&canvas, 0, 1, STYLE_PLAIN, "a→中·x"), 6);
    canvas_fill(&canvas, (struct rect){0, 2, 10, 1}, STYLE_TITLE);
    assert_dump(&grid, "  ab\na→中·x\n\n");
    check_cells(&grid);
    assert_int_equal(grid_at(&grid, 3, 1)->glyph, 0);
    assert_int_equal(grid_at(&grid, 4, 1)->glyph, 0xb7);
    grid_free(&grid);
}

static void test_dump_ansi(void **state)
{
    const struct theme sixteen = {DEPTH_16, false, false, false}, mono = {DEPTH_MONO, false, false, false};
    struct grid grid;
    char expected[200];

    (void)state;
    grid_of(&grid, 4, 2);
    struct canvas canvas = canvas_of(&grid, &rich);
    canvas_text(&canvas, 0, 0, STYLE_PLAIN, "a");
    canvas_text(&canvas, 1, 0, STYLE_TITLE, "bc");
    struct text text;
    text_init(&text, expected, sizeof expected);
    text_addf(&text, "a\033[0;1;38;5;%d;48;5;%dmbc\033[0m\n\n", theme_index(&rich, COLOUR_WHITE),
              theme_index(&rich, COLOUR_BAND));
    char *coloured = dump(&grid, &rich);
    assert_string_equal(coloured, expected);
    free(coloured);
    /* White is one of the bright eight, the band of the dark ones. */
    text_init(&text, expected, sizeof expected);
    text_addf(&text, "a\033[0;1;%d;%dmbc\033[0m\n\n", 90 + theme_index(&sixteen, COLOUR_WHITE) - 8,
              40 + theme_index(&sixteen, COLOUR_BAND));
    coloured = dump(&grid, &sixteen);
    assert_string_equal(coloured, expected);
    free(coloured);
    coloured = dump(&grid, &mono);
    assert_string_equal(coloured, "a\033[0;1mbc\033[0m\n\n");
    free(coloured);
    grid_free(&grid);
}

/* What a terminal makes of a dump: a look for each cell. */
struct shown {
    uint32_t glyph;
    int ink, paper;
    bool is_bold, is_reverse;
};

static long take_number(const char **at)
{
    char *end;
    long number = strtol(*at, &end, 10);

    assert_ptr_not_equal(end, *at);
    *at = end;
    return number;
}

/* The numbers between ESC [ and m, by ECMA-48 and xterm. */
static void take_look(const char **at, struct shown *look)
{
    for (;;) {
        long code = take_number(at);
        if (code == 0) {
            *look = (struct shown){0, -1, -1, false, false};
        } else if (code == 1) {
            look->is_bold = true;
        } else if (code == 7) {
            look->is_reverse = true;
        } else if (code == 38 || code == 48) {
            assert_int_equal(strncmp(*at, ";5;", 3), 0);
            *at += 3;
            *(code == 38 ? &look->ink : &look->paper) = (int)take_number(at);
        } else if (code >= 30 && code < 38) {
            look->ink = (int)code - 30;
        } else if (code >= 40 && code < 48) {
            look->paper = (int)code - 40;
        } else if (code >= 90 && code < 98) {
            look->ink = (int)code - 90 + 8;
        } else {
            assert_in_range(code, 100, 107);
            look->paper = (int)code - 100 + 8;
        }
        if (**at == 'm')
            break;
        assert_int_equal(**at, ';');
        ++*at;
    }
    ++*at;
}

/* Reads a dump into shown[rows][columns]. */
static void read_dump(const char *at, const struct grid *grid, struct shown *shown)
{
    const struct shown none = {' ', -1, -1, false, false};
    struct shown look = none;
    int x = 0, y = 0;

    for (int i = 0; i < grid->columns * grid->rows; i++)
        shown[i] = none;
    while (*at != '\0') {
        if (*at == '\033') {
            assert_int_equal(at[1], '[');
            at += 2;
            take_look(&at, &look);
            continue;
        }
        if (*at == '\n') {
            /* Nothing of a look is left over for the next line. */
            assert_true(look.ink == -1 && look.paper == -1 && !look.is_bold && !look.is_reverse);
            at++;
            x = 0;
            y++;
            continue;
        }
        struct shown cell = look;
        cell.glyph = text_decode(&at);
        assert_false(text_is_control(cell.glyph));
        int width = text_width(cell.glyph);
        assert_true(y < grid->rows && x + width <= grid->columns);
        shown[y * grid->columns + x] = cell;
        cell.glyph = 0;
        if (width == 2)
            shown[y * grid->columns + x + 1] = cell;
        x += width;
    }
    assert_int_equal(y, grid->rows);
}

static void fill_at_random(struct grid *grid, uint64_t *dice)
{
    static const char *const pieces[] = {"x", "→", "中", "▌", " ", "é", "…", "12", "  ", "𐍈"};
    struct canvas canvas = canvas_of(grid, &rich);
    int strokes = grid->columns * grid->rows / 3 + 4;

    grid_clear(grid);
    for (int i = 0; i < strokes; i++)
        canvas_text(&canvas, (int)roll(dice, (uint32_t)grid->columns),
                    (int)roll(dice, (uint32_t)grid->rows), (enum style)roll(dice, STYLE_COUNT),
                    pieces[roll(dice, sizeof pieces / sizeof pieces[0])]);
    for (int y = 0; y < grid->rows; y++)
        for (int x = 0; x < grid->columns; x++) {
            struct cell *cell = grid_at(grid, x, y);
            if (roll(dice, 4) != 0 || cell->glyph == 0 || text_width(cell->glyph) == 2)
                continue;
            *cell = (struct cell){cell->glyph, (uint8_t)roll(dice, COLOUR_COUNT),
                                  (uint8_t)roll(dice, COLOUR_COUNT), (uint8_t)roll(dice, 8)};
        }
}

static void check_shown(const struct grid *grid, const struct theme *theme,
                        const struct shown *shown)
{
    for (int y = 0; y < grid->rows; y++)
        for (int x = 0; x < grid->columns; x++) {
            const struct cell *cell = grid_at(grid, x, y);
            const struct shown *seen = &shown[y * grid->columns + x];
            bool is_mono_reverse =
                theme->depth == DEPTH_MONO && cell->attributes & ATTR_REVERSE_MONO;
            assert_int_equal(seen->glyph, cell->glyph);
            assert_int_equal(seen->ink, theme_index(theme, (enum colour)cell->ink));
            assert_int_equal(seen->paper, theme_index(theme, (enum colour)cell->paper));
            assert_int_equal(seen->is_bold, (cell->attributes & ATTR_BOLD) != 0);
            assert_int_equal(seen->is_reverse, cell->attributes & ATTR_REVERSE || is_mono_reverse);
        }
}

static void test_dumps_read_back(void **state)
{
    static const int sizes[][2] = {{1, 1}, {7, 5}, {80, 24}, {33, 2}};
    uint64_t dice = 5;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] * 8; i++) {
        struct theme theme = {(enum depth)(i / 4 % 4), false, i % 3 == 0, false};
        struct grid grid;
        grid_of(&grid, sizes[i % 4][0], sizes[i % 4][1]);
        struct shown *shown = calloc((size_t)(grid.columns * grid.rows), sizeof *shown);
        assert_non_null(shown);
        fill_at_random(&grid, &dice);
        check_cells(&grid);
        char *text = dump(&grid, &theme);
        read_dump(text, &grid, shown);
        check_shown(&grid, &theme, shown);
        free(text);
        text = dump(&grid, NULL);
        assert_null(strchr(text, '\033'));
        assert_null(strstr(text, " \n"));
        read_dump(text, &grid, shown);
        for (int k = 0; k < grid.columns * grid.rows; k++)
            assert_int_equal(shown[k].glyph, grid.cells[k].glyph);
        free(text);
        free(shown);
        grid_free(&grid);
    }
}

/* The room that a dump is said to need is enough for the dearest grid: every cell another look. */
static void test_dump_size(void **state)
{
    struct grid grid;
    uint64_t dice = 11;

    (void)state;
    grid_of(&grid, 60, 20);
    for (int i = 0; i < 60 * 20; i++)
        grid.cells[i] = (struct cell){0x1f7e0 /* four bytes; one column is enough here */,
                                      (uint8_t)roll(&dice, COLOUR_COUNT),
                                      (uint8_t)(i & 1 ? COLOUR_BAND : COLOUR_HATCH), 7};
    free(dump(&grid, &rich));
    free(dump(&grid, NULL));
    grid_free(&grid);
}

static void test_characters(void **state)
{
    static const uint32_t some[] = {1,     0x41,   0x7f,   0x80,    0x7ff,
                                    0x800, 0xfffd, 0xffff, 0x10000, 0x10ffff};

    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        char buffer[8];
        struct text text;
        const char *at = buffer;
        text_init(&text, buffer, sizeof buffer);
        text_add_character(&text, some[i]);
        assert_int_equal(text_decode(&at), some[i]);
        assert_int_equal(*at, '\0');
        assert_int_equal(text.length, some[i] < 0x80      ? 1
                                      : some[i] < 0x800   ? 2
                                      : some[i] < 0x10000 ? 3
                                                          : 4);
    }
}

/* ---- wide and combining characters ---- */

static void test_wide(void **state)
{
    struct grid grid;

    (void)state;
    grid_of(&grid, 5, 1);
    struct canvas canvas = canvas_of(&grid, &rich);
    assert_int_equal(canvas_columns(&canvas, "中文x"), 5);
    assert_int_equal(canvas_text(&canvas, 0, 0, STYLE_PLAIN, "中文x"), 5);
    assert_dump(&grid, "中文x\n");
    /* Half a wide character at the edge is a blank. */
    assert_int_equal(canvas_text(&canvas, 0, 0, STYLE_PLAIN, "abcd文"), 6);
    assert_dump(&grid, "abcd\n");
    check_cells(&grid);
    /* What loses a half loses both, whichever half is written over, with text or with a cell. */
    for (int i = 0; i < 4; i++) {
        grid_clear(&grid);
        canvas_text(&canvas, 1, 0, STYLE_PLAIN, "中");
        if (i < 2)
            canvas_text(&canvas, 1 + i, 0, STYLE_PLAIN, "x");
        else
            canvas_cell(&canvas, i - 1, 0, (struct cell){'x', COLOUR_OWN, COLOUR_OWN, 0});
        check_cells(&grid);
        assert_dump(&grid, i % 2 == 0 ? " x\n" : "  x\n");
    }
    grid_clear(&grid);
    canvas_text(&canvas, 0, 0, STYLE_PLAIN, "中文");
    canvas_text(&canvas, 1, 0, STYLE_PLAIN, "中");
    check_cells(&grid);
    assert_dump(&grid, " 中\n");
    grid_free(&grid);
}

static void test_combining(void **state)
{
    struct grid grid;

    (void)state;
    grid_of(&grid, 8, 1);
    struct canvas canvas = canvas_of(&grid, &rich);
    /* A cell is one character: an accent of its own is left out, and takes no column. */
    assert_int_equal(canvas_columns(&canvas, "e\xcc\x81x"), 2);
    assert_int_equal(canvas_text(&canvas, 0, 0, STYLE_PLAIN, "e\xcc\x81x"), 2);
    assert_dump(&grid, "ex\n");
    assert_int_equal(canvas_text(&canvas, 0, 0, STYLE_PLAIN, "\xcc\x81\xe2\x80\x8d\xef\xb8\x8f!"),
                     canvas_columns(&canvas, "\xcc\x81\xe2\x80\x8d\xef\xb8\x8f!"));
    check_cells(&grid);
    grid_free(&grid);
}

/* ---- the canvas ---- */

static void test_ascii(void **state)
{
    static const char *const pairs[][2] = {
        {"33→36", "33->36"}, {"←", "<-"}, {"a…", "a..."}, {"3–7", "3-7"}, {"0·1", "0.1"},
        {"20×6", "20x6"},    {"▸", ">"},  {"│─", "|-"},   {"é中", "??"},  {"plain", "plain"},
    };
    struct grid grid;

    (void)state;
    grid_of(&grid, 12, 1);
    struct canvas canvas = canvas_of(&grid, &plain);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        int length = (int)strlen(pairs[i][1]);
        grid_clear(&grid);
        assert_int_equal(canvas_columns(&canvas, pairs[i][0]), length);
        assert_int_equal(canvas_text(&canvas, 0, 0, STYLE_PLAIN, pairs[i][0]), length);
        for (int x = 0; x < length; x++)
            assert_int_equal(grid_at(&grid, x, 0)->glyph, pairs[i][1][x]);
        assert_true(is_blank(grid_at(&grid, length, 0)));
    }
    canvas_rule(&canvas, 0, STYLE_PLAIN);
    assert_dump(&grid, "------------\n");
    canvas.theme = &rich;
    canvas_rule(&canvas, 0, STYLE_PLAIN);
    assert_dump(&grid, "────────────\n");
    grid_free(&grid);
}

/* Draws all over a canvas and beyond. */
static void scribble(const struct canvas *canvas, uint64_t *dice)
{
    const char *texts[] = {"a long line of text that leaves any canvas", "中文中文中文", "x"};

    for (int i = 0; i < 30; i++) {
        int x = (int)roll(dice, 40) - 12, y = (int)roll(dice, 30) - 10;
        canvas_text(canvas, x, y, STYLE_TITLE, texts[roll(dice, 3)]);
        canvas_rule(canvas, y - 3, STYLE_FAINT);
        canvas_fill(canvas, (struct rect){x + 5, y + 1, (int)roll(dice, 30), (int)roll(dice, 5)},
                    STYLE_KEY);
        canvas_cell(canvas, x + 3, y, (struct cell){'#', COLOUR_DIM, COLOUR_OWN, 0});
    }
}

static void test_clipping(void **state)
{
    uint64_t dice = 3;

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct grid grid;
        grid_of(&grid, 24, 12);
        struct canvas whole = canvas_of(&grid, &rich);
        struct rect area = {(int)roll(&dice, 34) - 5, (int)roll(&dice, 20) - 4,
                            (int)roll(&dice, 34) - 3, (int)roll(&dice, 20) - 3};
        struct canvas sub = canvas_sub(&whole, area);
        assert_true(sub.area.columns >= 0 && sub.area.rows >= 0);
        struct canvas inner =
            canvas_sub(&sub, (struct rect){(int)roll(&dice, 12) - 4, (int)roll(&dice, 4) - 2,
                                           (int)roll(&dice, 40), (int)roll(&dice, 9)});
        scribble(round % 2 ? &sub : &inner, &dice);
        check_cells(&grid);
        const struct rect *limit = round % 2 ? &sub.area : &inner.area;
        for (int y = 0; y < 12; y++)
            for (int x = 0; x < 24; x++) {
                bool is_inside = x >= area.x && x < area.x + area.columns && y >= area.y &&
                                 y < area.y + area.rows && x >= limit->x && y >= limit->y &&
                                 x < limit->x + limit->columns && y < limit->y + limit->rows;
                assert_true(is_inside || is_blank(grid_at(&grid, x, y)));
            }
        grid_free(&grid);
    }
}

static void test_canvas_at(void **state)
{
    struct grid grid;

    (void)state;
    grid_of(&grid, 10, 4);
    struct canvas whole = canvas_of(&grid, &rich);
    struct canvas sub = canvas_sub(&whole, (struct rect){3, 1, 4, 2});
    assert_ptr_equal(canvas_at(&sub, 0, 0), grid_at(&grid, 3, 1));
    assert_ptr_equal(canvas_at(&sub, 3, 1), grid_at(&grid, 6, 2));
    assert_null(canvas_at(&sub, 4, 0));
    assert_null(canvas_at(&sub, 0, 2));
    assert_null(canvas_at(&sub, -1, 0));
    assert_null(canvas_at(&sub, 0, -1));
    canvas_text(&sub, 0, 0, STYLE_PLAIN, "abcdef");
    assert_dump(&grid, "\n   abcd\n\n\n");
    grid_free(&grid);
}

/* ---- text from anywhere ---- */

static void check_hostile(const char *text, const struct theme *theme)
{
    struct grid grid;

    grid_of(&grid, 40, 2);
    struct canvas canvas = canvas_of(&grid, theme);
    int end = canvas_text(&canvas, 0, 0, STYLE_PLAIN, text);
    assert_int_equal(end, canvas_columns(&canvas, text));
    check_cells(&grid);
    for (int x = 0; x < 40; x++) {
        assert_true(is_blank(grid_at(&grid, x, 1)));
        assert_true(!theme->is_ascii || grid_at(&grid, x, 0)->glyph < 0x7f);
    }
    char *bytes = dump(&grid, NULL);
    for (const char *at = bytes; *at != '\0'; at++)
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
    free(bytes);
    grid_free(&grid);
}

static void test_hostile_text(void **state)
{
    static const char *const some[] = {
        "\033[2J\033]0;title\007",
        "\033c",
        "a\rb\nc\td\be",
        "\x7f",
        "\xc2\x80\xc2\x9b"
        "31m\xc2\x9f",
        "\xe2\x80\xaeright to left\xe2\x80\xac",
        "\xe2\x81\xa6isolated\xe2\x81\xa9",
        "\xe2\x80\x8f\xe2\x80\x8e\xd8\x9c",
        "\xef\xbb\xbf"
        "bom",
        "\xe2\x80\xa8line\xe2\x80\xa9",
        "\xc0\x9b",
        "\xe0\x80\x9b",
        "\xf0\x80\x80\x9b",
        "\xed\xa0\x80\xed\xb0\x80",
        "\xf4\x90\x80\x80",
        "\xff\xfe\xfd",
        "\x9b"
        "31m",
        "cut \xe4\xb8",
        "cut \xf0\x9f\x98",
        "\xf3\xa0\x81\x81 tag",
        "\xe2\x80\x8bzero\xe2\x81\xa0width",
        "\xef\xbf\xb9note\xef\xbf\xbb",
        "\xcc\x80\xcc\x81\xcc\x82",
        "\xef\xbc\xa1\xe3\x80\x80",
        "\xe1\xa0\x8e",
    };
    uint64_t dice = 7;

    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        check_hostile(some[i], &rich);
        check_hostile(some[i], &plain);
    }
    for (int round = 0; round < 3000; round++) {
        char bytes[30];
        uint32_t length = roll(&dice, sizeof bytes);
        for (uint32_t i = 0; i < length; i++)
            bytes[i] =
                (char)(roll(&dice, 3) == 0 ? roll(&dice, 255) + 1 : 0x80 + roll(&dice, 0x80));
        bytes[length] = '\0';
        check_hostile(bytes, round % 2 ? &rich : &plain);
    }
}

/* Every character there is. */
static void test_every_character(void **state)
{
    struct grid grid;
    char buffer[8];
    struct text text;

    (void)state;
    grid_of(&grid, 4, 1);
    struct canvas canvas = canvas_of(&grid, &rich);
    for (uint32_t c = 1; c < 0x110000; c += c >= 0x3000 && c < 0xf000 ? 7 : 1) {
        text_init(&text, buffer, sizeof buffer);
        text_add_character(&text, c);
        grid_clear(&grid);
        canvas_text(&canvas, 0, 0, STYLE_PLAIN, buffer);
        const struct cell *cell = grid_at(&grid, 0, 0);
        if (text_is_control(cell->glyph) || cell->glyph == 0)
            fail_msg("U+%04X", c);
        if (c == 0x30000)
            c = 0xdff00; /* nothing is assigned between */
    }
    grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_cell_equal),
        cmocka_unit_test(test_dump),
        cmocka_unit_test(test_dump_ansi),
        cmocka_unit_test(test_dumps_read_back),
        cmocka_unit_test(test_dump_size),
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_combining),
        cmocka_unit_test(test_ascii),
        cmocka_unit_test(test_clipping),
        cmocka_unit_test(test_canvas_at),
        cmocka_unit_test(test_hostile_text),
        cmocka_unit_test(test_every_character),
    };

    /* Widths come from the locale, as in the program. */
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        setlocale(LC_CTYPE, "");
    return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
