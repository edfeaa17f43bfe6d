/* Playing: placing what was chosen or named, taking it back, hints, and the machine that
 * finishes. See build_state.h. */
#include "model/build_state.h"

#include <string.h>

/* ---- moves ---- */

static void write_progress(const struct build_view *view, struct text *text)
{
    if (view->is_done) {
        text_addf(text, "; all is placed: makespan ");
        text_brief(text, view->outcome->metrics.makespan);
        text_addf(text, "%s%s", view->names[0] != '\0' ? ", it is " : ", no family's order",
                  view->names);
        return;
    }
    struct pg_step step; /* of whole backwards, or of split ones */
    if (pg_build_choose(view->build, PG_BACKWARD_FIRST, &step) ||
        pg_build_choose(view->build, PG_FILL, &step))
        return;
    text_add(text, "; the memory limit leaves no move on any device: u takes back");
}

static void put(struct session *session, const struct pg_move *move)
{
    struct puzzle *puzzle = session->puzzle;
    struct pg_step step;
    struct pg_bar bar;
    struct text text;
    char line[MESSAGE_SIZE];

    text_init(&text, line, sizeof line);
    if (!pg_build_try(&puzzle->build, move, &step, &bar) ||
        !pg_build_put(&puzzle->build, move, &bar)) {
        build_write_bar(&puzzle->view, move, &bar, &text);
        refuse(session, line);
        return;
    }
    build_changed(session);
    build_write_move(&puzzle->build.plan, move, &text);
    text_add(&text, ": ");
    text_brief(&text, step.start);
    text_add(&text, " to ");
    text_brief(&text, step.end);
    write_progress(&puzzle->view, &text);
    say(session, line);
}

/* The next of a kind that can be placed, or that of the micro-batch that was typed. Where none can
 * be, the one to try, so that the refusal says what it lacks. */
static bool find_kind(const struct puzzle *puzzle, enum pg_kind kind, bool is_numbered,
                      struct pg_move *out)
{
    const struct pg_plan *plan = &puzzle->build.plan;
    uint32_t device = puzzle->view.device, from = 0, to = plan->micro_each;
    bool is_found = false, is_barred = false, is_any = false;
    double start = 0;

    if (is_numbered) {
        from = puzzle->number;
        to = puzzle->number + 1;
    }
    for (uint32_t slot = 0; slot < plan->slots; slot++)
        for (uint32_t m = from; m < to; m++) {
            struct pg_move move = {device, (m & PG_CODE_MICRO) | (slot << 2 | (uint32_t)kind)
                                                                     << PG_CODE_ROW_SHIFT, PG_NONE};
            struct pg_step step;
            struct pg_bar bar;
            if (pg_build_try(&puzzle->build, &move, &step, &bar)) {
                if (!is_found || step.start < start)
                    *out = move;
                start = is_found && start < step.start ? start : step.start;
                is_found = true;
                break; /* later ones of this slot start no earlier, or are not next */
            }
            if (is_found || is_barred || (is_any && bar.kind == PG_BAR_PLACED))
                continue;
            is_barred = bar.kind != PG_BAR_PLACED;
            is_any = true;
            *out = move;
        }
    return is_found || is_barred || is_numbered;
}

void build_put_kind(struct session *session, enum pg_kind kind)
{
    struct puzzle *puzzle = session->puzzle;
    struct pg_move move;

    if (find_kind(puzzle, kind, puzzle->has_number, &move)) {
        put(session, &move);
        return;
    }
    struct text text;
    char line[MESSAGE_SIZE];
    text_init(&text, line, sizeof line);
    text_addf(&text, "every %s is placed on %s %u", kind == PG_FORWARD ? "forward" : "backward",
              puzzle->build.plan.slots > 1 ? "device" : "stage", puzzle->view.device);
    refuse(session, line);
}

void build_put_pair(struct session *session)
{
    struct puzzle *puzzle = session->puzzle;
    const struct build_view *view = &puzzle->view;
    struct pg_move move = {view->device, 0, PG_BACKWARD << PG_CODE_ROW_SHIFT};

    for (uint32_t i = 0; i < view->count; i++)
        if (view->moves[i].move.with != PG_NONE) {
            move = view->moves[i].move;
            put(session, &move);
            return;
        }
    if (!puzzle->build.plan.family->has_fused)
        put(session, &move); /* which says why not */
    else
        refuse(session, "no fused pair can be placed here now: it needs a forward and a backward "
                        "that both could be");
}

void build_move_device(struct session *session, uint32_t device)
{
    struct puzzle *puzzle = session->puzzle;

    if (device >= puzzle->build.plan.devices)
        return;
    puzzle->view.device = device;
    puzzle->view.chosen = 0;
    build_refresh(session);
}

void build_select(struct session *session, uint32_t device)
{
    build_move_device(session, device);
    hush(session);
}

void build_choose(struct session *session, int step)
{
    struct build_view *view = &session->puzzle->view;

    if (view->count == 0)
        return;
    view->chosen = (view->chosen + view->count + (step > 0 ? 1 : view->count - 1)) % view->count;
    build_refresh(session);
}

void build_write_none(const struct puzzle *puzzle, struct text *out)
{
    struct pg_move move;
    struct pg_step step;
    struct pg_bar bar;

    for (enum pg_kind kind = PG_FORWARD; kind < PG_KINDS; kind++)
        if (find_kind(puzzle, kind, false, &move) &&
            !pg_build_try(&puzzle->build, &move, &step, &bar) && bar.kind != PG_BAR_KIND) {
            text_add(out, "no legal move: ");
            build_write_bar(&puzzle->view, &move, &bar, out);
            return;
        }
    text_addf(out, "%s %u has placed all", puzzle->build.plan.slots > 1 ? "device" : "stage",
              puzzle->view.device);
}

void build_place_chosen(struct session *session)
{
    const struct build_view *view = &session->puzzle->view;

    if (view->count == 0) {
        refuse(session, view->none);
        return;
    }
    struct pg_move move = view->moves[view->chosen].move;
    put(session, &move);
}

void build_undo(struct session *session, bool is_undo)
{
    struct puzzle *puzzle = session->puzzle;
    struct text text;
    char line[MESSAGE_SIZE];
    uint32_t at = is_undo ? puzzle->build.made - 1 : puzzle->build.made;

    if (is_undo ? !pg_build_undo(&puzzle->build) : !pg_build_redo(&puzzle->build)) {
        say(session, is_undo ? "nothing is placed" : "nothing to make again");
        return;
    }
    struct pg_move move = puzzle->build.moves[at];
    puzzle->view.device = move.device;
    build_changed(session);
    text_init(&text, line, sizeof line);
    text_add(&text, is_undo ? "taken back: " : "made again: ");
    build_write_move(&puzzle->build.plan, &move, &text);
    say(session, line);
}

/* ---- hints, and the machine ---- */

/* The first move of the shortest family that begins as what is built; NULL when none does. */
static const struct family_row *follow_family(struct puzzle *puzzle, struct pg_step *step)
{
    struct outcome outcome = {.block = NULL};
    const struct family_row *found = NULL;

    for (uint32_t i = 0; i < puzzle->row_count && found == NULL; i++) {
        const struct family_row *row = &puzzle->rows[i];
        struct scenario probe;
        struct refusal refusal;
        if (!build_is_rival(puzzle, row) || !build_keeps_rules(puzzle, row))
            continue;
        memset(&probe, 0, sizeof probe);
        scenario_copy(&probe, &puzzle->scenario);
        if (edit_schedule(&probe, row->family, &refusal) &&
            outcome_run(&outcome, &probe, &refusal) &&
            pg_build_begins(&puzzle->build, &outcome.plan) &&
            pg_build_towards(&puzzle->build, &outcome.plan, step))
            found = row;
        scenario_free(&probe);
    }
    outcome_free(&outcome);
    return found;
}

static void select_move(struct session *session, const struct pg_move *move)
{
    struct build_view *view = &session->puzzle->view;

    build_move_device(session, move->device);
    for (uint32_t i = 0; i < view->count; i++)
        if (memcmp(&view->moves[i].move, move, sizeof *move) == 0)
            view->chosen = i;
    build_refresh(session);
}

void build_hint(struct session *session)
{
    struct puzzle *puzzle = session->puzzle;
    enum pg_policy policy = puzzle->build.plan.family->splits ? PG_FILL : PG_BACKWARD_FIRST;
    struct pg_step step;
    struct text text;
    char line[MESSAGE_SIZE];

    if (puzzle->view.is_done) {
        say(session, "all is placed: t takes it as the schedule, :w FILE.csv writes it");
        return;
    }
    const struct family_row *row = follow_family(puzzle, &step);
    if (row == NULL && !pg_build_choose(&puzzle->build, policy, &step)) {
        refuse(session, "the memory limit leaves no move on any device: u takes back");
        return;
    }
    select_move(session, &step.move);
    text_init(&text, line, sizeof line);
    text_add(&text, "hint: ");
    build_write_move(&puzzle->build.plan, &step.move, &text);
    text_add(&text, " at ");
    text_brief(&text, step.start);
    if (row != NULL) {
        text_addf(&text, ", as %s does, which comes to ", row->family->name);
        text_brief(&text, row->makespan);
    } else {
        text_addf(&text, ", %s first; no family begins as this does",
                  policy == PG_FILL ? "input gradients" : "backwards");
    }
    text_add(&text, "; Enter places it");
    say(session, line);
}

void build_ask_policy(struct session *session)
{
    struct puzzle *puzzle = session->puzzle;

    if (puzzle->view.is_done) {
        refuse(session, "all is placed already");
        return;
    }
    puzzle->question = ASK_POLICY;
    say(session, puzzle->build.plan.family->splits
                     ? "Finish: b backward first (1F1B)  f forward first (GPipe)  z fill the bubble"
                     : "Finish: b backward first (1F1B)  f forward first (GPipe)  Esc not at all");
}

static void finish(struct session *session, enum pg_policy policy)
{
    struct puzzle *puzzle = session->puzzle;
    uint32_t before = puzzle->build.made;
    bool is_done = pg_build_finish(&puzzle->build, policy);
    uint32_t count = puzzle->build.made - before;
    struct text text;
    char line[MESSAGE_SIZE];

    if (!is_done)
        while (puzzle->build.made > before)
            pg_build_undo(&puzzle->build);
    build_changed(session);
    text_init(&text, line, sizeof line);
    if (!is_done) {
        text_addf(&text, "after %u moves by this policy the memory limit would leave none: nothing "
                         "is placed", count);
        refuse(session, line);
        return;
    }
    text_addf(&text, "%u moves made", count);
    write_progress(&puzzle->view, &text);
    say(session, line);
}

void build_answer_policy(struct session *session, const char *key)
{
    bool splits = session->puzzle->build.plan.family->splits;

    if (strcmp(key, "b") == 0 || strcmp(key, "B") == 0)
        finish(session, PG_BACKWARD_FIRST);
    else if (strcmp(key, "f") == 0 || strcmp(key, "F") == 0)
        finish(session, PG_FORWARD_FIRST);
    else if (splits && (strcmp(key, "z") == 0 || strcmp(key, "Z") == 0))
        finish(session, PG_FILL);
    else
        say(session, "nothing changed");
}
