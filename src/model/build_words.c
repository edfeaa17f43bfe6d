/* What the puzzle says: moves, refusals, the score. Facts come from the core. See build.h. */
#include "model/build.h"

#include <string.h>

static const struct build_key_info infos[BUILD_KEY_COUNT] = {
#define BUILD_KEY(id, name, keys, shown, bar, help) {name, keys, shown, bar, help},
#include "model/build_keys.def"
#undef BUILD_KEY
};

const struct build_key_info *build_key_info(enum build_key key)
{
    return &infos[key];
}

enum build_key build_key_of(const char *key)
{
    size_t length = strlen(key);

    for (enum build_key k = 0; k < BUILD_KEY_COUNT; k++)
        for (const char *at = infos[k].keys; *at != '\0';) {
            size_t word = strcspn(at, " ");
            if (word == length && memcmp(at, key, length) == 0)
                return k;
            at += word + strspn(at + word, " ");
        }
    return BUILD_KEY_COUNT;
}

/* ---- moves ---- */

static uint32_t stage_of(const struct pg_plan *plan, uint32_t device, pg_code code)
{
    return plan->slot_cell[(size_t)device * plan->slots + pg_code_slot(code)] % plan->stages;
}

static void write_name(pg_code code, struct text *out)
{
    text_addf(out, "%s%u", kind_letter((int)pg_code_kind(code)), pg_code_micro(code));
}

/* "F3", and on devices with several stages "F3 of stage 5". */
static void write_op(const struct pg_plan *plan, uint32_t device, pg_code code, struct text *out)
{
    write_name(code, out);
    if (plan->slots > 1)
        text_addf(out, " of stage %u", stage_of(plan, device, code));
}

void build_write_move(const struct pg_plan *plan, const struct pg_move *move, struct text *out)
{
    write_op(plan, move->device, move->code, out);
    if (move->with != PG_NONE) {
        text_add(out, plan->slots > 1 ? " & " : "&");
        write_op(plan, move->device, move->with, out);
    }
    text_addf(out, plan->slots > 1 ? " on device %u" : " on stage %u", move->device);
}

/* Short, since many stand in a line: "F3" or, where there are several stages, "F3 s5". */
static void write_short(const struct pg_plan *plan, uint32_t device, pg_code code, struct text *out)
{
    write_name(code, out);
    if (plan->slots > 1)
        text_addf(out, " s%u", stage_of(plan, device, code));
}

void build_write_step(const struct pg_plan *plan, const struct pg_step *step, struct text *out)
{
    write_short(plan, step->move.device, step->move.code, out);
    if (step->move.with != PG_NONE) {
        text_add(out, "&");
        write_short(plan, step->move.device, step->move.with, out);
    }
    text_add(out, " at ");
    text_brief(out, step->start);
    if (step->waits > 0) {
        text_add(out, " (waits ");
        text_brief(out, step->waits);
        text_add(out, ")");
    }
}

/* ---- refusals ---- */

/* Names of families that have what these rules lack. */
static void write_others(bool wants_pairs, struct text *out)
{
    uint32_t count, named = 0;
    const struct pg_family *families = pg_families(&count);

    for (uint32_t i = 0; i < count; i++)
        if (wants_pairs ? families[i].has_fused : families[i].splits)
            text_addf(out, "%s%s", named++ == 0 ? "" : ", ", families[i].name);
}

static void write_kind(const struct build_view *view, const struct pg_move *move,
                       const struct pg_bar *bar, struct text *out)
{
    const char *name = view->scenario->schedule->name;

    if (move->with != PG_NONE) {
        text_addf(out, "there are no fused pairs by the rules of %s; ", name);
        write_others(true, out);
        text_add(out, " have them");
    } else if (view->build->plan.family->is_forward_only) {
        text_addf(out, "%s has forwards only", name);
    } else {
        text_addf(out, "there is no %s by the rules of %s, whose backwards are whole; ",
                  kind_letter((int)pg_code_kind(bar->of)), name);
        write_others(false, out);
        text_add(out, " split them");
    }
}

static void write_placed(const struct pg_bar *bar, struct text *out)
{
    if (bar->op == pg_code_kind(bar->of)) {
        text_add(out, " is placed already");
    } else if (bar->op == PG_BACKWARD) {
        text_addf(out, " cannot be: its whole backward B%u is placed already", bar->micro_batch);
    } else {
        text_addf(out, " cannot be: its backward is split, %s%u is placed already",
                  kind_letter((int)bar->op), bar->micro_batch);
    }
}

void build_write_bar(const struct build_view *view, const struct pg_move *move,
                     const struct pg_bar *bar, struct text *out)
{
    const struct pg_plan *plan = &view->build->plan;
    struct pg_move half = {move->device, bar->of, PG_NONE};

    if (bar->kind == PG_BAR_KIND) {
        write_kind(view, move, bar, out);
        return;
    }
    if (bar->kind == PG_BAR_PLACE) {
        text_addf(out, "there is no micro-batch %u: they are 0 to %u%s", bar->micro_batch,
                  plan->micro_each - 1, plan->replicas > 1 ? " in each replica" : "");
        return;
    }
    build_write_move(plan, &half, out);
    switch (bar->kind) {
    case PG_BAR_NEEDS:
        text_addf(out, " needs %s%u", kind_letter((int)bar->op), bar->micro_batch);
        if (bar->op == PG_BACKWARD && plan->family->splits)
            text_addf(out, " or I%u", bar->micro_batch);
        text_addf(out, " of stage %u, which is not placed yet", bar->stage);
        break;
    case PG_BAR_MEMORY:
        text_add(out, " does not fit: the stash would be ");
        text_brief(out, bar->value);
        text_add(out, ", the memory limit is ");
        text_brief(out, bar->limit);
        break;
    default:
        write_placed(bar, out);
    }
}

/* ---- the score ---- */

void build_write_score(const struct build_view *view, const struct family_row *row,
                       struct text *out)
{
    double mine = view->outcome->metrics.makespan, theirs = row->makespan;
    double more = mine / theirs - 1;

    if (more > 1e-9 || more < -1e-9) {
        text_percent(out, more > 0 ? more : -more);
        text_add(out, more > 0 ? " longer than " : " shorter than ");
    } else {
        text_add(out, "as long as ");
    }
    text_addf(out, "%s (", row->family->name);
    text_brief(out, theirs);
    text_add(out, ", bubble ");
    text_percent(out, row->bubble);
    text_add(out, ", stash ");
    text_brief(out, row->peak_stash);
    text_add(out, ")");
}
