/* What is built by hand, on its way out of a run of the program and into the next one.
 *
 * Its rules go as a scenario, what is placed as the list of moves in the order in which they were
 * made, so that taking back works there as it did here. A move names its device and slot, not the
 * stage, for a device can have a stage of each replica. Read back, every move is made anew and has
 * to be legal: a list that is not whole or not ours places nothing. */
#include "model/build_state.h"

#include <string.h>

/* Is the order that was built here taken, and that not undone? */
static bool is_taken(const struct session *session)
{
    const struct puzzle *puzzle = session->puzzle;
    const struct table *taken = puzzle->taken;
    return puzzle->is_taken &&
           (taken == NULL || taken->path[0] != '\0' || session->now.table == taken);
}

bool build_is_unsaved(const struct session *session)
{
    const struct puzzle *puzzle = session->puzzle;
    return puzzle != NULL && puzzle->build.made > 0 && puzzle->written == NULL &&
           !is_taken(session);
}

bool session_unsaved_build(const struct session *session, struct unsaved *unsaved)
{
    if (!build_is_unsaved(session))
        return false;
    *unsaved = (struct unsaved){
        .scenario = &session->puzzle->scenario,
        .name = "",
        .recovered = session->puzzle->recovered,
    };
    return true;
}

uint32_t session_written_build(const struct session *session)
{
    const struct puzzle *puzzle = session->puzzle;
    return puzzle != NULL && puzzle->written != NULL ? puzzle->recovered : 0;
}

/* ---- out ---- */

/* Of "4095:(63F1048575;63B1048575) " */
#define MOVE_SIZE 40

size_t session_build_size(const struct session *session)
{
    return session->puzzle == NULL ? 1 : (size_t)session->puzzle->build.made * MOVE_SIZE + 1;
}

static void write_code(pg_code code, struct text *out)
{
    text_addf(out, "%u%s%u", pg_code_slot(code), kind_letter((int)pg_code_kind(code)),
              pg_code_micro(code));
}

void session_build_write(const struct session *session, struct text *out)
{
    const struct puzzle *puzzle = session->puzzle;

    for (uint32_t i = 0; puzzle != NULL && i < puzzle->build.made; i++) {
        const struct pg_move *move = &puzzle->build.moves[i];
        text_addf(out, "%s%u:%s", i > 0 ? " " : "", move->device, move->with != PG_NONE ? "(" : "");
        write_code(move->code, out);
        if (move->with == PG_NONE)
            continue;
        text_add(out, ";");
        write_code(move->with, out);
        text_add(out, ")");
    }
}

/* ---- in ---- */

static bool read_number(const char **at, uint32_t most, uint32_t *number)
{
    const char *start = *at;

    for (*number = 0; **at >= '0' && **at <= '9' && *at - start < 8; (*at)++)
        *number = *number * 10 + (uint32_t)(**at - '0');
    return *at > start && *number <= most;
}

static bool read_character(const char **at, char wanted)
{
    if (**at != wanted)
        return false;
    (*at)++;
    return true;
}

static bool read_code(const char **at, pg_code *code)
{
    enum pg_kind kind = PG_FORWARD;
    uint32_t slot, micro_batch;

    if (!read_number(at, (0xffu >> 2), &slot))
        return false;
    while (kind < PG_KINDS && kind_letter((int)kind)[0] != **at)
        kind++;
    if (kind == PG_KINDS)
        return false;
    (*at)++;
    if (!read_number(at, PG_CODE_MICRO, &micro_batch))
        return false;
    *code = micro_batch | (slot << 2 | (uint32_t)kind) << PG_CODE_ROW_SHIFT;
    return true;
}

static bool read_move(const char **at, struct pg_move *move)
{
    move->with = PG_NONE;
    if (!read_number(at, PG_MAX_DEVICES, &move->device) || !read_character(at, ':'))
        return false;
    if (!read_character(at, '('))
        return read_code(at, &move->code);
    return read_code(at, &move->code) && read_character(at, ';') && read_code(at, &move->with) &&
           read_character(at, ')');
}

static bool make_moves(struct pg_build *build, const char *moves)
{
    struct pg_move move;
    struct pg_bar bar;

    for (moves += strspn(moves, " "); *moves != '\0'; moves += strspn(moves, " "))
        if (!read_move(&moves, &move) || !pg_build_put(build, &move, &bar))
            return false;
    return build->made > 0;
}

static bool give_up(struct refusal *refusal, const char *why)
{
    struct text text;

    text_init(&text, refusal->report.text, sizeof refusal->report.text);
    text_add(&text, why);
    refusal->param = PARAM_COUNT;
    refusal->is_memory = false;
    return false;
}

bool session_recover_build(struct session *session, const struct scenario *scenario,
                           const char *moves, uint32_t id, struct refusal *refusal)
{
    const struct origin nowhere = {.name = "built by hand"}; /* no file's rules: they are its own */
    struct scenario rules;

    if (build_is_unsaved(session))
        return give_up(refusal, "something else is being built here (E): take or write it first");
    memset(&rules, 0, sizeof rules);
    scenario_copy(&rules, scenario);
    struct puzzle *puzzle = puzzle_make(session, &rules);
    if (puzzle == NULL)
        return give_up(refusal, session->message);
    if (!make_moves(&puzzle->build, moves)) {
        puzzle_free(puzzle);
        return give_up(refusal, "its moves are not all legal");
    }
    if (!scenario_equal(scenario, &session->now.scenario) &&
        !session_load(session, scenario, &nowhere, refusal)) {
        puzzle_free(puzzle);
        return false;
    }
    puzzle_free(session->puzzle);
    puzzle->recovered = id;
    puzzle->view.device = puzzle->build.moves[puzzle->build.made - 1].device;
    session->puzzle = puzzle;
    session->mode = MODE_BUILD;
    build_changed(session);
    say(session, "here is what was built by hand, to go on with; q leaves");
    return true;
}
