/* Any bytes as a command line, words ending at NUL or newline: either an error that names an option, or
 * options over the default scenario, which then runs or is refused in words, and saves. */
#include "fuzz.h"

#include "app/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 40

/* getopt remembers where in a word it was when a mistake made us stop. */
static void forget_last_words(void)
{
    char name[] = "fuzz", *none[] = {name, NULL};

    optind = 0;
    must(getopt_long(1, none, "", &(struct option){NULL, 0, NULL, 0}, NULL) == -1);
}

/* Cuts a NUL-terminated copy into words; returns how many. argv[0] is the program. */
static int cut(char *line, size_t size, char **words)
{
    static char name[] = "pipegantt";
    int count = 0;

    words[count++] = name;
    for (size_t i = 0; i < size && count < MOST_WORDS; i++) {
        size_t length = strcspn(line + i, "\n");
        words[count++] = line + i;
        line[i + length] = '\0';
        i += length;
    }
    words[count] = NULL;
    return count;
}

static void check_error(const struct cli_error *error)
{
    must(error->status == 1 || error->status == 2);
    check_text(error->where);
    check_sentence(error->report.text);
}

static void check_options(const struct cli *cli)
{
    struct scenario scenario, other;
    struct cli_error error;

    must(scenario_init(&scenario) && scenario_init(&other));
    bool is_good = cli_apply(cli, &scenario, &error);
    if (!is_good) {
        check_error(&error);
    } else {
        must(cli_apply(cli, &other, &error) && scenario_equal(&scenario, &other));
        check_scenario(&scenario);
        struct refusal refusal;
        if (scenario_check(&scenario, &refusal))
            check_saving(&scenario);
    }
    scenario_free(&scenario);
    scenario_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words[MOST_WORDS + 1];
    struct cli_error error;
    struct cli cli;

    if (size > 2048)
        return 0;
    char *line = malloc(size + 1);
    must(line != NULL);
    memcpy(line, data, size);
    line[size] = '\0';
    int count = cut(line, size, words);
    forget_last_words();
    bool is_good = cli_parse(&cli, count, words, &error);
    if (!is_good) {
        check_error(&error);
    } else {
        must(cli.file_count >= 0 && cli.files + cli.file_count == words + count);
        const char *schedule = cli.values[PARAM_SCHEDULE];
        if (schedule == NULL || table_named(schedule) == NULL)
            check_options(&cli); /* without opening what a table may be named */
    }
    free(line);
    return 0;
}
