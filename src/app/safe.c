/* The last gate before a terminal: see safe.h.
 *
 * What is built elsewhere should be printable already; here it is made sure of, once for all. In a
 * locale without UTF-8 nothing beyond ASCII goes out, for the bytes of many a harmless character are
 * control codes of an 8-bit terminal. Marks that pile up on one character are cut at a few. */
#include "app/safe.h"

#include "model/text.h"

#include <langinfo.h>
#include <string.h>

/* The next character, what must not get out as TEXT_REPLACEMENT; 0 at the end. */
static uint32_t next(const char **at)
{
    uint32_t c = text_decode(at);
    return c != 0 && text_is_control(c) ? TEXT_REPLACEMENT : c;
}

static void put_utf8(FILE *out, const char *from, const char *to, uint32_t c)
{
    if (c == TEXT_REPLACEMENT)
        fputs("\xef\xbf\xbd", out);
    else
        fwrite(from, 1, (size_t)(to - from), out);
}

/* A quote comes out with the character before it that the format wants, 0 for none. */
static void print(FILE *out, const char *string, char before_quote)
{
    bool is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    int marks = 0;

    for (const char *at = string; *at != '\0';) {
        const char *from = at;
        uint32_t c = next(&at);
        marks = text_is_mark(c) ? marks + 1 : 0;
        if (c == '"' && before_quote != 0)
            fputc(before_quote, out);
        if (c < 0x80)
            fputc((int)c, out);
        else if (!is_utf8)
            fputs(text_plain(c), out);
        else if (marks <= TEXT_MOST_MARKS)
            put_utf8(out, from, at, c);
    }
}

void safe_print(FILE *out, const char *string)
{
    print(out, string, 0);
}

void safe_csv(FILE *out, const char *string)
{
    fputc('"', out);
    print(out, string, '"');
    fputc('"', out);
}

void safe_json(FILE *out, const char *string)
{
    fputc('"', out);
    while (*string != '\0') {
        uint32_t c = next(&string);
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", (char)c);
        else if (c < 0x80)
            fputc((int)c, out);
        else if (c < 0x10000)
            fprintf(out, "\\u%04x", (unsigned)c);
        else
            fprintf(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
                    (unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
    }
    fputc('"', out);
}
