/* The program: picks what to do, and is the only file that prints errors or exits. */
#include "app/bytes.h"
#include "app/classroom.h"
#include "app/cli.h"
#include "app/config_table.h"
#include "app/desk.h"
#include "app/lesson.h"
#include "app/output.h"
#include "app/print.h"
#include "app/safe.h"
#include "app/recovery.h"
#include "app/tui.h"
#include "app/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int complain(const char *where, const char *what, int status)
{
    fputs("pipegantt: ", stderr);
    safe_print(stderr, where);
    fputs(where[0] != '\0' ? ": " : "", stderr);
    safe_print(stderr, what);
    fputc('\n', stderr);
    return status;
}

/* Did everything reach the stream? A reader that left early has what it wanted. */
static int finish(FILE *out, const char *where)
{
    if (fflush(out) == 0 && !ferror(out))
        return 0;
    return errno == EPIPE ? 0 : complain(where, strerror(errno), 1);
}

static int terminal_columns(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 100;
}

/* Colours for a printed chart: on a terminal that has them, unless something says no. */
static enum depth printed_depth(const struct cli *cli)
{
    const char *type = getenv("TERM");
    bool is_plain = type == NULL || type[0] == '\0' || strcmp(type, "dumb") == 0;

    if (cli->colour == WHEN_NEVER)
        return DEPTH_MONO;
    if (cli->colour == WHEN_ALWAYS)
        return DEPTH_256;
    if (cli->colour == WHEN_FEW)
        return DEPTH_16;
    if (cli->output != NULL || !isatty(STDOUT_FILENO) || is_plain || !cli_wants_colour(cli))
        return DEPTH_MONO;
    return strstr(type, "256") != NULL ? DEPTH_256 : DEPTH_8;
}

static struct theme printed_theme(const struct cli *cli)
{
    return (struct theme){
        .depth = printed_depth(cli),
        .is_ascii = cli->is_ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
    };
}

static int printed_columns(const struct cli *cli)
{
    return cli->width != 0 ? cli->width : cli->output != NULL ? 100 : terminal_columns();
}

/* Only who waits at a terminal wants to know; the line is gone when the sweep is done. */
static void tell_progress(const struct batch *batch, void *about)
{
    bool *has_told = about;

    fprintf(stderr, "\r%u of %u runs", batch_done(batch), batch->count);
    fflush(stderr);
    *has_told = true;
}

/* Status 0, 1 or 2; what is wrong was said. */
static int sweep_one(FILE *out, const struct cli *cli, const struct opened *opened)
{
    const struct pg_family *families[SWEEP_MOST_FAMILIES] = {opened->scenario.schedule};
    struct theme theme = printed_theme(cli);
    struct sweep_range range;
    struct report report;
    uint32_t count = 1;
    bool has_told = false;

    if (cli->sweep_schedules != NULL)
        sweep_families_parse(cli->sweep_schedules, families, &count, &report);
    sweep_range_parse(&range, cli->sweep, &report); /* both were found good before */
    struct sweep *sweep = sweep_make(&opened->scenario, &range, families, count, NULL, &report);
    if (sweep == NULL)
        return complain("--sweep", report.text, report.is_memory ? 1 : 2);
    workers_run(sweep->batch, isatty(STDERR_FILENO) ? tell_progress : NULL, &has_told);
    if (has_told)
        fputs("\r\033[K", stderr);
    bool is_done = print_sweep(out, sweep, cli->measure,
                               cli->format == FORMAT_CSV    ? SWEEP_CSV
                               : cli->format == FORMAT_JSON ? SWEEP_JSON
                                                            : SWEEP_TEXT,
                               &theme, printed_columns(cli));
    sweep_free(sweep);
    return is_done ? 0 : complain("memory", "there is not enough to print this", 1);
}

static int print_sweep_of(FILE *out, const struct cli *cli)
{
    struct outcome outcome = {.block = NULL};
    struct file_error error;
    struct opened opened;

    if (cli->file_count > 1)
        return complain("--sweep", "one scenario is swept at a time, several were given", 2);
    bool is_open = desk_open(cli, cli->file_count > 0 ? cli->files[0] : NULL, &opened, &outcome,
                             &error);
    outcome_free(&outcome);
    if (!is_open)
        return complain(error.where, error.report.text, error.status);
    int status = sweep_one(out, cli, &opened);
    opened_free(&opened);
    return status;
}

static int print_lesson(FILE *out, const struct cli *cli)
{
    struct theme theme = printed_theme(cli);
    struct file_error error;
    int status = classroom_print(out, cli, &theme, printed_columns(cli), &error);

    return status == 0 ? 0 : complain(error.where, error.report.text, status);
}

/* `pinned` stands above it as A, unless it is NULL. */
static bool print_text(FILE *out, const struct cli *cli, const struct opened *pinned,
                       const struct opened *opened)
{
    struct session *session = session_make();
    struct origin origin = {opened->name, NULL, false};
    struct refusal refusal;
    struct snapshot snapshot;
    struct theme theme = printed_theme(cli);
    int columns = printed_columns(cli);
    bool is_done = session != NULL;

    if (pinned != NULL)
        is_done = is_done &&
                  session_load(session, &pinned->scenario, &(struct origin){pinned->name, NULL, false},
                               &refusal) &&
                  session_pin_loaded(session);
    is_done = is_done && session_load(session, &opened->scenario, &origin, &refusal);

    if (is_done) {
        session_snapshot(session, &snapshot);
        is_done = (pinned == NULL || snapshot.compared.a.outcome != NULL) &&
                  print_chart(out, &snapshot, &theme, columns);
    }
    session_free(session);
    return is_done;
}

static bool print_one(FILE *out, const struct cli *cli, const struct opened *opened,
                      struct outcome *outcome)
{
    if (table_note(&opened->scenario) != NULL)
        complain(opened->name, table_note(&opened->scenario), 0);
    if (cli->is_advice)
        return print_advice(out, &opened->scenario, outcome,
                            cli->target > 0 ? cli->target : ADVICE_TARGET,
                            cli->format == FORMAT_CSV    ? FAMILIES_CSV
                            : cli->format == FORMAT_JSON ? FAMILIES_JSON
                                                         : FAMILIES_TEXT);
    if (cli->is_families)
        return print_families(out, &opened->scenario,
                              cli->format == FORMAT_CSV    ? FAMILIES_CSV
                              : cli->format == FORMAT_JSON ? FAMILIES_JSON
                                                           : FAMILIES_TEXT);
    switch (cli->format) {
    case FORMAT_SUMMARY:
        return print_summary(out, &opened->scenario, outcome);
    case FORMAT_JSON:
        return print_json(out, &opened->scenario, outcome);
    case FORMAT_CSV:
        return print_csv(out, outcome);
    case FORMAT_PYTORCH:
        return print_pytorch(out, outcome);
    case FORMAT_INI: {
        char *ini = config_text_for(&opened->scenario, cli->output);
        if (ini != NULL)
            fputs(ini, out);
        free(ini);
        return ini != NULL;
    }
    default:
        return print_text(out, cli, NULL, opened);
    }
}

/* Every file is opened and run before the first is printed, so that an error leaves standard output
 * empty. */
static int check_all(const struct cli *cli, struct outcome *outcome)
{
    struct file_error error;
    struct opened opened;

    for (int i = 0; i + 1 < cli->file_count; i++) {
        if (strcmp(cli->files[i], "-") == 0)
            return complain("-", "standard input can only be printed by itself", 2);
        if (!desk_open(cli, cli->files[i], &opened, outcome, &error))
            return complain(error.where, error.report.text, error.status);
        opened_free(&opened);
    }
    return 0;
}

static int print_files(FILE *out, const struct cli *cli)
{
    if (cli->is_lesson)
        return print_lesson(out, cli);
    if (cli->sweep != NULL)
        return print_sweep_of(out, cli);
    struct outcome outcome = {.block = NULL};
    struct file_error error;
    struct opened opened;
    int count = cli->file_count > 0 ? cli->file_count : 1;
    int status = count > 1 ? check_all(cli, &outcome) : 0;
    /* The last one is checked by being opened; it is kept while the others are printed. */
    struct outcome last = {.block = NULL};
    struct opened last_opened;
    const char *last_file = cli->file_count > 0 ? cli->files[count - 1] : NULL;

    if (status == 0 && !desk_open(cli, last_file, &last_opened, &last, &error))
        status = complain(error.where, error.report.text, error.status);
    if (status != 0) {
        outcome_free(&outcome);
        outcome_free(&last);
        return status;
    }
    bool is_done = true;
    for (int i = 0; i + 1 < count && is_done && !ferror(out); i++) {
        if (!desk_open(cli, cli->files[i], &opened, &outcome, &error)) {
            status = complain(error.where, error.report.text, error.status);
            break; /* it was there a moment ago */
        }
        is_done = print_one(out, cli, &opened, &outcome);
        opened_free(&opened);
        if (!is_done)
            break;
        if (cli->format == FORMAT_TEXT || cli->format == FORMAT_SUMMARY || cli->format == FORMAT_INI ||
            cli->format == FORMAT_PYTORCH)
            fputc('\n', out);
    }
    is_done = is_done && (status != 0 || print_one(out, cli, &last_opened, &last));
    opened_free(&last_opened);
    outcome_free(&outcome);
    outcome_free(&last);
    return is_done ? status : complain("memory", "there is not enough to print this", 1);
}

static bool print_pair(FILE *out, const struct cli *cli, const struct opened opened[2],
                       struct outcome outcomes[2])
{
    struct side sides[2];
    struct compared compared;
    bool is_done = true;

    if (cli->format == FORMAT_TEXT)
        return print_text(out, cli, &opened[0], &opened[1]);
    for (int i = 0; i < 2; i++) {
        sides[i] = (struct side){.scenario = &opened[i].scenario, .outcome = &outcomes[i],
                                 .idle = outcome_idle(&outcomes[i]), .name = opened[i].name};
        is_done = is_done && sides[i].idle != NULL;
    }
    compare_make(&compared, &sides[0], &sides[1]);
    if (is_done)
        is_done = cli->format == FORMAT_SUMMARY ? print_compared_summary(out, &compared)
                  : cli->format == FORMAT_CSV   ? print_compared_csv(out, &compared)
                                                : print_compared_json(out, outcomes, &compared);
    return is_done;
}

/* Both are opened before anything is printed, so that an error leaves standard output empty. */
static int print_compared(FILE *out, const struct cli *cli)
{
    struct outcome outcomes[2] = {{.block = NULL}, {.block = NULL}};
    struct opened opened[2];
    struct file_error error;
    int count = 0, status = 0;

    while (count < 2 && desk_open(cli, cli->files[count], &opened[count], &outcomes[count], &error))
        count++;
    if (count < 2) {
        status = complain(error.where, error.report.text, error.status);
    } else {
        for (int i = 0; i < 2; i++)
            if (table_note(&opened[i].scenario) != NULL)
                complain(opened[i].name, table_note(&opened[i].scenario), 0);
        if (!print_pair(out, cli, opened, outcomes))
            status = complain("memory", "there is not enough to print this", 1);
    }
    for (int i = 0; i < 2; i++)
        outcome_free(&outcomes[i]);
    while (count > 0)
        opened_free(&opened[--count]);
    return status;
}

static int print_to_file(const struct cli *cli)
{
    struct bytes bytes;
    struct report report;
    FILE *out = bytes_open(&bytes);

    if (out == NULL)
        return complain("memory", strerror(errno), 1);
    int status = cli->is_compare ? print_compared(out, cli) : print_files(out, cli);
    if (!bytes_close(out, &bytes) && status == 0)
        status = complain("memory", "there is not enough to print this", 1);
    if (status == 0 && !output_write(cli->output, bytes.text, bytes.count, &report)) {
        char where[320];
        struct text text;
        text_init(&text, where, sizeof where);
        text_printable(&text, cli->output);
        status = complain(where, report.text, 1);
    }
    free(bytes.text);
    return status;
}

/* A terminal that can be read: one opened for writing alone would stay silent. */
static bool gives_keys(int file)
{
    return isatty(file) && (fcntl(file, F_GETFL) & O_ACCMODE) != O_WRONLY;
}

static int run_screen(const struct cli *cli)
{
    struct session *session = session_make();
    struct recovery recovery;
    struct desk desk = {.cli = cli, .recovery = &recovery};
    struct file_error error;
    struct report report;
    FILE *keys = gives_keys(STDIN_FILENO) ? stdin : fopen("/dev/tty", "r");
    int status = 1;
    bool rereads = false;
    const char *file = cli->file_count > 0 ? cli->files[0] : NULL;

    recovery_init(&recovery);
    for (int i = 0; i < cli->file_count && cli->file_count > 1 && !cli->is_compare; i++)
        if (strcmp(cli->files[i], "-") == 0)
            rereads = true; /* a show goes back and forth */
    if (rereads)
        status = complain("-", "standard input can be read once only: not among several files", 2);
    else if (session == NULL)
        status = complain("memory", "there is not enough to start", 1);
    else if (keys == NULL)
        status = complain("", "standard input is no terminal and there is no other one to read "
                              "keys from; --print draws the chart without", 1);
    else if (!(cli->is_lesson    ? classroom_begin(&desk, session, file, &error)
               : cli->is_compare ? desk_show_compared(&desk, session, &error)
                                 : desk_show_slide(&desk, session, 0, &error)))
        status = complain(error.where, error.report.text, error.status);
    else {
        struct cli on_screen = *cli;
        on_screen.may_wait = false;
        desk.cli = &on_screen;
        if (cli->is_build)
            session_apply(session, COMMAND_BUILD);
        /* These two begin with something else to do. */
        recovery_offer(&recovery, session, !cli->is_build && !cli->is_lesson);
        status = tui_run(&desk, session, keys, &report);
        if (report.text[0] != '\0')
            complain("", report.text, status);
    }
    session_free(session);
    recovery_free(&recovery);
    classroom_close(&desk);
    if (keys != NULL && keys != stdin)
        fclose(keys);
    return status;
}

/* Whole or not at all. */
static int print_list(bool (*list)(FILE *), const char *what)
{
    struct bytes bytes = {.text = NULL};
    FILE *out = bytes_open(&bytes);
    bool is_whole = out != NULL && list(out);

    is_whole = out != NULL && bytes_close(out, &bytes) && is_whole;
    if (is_whole)
        fputs(bytes.text, stdout);
    free(bytes.text);
    return is_whole ? finish(stdout, "standard output") : complain("memory", what, 1);
}

static int run_action(const struct cli *cli)
{
    switch (cli->action) {
    case ACTION_HELP:
        cli_print_help(stdout);
        break;
    case ACTION_VERSION:
        puts("pipegantt " PACKAGE_VERSION);
        break;
    case ACTION_KEYS:
        cli_print_keys(stdout);
        break;
    case ACTION_LIST_SCHEDULES:
        cli_print_schedules(stdout);
        break;
    case ACTION_LIST_SCENARIOS:
        return print_list(desk_list_scenarios, "there is not enough to list all scenarios");
    case ACTION_LIST_LESSONS:
        return print_list(lessons_list, "there is not enough to list all lessons");
    case ACTION_RUN:
        break;
    }
    return finish(stdout, "standard output");
}

int main(int argc, char **argv)
{
    struct cli cli;
    struct cli_error error;

    setlocale(LC_CTYPE, ""); /* and nothing else: numbers keep their point */
    signal(SIGXFSZ, SIG_IGN);  /* a file that gets too large is an error of its own */
    if (!cli_parse(&cli, argc, argv, &error))
        return complain(error.where, error.report.text, 2);
    if (cli.action != ACTION_RUN) {
        signal(SIGPIPE, SIG_IGN);
        return run_action(&cli);
    }
    if (cli.is_lesson && !classroom_check(&cli, &error))
        return complain(error.where, error.report.text, 2);
    if (cli.format == FORMAT_NONE && !cli.is_print && !cli.is_families && !cli.is_advice &&
        cli.sweep == NULL && cli.output == NULL && isatty(STDOUT_FILENO))
        return run_screen(&cli);
    if (cli.is_build)
        return complain("--build", "a schedule is built on a screen: without --print, --families, "
                                   "--format and --output, and on a terminal", 2);
    signal(SIGPIPE, SIG_IGN);
    if (cli.format == FORMAT_NONE)
        cli.format = FORMAT_TEXT;
    if (cli.output != NULL)
        return print_to_file(&cli);
    int status = cli.is_compare ? print_compared(stdout, &cli) : print_files(stdout, &cli);
    return status != 0 ? status : finish(stdout, "standard output");
}
