/* Text of a schedule table to tokens: see table_tokens.h.
 *
 * PyTorch reads an action from the start of a cell and does not look at what follows it; a slip of
 * the hand is then another schedule, or none. Here a cell has to be an action from its first to its
 * last character. */
#include "model/table_tokens.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAGES_MAX (PG_MAX_DEVICES * PG_MAX_CHUNKS)

struct reader {
    const char *at, *end;
    uint32_t row, column;
    struct tokens *out;
    struct table_error *error;
};

/* Some bytes of the text, blanks around them taken off. */
struct piece {
    const char *at;
    size_t length;
};

static const char *const kind_names[TOKEN_KINDS] = {
    [TOKEN_F] = "F",
    [TOKEN_B] = "B",
    [TOKEN_I] = "I",
    [TOKEN_W] = "W",
    [TOKEN_SEND_F] = "SEND_F",
    [TOKEN_RECV_F] = "RECV_F",
    [TOKEN_SEND_B] = "SEND_B",
    [TOKEN_RECV_B] = "RECV_B",
    [TOKEN_UNSHARD] = "UNSHARD",
    [TOKEN_RESHARD] = "RESHARD",
    [TOKEN_REDUCE_GRAD] = "REDUCE_GRAD",
    [TOKEN_BW] = "BW",
};

/* ---- errors ---- */

bool table_fail(struct table_error *error, uint32_t row, uint32_t column, const char *format, ...)
{
    va_list args;

    *error = (struct table_error){.row = row, .column = column};
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return false;
}

bool table_fail_memory(struct table_error *error)
{
    table_fail(error, 0, 0, "there is not enough memory to read it");
    error->is_memory = true;
    return false;
}

static struct excerpt excerpt(struct piece piece)
{
    char copy[128];
    size_t length = piece.length < sizeof copy ? piece.length : sizeof copy - 1;

    memcpy(copy, piece.at, length);
    copy[length] = '\0';
    return text_excerpt(copy);
}

static bool fail_piece(struct reader *reader, struct piece piece, const char *why)
{
    return table_fail(reader->error, reader->row, reader->column, "'%s' %s", excerpt(piece).s, why);
}

/* ---- tokens ---- */

void tokens_free(struct tokens *tokens)
{
    free(tokens->v);
    *tokens = (struct tokens){.v = NULL};
}

static bool add_token(struct reader *reader, const struct token *token)
{
    struct tokens *out = reader->out;

    if (out->count == out->room) {
        size_t room = out->room * 2 + 64;
        struct token *larger = realloc(out->v, room * sizeof *larger);
        if (larger == NULL)
            return table_fail_memory(reader->error);
        out->v = larger;
        out->room = room;
    }
    out->v[out->count] = *token;
    out->v[out->count].row = reader->row;
    out->v[out->count++].column = reader->column;
    return true;
}

void token_write(const struct token *token, struct text *out)
{
    text_addf(out, "%u%s", token->stage, kind_names[token->kind]);
    if (token->kind < TOKEN_UNSHARD || token->kind == TOKEN_BW)
        text_addf(out, "%u", token->micro_batch);
}

/* ---- cells ---- */

static struct piece trimmed(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (struct piece){at, (size_t)(end - at)};
}

/* The rest of the line, its end taken off. */
static const char *line_end(const struct reader *reader)
{
    const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));

    if (end == NULL)
        end = reader->end;
    return end > reader->at && end[-1] == '\r' ? end - 1 : end;
}

static void next_line(struct reader *reader)
{
    const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));

    reader->at = end == NULL ? reader->end : end + 1;
    reader->row++;
    reader->column = 0;
}

/* Takes the next cell of a line; `*at` becomes NULL behind the last one. Quotes around a cell are
 * taken off: that is how a single empty cell is written. */
static bool next_cell(struct reader *reader, const char **at, const char *end, struct piece *cell)
{
    const char *comma = memchr(*at, ',', (size_t)(end - *at));

    reader->column++;
    *cell = trimmed(*at, comma == NULL ? end : comma);
    *at = comma == NULL ? NULL : comma + 1;
    if (cell->length == 0 || cell->at[0] != '"')
        return true;
    if (cell->length < 2 || cell->at[cell->length - 1] != '"' ||
        memchr(cell->at + 1, '"', cell->length - 2) != NULL)
        return fail_piece(reader, *cell, "has a quote that is not closed: quotes are not needed");
    *cell = trimmed(cell->at + 1, cell->at + cell->length - 1);
    return true;
}

/* Digits at the start of a piece, taken off it. What is too large for any count stays so. */
static bool take_count(struct piece *piece, uint32_t *count)
{
    uint64_t value = 0;
    const char *first = piece->at;

    while (piece->length > 0 && *piece->at >= '0' && *piece->at <= '9') {
        value = value * 10 + (uint64_t)(*piece->at - '0');
        value = value < UINT32_MAX ? value : UINT32_MAX;
        piece->at++;
        piece->length--;
    }
    *count = (uint32_t)value;
    return piece->at > first;
}

/* Letters at the start of a piece, taken off it, as a kind; TOKEN_KINDS when they are none. */
static enum token_kind take_kind(struct piece *piece, struct piece *word)
{
    *word = (struct piece){piece->at, 0};
    while (word->length < piece->length &&
           ((word->at[word->length] | 32) >= 'a' && (word->at[word->length] | 32) <= 'z'))
        word->length++;
    while (word->length < piece->length &&
           (word->at[word->length] == '_' ||
            ((word->at[word->length] | 32) >= 'a' && (word->at[word->length] | 32) <= 'z')))
        word->length++;
    piece->at += word->length;
    piece->length -= word->length;
    for (enum token_kind kind = 0; kind < TOKEN_KINDS; kind++)
        if (strlen(kind_names[kind]) == word->length &&
            memcmp(kind_names[kind], word->at, word->length) == 0)
            return kind;
    return TOKEN_KINDS;
}

static bool check_counts(struct reader *reader, struct piece whole, const struct token *token)
{
    if (token->stage >= STAGES_MAX)
        return table_fail(reader->error, reader->row, reader->column,
                          "'%s' names a stage that is too large: at most %u is allowed",
                          excerpt(whole).s, STAGES_MAX - 1);
    if (token->micro_batch >= PG_MAX_MICRO_BATCHES)
        return table_fail(reader->error, reader->row, reader->column,
                          "'%s' names a micro-batch that is too large: at most %u is allowed",
                          excerpt(whole).s, PG_MAX_MICRO_BATCHES - 1);
    return true;
}

/* "0F1", and nothing else. */
static bool read_action(struct reader *reader, struct piece whole, struct token *token)
{
    struct piece rest = whole, word;

    if (!take_count(&rest, &token->stage))
        return fail_piece(reader, whole,
                          "is no action: an empty cell, or one such as 0F1, 3B0, "
                          "2I1, 2W1 or (0F7;7B3)OVERLAP_F_B is needed");
    enum token_kind kind = take_kind(&rest, &word);
    if (kind == TOKEN_KINDS)
        return table_fail(reader->error, reader->row, reader->column,
                          "'%s' has no known type: F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, "
                          "UNSHARD, RESHARD and REDUCE_GRAD are known",
                          excerpt(whole).s);
    token->kind = (uint8_t)kind;
    bool has_micro = take_count(&rest, &token->micro_batch);
    bool needs_micro = kind < TOKEN_UNSHARD || kind == TOKEN_BW;
    if (rest.length > 0)
        return table_fail(reader->error, reader->row, reader->column,
                          "'%s' goes on with '%s' behind the action: nothing may follow it",
                          excerpt(whole).s, excerpt(rest).s);
    if (needs_micro && !has_micro)
        return table_fail(reader->error, reader->row, reader->column,
                          "'%s' has no micro-batch: a number from 0 is needed behind %.*s",
                          excerpt(whole).s, (int)word.length, word.at);
    if (!needs_micro && has_micro)
        return table_fail(reader->error, reader->row, reader->column,
                          "'%s' has a micro-batch: nothing may follow %.*s", excerpt(whole).s,
                          (int)word.length, word.at);
    return check_counts(reader, whole, token);
}

/* "(0F7;7B3)OVERLAP_F_B" */
static bool read_pair(struct reader *reader, struct piece whole, uint32_t device)
{
    static const char form[] = "is no pair: (0F7;7B3)OVERLAP_F_B, one F and one B, is the form";
    const char *end = whole.at + whole.length;
    const char *close = memchr(whole.at, ')', whole.length);
    const char *semicolon =
        close == NULL ? NULL : memchr(whole.at, ';', (size_t)(close - whole.at));
    struct token first = {.device = device, .half = 1}, second = {.device = device, .half = 2};
    static const char type[] = "OVERLAP_F_B";

    if (semicolon == NULL || (size_t)(end - close - 1) != sizeof type - 1 ||
        memcmp(close + 1, type, sizeof type - 1) != 0)
        return fail_piece(reader, whole, form);
    if (!read_action(reader, trimmed(whole.at + 1, semicolon), &first) ||
        !read_action(reader, trimmed(semicolon + 1, close), &second))
        return false;
    if (first.kind != TOKEN_F || second.kind != TOKEN_B)
        return fail_piece(reader, whole, form);
    return add_token(reader, &first) && add_token(reader, &second);
}

/* ---- a table of actions ---- */

static bool read_row(struct reader *reader, uint32_t device)
{
    const char *at = reader->at, *end = line_end(reader);
    struct piece cell;

    while (at != NULL) {
        if (!next_cell(reader, &at, end, &cell))
            return false;
        if (cell.length == 0)
            continue;
        struct token token = {.device = device};
        if (cell.at[0] == '(' ? !read_pair(reader, cell, device)
                              : !read_action(reader, cell, &token) || !add_token(reader, &token))
            return false;
    }
    return true;
}

/* Empty lines at the end are no rows. */
static bool read_actions(struct reader *reader)
{
    for (uint32_t device = 0; reader->at < reader->end; device++, next_line(reader)) {
        if (trimmed(reader->at, line_end(reader)).length == 0)
            continue;
        if (device >= PG_MAX_DEVICES)
            return table_fail(reader->error, reader->row, 1,
                              "this is row %u: at most %u rows, one a device, are allowed",
                              device + 1, PG_MAX_DEVICES);
        if (!read_row(reader, device))
            return false;
        reader->out->devices = device + 1;
    }
    return true;
}

/* ---- a list of operations ---- */

static const char *const list_columns[] = {"device", "stage", "micro_batch", "kind",
                                           "start",  "end",   "replica",     "fused"};

enum { LIST_COLUMNS = sizeof list_columns / sizeof list_columns[0], LIST_LEAST = 6 };

static bool is_word(struct piece piece, const char *word)
{
    return piece.length == strlen(word) && memcmp(piece.at, word, piece.length) == 0;
}

/* Columns of the list whose header this line is; 0 when it is none. */
static uint32_t header_columns(const struct reader *reader)
{
    const char *at = reader->at, *end = line_end(reader);

    for (uint32_t i = 0; i < LIST_COLUMNS; i++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (!is_word(trimmed(at, comma == NULL ? end : comma), list_columns[i]))
            return 0;
        if (comma == NULL)
            return i + 1 >= LIST_LEAST ? i + 1 : 0;
        at = comma + 1;
    }
    return 0;
}

static bool read_time(struct reader *reader, struct piece cell, double *time)
{
    char copy[400];

    if (cell.length >= sizeof copy)
        return fail_piece(reader, cell, "is no time: a number is needed");
    memcpy(copy, cell.at, cell.length);
    copy[cell.length] = '\0';
    if (!number_parse(copy, time) || !isfinite(*time))
        return fail_piece(reader, cell, "is no time: a number is needed");
    return true;
}

/* One field of an operation. */
static bool read_field(struct reader *reader, struct piece cell, struct token *token)
{
    uint32_t *counts[] = {&token->device, &token->stage, &token->micro_batch};
    uint32_t field = reader->column - 1, replica = 0;
    struct piece rest = cell, word;

    switch (field) {
    case 0:
    case 1:
    case 2:
        if (!take_count(&rest, counts[field]) || rest.length > 0)
            return fail_piece(reader, cell, "is no number: a whole number from 0 is needed");
        if (token->device >= PG_MAX_DEVICES)
            return table_fail(reader->error, reader->row, reader->column,
                              "there is no device %u: at most %u are allowed, from 0",
                              token->device, PG_MAX_DEVICES);
        return check_counts(reader, cell, token);
    case 3:
        token->kind = (uint8_t)take_kind(&rest, &word);
        return (token_is_work(token) && rest.length == 0) ||
               fail_piece(reader, cell, "is no kind: F, B, I or W is needed");
    case 4:
        return read_time(reader, cell, &token->start);
    case 5:
        return read_time(reader, cell, &token->end);
    case 6:
        return (take_count(&rest, &replica) && replica == 0 && rest.length == 0) ||
               fail_piece(reader, cell, "is another replica: a table has one, 0");
    default:
        token->half = is_word(cell, "1") || is_word(cell, "true");
        return token->half || cell.length == 0 || is_word(cell, "0") || is_word(cell, "false") ||
               fail_piece(reader, cell, "says not whether it is fused: true or false is needed");
    }
}

static int by_start(const void *a, const void *b)
{
    const struct token *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

/* A forward and a backward of a device at the same time are a pair. */
static void find_pairs(struct tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        struct token *a = &tokens->v[i], *b = a + 1;
        a->half = 0;
        if (i + 1 == tokens->count || a->device != b->device || a->start != b->start ||
            a->end != b->end || a->kind > TOKEN_B || b->kind > TOKEN_B || a->kind == b->kind)
            continue;
        if (a->kind == TOKEN_B) {
            struct token swap = *a;
            *a = *b;
            *b = swap;
        }
        a->half = 1;
        b->half = 2;
        i++;
    }
}

static bool read_list(struct reader *reader, uint32_t columns)
{
    struct piece cell;

    for (next_line(reader); reader->at < reader->end; next_line(reader)) {
        const char *at = reader->at, *end = line_end(reader);
        struct token token = {.half = 0};
        if (trimmed(at, end).length == 0)
            continue;
        while (at != NULL) {
            if (!next_cell(reader, &at, end, &cell))
                return false;
            if (reader->column > columns)
                return table_fail(reader->error, reader->row, reader->column,
                                  "this is cell %u: the header has %u", reader->column, columns);
            if (!read_field(reader, cell, &token))
                return false;
        }
        if (reader->column < columns)
            return table_fail(reader->error, reader->row, reader->column,
                              "the line ends at cell %u: the header has %u", reader->column,
                              columns);
        reader->column = 1;
        if (!add_token(reader, &token))
            return false;
        if (token.device >= reader->out->devices)
            reader->out->devices = token.device + 1;
    }
    if (reader->out->count > 1)
        qsort(reader->out->v, reader->out->count, sizeof reader->out->v[0], by_start);
    find_pairs(reader->out);
    return true;
}

bool tokens_read(struct tokens *tokens, const char *text, size_t length, struct table_error *error)
{
    static const char mark[] = "\xef\xbb\xbf";
    struct reader reader = {text, text + length, 1, 0, tokens, error};
    const char *nul = length == 0 ? NULL : memchr(text, '\0', length);

    *tokens = (struct tokens){.v = NULL};
    if (nul != NULL) {
        uint32_t row = 1;
        for (const char *s = text; s < nul; s++)
            row += *s == '\n';
        return table_fail(error, row, 1, "there is a NUL byte in this line: a table is text");
    }
    if (length >= 3 && memcmp(text, mark, 3) == 0)
        reader.at += 3;
    if (reader.at == reader.end)
        return table_fail(error, 0, 0, "is empty: a row of actions a device is needed");
    uint32_t columns = header_columns(&reader);
    return columns > 0 ? read_list(&reader, columns) : read_actions(&reader);
}
