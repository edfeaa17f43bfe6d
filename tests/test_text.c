/* Bounded text and numbers, against judges that share nothing with them: every shorter decimal
 * tried out, a UTF-8 table of its own, and buffers with a guard behind their end. */
#include "driver.h"
#include "model/text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

static double double_of(uint64_t bits)
{
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static size_t encode(uint32_t c, char *out)
{
    size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (size_t i = length - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[length] | c);
    out[length] = '\0';
    return length;
}

/* Is it UTF-8? By the table of the Unicode standard (3-7), row by row. */
static bool is_utf8(const char *string)
{
    static const unsigned char rows[][5] = {
        {0xc2, 0xdf, 0x80, 0xbf, 1}, {0xe0, 0xe0, 0xa0, 0xbf, 2}, {0xe1, 0xec, 0x80, 0xbf, 2},
        {0xed, 0xed, 0x80, 0x9f, 2}, {0xee, 0xef, 0x80, 0xbf, 2}, {0xf0, 0xf0, 0x90, 0xbf, 3},
        {0xf1, 0xf3, 0x80, 0xbf, 3}, {0xf4, 0xf4, 0x80, 0x8f, 3},
    };

    for (const unsigned char *s = (const unsigned char *)string; *s != 0; s++) {
        if (*s < 0x80)
            continue;
        size_t i = 0;
        while (i < sizeof rows / sizeof rows[0] && !(*s >= rows[i][0] && *s <= rows[i][1]))
            i++;
        if (i == sizeof rows / sizeof rows[0] || s[1] < rows[i][2] || s[1] > rows[i][3])
            return false;
        s++;
        for (unsigned char more = 1; more < rows[i][4]; more++, s++)
            if (s[1] < 0x80 || s[1] > 0xbf)
                return false;
    }
    return true;
}

/* ---- numbers out ---- */

static void assert_writes(double number, const char *expected)
{
    char buffer[TEXT_NUMBER_SIZE];

    assert_string_equal(number_write(buffer, number), expected);
}

static void numbers_known_to_be_hard(void **state)
{
    (void)state;
    assert_writes(0, "0");
    assert_writes(-0.0, "0");
    assert_writes(1, "1");
    assert_writes(-2, "-2");
    assert_writes(0.1, "0.1");
    assert_writes(0.1 + 0.2, "0.30000000000000004");
    assert_writes(1.0 / 3, "0.3333333333333333");
    assert_writes(27.272727272727273, "27.272727272727273");
    assert_writes(1e300, "1e300");
    assert_writes(-1e-7, "-1e-7");
    assert_writes(0.0001, "0.0001");
    assert_writes(0.00001, "1e-5");
    assert_writes(5e-324, "5e-324");
    assert_writes(1e-323, "1e-323");
    assert_writes(2.2250738585072014e-308, "2.2250738585072014e-308");
    assert_writes(2.225073858507201e-308, "2.225073858507201e-308");
    assert_writes(1.7976931348623157e308, "1.7976931348623157e308");
    assert_writes(999999999999999.0, "999999999999999");
    assert_writes(1e15, "1e15");
    assert_writes(1e21, "1e21");
    assert_writes(1e22, "1e22");
    assert_writes(1e23, "1e23");
    assert_writes(9007199254740992.0, "9007199254740992");
    assert_writes(9007199254740993.0, "9007199254740992");
    assert_writes(123456789012345680.0, "1.2345678901234568e17");
    assert_writes(ldexp(1, -44), "5.684341886080802e-14");
    assert_writes(ldexp(1, -1074), "5e-324");
    assert_writes(ldexp(-1, 89), "-6.189700196426902e26");
    assert_writes(ldexp(1, 976), "6.386688990511104e293");
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?(e-?[1-9][0-9]*)? : what JSON, C and people read alike. */
static void assert_shape(const char *text)
{
    const char *s = text + (*text == '-');
    size_t whole = strspn(s, "0123456789");

    assert_true(whole > 0 && (whole == 1 || *s != '0'));
    s += whole;
    if (*s == '.') {
        size_t part = strspn(s + 1, "0123456789");
        assert_true(part > 0 && s[part] != '0');
        s += 1 + part;
    }
    if (*s == 'e') {
        s += s[1] == '-' ? 2 : 1;
        assert_true(*s >= '1' && *s <= '9');
        s += strspn(s, "0123456789");
    }
    assert_int_equal(*s, '\0');
}

static void numbers_read_back_bit_for_bit(void **state)
{
    uint64_t dice = 1;
    char buffer[TEXT_NUMBER_SIZE];

    (void)state;
    for (unsigned i = 0; i < rounds(1000000); i++) {
        double number = double_of(roll_bits(&dice)), back;
        if (!isfinite(number) || number == 0)
            continue;
        number_write(buffer, number);
        if (bits_of(strtod(buffer, NULL)) != bits_of(number))
            fail_msg("%a was written %s", number, buffer);
        assert_true(number_parse(buffer, &back));
        assert_int_equal(bits_of(back), bits_of(number));
        assert_shape(buffer);
    }
}

/* Significant digits of a number as text. */
static unsigned count_digits(const char *text)
{
    unsigned count = 0, zeros = 0;

    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0'))
            continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        count++;
    }
    return count - zeros;
}

/* No decimal with fewer digits reads back: the nearest one of each length and its two neighbours
 * are the only ones that could. */
static void assert_shortest(double number)
{
    char buffer[TEXT_NUMBER_SIZE], probe[40];
    unsigned digits = count_digits(number_write(buffer, number));

    assert_in_range(digits, 1, 17);
    for (unsigned fewer = 1; fewer < digits; fewer++) {
        snprintf(probe, sizeof probe, "%.*e", (int)fewer - 1, fabs(number));
        long exponent = strtol(strchr(probe, 'e') + 1, NULL, 10) - (long)fewer + 1;
        long long mantissa = 0;
        for (const char *s = probe; *s != 'e'; s++)
            if (*s != '.')
                mantissa = mantissa * 10 + (*s - '0');
        for (long long m = mantissa - 1; m <= mantissa + 1; m++) {
            snprintf(probe, sizeof probe, "%llde%ld", m, exponent);
            if (strtod(probe, NULL) == fabs(number))
                fail_msg("%a was written %s, %s would do", number, buffer, probe);
        }
    }
}

static void numbers_are_as_short_as_can_be(void **state)
{
    uint64_t dice = 2;

    (void)state;
    for (int exponent = -1074; exponent < 1024; exponent++) {
        assert_shortest(ldexp(1, exponent));
        assert_shortest(nextafter(ldexp(1, exponent), INFINITY));
        assert_shortest(-nextafter(ldexp(1, exponent), 1e-320));
    }
    for (unsigned i = 0; i < rounds(20000); i++) {
        double number = double_of(roll_bits(&dice));
        if (isfinite(number) && number != 0)
            assert_shortest(number);
        assert_shortest((double)(1 + roll_bits(&dice) % 100000) / 1000);
        assert_shortest(double_of(1 + roll_bits(&dice) % (UINT64_C(1) << (i % 52)))); /* denormal */
        assert_shortest((double)(roll_bits(&dice) >> (i % 64)) + 1);
    }
}

static void numbers_for_reading(void **state)
{
    static const struct {
        double number;
        const char *brief, *percent;
    } cases[] = {
        {0, "0", "0%"},
        {1, "1", "100%"},
        {0.25, "0.25", "25%"},
        {3.0 / 11, "0.272727", "27.3%"},
        {0.9999, "0.9999", "100%"},
        {0.0004, "0.0004", "0%"},
        {0.00004, "4e-5", "0%"},
        {33, "33", "3300%"},
        {1234567, "1234567", "123456700%"},
        {99999.97, "100000", "9999997%"},
        {123456.7, "123457", "12345670%"},
        {1e15, "1e15", "1e17%"},
        {1.5e300, "1.5e300", "1.5e302%"},
        {DBL_MAX, "1.79769e308", "1.8e308%"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char buffer[64];
        struct text text;
        text_init(&text, buffer, sizeof buffer);
        text_brief(&text, cases[i].number);
        assert_string_equal(buffer, cases[i].brief);
        if (cases[i].percent == NULL)
            continue;
        text_init(&text, buffer, sizeof buffer);
        text_percent(&text, cases[i].number);
        assert_string_equal(buffer, cases[i].percent);
    }
}

static void numbers_within_columns(void **state)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0, "0"}, {12345.6, "12345.6"}, {0.000123456, "0.000123"},
                 {8.88178e-16, "8.88e-16"}, {-1.23456e-16, "-1.23e-16"}, {27e9, "2.7e10"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char buffer[64];
        struct text text;
        text_init(&text, buffer, sizeof buffer);
        text_brief_within(&text, cases[i].number, 8);
        assert_string_equal(buffer, cases[i].text);
    }
}

static void numbers_in_three_digits(void **state)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {
        {0, "0"},       {10.3448, "10.3"},   {0.242424, "0.242"},    {1.0 / 3000, "0.000333"},
        {27, "27"},     {1234.6, "1235"},    {99.96, "100"},         {-4.6667, "-4.67"},
        {INFINITY, "inf"}, {123456.7, "123457"}, {4.94e-324, "4.94066e-324"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char buffer[64];
        struct text text;
        text_init(&text, buffer, sizeof buffer);
        text_three_digits(&text, cases[i].number);
        assert_string_equal(buffer, cases[i].text);
    }
}

/* ---- numbers in ---- */

static void numbers_that_are_read(void **state)
{
    static const struct {
        const char *text;
        double number;
    } cases[] = {
        {"0", 0},
        {"1", 1},
        {"-1", -1},
        {"+1", 1},
        {"1.5", 1.5},
        {"1.", 1},
        {".5", 0.5},
        {"1e3", 1000},
        {"1E3", 1000},
        {"1e+3", 1000},
        {"1e-3", 0.001},
        {"007.50", 7.5},
        {"-0", 0},
        {"0e9", 0},
        {"1e-400", 0},
        {"5e-324", 5e-324},
        {"0.1", 0.1},
        {"1e22", 1e22},
        {"9007199254740993", 9007199254740992.0},
        {"123456789012345680", 123456789012345680.0},
        {"2.5000000000000000000000000000000000000000000000000000001e0", 2.5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double number = NAN;
        if (!number_parse(cases[i].text, &number) || number != cases[i].number)
            fail_msg("'%s' gave %a", cases[i].text, number);
    }
}

static void numbers_that_are_refused(void **state)
{
    static const char *const cases[] = {
        "",       " ",        "-",     "+",      ".",   "-.",   "e5",   ".e5",   "1e",
        "1e+",    "1e-",      "1 ",    " 1",     "1 2", "1,5",  "1,",   "1.5.2", "--1",
        "+-1",    "1-",       "0x10",  "0x1p3",  "inf", "-inf", "nan",  "NAN",   "INF",
        "nan(1)", "infinity", "1e400", "-1e309", "1f",  "1d0",  "1e5.", "1e1e1", "1_000",
        "1'000",  "\t1",      "1\n",   "1\r",    "½",   "１",   "1٫5",  "0b1",   "1%",
    };
    double number;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (number_parse(cases[i], &number))
            fail_msg("'%s' was read as %a", cases[i], number);
}

static void counts(void **state)
{
    static const char *const refused[] = {"",   "-1", "+1",  "1.0", "1e3",
                                          " 1", "1 ", "0x1", "a",   "１"};
    uint64_t count;

    (void)state;
    assert_true(count_parse("0", &count) && count == 0);
    assert_true(count_parse("0012", &count) && count == 12);
    assert_true(count_parse("1000000", &count) && count == 1000000);
    /* What is far too large must not come round to something small. */
    assert_true(count_parse("18446744073709551617", &count) && count > 1000000000);
    assert_true(count_parse("99999999999999999999999999999999999999999999", &count) &&
                count > 1000000000 && count < UINT64_MAX - 1000000000);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(count_parse(refused[i], &count));
}

/* Even where a program has set a decimal comma, or something of two bytes. */
static void numbers_know_no_locale(void **state)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8",
                                          "ru_RU.UTF-8", "fa_IR.UTF-8", "ps_AF.UTF-8"};
    unsigned tried = 0;

    (void)state;
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        char buffer[64];
        struct text text;
        double number;
        if (setlocale(LC_ALL, locales[i]) == NULL)
            continue;
        tried++;
        numbers_known_to_be_hard(NULL);
        numbers_for_reading(NULL);
        numbers_that_are_read(NULL);
        numbers_that_are_refused(NULL);
        assert_string_equal(number_write(buffer, 2.5), "2.5");
        assert_true(number_parse("300.9", &number) && number == 300.9);
        assert_false(number_parse("300,9", &number));
        text_init(&text, buffer, sizeof buffer);
        text_percent(&text, 0.273);
        assert_string_equal(buffer, "27.3%");
    }
    setlocale(LC_ALL, "C");
    if (tried == 0)
        skip();
}

/* ---- UTF-8 ---- */

static void every_character_is_decoded(void **state)
{
    (void)state;
    for (uint32_t c = 1; c <= 0x10ffff; c++) {
        char buffer[8];
        const char *at = buffer;
        bool is_invalid;
        bool is_surrogate = c >= 0xd800 && c < 0xe000;
        size_t length = encode(c, buffer);
        uint32_t got = text_decode_strict(&at, &is_invalid);
        if (is_invalid != is_surrogate || (!is_surrogate && got != c) ||
            (size_t)(at - buffer) != (is_surrogate ? 1 : length))
            fail_msg("U+%04X came back as U+%04X", c, got);
    }
}

static void invalid_bytes_are_replaced_one_by_one(void **state)
{
    static const struct {
        const char *bytes;
        unsigned replaced; /* before an 'x' */
    } cases[] = {
        {"\x80x", 1},
        {"\xbfx", 1},
        {"\xc0\x80x", 2},
        {"\xc1\xbfx", 2},
        {"\xc3x", 1},
        {"\xe2\x82x", 2},
        {"\xe0\x9f\xbfx", 3},
        {"\xed\xa0\x80x", 3},
        {"\xf0\x9f\x98x", 3},
        {"\xf0\x8f\xbf\xbfx", 4},
        {"\xf4\x90\x80\x80x", 4},
        {"\xf8x", 1},
        {"\xf5\x80\x80\x80x", 4},
        {"\xfex", 1},
        {"\xffx", 1},
        {"\xfc\x80\x80\x80\x80\x80x", 6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *at = cases[i].bytes;
        for (unsigned n = 0; n < cases[i].replaced; n++)
            assert_int_equal(text_decode(&at), TEXT_REPLACEMENT);
        assert_int_equal(text_decode(&at), 'x');
        assert_int_equal(text_decode(&at), 0);
        assert_int_equal(text_decode(&at), 0);
    }
    const char *cut = "\xe2\x82"; /* must not read behind the NUL */
    assert_int_equal(text_decode(&cut), TEXT_REPLACEMENT);
    assert_int_equal(text_decode(&cut), TEXT_REPLACEMENT);
    assert_int_equal(text_decode(&cut), 0);
}

#define R "\xef\xbf\xbd"

static void what_a_terminal_could_obey_is_replaced(void **state)
{
    static const struct {
        const char *given, *expected;
    } cases[] = {
        {"plain text, ümläüts, 漢字, 😀", "plain text, ümläüts, 漢字, 😀"},
        {"", ""},
        {"\033[31mred\033[0m", R "[31mred" R "[0m"},
        {"\033]0;title\007", R "]0;title" R},
        {"a\tb\nc\rd\be\177f", "a" R "b" R "c" R "d" R "e" R "f"},
        {"\x01\x1f ~", R R " ~"},
        {"\xc2\x9b"
         "31m",
         R "31m"},                                    /* CSI as a C1 control */
        {"\xc2\x80\xc2\x9f\xc2\xa0", R R "\xc2\xa0"}, /* C1; a no-break space is fine */
        {"\x9b"
         "31m",
         R "31m"}, /* the bare byte */
        {"abc\xff\xfe"
         "def",
         "abc" R R "def"},
        {"\xe2\x80\xae"
         "evil",
         R "evil"},                                      /* right-to-left override */
        {"\xe2\x81\xa6x\xe2\x81\xa9", R "x" R},          /* isolates */
        {"\xd8\x9cx", R "x"},                            /* Arabic letter mark */
        {"\xe2\x80\x8b\xe2\x80\x8e\xe2\x80\x8f", R R R}, /* zero width, direction marks */
        {"\xe2\x80\xa8\xe2\x80\xa9", R R},               /* line and paragraph separator */
        {"\xef\xbb\xbf"
         "bom",
         R "bom"},
        {"\xf3\xa0\x81\x81tag", R "tag"},
        {"\xef\xbf\xb9"
         "a\xef\xbf\xbb",
         R "a" R}, /* interlinear annotation */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char buffer[200];
        struct text text;
        text_init(&text, buffer, sizeof buffer);
        text_printable(&text, cases[i].given);
        assert_string_equal(buffer, cases[i].expected);
    }
}

/* Controls, and characters that change how others are read without being seen; nothing else. */
static void controls_are_these(void **state)
{
    static const uint32_t ranges[][2] = {
        {0x0, 0x1f},      {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e}, {0x200b, 0x200f},
        {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
        {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe007f},
    };
    size_t i = 0;

    (void)state;
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        if (i < sizeof ranges / sizeof ranges[0] && c > ranges[i][1])
            i++;
        bool is_in = i < sizeof ranges / sizeof ranges[0] && c >= ranges[i][0];
        if (text_is_control(c) != is_in)
            fail_msg("U+%04X", c);
    }
}

static void random_bytes_become_printable(void **state)
{
    uint64_t dice = 3;

    (void)state;
    for (unsigned i = 0; i < rounds(50000); i++) {
        char given[20], buffer[64], again[200];
        struct text text;
        size_t length = roll_bits(&dice) % sizeof given;
        for (size_t k = 0; k < length; k++)
            given[k] = (char)(1 + roll_bits(&dice) % 255);
        given[length] = '\0';
        text_init(&text, buffer, sizeof buffer);
        text_printable(&text, given);
        assert_false(text.is_cut);
        assert_true(is_utf8(buffer));
        for (const char *at = buffer; *at != '\0';)
            assert_false(text_is_control(text_decode(&at)));
        text_init(&text, again, sizeof again);
        text_printable(&text, buffer);
        assert_string_equal(again, buffer);
    }
}

static void columns_of_text(void **state)
{
    (void)state;
    assert_int_equal(text_columns(""), 0);
    assert_int_equal(text_columns("abc"), 3);
    assert_int_equal(text_columns("▏█·─"), 4);
    assert_int_equal(text_columns("äöü"), 3);
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        skip();
    assert_int_equal(text_columns("漢字"), 4);
    assert_int_equal(text_columns("e\xcc\x81"), 1); /* a combining accent */
    assert_int_equal(text_columns("▏█·─"), 4);
    assert_int_equal(text_width(0x300), 0);
    assert_int_equal(text_width(0x378), 1); /* not assigned */
    setlocale(LC_ALL, "C");
}

/* ---- cutting ---- */

static const char mixed[] = "aéࠀ😀z漢é";

/* Ends of characters within `mixed`. */
static bool is_border(size_t at)
{
    return ((unsigned char)mixed[at] & 0xc0) != 0x80;
}

static void text_is_cut_between_characters(void **state)
{
    (void)state;
    for (size_t size = 1; size <= sizeof mixed + 1; size++) {
        for (int way = 0; way < 3; way++) {
            char buffer[64];
            struct text text;
            memset(buffer, '#', sizeof buffer);
            text_init(&text, buffer, size);
            if (way == 0)
                text_add(&text, mixed);
            else if (way == 1)
                text_addf(&text, "%s", mixed);
            else
                text_printable(&text, mixed);
            size_t best = size - 1 < sizeof mixed - 1 ? size - 1 : sizeof mixed - 1;
            while (!is_border(best))
                best--;
            assert_int_equal(text.length, best);
            assert_int_equal(strlen(buffer), best);
            assert_memory_equal(buffer, mixed, best);
            assert_int_equal(text.is_cut, best < sizeof mixed - 1);
            for (size_t i = size; i < sizeof buffer; i++)
                assert_int_equal(buffer[i], '#');
        }
    }
}

static void nothing_follows_a_cut(void **state)
{
    char buffer[5];
    struct text text;

    (void)state;
    text_init(&text, buffer, sizeof buffer);
    text_add(&text, "abc");
    assert_false(text.is_cut);
    text_add(&text, "é");
    assert_true(text.is_cut);
    text_add(&text, "d"); /* would fit */
    text_addf(&text, "%d", 1);
    text_printable(&text, "e");
    text_number(&text, 1);
    assert_string_equal(buffer, "abc");
    assert_int_equal(text.length, 3);
}

static void text_grows_piece_by_piece(void **state)
{
    char buffer[64];
    struct text text;

    (void)state;
    text_init(&text, buffer, sizeof buffer);
    assert_string_equal(buffer, "");
    text_add(&text, "P");
    text_addf(&text, "=%u ", 4u);
    text_add(&text, "");
    text_number(&text, 0.5);
    text_add(&text, " ");
    text_percent(&text, 0.125);
    assert_string_equal(buffer, "P=4 0.5 12.5%");
    assert_int_equal(text.length, strlen(buffer));
    assert_false(text.is_cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_known_to_be_hard),
        cmocka_unit_test(numbers_read_back_bit_for_bit),
        cmocka_unit_test(numbers_are_as_short_as_can_be),
        cmocka_unit_test(numbers_for_reading),
        cmocka_unit_test(numbers_within_columns),
        cmocka_unit_test(numbers_in_three_digits),
        cmocka_unit_test(numbers_that_are_read),
        cmocka_unit_test(numbers_that_are_refused),
        cmocka_unit_test(counts),
        cmocka_unit_test(numbers_know_no_locale),
        cmocka_unit_test(every_character_is_decoded),
        cmocka_unit_test(invalid_bytes_are_replaced_one_by_one),
        cmocka_unit_test(what_a_terminal_could_obey_is_replaced),
        cmocka_unit_test(controls_are_these),
        cmocka_unit_test(random_bytes_become_printable),
        cmocka_unit_test(columns_of_text),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(nothing_follows_a_cut),
        cmocka_unit_test(text_grows_piece_by_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
