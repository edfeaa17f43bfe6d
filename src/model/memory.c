/* Memory lanes, and the levels that they and a moment in play show.
 *
 * The core prepares levels once a plan, which costs as much as judging it; so they are made only
 * while something shows them, one set beside each of the two outcomes. */
#include "model/state.h"

#include <stdlib.h>

bool levels_make(struct session *session, uint32_t which)
{
    struct levels *levels = &session->levels[which];
    const struct pg_plan *plan = &session->outcomes[which].plan;
    struct pg_arena arena;

    if (levels->stash.plan != NULL || !(session->has_memory || session->play.is_on))
        return true;
    size_t size = pg_stash_size(plan);
    if (size > levels->size) {
        void *block = malloc(size);
        if (block == NULL)
            return false;
        free(levels->block);
        levels->block = block;
        levels->size = size;
    }
    pg_arena_init(&arena, levels->block, levels->size);
    return pg_stash_build(&arena, plan, &levels->stash) == PG_OK;
}

const struct pg_stash *levels_shown(const struct session *session)
{
    const struct pg_stash *stash = &session->levels[session->shown].stash;
    bool is_wanted = session->has_memory || session->play.is_on;

    return is_wanted && stash->plan != NULL ? stash : NULL;
}

void levels_free(struct session *session)
{
    for (int i = 0; i < 2; i++)
        free(session->levels[i].block);
}

/* "; over the limit of 3: stages 0, 1 and 2 more" */
static void write_limit(const struct session *session, const struct pg_stash *stash,
                        struct text *text)
{
    double limit = session->now.scenario.memory_limit;
    const char *noun = stash->plan->slots == 1 ? "stage" : "device";
    uint32_t over = 0, shown = 0;

    if (limit <= 0)
        return;
    for (uint32_t d = 0; d < stash->plan->devices; d++)
        over += stash->peak[d].value > limit;
    text_add(text, over == 0 ? "; within the limit of " : "; over the limit of ");
    text_brief(text, limit);
    for (uint32_t d = 0; d < stash->plan->devices && shown < 4; d++) {
        if (stash->peak[d].value <= limit)
            continue;
        if (shown++ == 0)
            text_addf(text, over > 1 ? ": %ss %u" : ": %s %u", noun, d);
        else
            text_addf(text, ", %u", d);
    }
    if (over > shown)
        text_addf(text, " and %u more", over - shown);
}

void memory_toggle(struct session *session)
{
    char line[MESSAGE_SIZE];
    struct text text;

    session->has_memory = !session->has_memory;
    if (!session->has_memory)
        return;
    if (!levels_make(session, session->shown)) {
        session->has_memory = false;
        refuse(session, "there is not enough memory for memory lanes");
        return;
    }
    const struct pg_stash *stash = levels_shown(session);
    text_init(&text, line, sizeof line);
    text_add(&text, stash->is_weighted ? "stash by activation, at most "
                                       : "stash in micro-batches, at most ");
    text_brief(&text, stash->largest);
    write_limit(session, stash, &text);
    say(session, line);
}
