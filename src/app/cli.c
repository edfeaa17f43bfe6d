/* The command line: see cli.h. Options that set a parameter are rows of scenario.def; the others are
 * rows of the table here. getopt_long does the parsing, its messages are ours. */
#include "app/cli.h"

#include "model/build.h"
#include "model/command.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
    OPTION_PRINT = 256,
    OPTION_FAMILIES,
    OPTION_ADVICE,
    OPTION_TARGET,
    OPTION_SWEEP,
    OPTION_SCHEDULES,
    OPTION_MEASURE,
    OPTION_COMPARE,
    OPTION_BUILD,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_WIDTH,
    OPTION_COLOR,
    OPTION_ASCII,
    OPTION_NO_MOUSE,
    OPTION_KEYS,
    OPTION_LIST_SCHEDULES,
    OPTION_LIST_SCENARIOS,
    OPTION_LESSON,
    OPTION_LIST_LESSONS,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_PARAM, /* + enum param */
};

struct option_info {
    enum option_id id;
    char letter;
    const char *name, *metavar, *help;
};

static const struct option_info others[] = {
    {OPTION_PRINT, 0, "print", NULL,
     "draw once to standard output; implied when that is no terminal"},
    {OPTION_FAMILIES, 0, "families", NULL,
     "print all families on these costs (text; --format csv or json)"},
    {OPTION_ADVICE, 0, "advice", NULL,
     "print what would help: costs, M, family, split (text; --format csv or json)"},
    {OPTION_TARGET, 0, "target", "PERCENT",
     "the bubble that --advice looks for an M for; default 10"},
    {OPTION_SWEEP, 0, "sweep", "X=VALUES",
     "print curves over m, p, v, t, f, b or w: m=1..64, m=8..512*2, t=0..1:0.1"},
    {OPTION_SCHEDULES, 0, "schedules", "NAME[,NAME...]",
     "families of a sweep, or all; default: the one there is"},
    {OPTION_MEASURE, 0, "measure", "NAME",
     "curve of a sweep: bubble, makespan, throughput, idle, span, stash, memory"},
    {OPTION_COMPARE, 0, "compare", NULL,
     "two files on one time axis, A above B (text, summary, json or csv)"},
    {OPTION_BUILD, 0, "build", NULL, "start with an empty chart: build the schedule yourself"},
    {OPTION_FORMAT, 0, "format", "F", "print as text, summary, json, csv, ini or pytorch"},
    {OPTION_OUTPUT, 'o', "output", "FILE",
     "write there instead, format by extension unless --format says"},
    {OPTION_WIDTH, 0, "width", "N", "columns of the printed chart; default: the terminal's, else 100"},
    {OPTION_COLOR, 0, "color", "WHEN", "auto (default), always, never or few (16); NO_COLOR is honoured"},
    {OPTION_ASCII, 0, "ascii", NULL, "no character outside ASCII"},
    {OPTION_NO_MOUSE, 0, "no-mouse", NULL, "leave the mouse to the terminal"},
    {OPTION_KEYS, 0, "keys", NULL, "print the key table"},
    {OPTION_LIST_SCHEDULES, 0, "list-schedules", NULL, "print the schedule families"},
    {OPTION_LIST_SCENARIOS, 0, "list-scenarios", NULL, "print the installed scenarios"},
    {OPTION_LESSON, 0, "lesson", NULL,
     "a course about all this; FILE: a lesson by name or number, a file, a folder"},
    {OPTION_LIST_LESSONS, 0, "list-lessons", NULL, "print the installed lessons"},
    {OPTION_HELP, 'h', "help", NULL, "print this help"},
    {OPTION_VERSION, 0, "version", NULL, "print the version"},
};

enum { OTHER_COUNT = sizeof others / sizeof others[0] };

/* The words have one %s, where the value goes. */
static bool fail(struct cli_error *error, const char *where, const char *words, const char *value)
{
    const char *gap = strstr(words, "%s");
    struct text text;
    char shown[120];

    error->status = 2;
    text_init(&text, error->where, sizeof error->where);
    text_printable(&text, where);
    text_init(&text, shown, sizeof shown);
    text_printable(&text, value);
    text_init(&text, error->report.text, sizeof error->report.text);
    text_addf(&text, "%.*s%s%s", (int)(gap - words), words, shown, gap + 2);
    return false;
}

/* ---- parsing ---- */

static void make_tables(struct option *longs, char *shorts)
{
    size_t count = 0;
    char *letter = shorts;

    *letter++ = ':'; /* a missing value is told from an unknown option */
    for (int i = 0; i < OTHER_COUNT; i++) {
        bool has_value = others[i].metavar != NULL;
        longs[count++] = (struct option){others[i].name, has_value, NULL, (int)others[i].id};
        if (others[i].letter != 0) {
            *letter++ = others[i].letter;
            if (has_value)
                *letter++ = ':';
        }
    }
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        const struct param_info *info = param_info(p);
        if (info->option[0] == '\0')
            continue;
        longs[count++] = (struct option){info->option, 1, NULL, OPTION_PARAM + (int)p};
        if (info->letter != 0) {
            *letter++ = info->letter;
            *letter++ = ':';
        }
    }
    longs[count] = (struct option){NULL, 0, NULL, 0};
    *letter = '\0';
}

/* The long name of what getopt returned, as messages call it. */
static int id_of_letter(int letter)
{
    for (int i = 0; i < OTHER_COUNT; i++)
        if (others[i].letter == letter)
            return (int)others[i].id;
    for (enum param p = 0; p < PARAM_COUNT; p++)
        if (param_info(p)->letter == letter)
            return OPTION_PARAM + (int)p;
    return 0;
}

static const char *name_of(int id)
{
    if (id >= OPTION_PARAM)
        return param_info((enum param)(id - OPTION_PARAM))->option;
    for (int i = 0; i < OTHER_COUNT; i++)
        if ((int)others[i].id == id)
            return others[i].name;
    return "?";
}

static bool set_format(struct cli *cli, const char *value, struct cli_error *error)
{
    static const char *const names[] = {"", "text", "summary", "json", "csv", "ini",
                                        "pytorch"};

    for (int i = FORMAT_TEXT; i <= FORMAT_PYTORCH; i++) {
        if (strcmp(value, names[i]) == 0) {
            cli->format = (enum format)i;
            return true;
        }
    }
    return fail(error, "--format", "'%s': text, summary, json, csv, ini or pytorch is needed", value);
}

static bool set_colour(struct cli *cli, const char *value, struct cli_error *error)
{
    static const char *const names[] = {"auto", "always", "never", "few"};

    for (int i = WHEN_AUTO; i <= WHEN_FEW; i++) {
        if (strcmp(value, names[i]) == 0) {
            cli->colour = (enum when)i;
            return true;
        }
    }
    return fail(error, "--color", "'%s': auto, always, never or few is needed", value);
}

static bool set_width(struct cli *cli, const char *value, struct cli_error *error)
{
    uint64_t width;

    if (!count_parse(value, &width) || width < 20 || width > 10000)
        return fail(error, "--width", "'%s': a whole number from 20 to 10000 is needed", value);
    cli->width = (int)width;
    return true;
}

static bool set_target(struct cli *cli, const char *value, struct cli_error *error)
{
    double percent;

    if (!number_parse(value, &percent) || percent < 0.1 || percent > 99)
        return fail(error, "--target", "'%s': a bubble in percent from 0.1 to 99 is needed", value);
    cli->target = percent / 100;
    return true;
}

/* The report is written already. */
static bool fail_as_reported(const char *where, struct cli_error *error)
{
    struct text text;

    text_init(&text, error->where, sizeof error->where);
    text_add(&text, where);
    return false;
}

static bool check_sweep(const struct cli *cli, struct cli_error *error)
{
    struct sweep_range range;

    return sweep_range_parse(&range, cli->sweep, &error->report) ||
           fail_as_reported("--sweep", error);
}

static bool check_schedules(const struct cli *cli, struct cli_error *error)
{
    const struct pg_family *families[SWEEP_MOST_FAMILIES];
    uint32_t count;

    return sweep_families_parse(cli->sweep_schedules, families, &count, &error->report) ||
           fail_as_reported("--schedules", error);
}

/* What goes with --sweep, and what goes with nothing else. */
static bool check_together(const struct cli *cli, struct cli_error *error)
{
    bool is_form = cli->format == FORMAT_NONE || cli->format == FORMAT_TEXT ||
                   cli->format == FORMAT_CSV || cli->format == FORMAT_JSON;

    if (cli->sweep == NULL && cli->sweep_schedules != NULL)
        return fail(error, "--schedules", "'%s': --sweep is needed with it; --schedule names the one "
                                          "that is drawn", cli->sweep_schedules);
    if (cli->sweep == NULL && cli->has_measure)
        return fail(error, "--measure", "--sweep is needed with it%s", "");
    if (cli->sweep != NULL && (cli->is_compare || cli->is_families))
        return fail(error, "--sweep", "%s cannot go with it",
                    cli->is_compare ? "--compare" : "--families");
    if (cli->sweep != NULL && !is_form)
        return fail(error, "--format", "text, csv or json is needed with --sweep%s", "");
    if (!cli->is_advice && cli->target > 0)
        return fail(error, "--target", "--advice is needed with it%s", "");
    if (cli->is_advice && (cli->sweep != NULL || cli->is_families || cli->is_compare))
        return fail(error, "--advice", "it is printed by itself, not with %s",
                    cli->sweep != NULL ? "--sweep"
                    : cli->is_families ? "--families" : "--compare");
    if (cli->is_advice && !is_form)
        return fail(error, "--format", "text, csv or json is needed with --advice%s", "");
    if (cli->is_families && !is_form)
        return fail(error, "--format", "text, csv or json is needed with --families%s", "");
    return true;
}

/* What is done instead of drawing; ACTION_RUN of an option that says nothing about it. */
static enum action action_of(int id)
{
    static const struct {
        enum option_id id;
        enum action action;
    } actions[] = {{OPTION_KEYS, ACTION_KEYS},
                   {OPTION_LIST_SCHEDULES, ACTION_LIST_SCHEDULES},
                   {OPTION_LIST_SCENARIOS, ACTION_LIST_SCENARIOS},
                   {OPTION_LIST_LESSONS, ACTION_LIST_LESSONS},
                   {OPTION_HELP, ACTION_HELP},
                   {OPTION_VERSION, ACTION_VERSION}};

    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if ((int)actions[i].id == id)
            return actions[i].action;
    return ACTION_RUN;
}

static bool take_option(struct cli *cli, int id, const char *value, struct cli_error *error)
{
    if (action_of(id) != ACTION_RUN) {
        cli->action = action_of(id);
        return true;
    }
    switch (id) {
    case OPTION_PRINT:
        cli->is_print = true;
        return true;
    case OPTION_FAMILIES:
        cli->is_families = true;
        return true;
    case OPTION_ADVICE:
        cli->is_advice = true;
        return true;
    case OPTION_TARGET:
        return set_target(cli, value, error);
    case OPTION_SWEEP:
        cli->sweep = value;
        return check_sweep(cli, error);
    case OPTION_SCHEDULES:
        cli->sweep_schedules = value;
        return check_schedules(cli, error);
    case OPTION_MEASURE:
        cli->has_measure = true;
        return measure_parse(value, &cli->measure, &error->report) ||
               fail_as_reported("--measure", error);
    case OPTION_COMPARE:
        cli->is_compare = true;
        return true;
    case OPTION_BUILD:
        cli->is_build = true;
        return true;
    case OPTION_FORMAT:
        return set_format(cli, value, error);
    case OPTION_OUTPUT:
        cli->output = value;
        if (*value == '\0')
            return fail(error, "--output", "'%s': a file name is needed", value);
        return true;
    case OPTION_WIDTH:
        return set_width(cli, value, error);
    case OPTION_COLOR:
        return set_colour(cli, value, error);
    case OPTION_ASCII:
        cli->is_ascii = true;
        return true;
    case OPTION_NO_MOUSE:
        cli->has_no_mouse = true;
        return true;
    case OPTION_LESSON:
        cli->is_lesson = true;
        return true;
    default:
        cli->values[id - OPTION_PARAM] = value;
        return true;
    }
}

/* What an output file's ending says about its format. */
static bool format_by_extension(struct cli *cli, struct cli_error *error)
{
    static const struct {
        const char *ending;
        enum format format;
    } endings[] = {{".txt", FORMAT_TEXT}, {".json", FORMAT_JSON}, {".csv", FORMAT_CSV},
                   {".ini", FORMAT_INI},  {".summary", FORMAT_SUMMARY}};
    size_t length = strlen(cli->output);

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i].ending);
        if (length > ending && strcmp(cli->output + length - ending, endings[i].ending) == 0) {
            cli->format = endings[i].format;
            return true;
        }
    }
    if (strncmp(cli->output, "/dev/", 5) == 0) {
        cli->format = FORMAT_TEXT;
        return true;
    }
    return fail(error, "--output",
                "'%s': the ending says no format; .txt, .summary, .json, .csv, .ini or --format is "
                "needed", cli->output);
}

/* A comparison has two sides, and forms of its own. */
static bool check_compare(const struct cli *cli, struct cli_error *error)
{
    char count[16];
    struct text text;

    if (!cli->is_compare || cli->action != ACTION_RUN)
        return true;
    text_init(&text, count, sizeof count);
    text_addf(&text, "%d", cli->file_count);
    if (cli->file_count != 2)
        return fail(error, "--compare", "files given: %s; exactly two are needed, A and B", count);
    if (strcmp(cli->files[0], "-") == 0 && strcmp(cli->files[1], "-") == 0)
        return fail(error, "--compare", "standard input can be read once only: one of the two "
                                        "files has to be another%s", "");
    if (cli->is_families)
        return fail(error, "--compare", "two files are compared, or all families: --families "
                                        "takes no --compare%s", "");
    if (cli->format == FORMAT_INI || cli->format == FORMAT_PYTORCH)
        return fail(error, "--format", "'%s' has no room for a comparison: text, summary, json or "
                                       "csv is needed",
                    cli->format == FORMAT_INI ? "ini" : "pytorch");
    return true;
}

bool cli_parse(struct cli *cli, int argc, char **argv, struct cli_error *error)
{
    struct option longs[OTHER_COUNT + PARAM_COUNT + 1];
    char shorts[2 * (OTHER_COUNT + PARAM_COUNT) + 2], where[120];
    struct text text;
    int id;

    *cli = (struct cli){.action = ACTION_RUN, .may_wait = true};
    make_tables(longs, shorts);
    opterr = 0;
    optind = 1;
    while ((id = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        text_init(&text, where, sizeof where);
        if (id == ':') {
            text_addf(&text, "--%s", name_of(optopt < 256 ? id_of_letter(optopt) : optopt));
            return fail(error, where, "a value is needed%s", "");
        }
        if (id == '?') {
            const char *given = argv[optind - 1];
            if (optopt >= 256) {
                text_addf(&text, "--%s", name_of(optopt));
                return fail(error, where, "takes no value, %s was given", given);
            }
            if (optopt != 0)
                text_addf(&text, "-%c", optopt);
            else
                text_add(&text, given);
            return fail(error, where, "unknown or ambiguous option%s; --help lists the options", "");
        }
        if (!take_option(cli, id < 256 ? id_of_letter(id) : id, optarg, error))
            return false;
    }
    cli->files = argv + optind;
    cli->file_count = argc - optind;
    if (cli->output != NULL && cli->format == FORMAT_NONE && !format_by_extension(cli, error))
        return false;
    if (!check_together(cli, error))
        return false;
    if (cli->values[PARAM_LAYERS] != NULL &&
        !param_is_default_word(PARAM_LAYERS, cli->values[PARAM_LAYERS]) &&
        (cli->values[PARAM_FORWARD] != NULL || cli->values[PARAM_BACKWARD] != NULL))
        return fail(error, "--layers", "costs come from layers or from --forward and --backward, "
                                       "not from both%s", "");
    return check_compare(cli, error);
}

/* ---- what is printed ---- */

static void print_option(FILE *out, char letter, const char *name, const char *metavar,
                         const char *help)
{
    char left[60];
    struct text text;

    text_init(&text, left, sizeof left);
    if (letter != 0)
        text_addf(&text, "-%c, --%s", letter, name);
    else
        text_addf(&text, "    --%s", name);
    if (metavar != NULL)
        text_addf(&text, " %s", metavar);
    if (text.length > 26)
        fprintf(out, "  %s\n  %26s  %s\n", left, "", help);
    else
        fprintf(out, "  %-26s  %s\n", left, help);
}

bool cli_wants_colour(const struct cli *cli)
{
    const char *no_colour = getenv("NO_COLOR");

    if (cli->colour != WHEN_AUTO)
        return cli->colour != WHEN_NEVER;
    return no_colour == NULL || no_colour[0] == '\0';
}

void cli_print_help(FILE *out)
{
    fputs("Usage: pipegantt [OPTION]... [FILE]...\n"
          "Shows a pipeline-parallel training step as a Gantt chart, one lane a stage, and lets keys\n"
          "change it. FILE is a scenario (.ini), a schedule table (.csv) or the name of an installed\n"
          "scenario; several are a slide show; - reads standard input. Options override what files\n"
          "say.\n\n", out);
    for (enum param p = 0; p < PARAM_COUNT; p++) {
        const struct param_info *info = param_info(p);
        char help[120];
        struct text text;
        if (info->option[0] == '\0')
            continue;
        text_init(&text, help, sizeof help);
        text_addf(&text, "%s; default %s", info->help, param_default(p));
        print_option(out, info->letter, info->option, info->metavar, help);
    }
    fputs("\nEach of these takes " PARAM_DEFAULT " too: as if neither option nor file said "
          "anything.\n", out);
    fputs("\n", out);
    for (int i = 0; i < OTHER_COUNT; i++)
        print_option(out, others[i].letter, others[i].name, others[i].metavar, others[i].help);
    fputs("\nExit status: 0 done, 1 could not read, write or allocate, 2 a wrong option or "
          "scenario.\n", out);
}

void cli_print_keys(FILE *out)
{
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        const struct command_info *info = command_info(c);
        fprintf(out, "%s\t%s\t%s\n", info->keys, info->name, info->help);
    }
    for (enum build_key k = 0; k < BUILD_KEY_COUNT; k++) {
        const struct build_key_info *info = build_key_info(k);
        fprintf(out, "%s\t%s\t%s\n", info->keys, info->name, info->help);
    }
}

void cli_print_schedules(FILE *out)
{
    uint32_t count;
    const struct pg_family *families = pg_families(&count);

    for (uint32_t i = 0; i < count; i++) {
        char needs[200];
        struct text text;
        text_init(&text, needs, sizeof needs);
        rule_words(&families[i], NULL, &text);
        fprintf(out, "%s\t%s\t%s\t%s\t%s\n", families[i].name, families[i].title, needs,
                families[i].formula[0] != '\0' ? families[i].formula : "-", families[i].source);
    }
}
