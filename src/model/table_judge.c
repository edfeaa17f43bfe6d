/* Are the tokens of a table an order of a training step? See table_judge.h.
 *
 * Everything is inferred from the actions: P from the rows, S and M from the highest numbers, and a
 * stage lies on the row that names it. Then each action is asked for: is it there once, and behind
 * what it needs? The one that errs is looked for, not the first that does not fit the others. */
#include "model/table_judge.h"

#include <stdlib.h>
#include <string.h>

/* ---- names in messages ---- */

static struct name name_of(enum token_kind kind, uint32_t stage, uint32_t micro_batch)
{
    struct name name = {""};
    struct text text;

    text_init(&text, name.s, sizeof name.s);
    token_write(&(struct token){.kind = (uint8_t)kind, .stage = stage, .micro_batch = micro_batch},
                &text);
    return name;
}

struct name judge_name(const struct token *token)
{
    return name_of(token->kind, token->stage, token->micro_batch);
}

const struct token *judge_find(const struct judge *judge, enum token_kind kind, uint32_t stage,
                               uint32_t micro_batch)
{
    for (size_t i = 0; i < judge->tokens->count; i++) {
        const struct token *token = &judge->tokens->v[i];
        if (token->kind == kind && token->stage == stage && token->micro_batch == micro_batch)
            return token;
    }
    return NULL;
}

/* ---- shape ---- */

static bool count_up(struct judge *judge)
{
    const struct tokens *tokens = judge->tokens;
    uint32_t stages = 0, micro_batches = 0;

    for (size_t i = 0; i < tokens->count; i++) {
        const struct token *token = &tokens->v[i];
        if (!token_is_work(token) && token->kind != TOKEN_BW)
            continue;
        judge->work++;
        stages = token->stage >= stages ? token->stage + 1 : stages;
        micro_batches =
            token->micro_batch >= micro_batches ? token->micro_batch + 1 : micro_batches;
    }
    judge->devices = tokens->devices;
    judge->stages = stages;
    judge->micro_batches = micro_batches;
    if (judge->work == 0 || stages == 0)
        return table_fail(judge->error, 0, 0,
                          "has no action: cells such as 0F0 and 0B0 are needed");
    judge->stage_device = malloc(stages * sizeof *judge->stage_device);
    judge->stage_token = malloc(stages * sizeof *judge->stage_token);
    judge->slot = malloc(stages * sizeof *judge->slot);
    return (judge->stage_device != NULL && judge->stage_token != NULL && judge->slot != NULL) ||
           table_fail_memory(judge->error);
}

/* How much of its stage is in its row. */
static size_t count_beside(const struct judge *judge, const struct token *token)
{
    size_t count = 0;

    for (size_t i = 0; i < judge->tokens->count; i++) {
        const struct token *at = &judge->tokens->v[i];
        count += token_is_work(at) && at->stage == token->stage && at->row == token->row;
    }
    return count;
}

/* The row with less of the stage is the one that errs. */
static bool fail_two_rows(const struct judge *judge, const struct token *token)
{
    const struct token *first = &judge->tokens->v[judge->stage_token[token->stage]], *stray = token;

    if (token_is_work(token) && count_beside(judge, first) < count_beside(judge, token)) {
        token = first;
        first = stray;
    }
    return table_fail(judge->error, token->row, token->column,
                      "%s is on device %u, but %s (row %u, cell %u) has put stage %u on device %u: "
                      "a stage lives on one device",
                      judge_name(token).s, token->device, judge_name(first).s, first->row,
                      first->column, token->stage, first->device);
}

/* A stage lies where it is first at work. */
static bool place(struct judge *judge)
{
    for (uint32_t s = 0; s < judge->stages; s++)
        judge->stage_device[s] = PG_NONE;
    for (size_t i = 0; i < judge->tokens->count; i++) {
        const struct token *token = &judge->tokens->v[i];
        if (!token_is_work(token) && token->kind != TOKEN_BW)
            continue;
        uint32_t *device = &judge->stage_device[token->stage];
        if (*device == PG_NONE) {
            *device = token->device;
            judge->stage_token[token->stage] = i;
        }
        if (*device != token->device)
            return fail_two_rows(judge, token);
    }
    const struct token *last = &judge->tokens->v[judge->stage_token[judge->stages - 1]];
    for (uint32_t s = 0; s < judge->stages; s++)
        if (judge->stage_device[s] == PG_NONE)
            return table_fail(judge->error, last->row, last->column,
                              "%s is of stage %u, but stage %u has no action: stages are counted "
                              "from 0 without a gap",
                              judge_name(last).s, last->stage, s);
    return true;
}

/* Slots of a device are its stages by depth. */
static bool number_slots(struct judge *judge)
{
    uint32_t *held = calloc(judge->devices, sizeof *held);
    bool is_good = true;

    if (held == NULL)
        return table_fail_memory(judge->error);
    for (uint32_t s = 0; is_good && s < judge->stages; s++) {
        const struct token *first = &judge->tokens->v[judge->stage_token[s]];
        judge->slot[s] = held[judge->stage_device[s]]++;
        if (judge->slot[s] >= PG_MAX_CHUNKS)
            is_good = table_fail(judge->error, first->row, first->column,
                                 "%s puts more than %u stages on device %u", judge_name(first).s,
                                 PG_MAX_CHUNKS, first->device);
    }
    for (uint32_t d = 0; is_good && d < judge->devices; d++)
        if (held[d] == 0)
            is_good = table_fail(judge->error, d + 1, 1, "device %u has nothing to do: at least "
                                                         "one F, B, I or W is needed", d);
    free(held);
    return is_good;
}

/* Where there are more pairs of stage and micro-batch than actions, some stage lacks most of them:
 * said before memory is taken for all. */
static bool check_size(struct judge *judge)
{
    double pairs = (double)judge->stages * judge->micro_batches;
    size_t i = 0;

    if (pairs <= PG_MAX_OPS) {
        judge->seen = calloc((size_t)pairs, sizeof *judge->seen);
        judge->passed = calloc((size_t)pairs, sizeof *judge->passed);
        return (judge->seen != NULL && judge->passed != NULL) || table_fail_memory(judge->error);
    }
    if (judge->work > PG_MAX_OPS)
        return table_fail(judge->error, 0, 0, "has %zu actions: at most %u are allowed",
                          judge->work, PG_MAX_OPS);
    while (judge->tokens->v[i].micro_batch + 1 != judge->micro_batches ||
           !token_is_work(&judge->tokens->v[i]))
        i++;
    const struct token *token = &judge->tokens->v[i];
    return table_fail(judge->error, token->row, token->column,
                      "%s is of micro-batch %u, but there are not enough actions for %u "
                      "micro-batches of %u stages",
                      judge_name(token).s, token->micro_batch, judge->micro_batches, judge->stages);
}

/* ---- what is there ---- */

static uint16_t *bits_of(const struct judge *judge, uint16_t *bits, const struct token *token)
{
    return &bits[(size_t)token->stage * judge->micro_batches + token->micro_batch];
}

static uint16_t bit(enum token_kind kind)
{
    return (uint16_t)(1u << kind);
}

static bool fail_twice(const struct judge *judge, const struct token *token)
{
    const struct token *first = judge_find(judge, token->kind, token->stage, token->micro_batch);

    return table_fail(judge->error, token->row, token->column,
                      "%s is there twice: first in row %u, cell %u", judge_name(token).s,
                      first->row, first->column);
}

/* Is the communication that stands here possible at all? */
static bool check_link(const struct judge *judge, const struct token *token)
{
    uint32_t s = token->stage;
    bool is_known = s < judge->stages &&
                    (token->kind >= TOKEN_UNSHARD || token->micro_batch < judge->micro_batches);

    if (!is_known)
        return table_fail(judge->error, token->row, token->column,
                          "%s is of no stage and micro-batch that is at work: there are %u stages "
                          "and %u micro-batches, from 0",
                          judge_name(token).s, judge->stages, judge->micro_batches);
    if (judge->stage_device[s] != token->device)
        return fail_two_rows(judge, token);
    bool has_none =
        (s == 0 && (token->kind == TOKEN_RECV_F || token->kind == TOKEN_SEND_B)) ||
        (s + 1 == judge->stages && (token->kind == TOKEN_SEND_F || token->kind == TOKEN_RECV_B));
    return !has_none || table_fail(judge->error, token->row, token->column,
                                   "%s has no partner: stage %u is the %s one", judge_name(token).s,
                                   s, s == 0 ? "first" : "last");
}

static bool call_roll(struct judge *judge)
{
    for (size_t i = 0; i < judge->tokens->count; i++) {
        const struct token *token = &judge->tokens->v[i];
        if (!token_is_work(token) && token->kind != TOKEN_BW && !check_link(judge, token))
            return false;
        if (token->kind >= TOKEN_UNSHARD && token->kind != TOKEN_BW)
            continue;
        uint16_t *seen = bits_of(judge, judge->seen, token);
        if (*seen & bit(token->kind))
            return fail_twice(judge, token);
        *seen |= bit(token->kind);
    }
    return true;
}

/* Files from before late 2024 call the input gradient B and the whole backward BW. A B that has a W
 * is such a one, unless the rest of the file knows better: one BW makes no old file of many B. */
static void read_old_names(struct judge *judge)
{
    size_t count[TOKEN_KINDS] = {0}, pairs = 0;

    for (size_t i = 0; i < judge->tokens->count; i++) {
        const struct token *token = &judge->tokens->v[i];
        if (token->kind >= TOKEN_UNSHARD && token->kind != TOKEN_BW)
            continue;
        count[token->kind]++;
        pairs += token->kind == TOKEN_B && (*bits_of(judge, judge->seen, token) & bit(TOKEN_W));
        if (token->half != 0)
            return;
    }
    bool is_old = count[TOKEN_I] == 0 && (count[TOKEN_B] == 0 ? count[TOKEN_BW] > 0
                                                              : pairs * 2 > count[TOKEN_B]);
    if (!is_old)
        return;
    judge->is_old_naming = true;
    memset(judge->seen, 0, (size_t)judge->stages * judge->micro_batches * sizeof judge->seen[0]);
    for (size_t i = 0; i < judge->tokens->count; i++) {
        struct token *token = &judge->tokens->v[i];
        if (token->kind >= TOKEN_UNSHARD && token->kind != TOKEN_BW)
            continue;
        token->kind = token->kind == TOKEN_B    ? TOKEN_I
                      : token->kind == TOKEN_BW ? TOKEN_B
                                                : token->kind;
        *bits_of(judge, judge->seen, token) |= bit(token->kind);
    }
}

/* A backward is one B, or one I and one W. */
static bool check_backwards(const struct judge *judge)
{
    for (size_t i = 0; i < judge->tokens->count; i++) {
        const struct token *token = &judge->tokens->v[i];
        if (token->kind == TOKEN_BW)
            return table_fail(judge->error, token->row, token->column,
                              "%s has the old name of a whole backward beside new ones: write B",
                              judge_name(token).s);
        if (token->kind != TOKEN_B)
            continue;
        uint16_t seen = *bits_of(judge, judge->seen, token);
        enum token_kind other = seen & bit(TOKEN_I) ? TOKEN_I : TOKEN_W;
        if (!(seen & bit(other)))
            continue;
        const struct token *beside = judge_find(judge, other, token->stage, token->micro_batch);
        const struct token *later = beside > token ? beside : token;
        const struct token *sooner = beside > token ? token : beside;
        return table_fail(judge->error, later->row, later->column,
                          "%s stands beside %s (row %u, cell %u): a backward is one B, or one I "
                          "and one W (old files write B for I, and BW for B)",
                          judge_name(later).s, judge_name(sooner).s, sooner->row, sooner->column);
    }
    return true;
}

/* ---- what is missing ---- */

/* Any token of this stage and micro-batch, the half of a backward first; else one of the stage. */
static const struct token *find_nearest(const struct judge *judge, uint32_t stage,
                                        uint32_t micro_batch)
{
    for (uint32_t kind = TOKEN_W + 1; kind-- > TOKEN_F;) {
        const struct token *token = judge_find(judge, (enum token_kind)kind, stage, micro_batch);
        if (token != NULL)
            return token;
    }
    return &judge->tokens->v[judge->stage_token[stage]];
}

/* A table without any backward is one of inference; a few make none of training. */
static bool check_inference(struct judge *judge)
{
    size_t forwards = 0, backwards = 0;
    const struct token *first = NULL;

    for (size_t i = 0; i < judge->tokens->count; i++) {
        const struct token *token = &judge->tokens->v[i];
        if (!token_is_work(token))
            continue;
        forwards += token->kind == TOKEN_F;
        backwards += token->kind != TOKEN_F;
        if (token->kind != TOKEN_F && first == NULL)
            first = token;
    }
    judge->is_forward_only = backwards == 0;
    return backwards == 0 || backwards * 2 >= forwards ||
           table_fail(judge->error, first->row, first->column,
                      "%s is a backward, but most forwards have none: each needs one B, or one I "
                      "and one W, or none has any",
                      judge_name(first).s);
}

/* A number beyond all others makes M larger, which is not the fault of those that have the right
 * one: a last micro-batch of which less than half is there is named itself. */
static bool check_last(const struct judge *judge)
{
    uint32_t last = judge->micro_batches - 1, there = 0, stage = 0;
    uint32_t whole = judge->stages * (judge->is_forward_only ? 1u : 2u);

    for (uint32_t s = 0; s < judge->stages; s++) {
        uint16_t seen = judge->seen[(size_t)s * judge->micro_batches + last];
        bool has_back = (seen & (bit(TOKEN_B) | bit(TOKEN_I) | bit(TOKEN_W))) != 0;
        there += (seen & bit(TOKEN_F) ? 1u : 0u) + has_back;
        stage = has_back || seen & bit(TOKEN_F) ? s : stage;
    }
    const struct token *stray = find_nearest(judge, stage, last);
    return there * 2 >= whole ||
           table_fail(judge->error, stray->row, stray->column,
                      "%s is of micro-batch %u, which most stages lack: each of the %u needs on "
                      "each stage one F, and one B or one I and one W",
                      judge_name(stray).s, last, judge->micro_batches);
}

static bool find_missing(struct judge *judge)
{
    if (!check_last(judge))
        return false;
    for (uint32_t s = 0; s < judge->stages; s++)
        for (uint32_t m = 0; m < judge->micro_batches; m++) {
            uint16_t seen = judge->seen[(size_t)s * judge->micro_batches + m];
            bool has_half = (seen & (bit(TOKEN_I) | bit(TOKEN_W))) != 0;
            enum token_kind missing = !(seen & bit(TOKEN_F)) ? TOKEN_F
                                      : !has_half            ? TOKEN_B
                                      : seen & bit(TOKEN_I)  ? TOKEN_W
                                                             : TOKEN_I;
            if (seen & bit(missing) || (judge->is_forward_only && missing == TOKEN_B))
                continue;
            const struct token *near = find_nearest(judge, s, m);
            return table_fail(judge->error, near->row, near->column,
                              "%s is missing beside %s: each of the %u micro-batches needs on each "
                              "stage one F, and one B or one I and one W",
                              name_of(missing, s, m).s, judge_name(near).s, judge->micro_batches);
        }
    return true;
}

/* The other end of a SEND or RECV. */
static bool find_partners(const struct judge *judge)
{
    for (size_t i = 0; i < judge->tokens->count; i++) {
        struct token partner = judge->tokens->v[i];
        bool is_up = partner.kind == TOKEN_SEND_F || partner.kind == TOKEN_RECV_B;
        if (partner.kind < TOKEN_SEND_F || partner.kind > TOKEN_RECV_B)
            continue;
        partner.kind ^= TOKEN_SEND_F ^ TOKEN_RECV_F; /* they stand in pairs */
        partner.stage = is_up ? partner.stage + 1 : partner.stage - 1;
        if (!(*bits_of(judge, judge->seen, &partner) & bit(partner.kind)))
            return table_fail(judge->error, partner.row, partner.column,
                              "%s has no partner: %s is missing on device %u",
                              judge_name(&judge->tokens->v[i]).s, judge_name(&partner).s,
                              judge->stage_device[partner.stage]);
    }
    return true;
}

/* ---- what comes before what ---- */

/* Kinds that have to stand before one on its device, where they are there at all. */
static uint16_t needs_of(enum token_kind kind)
{
    const uint16_t gradient = (uint16_t)(bit(TOKEN_B) | bit(TOKEN_I));

    switch (kind) {
    case TOKEN_F:
        return bit(TOKEN_RECV_F);
    case TOKEN_B:
    case TOKEN_I:
        return (uint16_t)(bit(TOKEN_F) | bit(TOKEN_RECV_B));
    case TOKEN_W:
        return bit(TOKEN_I);
    case TOKEN_SEND_F:
        return bit(TOKEN_F);
    case TOKEN_SEND_B:
        return gradient;
    default:
        return 0;
    }
}

static bool check_order(const struct judge *judge)
{
    for (size_t i = 0; i < judge->tokens->count; i++) {
        const struct token *token = &judge->tokens->v[i];
        if (token->kind >= TOKEN_UNSHARD)
            continue;
        uint16_t seen = *bits_of(judge, judge->seen, token);
        uint16_t *passed = bits_of(judge, judge->passed, token);
        uint16_t lacking = (uint16_t)(seen & needs_of(token->kind) & ~*passed);
        enum token_kind kind = TOKEN_F;
        while (lacking != 0 && !(lacking & bit(kind)))
            kind++;
        if (lacking != 0) {
            const struct token *later = judge_find(judge, kind, token->stage, token->micro_batch);
            return table_fail(judge->error, token->row, token->column,
                              "%s stands before %s (cell %u), which it needs", judge_name(token).s,
                              judge_name(later).s, later->column);
        }
        if (token->half != 1)
            *passed |= bit(token->kind);
        if (token->half == 2) /* of a pair neither is there before the other */
            *bits_of(judge, judge->passed, token - 1) |= bit(TOKEN_F);
    }
    return true;
}

/* ---- all of it ---- */

bool judge_tokens(struct judge *judge)
{
    if (!count_up(judge) || !place(judge) || !number_slots(judge) || !check_size(judge) ||
        !call_roll(judge))
        return false;
    read_old_names(judge);
    return check_backwards(judge) && check_inference(judge) && find_missing(judge) &&
           find_partners(judge) && check_order(judge);
}

void judge_free(struct judge *judge)
{
    free(judge->stage_device);
    free(judge->stage_token);
    free(judge->slot);
    free(judge->seen);
    free(judge->passed);
}
