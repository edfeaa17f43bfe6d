/* The life of a puzzle: opening it and going on, its figures, and what becomes of a finished order.
 * See build.h and build_state.h. */
#include "model/build_state.h"

#include <stdlib.h>
#include <string.h>

void puzzle_free(struct puzzle *puzzle)
{
    if (puzzle == NULL)
        return;
    scenario_free(&puzzle->scenario);
    outcome_free(&puzzle->outcome);
    free(puzzle->block);
    free(puzzle->rows);
    free(puzzle->written);
    table_release(&puzzle->taken);
    free(puzzle);
}

void build_free(struct session *session)
{
    puzzle_free(session->puzzle);
}

void build_show_lane(struct session *session)
{
    uint32_t lanes = session->lanes > 0 ? session->lanes : 1;

    if (session->puzzle == NULL)
        return;
    struct build_view *view = &session->puzzle->view;
    if (view->device < view->lane_top)
        view->lane_top = view->device;
    else if (view->device >= view->lane_top + lanes)
        view->lane_top = view->device - lanes + 1;
}

const struct build_view *build_look(const struct session *session)
{
    bool is_behind = session->home == MODE_BUILD &&
                     (session->mode == MODE_PROMPT || session->mode == MODE_CONFIRM ||
                      session->mode == MODE_HELP);
    const struct puzzle *puzzle = session->puzzle;

    if (puzzle == NULL || (session->mode != MODE_BUILD && !is_behind))
        return NULL;
    return &puzzle->view;
}

/* ---- figures ---- */

/* Against which families it is measured. */
bool build_is_rival(const struct puzzle *puzzle, const struct family_row *row)
{
    return row->is_possible && !row->is_over_limit &&
           row->family->is_forward_only == puzzle->build.plan.family->is_forward_only;
}

/* Could this family's order be built by these rules? */
bool build_keeps_rules(const struct puzzle *puzzle, const struct family_row *row)
{
    const struct pg_plan *plan = &puzzle->build.plan;
    const struct pg_family *family = row->family, *rules = plan->family;

    if (row->chunks != plan->chunks || (family->splits && !rules->splits) ||
        (family->has_fused && !rules->has_fused) ||
        (family->placement == PG_BIDIRECTIONAL) != (plan->replicas == 2))
        return false;
    for (uint32_t cell = 0; cell < plan->replicas * plan->stages; cell++)
        if (pg_stage_device(family, plan->devices, cell % plan->stages, cell / plan->stages) !=
            plan->cell_device[cell])
            return false;
    return true;
}

static void find_rivals(struct puzzle *puzzle)
{
    struct build_view *view = &puzzle->view;

    view->best = view->here = NULL;
    for (uint32_t i = puzzle->row_count; i-- > 0;) {
        const struct family_row *row = &puzzle->rows[i];
        if (!build_is_rival(puzzle, row))
            continue;
        view->best = row; /* they are sorted: the last one found is the shortest */
        if (build_keeps_rules(puzzle, row))
            view->here = row;
    }
}

static void find_names(struct puzzle *puzzle)
{
    const struct pg_build *build = &puzzle->build;
    const struct pg_problem *problem = &puzzle->outcome.resolved.problem;
    const struct pg_family *found[64];
    size_t size = pg_build_families_size(build, problem);
    void *block = malloc(size > 0 ? size : 1);
    struct pg_arena scratch;
    struct text text;

    text_init(&text, puzzle->names, sizeof puzzle->names);
    puzzle->view.names = puzzle->names;
    if (block == NULL)
        return;
    pg_arena_init(&scratch, block, size);
    uint32_t count = pg_build_families(build, problem, &scratch, found);
    for (uint32_t i = 0; i < count; i++)
        if (found[i] == problem->family) /* comes first: it is the one that is taken */
            text_add(&text, found[i]->name);
    for (uint32_t i = 0; i < count; i++)
        if (found[i] != problem->family)
            text_addf(&text, "%s%s", text.length == 0 ? "" : ", ", found[i]->name);
    free(block);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* A stash in the unit of the limit. */
static double in_memory(const struct pg_build *build, double stash)
{
    return build->plan.stash == NULL ? stash / build->plan.chunks : stash;
}

/* The plan as it is drawn, and its figures so far; when all is placed, the core's judgement. */
static void refresh_outcome(struct puzzle *puzzle)
{
    struct outcome *outcome = &puzzle->outcome;
    const struct pg_build *build = &puzzle->build;
    struct pg_metrics *metrics = &outcome->metrics;
    size_t mark = pg_arena_mark(&puzzle->arena);

    outcome->plan = build->plan;
    if (!puzzle->view.is_done)
        outcome->plan.makespan = puzzle->view.horizon; /* what ruler and scale reach to */
    if (puzzle->view.is_done && pg_plan_judge(&build->plan, &puzzle->arena, metrics) == PG_OK)
        puzzle->view.peak = metrics->peak_memory;
    pg_arena_reset(&puzzle->arena, mark);
    metrics->makespan = build->plan.makespan;
    metrics->device_work = puzzle->shown_work;
    metrics->device_memory = puzzle->shown_memory;
    metrics->peak_memory = puzzle->view.peak;
    puzzle->view.idle = 0;
    for (uint32_t d = 0; d < build->plan.devices; d++) {
        double idle = pg_build_idle(build, d);
        puzzle->view.idle += idle;
        puzzle->shown_work[d] = metrics->makespan - idle;
        puzzle->shown_memory[d] = in_memory(build, build->peak[d]);
    }
}

void build_refresh(struct session *session)
{
    struct puzzle *puzzle = session->puzzle;
    struct build_view *view = &puzzle->view;
    const struct pg_build *build = &puzzle->build;

    view->build = build;
    view->outcome = &puzzle->outcome;
    view->scenario = &puzzle->scenario;
    view->moves = puzzle->moves;
    view->count = pg_build_moves(build, view->device, puzzle->moves);
    view->chosen = view->chosen < view->count ? view->chosen : 0;
    view->total = pg_build_total(build);
    view->is_done = view->total == build->plan.ops;
    view->floor = pg_build_floor(build);
    view->peak = 0;
    for (uint32_t d = 0; d < build->plan.devices; d++)
        view->peak = larger(view->peak, in_memory(build, build->peak[d]));
    find_rivals(puzzle);
    view->horizon = larger(view->floor, view->here != NULL ? view->here->makespan : 0);
    if (view->count > 0)
        view->horizon = larger(view->horizon, view->moves[view->chosen].end);
    refresh_outcome(puzzle);
    build_show_lane(session);
    struct text text;
    text_init(&text, puzzle->none, sizeof puzzle->none);
    view->none = puzzle->none;
    if (view->count == 0)
        build_write_none(puzzle, &text);
}

/* What is placed is another. */
void build_changed(struct session *session)
{
    struct puzzle *puzzle = session->puzzle;

    free(puzzle->written);
    puzzle->written = NULL;
    puzzle->is_taken = false;
    puzzle->view.chosen = 0;
    session->history.moves++;
    find_names(puzzle);
    build_refresh(session);
}

/* ---- opening ---- */

static bool out_of_memory(struct session *session)
{
    refuse(session, "there is not enough memory to build a schedule");
    return false;
}

static bool is_preferred(const struct family_row *a, const struct family_row *b,
                         const struct pg_family *own)
{
    if (a->is_possible != b->is_possible)
        return a->is_possible;
    if (a->makespan != b->makespan)
        return a->makespan < b->makespan;
    if (a->peak_memory != b->peak_memory)
        return a->peak_memory < b->peak_memory;
    return a->family == own && b->family != own;
}

/* The shortest first, of equals the one that holds less, of those the family of the rules. */
static void sort_rows(struct family_row *rows, uint32_t count, const struct pg_family *own)
{
    for (uint32_t i = 1; i < count; i++) {
        struct family_row row = rows[i];
        uint32_t at = i;
        for (; at > 0 && is_preferred(&row, &rows[at - 1], own); at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

struct puzzle *puzzle_make(struct session *session, struct scenario *scenario)
{
    struct puzzle *puzzle = calloc(1, sizeof *puzzle);
    struct refusal refusal;
    struct pg_fault fault;
    char line[MESSAGE_SIZE];
    struct text text;

    if (puzzle == NULL) {
        scenario_free(scenario);
        out_of_memory(session);
        return NULL;
    }
    puzzle->scenario = *scenario;
    text_init(&text, line, sizeof line);
    if (!outcome_run(&puzzle->outcome, scenario, &refusal)) {
        refuse(session, refusal.report.text);
        puzzle_free(puzzle);
        return NULL;
    }
    const struct pg_problem *problem = &puzzle->outcome.resolved.problem;
    const struct pg_plan *plan = &puzzle->outcome.plan;
    size_t most = (size_t)plan->slots * PG_KINDS * plan->micro_each +
                  (size_t)plan->slots * plan->slots;
    size_t bound = (size_t)4 * PG_BUILD_MOST + 4096;
    most = most < bound ? most : bound;
    size_t size = pg_build_size(problem) + most * sizeof *puzzle->moves +
                  (size_t)plan->devices * 2 * sizeof(double) + pg_metrics_size(plan->devices) +
                  (size_t)64 * 4;
    puzzle->block = malloc(size);
    if (puzzle->block != NULL) {
        pg_arena_init(&puzzle->arena, puzzle->block, size);
        if (pg_build_start(&puzzle->arena, problem, scenario->memory_limit, &puzzle->build,
                           &fault) != PG_OK) {
            if (fault.status == PG_E_OPS)
                text_addf(&text, "too large to build by hand: %.0f operations, at most %.0f are "
                                 "allowed", fault.value, fault.limit);
            else
                fault_write(&fault, scenario->schedule, &text);
            refuse(session, line);
            puzzle_free(puzzle);
            return NULL;
        }
        puzzle->moves = pg_arena_take(&puzzle->arena, pg_build_moves_most(&puzzle->build),
                                      sizeof *puzzle->moves);
        puzzle->shown_work = pg_arena_take(&puzzle->arena, plan->devices, sizeof(double));
        puzzle->shown_memory = pg_arena_take(&puzzle->arena, plan->devices, sizeof(double));
        puzzle->rows = families_run(scenario, NULL, &puzzle->row_count);
    }
    if (puzzle->rows == NULL || puzzle->moves == NULL || puzzle->shown_memory == NULL) {
        out_of_memory(session);
        puzzle_free(puzzle);
        return NULL;
    }
    sort_rows(puzzle->rows, puzzle->row_count, scenario->schedule);
    return puzzle;
}

/* The present costs on the rules that a puzzle has. */
static bool scenario_again(const struct session *session, const struct puzzle *puzzle,
                           struct scenario *out)
{
    struct refusal refusal;

    memset(out, 0, sizeof *out);
    scenario_copy(out, &session->now.scenario);
    if (out->schedule == puzzle->scenario.schedule &&
        table_equal(out->table, puzzle->scenario.table))
        return true;
    if (puzzle->scenario.table != NULL ? edit_table(out, puzzle->scenario.table, &refusal)
                                       : edit_schedule(out, puzzle->scenario.schedule, &refusal))
        return true;
    scenario_free(out);
    return false;
}

static bool is_same_size(const struct scenario *a, const struct scenario *b)
{
    return a->stages == b->stages && a->micro_batches == b->micro_batches &&
           scenario_chunks(a) == scenario_chunks(b);
}

/* The moves of another puzzle, as many as its costs and limit allow; those taken back as well. */
static bool replay(struct puzzle *puzzle, const struct pg_build *old)
{
    struct pg_build *build = &puzzle->build;
    struct pg_bar bar;

    for (uint32_t i = 0; i < old->made; i++)
        if (!pg_build_put(build, &old->moves[i], &bar))
            return false;
    for (uint32_t i = old->made; i < old->known; i++)
        build->moves[i] = old->moves[i];
    build->known = old->known;
    return true;
}

static void start(struct session *session)
{
    struct scenario scenario;

    memset(&scenario, 0, sizeof scenario);
    scenario_copy(&scenario, &session->now.scenario);
    struct puzzle *puzzle = puzzle_make(session, &scenario);
    if (puzzle == NULL)
        return;
    puzzle_free(session->puzzle);
    session->puzzle = puzzle;
    session->mode = MODE_BUILD;
    build_changed(session);
    say(session, "an empty chart: Left Right choose a move, Enter places it, H gives a hint");
}

/* Goes on with the puzzle there is, on the present costs. False: it is of another size. */
static bool go_on(struct session *session)
{
    struct puzzle *old = session->puzzle, *next;
    struct scenario scenario;
    bool is_whole = true;

    if (old == NULL || !is_same_size(&old->scenario, &session->now.scenario) ||
        old->build.made + old->build.known == 0)
        return false;
    if (!scenario_again(session, old, &scenario))
        return false;
    if (scenario_equal(&scenario, &old->scenario)) {
        scenario_free(&scenario);
    } else {
        next = puzzle_make(session, &scenario);
        if (next == NULL)
            return false;
        is_whole = replay(next, &old->build);
        next->view.device = old->view.device;
        next->recovered = old->recovered;
        session->puzzle = next;
        puzzle_free(old);
        build_changed(session);
    }
    session->mode = MODE_BUILD;
    build_refresh(session);
    struct text text;
    char line[MESSAGE_SIZE];
    text_init(&text, line, sizeof line);
    text_addf(&text, is_whole ? "as it was, by the rules of %s"
                              : "by the rules of %s, as far as the memory limit lets it",
              session->puzzle->scenario.schedule->name);
    if (session->puzzle->scenario.schedule != session->now.scenario.schedule)
        text_addf(&text, "; R on an empty chart takes those of %s",
                  session->now.scenario.schedule->name);
    say(session, line);
    return true;
}

/* What was built for another size is not dropped at the first word. */
static bool keep_back(struct session *session)
{
    struct puzzle *puzzle = session->puzzle;
    struct text text;
    char line[MESSAGE_SIZE];

    if (puzzle == NULL || puzzle->build.made == 0 || puzzle->is_to_drop ||
        is_same_size(&puzzle->scenario, &session->now.scenario))
        return false;
    puzzle->is_to_drop = true;
    text_init(&text, line, sizeof line);
    text_addf(&text, "what is built is for P=%u M=%u V=%u: go back to these to go on, or E again "
                     "drops it for a new one",
              puzzle->scenario.stages, puzzle->scenario.micro_batches,
              scenario_chunks(&puzzle->scenario));
    refuse(session, line);
    return true;
}

void build_open(struct session *session)
{
    if (keep_back(session))
        return;
    if (go_on(session))
        session->puzzle->is_to_drop = false;
    else
        start(session);
}

/* ---- out of it ---- */

/* A table of what is built, as it would be read from a file. */
static struct table *table_of(const struct pg_plan *plan, const char *path)
{
    size_t size = table_write_size(plan);
    char *bytes = malloc(size);
    struct table_error error;
    struct text text;

    if (bytes == NULL)
        return NULL;
    text_init(&text, bytes, size);
    table_write(plan, &text);
    struct table *table = table_parse(bytes, text.length, path, &error);
    free(bytes);
    return table;
}

/* The family whose order it is; NULL when none is. */
static const struct pg_family *family_of(const struct puzzle *puzzle)
{
    char name[40];
    struct text text;

    text_init(&text, name, sizeof name);
    text_addf(&text, "%.*s", (int)strcspn(puzzle->names, ","), puzzle->names);
    return pg_family_find(name);
}

void build_take(struct session *session)
{
    struct puzzle *puzzle = session->puzzle;
    const struct pg_family *family = family_of(puzzle);
    struct refusal refusal;
    struct state next;

    if (!puzzle->view.is_done) {
        refuse(session, "only a finished order can be the schedule: c finishes it");
        return;
    }
    if (family == NULL && puzzle->build.plan.replicas > 1) {
        refuse(session, "an order with two replicas that is no family's cannot be the schedule: "
                        "a table has one replica");
        return;
    }
    state_copy(&next, &session->now);
    scenario_copy(&next.scenario, &puzzle->scenario);
    bool is_good = true;
    if (family != NULL) {
        is_good = edit_schedule(&next.scenario, family, &refusal);
    } else {
        struct table *table = table_of(&puzzle->build.plan,
                                       puzzle->written != NULL ? puzzle->written : "");
        is_good = table != NULL;
        if (is_good)
            scenario_set_table(&next.scenario, table);
    }
    if (!is_good) {
        state_free(&next);
        out_of_memory(session);
        return;
    }
    session->mode = MODE_CHART;
    if (!take_up(session, &next, family != NULL ? family->name : "built by hand"))
        return;
    puzzle->is_taken = true;
    session->history.moves++;
    if (session->now.file->recovered == 0) /* what it came from is the schedule's by now */
        session->now.file->recovered = puzzle->recovered;
    session->now.is_recovered |= puzzle->recovered != 0;
    table_release(&puzzle->taken);
    puzzle->taken = table_share(session->now.scenario.table);
}

static void note_written(struct session *session, const char *path)
{
    struct scenario *scenario = &session->now.scenario;
    char *copy = malloc(strlen(path) + 1);

    if (copy == NULL)
        return;
    strcpy(copy, path);
    if (session->mode == MODE_BUILD && session->puzzle != NULL) {
        free(session->puzzle->written);
        session->puzzle->written = copy;
    } else if (scenario->table != NULL && scenario->table->path[0] == '\0') {
        /* A table that was in no file is in one now, for all states that have it. */
        free(scenario->table->path);
        scenario->table->path = copy;
    } else {
        free(copy);
    }
}

void session_table_saved(struct session *session, const char *path)
{
    struct text text;
    char line[MESSAGE_SIZE];

    note_written(session, path);
    session->history.moves++;
    text_init(&text, line, sizeof line);
    text_addf(&text, "wrote the table %s", path);
    say(session, line);
}

void build_restart(struct session *session)
{
    struct puzzle *puzzle = session->puzzle;

    if (puzzle->build.made == 0) {
        start(session);
        return;
    }
    while (pg_build_undo(&puzzle->build))
        ;
    build_changed(session);
    say(session, "all is taken back; U makes the moves again, one by one");
}
