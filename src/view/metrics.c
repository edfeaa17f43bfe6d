/* The metrics: makespan, bubble, stash and what else there is room for, most telling first, and the
 * difference against what they are compared with. Tokens are shown whole or not at all. */
#include "view/layout.h"
#include "view/panels.h"

#include <math.h>
#include <string.h>

enum { MOST_TOKENS = 12 };

/* "name=" faint, "value" strong, " more" faint. */
struct token {
    char name[24], value[40], more[40];
    enum style style;
};

static struct token *add_token(struct token *tokens, int *count, const char *name)
{
    struct token *token = &tokens[(*count)++];
    struct text text;

    *token = (struct token){.style = STYLE_NUMBER};
    text_init(&text, token->name, sizeof token->name);
    text_add(&text, name);
    return token;
}

static void set_number(struct token *token, double number)
{
    struct text text;
    text_init(&text, token->value, sizeof token->value);
    text_brief(&text, number);
}

static void set_percent(struct token *token, double share)
{
    struct text text;
    text_init(&text, token->value, sizeof token->value);
    text_percent(&text, share);
}

static void set_three_digits(struct token *token, double number)
{
    struct text text;
    text_init(&text, token->value, sizeof token->value);
    text_three_digits(&text, number);
}

/* "of total 3/11": the fraction where the closed form makes it exact. */
static void set_fraction(struct token *token, const struct snapshot *snapshot, const char *before,
                         uint64_t below)
{
    const struct scenario *scenario = snapshot->scenario;
    struct text text;

    text_init(&text, token->more, sizeof token->more);
    text_add(&text, before);
    const struct pg_metrics *metrics = &snapshot->outcome->metrics;
    bool is_exact = scenario->schedule->is_synchronous_1v && !isnan(metrics->formula);
    if (is_exact)
        text_addf(&text, " %u/%llu", scenario->stages - 1, (unsigned long long)below);
}

static int make_tokens(const struct snapshot *snapshot, struct token *tokens)
{
    const struct pg_metrics *metrics = &snapshot->outcome->metrics;
    const struct scenario *scenario = snapshot->scenario;
    struct text text;
    int count = 0;

    set_number(add_token(tokens, &count, "makespan="), metrics->makespan);
    struct token *token = add_token(tokens, &count, "bubble=");
    token->style = STYLE_BUBBLE;
    set_percent(token, metrics->bubble_fraction);
    set_fraction(token, snapshot, " of total",
                 (uint64_t)scenario->micro_batches + scenario->stages - 1);
    if (scenario->schedule->splits) {
        /* Zero-bubble families leave no idle time inside a device's own span. */
        token = add_token(tokens, &count, "in span=");
        set_percent(token, metrics->span_bubble);
    }
    token = add_token(tokens, &count, "peak stash=");
    set_number(token, metrics->peak_stash);
    text_init(&text, token->more, sizeof token->more);
    if (snapshot->outcome->plan.family->is_forward_only)
        text_add(&text, " (no backward frees it)");
    else
        text_addf(&text, " (%.2f model)", metrics->peak_stash / scenario->stages);
    if (metrics->peak_memory != metrics->peak_stash || scenario->memory_limit > 0) {
        bool is_over = memory_is_over(scenario, metrics->peak_memory);
        token = add_token(tokens, &count, "memory=");
        set_number(token, metrics->peak_memory);
        text_init(&text, token->more, sizeof token->more);
        if (scenario->memory_limit > 0) {
            text_add(&text, is_over ? " > limit " : " of ");
            text_brief(&text, scenario->memory_limit);
        }
        token->style = is_over ? STYLE_REFUSAL : STYLE_NUMBER;
    }
    token = add_token(tokens, &count, "idle/ideal=");
    set_percent(token, metrics->idle_over_ideal);
    set_fraction(token, snapshot, "", scenario->micro_batches);
    if (!isnan(metrics->formula))
        set_percent(add_token(tokens, &count, "formula="), metrics->formula);
    set_number(add_token(tokens, &count, "floor="), metrics->floor);
    set_three_digits(add_token(tokens, &count, "throughput="), metrics->throughput);
    set_percent(add_token(tokens, &count, "utilization="), metrics->utilization);
    return count;
}

static int token_columns(const struct token *token)
{
    return (int)(strlen(token->name) + strlen(token->value) + strlen(token->more));
}

static void add_difference(struct text *text, const char *since, const char *name, double before,
                           double after, bool is_percent)
{
    double change = fabs(after - before);

    if (is_percent ? change < 0.0005 : change <= 1e-9 * fabs(before))
        return; /* rounding is no difference */
    text_add(text, text->length == 0 ? since : ", ");
    text_addf(text, "%s %s", name, after > before ? "+" : "-");
    if (is_percent)
        text_percent(text, fabs(after - before));
    else
        text_brief(text, fabs(after - before));
    text_add(text, after > before ? " worse" : " better");
}

/* The difference against the loaded state, as much of it as fits. */
static void write_difference(const struct snapshot *snapshot, int room, struct text *text)
{
    const struct pg_metrics *now = &snapshot->outcome->metrics;
    const struct baseline *base = &snapshot->baseline;
    const char *since = snapshot->compared.a.outcome != NULL ? "against A: " : "since start: ";

    for (int parts = 3; parts > 0; parts--) {
        text_init(text, text->buffer, text->size);
        add_difference(text, since, "makespan", base->makespan, now->makespan, false);
        if (parts > 1)
            add_difference(text, since, "bubble", base->bubble, now->bubble_fraction, true);
        if (parts > 2)
            add_difference(text, since, "stash", base->peak_stash, now->peak_stash, false);
        if ((int)text->length <= room)
            return;
    }
    text_init(text, text->buffer, text->size);
}

void panel_metrics(const struct canvas *canvas, const struct snapshot *snapshot)
{
    struct token tokens[MOST_TOKENS];
    int count = make_tokens(snapshot, tokens), y = 0, x = 1, columns = canvas->area.columns;
    char buffer[200];
    struct text text;
    int reserved = 0;

    text_init(&text, buffer, sizeof buffer);
    if (snapshot->has_baseline && canvas->area.rows > 0 && columns >= 60) {
        write_difference(snapshot, columns * 2 / 5, &text);
        reserved = text.length > 0 ? (int)text.length + 2 : 0;
    }
    for (int i = 0; i < count; i++) {
        const struct token *token = &tokens[i];
        bool is_last_row = y == canvas->area.rows - 1;
        int limit = columns - (is_last_row ? reserved : 0);
        if (x + token_columns(token) > limit) {
            if (is_last_row)
                continue; /* a shorter one behind it may fit */
            y++;
            x = 1;
            if (x + token_columns(token) > columns - (y == canvas->area.rows - 1 ? reserved : 0))
                continue;
        }
        x = canvas_text(canvas, x, y, STYLE_FAINT, token->name);
        x = canvas_text(canvas, x, y, token->style, token->value);
        x = canvas_text(canvas, x, y, STYLE_FAINT, token->more) + 2;
    }
    if (reserved > 0)
        canvas_text(canvas, columns - reserved + 1, canvas->area.rows - 1, STYLE_MESSAGE, buffer);
}
