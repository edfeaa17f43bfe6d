/* A session without a terminal, for the harnesses of keys and of lines: see script.h. */
#include "script.h"

#include "app/config.h"
#include "app/lesson.h"
#include "model/sweep_page.h"

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
    "[pipeline]\nschedule=chimera\nstages=18\nmicro_batches=18\n[costs]\nforward=1e-300\n",
    "file",
};

enum { SCENARIO_COUNT = sizeof texts / sizeof texts[0] };

/* A step of each kind. */
static const char *const steps_of_course[] = {
    "[lesson]\ntitle = Look\ntext = Four devices.\n[pipeline]\nstages = 4\n",
    "[lesson]\ntitle = Count\ntext = Idle time, in every lane.\n\n    And more.\ntry = M.\n"
    "question = Which share?\nanswer = 75%\ntolerance = 1%\nnext = It was {bubble}.\n"
    "[wrong 1]\nanswer = 25%\nsay = That is busy.\n[else]\nsay = Count. {makespan}\n"
    "[pipeline]\nstages = 4\nmicro_batches = 1\n",
    "[lesson]\ntitle = Choose\ntext = \xe4\xb8\xad.\nquestion = Which?\nchoices = one | two | three\n"
    "answer = b\n[wrong 1]\nanswer = c\nsay = No.\n[pipeline]\nschedule = 1f1b\n",
    "[lesson]\ntitle = Do\ntext = Less idle.\nquestion = Bubble below 20 %?\n"
    "goal = bubble < 20% and peak_stash <= start peak_stash\n[wrong 1]\nwhen = idle 9 > 1\nsay = no\n"
    "[else]\nsay = {bubble}.\n[pipeline]\nschedule = 1f1b\nstages = 4\nmicro_batches = 8\n",
};

enum { STEP_COUNT = sizeof steps_of_course / sizeof steps_of_course[0] };

static struct scenario scenarios[SCENARIO_COUNT];
static struct lesson lessons[STEP_COUNT];
static struct course course = {lessons, STEP_COUNT};
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
    for (int i = 0; i < STEP_COUNT; i++) {
        const char *text = steps_of_course[i];
        struct file_error wrong;
        must(lesson_read_file(fuzz_file(text, strlen(text)), "step", &lessons[i], &wrong));
    }
}

static void load(struct script *script, uint32_t which)
{
    struct origin origin = {.name = which == 0 ? "" : "start.ini",
                            .path = which == 0 ? NULL : "start.ini",
                            .has_comments = which == 2};
    struct refusal refusal;

    must(session_load(script->session, &scenarios[which % SCENARIO_COUNT], &origin, &refusal));
    session_set_slides(script->session, which % SCENARIO_COUNT, SCENARIO_COUNT);
}

void script_start(struct script *script, uint32_t scenario)
{
    make_scenarios();
    for (int i = 0; i < STEP_COUNT; i++) /* no run knows what was answered in another */
        lessons[i].is_done = false;
    *script = (struct script){.session = session_make(), .drag_x = -1};
    must(script->session != NULL);
    load(script, scenario % SCENARIO_COUNT);
    session_snapshot(script->session, &script->snapshot);
}

void script_end(struct script *script)
{
    session_free(script->session);
    grid_free(&script->grid);
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
    return p * m * (v > 2 ? v : 2) * 2 > FUZZ_MOST_PLAYED;
}

/* A line of a command: the parameter it names, and the number behind it. */
static bool line_is_too_much(const struct script *script)
{
    const char *line = script->snapshot.prompt.line;
    char name[40] = "";

    line += strspn(line, " ");
    size_t length = strcspn(line, " =");
    if (length >= sizeof name)
        return false;
    memcpy(name, line, length);
    line += length + strspn(line + length, " =");
    return is_too_many(script->snapshot.scenario, param_find(name), strtod(line, NULL));
}

/* Enter takes the value under the cursor. */
static bool sweep_is_too_much(const struct script *script, const char *key)
{
    const struct sweep_page *page = script->snapshot.sweep;
    uint32_t family = page == NULL ? PG_NONE : sweep_page_shown(page, page->family);

    if (family == PG_NONE || page->sweep == NULL || strcmp(key, "Enter") != 0)
        return false;
    return scenario_ops(sweep_scenario(page->sweep, page->value, family)) > FUZZ_MOST_PLAYED;
}

static bool is_too_much(const struct script *script, const char *key)
{
    enum param param = PARAM_COUNT;

    if (script->snapshot.mode == MODE_SWEEP)
        return sweep_is_too_much(script, key);
    if (script->snapshot.mode == MODE_PROMPT)
        return (strcmp(key, "Enter") == 0 || strcmp(key, "Ctrl-M") == 0) && line_is_too_much(script);
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
    /* To the next that the family takes, which may be twice as many. */
    if (script->snapshot.count == 0)
        return scenario_ops(script->snapshot.scenario) > FUZZ_MOST_PLAYED / 3.0;
    return is_too_many(script->snapshot.scenario, param, script->snapshot.count);
}

/* ---- playing ---- */

static void save(struct script *script, const struct request *request)
{
    session_snapshot(script->session, &script->snapshot);
    if (request->path[0] == 'x' && !request->is_forced) {
        session_confirm(script->session, "x exists. Replace it?  y replaces, n keeps it", request);
    } else if (strlen(request->path) % 5 == 4) {
        session_message(script->session, "No space left on device", true);
    } else {
        check_saving(script->snapshot.scenario);
        session_saved(script->session, request->path);
        must(!session_is_unsaved(script->session));
    }
}

/* What desk_serve does, without files. */
static void serve(struct script *script)
{
    struct request request = session_take_request(script->session);
    char name[4200];

    switch (request.kind) {
    case REQUEST_QUIT:
        script->has_quit = true;
        break;
    case REQUEST_SAVE:
        save(script, &request);
        break;
    case REQUEST_OPEN:
    case REQUEST_RELOAD:
        must(request.path != NULL);
        if (strlen(request.path) % 9 == 8)
            session_message(script->session, "no such file", true);
        else
            load(script, (uint32_t)strlen(request.path));
        break;
    case REQUEST_SLIDE:
        must(request.slide < SCENARIO_COUNT);
        load(script, request.slide);
        break;
    case REQUEST_LESSON:
        session_begin_course(script->session, &course, course_first_open(&course));
        break;
    case REQUEST_TABLE:
        session_take_table(script->session, table);
        break;
    case REQUEST_COMPLETE:
        snprintf(name, sizeof name, "%.4000s\xc3\xa9.ini", request.path);
        session_complete(script->session, name);
        break;
    default:
        break;
    }
    must(session_take_request(script->session).kind == REQUEST_NONE);
}

static void settle(struct script *script)
{
    serve(script);
    session_snapshot(script->session, &script->snapshot);
    script_check(script);
}

void script_key(struct script *script, const char *key)
{
    if (is_too_much(script, key))
        return;
    session_key(script->session, key);
    settle(script);
}

void script_tick(struct script *script, double seconds)
{
    session_tick(script->session, seconds);
    settle(script);
}

void script_work(struct script *script)
{
    struct outcome scratch = {.block = NULL};
    struct batch *batch = session_batch(script->session);

    for (int i = 0; i < 3 && batch != NULL && batch_is_open(batch); i++) {
        if (scenario_ops(&batch->jobs[atomic_load(&batch->next)].scenario) > FUZZ_MOST_JUDGED)
            break;
        batch_run_next(batch, &scratch);
    }
    outcome_free(&scratch);
    settle(script);
}

void script_paste(struct script *script, const char *text)
{
    session_paste(script->session, text);
    settle(script);
}

void script_pointer(struct script *script, const struct pointer *pointer)
{
    if (script->grid.cells == NULL)
        return;
    mouse_take(script->session, &script->frame, pointer, &script->drag_x);
    settle(script);
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

void script_check(struct script *script)
{
    const struct snapshot *s = &script->snapshot;
    const struct pg_plan *plan = &s->outcome->plan;

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
    must(s->slide < s->slides || s->slide == PG_NONE);
    if (s->lesson.step != NULL) {
        must(s->lesson.number >= 1 && s->lesson.number <= s->lesson.count);
        check_text(s->lesson.reply == NULL ? "" : s->lesson.reply->text);
    }
    if (s->play.is_on)
        must(s->play.time >= 0 && s->play.time <= snapshot_extent(s) && s->play.speed > 0);
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
void script_draw(struct script *script)
{
    struct snapshot *s = &script->snapshot;

    session_snapshot(script->session, s);
    script->theme.is_bubble_view = s->is_bubble_view;
    screen_draw(&script->grid, &script->theme, s, true, &script->frame);
    if (!script->frame.layout.is_too_small) {
        uint32_t top = s->lane_top;
        session_set_view(script->session, &script->frame.view);
        session_snapshot(script->session, s);
        if (s->lane_top != top)
            screen_draw(&script->grid, &script->theme, s, true, &script->frame);
    }
    script_check(script);
    check_frame(script);
    script->seen_makespan = s->outcome->metrics.makespan;
    script->seen_columns = script->grid.columns;
}

void script_resize(struct script *script, int columns, int rows)
{
    must(grid_resize(&script->grid, columns, rows));
    script_draw(script);
}

void script_check_undo(struct script *script)
{
    struct scenario before;

    memset(&before, 0, sizeof before);
    for (int i = 0; i < 3; i++)
        script_key(script, "Esc");
    if (script->has_quit || script->snapshot.mode != MODE_CHART)
        return;
    scenario_copy(&before, script->snapshot.scenario);
    script_key(script, "u");
    if (strcmp(script->snapshot.message, "nothing to undo") != 0) {
        must(!script->snapshot.is_error);
        script_key(script, "U");
        must(!script->snapshot.is_error);
    }
    must(scenario_equal(&before, script->snapshot.scenario));
    scenario_free(&before);
}
