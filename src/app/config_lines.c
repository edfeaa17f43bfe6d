/* INI text cut into lines that mean something: see config_lines.h.
 *
 * inih tells keys from values, but it reads into a short buffer, goes on after errors, and cuts or
 * miscounts what is longer than it expects, each version in its own way. So this file stands on
 * both sides of it. In front, it finds the physical lines, stops at what inih would pass over in
 * silence, and hands the lines out in pieces that fit any buffer: a long line goes on as indented
 * lines, which inih gives back as continuations. Behind, it joins the pieces again. Nothing is read
 * ahead, so the line that inih talks about is always the one at hand, and no line number of inih's
 * is ever used. */
#include "app/config_lines.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE ((size_t)16 << 20)
#define LONGEST_LINE ((size_t)64 << 10)
#define BLANKS " \t\r\v\f"
/* No piece is longer, newline and NUL included: inih's buffer has 200 bytes unless built otherwise.
 */
#define PIECE_SIZE 190
/* Stands at the ends of a piece, where inih would take off blanks or see a comment. */
#define MARK '\x01'

/* What the piece that was handed out last begins with. */
enum piece { PIECE_SECTION, PIECE_KEY, PIECE_MORE, PIECE_REST };

struct cutter {
    struct lines *lines;
    char *next, *end; /* the text not yet read; a NUL can be put at the end */
    char *free;       /* where the next string goes in lines->text */
    unsigned number, blank_lines;
    const char *start; /* of the line at hand, and what is still to be handed out of it */
    const char *rest;
    size_t rest_count;
    bool has_key; /* an indented line would go on with it */
    enum piece piece;
    bool is_split;   /* the last piece was not the whole rest */
    bool is_awaited; /* inih has a piece of a value and has not called back yet */
    bool is_over, is_out_of_memory;
};

/* ---- storing ---- */

/* A copy at the end of the text. Its room suffices: with a NUL more, no string is longer than what
 * was read for it, its newline included. */
static const char *store(struct cutter *cutter, const char *string, size_t length)
{
    char *copy = cutter->free;

    memcpy(copy, string, length);
    copy[length] = '\0';
    cutter->free = copy + length + 1;
    return copy;
}

static bool add_line(struct cutter *cutter, enum line_kind kind, const char *name,
                     const char *value)
{
    struct lines *lines = cutter->lines;

    if (lines->count == lines->room) {
        size_t room = lines->room == 0 ? 64 : lines->room * 2;
        struct line *larger = realloc(lines->line, room * sizeof *larger);
        if (larger == NULL) {
            cutter->is_over = cutter->is_out_of_memory = true;
            return false;
        }
        lines->line = larger;
        lines->room = room;
    }
    lines->line[lines->count++] =
        (struct line){kind, cutter->number, cutter->blank_lines, name, value};
    cutter->blank_lines = 0;
    return true;
}

/* The value stored last goes on. */
static void extend(struct cutter *cutter, const char *piece, size_t length)
{
    const char *value = cutter->lines->line[cutter->lines->count - 1].value;

    /* inih could not take off blanks in front that fill a whole piece. */
    for (; *value == '\0' && length > 0 && strchr(BLANKS, *piece) != NULL; piece++)
        length--;
    cutter->free--;
    store(cutter, piece, length);
}

static bool add_bad(struct cutter *cutter, const char *why, const char *what)
{
    cutter->is_over = true;
    add_line(cutter, LINE_BAD, why, store(cutter, what, strlen(what)));
    return false;
}

/* ---- physical lines ---- */

/* Cuts the next one out of the text; NULL at the end and at a bad one. */
static char *take_line(struct cutter *cutter)
{
    char *line = cutter->next;
    if (line == cutter->end)
        return NULL;

    cutter->number++;
    char *stop = memchr(line, '\n', (size_t)(cutter->end - line));
    cutter->next = stop == NULL ? cutter->end : stop + 1;
    if (stop == NULL)
        stop = cutter->end;
    if (memchr(line, '\0', (size_t)(stop - line)) != NULL) {
        add_bad(cutter, "there is a NUL byte: this is not a text file", "");
        return NULL;
    }
    if (stop > line && stop[-1] == '\r')
        stop--;
    if ((size_t)(stop - line) > LONGEST_LINE) {
        add_bad(cutter, "the line is longer than 64 KiB", "");
        return NULL;
    }
    *stop = '\0';
    return line;
}

/* Takes a comment and then blanks off the end. inih does too, but not every version everywhere. */
static bool strip_line(struct cutter *cutter, char *line, bool *has_comment)
{
    char *at = line + strspn(line, BLANKS);
    size_t length;

    if (*at != ';' && *at != '#')
        while (*at != '\0' && !(*at == ';' && at > line && strchr(BLANKS, at[-1]) != NULL))
            at++;
    *has_comment = *at != '\0';
    /* The line ends of old Macs would make a whole file one comment. */
    if (*has_comment && strchr(at, '\r') != NULL)
        return add_bad(cutter,
                       "there is a carriage return inside a comment: "
                       "lines end with LF or CRLF",
                       "");
    *at = '\0';
    for (length = strlen(line); length > 0 && strchr(BLANKS, line[length - 1]) != NULL;)
        line[--length] = '\0';
    return true;
}

static bool add_section(struct cutter *cutter, const char *line)
{
    const char *close = strchr(line, ']');

    if (close == NULL)
        return add_bad(cutter, "a section needs a ']' at its end", line);
    if (close[1] != '\0')
        return add_bad(cutter, "nothing may follow the ']' of a section", line);
    cutter->piece = PIECE_SECTION;
    cutter->has_key = false;
    /* All inih has to know of a section is that there is one. */
    cutter->rest = "[section]";
    cutter->rest_count = strlen(cutter->rest);
    return add_line(cutter, LINE_SECTION, store(cutter, line + 1, (size_t)(close - line - 1)), "");
}

/* Goes to the next line that has something to hand out. False at the end and at a bad one. */
static bool next_line(struct cutter *cutter)
{
    char *line;
    bool has_comment;

    while ((line = take_line(cutter)) != NULL && strip_line(cutter, line, &has_comment)) {
        char *start = line + strspn(line, BLANKS);
        cutter->lines->has_comments |= has_comment;
        if (*start == '\0') {
            cutter->blank_lines += !has_comment;
            continue;
        }
        cutter->start = cutter->rest = start;
        cutter->rest_count = strlen(start);
        cutter->piece = start > line && cutter->has_key ? PIECE_MORE : PIECE_KEY;
        return cutter->piece == PIECE_MORE || *start != '[' || add_section(cutter, start);
    }
    return false;
}

/* ---- inih ---- */

/* inih should have called back for the last piece, if it was one of a value. */
static void check_taken(struct cutter *cutter)
{
    if (cutter->is_awaited && !cutter->is_over)
        add_bad(cutter, "neither a [section] nor a key with '=' and a value", cutter->start);
}

/* What inih reads with instead of fgets. */
static char *hand_out(char *buffer, int size, void *user)
{
    struct cutter *cutter = user;
    char *to = buffer;

    check_taken(cutter);
    if (cutter->is_over)
        return NULL;
    if (cutter->rest_count > 0)
        cutter->piece = PIECE_REST;
    else if (!next_line(cutter))
        return NULL;

    /* A blank, two marks, a newline and a NUL go with it. */
    size_t room = (size_t)(size < PIECE_SIZE ? size : PIECE_SIZE) - 5;
    cutter->is_split = cutter->rest_count > room;
    size_t count = cutter->is_split ? room : cutter->rest_count;
    bool is_more = cutter->piece == PIECE_MORE || cutter->piece == PIECE_REST;
    if (is_more) {
        *to++ = ' ';
        *to++ = MARK;
    }
    memcpy(to, cutter->rest, count);
    to += count;
    if (is_more || cutter->is_split)
        *to++ = MARK;
    memcpy(to, "\n", 2);
    cutter->rest += count;
    cutter->rest_count -= count;
    cutter->is_awaited = cutter->piece != PIECE_SECTION;
    return buffer;
}

/* What inih calls with each key and each continuation. The section it gives is cut to 49 bytes, and
 * so is the name that goes with a continuation: neither is used. */
static int take_in(void *user, const char *section, const char *name, const char *value)
{
    struct cutter *cutter = user;

    (void)section;
    if (name == NULL || value == NULL) /* how some builds tell of a section */
        return 1;
    size_t length = strlen(value);
    cutter->is_awaited = false;
    if (*name == '\0')
        return add_bad(cutter, "there is no key before the '='", cutter->start);
    if (cutter->piece == PIECE_KEY) {
        const char *key = store(cutter, name, strlen(name));
        cutter->has_key = true;
        return add_line(cutter, LINE_KEY, key, store(cutter, value, length - cutter->is_split));
    }
    if (length < 2 || *value != MARK) /* a build without continuations */
        return add_bad(cutter, "this inih cannot read values of several lines", cutter->start);
    if (cutter->piece == PIECE_MORE)
        return add_line(cutter, LINE_MORE, "", store(cutter, value + 1, length - 2));
    extend(cutter, value + 1, length - 2);
    return 1;
}

/* ---- the stream ---- */

/* All of it, with room for one byte more. */
static enum lines_status slurp(FILE *stream, char **bytes, size_t *count)
{
    size_t room = 0, got;

    do {
        if (room - *count < 65536) {
            room = room * 2 + 131072;
            char *larger = realloc(*bytes, room);
            if (larger == NULL)
                return LINES_NO_MEMORY;
            *bytes = larger;
        }
        got = fread(*bytes + *count, 1, room - *count - 1, stream);
        *count += got;
    } while (got > 0 && *count <= LARGEST_FILE);
    if (ferror(stream))
        return LINES_UNREADABLE;
    return *count > LARGEST_FILE ? LINES_TOO_LARGE : LINES_GOOD;
}

static enum lines_status cut(struct lines *lines, char *bytes, size_t count)
{
    lines->text = malloc(count + 2);
    struct cutter cutter = {
        .lines = lines,
        .next = bytes,
        .end = bytes + count,
        .free = lines->text,
    };

    if (lines->text == NULL)
        return LINES_NO_MEMORY;
    if (count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        cutter.next += 3;
    int status = ini_parse_stream(hand_out, &cutter, take_in, &cutter);
    check_taken(&cutter); /* some builds stop at what they do not understand */
    return status < 0 || cutter.is_out_of_memory ? LINES_NO_MEMORY : LINES_GOOD;
}

enum lines_status lines_read(struct lines *lines, FILE *stream)
{
    char *bytes = NULL;
    size_t count = 0;

    *lines = (struct lines){.line = NULL};
    enum lines_status status = slurp(stream, &bytes, &count);
    int why = errno;
    if (status == LINES_GOOD)
        status = cut(lines, bytes, count);
    free(bytes);
    errno = why;
    return status;
}

void lines_free(struct lines *lines)
{
    free(lines->line);
    free(lines->text);
    *lines = (struct lines){.line = NULL};
}
