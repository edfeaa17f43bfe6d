/* Any bytes as a scenario file: either an error with its place, or a scenario that can be run (or is
 * refused in words) and is the same after it was written and read again. */
#include "fuzz.h"

#include "app/config.h"

#include <stdlib.h>

static void check_error(const struct file_error *error)
{
    must(error->status == 1 || error->status == 2);
    check_sentence(error->where);
    check_sentence(error->report.text);
}

/* A name in tests/corpus/scenario/, where there is a table beside it that a scenario may name. */
static const char *file_name(void)
{
    static char name[4096];
    const char *top = getenv("SRCDIR");

    if (name[0] == '\0')
        snprintf(name, sizeof name, "%s/tests/corpus/scenario/fuzz.ini", top != NULL ? top : ".");
    return name;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file_error error;
    struct config config;

    if (size == 0 || size > 4096 || names_foreign_file(data, size))
        return 0;
    FILE *stream = fmemopen((void *)(uintptr_t)data, size, "r");
    must(stream != NULL);
    bool is_good = config_read(stream, file_name(), &config, &error);
    fclose(stream);
    if (!is_good) {
        check_error(&error);
        return 0;
    }
    check_saving(&config.scenario);
    check_scenario(&config.scenario);
    config_free(&config);
    return 0;
}
