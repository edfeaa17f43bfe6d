/* The contents of a file of unsaved changes: see kept_text.h.
 *
 * It is a scenario file, and what a scenario cannot say stands in comments before it: whose it is,
 * a table that is in no file of its own (the scenario then names it "file:"), the moves of a
 * schedule that is being built. So one file has everything and is there whole or not at all: its
 * last line says that it was written to its end. */
#include "app/kept_text.h"

#include "app/bytes.h"
#include "app/config_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAST_LINE "; end of the unsaved changes\n"
#define WRAP 1000 /* bytes of a line, where its words allow */

void kept_host(char *host, size_t size)
{
    struct text text;
    char name[256];

    if (gethostname(name, sizeof name) != 0)
        name[0] = '\0';
    name[sizeof name - 1] = '\0';
    text_init(&text, host, size < 41 ? size : 41);
    for (const char *c = name; *c != '\0'; c++)
        text_addf(&text, "%c", strchr("-._", *c) != NULL || (*c >= '0' && *c <= '9') ||
                                       (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')
                                   ? *c : '_');
    if (host[0] == '\0')
        text_add(&text, "host");
}

/* ---- out ---- */

const char *kept_flaw(const struct scenario *scenario)
{
    bool is_by_hand = scenario->table != NULL && scenario->table->path[0] == '\0';
    return is_by_hand ? NULL : config_flaw(scenario);
}

static bool has_control(const char *s)
{
    for (; *s != '\0'; s++)
        if ((unsigned char)*s < ' ' || *s == 127)
            return true;
    return false;
}

/* A path is told from the root, for the next start may be elsewhere; the part of it that is there
 * can be resolved, the rest is a name. */
static void write_path(FILE *out, const char *path)
{
    char folder[2048];

    if (path == NULL || has_control(path))
        return;
    if (path[0] == '/')
        fprintf(out, "; path = %s\n", path);
    else if (getcwd(folder, sizeof folder) != NULL && !has_control(folder))
        fprintf(out, "; path = %s/%s\n", folder, path);
}

/* A value in as many lines as it needs; it is cut behind `mark`, which then is the last of a line
 * and says that the next one goes on with it. */
static void write_long(FILE *out, const char *key, const char *value, size_t length, char mark)
{
    while (length > WRAP) {
        const char *end = memchr(value + WRAP, mark, length - WRAP);
        size_t count = end == NULL ? length : (size_t)(end - value) + 1;
        if (count == length)
            break;
        fprintf(out, "; %s = %.*s\n", key, (int)count, value);
        value += count;
        length -= count;
    }
    fprintf(out, "; %s = %.*s\n", key, (int)length, value);
}

/* A table that is in no file, a row a device. */
static bool write_table(FILE *out, const struct scenario *scenario)
{
    struct outcome outcome = {.block = NULL};
    struct refusal refusal;
    struct text text;

    if (scenario->table == NULL || scenario->table->path[0] != '\0')
        return true;
    bool is_good = outcome_run(&outcome, scenario, &refusal);
    size_t size = is_good ? table_write_size(&outcome.plan) : 0;
    char *rows = is_good ? malloc(size) : NULL;
    if (rows != NULL) {
        text_init(&text, rows, size);
        table_write(&outcome.plan, &text);
    }
    for (const char *row = rows, *end; rows != NULL && (end = strchr(row, '\r')) != NULL;
         row = end + 2)
        write_long(out, "table", row, (size_t)(end - row), ',');
    free(rows);
    outcome_free(&outcome);
    return rows != NULL;
}

static bool write_moves(FILE *out, const struct session *session)
{
    size_t size = session_build_size(session);
    char *moves = malloc(size);
    struct text text;

    if (moves == NULL)
        return false;
    text_init(&text, moves, size);
    session_build_write(session, &text);
    write_long(out, "moves", moves, text.length, ' ');
    free(moves);
    return true;
}

char *kept_text(const struct unsaved *unsaved, const struct session *session, size_t *size)
{
    char *ini = config_text_from_root(unsaved->scenario), host[80];
    struct bytes bytes;
    FILE *out = ini == NULL ? NULL : bytes_open(&bytes);

    if (out == NULL) {
        free(ini);
        return NULL;
    }
    kept_host(host, sizeof host);
    fputs("; Unsaved changes of pipegantt: as long as they are here its next start offers them.\n",
          out);
    fprintf(out, "; name = %s\n", has_control(unsaved->name) ? "" : unsaved->name);
    write_path(out, unsaved->path);
    fprintf(out, "; host = %s\n; process = %ld\n", host, (long)getpid());
    bool is_good = write_table(out, unsaved->scenario) &&
                   (session == NULL || write_moves(out, session));
    fprintf(out, "%s" LAST_LINE, ini);
    free(ini);
    if (!bytes_close(out, &bytes))
        return NULL;
    *size = bytes.count;
    if (is_good)
        return bytes.text;
    free(bytes.text);
    return NULL;
}

/* ---- in ---- */

bool kept_is_whole(int file)
{
    char end[sizeof LAST_LINE] = "";
    struct stat status;
    off_t length = sizeof LAST_LINE - 1;

    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
           status.st_size > length &&
           pread(file, end, (size_t)length, status.st_size - length) == length &&
           strcmp(end, LAST_LINE) == 0;
}

/* What stands behind "; KEY = "; NULL where the line is another one. */
static const char *value_of(const char *line, const char *key)
{
    size_t length = strlen(key);

    if (strncmp(line, "; ", 2) != 0 || strncmp(line + 2, key, length) != 0 ||
        strncmp(line + 2 + length, " = ", 3) != 0)
        return NULL;
    return line + 2 + length + 3;
}

static void take_line(char *to, size_t size, const char *value)
{
    struct text text;

    if (value == NULL)
        return;
    text_init(&text, to, size);
    text_addf(&text, "%.*s", (int)strcspn(value, "\n"), value);
}

void kept_owner(const char *path, struct owner *owner)
{
    char line[4200];
    FILE *stream = fopen(path, "r");

    *owner = (struct owner){"", "", "", 0, false};
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL && line[0] == ';') {
        take_line(owner->name, sizeof owner->name, value_of(line, "name"));
        take_line(owner->path, sizeof owner->path, value_of(line, "path"));
        take_line(owner->host, sizeof owner->host, value_of(line, "host"));
        const char *process = value_of(line, "process");
        owner->process = process != NULL ? strtol(process, NULL, 10) : owner->process;
        owner->is_built = owner->is_built || value_of(line, "moves") != NULL;
    }
    if (stream != NULL)
        fclose(stream);
}

/* The values of a key put together, to be freed; "" where there is none, NULL when out of memory. A
 * line that does not end in `mark` is followed by `end`. */
static char *collect(FILE *stream, const char *key, char mark, const char *end)
{
    struct bytes bytes;
    FILE *out = bytes_open(&bytes);
    char *line = NULL;
    size_t room = 0;
    bool is_short = out == NULL;

    rewind(stream);
    for (errno = 0; !is_short; errno = 0) {
        ssize_t length = getline(&line, &room, stream);
        is_short = length < 0 && errno == ENOMEM;
        if (length < 0 || line[0] != ';')
            break;
        const char *value = value_of(line, key);
        if (value == NULL)
            continue;
        size_t count = strcspn(value, "\n");
        fprintf(out, "%.*s%s", (int)count, value, count > 0 && value[count - 1] == mark ? "" : end);
    }
    free(line);
    if (out == NULL || !bytes_close(out, &bytes))
        return NULL;
    if (!is_short)
        return bytes.text;
    free(bytes.text);
    return NULL;
}

static bool fail(struct file_error *error, const char *path, int status, const char *what)
{
    struct text text;

    file_error_name(error, path);
    text_init(&text, error->report.text, sizeof error->report.text);
    text_add(&text, what);
    error->status = status;
    error->report.is_memory = false;
    return false;
}

static bool read_parts(FILE *stream, const char *path, struct config *config, char **moves,
                       struct file_error *error)
{
    struct table *table = NULL;
    struct table_error wrong;
    char *rows = collect(stream, "table", ',', "\r\n");

    *moves = collect(stream, "moves", ' ', "");
    if (rows == NULL || *moves == NULL) {
        free(rows);
        return fail(error, path, 1, "there is not enough memory to read it");
    }
    if (rows[0] != '\0')
        table = table_parse(rows, strlen(rows), "", &wrong);
    bool is_good = rows[0] == '\0' || table != NULL;
    free(rows);
    if (!is_good)
        return fail(error, path, wrong.is_memory ? 1 : 2, wrong.text);
    rewind(stream);
    is_good = config_read_with(stream, path, table, config, error);
    table_release(&table);
    return is_good;
}

bool kept_read(const char *path, struct config *config, char **moves, struct file_error *error)
{
    FILE *stream = fopen(path, "r");

    *moves = NULL;
    if (stream == NULL)
        return fail(error, path, 1, strerror(errno));
    bool is_good = read_parts(stream, path, config, moves, error);
    fclose(stream);
    if (is_good && (*moves)[0] != '\0')
        return true;
    free(*moves);
    *moves = NULL;
    return is_good;
}
