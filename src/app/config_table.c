/* Schedule tables as files: see config_table.h.
 *
 * What a table means is model/table.h's. Here bytes come off the disk, errors get the file's name
 * before row and cell, and the path of a table is turned into one that its scenario file can carry
 * along when both are moved together. */
#include "app/config_table.h"

#include "app/input.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)256 << 20)

/* ---- reading ---- */

void file_error_name(struct file_error *error, const char *name)
{
    const size_t most = 200;
    size_t length = strlen(name);
    struct text text;

    text_init(&text, error->where, sizeof error->where - 32);
    if (length > most) {
        text_add(&text, "…");
        for (name += length - most; ((unsigned char)*name & 0xc0u) == 0x80u;)
            name++;
    }
    text_printable(&text, name);
}

static struct table *fail(struct file_error *error, const char *path, int status, const char *what,
                          const char *why)
{
    struct text text;

    file_error_name(error, path);
    text_init(&text, error->report.text, sizeof error->report.text);
    text_addf(&text, "%s%s", what, why);
    error->status = status;
    return NULL;
}

static struct table *fail_at(struct file_error *error, const char *path,
                             const struct table_error *wrong)
{
    fail(error, path, wrong->is_memory ? 1 : 2, wrong->text, "");
    if (wrong->row == 0)
        return NULL;
    size_t length = strlen(error->where);
    snprintf(error->where + length, sizeof error->where - length, ":%u:%u", wrong->row,
             wrong->column);
    return NULL;
}

/* The whole stream, to be freed; NULL with errno, EFBIG when there is too much of it. */
static char *read_all(FILE *stream, size_t *count)
{
    size_t room = 1 << 16;
    char *bytes = malloc(room);

    *count = 0;
    while (bytes != NULL) {
        *count += fread(bytes + *count, 1, room - *count, stream);
        if (*count < room && !ferror(stream))
            return bytes;
        int why = ferror(stream) ? errno : *count >= MOST_BYTES ? EFBIG : 0;
        char *larger = why != 0 ? NULL : realloc(bytes, room *= 2);
        if (larger == NULL) {
            free(bytes);
            errno = why != 0 ? why : ENOMEM;
        }
        bytes = larger;
    }
    return NULL;
}

struct table *table_file_read(FILE *stream, const char *path, struct file_error *error)
{
    struct table_error wrong;
    size_t count;
    char *bytes = read_all(stream, &count);

    if (bytes == NULL && errno == EFBIG)
        return fail(error, path, 2, "is larger than 256 MiB", "");
    if (bytes == NULL)
        return fail(error, path, 1, "cannot be read: ", strerror(errno));
    struct table *table = table_parse(bytes, count, path, &wrong);
    free(bytes);
    return table != NULL ? table : fail_at(error, path, &wrong);
}

struct table *table_file_open(const char *path, bool may_wait, struct file_error *error)
{
    FILE *stream = input_open(path, may_wait, error);

    if (stream == NULL)
        return NULL;
    struct table *table = table_file_read(stream, path, error);
    fclose(stream);
    return table;
}

const char *table_note(const struct scenario *scenario)
{
    if (scenario->table == NULL || !scenario->table->is_old_naming)
        return NULL;
    return "an old table: its B was read as I (input gradient), and its BW as B (whole backward)";
}

/* ---- names ---- */

/* The folder of a file with its last slash; "" for the one we are in. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

char *path_join(const char *from, const char *name)
{
    size_t folder = name[0] == '/' ? 0 : folder_length(from);
    char *path = malloc(folder + strlen(name) + 1);

    if (path != NULL) {
        memcpy(path, from, folder);
        strcpy(path + folder, name);
    }
    return path;
}

/* From one folder to a file, both from the root; to be freed. */
static char *relative(const char *folder, const char *file)
{
    size_t same = 0, up = 0;
    const char *rest = folder;

    /* `same`: what both have in common, up to and with a slash. */
    for (size_t i = 0; folder[i] == file[i] && file[i] != '\0'; i++)
        if (file[i] == '/')
            same = i + 1;
    size_t length = strlen(folder);
    if (length > 1 && strncmp(folder, file, length) == 0 && file[length] == '/')
        same = length + 1;
    rest += same < length ? same : length;
    for (; *rest != '\0'; rest++)
        up += *rest == '/';
    up += same < length && length > 1;
    char *path = malloc(up * 3 + strlen(file + same) + 1);
    if (path == NULL)
        return NULL;
    for (size_t i = 0; i < up; i++)
        strcpy(path + i * 3, "../");
    strcpy(path + up * 3, file + same);
    return path;
}

char *path_from(const char *from, const char *path)
{
    char folder[PATH_MAX], file[PATH_MAX], given[PATH_MAX];
    struct text text;

    text_init(&text, given, sizeof given);
    if (from != NULL)
        text_addf(&text, "%.*s.", (int)folder_length(from), from);
    errno = 0;
    bool is_file = from != NULL && strncmp(from, "/dev/", 5) != 0 && path[0] != '/' &&
                   realpath(given, folder) != NULL && realpath(path, file) != NULL;
    if (!is_file && errno == ENOMEM)
        return NULL; /* the name as it is would be seen from another folder */
    return is_file ? relative(folder, file) : strdup(path);
}
