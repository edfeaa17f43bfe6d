/* The comparison as it is drawn: that both charts stand on one axis whatever their lengths, windows
 * and units, that the layout is sound at every size, and that lanes are shared fairly. */
#include "driver_screen.h"
#include "view/compare.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static void row_text(const struct screen *s, int y, char *out, size_t size)
{
    struct text text;

    text_init(&text, out, size);
    for (int x = 0; x < s->grid.columns; x++)
        if (grid_at(&s->grid, x, y)->glyph != 0)
            text_add_character(&text, grid_at(&s->grid, x, y)->glyph);
}

/* The row that begins with a letter of the comparison; -1 when there is none. */
static int head_row(const struct screen *s, char letter)
{
    for (int y = 0; y < s->grid.rows; y++)
        if (grid_at(&s->grid, 1, y)->glyph == (uint32_t)letter &&
            grid_at(&s->grid, 1, y)->paper == (uint8_t)style_info(STYLE_KEY)->paper)
            return y;
    return -1;
}

/* Column of a tick of the ruler, read off the screen. */
static int tick_column(const struct screen *s, uint32_t number)
{
    char digits[16];
    int y = head_row(s, 'A') - 1;

    int length = snprintf(digits, sizeof digits, "%u", number);
    for (int x = 0; x + length < s->grid.columns; x++) {
        bool is_it = grid_at(&s->grid, x, y)->glyph == 0x2502;
        for (int i = 0; i < length; i++)
            is_it = is_it && grid_at(&s->grid, x + 1 + i, y)->glyph == (uint32_t)digits[i];
        uint32_t behind = grid_at(&s->grid, x + 1 + length, y)->glyph;
        if (is_it && (behind < '0' || behind > '9'))
            return x;
    }
    fail_msg("there is no tick %u", number);
    return -1;
}

static bool is_kind(const struct screen *s, int x, int y, int wanted)
{
    bool is_second;
    int kind;

    return theme_kind_of_paper((enum colour)grid_at(&s->grid, x, y)->paper, &kind, &is_second) &&
           kind == wanted;
}

static bool is_idle(const struct screen *s, int x, int y)
{
    return grid_at(&s->grid, x, y)->paper == COLOUR_IDLE;
}

/* Does the chart whose first lane is at row y end at a column? */
static void assert_end(const struct screen *s, int y, int column)
{
    assert_int_not_equal(grid_at(&s->grid, column - 1, y)->paper, COLOUR_OWN);
    assert_int_equal(grid_at(&s->grid, column, y)->paper, COLOUR_OWN);
}

/* ---- one axis ---- */

/* GPipe and 1F1B, both P = 4: A takes 33, B with M = 9 takes 36. On stage 3 the first forward runs
 * from 3 to 4 in both; then GPipe runs forwards to 11, 1F1B a backward from 4 to 6. */
static void test_axis(void **state)
{
    (void)state;
    struct screen s;

    start_screen(&s, 120, 30);
    press_on(&s, "d S M");
    int a = head_row(&s, 'A') + 1, b = head_row(&s, 'B') + 1, lane = (b - 1 - a + 1) / 4;
    int zero = tick_column(&s, 0), scale = (tick_column(&s, 20) - zero) / 20;
    assert_true(a > 0 && b > a && scale >= 1);
    int third_a = a + 3 * lane, third_b = b + 3 * lane;
    assert_true(is_kind(&s, zero + 3 * scale, third_a, PG_FORWARD));
    assert_true(is_kind(&s, zero + 3 * scale, third_b, PG_FORWARD));
    assert_true(is_idle(&s, zero + 3 * scale - 1, third_a));
    assert_true(is_idle(&s, zero + 3 * scale - 1, third_b));
    assert_true(is_kind(&s, zero + 11 * scale - 1, third_a, PG_FORWARD));
    assert_true(is_kind(&s, zero + 11 * scale, third_a, PG_BACKWARD));
    assert_true(is_kind(&s, zero + 4 * scale, third_b, PG_BACKWARD));
    assert_true(is_kind(&s, zero + 6 * scale, third_b, PG_FORWARD));
    assert_end(&s, a, zero + 33 * scale);
    assert_end(&s, b, zero + 36 * scale);
    press_on(&s, "D"); /* the longer one above: the scale is the same */
    assert_int_equal(tick_column(&s, 20), zero + 20 * scale);
    assert_end(&s, a, zero + 36 * scale);
    assert_end(&s, b, zero + 33 * scale);
    end_screen(&s);
}

static void test_zoomed_axis(void **state)
{
    (void)state;
    struct screen s;

    start_screen(&s, 100, 40);
    press_on(&s, "d S M");
    session_zoom_at(s.session, 3, 0);
    session_pan_by(s.session, 1000); /* as far as it goes: A has ended there */
    redraw(&s);
    double first = s.snapshot.window.start;
    assert_true(first > 26 && first < 36);
    int a = head_row(&s, 'A') + 1, b = head_row(&s, 'B') + 1;
    double scale = s.frame.axis.columns / s.snapshot.window.span;
    int gutter = s.frame.layout.gutter, at_33 = gutter + (int)floor((33 - first) * scale);
    int at_36 = gutter + (int)floor((36 - first) * scale);
    assert_int_not_equal(grid_at(&s.grid, at_33 - 1, a)->paper, COLOUR_OWN);
    assert_int_equal(grid_at(&s.grid, at_33 + 1, a)->paper, COLOUR_OWN);
    assert_int_not_equal(grid_at(&s.grid, at_33 + 1, b)->paper, COLOUR_OWN);
    assert_int_not_equal(grid_at(&s.grid, at_36 - 1, b)->paper, COLOUR_OWN);
    assert_int_equal(grid_at(&s.grid, at_36 + 1, b)->paper, COLOUR_OWN);
    end_screen(&s);
}

/* A in microseconds, B in milliseconds: the same step is as long in either. */
static void test_unit_axis(void **state)
{
    (void)state;
    struct screen s;

    start_screen(&s, 120, 30);
    command_on(&s, "time us");
    command_on(&s, "forward 1000");
    command_on(&s, "backward 2000");
    press_on(&s, "d");
    command_on(&s, "time ms");
    command_on(&s, "forward 1");
    command_on(&s, "backward 2");
    int a = head_row(&s, 'A') + 1, b = head_row(&s, 'B') + 1, zero = tick_column(&s, 0);
    int scale = (tick_column(&s, 20) - zero) / 20;
    assert_end(&s, a, zero + 33 * scale);
    assert_end(&s, b, zero + 33 * scale);
    for (int x = 0; x < 33 * scale; x++) /* GPipe both: column by column the same */
        assert_int_equal(grid_at(&s.grid, zero + x, a)->paper,
                         grid_at(&s.grid, zero + x, b)->paper);
    char head[2000];
    row_text(&s, a - 1, head, sizeof head);
    assert_non_null(strstr(head, "makespan=33 "));
    assert_non_null(strstr(head, "us told in ms"));
    end_screen(&s);
}

/* ---- what is said ---- */

static void test_words(void **state)
{
    (void)state;
    struct screen s;
    char row[2000];

    start_screen(&s, 120, 40);
    press_on(&s, "d S S S"); /* ZB1P: 27, 1/9, stash 4 */
    row_text(&s, head_row(&s, 'A'), row, sizeof row);
    assert_non_null(strstr(row, "GPipe  P=4  M=8"));
    assert_non_null(strstr(row, "makespan=33  bubble=27.3%  peak stash=8"));
    row_text(&s, head_row(&s, 'B'), row, sizeof row);
    assert_non_null(strstr(row, "ZB1P  P=4  M=8"));
    assert_non_null(strstr(row, "makespan=27 -6 better"));
    assert_non_null(strstr(row, "bubble=11.1% -16.2% better"));
    assert_non_null(strstr(row, "peak stash=4 -4 better"));
    char all[8000] = "";
    for (int y = 1; y <= 2; y++) {
        row_text(&s, y, row, sizeof row);
        strcat(all, row);
    }
    assert_non_null(strstr(all, "against A: makespan -6 better"));
    assert_null(strstr(all, "since start"));
    press_on(&s, "M M M"); /* 8 -> 11: 36 */
    row_text(&s, head_row(&s, 'B'), row, sizeof row);
    assert_non_null(strstr(row, "makespan=36 +3 worse"));
    end_screen(&s);
}

/* ---- layout ---- */

static void assert_below(int *y, const struct rect *panel, int columns)
{
    if (panel->rows == 0)
        return;
    assert_true(panel->y >= *y);
    assert_int_equal(panel->columns, columns);
    *y = panel->y + panel->rows;
}

static void test_layout(void **state)
{
    (void)state;
    static const uint32_t depths[] = {1, 2, 4, 8, 16, 33, 4096};

    for (int columns = 20; columns <= 160; columns += 20)
        for (int rows = 6; rows <= 70; rows++)
            for (size_t i = 0; i < 7 * 7 * 2; i++) {
                struct compare_layout layout;
                struct wishes a = {.devices = depths[i % 7], .label_columns = 7,
                                   .tall_label_columns = 7, .has_keys = true};
                struct wishes b = a;
                b.devices = depths[i / 7 % 7];
                a.can_halve = b.can_halve = i / 49 == 1;
                compare_layout_make(&layout, columns, rows, &a, &b, 0);
                const struct layout *l = &layout.b;
                int y = 0;
                assert_below(&y, &l->title, columns);
                assert_below(&y, &l->metrics, columns);
                assert_below(&y, &l->ruler, columns);
                assert_below(&y, &layout.head_a, columns);
                assert_below(&y, &layout.a.lanes, columns);
                assert_below(&y, &layout.head_b, columns);
                assert_below(&y, &l->lanes, columns);
                assert_below(&y, &layout.table, columns);
                assert_below(&y, &l->legend, columns);
                assert_below(&y, &l->rule, columns);
                assert_below(&y, &l->inspector, columns);
                assert_below(&y, &l->message, columns);
                assert_below(&y, &l->keys, columns);
                assert_true(y <= rows);
                assert_true(layout.a.lanes.rows >= 1 && l->lanes.rows >= 1);
                assert_true(layout.a.visible >= 1 && l->visible >= 1);
                assert_true(layout.a.visible <= a.devices && l->visible <= b.devices);
                /* one axis and one height of a lane */
                assert_int_equal(layout.a.gutter, l->gutter);
                assert_int_equal(layout.a.chart_columns, l->chart_columns);
                assert_int_equal(layout.a.lane_step, l->lane_step);
                assert_int_equal(layout.a.is_halved, l->is_halved);
                /* fair: who does not see all has no less than the other, but for a row */
                if (layout.a.visible < a.devices)
                    assert_true(layout.a.lanes.rows + 1 >= l->lanes.rows);
                if (l->visible < b.devices)
                    assert_true(l->lanes.rows + 1 >= layout.a.lanes.rows);
                if (a.devices == b.devices)
                    assert_int_equal(layout.a.visible, l->visible);
            }
}

/* At 80x24 all lanes of P = 4 and of P = 8 are there one by one; with P = 4 the numbers as well. */
static void test_layout_promises(void **state)
{
    (void)state;
    struct compare_layout layout;

    for (uint32_t p = 4; p <= 8; p += 4)
        for (int can_halve = 0; can_halve < 2; can_halve++) {
            struct wishes wishes = {.devices = p, .label_columns = 6, .tall_label_columns = 7,
                                    .can_halve = can_halve == 1, .has_keys = true};
            compare_layout_make(&layout, 80, 24, &wishes, &wishes, 0);
            assert_false(layout.b.is_halved);
            assert_int_equal(layout.a.visible, p);
            assert_int_equal(layout.b.visible, p);
            assert_true(layout.b.inspector.rows >= 1 && layout.b.metrics.rows >= 1);
            assert_int_equal(layout.table.rows, p == 4 ? 5 : 0);
            compare_layout_make(&layout, 120, 40, &wishes, &wishes, 0);
            assert_int_equal(layout.table.rows, 5);
            assert_true(layout.b.visible == p && layout.a.visible == p);
        }
}

/* ---- lanes that do not fit ---- */

/* The numbers at the beginning of the first and last lane below a head. */
static void shown_lanes(const struct screen *s, char letter, int *first, int *last)
{
    int y = head_row(s, letter) + 1;

    *first = -1;
    for (;; y++) {
        char row[2000];
        int lane;
        row_text(s, y, row, sizeof row);
        const char *at = strncmp(row, "\xe2\x96\xb8", 3) == 0 ? row + 3 : row; /* the selection's mark */
        if (sscanf(at, " %d", &lane) != 1)
            break;
        *first = *first < 0 ? lane : *first;
        *last = lane;
    }
}

static void test_scrolling(void **state)
{
    (void)state;
    struct screen s;
    int a_first, a_last, b_first, b_last;

    start_screen(&s, 80, 24);
    s.theme.depth = DEPTH_MONO; /* no half blocks */
    press_on(&s, "1 6 P d S");
    for (int device = 0; device < 16; device++) {
        press_on(&s, "j");
        shown_lanes(&s, 'A', &a_first, &a_last);
        shown_lanes(&s, 'B', &b_first, &b_last);
        assert_int_equal(a_first, b_first);
        assert_int_equal(a_last, b_last);
        assert_true(device >= b_first && device <= b_last);
    }
    assert_int_equal(b_last, 15);
    /* fewer lanes below: those above still go from the first to the last one */
    press_on(&s, "4 P");
    press_on(&s, "9 k");
    shown_lanes(&s, 'A', &a_first, &a_last);
    assert_int_equal(a_first, 0);
    press_on(&s, "4 j");
    shown_lanes(&s, 'A', &a_first, &a_last);
    assert_int_equal(a_last, 15);
    shown_lanes(&s, 'B', &b_first, &b_last);
    assert_int_equal(b_first, 0);
    assert_int_equal(b_last, 3);
    end_screen(&s);
}

/* Every size, palette, page and mixture of depths: nothing breaks, and the letters are there. */
static void test_sizes(void **state)
{
    (void)state;
    struct screen s;

    start_screen(&s, 80, 24);
    press_on(&s, "d 1 2 P S j l");
    for (int turn = 0; turn < 3; turn++) {
        s.theme = (struct theme){.depth = turn == 0 ? DEPTH_256 : DEPTH_MONO, .is_ascii = turn == 2};
        for (int columns = 1; columns <= 140; columns += columns < 30 ? 1 : 11)
            for (int rows = 1; rows <= 50; rows += rows < 12 ? 1 : 7) {
                assert_true(grid_resize(&s.grid, columns, rows));
                redraw(&s);
                if (columns < LAYOUT_LEAST_COLUMNS || rows < LAYOUT_LEAST_ROWS)
                    continue;
                assert_true(head_row(&s, 'A') > 0 && head_row(&s, 'B') > head_row(&s, 'A'));
                press_on(&s, "d");
                press_on(&s, "G q D");
            }
    }
    end_screen(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axis),    cmocka_unit_test(test_zoomed_axis),
        cmocka_unit_test(test_unit_axis), cmocka_unit_test(test_words),
        cmocka_unit_test(test_layout),  cmocka_unit_test(test_layout_promises),
        cmocka_unit_test(test_scrolling), cmocka_unit_test(test_sizes),
    };

    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
