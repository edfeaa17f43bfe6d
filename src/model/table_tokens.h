/* The actions of a schedule table as they stand in the text, before anything about them is judged:
 * what table_read.c makes and table.c takes. */
#ifndef MODEL_TABLE_TOKENS_H
#define MODEL_TABLE_TOKENS_H

#include "model/table.h"

/* The first four are the kinds of the core. */
enum token_kind {
    TOKEN_F = PG_FORWARD,
    TOKEN_B = PG_BACKWARD,
    TOKEN_I = PG_INPUT_GRAD,
    TOKEN_W = PG_WEIGHT_GRAD,
    TOKEN_SEND_F,
    TOKEN_RECV_F,
    TOKEN_SEND_B,
    TOKEN_RECV_B,
    TOKEN_UNSHARD, /* from here on: without a micro-batch */
    TOKEN_RESHARD,
    TOKEN_REDUCE_GRAD,
    TOKEN_BW, /* a whole backward in files from before late 2024; only while reading */
    TOKEN_KINDS
};

/* One action. Tokens of a device stand together, in the order in which it runs them. */
struct token {
    double start, end; /* of a list of operations; 0 in a table of actions */
    uint32_t row, column, device, stage, micro_batch;
    uint8_t kind;
    uint8_t half; /* of a fused pair: 1 or 2; else 0 */
};

struct tokens {
    struct token *v;
    size_t count, room;
    uint32_t devices;
};

/* Both forms, told apart by the header. False with the error; tokens_free either way. */
bool tokens_read(struct tokens *tokens, const char *text, size_t length, struct table_error *error);
void tokens_free(struct tokens *tokens);

/* "0F1" */
void token_write(const struct token *token, struct text *out);
/* Is it work of the device, and not only communication? */
static inline bool token_is_work(const struct token *token)
{
    return token->kind <= TOKEN_W;
}
/* Says what is wrong at a place; false. */
bool table_fail(struct table_error *error, uint32_t row, uint32_t column, const char *format, ...)
    TEXT_FORMAT(4, 5);
bool table_fail_memory(struct table_error *error);

#endif
