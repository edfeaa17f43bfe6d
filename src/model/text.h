/* Text of bounded length, and numbers to and from text without the locale.
 *
 * Everything a person reads is built here into buffers that the caller owns; text that does not fit
 * is cut at a whole character, never overrun. Text that came from outside is made printable before
 * it goes anywhere: what a terminal could obey becomes U+FFFD. */
#ifndef MODEL_TEXT_H
#define MODEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *buffer; /* always ends with a NUL */
    size_t size, length;
    bool is_cut;
};

#if defined(__GNUC__)
#define TEXT_FORMAT(a, b) __attribute__((format(printf, a, b)))
#else
#define TEXT_FORMAT(a, b)
#endif

void text_init(struct text *text, char *buffer, size_t size);
void text_add(struct text *text, const char *string);
void text_addf(struct text *text, const char *format, ...) TEXT_FORMAT(2, 3);
/* The shortest decimal that reads back to the same double. Finite numbers only. */
void text_number(struct text *text, double number);
/* A number for reading: six significant digits, whole up to 1e15. */
void text_brief(struct text *text, double number);
/* The same in three digits, more where these are whole: 0.0123, 4.67, 1235. */
void text_three_digits(struct text *text, double number);
/* The same, with three digits where it would be longer than `columns`. */
void text_brief_within(struct text *text, double number, size_t columns);
/* 0.2727 as "27.3%": one decimal, none where it is 0. */
void text_percent(struct text *text, double share);
/* `string` with everything a terminal could obey, and invalid UTF-8, as U+FFFD. Of the marks that pile
 * up on one character only the first few are kept. */
void text_printable(struct text *text, const char *string);

/* As much of a string as a message can show, printable. */
struct excerpt {
    char s[64];
};
struct excerpt text_excerpt(const char *string);

#define TEXT_NUMBER_SIZE 40
/* text_number into a buffer of at least TEXT_NUMBER_SIZE. */
char *number_write(char *buffer, double number);

/* One decimal number and nothing else: no hexadecimal, no inf, no nan, no blanks. */
bool number_parse(const char *string, double *number);
bool count_parse(const char *string, uint64_t *count);

#define TEXT_REPLACEMENT 0xfffdu
/* Next character of UTF-8; invalid bytes one by one as TEXT_REPLACEMENT. 0 at the end. */
uint32_t text_decode(const char **at);
/* The same, and whether the bytes were no valid UTF-8. */
uint32_t text_decode_strict(const char **at, bool *is_invalid);
/* Columns a character takes on a terminal: 0, 1 or 2. */
int text_width(uint32_t character);
/* Columns of a whole string. */
int text_columns(const char *string);
bool text_is_control(uint32_t character);
/* A mark that is drawn over the character before it? */
#define TEXT_MOST_MARKS 8
bool text_is_mark(uint32_t character);
/* What stands in ASCII for the few characters beyond it that our own texts use; "?" for others. */
const char *text_plain(uint32_t character);

#endif
