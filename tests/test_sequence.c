/* What terminals send behind an Esc, split at any byte, cut short, without an end: the same key or
 * report as when it comes at once, and never a letter of it as a command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/sequence.h"

#include <string.h>

/* Bytes that come at once, and a pause after some of them; what was put back comes first. */
struct tape {
    const char *bytes;
    size_t count, at, pause; /* before byte `pause`; nothing comes sooner than this many ms: */
    int length_of_pause;
    int back[8], backs;
};

static int next_byte(void *about, int patience)
{
    struct tape *tape = about;

    if (tape->at == tape->count || (tape->at == tape->pause && tape->length_of_pause > patience))
        return -1;
    return (unsigned char)tape->bytes[tape->at++];
}

static int next(void *about, int patience)
{
    struct tape *tape = about;

    return tape->backs > 0 ? tape->back[--tape->backs] : next_byte(about, patience);
}

static void put_back(void *about, int c)
{
    struct tape *tape = about;

    assert_true(tape->backs < 8);
    tape->back[tape->backs++] = c;
}

static struct sequence take(struct tape *tape)
{
    const struct source source = {next, next_byte, put_back, tape, true};
    return sequence_take(&source);
}

static struct sequence take_string(const char *bytes, struct tape *tape)
{
    *tape = (struct tape){.bytes = bytes, .count = strlen(bytes), .pause = SIZE_MAX};
    return take(tape);
}

/* What is left to be read, in the order in which it comes. */
static void expect_rest(struct tape *tape, const char *rest)
{
    char got[200];
    size_t count = 0;

    for (int c; count + 1 < sizeof got && (c = next(tape, 1 << 20)) >= 0;)
        got[count++] = (char)c;
    got[count] = '\0';
    assert_string_equal(got, rest);
}

static void test_keys(void **state)
{
    static const struct {
        const char *bytes, *key, *rest;
    } rows[] = {
        {"", "Esc", ""},        {"x", "Esc", "x"},       {"[", "Esc", "["},     {"O", "Esc", "O"},
        {"]", "Esc", "]"},      {"]a", "Esc", "]a"},     {"P", "Esc", "P"},     {"PM", "Esc", "PM"},
        {"_", "Esc", "_"},      {"\033[A", "Esc", "\033[A"}, {"[AM", "Up", "M"}, {"OAM", "Up", "M"},
        {"[1;2DM", "Shift-Left", "M"}, {"[[AM", "F1", "M"}, {"[1;9QM", NULL, "M"},
        {"[IM", NULL, "M"},     {"[?62;1;6cM", NULL, "M"}, {"[5;7RM", NULL, "M"},
        {"[65;5:3uM", NULL, "M"}, {"[12\033[A", NULL, "\033[A"}, {"[12", NULL, ""},
        {"]11;rgb:00/MM\033\\M", NULL, "M"}, {"]52;c;MQ=\aM", NULL, "M"},
        {"]11;rgb\033[A", NULL, "\033[A"}, {"]11;rgb:MM", NULL, ""},
        {"P>|XTerm(370)\033\\M", NULL, "M"}, {"P1$r0m\033\\M", NULL, "M"}, {"_Gi=1;OK\033\\M", NULL, "M"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tape tape;
        struct sequence sequence = take_string(rows[i].bytes, &tape);
        assert_false(sequence.is_pointer);
        if (rows[i].key == NULL)
            assert_null(sequence.key);
        else
            assert_string_equal(sequence.key, rows[i].key);
        expect_rest(&tape, rows[i].rest);
    }
}

static void test_reports_of_the_mouse(void **state)
{
    static const struct {
        const char *bytes;
        int x, y, wheel;
        bool is_pressed, is_released, is_moved;
    } rows[] = {
        {"[<0;16;11M", 15, 10, 0, true, false, false},
        {"[<0;16;11m", 15, 10, 0, false, true, false},
        {"[<32;65535;1M", 65534, 0, 0, false, false, true},
        {"[<35;3;4M", 2, 3, 0, false, false, true},
        {"[<64;3;4M", 2, 3, 1, false, false, false},
        {"[<65;3;4M", 2, 3, -1, false, false, false},
        {"[<66;3;4M", 2, 3, 0, false, false, false},
        {"[<2;3;4M", 2, 3, 0, false, false, false},
        {"[<16;3;4M", 2, 3, 0, true, false, false}, /* with Ctrl */
        {"[<128;3;4M", 2, 3, 0, false, false, false},
        {"[M \060\053", 15, 10, 0, true, false, false},
        {"[M#\060\053", 15, 10, 0, false, true, false},
        {"[M@\377\377", 222, 222, 0, false, false, true},
        {"[M`\041\041", 0, 0, 1, false, false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tape tape;
        struct sequence sequence = take_string(rows[i].bytes, &tape);
        assert_true(sequence.is_pointer);
        assert_null(sequence.key);
        assert_int_equal(sequence.pointer.x, rows[i].x);
        assert_int_equal(sequence.pointer.y, rows[i].y);
        assert_int_equal(sequence.pointer.wheel, rows[i].wheel);
        assert_int_equal(sequence.pointer.is_pressed, rows[i].is_pressed);
        assert_int_equal(sequence.pointer.is_released, rows[i].is_released);
        assert_int_equal(sequence.pointer.is_moved, rows[i].is_moved);
        expect_rest(&tape, "");
    }
}

static void test_reports_that_are_none(void **state)
{
    static const char *const reports[] = {
        "[<M",           "[<0M",           "[<0;1M",          "[<0;;1M",        "[<;1;1M",
        "[<0;0;1M",      "[<0;1;0M",       "[<0;65536;1M",    "[<0;1;99999999999999999999999M",
        "[<-1;1;1M",     "[<0;1;1;1M",     "[<0;1;1A",        "[<0;1;1~",       "[<0:1:1M",
        "[M \040!",      "[M!",            "[M",              "[<0;1;1",        "[<",
    };

    (void)state;
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        struct tape tape;
        struct sequence sequence = take_string(reports[i], &tape);
        assert_false(sequence.is_pointer);
        assert_null(sequence.key);
        expect_rest(&tape, "");
    }
}

/* A pause that a link may make is none; a longer one ends the sequence, and what comes after it is
 * typed. */
static void test_pauses(void **state)
{
    static const char *const sequences[] = {"[<0;16;11M", "[1;2D", "]11;rgb:00/00/00\033\\", "[A"};

    (void)state;
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++)
        for (size_t at = 1; at < strlen(sequences[i]); at++) {
            struct tape tape = {sequences[i], strlen(sequences[i]), 0, at, 40, {0}, 0};
            struct sequence sequence = take(&tape);
            assert_int_equal(tape.at, tape.count);
            assert_int_equal(sequence.is_pointer, i == 0);
            tape = (struct tape){sequences[i], strlen(sequences[i]), 0, at, 5000, {0}, 0};
            sequence = take(&tape);
            assert_int_equal(tape.at, at);
            assert_false(sequence.is_pointer);
        }
}

static void test_without_a_mouse_no_report_is_one(void **state)
{
    struct tape tape = {"[M !!", 5, 0, SIZE_MAX, 0, {0}, 0};
    const struct source source = {next, next_byte, put_back, &tape, false};

    (void)state;
    assert_false(sequence_take(&source).is_pointer);
    expect_rest(&tape, " !!");
    tape = (struct tape){"[<0;1;1MM", 9, 0, SIZE_MAX, 0, {0}, 0};
    assert_false(sequence_take(&source).is_pointer);
    expect_rest(&tape, "M");
}

/* However long: nothing is written behind an end, and it does end. */
static void test_endless(void **state)
{
    static char bytes[200000];
    static const char *const starts[] = {"[1", "[<1", "]1", "P1"};

    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        memset(bytes, '1', sizeof bytes);
        memcpy(bytes, starts[i], strlen(starts[i]));
        struct tape tape = {bytes, sizeof bytes, 0, SIZE_MAX, 0, {0}, 0};
        struct sequence sequence = take(&tape);
        assert_null(sequence.key);
        assert_false(sequence.is_pointer);
        assert_true(tape.at < sizeof bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_reports_of_the_mouse),
        cmocka_unit_test(test_reports_that_are_none),
        cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_without_a_mouse_no_report_is_one),
        cmocka_unit_test(test_endless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
