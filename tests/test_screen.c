/* Whole frames, drawn as the program draws them: a session, keys by name, the grid that comes out.
 *
 * At every size, depth of pipeline, palette and mode the cells must be sound. What the panels say
 * is held against closed forms worked out here, and no number may be cut: what a narrow screen
 * shows must be whole words of what a wide one shows. */
#include "driver_screen.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_SIZE 4096

/* ---- a screen ---- */

/* A screen with a 1F1B scenario loaded. */
static void start(struct screen *s, uint32_t stages, uint32_t micro_batches, const char *title,
                  const char *notes)
{
    struct scenario scenario = SCENARIO("schedule", "1f1b", "title", title, "notes", notes);

    set_count(&scenario, PARAM_STAGES, stages);
    set_count(&scenario, PARAM_MICRO_BATCHES, micro_batches);
    start_screen(s, 80, 24);
    load(s->session, scenario, (struct origin){.name = "deep.ini"});
    redraw(s);
}

/* ---- reading ---- */

/* A part of a row as UTF-8, without trailing blanks. */
static const char *row_part(const struct screen *s, int x, int columns, int y, char *row)
{
    struct text text;

    text_init(&text, row, ROW_SIZE);
    for (int i = x; i < x + columns && i < s->grid.columns; i++)
        if (grid_at(&s->grid, i, y)->glyph != 0)
            text_add_character(&text, grid_at(&s->grid, i, y)->glyph);
    while (text.length > 0 && row[text.length - 1] == ' ')
        row[--text.length] = '\0';
    return row;
}

static const char *row_of(const struct screen *s, int y, char *row)
{
    return row_part(s, 0, s->grid.columns, y, row);
}

/* Rows of a panel, one after another with blanks between. */
static void panel_text(const struct screen *s, const struct rect *panel, char *all, size_t size)
{
    char row[ROW_SIZE];
    struct text text;

    text_init(&text, all, size);
    for (int y = 0; y < panel->rows; y++) {
        text_add(&text, row_of(s, panel->y + y, row));
        text_add(&text, " ");
    }
}

static double linear(uint8_t level)
{
    double u = level / 255.0;
    return u <= 0.04045 ? u / 12.92 : pow((u + 0.055) / 1.055, 2.4);
}

static double luminance(int index)
{
    uint8_t rgb[3];

    theme_rgb(index, rgb);
    return 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
}

static void check_readable(const struct screen *s, const struct cell *cell)
{
    int ink = theme_index(&s->theme, (enum colour)cell->ink);
    int paper = theme_index(&s->theme, (enum colour)cell->paper);

    /* Bold black is dark grey where a terminal makes bold bright. */
    if (ink == 0 && cell->attributes & ATTR_BOLD && cell->glyph != ' ')
        fail_msg("bold black '%c' on %d", (int)cell->glyph, paper);
    if (cell->glyph <= ' ' || cell->glyph >= 0x7f || ink < 0 || paper < 0)
        return;
    double one = luminance(ink) + 0.05, other = luminance(paper) + 0.05;
    if (fmax(one, other) / fmin(one, other) < 3)
        fail_msg("'%c' in %d on %d cannot be read", (int)cell->glyph, ink, paper);
}

/* Every cell can be sent to a terminal as it is, and what is written can be read. */
static void check_cells(const struct screen *s)
{
    struct cell before = {.glyph = ' '};

    for (int y = 0; y < s->grid.rows; y++)
        for (int x = 0; x < s->grid.columns; x++) {
            const struct cell *cell = grid_at(&s->grid, x, y);
            bool is_half = x > 0 && text_width(before.glyph) == 2;
            if (is_half != (cell->glyph == 0))
                fail_msg("half a character at %d,%d of %d", x, y, s->grid.columns);
            assert_true(cell->glyph == 0 || !text_is_control(cell->glyph));
            assert_true(!s->theme.is_ascii || (cell->glyph >= ' ' && cell->glyph < 0x7f));
            assert_true(cell->ink < COLOUR_COUNT && cell->paper < COLOUR_COUNT);
            /* The same look again is the same verdict. */
            if (!cell_equal(cell, &before))
                check_readable(s, cell);
            before = *cell;
            assert_true(x + 1 < s->grid.columns || text_width(cell->glyph) < 2 || cell->glyph == 0);
        }
}

/* ---- every size, depth, palette and mode ---- */

static void check_modes(struct screen *s)
{
    check_cells(s);
    if (s->frame.layout.is_too_small) {
        char row[ROW_SIZE];
        row_of(s, s->frame.layout.message.y, row);
        assert_int_equal(strncmp(row, "needs 20x6", strlen(row)), 0);
        assert_true(s->grid.columns < 10 || strcmp(row, "needs 20x6") == 0);
    }
    press_on(s, "?");
    check_cells(s);
    press_on(s, "Esc");
    press_on(s, ":");
    session_paste(s->session, "title something rather long, with \xe4\xb8\xad\xe6\x96\x87 in it");
    redraw(s);
    check_cells(s);
    assert_true(s->frame.layout.is_too_small ||
                (s->frame.cursor_y == s->frame.layout.message.y && s->frame.cursor_x >= 0 &&
                 s->frame.cursor_x < s->grid.columns));
    press_on(s, "Enter");
    press_on(s, "q");
    assert_int_equal(s->snapshot.mode, MODE_CONFIRM);
    check_cells(s);
    press_on(s, "n");
    press_on(s, "u");
    assert_true(s->frame.cursor_x == -1 && s->frame.cursor_y == -1);
}

static void check_palette(struct screen *s, int palette)
{
    s->theme = (struct theme){(enum depth)(palette / 4), palette & 1, false, false};
    if (palette & 2)
        press_on(s, "v");
    redraw(s);
    check_modes(s);
    press_on(s, "Down");
    press_on(s, "Right");
    check_cells(s);
    press_on(s, "n");
    press_on(s, "+");
    check_cells(s);
    press_on(s, "0");
    press_on(s, "Up");
    if (palette & 2)
        press_on(s, "v");
}

static void test_every_frame(void **state)
{
    static const int sizes[][2] = {{1, 1},   {5, 3},    {20, 6},   {21, 30},  {40, 10},
                                   {80, 24}, {120, 40}, {200, 60}, {500, 200}};
    static const uint32_t stages[] = {1, 4, 8, 16, 32, 64};

    (void)state;
    for (size_t p = 0; p < 6; p++) {
        struct screen s;
        start(&s, stages[p], 2 * stages[p], "\xe4\xb8\xad\xe6\x96\x87\xe6\xb5\x8b\xe8\xaf\x95 deep",
              "Watch the gaps.\n\xe4\xb8\xad\xe6\x96\x87 too.");
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            resize(&s, sizes[i][0], sizes[i][1]);
            /* The larger, the fewer palettes each, but others for every depth. */
            size_t skip = i < 4 ? 2 : i < 7 ? 4 : 16;
            if (i == 8 && p % 3 != 1)
                continue;
            for (size_t palette = p * 5 % skip; palette < 16; palette += skip)
                check_palette(&s, (int)palette);
        }
        end_screen(&s);
    }
}

/* ---- title ---- */

static void test_title(void **state)
{
    static const uint32_t shapes[][2] = {{4, 8}, {1, 1}, {16, 24}, {64, 128}, {100, 1000}};

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct screen s;
        char wide[80], narrow[80], row[ROW_SIZE];
        start(&s, shapes[i][0], shapes[i][1], "", "");
        snprintf(wide, sizeof wide, "1F1B  P=%u  M=%u", shapes[i][0], shapes[i][1]);
        snprintf(narrow, sizeof narrow, "1F1B P=%u M=%u", shapes[i][0], shapes[i][1]);
        for (int columns = 20; columns <= 130; columns += columns < 60 ? 1 : 7) {
            resize(&s, columns, 10);
            row_of(&s, 0, row);
            const char *at = strstr(row, wide);
            size_t length = at != NULL ? strlen(wide) : strlen(narrow);
            if (at == NULL && (columns >= 24 || i == 0 || (at = strstr(row, narrow)) == NULL))
                fail_msg("at %d columns: %s", columns, row);
            assert_true(at[length] == ' ' || at[length] == '\0');
        }
        resize(&s, 80, 24);
        row_of(&s, 0, row);
        assert_non_null(strstr(row, "F=1 B=2 t=0"));
        assert_non_null(strstr(row, "hold=stage"));
        assert_non_null(strstr(row, "edits: all"));
        assert_non_null(strstr(row, "deep.ini"));
        assert_null(strchr(row, '*'));
        end_screen(&s);
    }
}

static void test_title_follows(void **state)
{
    struct screen s;
    char row[ROW_SIZE];

    (void)state;
    start(&s, 4, 8, "A slow stage", "");
    resize(&s, 120, 24);
    press_on(&s, "Down");
    press_on(&s, "Down");
    press_on(&s, "Down");
    press_on(&s, "F");
    assert_non_null(strstr(row_of(&s, 0, row), "edits: stage 2"));
    assert_non_null(strstr(row, "A slow stage*"));
    assert_null(strstr(row, "F="));
    press_on(&s, "H");
    assert_non_null(strstr(row_of(&s, 0, row), "hold=model"));
    session_set_slides(s.session, 1, 3);
    redraw(&s);
    assert_non_null(strstr(row_of(&s, 0, row), "2/3 A slow stage*"));
    end_screen(&s);
}

/* A name is whole or ends in dots; the star outlives it. */
static void test_title_name(void **state)
{
    struct screen s;
    char row[ROW_SIZE];

    (void)state;
    start(&s, 16, 24, "A name of some length", "");
    press_on(&s, "M");
    for (int columns = 20; columns <= 120; columns++)
        for (int is_ascii = 0; is_ascii < 2; is_ascii++) {
            s.theme.is_ascii = is_ascii;
            resize(&s, columns, 10);
            row_of(&s, 0, row);
            if (strchr(row, '*') == NULL)
                fail_msg("no star at %d columns: %s", columns, row);
            bool is_whole = strstr(row, "A name of some length*") != NULL;
            bool is_cut = strstr(row, is_ascii ? "...*" : "…*") != NULL;
            assert_true(strstr(row, " A") == NULL || is_whole != is_cut);
            assert_true(is_whole || columns < 100);
        }
    end_screen(&s);
}

/* ---- metrics ---- */

/* The text of a token's value; NULL when the token is not there. */
static const char *value_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at == NULL ? NULL : at + strlen(name);
}

static void check_value(const char *text, const char *name, double expected, double tolerance,
                        const char *after)
{
    const char *value = value_of(text, name);
    char *stop;

    if (value == NULL)
        return;
    double number = strtod(value, &stop);
    if (fabs(number - expected) > tolerance * 1.0001 || strncmp(stop, after, strlen(after)) != 0)
        fail_msg("%s%.12s, not %.9g%s", name, value, expected, after);
}

/* Uniform 1F1B with forward f, backward b and no transfer: everything has a closed form. */
static int check_metrics(const struct screen *s, double p, double m, double f, double b)
{
    static const char *const names[] = {"makespan=", "bubble=", "peak stash=", "idle/ideal=",
                                        "formula=",  "floor=",  "throughput=", "utilization="};
    double slots = m + p - 1, makespan = slots * (f + b), stash = fmin(p, m);
    char text[3 * ROW_SIZE], fraction[80];
    int count = 0;

    panel_text(s, &s->frame.layout.metrics, text, sizeof text);
    check_value(text, "makespan=", makespan, makespan * 5e-6, " ");
    snprintf(fraction, sizeof fraction, "%% of total %.0f/%.0f ", p - 1, slots);
    check_value(text, "bubble=", 100 * (p - 1) / slots, 0.05, fraction);
    snprintf(fraction, sizeof fraction, " (%.2f model) ", stash / p);
    check_value(text, "peak stash=", stash, 0, fraction);
    snprintf(fraction, sizeof fraction, "%% %.0f/%.0f ", p - 1, m);
    check_value(text, "idle/ideal=", 100 * (p - 1) / m, 0.05, fraction);
    check_value(text, "formula=", 100 * (p - 1) / slots, 0.05, "% ");
    check_value(text, "floor=", m * (f + b), m * (f + b) * 5e-6, " ");
    check_value(text, "throughput=", m / makespan, m / makespan * 0.005, " ");
    check_value(text, "utilization=", 100 * m / slots, 0.05, "% ");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        count += value_of(text, names[i]) != NULL;
    /* No half of a token: every '=' belongs to one of these. */
    int signs = 0;
    for (const char *at = text; (at = strchr(at, '=')) != NULL; at++)
        signs++;
    assert_int_equal(signs, count);
    return count;
}

static void test_metrics(void **state)
{
    static const double shapes[][4] = {
        {4, 8, 1, 2}, {16, 24, 1, 2}, {1, 1, 1, 2}, {3, 700, 0.1, 0.3}, {64, 5, 12345, 67890},
    };

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const double *v = shapes[i];
        struct screen s;
        char line[80];
        int before = 0;
        start(&s, (uint32_t)v[0], (uint32_t)v[1], "", "");
        snprintf(line, sizeof line, "forward %g", v[2]);
        command_on(&s, line);
        snprintf(line, sizeof line, "backward %g", v[3]);
        command_on(&s, line);
        command_on(&s, "w"); /* no name: asks for one, and Esc leaves it */
        press_on(&s, "Esc");
        for (int columns = 20; columns <= 200; columns++) {
            resize(&s, columns, 24);
            int count = check_metrics(&s, v[0], v[1], v[2], v[3]);
            assert_true(count >= (columns >= 80 ? 5 : columns >= 50 ? 3 : 1));
            before = count;
        }
        assert_int_equal(before, 8);
        end_screen(&s);
    }
}

/* By hand: from M = 8 to 9 makespan goes from 33 to 36 and the bubble from 3/11 to 3/12. */
static void test_difference(void **state)
{
    struct screen s;
    char text[3 * ROW_SIZE];

    (void)state;
    start(&s, 4, 8, "", "");
    resize(&s, 140, 40);
    panel_text(&s, &s.frame.layout.metrics, text, sizeof text);
    assert_null(strstr(text, "since"));
    press_on(&s, "M");
    panel_text(&s, &s.frame.layout.metrics, text, sizeof text);
    assert_non_null(strstr(text, "makespan=36 "));
    assert_non_null(strstr(text, "since start: makespan +3 worse, bubble -2.3% better "));
    panel_text(&s, &s.frame.layout.message, text, sizeof text);
    assert_non_null(strstr(text, "makespan 33→36, bubble 27.3%→25%; u undoes"));
    press_on(&s, "m");
    panel_text(&s, &s.frame.layout.metrics, text, sizeof text);
    assert_null(strstr(text, "since"));
    /* Scaling every cost leaves the bubble as it was, whatever rounding says. */
    for (int i = 1; i < 40; i++) {
        char line[80];
        snprintf(line, sizeof line, "forward %g", i * 0.7);
        command_on(&s, line);
        snprintf(line, sizeof line, "backward %g", i * 1.4);
        command_on(&s, line);
        panel_text(&s, &s.frame.layout.metrics, text, sizeof text);
        if (strstr(text, "bubble +") != NULL || strstr(text, "bubble -") != NULL)
            fail_msg("%s", text);
    }
    end_screen(&s);
    /* From 3/1003 to 3/1004 is no difference that its figures show. */
    start(&s, 4, 1000, "", "");
    press_on(&s, "M");
    resize(&s, 140, 40);
    panel_text(&s, &s.frame.layout.metrics, text, sizeof text);
    assert_non_null(strstr(text, "since start: makespan +3 worse "));
    end_screen(&s);
}

/* ---- nothing cut ---- */

static bool is_word_of(const char *word, size_t length, const char *text)
{
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        bool is_start = at == text || strchr(" (>-+,/=:*", at[-1]) != NULL ||
                        (unsigned char)at[-1] >= 0x80 || (at[-1] >= 'A' && at[-1] <= 'Z');
        bool is_end = strchr(" ),:;%<-/", at[length]) != NULL ||
                      (unsigned char)at[length] >= 0x80 || (at[length] >= 'A' && at[length] <= 'Z');
        if (is_start && is_end)
            return true;
    }
    return false;
}

/* Every number of `text` is a number of `wide`, as a whole. */
static void check_numbers(const char *text, const char *wide, int columns)
{
    for (const char *at = text; *at != '\0';) {
        size_t length = strspn(at, "0123456789.");
        char word[80];
        if (length == 0 || length >= sizeof word || *at == '.') {
            at += length > 0 ? length : 1;
            continue;
        }
        while (at[length - 1] == '.')
            length--; /* the end of a sentence, or dots for what was cut */
        memcpy(word, at, length);
        word[length] = '\0';
        if (!is_word_of(word, length, wide))
            fail_msg("at %d columns %s is not of: %s (%s)", columns, word, wide, text);
        at += length;
    }
}

static void check_all_widths(struct screen *s)
{
    static char wide[6][3 * ROW_SIZE], text[3 * ROW_SIZE];
    const struct rect *panels[] = {&s->frame.layout.title, &s->frame.layout.metrics,
                                   &s->frame.layout.inspector, &s->frame.layout.legend,
                                   &s->frame.layout.notes};

    resize(s, 500, 60);
    for (int i = 0; i < 5; i++)
        panel_text(s, panels[i], wide[i], sizeof wide[i]);
    for (int columns = 20; columns <= 140; columns += columns < 60 ? 1 : 3)
        for (int rows = 8; rows <= 24; rows += 16) {
            resize(s, columns, rows);
            for (int i = 0; i < 5; i++) {
                panel_text(s, panels[i], text, sizeof text);
                check_numbers(text, wide[i], columns);
            }
        }
}

static void test_nothing_cut(void **state)
{
    struct screen s;

    (void)state;
    start(&s, 12, 123, "no digits in this name", "");
    command_on(&s, "forward 1234.5");
    command_on(&s, "transfer 0.125");
    check_all_widths(&s);
    press_on(&s, "Down");
    check_all_widths(&s);
    press_on(&s, "n");
    check_all_widths(&s);
    press_on(&s, "End");
    check_all_widths(&s);
    press_on(&s, "Down");
    press_on(&s, "N");
    check_all_widths(&s);
    command_on(&s, "layers 30*0.25/0.5,4*1.5");
    press_on(&s, "Up");
    check_all_widths(&s);
    end_screen(&s);
}

/* Items of the legend are whole, or not there. */
static void test_legend(void **state)
{
    static const char *const items[] = {
        "F forward",    "B backward",           "idle",
        "[ ] selected", "number = micro-batch", "a number opens an operation",
        "F",            "B"}; /* where there is no room for more */
    struct screen s;
    char text[3 * ROW_SIZE];

    (void)state;
    start(&s, 4, 8, "", "");
    for (int columns = 20; columns <= 140; columns++) {
        s.theme.depth = columns % 2 ? DEPTH_256 : DEPTH_MONO;
        s.theme.is_ascii = columns % 3 == 0;
        resize(&s, columns, 24);
        panel_text(&s, &s.frame.layout.legend, text, sizeof text);
        int count = 0;
        for (int i = 0; i < 8; i++) {
            char *at = strstr(text, items[i]);
            if (at != NULL)
                memset(at, ' ', strlen(items[i]));
            count += at != NULL;
        }
        if (text[strcspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ[]=")] != '\0')
            fail_msg("at %d columns these are left over: %s", columns, text);
        assert_true(count >= (columns >= 80 ? 4 : 1));
    }
    end_screen(&s);
}

/* A message too long for its line ends in dots. */
static void test_long_message(void **state)
{
    struct screen s;
    char row[ROW_SIZE];

    (void)state;
    start(&s, 4, 8, "", "");
    press_on(&s, "M");
    for (int columns = 20; columns <= 100; columns++)
        for (int is_ascii = 0; is_ascii < 2; is_ascii++) {
            s.theme.is_ascii = is_ascii;
            resize(&s, columns, 24);
            row_of(&s, s.frame.layout.message.y, row);
            bool is_whole = strstr(row, "u undoes") != NULL;
            const char *dots = is_ascii ? "..." : "…";
            bool has_dots = strcmp(row + strlen(row) - strlen(dots), dots) == 0;
            assert_true(is_whole != has_dots);
            assert_true(is_whole || columns < 60);
        }
    end_screen(&s);
}

/* ---- lanes ---- */

static void check_label(const struct screen *s, uint32_t device, int y)
{
    const struct layout *l = &s->frame.layout;
    char label[ROW_SIZE];
    const char *at;

    row_part(s, 0, l->gutter, y, label);
    at = label + strcspn(label, "0123456789");
    char *stop;
    uint32_t number = (uint32_t)strtoul(at, &stop, 10);
    bool is_both = l->is_halved && (*stop == '.' || (unsigned char)*stop == 0xc2);
    if (is_both && stop[strcspn(stop, "0123456789")] != '\0')
        assert_int_equal(strtoul(stop + strcspn(stop, "0123456789"), NULL, 10), device + 1);
    if (number != device && !(l->is_halved && !is_both && number == device + 1))
        fail_msg("lane %u at %d columns is called: %s", device, s->grid.columns, label);
    /* What it costs stands behind, or below where there is a second row, whole or not at all. */
    if (l->is_halved)
        return;
    if (l->lane_rows > 1)
        row_part(s, 0, l->gutter - 1, y + 1, label);
    const char *costs = strrchr(l->lane_rows > 1 ? label : stop, ' ');
    if (costs != NULL && strcmp(costs, " 1+2") != 0)
        fail_msg("lane %u at %d columns costs: %s", device, s->grid.columns, label);
}

static void check_idle_share(const struct screen *s, double share, int y)
{
    const struct layout *l = &s->frame.layout;
    char tail[ROW_SIZE], *stop;

    if (l->tail == 0)
        return;
    row_part(s, l->gutter + s->frame.axis.columns, l->tail, y, tail);
    double shown = strtod(tail, &stop);
    if (strcmp(stop, "%") != 0 || fabs(shown - share * 100) > (l->tail > 5 ? 0.0501 : 0.501))
        fail_msg("idle share '%s', not %.3g%%", tail, share * 100);
}

/* 1F1B, uniform: each device idles (P-1)/(M+P-1) of the time. */
static void test_lanes(void **state)
{
    static const uint32_t stages[] = {1, 2, 4, 8, 16, 17, 32, 33, 64, 120};

    (void)state;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        struct screen s;
        uint32_t p = stages[i];
        start(&s, p, p + 3, "", "");
        for (int columns = 20; columns <= 140; columns += columns < 45 ? 1 : 7)
            for (int rows = 6; rows <= 60; rows += 18) {
                resize(&s, columns, rows);
                const struct rect *lanes = &s.frame.layout.lanes;
                uint32_t seen = 0;
                for (int y = 0; y < lanes->rows; y++) {
                    uint32_t device = chart_device_at(&s.frame.layout, &s.snapshot, y);
                    if (device == PG_NONE || y % s.frame.layout.lane_step != 0)
                        continue;
                    check_label(&s, device, lanes->y + y);
                    check_idle_share(&s, (p - 1.0) / (2 * p + 2), lanes->y + y);
                    seen += s.frame.layout.is_halved && device + 1 < p ? 2 : 1;
                }
                assert_int_equal(seen, s.frame.layout.visible);
                if (columns == 80 && rows == 24)
                    assert_true(p > 32 || seen == p);
            }
        end_screen(&s);
    }
}

/* One slow stage: the others wait for it. By hand: P = 2, M = 2, costs 1+2 and 3+2, so the makespan
 * is 1 + 2*5 + 2 = 13 and the devices work 6 and 10 of it. */
static void test_uneven_lanes(void **state)
{
    struct screen s;
    char text[3 * ROW_SIZE];

    (void)state;
    start(&s, 2, 2, "", "");
    command_on(&s, "forward 1,3");
    resize(&s, 120, 40);
    panel_text(&s, &s.frame.layout.metrics, text, sizeof text);
    assert_non_null(strstr(text, "makespan=13 "));
    assert_non_null(strstr(text, "floor=10 "));
    assert_null(strstr(text, "formula="));
    const struct rect *lanes = &s.frame.layout.lanes;
    check_idle_share(&s, 7.0 / 13, lanes->y);
    check_idle_share(&s, 3.0 / 13, lanes->y + s.frame.layout.lane_step);
    end_screen(&s);
    /* Two lanes a row: the share of the selected one, else of the upper one. */
    start(&s, 4, 2, "", "");
    command_on(&s, "forward 1,3,1,3");
    resize(&s, 40, 6);
    assert_true(s.frame.layout.is_halved);
    double makespan = s.snapshot.outcome->plan.makespan;
    for (int device = -1; device < 4; device++) {
        int y = s.frame.layout.lanes.y + (device < 0 ? 0 : device / 2);
        check_idle_share(&s, 1 - (device > 0 && device % 2 ? 10 : 6) / makespan, y);
        press_on(&s, "Down");
    }
    end_screen(&s);
}

/* Counts a bracket in the lanes. */
static int count_glyph(const struct screen *s, uint32_t glyph)
{
    const struct rect *lanes = &s->frame.layout.lanes;
    int count = 0;

    for (int y = lanes->y; y < lanes->y + lanes->rows; y++)
        for (int x = s->frame.layout.gutter; x < s->grid.columns; x++)
            count += grid_at(&s->grid, x, y)->glyph == glyph;
    return count;
}

static bool is_lane_seen(const struct screen *s, uint32_t device)
{
    for (int y = 0; y < s->frame.layout.lanes.rows; y++) {
        uint32_t at = chart_device_at(&s->frame.layout, &s->snapshot, y);
        if (at == device || (s->frame.layout.is_halved && at != PG_NONE && at + 1 == device))
            return true;
    }
    return false;
}

/* Down to the last lane and up again: what is selected is on screen, in brackets. */
static void check_walk(struct screen *s, uint32_t stages)
{
    int marks = 1; /* on the row of the numbers */

    assert_int_equal(count_glyph(s, '[') + count_glyph(s, ']'), 0);
    for (uint32_t step = 0; step < 2 * stages; step++) {
        press_on(s, step < stages ? "Down" : "Up");
        if (s->snapshot.selection.is_all)
            break;
        if (!is_lane_seen(s, s->snapshot.selection.device))
            fail_msg("lane %u of %u is not seen at %dx%d", s->snapshot.selection.device, stages,
                     s->grid.columns, s->grid.rows);
        assert_int_equal(count_glyph(s, '['), marks);
        assert_int_equal(count_glyph(s, ']'), marks);
    }
    press_on(s, "Up");
    assert_true(s->snapshot.selection.is_all);
}

static void test_selection(void **state)
{
    static const uint32_t stages[] = {1, 4, 16, 32, 33, 64, 65};
    static const int sizes[][2] = {{20, 6}, {40, 10}, {80, 24}, {120, 40}};

    (void)state;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        for (size_t k = 0; k < 4; k++) {
            struct screen s;
            start(&s, stages[i], 4, "", "");
            s.theme.is_ascii = (i + k) % 3 == 0;
            resize(&s, sizes[k][0], sizes[k][1]);
            check_walk(&s, stages[i]);
            end_screen(&s);
        }
}

/* ---- keys and help ---- */

/* An item of the key bar: "p P" and what it does. */
static void check_item(const char *keys, const char *what)
{
    const char *last = strrchr(keys, ' ');
    enum command command = command_of_key(last == NULL ? keys : last + 1);

    assert_int_not_equal(command, COMMAND_COUNT);
    assert_string_equal(command_info(command)->bar, what);
    if (last != NULL) { /* a pair: less first, then more */
        char first[16];
        snprintf(first, sizeof first, "%.*s", (int)(last - keys), keys);
        assert_int_equal(command_of_key(first) + 1, command);
    }
}

static int check_bar(const struct screen *s)
{
    int y = s->frame.layout.keys.y, count = 0;
    char keys[ROW_SIZE], what[ROW_SIZE];

    for (int x = 0; x < s->grid.columns;) {
        int from = x;
        while (x < s->grid.columns && grid_at(&s->grid, x, y)->paper == COLOUR_BAR_KEY)
            x++;
        int middle = x;
        while (x < s->grid.columns && grid_at(&s->grid, x, y)->paper != COLOUR_BAR_KEY)
            x++;
        if (middle == from) {
            assert_string_equal(row_part(s, from, x - from, y, what), "");
            continue;
        }
        row_part(s, from + 1, middle - from - 1, y, keys);
        check_item(keys, row_part(s, middle, x - middle, y, what));
        count++;
    }
    return count;
}

static void test_key_bar(void **state)
{
    struct screen s;
    int all = 0;
    char row[ROW_SIZE];

    (void)state;
    for (enum command c = 0; c < COMMAND_COUNT; c++)
        all += command_info(c)->bar[0] != '\0';
    start(&s, 4, 8, "", "");
    for (int columns = 20; columns <= 300; columns++) {
        resize(&s, columns, 24);
        int count = check_bar(&s);
        assert_true(count >= 2 && (count == all || columns < 250));
        row_of(&s, s.frame.layout.keys.y, row);
        assert_true(strstr(row, " ? help") != NULL && strstr(row, " q quit") != NULL);
    }
    end_screen(&s);
}

/* Scrolled from end to end the help shows every command with its keys. */
static void check_help(struct screen *s, int columns, int rows)
{
    static char all[200 * 600];
    struct text text;
    char row[ROW_SIZE], line[ROW_SIZE];
    uint32_t top;

    resize(s, columns, rows);
    press_on(s, "?");
    text_init(&text, all, sizeof all);
    do {
        top = s->snapshot.help_top;
        for (int y = 0; y < rows - 1; y++)
            text_addf(&text, "%s\n", row_of(s, y, row));
        press_on(s, "Down");
    } while (s->snapshot.help_top != top);
    assert_false(text.is_cut);
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        const struct command_info *info = command_info(c);
        snprintf(line, sizeof line, "\n   %s ", info->keys);
        const char *at = strstr(all, line);
        if (at == NULL)
            fail_msg("%dx%d: help lacks %s", columns, rows, info->keys);
        at += strlen(line) + strspn(at + strlen(line), " ");
        snprintf(line, sizeof line, "%s\n", info->help);
        if (columns >= 80 && strncmp(at, line, strlen(line)) != 0)
            fail_msg("%dx%d: help on %s is cut: %.80s", columns, rows, info->keys, at);
    }
    for (enum command_group g = 0; g < GROUP_COUNT; g++)
        assert_non_null(strstr(all, command_group_title(g)));
    assert_non_null(strstr(row_of(s, rows - 1, row), "q closes"));
    press_on(s, "q");
    assert_int_equal(s->snapshot.mode, MODE_CHART);
}

static void test_help(void **state)
{
    struct screen s;

    (void)state;
    start(&s, 4, 8, "", "");
    check_help(&s, 120, 24);
    check_help(&s, 100, 100);
    check_help(&s, 20, 6);
    check_help(&s, 80, 24);
    check_help(&s, 80, 7);
    end_screen(&s);
}

/* ---- message line ---- */

static void test_prompt(void **state)
{
    struct screen s;
    char row[ROW_SIZE];

    (void)state;
    start(&s, 4, 8, "", "");
    press_on(&s, ":");
    assert_string_equal(row_of(&s, s.frame.layout.message.y, row), ":");
    assert_int_equal(s.frame.cursor_x, 1);
    session_paste(s.session, "title 中文");
    redraw(&s);
    assert_string_equal(row_of(&s, s.frame.layout.message.y, row), ":title 中文");
    assert_int_equal(s.frame.cursor_x, 11);
    /* The end of a long line is seen, and the cursor stands behind it. */
    for (int columns = 20; columns <= 60; columns++)
        for (int is_ascii = 0; is_ascii < 2; is_ascii++) {
            s.theme.is_ascii = is_ascii;
            session_paste(s.session, columns % 3 ? "中" : "x");
            resize(&s, columns, 10);
            row_part(&s, 0, s.frame.cursor_x, s.frame.layout.message.y, row);
            assert_int_equal(text_columns(row), s.frame.cursor_x);
            const char *last = is_ascii && columns % 3 ? "?" : columns % 3 ? "中" : "x";
            assert_string_equal(row + strlen(row) - strlen(last), last);
        }
    press_on(&s, "Esc");
    assert_int_equal(s.frame.cursor_x, -1);
    /* A long question leaves room for the answer. */
    for (int columns = 20; columns <= 60; columns++) {
        resize(&s, columns, 10);
        press_on(&s, "Enter");
        session_paste(s.session, ",7.25");
        redraw(&s);
        row_part(&s, 0, s.frame.cursor_x, s.frame.layout.message.y, row);
        if (s.frame.cursor_x < 5 || strcmp(row + strlen(row) - 5, ",7.25") != 0)
            fail_msg("at %d columns one types into: %s", columns, row);
        assert_string_equal(row_part(&s, s.frame.cursor_x, columns, s.frame.layout.message.y, row),
                            "");
        press_on(&s, "Esc");
    }
    press_on(&s, "1");
    press_on(&s, "2");
    assert_string_equal(row_of(&s, s.frame.layout.message.y, row), " 12");
    end_screen(&s);
}

/* Notes are shown whole or begun on the message line. */
static void test_notes(void **state)
{
    static const char notes[] = "Watch stage two: it is the slowest, and every other one waits for "
                                "it. Then press M a few times.";
    struct screen s;
    char text[3 * ROW_SIZE], squeezed[3 * ROW_SIZE];

    (void)state;
    start(&s, 4, 8, "", notes);
    for (int columns = 20; columns <= 130; columns += 3)
        for (int rows = 6; rows <= 60; rows += 2) {
            resize(&s, columns, rows);
            const struct rect *panel = &s.frame.layout.notes;
            panel_text(&s, panel->rows > 0 ? panel : &s.frame.layout.message, text, sizeof text);
            struct text out;
            text_init(&out, squeezed, sizeof squeezed);
            for (const char *at = text; *at != '\0'; at++)
                if (*at != ' ' || (out.length > 0 && squeezed[out.length - 1] != ' '))
                    text_addf(&out, "%c", *at);
            squeezed[--out.length] = '\0';
            const char *dots = strstr(squeezed, "…");
            if (panel->rows > 0)
                assert_string_equal(squeezed, notes);
            else
                assert_int_equal(strncmp(squeezed, notes,
                                         dots != NULL ? (size_t)(dots - squeezed) : sizeof notes),
                                 0);
        }
    end_screen(&s);
}

/* ---- printed ---- */

static void test_printed(void **state)
{
    static const uint32_t stages[] = {1, 2, 4, 8, 9, 16, 33, 64};

    (void)state;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        struct screen s;
        char text[ROW_SIZE];
        start(&s, stages[i], 8, "", i % 2 ? "Some notes, which are printed as well." : "");
        for (int columns = 20; columns <= 200; columns += 5) {
            int rows = screen_printed_rows(&s.snapshot, columns);
            assert_true(grid_resize(&s.grid, columns, rows));
            screen_draw(&s.grid, &s.theme, &s.snapshot, false, &s.frame);
            const struct layout *l = &s.frame.layout;
            check_cells(&s);
            assert_int_equal(l->visible, stages[i]);
            assert_false(l->is_halved);
            assert_true(l->metrics.rows == 2 && l->ruler.rows == 1 && l->legend.rows == 1);
            assert_true(l->notes.rows > 0 || i % 2 == 0);
            assert_true(l->legend.y + l->legend.rows <= rows && l->notes.y + l->notes.rows <= rows);
            check_metrics(&s, stages[i], 8, 1, 2);
            row_of(&s, 0, text);
            assert_null(strstr(text, "edits"));
        }
        end_screen(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_frame),   cmocka_unit_test(test_title),
        cmocka_unit_test(test_title_follows), cmocka_unit_test(test_title_name),
        cmocka_unit_test(test_metrics),       cmocka_unit_test(test_difference),
        cmocka_unit_test(test_nothing_cut),   cmocka_unit_test(test_legend),
        cmocka_unit_test(test_long_message),  cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_uneven_lanes),  cmocka_unit_test(test_selection),
        cmocka_unit_test(test_key_bar),       cmocka_unit_test(test_help),
        cmocka_unit_test(test_prompt),        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_printed),
    };

    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
