/* The layout, which is a pure function, at every size: panels inside the screen, none over another,
 * columns that add up; and what the interface promises at 80x24, 40x10 and below 20x6. */
#include "view/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOST_COLUMNS 220
#define MOST_ROWS 70

static const uint32_t device_counts[] = {1, 2, 4, 8, 16, 17, 32, 64, 4096};
#define DEVICE_COUNTS (sizeof device_counts / sizeof device_counts[0])

static struct wishes wishes_of(uint32_t devices, bool can_halve, bool has_keys, int note_rows)
{
    return (struct wishes){
        .devices = devices,
        .label_columns = devices > 1000 ? 12 : 8,
        .tall_label_columns = devices > 1000 ? 10 : 7,
        .note_rows = note_rows,
        .can_halve = can_halve,
        .has_keys = has_keys,
    };
}

static struct layout make(int columns, int rows, struct wishes wishes)
{
    struct layout layout;

    memset(&layout, 0x5a, sizeof layout); /* whatever was there before must not matter */
    layout_make(&layout, columns, rows, &wishes);
    return layout;
}

static bool is_empty(const struct rect *rect)
{
    return rect->rows == 0;
}

/* ---- the sweep ---- */

/* What is wrong with the panels: the word, or NULL. They come in the order of the screen. */
static const char *fault_of_stack(const struct rect *const *panels, int count, int columns,
                                  int rows)
{
    int y = 0;

    for (int i = 0; i < count; i++) {
        const struct rect *panel = panels[i];
        if (panel->rows < 0)
            return "negative rows";
        if (is_empty(panel))
            continue;
        if (panel->x != 0 || panel->columns != columns)
            return "a panel is not as wide as the screen";
        if (panel->y < y)
            return "panels overlap or are out of order";
        y = panel->y + panel->rows;
    }
    return y > rows ? "a panel hangs over the lower edge" : NULL;
}

static const char *fault_of_panels(const struct layout *l, const struct wishes *wishes, int columns,
                                   int rows)
{
    const struct rect *with_keys[] = {&l->title,   &l->metrics, &l->ruler, &l->lanes,
                                      &l->notes,   &l->legend,  &l->rule,  &l->inspector,
                                      &l->message, &l->keys};
    const struct rect *printed[] = {&l->title, &l->metrics, &l->ruler,
                                    &l->lanes, &l->legend,  &l->notes};

    if (l->title.rows != 1 || l->title.y != 0)
        return "the title is not the first row";
    if (l->metrics.rows > 2 || l->ruler.rows > 1 || l->legend.rows > 1 || l->rule.rows > 1 ||
        l->keys.rows > 1)
        return "a panel takes more than it has to show";
    if (l->notes.rows != 0 && l->notes.rows != wishes->note_rows)
        return "notes are shown in part";
    if (!wishes->has_keys) {
        if (l->rule.rows + l->inspector.rows + l->message.rows + l->keys.rows > 0)
            return "a printed chart has panels for keys";
        return fault_of_stack(printed, 6, columns, rows);
    }
    if (l->message.rows != 1)
        return "no message line";
    /* Panels go in order of importance: none of these is there while one before it is not. */
    if ((!is_empty(&l->legend) && is_empty(&l->keys)) ||
        (!is_empty(&l->keys) && is_empty(&l->inspector)) ||
        (!is_empty(&l->inspector) && is_empty(&l->ruler)) ||
        (!is_empty(&l->ruler) && is_empty(&l->metrics)))
        return "a lesser panel has the row of a greater one";
    if ((is_empty(&l->legend) || l->metrics.rows < 2) &&
        (!is_empty(&l->rule) || !is_empty(&l->notes)))
        return "comfort before need";
    return fault_of_stack(with_keys, 10, columns, rows);
}

static const char *fault_of_lanes(const struct layout *l, const struct wishes *wishes, int rows)
{
    /* Title, two rows of metrics, ruler, legend; inspector, message and keys, or a gap. */
    int spare = rows - (wishes->has_keys ? 8 : 6);
    int gap = l->lane_step - l->lane_rows - l->memory_rows;

    if (l->lanes.rows < 1)
        return "no row for lanes";
    if (l->lane_rows < 1 || gap < 0 || gap > 1)
        return "lanes without rows, or far apart";
    if (l->visible < 1 || l->visible > wishes->devices)
        return "no device visible, or more than there are";
    if (wishes->has_memory && (l->is_halved || l->is_memory != (l->memory_rows == 0)))
        return "memory neither below the lanes nor in their place";
    if (l->is_memory != (wishes->has_memory && l->lanes.rows < 2 * (int)wishes->devices))
        return "memory in the place of lanes that have room, or below those that have none";
    if (l->memory_rows > 3 || (!wishes->has_memory && l->memory_rows > 0))
        return "memory lanes that nobody wants";
    if (l->is_halved) {
        if (!wishes->can_halve || l->lane_rows != 1 || gap != 0)
            return "halved lanes that cannot be";
        if ((int)((l->visible + 1) / 2) > l->lanes.rows)
            return "halved lanes do not fit";
        if (wishes->devices <= (unsigned)l->lanes.rows || (int)wishes->devices <= spare)
            return "halved although each lane could have its row";
        if (l->visible < wishes->devices && (int)l->visible != l->lanes.rows * 2)
            return "a device is left out although it fits";
        return NULL;
    }
    if ((int)l->visible * l->lane_step - gap > l->lanes.rows)
        return "lanes do not fit";
    if (l->visible < wishes->devices && (l->lane_step != 1 || (int)l->visible != l->lanes.rows))
        return "a device is left out although it fits";
    if (l->visible < wishes->devices && wishes->can_halve && !wishes->has_memory)
        return "a device is left out although half blocks would show it";
    return NULL;
}

static const char *fault_of_columns(const struct layout *l, int columns)
{
    if (l->gutter < 3)
        return "no room for a mark, a digit and a blank";
    if (l->tail != 0 && l->tail < 5)
        return "a tail too narrow for 100%";
    if (l->chart_columns <= 0 || l->gutter + l->chart_columns + l->tail != columns)
        return "columns do not add up";
    return l->chart_columns * 2 < columns ? "less than half of the columns for the chart" : NULL;
}

static const char *fault_of(const struct layout *l, const struct wishes *wishes, int columns,
                            int rows)
{
    if (l->is_too_small != (columns < 20 || rows < 6))
        return "too small, or not, at the wrong size";
    if (l->is_too_small) {
        const struct rect *line = &l->message;
        bool is_one_line = line->x == 0 && line->columns == columns && line->rows == 1 &&
                           line->y >= 0 && line->y < rows;
        return is_one_line && l->visible == 0 && l->lanes.rows == 0 ? NULL : "not one line";
    }
    const char *fault = fault_of_panels(l, wishes, columns, rows);
    if (fault == NULL)
        fault = fault_of_lanes(l, wishes, rows);
    return fault == NULL ? fault_of_columns(l, columns) : fault;
}

static void check_size(int columns, int rows)
{
    for (size_t i = 0; i < DEVICE_COUNTS * 8; i++) {
        for (int notes = 0; notes <= 8; notes++) {
            struct wishes wishes = wishes_of(device_counts[i / 8], i & 1, i & 2, notes);
            wishes.has_memory = i & 4;
            struct layout layout = make(columns, rows, wishes);
            const char *fault = fault_of(&layout, &wishes, columns, rows);
            if (fault != NULL)
                fail_msg("%dx%d, %u devices, halving %d, keys %d, memory %d, notes %d: %s", columns,
                         rows, wishes.devices, wishes.can_halve, wishes.has_keys,
                         wishes.has_memory, notes, fault);
        }
    }
}

static void test_every_size(void **state)
{
    (void)state;
    for (int columns = 1; columns <= MOST_COLUMNS; columns++)
        for (int rows = 1; rows <= MOST_ROWS; rows++)
            check_size(columns, rows);
    check_size(500, 200);
    check_size(1, 200);
    check_size(500, 1);
}

/* Labels may be longer than there is room for. */
static void test_long_labels(void **state)
{
    (void)state;
    for (int label = 1; label <= 200; label++)
        for (int columns = 20; columns <= MOST_COLUMNS; columns++) {
            struct wishes wishes = wishes_of(8, true, true, 0);
            wishes.label_columns = wishes.tall_label_columns = label;
            struct layout layout = make(columns, 24, wishes);
            assert_null(fault_of(&layout, &wishes, columns, 24));
            if (label + 2 <= columns / 3)
                assert_true(layout.gutter >= label + 2);
        }
}

/* A screen that grows never shows fewer devices than before, nor (but for notes that join) lower
 * lanes. */
static void test_growing(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICE_COUNTS * 4; i++)
        for (int columns = 20; columns <= 120; columns += 10) {
            int notes = columns % 20 == 0 ? 0 : columns / 20;
            struct wishes wishes = wishes_of(device_counts[i / 4], i & 1, i & 2, notes);
            struct layout before = make(columns, 6, wishes);
            for (int rows = 7; rows <= 200; rows++) {
                struct layout now = make(columns, rows, wishes);
                assert_true(now.visible >= before.visible);
                assert_true(now.lane_rows >= before.lane_rows || notes > 0);
                assert_true(before.is_halved || !now.is_halved);
                before = now;
            }
        }
}

/* ---- what the interface promises ---- */

static bool has_every_panel(const struct layout *l)
{
    return l->title.rows == 1 && l->metrics.rows == 2 && l->ruler.rows == 1 &&
           l->legend.rows == 1 && l->inspector.rows >= 1 && l->message.rows == 1 &&
           l->keys.rows == 1;
}

static void test_80x24(void **state)
{
    (void)state;
    for (uint32_t devices = 1; devices <= 64; devices++)
        for (int can_halve = 0; can_halve < 2; can_halve++) {
            struct layout l = make(80, 24, wishes_of(devices, can_halve, true, 0));
            assert_true(has_every_panel(&l));
            assert_true(l.tail > 0);
            if (devices <= 8)
                assert_true(l.lane_rows >= 2);
            if (devices <= 16)
                assert_true(l.visible == devices && !l.is_halved);
            else if (can_halve)
                assert_true(l.is_halved && l.visible == (devices < 32 ? devices : 32));
            else
                assert_true(l.visible == 16);
        }
}

static void test_40x10(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICE_COUNTS; i++) {
        struct layout l = make(40, 10, wishes_of(device_counts[i], i & 1, true, 3));
        assert_false(l.is_too_small);
        assert_true(l.title.rows == 1 && l.metrics.rows >= 1 && l.lanes.rows >= 1);
        assert_int_equal(l.message.rows, 1);
        if (device_counts[i] <= 4)
            assert_int_equal(l.visible, device_counts[i]);
    }
}

static void test_least_size(void **state)
{
    struct wishes wishes = wishes_of(4096, true, true, 8);

    (void)state;
    assert_false(make(20, 6, wishes).is_too_small);
    assert_true(make(19, 6, wishes).is_too_small);
    assert_true(make(20, 5, wishes).is_too_small);
    assert_true(make(19, 200, wishes).is_too_small);
    assert_true(make(500, 5, wishes).is_too_small);
    struct layout least = make(20, 6, wishes);
    assert_true(least.lanes.rows >= 2);
    assert_int_equal(least.metrics.rows, 1);
}

/* Room that is left makes lanes taller, and then sets them apart. */
static void test_taller_lanes(void **state)
{
    (void)state;
    for (uint32_t devices = 1; devices <= 8; devices++) {
        struct layout l = make(120, 8 + 8 * 5, wishes_of(devices, true, true, 0));
        assert_true(l.lane_rows >= 3);
        assert_int_equal(l.lane_step, l.lane_rows + 1);
        assert_int_equal(l.visible, devices);
    }
    assert_true(make(80, 24, wishes_of(4, true, true, 0)).lane_rows >= 3);
    assert_true(make(120, 32, wishes_of(4, true, true, 0)).lane_rows >= 4);
    /* An only lane on a wall of a screen does not fill it. */
    assert_true(make(500, 200, wishes_of(1, true, true, 0)).lane_rows <= 10);
}

/* Notes have a panel when there is room to spare, not at the lanes' cost. */
static void test_notes(void **state)
{
    (void)state;
    for (int notes = 1; notes <= 8; notes++) {
        struct layout with = make(100, 50, wishes_of(4, true, true, notes));
        assert_int_equal(with.notes.rows, notes);
        assert_true(with.lane_rows >= 2);
        /* Half blocks leave room for them as well. */
        struct layout halved = make(80, 40, wishes_of(40, true, true, notes));
        assert_true(halved.is_halved && halved.visible == 40 && halved.notes.rows == notes);
        struct layout small = make(80, 24, wishes_of(16, true, true, notes));
        assert_int_equal(small.notes.rows, 0);
        assert_int_equal(small.visible, 16);
    }
}

/* Below lanes that leave room, the panels of an interactive screen stand at the bottom. */
static void test_bottom(void **state)
{
    (void)state;
    for (int rows = 6; rows <= 200; rows++) {
        struct layout l = make(100, rows, wishes_of(2, true, true, 0));
        const struct rect *last = is_empty(&l.keys) ? &l.message : &l.keys;
        assert_int_equal(last->y + last->rows, rows);
    }
}

/* A row that is lent is the message line, and comes from nowhere else. */
static void test_lent(void **state)
{
    uint32_t lent = 0;

    (void)state;
    for (int rows = 6; rows <= MOST_ROWS; rows++)
        for (size_t i = 0; i < DEVICE_COUNTS; i++) {
            struct wishes wishes = wishes_of(device_counts[i], true, true, 0);
            struct layout before = make(80, rows, wishes), after = before;
            layout_lend_message(&after);
            if (before.inspector.rows != 1) {
                assert_memory_equal(&before, &after, sizeof before);
                continue;
            }
            assert_true(after.inspector.rows == 2 && after.message.rows == 0);
            assert_int_equal(after.inspector.y + 1, before.message.y);
            after.inspector.rows = after.message.rows = 1;
            assert_memory_equal(&before, &after, sizeof before);
            lent++;
        }
    assert_true(lent > 50);
    /* Below a lesson the message line is elsewhere. */
    struct layout layout = make(80, 24, wishes_of(16, true, true, 0));
    assert_int_equal(layout.inspector.rows, 1);
    layout_make_room(&layout, 4);
    layout_lend_message(&layout);
    assert_int_equal(layout.inspector.rows, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size),   cmocka_unit_test(test_long_labels),
        cmocka_unit_test(test_growing),      cmocka_unit_test(test_80x24),
        cmocka_unit_test(test_40x10),        cmocka_unit_test(test_least_size),
        cmocka_unit_test(test_taller_lanes), cmocka_unit_test(test_notes),
        cmocka_unit_test(test_bottom),       cmocka_unit_test(test_lent),
    };

    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
