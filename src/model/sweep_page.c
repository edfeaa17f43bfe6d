/* The page of sweeps: its keys. See sweep_page.h. */
#include "model/sweep_page.h"

#include "model/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Families that are shown at first: those people meet first. */
#define SHOWN_FIRST 6u
#define MOST_SCALE 12

uint32_t sweep_page_shown(const struct sweep_page *page, uint32_t family)
{
    uint32_t at = 0;

    if (page->sweep == NULL || !page->is_shown[family])
        return PG_NONE;
    for (uint32_t f = 0; f < family; f++)
        at += page->is_shown[f];
    return at;
}

/* ---- running ---- */

static void judge(struct sweep_page *page)
{
    page->crossing_count = 0;
    page->judged = 0;
    if (page->sweep == NULL)
        return;
    page->judged = batch_done(page->sweep->batch);
    uint32_t count = sweep_crossings(page->sweep, page->measure, page->crossings,
                                     SWEEP_MOST_CROSSINGS);
    page->crossing_count = count < SWEEP_MOST_CROSSINGS ? count : SWEEP_MOST_CROSSINGS;
}

/* Nobody takes jobs of what is not looked at any more. */
static void drop(struct sweep_page *page)
{
    if (page->sweep != NULL)
        batch_stop(page->sweep->batch);
    sweep_free(page->sweep);
    page->sweep = NULL;
    judge(page);
}

static uint32_t nearest_value(const struct sweep *sweep, double wanted)
{
    uint32_t best = 0;

    for (uint32_t v = 1; v < sweep->range.count; v++)
        if (fabs(sweep->range.values[v] - wanted) < fabs(sweep->range.values[best] - wanted))
            best = v;
    return best;
}

/* A sweep of this text in place of the one there is, which stands when it cannot be. The cursor
 * keeps to its value, at first to that of the state. */
static bool run(struct session *session, const char *text, bool keeps_figures)
{
    struct sweep_page *page = session->sweep;
    const struct scenario *scenario = &session->now.scenario;
    const struct pg_family *shown[SWEEP_MOST_FAMILIES];
    struct sweep_range *range = malloc(sizeof *range);
    struct report report = {.text = "there is not enough memory"};
    uint32_t count = 0;

    for (uint32_t f = 0; f < page->family_count; f++)
        if (page->is_shown[f])
            shown[count++] = page->families[f];
    struct sweep *sweep = NULL;
    if (range != NULL && sweep_range_parse(range, text, &report))
        sweep = sweep_make(scenario, range, shown, count, keeps_figures ? page->sweep : NULL,
                           &report);
    if (sweep == NULL) {
        refuse(session, report.text);
        free(range);
        return false;
    }
    bool is_same = page->sweep != NULL && page->sweep->range.swept == range->swept &&
                   page->sweep->range.stage == range->stage;
    double wanted = is_same ? page->sweep->range.values[page->value]
                            : sweep_present(scenario, range->swept, range->stage);
    drop(page);
    page->sweep = sweep;
    page->swept = range->swept;
    page->stage = range->stage;
    page->value = nearest_value(sweep, wanted);
    if (text != page->range) {
        struct text copy;
        text_init(&copy, page->range, sizeof page->range);
        text_add(&copy, text);
    }
    judge(page);
    free(range);
    return true;
}

static bool run_usual(struct session *session, enum swept swept, uint32_t stage, int scale)
{
    struct text text;
    char range[200];

    text_init(&text, range, sizeof range);
    sweep_range_usual(&session->now.scenario, swept, stage, scale, &text);
    if (!run(session, range, false))
        return false;
    session->sweep->scale = scale;
    session->sweep->is_own_range = false;
    return true;
}

struct batch *session_batch(struct session *session)
{
    if (session->mode == MODE_ADVICE)
        return advice_page_batch(session->advice);
    if (session->mode != MODE_SWEEP || session->sweep == NULL || session->sweep->sweep == NULL)
        return NULL;
    return session->sweep->sweep->batch;
}

/* ---- opening ---- */

/* The table of families, and before it the table of the scenario where it has one. */
static void list_families(struct sweep_page *page, const struct scenario *scenario)
{
    bool was_shown[SWEEP_MOST_FAMILIES];
    bool was_table = page->family_count > 0 && page->families[0]->is_table;
    uint32_t count, is_table = scenario->table != NULL ? 1 : 0;
    const struct pg_family *families = pg_families(&count);
    bool is_first = page->family_count == 0;

    memcpy(was_shown, page->is_shown, sizeof was_shown);
    page->family_count = 0;
    if (is_table) {
        page->is_shown[0] = true;
        page->families[page->family_count++] = scenario->schedule;
    }
    for (uint32_t f = 0; f < count && page->family_count < SWEEP_MOST_FAMILIES; f++) {
        page->is_shown[page->family_count] = is_first ? f < SHOWN_FIRST
                                                      : was_shown[f + (was_table ? 1 : 0)];
        page->families[page->family_count++] = &families[f];
    }
    for (uint32_t f = 0; f < page->family_count; f++) {
        if (page->families[f] == scenario->schedule) {
            page->is_shown[f] = true;
            page->family = f;
        }
    }
}

void sweep_open(struct session *session)
{
    struct sweep_page *page = session->sweep;
    const struct selection *selected = &session->now.selection;

    if (page == NULL) {
        page = session->sweep = calloc(1, sizeof *page);
        if (page == NULL) {
            refuse(session, "there is not enough memory for a sweep");
            return;
        }
        page->stage = PG_NONE;
    }
    list_families(page, &session->now.scenario);
    bool is_cost = page->swept >= SWEPT_FORWARD;
    uint32_t stage = is_cost && !selected->is_all ? selected->device : PG_NONE;
    char range[sizeof page->range];
    memcpy(range, page->range, sizeof range);
    enum mode was = session->mode;
    session->mode = MODE_SWEEP;
    bool is_run = page->is_own_range && run(session, range, false);
    hush(session);
    if (!is_run && !run_usual(session, page->swept, stage, page->scale) &&
        !run_usual(session, SWEPT_MICRO_BATCHES, PG_NONE, 0))
        session->mode = was;
}

static void close_page(struct session *session)
{
    drop(session->sweep);
    session->sweep->is_typing = false;
    session->mode = MODE_CHART;
}

void sweep_page_free(struct sweep_page *page)
{
    if (page != NULL)
        drop(page);
    free(page);
}

const struct sweep_page *sweep_page_look(struct sweep_page *page)
{
    if (page != NULL && page->sweep != NULL && page->judged != batch_done(page->sweep->batch))
        judge(page);
    return page;
}

/* ---- keys ---- */

static void choose_swept(struct session *session, enum swept swept)
{
    const struct selection *selected = &session->now.selection;
    struct sweep_page *page = session->sweep;
    bool is_cost = swept >= SWEPT_FORWARD;
    uint32_t stage = is_cost && !selected->is_all ? selected->device : PG_NONE;

    if (is_cost && swept == page->swept && !page->is_own_range) /* again: of all, and back */
        stage = page->stage != PG_NONE || selected->is_all ? PG_NONE : selected->device;
    run_usual(session, swept, stage, 0);
}

static void scale_by(struct session *session, int by)
{
    struct sweep_page *page = session->sweep;
    int scale = page->is_own_range ? by : page->scale + by;
    char before[sizeof page->range];

    memcpy(before, page->range, sizeof before);
    if (scale < -MOST_SCALE || scale > MOST_SCALE) {
        refuse(session, by > 0 ? "this is the widest range; : types any"
                               : "this is the narrowest range; : types any");
        return;
    }
    int was = page->scale;
    if (!run_usual(session, page->swept, page->stage, scale))
        return;
    if (strcmp(before, page->range) == 0) {
        page->scale = was;
        say(session, by > 0 ? "the range is as wide as it can be; : types any"
                            : "the range is as narrow as it can be; : types any");
    }
}

static void toggle_family(struct session *session)
{
    struct sweep_page *page = session->sweep;
    uint32_t shown = 0;

    for (uint32_t f = 0; f < page->family_count; f++)
        shown += page->is_shown[f];
    if (shown == 1 && page->is_shown[page->family]) {
        refuse(session, "one family has to stay");
        return;
    }
    page->is_shown[page->family] = !page->is_shown[page->family];
    if (!run(session, page->range, true))
        page->is_shown[page->family] = !page->is_shown[page->family];
}

static void to_crossing(struct session *session, bool is_next)
{
    struct sweep_page *page = session->sweep;
    const struct crossing *found = NULL;

    sweep_page_look(page);
    for (uint32_t i = 0; i < page->crossing_count; i++) {
        const struct crossing *crossing = &page->crossings[i];
        if (is_next && crossing->value > page->value) {
            found = crossing;
            break;
        }
        if (!is_next && crossing->value < page->value)
            found = crossing;
    }
    if (found != NULL)
        page->value = found->value;
    else
        say(session, page->crossing_count == 0 ? "there is no crossover"
                     : is_next                 ? "there is no crossover to the right"
                                               : "there is no crossover to the left");
}

/* The value and family under the cursor become the state. */
static void take(struct session *session)
{
    struct sweep_page *page = session->sweep;
    uint32_t family = sweep_page_shown(page, page->family);
    struct text text;
    char what[MESSAGE_SIZE];
    struct state next;

    if (family == PG_NONE) {
        refuse(session, "this family is not shown: Space shows it");
        return;
    }
    const struct figures *figures = sweep_figures(page->sweep, page->value, family);
    if (figures == NULL || !figures->is_possible) {
        refuse(session, figures == NULL ? "this has not been run yet" : figures->reason);
        return;
    }
    text_init(&text, what, sizeof what);
    sweep_value_write(page->sweep, page->value, &text);
    if (page->families[page->family] != session->now.scenario.schedule)
        text_addf(&text, ", %s→%s", session->now.scenario.schedule->title,
                  page->families[page->family]->title);
    state_copy(&next, &session->now);
    scenario_copy(&next.scenario, sweep_scenario(page->sweep, page->value, family));
    if (session->now.scenario.layers != NULL && next.scenario.layers == NULL)
        text_add(&text, " (layers turned into costs per stage)");
    close_page(session);
    take_up(session, &next, what);
}

static void move_value(struct sweep_page *page, int64_t by)
{
    int64_t last = (int64_t)page->sweep->range.count - 1, to = (int64_t)page->value + by;

    page->value = (uint32_t)(to < 0 ? 0 : to > last ? last : to);
}

static void move_family(struct sweep_page *page, bool is_down)
{
    uint32_t count = page->family_count;
    page->family = (page->family + (is_down ? 1 : count - 1)) % count;
}

static void turn_measure(struct sweep_page *page, bool is_back)
{
    page->measure = (enum measure)(((int)page->measure + (is_back ? MEASURE_COUNT - 1 : 1)) %
                                   MEASURE_COUNT);
    judge(page);
}

/* A range has no character beyond ASCII. */
static void type_character(struct sweep_page *page, char c)
{
    size_t length = strlen(page->typed);

    if (c <= ' ' || c > '~' || length + 1 >= sizeof page->typed)
        return;
    page->typed[length] = c;
    page->typed[length + 1] = '\0';
}

void sweep_paste(struct session *session, const char *text)
{
    for (; session->sweep->is_typing && *text != '\0'; text++)
        type_character(session->sweep, *text);
}

/* While a range is typed. */
static void type_key(struct session *session, const char *key)
{
    struct sweep_page *page = session->sweep;
    size_t length = strlen(page->typed);

    if (strcmp(key, "Enter") == 0 || strcmp(key, "Ctrl-M") == 0) {
        page->is_typing = false;
        if (page->typed[0] != '\0' && run(session, page->typed, false))
            page->is_own_range = true;
    } else if (strcmp(key, "Esc") == 0 || strcmp(key, "Ctrl-C") == 0) {
        page->is_typing = false;
    } else if (strcmp(key, "Backspace") == 0 || strcmp(key, "Ctrl-H") == 0) {
        page->is_typing = length > 0;
        if (length > 0)
            page->typed[length - 1] = '\0';
    } else if (strcmp(key, "Ctrl-U") == 0) {
        page->typed[0] = '\0';
    } else if (key[0] != '\0' && key[1] == '\0') {
        type_character(page, key[0]);
    }
}

/* The first one stops what runs, the next one closes. */
static void escape(struct session *session)
{
    struct batch *batch = session_batch(session);

    if (batch == NULL || !batch_is_open(batch)) {
        close_page(session);
        return;
    }
    batch_stop(batch);
    say(session, "stopped; what was done by then is kept");
}

/* Keys that are no commands here: letters of what is swept, in either case, and a few more. */
static bool page_key(struct session *session, const char *key)
{
    struct sweep_page *page = session->sweep;
    char lower[2] = {key[0], '\0'};

    if (key[0] >= 'A' && key[0] <= 'Z')
        lower[0] = (char)(key[0] - 'A' + 'a');
    if (strcmp(key, "Tab") == 0 || strcmp(key, "Shift-Tab") == 0) {
        turn_measure(page, key[0] == 'S');
    } else if (strcmp(key, "Space") == 0) {
        toggle_family(session);
    } else if (key[0] != '\0' && key[1] == '\0') {
        if (strcmp(lower, "c") == 0) { /* as in the chart; v looks at something else */
            choose_swept(session, SWEPT_CHUNKS);
            return true;
        }
        for (enum swept s = 0; s < SWEPT_COUNT; s++) {
            if (s != SWEPT_CHUNKS && strcmp(swept_info(s)->letter, lower) == 0) {
                choose_swept(session, s);
                return true;
            }
        }
        return false;
    } else {
        return false;
    }
    return true;
}

static void command_key(struct session *session, enum command command)
{
    struct sweep_page *page = session->sweep;

    switch (command) {
    case COMMAND_MOVE_LEFT:
    case COMMAND_MOVE_RIGHT:
        move_value(page, command == COMMAND_MOVE_LEFT ? -1 : 1);
        break;
    case COMMAND_PAGE_PREVIOUS:
    case COMMAND_PAGE_NEXT:
        move_value(page, command == COMMAND_PAGE_PREVIOUS ? -10 : 10);
        break;
    case COMMAND_MOVE_FIRST:
    case COMMAND_MOVE_LAST:
        move_value(page, command == COMMAND_MOVE_FIRST ? -(int64_t)SWEEP_MOST_VALUES
                                                       : (int64_t)SWEEP_MOST_VALUES);
        break;
    case COMMAND_MOVE_UP:
    case COMMAND_MOVE_DOWN:
    case COMMAND_SCHEDULE_PREVIOUS:
    case COMMAND_SCHEDULE_NEXT:
        move_family(page, command == COMMAND_MOVE_DOWN || command == COMMAND_SCHEDULE_NEXT);
        break;
    case COMMAND_GAP_NEXT:
    case COMMAND_GAP_PREVIOUS:
        to_crossing(session, command == COMMAND_GAP_NEXT);
        break;
    case COMMAND_ZOOM_IN:
    case COMMAND_ZOOM_OUT:
        scale_by(session, command == COMMAND_ZOOM_IN ? 1 : -1);
        break;
    case COMMAND_BUBBLE_VIEW:
        turn_measure(page, false);
        break;
    case COMMAND_PROMPT:
        page->is_typing = true;
        memcpy(page->typed, page->range, sizeof page->typed);
        break;
    case COMMAND_COSTS_TYPE:
        take(session);
        break;
    case COMMAND_CANCEL:
        escape(session);
        break;
    case COMMAND_SWEEP:
    case COMMAND_QUIT:
        close_page(session);
        break;
    default:
        if (apply_anywhere(session, command))
            break;
        say(session, "this key does nothing here; the last line says which do, q closes");
        break;
    }
}

void sweep_key(struct session *session, const char *key)
{
    if (session->sweep->is_typing && strcmp(key, "Ctrl-Z") != 0 && strcmp(key, "Ctrl-L") != 0) {
        hush(session);
        type_key(session, key);
        return;
    }
    hush(session);
    if (!page_key(session, key))
        command_key(session, command_of_key(key));
}
