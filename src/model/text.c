/* Bounded text and locale-free numbers: see text.h.
 *
 * The program only ever sets LC_CTYPE; whoever links this into a program that sets LC_NUMERIC too
 * still gets a point. Parsing checks the shape of a number itself, which is what keeps hexadecimal,
 * nan and trailing junk out. */
#include "model/text.h"

#include <float.h>
#include <langinfo.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

void text_init(struct text *text, char *buffer, size_t size)
{
    *text = (struct text){buffer, size, 0, false};
    buffer[0] = '\0';
}

/* A cut must not leave half a character behind. */
static void trim_partial(struct text *text)
{
    size_t at = text->length;

    while (at > 0 && ((unsigned char)text->buffer[at - 1] & 0xc0u) == 0x80u)
        at--;
    if (at == 0)
        return;
    unsigned char lead = (unsigned char)text->buffer[at - 1];
    size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (text->length - (at - 1) < need)
        text->length = at - 1;
    text->buffer[text->length] = '\0';
}

/* What follows a cut is left out: it must not close up with what stands before the gap. */
static void add_bytes(struct text *text, const char *bytes, size_t count)
{
    size_t room = text->size - 1 - text->length;

    if (text->is_cut)
        return;
    if (count > room) {
        count = room;
        text->is_cut = true;
    }
    memcpy(text->buffer + text->length, bytes, count);
    text->length += count;
    text->buffer[text->length] = '\0';
    if (text->is_cut)
        trim_partial(text);
}

void text_add(struct text *text, const char *string)
{
    add_bytes(text, string, strlen(string));
}

void text_addf(struct text *text, const char *format, ...)
{
    va_list args;
    size_t room = text->size - text->length;

    if (text->is_cut)
        return;
    va_start(args, format);
    int wanted = vsnprintf(text->buffer + text->length, room, format, args);
    va_end(args);
    if (wanted < 0)
        return;
    if ((size_t)wanted >= room) {
        text->length = text->size - 1;
        text->is_cut = true;
        trim_partial(text);
    } else {
        text->length += (size_t)wanted;
    }
}

/* printf writes 1e+05 and 1e-07: the sign and the leading zero are not needed to read it back. */
static void shorten_exponent(char *buffer)
{
    char *e = strchr(buffer, 'e');
    if (e == NULL)
        return;
    char *from = e + 1, *to = e + 1;
    if (*from == '-')
        *to++ = *from++;
    else if (*from == '+')
        from++;
    while (*from == '0' && from[1] != '\0')
        from++;
    memmove(to, from, strlen(from) + 1);
}

/* What printf wrote, with a point whatever the locale. */
static void use_point(char *buffer)
{
    const char *point = nl_langinfo(RADIXCHAR);
    char *at = *point == '\0' || strcmp(point, ".") == 0 ? NULL : strstr(buffer, point);

    if (at != NULL) {
        const char *rest = at + strlen(point);
        *at = '.';
        memmove(at + 1, rest, strlen(rest) + 1);
    }
}

/* The next larger decimal of 16 digits; false when that needs another digit. */
static bool write_above(char *buffer, double number)
{
    snprintf(buffer, TEXT_NUMBER_SIZE, "%#.16g", number);
    for (char *s = buffer + strcspn(buffer, "e"); s > buffer; s--) {
        if (s[-1] == '9') {
            s[-1] = '0';
        } else if (s[-1] >= '0' && s[-1] < '9') {
            s[-1]++;
            return true;
        }
    }
    return false;
}

/* The numbers nearest to a power of two are closer below it than above: 16 digits can read back to it
 * although the nearest 16 digits, which printf writes, do not (2^-44 is one). */
static bool write_power_of_two(char *buffer, double number)
{
    int exponent;

    return fabs(frexp(number, &exponent)) == 0.5 && write_above(buffer, number) &&
           strtod(buffer, NULL) == number;
}

char *number_write(char *buffer, double number)
{
    int least = fabs(number) < 2.3e-308 ? 1 : 15; /* denormals hold fewer than 15 digits */

    if (number == floor(number) && fabs(number) < 1e15) {
        snprintf(buffer, TEXT_NUMBER_SIZE, "%.0f", number + 0.0);
        return buffer;
    }
    for (int digits = least; digits <= 17; digits++) {
        snprintf(buffer, TEXT_NUMBER_SIZE, "%.*g", digits, number);
        if (strtod(buffer, NULL) == number)
            break;
        if (digits == 16 && write_power_of_two(buffer, number))
            break;
    }
    shorten_exponent(buffer);
    use_point(buffer);
    return buffer;
}

void text_number(struct text *text, double number)
{
    char buffer[TEXT_NUMBER_SIZE];
    text_add(text, number_write(buffer, number));
}

void text_brief(struct text *text, double number)
{
    char buffer[TEXT_NUMBER_SIZE];

    if (fabs(number) >= 1e5 && fabs(number) < 1e15)
        snprintf(buffer, sizeof buffer, "%.0f", number);
    else
        snprintf(buffer, sizeof buffer, "%.6g", number);
    shorten_exponent(buffer);
    use_point(buffer);
    text_add(text, buffer);
}

void text_three_digits(struct text *text, double number)
{
    double unit = number != 0 && isfinite(number) ? pow(10, floor(log10(fabs(number))) - 2) : 0;

    /* Below the least of all numbers there are no three digits to keep. */
    text_brief(text, unit > 0 && unit < 1 ? round(number / unit) * unit
                     : unit >= 1          ? round(number)
                                          : number);
}

void text_brief_within(struct text *text, double number, size_t columns)
{
    char buffer[TEXT_NUMBER_SIZE];
    struct text brief;

    text_init(&brief, buffer, sizeof buffer);
    text_brief(&brief, number);
    if (strlen(buffer) > columns) {
        snprintf(buffer, sizeof buffer, "%.3g", number);
        shorten_exponent(buffer);
        use_point(buffer);
    }
    text_add(text, buffer);
}

void text_percent(struct text *text, double share)
{
    char buffer[TEXT_NUMBER_SIZE];

    if (fabs(share) >= 1e7) /* nobody reads so many digits, and there may be hundreds */
        snprintf(buffer, sizeof buffer, "%.3g", share < DBL_MAX / 100 ? share * 100 : share);
    else
        snprintf(buffer, sizeof buffer, "%.1f", share * 100);
    shorten_exponent(buffer);
    use_point(buffer);
    size_t length = strlen(buffer);
    if (length > 2 && strcmp(buffer + length - 2, ".0") == 0)
        buffer[length - 2] = '\0';
    text_add(text, buffer);
    text_add(text, "%");
}

bool text_is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || c == 0x180e ||
           c == 0x2028 || c == 0x2029 || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c >= 0xfff9 && c <= 0xfffb) || (c >= 0x1bca0 && c <= 0x1bca3) ||
           (c >= 0x1d173 && c <= 0x1d17a) || (c >= 0xe0000 && c <= 0xe007f);
}

uint32_t text_decode_strict(const char **at, bool *is_invalid)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*at;

    *is_invalid = false;
    if (*s == 0)
        return 0;
    if (*s < 0x80) {
        *at += 1;
        return *s;
    }
    int length = *s >= 0xf0 && *s < 0xf8 ? 4 : *s >= 0xe0 ? 3 : *s >= 0xc0 ? 2 : 0;
    uint32_t c = length == 4 ? *s & 0x07u : length == 3 ? *s & 0x0fu : *s & 0x1fu;
    bool is_good = length > 0 && *s < 0xf8;
    for (int i = 1; is_good && i < length; i++) {
        is_good = (s[i] & 0xc0u) == 0x80u;
        c = c << 6 | (s[i] & 0x3fu);
    }
    if (!is_good || c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
        *is_invalid = true;
        *at += 1;
        return TEXT_REPLACEMENT;
    }
    *at += length;
    return c;
}

uint32_t text_decode(const char **at)
{
    bool is_invalid;
    return text_decode_strict(at, &is_invalid);
}

bool text_is_mark(uint32_t c)
{
    return (c >= 0x300 && c < 0x370) || (c >= 0x483 && c < 0x48a) || (c >= 0x1ab0 && c < 0x1b00) ||
           (c >= 0x1dc0 && c < 0x1e00) || (c >= 0x20d0 && c < 0x2100) || (c >= 0xfe00 && c < 0xfe10) ||
           (c >= 0xfe20 && c < 0xfe30);
}

void text_printable(struct text *text, const char *string)
{
    for (int marks = 0; *string != '\0';) {
        const char *from = string;
        bool is_invalid;
        uint32_t c = text_decode_strict(&string, &is_invalid);
        marks = text_is_mark(c) ? marks + 1 : 0;
        if (marks > TEXT_MOST_MARKS)
            continue;
        if (is_invalid || text_is_control(c))
            text_add(text, "\xef\xbf\xbd");
        else
            add_bytes(text, from, (size_t)(string - from));
    }
}

struct excerpt text_excerpt(const char *string)
{
    struct excerpt shown = {""};
    struct text text;

    text_init(&text, shown.s, sizeof shown.s - 4);
    text_printable(&text, string);
    if (text.is_cut)
        memcpy(shown.s + text.length, "…", sizeof "…");
    return shown;
}

const char *text_plain(uint32_t c)
{
    switch (c) {
    case 0x2192: /* → */
        return "->";
    case 0x2190: /* ← */
        return "<-";
    case 0x2191: /* ↑ */
        return "^";
    case 0x2193: /* ↓ */
        return "v";
    case 0x2026: /* … */
        return "...";
    case 0x2013: /* – */
        return "-";
    case 0xb7: /* · */
        return ".";
    case 0xd7: /* × */
        return "x";
    case 0x25b8: /* ▸ */
        return ">";
    case 0x2502: /* │ */
        return "|";
    case 0x2500: /* ─ */
        return "-";
    default:
        return "?";
    }
}

int text_width(uint32_t c)
{
    if (c < 0x300)
        return 1;
    if (c >= 0x2500 && c < 0x2600) /* lines and blocks: one column in every locale we draw them in */
        return 1;
    int width = wcwidth((wchar_t)c);
    return width < 0 ? 1 : width;
}

int text_columns(const char *string)
{
    int columns = 0;

    while (*string != '\0')
        columns += text_width(text_decode(&string));
    return columns;
}

bool count_parse(const char *string, uint64_t *count)
{
    uint64_t value = 0;

    if (*string == '\0')
        return false;
    for (; *string != '\0'; string++) {
        if (*string < '0' || *string > '9')
            return false;
        if (value < UINT64_MAX / 100) /* beyond every limit already: only the size matters */
            value = value * 10 + (uint64_t)(*string - '0');
    }
    *count = value;
    return true;
}

static const char *skip_digits(const char *s, bool *has_digit)
{
    for (; *s >= '0' && *s <= '9'; s++)
        *has_digit = true;
    return s;
}

/* strtod of something that has the shape of a number, written with a point. */
static double read_decimal(const char *string)
{
    const char *point = nl_langinfo(RADIXCHAR), *dot = strchr(string, '.');

    if (dot == NULL || *point == '\0' || strcmp(point, ".") == 0)
        return strtod(string, NULL);
    size_t size = strlen(string) + strlen(point); /* the point's own byte is the NUL's */
    char *copy = malloc(size);
    if (copy == NULL)
        return NAN;
    snprintf(copy, size, "%.*s%s%s", (int)(dot - string), string, point, dot + 1);
    double number = strtod(copy, NULL);
    free(copy);
    return number;
}

bool number_parse(const char *string, double *number)
{
    const char *s = string;
    bool has_digit = false;

    s += *s == '-' || *s == '+';
    s = skip_digits(s, &has_digit);
    if (*s == '.')
        s = skip_digits(s + 1, &has_digit);
    if (!has_digit)
        return false;
    if (*s == 'e' || *s == 'E') {
        bool has_exponent = false;
        s += s[1] == '-' || s[1] == '+' ? 2 : 1;
        s = skip_digits(s, &has_exponent);
        if (!has_exponent)
            return false;
    }
    if (*s != '\0')
        return false;
    *number = read_decimal(string);
    return isfinite(*number);
}
