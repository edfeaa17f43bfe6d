/* The command line: options to a struct, options over scenarios, and what --help prints. */
#ifndef APP_CLI_H
#define APP_CLI_H

#include "app/config.h"
#include "model/sweep.h"

#include <stdio.h>

enum format {
    FORMAT_NONE,
    FORMAT_TEXT,
    FORMAT_SUMMARY,
    FORMAT_JSON,
    FORMAT_CSV,
    FORMAT_INI,
    FORMAT_PYTORCH,
};

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER, WHEN_FEW }; /* FEW: always, but 16 of them */

enum action {
    ACTION_RUN,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_KEYS,
    ACTION_LIST_SCHEDULES,
    ACTION_LIST_SCENARIOS,
    ACTION_LIST_LESSONS,
};

struct cli {
    enum action action;
    const char *values[PARAM_COUNT]; /* of options that set a parameter; NULL: not given */
    char **files;
    int file_count;
    bool is_print, is_families, is_compare, is_advice, is_lesson, is_build;
    double target; /* of --advice: a share; 0: not given */
    const char *sweep, *sweep_schedules; /* NULL: not given */
    enum measure measure;
    bool has_measure;
    enum format format;
    const char *output;
    int width; /* 0: not given */
    enum when colour;
    bool is_ascii, has_no_mouse;
    bool may_wait; /* for what comes out of a pipe or a device: no screen is open yet */
};

/* A message without "pipegantt: ": where, what is wrong, and the exit status it deserves. */
struct cli_error {
    char where[320];
    struct report report;
    int status;
};

/* Permutes argv so that files come last, and points into it. */
bool cli_parse(struct cli *cli, int argc, char **argv, struct cli_error *error);
/* Puts the options over a scenario. On failure it may be half changed. */
bool cli_apply(const struct cli *cli, struct scenario *scenario, struct cli_error *error);
/* "--forward" where the parameter came from an option, else NULL. */
const char *cli_option_of(const struct cli *cli, enum param param, char *buffer, size_t size);

/* As the options and NO_COLOR say. */
bool cli_wants_colour(const struct cli *cli);

void cli_print_help(FILE *out);
void cli_print_keys(FILE *out);
void cli_print_schedules(FILE *out);

#endif
