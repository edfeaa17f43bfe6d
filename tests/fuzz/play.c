/* A session without a terminal, for the harnesses of keys and of lines: see play.h. */
#include "play.h"

#include "app/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what there is to open ---- */

static const char steps[] = "0F0,0F1,,0I0,0I1,0W0,0W1\n,1F0,1F1,1I0,1W0,1I1,1W1\n";

static const char *const texts[] = {
    "",
    "[pipeline]\nschedule=1f1b\nstages=4\nmicro_batches=6\ntransfer=0.25\n[stage 3]\nforward=1.5\n",
    "[scenario]\ntitle=\xe4\xb8\xad\xe6\x96\x87 deep \xc3\xa9\nnotes=Watch the gaps.\n  \xe4\xb8\xad too.\n"
    "time=ms\n[pipeline]\nschedule=dualpipe\nstages=4\nmicro_batches=8\nfused=0.9\nmemory_limit=3\n",
    "[pipeline]\nschedule=interleaved\nstages=3\nmicro_batches=7\nchunks=2\nhold=model\ngroup=4\n"
    "[layers]\ncost=0.2, 9*1/2.5, 4.8\nsplit=balanced\n",
    "[pipeline]\nschedule=zbv\nstages=5\nmicro_batches=11\n[costs]\nforward=1,2,1,1,3\nweight=0.5\n"
    "activation=2\nweight_activation=0.5\n",
    "[pipeline]\nschedule=forward-only\nstages=1\nmicro_batches=1\n",
    "[pipeline]\nschedule=chimera\nstages=40\nmicro_batches=40\n[costs]\nforward=1e-300\n",
    "file",
};

enum { SCENARIO_COUNT = sizeof texts / sizeof texts[0] };

static struct scenario scenarios[SCENARIO_COUNT];
static struct table *table;

static struct scenario read_text(const char *text)
{
    struct file_error error;
    struct config config;
    FILE *stream = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

    must(stream != NULL);
    must(config_read(stream, "start.ini", &config, &error));
    fclose(stream);
    return config.scenario;
}

static void make_scenarios(void)
{
    struct table_error error;

    if (table != NULL)
        return;
    table = table_parse(steps, sizeof steps - 1, "steps.csv", &error);
    must(table != NULL);
    must(scenario_init(&scenarios[0]));
    for (int i = 1; i < SCENARIO_COUNT - 1; i++)
        scenarios[i] = read_text(texts[i]);
    must(scenario_init(&scenarios[SCENARIO_COUNT - 1]));
    scenario_set_table(&scenarios[SCENARIO_COUNT - 1], table_share(table));
}

static void load(struct play *play, uint32_t which)
{
    struct origin origin = {.name = which == 0 ? "" : "start.ini",
                            .path = which == 0 ? NULL : "start.ini",
                            .has_comments = which == 2};
    struct refusal refusal;

    must(session_load(play->session, &scenarios[which % SCENARIO_COUNT], &origin, &refusal));
    session_set_slides(play->session, which % SCENARIO_COUNT, SCENARIO_COUNT);
}

void play_start(struct play *play, uint32_t scenario)
{
    make_scenarios();
    *play = (struct play){.session = session_make(), .drag_x = -1};
    must(play->session != NULL);
    load(play, scenario % SCENARIO_COUNT);
    session_snapshot(play->session, &play->snapshot);
}

void play_end(struct play *play)
{
    session_free(play->session);
    grid_free(&play->grid);
}

/* ---- what would be too much ---- */

static bool is_too_many(const struct scenario *scenario, enum param param, double value)
{
    double p = scenario->stages, m = scenario->micro_batches, v = scenario->chunks;

    if (param == PARAM_STAGES)
        p = value;
    if (param == PARAM_MICRO_BATCHES)
        m = value;
    if (param == PARAM_CHUNKS)
        v = value;
    return p * m * (v > 2 ? v : 2) * 2 > 2 * FUZZ_MOST_OPS;
}

/* A line of a command: the parameter it names, and the number behind it. */
static bool line_is_too_much(const struct play *play)
{
    const char *line = play->snapshot.prompt.line;
    char name[40] = "";

    line += strspn(line, " ");
    size_t length = strcspn(line, " =");
    if (length >= sizeof name)
        return false;
    memcpy(name, line, length);
    line += length + strspn(line + length, " =");
    return is_too_many(play->snapshot.scenario, param_find(name), strtod(line, NULL));
}

static bool is_too_much(const struct play *play, const char *key)
{
    enum param param = PARAM_COUNT;

    if (play->snapshot.mode == MODE_PROMPT)
        return (strcmp(key, "Enter") == 0 || strcmp(key, "Ctrl-M") == 0) && line_is_too_much(play);
    switch (command_of_key(key)) {
    case COMMAND_STAGES_MORE:
    case COMMAND_STAGES_LESS:
        param = PARAM_STAGES;
        break;
    case COMMAND_MICRO_MORE:
    case COMMAND_MICRO_LESS:
        param = PARAM_MICRO_BATCHES;
        break;
    case COMMAND_CHUNKS_MORE:
    case COMMAND_CHUNKS_LESS:
        param = PARAM_CHUNKS;
        break;
    default:
        return false;
    }
    return is_too_many(play->snapshot.scenario, param, play->snapshot.count);
}

/* ---- playing ---- */

static void save(struct play *play, const struct request *request)
{
    session_snapshot(play->session, &play->snapshot);
    if (request->path[0] == 'x' && !request->is_forced) {
        session_confirm(play->session, "x exists. Replace it?  y replaces, n keeps it", request);
    } else if (strlen(request->path) % 5 == 4) {
        session_message(play->session, "No space left on device", true);
    } else {
        check_saving(play->snapshot.scenario);
        session_saved(play->session, request->path);
        must(!session_is_unsaved(play->session));
    }
}

/* What desk_serve does, without files. */
static void serve(struct play *play)
{
    struct request request = session_take_request(play->session);
    char name[4200];

    switch (request.kind) {
    case REQUEST_QUIT:
        play->has_quit = true;
        break;
    case REQUEST_SAVE:
        save(play, &request);
        break;
    case REQUEST_OPEN:
    case REQUEST_RELOAD:
        must(request.path != NULL);
        if (strlen(request.path) % 9 == 8)
            session_message(play->session, "no such file", true);
        else
            load(play, (uint32_t)strlen(request.path));
        break;
    case REQUEST_SLIDE:
        must(request.slide < SCENARIO_COUNT);
        load(play, request.slide);
        break;
    case REQUEST_TABLE:
        session_take_table(play->session, table);
        break;
    case REQUEST_COMPLETE:
        snprintf(name, sizeof name, "%.4000s\xc3\xa9.ini", request.path);
        session_complete(play->session, name);
        break;
    default:
        break;
    }
    must(session_take_request(play->session).kind == REQUEST_NONE);
}

static void settle(struct play *play)
{
    serve(play);
    session_snapshot(play->session, &play->snapshot);
    play_check(play);
}

void play_key(struct play *play, const char *key)
{
    if (is_too_much(play, key))
        return;
    session_key(play->session, key);
    settle(play);
}

void play_paste(struct play *play, const char *text)
{
    session_paste(play->session, text);
    settle(play);
}

void play_pointer(struct play *play, const struct pointer *pointer)
{
    if (play->grid.cells == NULL)
        return;
    mouse_take(play->session, &play->frame, pointer, &play->drag_x);
    settle(play);
}

/* ---- looking ---- */

static void check_selection(const struct snapshot *s)
{
    const struct pg_plan *plan = &s->outcome->plan;

    must(s->edited_stage == PG_NONE || s->edited_stage < plan->stages);
    if (s->selection.is_all)
        return;
    must(s->selection.device < plan->devices);
    uint32_t count = plan->run[s->selection.device].count;
    must(s->selection.index < count || (s->selection.is_gap && s->selection.index == count));
}

void play_check(struct play *play)
{
    const struct snapshot *s = &play->snapshot;
    const struct pg_plan *plan = &s->outcome->plan;

    must(s->mode <= MODE_COMPARE);
    check_text(s->message);
    must(s->name != NULL);
    check_text(s->name);
    must(plan->family == s->scenario->schedule || s->scenario->table != NULL);
    must(plan->devices == s->scenario->stages && plan->micro_batches == s->scenario->micro_batches);
    must(plan->makespan > 0 && isfinite(plan->makespan));
    check_selection(s);
    must(s->window.is_fit || s->window.span > 0);
    must(isfinite(s->window.span) && isfinite(s->window.start));
    must(s->lane_top < plan->devices);
    must(s->slides == SCENARIO_COUNT && (s->slide < s->slides || s->slide == PG_NONE));
    if (s->mode == MODE_PROMPT) {
        check_text(s->prompt.line);
        must(s->prompt.cursor <= strlen(s->prompt.line));
        must(((unsigned char)s->prompt.line[s->prompt.cursor] & 0xc0u) != 0x80u);
    }
    if (s->mode == MODE_FAMILIES)
        must(s->families.cursor < s->families.count);
    if (s->mode == MODE_IDLE)
        must(s->idle.cursor <= plan->devices);
}

/* As tui.c does: once more when what was drawn moved the lanes. */
void play_draw(struct play *play)
{
    struct snapshot *s = &play->snapshot;

    session_snapshot(play->session, s);
    play->theme.is_bubble_view = s->is_bubble_view;
    screen_draw(&play->grid, &play->theme, s, true, &play->frame);
    if (!play->frame.layout.is_too_small) {
        uint32_t top = s->lane_top;
        session_set_view(play->session, &play->frame.view);
        session_snapshot(play->session, s);
        if (s->lane_top != top)
            screen_draw(&play->grid, &play->theme, s, true, &play->frame);
    }
    play_check(play);
    check_frame(play);
    play->seen_makespan = s->outcome->metrics.makespan;
    play->seen_columns = play->grid.columns;
}

void play_resize(struct play *play, int columns, int rows)
{
    must(grid_resize(&play->grid, columns, rows));
    play_draw(play);
}

void play_check_undo(struct play *play)
{
    struct scenario before;

    memset(&before, 0, sizeof before);
    for (int i = 0; i < 3; i++)
        play_key(play, "Esc");
    if (play->has_quit || play->snapshot.mode != MODE_CHART)
        return;
    scenario_copy(&before, play->snapshot.scenario);
    play_key(play, "u");
    if (strcmp(play->snapshot.message, "nothing to undo") != 0) {
        must(!play->snapshot.is_error);
        play_key(play, "U");
        must(!play->snapshot.is_error);
    }
    must(scenario_equal(&before, play->snapshot.scenario));
    scenario_free(&before);
}
