/* What frames show and cost: libvterm, which knows nothing of how they are made, obeys them and must
 * show the grid, cell by cell. Grids at random follow one another; and sessions are played, key by
 * key, whose bytes are held against budgets.
 *
 * Budgets are those of assets/doc/benchmarks.md: what htop, tig and ncdu send. With FRAMES_TABLE set
 * the medians and the most that was sent are printed. */
#include "app/wire.h"
#include "view/screen.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <vterm.h>

/* ---- a terminal and what is sent to it ---- */

static struct line {
    struct wire wire;
    struct theme theme;
    struct grid grid, shown, spare;
    VTerm *terminal;
    VTermScreen *screen;
    char *bytes;
    size_t room;
} line;

static void code(char *text, int index, bool is_ink)
{
    if (index < 16)
        snprintf(text, WIRE_CODE_SIZE, "%d", (index < 8 ? 30 : 82) + index + (is_ink ? 0 : 10));
    else
        snprintf(text, WIRE_CODE_SIZE, "%d;5;%d", is_ink ? 38 : 48, index);
}

/* `abilities`: a bit each for what a terminal may do beyond the rest. */
static void line_open(int columns, int rows, const struct theme *theme, unsigned abilities)
{
    line = (struct line){.theme = *theme};
    line.wire.has_colours = theme->depth != DEPTH_MONO;
    line.wire.has_erase = abilities & 1;
    line.wire.has_bce = abilities & 2;
    line.wire.has_shift = abilities & 4;
    line.wire.has_moves = abilities & 8;
    for (int i = 0; i < 256; i++) {
        code(line.wire.ink[i], i, true);
        code(line.wire.paper[i], i, false);
    }
    assert_true(grid_resize(&line.grid, columns, rows) && grid_resize(&line.shown, columns, rows) &&
                grid_resize(&line.spare, columns, rows));
    line.room = wire_frame_size(&line.grid);
    line.bytes = malloc(line.room);
    assert_non_null(line.bytes);
    line.terminal = vterm_new(rows, columns);
    vterm_set_utf8(line.terminal, 1);
    line.screen = vterm_obtain_screen(line.terminal);
    vterm_screen_reset(line.screen, 1);
}

static void line_close(void)
{
    vterm_free(line.terminal);
    free(line.bytes);
    grid_free(&line.grid);
    grid_free(&line.shown);
    grid_free(&line.spare);
}

static int seen_colour(const VTermColor *colour, bool is_own)
{
    return is_own ? -1 : colour->indexed.idx;
}

static void expect_cell(int x, int y)
{
    const struct cell *wanted = grid_at(&line.grid, x, y);
    VTermScreenCell seen;

    vterm_screen_get_cell(line.screen, (VTermPos){y, x}, &seen);
    uint32_t glyph = seen.chars[0] == 0 ? ' ' : seen.chars[0] == UINT32_MAX ? 0 : seen.chars[0];
    bool is_mono = line.theme.depth == DEPTH_MONO;
    bool is_reverse = (wanted->attributes & ATTR_REVERSE) != 0 ||
                      (is_mono && (wanted->attributes & ATTR_REVERSE_MONO) != 0);
    assert_int_equal(glyph, wanted->glyph);
    if (glyph == 0)
        return; /* what a right half looks like is the left one's */
    assert_int_equal(seen_colour(&seen.bg, VTERM_COLOR_IS_DEFAULT_BG(&seen.bg)),
                     theme_index(&line.theme, (enum colour)wanted->paper));
    assert_int_equal(seen.attrs.reverse, is_reverse);
    if (glyph == ' ' && !is_reverse)
        return;
    assert_int_equal(seen_colour(&seen.fg, VTERM_COLOR_IS_DEFAULT_FG(&seen.fg)),
                     theme_index(&line.theme, (enum colour)wanted->ink));
    assert_int_equal(seen.attrs.bold, (wanted->attributes & ATTR_BOLD) != 0);
}

/* Sends the grid, and looks at what is shown. The bytes that it took. */
static int line_send(void)
{
    struct text text;

    text_init(&text, line.bytes, line.room);
    wire_frame(&line.wire, &line.theme, &line.grid, &line.shown, &line.spare, &text);
    assert_false(text.is_cut);
    vterm_input_write(line.terminal, line.bytes, text.length);
    for (int y = 0; y < line.grid.rows; y++)
        for (int x = 0; x < line.grid.columns; x++)
            expect_cell(x, y);
    return (int)text.length;
}

/* ---- grids at random ---- */

static unsigned long long seed;

static int below(int n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (unsigned)n);
}

/* Of few looks, so that all ways to draw are taken. */
static struct cell any_cell(int looks)
{
    static const uint32_t glyphs[] = {' ', ' ', ' ', 'a', '7', 0x258c, 0x2580, 0x2571};
    static const uint8_t attributes[] = {0, 0, 0, 0, ATTR_BOLD, ATTR_REVERSE, ATTR_REVERSE_MONO};

    return (struct cell){glyphs[below(8)], (uint8_t)below(looks),
                         (uint8_t)(below(3) == 0 ? 0 : below(looks)),
                         attributes[below(looks < 4 ? 4 : 7)]};
}

/* No half of a wide character stays alone. */
static void put(int x, int y, struct cell cell)
{
    struct cell *old = grid_at(&line.grid, x, y);

    if (old->glyph == 0)
        old[-1].glyph = ' ';
    else if (text_width(old->glyph) == 2)
        old[1].glyph = ' ';
    *old = cell;
}

static void put_wide(int x, int y, struct cell cell)
{
    put(x + 1, y, cell);
    put(x, y, cell);
    grid_at(&line.grid, x, y)->glyph = 0x6f22;
    grid_at(&line.grid, x + 1, y)->glyph = 0;
}

/* A few cells, rows of short runs, long ones, or a row one further on. */
static void change(void)
{
    int kind = below(4), looks = 1 + below(COLOUR_COUNT), columns = line.grid.columns;

    for (int y = below(line.grid.rows); y < line.grid.rows; y += 1 + below(3)) {
        struct cell *row = grid_at(&line.grid, 0, y);
        for (int x = below(columns); x < columns;) {
            struct cell cell = any_cell(looks);
            for (int end = x + 1 + below(kind == 2 ? columns : 4); x < end && x < columns; x++)
                put(x, y, cell);
            x += below(kind == 0 ? columns : 5);
        }
        if (kind == 3) {
            for (int x = 0; x < columns; x++)
                row[x].glyph = row[x].glyph == 0 || row[x].glyph == 0x6f22 ? 'w' : row[x].glyph;
            memmove(row + 5, row + 7, (size_t)(columns - 12) * sizeof *row);
        } else if (below(8) == 0 && columns > 1) {
            put_wide(below(columns - 1), y, any_cell(looks));
        }
    }
}

static void test_random_frames(void **state)
{
    (void)state;
    for (int round = 0; round < 128; round++) {
        struct theme theme = {.depth = (enum depth)(round % 4)};
        seed = (unsigned long long)round;
        line_open(20 + below(90), 1 + below(24), &theme, (unsigned)round / 4 % 16);
        for (int frame = 0; frame < 30; frame++) {
            change();
            line_send();
        }
        line_close();
    }
}

/* ---- sessions ---- */

static struct session *session;

static void set(struct scenario *scenario, enum param param, const char *value)
{
    struct report report;
    assert_true(scenario_set(scenario, param, value, &report));
}

static void session_open(const char *stages, const char *micro_batches)
{
    struct scenario scenario;
    struct refusal refusal;

    session = session_make();
    assert_true(session != NULL && scenario_init(&scenario));
    set(&scenario, PARAM_STAGES, stages);
    set(&scenario, PARAM_MICRO_BATCHES, micro_batches);
    set(&scenario, PARAM_SCHEDULE, "1f1b");
    set(&scenario, PARAM_FORWARD, "1");
    set(&scenario, PARAM_BACKWARD, "2");
    assert_true(session_load(session, &scenario, &(struct origin){.name = ""}, &refusal));
    scenario_free(&scenario);
}

/* As tui.c draws. */
static int show(void)
{
    struct snapshot snapshot;
    struct frame frame;

    session_snapshot(session, &snapshot);
    screen_draw(&line.grid, &line.theme, &snapshot, true, &frame);
    uint32_t top = snapshot.lane_top;
    session_set_view(session, &frame.view);
    session_snapshot(session, &snapshot);
    if (snapshot.lane_top != top)
        screen_draw(&line.grid, &line.theme, &snapshot, true, &frame);
    return line_send();
}

static int press(const char *key)
{
    session_key(session, key);
    session_take_request(session);
    return show();
}

/* Of an empty terminal. */
static int redraw(void)
{
    grid_clear(&line.shown);
    vterm_screen_reset(line.screen, 1);
    return show();
}

/* ---- what they cost ---- */

static struct {
    int bytes[64], count;
} costs;

static void note(int bytes)
{
    assert_true(costs.count < 64);
    costs.bytes[costs.count++] = bytes;
}

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The median and the most of what was noted; 0 for no budget. */
static void judge(const char *action, int median, int most)
{
    qsort(costs.bytes, (size_t)costs.count, sizeof costs.bytes[0], compare_ints);
    int middle = costs.bytes[costs.count / 2], worst = costs.bytes[costs.count - 1];

    if (getenv("FRAMES_TABLE") != NULL)
        printf(" %s %d %d,", action, middle, worst);
    if ((median > 0 && middle > median) || (most > 0 && worst > most))
        fail_msg("%s: %d bytes, at most %d; wanted %d and %d", action, middle, worst, median, most);
    costs.count = 0;
}

/* A key so often, noting each. */
static void repeat(const char *key, int count)
{
    for (int i = 0; i < count; i++)
        note(press(key));
}

static void walk(bool is_large)
{
    int budget = is_large ? 550 : 300;

    press("Home");
    repeat("Right", 24);
    judge("select next", budget, 0);
    for (int column = 0; column < 4; column++) {
        press("Esc");
        press("Home");
        press("Right");
        for (int i = 0; i < column * 3; i++)
            press("Right");
        repeat("Down", 3);
        repeat("Up", 3);
    }
    judge("lane below", budget, is_large ? budget : 0);
    press("Esc");
}

static void wander(bool is_large, int most)
{
    press("0");
    repeat("+", 14);
    repeat("-", 14);
    judge("zoom", 0, most);
    press("0");
    for (int i = 0; i < 10; i++) {
        press("+");
        press("1");
        note(press(">"));
    }
    judge("pan one", 0, is_large ? 6000 : 2500);
    press("0");
    for (int i = 0; i < 10; i++) {
        press("+");
        note(press(">"));
    }
    judge("pan four", 0, most);
    press("0");
}

static void alter(int most)
{
    repeat("M", 6);
    repeat("m", 6);
    judge("micro-batches", 0, most);
    repeat("S", 8);
    judge("family", most, 0);
    for (int i = 0; i < 8; i++)
        press("s");
    for (int i = 0; i < 3; i++) {
        note(press("?"));
        press("Esc");
        press("+");
    }
    judge("help", 0, most);
    press("0");
    for (int i = 0; i < 6; i++) {
        note(redraw());
        press("+");
    }
    judge("redraw", most, 0);
}

static void test_budgets(void **state)
{
    static const struct {
        const char *name;
        struct theme theme;
    } looks[] = {
        {"256", {.depth = DEPTH_256}},
        {"few", {.depth = DEPTH_16, .is_sparing = true}},
        {"8", {.depth = DEPTH_8}},
        {"mono", {.depth = DEPTH_MONO}},
    };
    static const char *const charts[][2] = {{"4", "8"}, {"16", "64"}, {"48", "192"}, {"64", "1024"}};

    (void)state;
    for (int i = 0; i < 2 * 4 * 4 * 2; i++) {
        bool is_large = i % 2 == 1, is_tmux = i / 32 == 1;
        const char *const *chart = charts[i / 2 % 4];
        int look = i / 8 % 4, most = is_large ? 35000 : 10000;
        if (look == 1) /* tmux cannot erase a number of characters */
            most = !is_large ? 6000 : is_tmux ? 21000 : 20000;
        line_open(is_large ? 200 : 80, is_large ? 60 : 24, &looks[look].theme, is_tmux ? 12 : 15);
        session_open(chart[0], chart[1]);
        if (getenv("FRAMES_TABLE") != NULL)
            printf("%s %s P=%s M=%s %s:", is_tmux ? "tmux" : "xterm", is_large ? "200x60" : "80x24",
                   chart[0], chart[1], looks[look].name);
        show();
        walk(is_large);
        wander(is_large, most);
        alter(most);
        if (getenv("FRAMES_TABLE") != NULL)
            printf("\n");
        session_free(session);
        line_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_frames),
        cmocka_unit_test(test_budgets),
    };
    setlocale(LC_CTYPE, "C.UTF-8"); /* for the width of characters */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
