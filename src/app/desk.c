/* The desk: see desk.h. */
#include "app/desk.h"

#include "app/classroom.h"
#include "app/complete.h"
#include "app/config_table.h"
#include "app/input.h"
#include "app/output.h"
#include "app/safe.h"
#include "app/recovery.h"
#include "app/save_table.h"
#include "app/stale.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- finding scenarios ---- */

const char *desk_assets_folder(void)
{
    const char *assets = getenv("PIPEGANTT_ASSETS");
    return assets != NULL && assets[0] != '\0' ? assets : PKGDATADIR;
}

/* Is it a name, or SET/NAME? Nothing that could leave the folder: no part of it begins with a dot. */
static bool is_installed_name(const char *name)
{
    const char *slash = strchr(name, '/');

    if (name[0] == '\0' || name[0] == '.' || name[0] == '/')
        return false;
    return slash == NULL ||
           (slash[1] != '\0' && slash[1] != '.' && strchr(slash + 1, '/') == NULL);
}

/* Where an installed scenario of that name lies; false when there is none. */
bool desk_installed_path(const char *name, char *path, size_t size)
{
    struct text text;

    if (!is_installed_name(name))
        return false;
    text_init(&text, path, size);
    text_addf(&text, "%s/scenarios/%s.ini", desk_assets_folder(), name);
    return !text.is_cut && access(path, R_OK) == 0;
}

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ending) == 0;
}

static bool is_ini(const char *name)
{
    return ends_in(name, ".ini");
}

bool desk_can_open(const char *name)
{
    return is_ini(name) || ends_in(name, ".csv");
}

enum { LISTED_MOST = 1024 };

/* Names of scenarios below the folder, those in a set as SET/NAME. */
struct listing {
    char *names[LISTED_MOST];
    size_t count;
    bool is_short; /* there was no memory for all of them */
};

/* The folder's own before those of its sets, else by name. */
static int by_name(const void *a, const void *b)
{
    const char *left = *(char *const *)a, *right = *(char *const *)b;
    int sets = (strchr(left, '/') != NULL) - (strchr(right, '/') != NULL);
    return sets != 0 ? sets : strcmp(left, right);
}

static void list_add(struct listing *listing, const char *set, const char *file)
{
    char name[600];
    struct text text;

    text_init(&text, name, sizeof name);
    text_addf(&text, "%s%s%s", set, set[0] != '\0' ? "/" : "", file);
    if (listing->count == LISTED_MOST)
        return;
    listing->names[listing->count] = strdup(name);
    if (listing->names[listing->count] != NULL)
        listing->count++;
    else
        listing->is_short = true;
}

/* The scenarios of a set, "" being the folder itself, whose folders are the sets. */
static void list_set(struct listing *listing, const char *folder, const char *set)
{
    char path[4096];
    struct text text;

    text_init(&text, path, sizeof path);
    text_addf(&text, "%s/%s", folder, set);
    errno = 0;
    DIR *dir = text.is_cut ? NULL : opendir(path);
    if (dir == NULL) {
        listing->is_short |= errno == ENOMEM;
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        if (is_ini(entry->d_name))
            list_add(listing, set, entry->d_name);
        else if (set[0] == '\0')
            list_set(listing, folder, entry->d_name);
    }
    closedir(dir);
}

/* False when there was no memory to read it. */
static bool print_scenario(FILE *out, const char *folder, const char *file)
{
    char path[4096], name[700];
    struct text text;
    struct config config;
    struct file_error error;

    text_init(&text, path, sizeof path);
    text_addf(&text, "%s/%s", folder, file);
    text_init(&text, name, sizeof name);
    text_addf(&text, "%.*s", (int)strlen(file) - 4, file); /* without .ini */
    bool is_good = config_read_file(path, &config, &error);
    if (!is_good && error.report.is_memory)
        return false;
    safe_print(out, name);
    fputs(is_good ? "\t" : "\t(", out);
    safe_print(out, is_good ? string_text(config.scenario.title) : error.report.text);
    fputs(is_good ? "\n" : ")\n", out);
    if (is_good)
        config_free(&config);
    return true;
}

bool desk_list_scenarios(FILE *out)
{
    char folder[4000];
    struct listing listing = {.count = 0};
    struct text text;

    text_init(&text, folder, sizeof folder);
    text_addf(&text, "%s/scenarios", desk_assets_folder());
    list_set(&listing, folder, "");
    qsort(listing.names, listing.count, sizeof listing.names[0], by_name);
    bool is_whole = !listing.is_short;
    for (size_t i = 0; i < listing.count; i++) {
        is_whole = is_whole && print_scenario(out, folder, listing.names[i]);
        free(listing.names[i]);
    }
    return is_whole;
}

/* ---- opening ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static bool fail(struct file_error *error, const char *where, int status, const char *sentence)
{
    struct text text;

    text_init(&text, error->where, sizeof error->where);
    text_printable(&text, where);
    text_init(&text, error->report.text, sizeof error->report.text);
    text_add(&text, sentence);
    error->status = status;
    return false;
}

static bool take_table(struct table *table, struct config *config, struct file_error *error)
{
    *config = (struct config){.has_comments = false};
    if (table == NULL)
        return false;
    if (!scenario_init(&config->scenario)) {
        table_release(&table);
        return fail(error, "memory", 1, "there is not enough for a scenario");
    }
    scenario_set_table(&config->scenario, table);
    return true;
}

/* A table is known by its ending, or by its first byte, with which no scenario file can begin. */
static bool read_stream(FILE *stream, const char *name, struct config *config,
                        struct file_error *error)
{
    int first = getc(stream);

    if (first != EOF)
        ungetc(first, stream);
    if (ends_in(name, ".csv") || (first != EOF && table_begins(first)))
        return take_table(table_file_read(stream, name, error), config, error);
    return config_read(stream, name, config, error);
}

static bool read_file(const char *path, bool may_wait, struct config *config,
                      struct file_error *error)
{
    bool is_input = strcmp(path, "-") == 0;

    if (is_input && may_wait)
        return read_stream(stdin, path, config, error);
    if (is_input)
        return fail(error, path, 1, "standard input can be read once only, at the start");
    FILE *stream = input_open(path, may_wait, error);
    if (stream == NULL)
        return false;
    bool is_done = read_stream(stream, path, config, error);
    fclose(stream);
    return is_done;
}

static bool read_scenario(const char *what, bool may_wait, struct config *config,
                          struct opened *opened, struct file_error *error)
{
    struct text name, path;
    struct stat status;
    char found[4096];

    text_init(&name, opened->name, sizeof opened->name);
    text_init(&path, opened->path, sizeof opened->path);
    if (what == NULL) {
        *config = (struct config){.has_comments = false};
        return scenario_init(&config->scenario) ||
               fail(error, "memory", 1, "there is not enough for a scenario");
    }
    if (strcmp(what, "-") == 0) {
        text_add(&name, "standard input");
        return read_file("-", may_wait, config, error);
    }
    bool is_installed = stat(what, &status) != 0 && errno == ENOENT &&
                        desk_installed_path(what, found, sizeof found);
    if (!is_installed && stat(what, &status) != 0 && errno == ENOENT)
        return fail(error, what, 1, "no such file, and no installed scenario of that name "
                                    "(--list-scenarios lists them)");
    if (!read_file(is_installed ? found : what, may_wait, config, error))
        return false;
    text_printable(&name, is_installed ? what : base_name(what));
    if (!is_installed && is_ini(what))
        text_add(&path, what);
    return true;
}

/* The option that is to blame when the core refuses: the file by itself was good, so there is one. */
static const char *find_option(const struct cli *cli, const struct scenario *scenario,
                               const struct refusal *refusal, char *buffer, size_t size)
{
    bool given[PARAM_COUNT];
    static const enum param suspects[] = {PARAM_MICRO_BATCHES, PARAM_STAGES,  PARAM_CHUNKS,
                                          PARAM_SCHEDULE,      PARAM_LAYERS,  PARAM_FORWARD,
                                          PARAM_BACKWARD,      PARAM_SPLIT,   PARAM_RATIO,
                                          PARAM_TRANSFER};

    enum param param = refusal->param;
    for (enum param p = 0; p < PARAM_COUNT; p++)
        given[p] = cli->values[p] != NULL;
    if (refusal->is_rule)
        param = rule_culprit(scenario, given);
    if ((param == PARAM_FORWARD || param == PARAM_BACKWARD) && scenario->layers != NULL)
        param = PARAM_LAYERS;
    const char *option = cli_option_of(cli, param, buffer, size);
    for (size_t i = 0; option == NULL && i < sizeof suspects / sizeof suspects[0]; i++)
        option = cli_option_of(cli, suspects[i], buffer, size);
    return option;
}

/* A refusal of the core gets the place that is to blame: an option, or a line of the file. */
static bool fail_refused(const struct cli *cli, const char *what, const struct config *config,
                         const struct refusal *refusal, struct file_error *error)
{
    char where[320];
    struct text text;

    if (find_option(cli, &config->scenario, refusal, where, sizeof where) == NULL) {
        text_init(&text, where, sizeof where);
        text_add(&text, what == NULL ? "options" : what);
        if (refusal->param != PARAM_COUNT && config->lines[refusal->param] != 0)
            text_addf(&text, ":%u", config->lines[refusal->param]);
    }
    return fail(error, where, refusal->is_memory ? 1 : 2, refusal->report.text);
}

/* Is the file itself the schedule, as nothing but a table can be? */
static bool is_bare_table(const struct config *config)
{
    return config->scenario.table != NULL && config->lines[PARAM_SCHEDULE] == 0;
}

static bool fail_schedule(const struct config *config, struct file_error *error)
{
    char sentence[400];
    struct text text;

    text_init(&text, sentence, sizeof sentence);
    text_add(&text, "the schedule is the table ");
    text_printable(&text, table_name(config->scenario.table));
    text_add(&text, ": give a table or --schedule, not both");
    return fail(error, "--schedule", 2, sentence);
}

/* Can what was opened be printed in the wanted format? */
static bool check_format(const struct cli *cli, const struct scenario *scenario,
                         const struct outcome *outcome, struct file_error *error)
{
    char sentence[400];
    struct text text;

    if (cli->format == FORMAT_INI && config_flaw(scenario) != NULL)
        return fail(error, "--format", 2, config_flaw(scenario));
    if (cli->format != FORMAT_PYTORCH || outcome->plan.replicas == 1)
        return true;
    text_init(&text, sentence, sizeof sentence);
    text_addf(&text, "pytorch has no table for %s, which has two replicas of the model: a family "
                     "with one is needed", scenario->schedule->name);
    return fail(error, "--format", 2, sentence);
}

bool desk_open(const struct cli *cli, const char *what, struct opened *opened,
               struct outcome *outcome, struct file_error *error)
{
    struct config config;
    struct cli_error cli_error;
    struct refusal refusal;

    if (!read_scenario(what, cli->may_wait, &config, opened, error))
        return false;
    bool is_clash = is_bare_table(&config) && cli->values[PARAM_SCHEDULE] != NULL;
    bool is_done = !is_clash && cli_apply(cli, &config.scenario, &cli_error);
    if (is_clash) {
        fail_schedule(&config, error);
    } else if (!is_done) {
        fail(error, cli_error.where[0] != '\0' ? cli_error.where : "options", cli_error.status,
             cli_error.report.text);
    } else {
        is_done = outcome_run(outcome, &config.scenario, &refusal);
        if (!is_done)
            fail_refused(cli, what, &config, &refusal, error);
        else
            is_done = check_format(cli, &config.scenario, outcome, error);
    }
    if (is_done) {
        memset(&opened->scenario, 0, sizeof opened->scenario);
        scenario_copy(&opened->scenario, &config.scenario);
        opened->has_comments = config.has_comments;
    }
    config_free(&config);
    return is_done;
}

void opened_free(struct opened *opened)
{
    scenario_free(&opened->scenario);
}

/* ---- serving a session ---- */

static void say_error(struct session *session, const struct file_error *error)
{
    char message[900];
    struct text text;

    text_init(&text, message, sizeof message);
    text_addf(&text, "%s: %s", error->where, error->report.text);
    session_message(session, message, true);
}

/* Options were for the files of the command line. */
static const struct cli no_options = {.action = ACTION_RUN};

static bool load(const struct cli *cli, struct session *session, const char *what,
                 struct file_error *error)
{
    struct outcome outcome = {.block = NULL};
    struct opened opened;
    struct refusal refusal;

    if (!desk_open(cli, what, &opened, &outcome, error)) {
        outcome_free(&outcome);
        return false;
    }
    struct origin origin = {opened.name, opened.path[0] != '\0' ? opened.path : NULL,
                            opened.has_comments};
    bool is_done = session_load_run(session, &opened.scenario, &outcome, &origin, &refusal);
    if (!is_done)
        fail(error, opened.name, refusal.is_memory ? 1 : 2, refusal.report.text);
    if (is_done && table_note(&opened.scenario) != NULL)
        session_message(session, table_note(&opened.scenario), false);
    opened_free(&opened);
    return is_done;
}

static bool take_up_table(struct session *session, const char *path, struct file_error *error)
{
    struct table *table = table_file_open(path, false, error);

    if (table == NULL)
        return false;
    session_take_table(session, table);
    table_release(&table);
    return true;
}

bool desk_show_slide(struct desk *desk, struct session *session, uint32_t slide,
                     struct file_error *error)
{
    const struct cli *cli = desk->cli;
    uint32_t slides = cli->file_count > 0 && !cli->is_compare ? (uint32_t)cli->file_count : 1;
    const char *what = cli->file_count > 0 ? cli->files[slide] : NULL;

    if (!load(cli, session, what, error))
        return false;
    session_set_slides(session, slide, slides);
    return true;
}

bool desk_show_compared(struct desk *desk, struct session *session, struct file_error *error)
{
    struct snapshot snapshot;

    if (!desk_show_slide(desk, session, 0, error))
        return false;
    if (!session_pin_loaded(session))
        return fail(error, "memory", 1, "there is not enough to compare");
    if (!desk_show_slide(desk, session, 1, error))
        return false;
    session_snapshot(session, &snapshot);
    if (snapshot.message[0] == '\0')
        session_message(session, "A is the first file, B the second: changes go to B, D exchanges "
                                 "them, d shows the numbers", false);
    return true;
}

static bool ends_in_ini(struct session *session, const char *path)
{
    if (is_ini(path))
        return true;
    session_message(session, "a scenario is saved under a name that ends in .ini (a table: .csv)", true);
    return false;
}

static void save(const struct desk *desk, struct session *session, const struct request *request)
{
    struct file_error error;
    struct snapshot snapshot;
    struct report report;
    char path[4096];
    struct text text;

    if (ends_in(request->path, ".csv")) {
        save_table(session, request);
        return;
    }
    if (!ends_in_ini(session, request->path))
        return;
    session_snapshot(session, &snapshot);
    bool is_own = session_path(session) != NULL &&
                  strcmp(session_path(session), request->path) == 0;
    if (!request->is_forced && (is_own ? stale_file(desk->cli, session)
                                       : access(request->path, F_OK) == 0)) {
        char question[400];
        text_init(&text, question, sizeof question);
        text_printable(&text, request->path);
        text_add(&text, is_own ? " was changed meanwhile" : " exists");
        text_add(&text, ". Replace it?  y replaces, n keeps it");
        session_confirm(session, question, request);
        return;
    }
    text_init(&text, path, sizeof path);
    text_add(&text, request->path);
    if (config_flaw(snapshot.scenario) != NULL) {
        session_message(session, config_flaw(snapshot.scenario), true);
        return;
    }
    char *ini = config_text_for(snapshot.scenario, path);
    if (ini == NULL) {
        session_message(session, "there is not enough memory to save", true);
        return;
    }
    bool is_done = output_replace(path, ini, strlen(ini), &report);
    free(ini);
    if (is_done) {
        if (desk->recovery != NULL)
            recovery_saved(desk->recovery, session); /* which knows yet whose changes they were */
        session_saved(session, path);
    } else {
        file_error_name(&error, path);
        error.report = report;
        say_error(session, &error);
    }
}

/* What the command line named is read with its options once more, what was opened later without. */
static bool reload(struct desk *desk, struct session *session, const char *path,
                   struct file_error *error)
{
    struct snapshot snapshot;

    session_snapshot(session, &snapshot);
    bool is_named = snapshot.slide != PG_NONE && (int)snapshot.slide < desk->cli->file_count;
    bool is_elsewhere = is_named && path[0] != '\0' &&
                        strcmp(path, desk->cli->files[snapshot.slide]) != 0; /* saved as another */
    if (is_named && !is_elsewhere)
        return desk_show_slide(desk, session, snapshot.slide, error);
    return load(&no_options, session, path, error);
}

void desk_serve(struct desk *desk, struct session *session, const struct request *request)
{
    struct file_error error;
    bool is_done = true;

    switch (request->kind) {
    case REQUEST_SAVE:
        save(desk, session, request);
        break;
    case REQUEST_OPEN:
        is_done = load(&no_options, session, request->path, &error);
        break;
    case REQUEST_TABLE:
        is_done = take_up_table(session, request->path, &error);
        break;
    case REQUEST_RELOAD:
        is_done = reload(desk, session, request->path, &error);
        break;
    case REQUEST_SLIDE:
        is_done = desk_show_slide(desk, session, request->slide, &error);
        break;
    case REQUEST_COMPLETE:
        complete_file(session, request->path);
        break;
    case REQUEST_KEPT:
    case REQUEST_RECOVER:
    case REQUEST_FORGET:
    case REQUEST_OFFER:
        if (desk->recovery != NULL)
            recovery_serve(desk->recovery, session, request);
        break;
    case REQUEST_LESSON:
    case REQUEST_PROGRESS:
        classroom_serve(desk, session, request);
        break;
    default:
        break;
    }
    if (!is_done)
        say_error(session, &error);
}
