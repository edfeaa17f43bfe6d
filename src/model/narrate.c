/* What happens at a moment, in words: see narrate.h.
 *
 * A clause a device in which something starts or ends. Those in which the bubble begins come first,
 * then those in which it ends, then ends of all work; a device that goes from one operation to the
 * next is the least of news. Reading a device costs a few bisections. */
#include "model/narrate.h"

#include <math.h>
#include <string.h>

struct moment moment_of(const struct pg_plan *plan, uint32_t device, double time)
{
    const struct pg_run *run = &plan->run[device];
    double width = pg_event_width(plan);
    struct moment moment = {.index = pg_op_after(plan, device, time)};

    moment.is_running = moment.index < run->count && run->start[moment.index] <= time;
    moment.has_begun = moment.is_running && time - run->start[moment.index] <= width;
    if (moment.index > 0 && time - pg_op_end(plan, device, moment.index - 1) <= width) {
        moment.has_ended = true;
        moment.ended = moment.index - 1;
        if (run->code[moment.ended] & PG_CODE_FUSED_SECOND)
            moment.ended--;
    }
    return moment;
}

static void write_stage(const struct pg_plan *plan, const struct pg_op *op, struct text *out)
{
    text_addf(out, "stage %u", op->stage);
    if (plan->replicas > 1)
        text_addf(out, " of replica %u", op->replica);
}

void doing_write(const struct pg_plan *plan, uint32_t device, uint32_t index, bool has_stage,
                 struct text *out)
{
    struct pg_op op;

    pg_op_at(plan, device, index, &op);
    text_addf(out, "%s%u", kind_letter(op.kind), op.micro_batch);
    if (plan->run[device].code[index] & PG_CODE_FUSED_FIRST) {
        struct pg_op second;
        pg_op_at(plan, device, index + 1, &second);
        text_addf(out, "&%s%u", kind_letter(second.kind), second.micro_batch);
    } else if (has_stage && plan->slots > 1) {
        text_add(out, " of ");
        write_stage(plan, &op, out);
    }
}

void wait_write(const struct pg_plan *plan, uint32_t device, const struct moment *moment,
                double time, enum telling telling, struct text *out)
{
    struct pg_why why;
    struct pg_op op;

    if (moment->index == plan->run[device].count) {
        text_add(out, "is done");
        return;
    }
    pg_op_why(plan, device, moment->index, &why);
    if (!why.has_data || why.data_arrival <= time) { /* nothing that an order of ours does */
        text_add(out, "waits");
        return;
    }
    pg_op_at(plan, why.data_device, why.data_index, &op);
    bool is_forward = op.kind == PG_FORWARD;
    if (telling == TELL_ALL)
        text_addf(out, "waits for the %s of micro-batch %u", is_forward ? "activation" : "gradient",
                  op.micro_batch);
    else
        text_addf(out, "waits for %s%u", kind_letter(op.kind), op.micro_batch);
    if (telling == TELL_LEAST)
        return;
    text_add(out, why.data_end <= time ? ", on its way from " : " from ");
    write_stage(plan, &op, out);
}

/* ---- the line ---- */

enum { NEWS_WAITS, NEWS_BEGINS, NEWS_DONE, NEWS_GOES_ON, NEWS_KINDS, NEWS_NONE = NEWS_KINDS };

static int news_of(const struct pg_plan *plan, uint32_t device, const struct moment *moment)
{
    if (!moment->has_begun && !moment->has_ended)
        return NEWS_NONE;
    if (moment->is_running)
        return moment->has_ended ? NEWS_GOES_ON : NEWS_BEGINS;
    return moment->index == plan->run[device].count ? NEWS_DONE : NEWS_WAITS;
}

static void write_clause(const struct pg_plan *plan, uint32_t device, const struct moment *moment,
                         double time, enum telling telling, struct text *out)
{
    bool is_all = telling == TELL_ALL;

    text_addf(out, plan->slots == 1 ? "stage %u" : "dev %u", device);
    if (moment->has_ended) {
        text_add(out, " ends ");
        doing_write(plan, device, moment->ended, is_all, out);
    }
    if (moment->is_running) {
        text_add(out, moment->has_ended ? ", begins " : " begins ");
        doing_write(plan, device, moment->index, is_all, out);
    } else if (moment->index == plan->run[device].count) {
        text_add(out, is_all ? " and with it all its work" : ", its last");
    } else {
        text_add(out, is_all ? " and " : ", ");
        wait_write(plan, device, moment, time, telling, out);
    }
}

enum written { WROTE_NONE, WROTE_SOME, WROTE_ALL };

/* Writes clauses while they fit; those that did not are counted at the end. */
static enum written write_line(const struct pg_plan *plan, double time, int columns,
                               enum telling telling, struct text *out)
{
    char clause[200], more[24];
    struct text text;
    uint32_t left = 0, written = 0;
    double end = plan->makespan - pg_event_width(plan);

    text_init(out, out->buffer, out->size);
    text_add(out, "t=");
    text_brief(out, time);
    text_add(out, time >= end ? ": the step is over; " : ": ");
    for (uint32_t d = 0; d < plan->devices; d++) {
        struct moment moment = moment_of(plan, d, time);
        left += news_of(plan, d, &moment) != NEWS_NONE;
    }
    for (int news = 0; news < NEWS_KINDS; news++)
        for (uint32_t d = 0; d < plan->devices && left > 0; d++) {
            struct moment moment = moment_of(plan, d, time);
            if (news_of(plan, d, &moment) != news)
                continue;
            text_init(&text, clause, sizeof clause);
            text_add(&text, written > 0 ? "; " : "");
            write_clause(plan, d, &moment, time, telling, &text);
            text_init(&text, more, sizeof more);
            if (left > 1)
                text_addf(&text, "; %u more", left - 1);
            if (text_columns(out->buffer) + text_columns(clause) + text_columns(more) > columns) {
                text_addf(out, written > 0 ? "; %u more" : left == 1 ? "%u event" : "%u events",
                          left);
                return written > 0 ? WROTE_SOME : WROTE_NONE;
            }
            text_add(out, clause);
            written++;
            left--;
        }
    return WROTE_ALL;
}

void narrate(const struct pg_plan *plan, double time, int columns, struct text *out)
{
    double event = pg_event_at(plan, time);

    for (enum telling telling = TELL_ALL; telling <= TELL_LEAST; telling++)
        if (write_line(plan, event, columns, telling, out) == WROTE_ALL)
            return;
    /* The first ones, with their reasons if that leaves room for any. */
    if (write_line(plan, event, columns, TELL_BRIEF, out) == WROTE_NONE)
        write_line(plan, event, columns, TELL_LEAST, out);
}
