/* Moves of the puzzle, with every key it has: what is offered can be placed, what is placed can be taken
 * back, and whatever order comes out at the end is a legal plan. No screen: see keys.c. */
#include "script.h"

#include "model/build.h"

#include <stdlib.h>
#include <string.h>

#define MOST_TURNS 120u

static const char *const keys[] = {
    "Left", "Right", "Up",   "Down", "Enter", "Space", "F", "B", "I", "W", "&", "u",
    "U",    "H",     "c",    "R",    "1",     "2",     "3", "9", "0", "t", "?", "Esc",
    "E",    "q",     "Home", "End",  "P",     "M",     "S", "v", "n", "d", "y", "A",
};

enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

static uint32_t placed(const struct pg_build *build)
{
    uint32_t count = 0;

    for (uint32_t d = 0; d < build->plan.devices; d++)
        count += build->plan.run[d].count;
    return count;
}

/* What was put and not taken back, halves of a pair one by one. */
static uint32_t made(const struct pg_build *build)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < build->made; i++)
        count += build->moves[i].with == PG_NONE ? 1 : 2;
    return count;
}

static void check_moves(const struct build_view *view)
{
    struct pg_bar bar;
    struct pg_step step;
    char words[300];
    struct text text;

    must(view->device < view->build->plan.devices);
    must(view->count == 0 ? view->none != NULL : view->chosen < view->count);
    if (view->count == 0)
        check_sentence(view->none);
    for (uint32_t i = 0; i < view->count; i++) {
        must(pg_build_try(view->build, &view->moves[i].move, &step, &bar));
        must(step.start == view->moves[i].start && step.end == view->moves[i].end);
        must(step.start >= pg_build_front(view->build, view->device));
        text_init(&text, words, sizeof words);
        build_write_step(&view->build->plan, &view->moves[i], &text);
        check_sentence(words);
    }
}

static void check_puzzle(const struct script *script)
{
    const struct build_view *view = script->snapshot.build;

    if (view == NULL)
        return;
    check_moves(view);
    must(view->total == pg_build_total(view->build));
    must(placed(view->build) <= view->total && placed(view->build) == made(view->build));
    must(view->is_done == (placed(view->build) == view->total));
    must(view->is_done == pg_build_is_done(view->build));
    check_text(view->names);
    if (view->is_done && view->total <= FUZZ_MOST_JUDGED) {
        must(view->outcome->plan.makespan >= view->floor * (1 - 1e-9));
        check_plan(&view->outcome->plan);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct script script;

    if (size == 0 || size > MOST_TURNS)
        return 0;
    script_start(&script, data[0] & 7u);
    session_set_view(script.session, &(struct session_view){0, 40, 60, 4, 10, 60});
    script_key(&script, "E");
    for (size_t i = 1; i < size && !script.has_quit; i++) {
        script_key(&script, keys[data[i] % KEY_COUNT]);
        check_puzzle(&script);
    }
    if (!script.has_quit)
        script_check_undo(&script);
    script_end(&script);
    return 0;
}
