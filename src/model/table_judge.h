/* What is known about the tokens of a table while they are judged: table_judge.c finds it out,
 * table.c makes the table of it. */
#ifndef MODEL_TABLE_JUDGE_H
#define MODEL_TABLE_JUDGE_H

#include "model/table_tokens.h"

struct judge {
    struct tokens *tokens;
    struct table_error *error;
    uint32_t devices, stages, micro_batches;
    size_t work;            /* tokens that are work */
    uint32_t *stage_device; /* [stages] */
    size_t *stage_token;    /* [stages]: the first one that is work */
    uint32_t *slot;         /* [stages] */
    uint16_t *seen;         /* [stages][micro_batches]: a bit a token kind */
    uint16_t *passed;       /* likewise, of what stands before */
    bool is_forward_only, is_old_naming;
};

/* Is every action there once, and behind what it needs? Also gives old names their new meaning.
 * judge_free either way. */
bool judge_tokens(struct judge *judge);
void judge_free(struct judge *judge);

/* "0F1", for a message */
struct name {
    char s[48];
};
struct name judge_name(const struct token *token);
/* The first token of that kind, stage and micro-batch; NULL when there is none. */
const struct token *judge_find(const struct judge *judge, enum token_kind kind, uint32_t stage,
                               uint32_t micro_batch);

#endif
