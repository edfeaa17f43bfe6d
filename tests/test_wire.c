/* Frames as bytes: a terminal written for this test obeys them, and must show what the grid has.
 * Frames follow one another at random: cells, blanks, rows that move sideways, wide characters. */
#include "app/wire.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COLUMNS 100
#define ROWS 12

/* ---- a terminal ---- */

/* Colours as their parameters, 39 and 49 the terminal's own. */
struct shown {
    uint32_t glyph;
    int ink, paper;
    bool is_bold, is_reverse;
};

struct terminal {
    struct shown cells[ROWS][COLUMNS], pen;
    int x, y;
    bool has_bce, has_moves;
};

static struct shown erased(const struct terminal *terminal)
{
    return (struct shown){' ', 39, terminal->has_bce ? terminal->pen.paper : 49, false, false};
}

static void set_look(struct terminal *terminal, const int *parameters, int count)
{
    struct shown *pen = &terminal->pen;

    for (int i = 0; i < count; i++) {
        int p = parameters[i];
        if (p == 0)
            *pen = (struct shown){' ', 39, 49, false, false};
        else if (p == 1 || p == 22)
            pen->is_bold = p == 1;
        else if (p == 7 || p == 27)
            pen->is_reverse = p == 7;
        else if (p == 38 || p == 48) {
            assert_true(i + 2 < count && parameters[i + 1] == 5);
            *(p == 38 ? &pen->ink : &pen->paper) = 1000 + parameters[i + 2];
            i += 2;
        } else if (p / 10 == 3 || p / 10 == 9)
            pen->ink = p;
        else if (p / 10 == 4 || p / 10 == 10)
            pen->paper = p;
        else
            fail_msg("SGR %d", p);
    }
}

/* Moves that do not depend on the column: behind the last one it is not sure which that is, so a
 * vertical one must not come there. */
static void take_move(struct terminal *terminal, char final, int n)
{
    assert_true(terminal->has_moves);
    if (final == 'G') {
        terminal->x = n - 1;
        assert_true(n <= COLUMNS);
        return;
    }
    assert_true(terminal->x < COLUMNS);
    terminal->y = final == 'd' ? n - 1 : terminal->y + (final == 'B' ? n : -n);
    assert_true(terminal->y >= 0 && terminal->y < ROWS);
}

static void take_control(struct terminal *terminal, char final, const int *parameters, int count)
{
    struct shown *row = terminal->cells[terminal->y < 0 ? 0 : terminal->y];
    int x = terminal->x, n = count > 0 && parameters[0] > 0 ? parameters[0] : 1;

    if (final == 'H') {
        terminal->y = n - 1;
        terminal->x = count > 1 ? parameters[1] - 1 : 0;
        assert_true(terminal->y < ROWS && terminal->x < COLUMNS);
        return;
    }
    if (final == 'm') {
        set_look(terminal, parameters, count);
        return;
    }
    assert_true(terminal->y >= 0);
    if (strchr("GdAB", final) != NULL) {
        take_move(terminal, final, n);
        return;
    }
    assert_true(x < COLUMNS);
    assert_true(final == 'D' ? x >= n : x + n <= COLUMNS);
    switch (final) {
    case 'D':
        terminal->x -= n;
        break;
    case 'C':
        terminal->x += n;
        break;
    case 'K':
        for (; x < COLUMNS; x++)
            row[x] = erased(terminal);
        break;
    case 'X':
        for (int i = 0; i < n; i++)
            row[x + i] = erased(terminal);
        break;
    case 'P':
        memmove(row + x, row + x + n, (size_t)(COLUMNS - x - n) * sizeof *row);
        for (int i = 0; i < n; i++)
            row[COLUMNS - 1 - i] = erased(terminal);
        break;
    case '@':
        memmove(row + x + n, row + x, (size_t)(COLUMNS - x - n) * sizeof *row);
        for (int i = 0; i < n; i++)
            row[x + i] = erased(terminal);
        break;
    default:
        fail_msg("control %c", final);
    }
}

static void obey(struct terminal *terminal, const char *bytes)
{
    while (*bytes != '\0') {
        uint32_t c = text_decode(&bytes);
        if (c == '\r') {
            terminal->x = 0;
        } else if (c == '\n') {
            assert_true(terminal->x < COLUMNS && (terminal->x == 0 || terminal->has_moves));
            assert_true(++terminal->y < ROWS); /* it must not scroll */
        } else if (c == '\b') {
            assert_true(terminal->has_moves && terminal->x > 0 && terminal->x < COLUMNS);
            terminal->x--;
        } else if (c == 27) {
            int parameters[16] = {0}, count = 0;
            assert_int_equal(*bytes++, '[');
            for (bool is_more = *bytes >= '0' && *bytes <= '9'; is_more && count < 16;) {
                parameters[count++] = (int)strtol(bytes, (char **)(uintptr_t)&bytes, 10);
                is_more = *bytes == ';';
                bytes += is_more;
            }
            char final = *bytes++;
            take_control(terminal, final, parameters, final == 'm' && count == 0 ? 1 : count);
        } else {
            int width = text_width(c);
            assert_true(terminal->y >= 0 && terminal->x >= 0 && terminal->x + width <= COLUMNS);
            for (int i = 0; i < width; i++) {
                struct shown *cell = &terminal->cells[terminal->y][terminal->x++];
                *cell = terminal->pen;
                cell->glyph = i == 0 ? c : 0;
            }
        }
    }
}

/* ---- what it should show ---- */

/* Codes as in 256 colours: "3n", "9n" or "38;5;n". */
static int code_of(int index, bool is_ink)
{
    return index < 0    ? (is_ink ? 39 : 49)
           : index < 8  ? (is_ink ? 30 : 40) + index
           : index < 16 ? (is_ink ? 82 : 92) + index
                        : 1000 + index;
}

static void expect(const struct terminal *terminal, const struct grid *grid,
                   const struct theme *theme)
{
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++) {
            const struct shown *has = &terminal->cells[y][x];
            const struct cell *wants = grid_at(grid, x, y);
            bool is_reverse = wants->attributes & ATTR_REVERSE;
            bool is_mono = theme->depth == DEPTH_MONO;
            is_reverse = is_reverse || (is_mono && wants->attributes & ATTR_REVERSE_MONO);
            assert_int_equal(has->glyph, wants->glyph);
            assert_int_equal(has->paper, code_of(theme_index(theme, wants->paper), false));
            assert_int_equal(has->is_reverse, is_reverse);
            if (wants->glyph == ' ' && !is_reverse)
                continue; /* its ink is not seen */
            assert_int_equal(has->ink, code_of(theme_index(theme, wants->ink), true));
            assert_int_equal(has->is_bold, (wants->attributes & ATTR_BOLD) != 0);
        }
}

static struct wire wire_make(bool has_colours, unsigned abilities)
{
    struct wire wire = {
        .has_colours = has_colours,
        .has_erase = abilities & 1,
        .has_bce = abilities & 2,
        .has_shift = abilities & 4,
        .has_moves = abilities & 8,
    };

    for (int i = 0; i < 256; i++)
        for (int is_ink = 0; is_ink < 2; is_ink++) {
            char *code = is_ink ? wire.ink[i] : wire.paper[i];
            int number = code_of(i, is_ink);
            if (number < 1000)
                snprintf(code, WIRE_CODE_SIZE, "%d", number);
            else
                snprintf(code, WIRE_CODE_SIZE, "%d;5;%d", is_ink ? 38 : 48, i);
        }
    return wire;
}

/* ---- frames at random ---- */

static unsigned long long seed;

static int below(int n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)(seed >> 33) % n;
}

static struct cell any_cell(void)
{
    static const uint32_t glyphs[] = {' ', ' ', ' ', 'a', '7', 0x258c, 0x2571};
    static const uint8_t looks[] = {0, 0, 0, ATTR_BOLD, ATTR_REVERSE, ATTR_REVERSE_MONO, 3};

    return (struct cell){glyphs[below(7)], (uint8_t)below(COLOUR_COUNT),
                         (uint8_t)(below(3) == 0 ? 0 : below(COLOUR_COUNT)), looks[below(7)]};
}

/* No half of a wide character stays alone. */
static void put(struct grid *grid, int x, int y, struct cell cell)
{
    struct cell *old = grid_at(grid, x, y);

    if (old->glyph == 0)
        old[-1].glyph = ' ';
    else if (text_width(old->glyph) == 2)
        old[1].glyph = ' ';
    *old = cell;
}

static void put_wide(struct grid *grid, int x, int y)
{
    struct cell cell = any_cell();

    put(grid, x + 1, y, cell);
    put(grid, x, y, cell);
    grid_at(grid, x, y)->glyph = 0x6f22;
    grid_at(grid, x + 1, y)->glyph = 0;
}

static void slide(struct grid *grid, int y, int from, int to, int by)
{
    struct cell *row = grid_at(grid, 0, y);
    size_t count = (size_t)(to - from - by);

    for (int x = 0; x < COLUMNS; x++)
        if (row[x].glyph == 0 || text_width(row[x].glyph) == 2)
            row[x].glyph = 'w';
    if (below(2) == 0)
        memmove(row + from, row + from + by, count * sizeof *row);
    else
        memmove(row + from + by, row + from, count * sizeof *row);
}

static void change(struct grid *grid, bool has_wide)
{
    int by = 1 + below(30), from = below(COLUMNS / 4), to = COLUMNS - below(COLUMNS / 4);
    bool slides = below(2) == 0;

    for (int y = 0; y < ROWS; y++) {
        if (slides && below(8) > 0)
            slide(grid, y, from, to, by);
        for (int n = below(6); n > 0; n--) {
            int x = below(COLUMNS), end = x + 1 + below(below(3) == 0 ? COLUMNS : 4);
            struct cell cell = any_cell();
            for (; x < end && x < COLUMNS; x++)
                put(grid, x, y, cell);
            if (has_wide && below(3) == 0)
                put_wide(grid, below(COLUMNS - 1), y);
        }
    }
}

static void play(struct theme theme, unsigned abilities, bool has_wide)
{
    static struct terminal terminal;
    struct wire wire = wire_make(theme.depth != DEPTH_MONO, abilities);
    struct grid grid = {0}, shown = {0}, room = {0};
    struct text text;

    assert_true(grid_resize(&grid, COLUMNS, ROWS) && grid_resize(&shown, COLUMNS, ROWS) &&
                grid_resize(&room, COLUMNS, ROWS));
    size_t size = wire_frame_size(&grid);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    terminal = (struct terminal){.pen = {' ', 39, 49, false, false}, .y = -1};
    terminal.has_bce = wire.has_bce;
    terminal.has_moves = wire.has_moves;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        terminal.cells[i / COLUMNS][i % COLUMNS] = terminal.pen;
    for (int frame = 0; frame < 60; frame++) {
        change(&grid, has_wide);
        if (below(20) == 0)
            wire_forget(&shown);
        text_init(&text, bytes, size);
        wire_frame(&wire, &theme, &grid, &shown, &room, &text);
        assert_false(text.is_cut);
        obey(&terminal, bytes);
        expect(&terminal, &grid, &theme);
        assert_true(terminal.pen.ink == 39 && terminal.pen.paper == 49 && !terminal.pen.is_bold &&
                    !terminal.pen.is_reverse);
        text_init(&text, bytes, size);
        wire_frame(&wire, &theme, &grid, &shown, &room, &text);
        assert_int_equal(text.length, 0); /* nothing has changed */
        terminal.y = -1;                  /* and the cursor may be anywhere */
        terminal.x = below(COLUMNS);
    }
    free(bytes);
    grid_free(&grid);
    grid_free(&shown);
    grid_free(&room);
}

static void test_random_frames(void **state)
{
    static const enum depth depths[] = {DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256};

    (void)state;
    for (seed = 1; seed < 1 + 64; seed++) {
        unsigned long long kept = seed;
        struct theme theme = {.depth = depths[seed % 4], .is_bubble_view = seed % 3 == 0};
        play(theme, (unsigned)(kept / 4) % 16, kept % 2 == 0);
        seed = kept;
    }
}

/* ---- few bytes ---- */

static size_t bytes_of(const struct wire *wire, const struct grid *grid, struct grid *shown)
{
    static char bytes[400000];
    struct theme theme = {.depth = DEPTH_256};
    struct grid room = {0};
    struct text text;

    assert_true(grid_resize(&room, COLUMNS, ROWS));
    text_init(&text, bytes, sizeof bytes);
    wire_frame(wire, &theme, grid, shown, &room, &text);
    assert_false(text.is_cut);
    grid_free(&room);
    return text.length;
}

/* What each thing costs at most, counted by hand. */
static void test_few_bytes(void **state)
{
    struct wire wire = wire_make(true, 15);
    struct grid grid = {0}, shown = {0};
    struct cell blue = {' ', COLOUR_OWN, COLOUR_FORWARD_A, 0};

    (void)state;
    assert_true(grid_resize(&grid, COLUMNS, ROWS) && grid_resize(&shown, COLUMNS, ROWS));
    /* "ESC [2;11H ESC [48;5;26m ESC [30X ESC [m" */
    for (int x = 10; x < 40; x++)
        *grid_at(&grid, x, 1) = blue;
    assert_true(bytes_of(&wire, &grid, &shown) <= 7 + 10 + 5 + 3);
    /* Another ink on a blank is nothing that can be seen. */
    grid_at(&grid, 20, 1)->ink = COLOUR_LOSS;
    assert_int_equal(bytes_of(&wire, &grid, &shown), 0);
    /* A row of forty different cells moves: to the cell, delete, to the end, insert, the new cell.
     * */
    for (int x = 10; x < 50; x++)
        *grid_at(&grid, x, 3) = (struct cell){'a' + (uint32_t)x % 26, COLOUR_LOSS,
                                              x % 2 ? COLOUR_FORWARD_A : COLOUR_FORWARD_B, 0};
    *grid_at(&grid, 60, 3) = (struct cell){'|', COLOUR_OWN, COLOUR_OWN, 0};
    assert_true(bytes_of(&wire, &grid, &shown) > 100);
    memmove(grid_at(&grid, 10, 3), grid_at(&grid, 11, 3), 39 * sizeof(struct cell));
    assert_true(bytes_of(&wire, &grid, &shown) <= 7 + 4 + 7 + 4 + 7 + 23 + 1 + 3);
    grid_free(&grid);
    grid_free(&shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_frames),
        cmocka_unit_test(test_few_bytes),
    };
    setlocale(LC_CTYPE, "C.UTF-8"); /* for the width of characters */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
