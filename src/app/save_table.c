/* An order on its way to a file: see save_table.h. A table says less than a scenario (no costs), so
 * writing one does not count as saving. */
#include "app/save_table.h"

#include "app/config.h"
#include "app/output.h"

#include <stdlib.h>
#include <unistd.h>

/* What no table can hold; false with a message. */
static bool is_tabular(struct session *session, const struct snapshot *snapshot,
                       const struct pg_plan *plan)
{
    struct text text;
    char line[200];

    text_init(&text, line, sizeof line);
    if (plan->is_partial)
        text_addf(&text, "not written: %u operations are still to be placed; c finishes",
                  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): only what is built is partial */
                  snapshot->build->total - (uint32_t)plan->ops);
    else if (plan->replicas > 1)
        text_add(&text, "not written: a table has one replica of the model, this order two");
    else
        return true;
    session_message(session, line, true);
    return false;
}

static void say_why(struct session *session, const char *path, const struct report *report)
{
    struct file_error error;
    struct text text;
    char message[900];

    file_error_name(&error, path);
    text_init(&text, message, sizeof message);
    text_addf(&text, "%s: %s", error.where, report->text);
    session_message(session, message, true);
}

static void ask(struct session *session, const struct request *request)
{
    struct text text;
    char question[400];

    text_init(&text, question, sizeof question);
    text_printable(&text, request->path);
    text_add(&text, " exists. Replace it?  y replaces, n keeps it");
    session_confirm(session, question, request);
}

void save_table(struct session *session, const struct request *request)
{
    struct snapshot snapshot;
    struct report report;
    struct text text;
    char path[4096];

    session_snapshot(session, &snapshot);
    const struct pg_plan *plan = snapshot.build != NULL ? &snapshot.build->outcome->plan
                                                        : &snapshot.outcome->plan;
    if (!is_tabular(session, &snapshot, plan))
        return;
    if (!request->is_forced && access(request->path, F_OK) == 0) {
        ask(session, request);
        return;
    }
    text_init(&text, path, sizeof path); /* the request's own goes with the next message */
    text_add(&text, request->path);
    size_t size = table_write_size(plan);
    char *bytes = malloc(size);
    if (bytes == NULL) {
        session_message(session, "there is not enough memory to write the table", true);
        return;
    }
    text_init(&text, bytes, size);
    table_write(plan, &text);
    if (output_replace(path, bytes, text.length, &report))
        session_table_saved(session, path);
    else
        say_why(session, path, &report);
    free(bytes);
}
