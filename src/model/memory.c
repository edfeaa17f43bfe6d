/* Memory lanes: what each device keeps, over time. The core prepares the levels once an outcome, when
 * they are asked for; here is only whether they are on, and what is said about it. */
#include "model/state.h"

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
        over += memory_is_over(&session->now.scenario, stash->peak[d].value);
    text_add(text, over == 0 ? "; within the limit of " : "; over the limit of ");
    text_brief(text, limit);
    for (uint32_t d = 0; d < stash->plan->devices && shown < 4; d++) {
        if (!memory_is_over(&session->now.scenario, stash->peak[d].value))
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
    const struct pg_stash *stash = outcome_stash(session_outcome(session));
    if (stash == NULL || session->now.pin != NULL) {
        session->has_memory = false;
        refuse(session, stash == NULL ? "there is not enough memory for memory lanes"
                                      : "memory lanes have no room beside a comparison: d d ends it");
        return;
    }
    text_init(&text, line, sizeof line);
    text_add(&text, stash->is_weighted ? "stash by activation, at most "
                                       : "stash in micro-batches, at most ");
    text_brief(&text, stash->largest);
    write_limit(session, stash, &text);
    say(session, line);
}
