/* Which steps of which courses were answered rightly, kept between runs in one small file:
 * $XDG_STATE_HOME/pipegantt/lessons, else $HOME/.local/state/pipegantt/lessons.
 *
 *     pipegantt lessons 1
 *     COURSE <tab> STEP
 *
 * A lesson never depends on it: what cannot be read is left out of account, what cannot be written
 * is said, and nothing here waits for anybody. */
#include "app/lesson.h"
#include "app/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER "pipegantt lessons 1\n"
#define MOST_BYTES ((size_t)1 << 20)

static bool say(struct report *report, const char *what, const char *path, const char *why)
{
    struct text text;

    text_init(&text, report->text, sizeof report->text);
    text_add(&text, what);
    text_printable(&text, path);
    text_add(&text, why[0] != '\0' ? ": " : "");
    text_add(&text, why);
    return false;
}

/* The folder of states that stays with the user, to be freed. NULL when there is none. */
static char *state_folder(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME"), *tail = "/pipegantt";

    if (state == NULL || state[0] != '/') { /* relative ones are to be ignored, says XDG */
        state = home;
        tail = "/.local/state/pipegantt";
    }
    if (state == NULL || state[0] != '/')
        return NULL;
    char *folder = malloc(strlen(state) + strlen(tail) + 1);
    if (folder != NULL) {
        strcpy(folder, state);
        strcat(folder, tail);
    }
    return folder;
}

static char *file_in(const char *folder)
{
    static const char name[] = "/lessons";
    char *path = folder == NULL ? NULL : malloc(strlen(folder) + sizeof name);

    if (path != NULL) {
        strcpy(path, folder);
        strcat(path, name);
    }
    return path;
}

/* ---- reading ---- */

/* The file's bytes with a NUL behind, to be freed. NULL with errno; EINVAL: it is no such file. */
static char *slurp(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), why = EINVAL;
    char *bytes = NULL;
    size_t count = 0;
    ssize_t got = 1;

    if (file < 0)
        return NULL;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        (size_t)status.st_size <= MOST_BYTES) {
        bytes = malloc((size_t)status.st_size + 1);
        why = ENOMEM;
    }
    while (bytes != NULL && got > 0 && count < (size_t)status.st_size) {
        got = read(file, bytes + count, (size_t)status.st_size - count);
        count += got > 0 ? (size_t)got : 0;
    }
    if (bytes != NULL && got < 0) {
        why = errno;
        free(bytes);
        bytes = NULL;
    }
    if (bytes != NULL)
        bytes[count] = '\0';
    if (bytes != NULL && strlen(bytes) != count) { /* a NUL in it */
        why = EINVAL;
        free(bytes);
        bytes = NULL;
    }
    close(file);
    errno = why;
    return bytes;
}

static bool is_sound(const char *bytes)
{
    if (*bytes == '\0')
        return true; /* made, but never written */
    if (strncmp(bytes, HEADER, strlen(HEADER)) != 0)
        return false;
    for (bytes += strlen(HEADER); *bytes != '\0';) {
        size_t length = strcspn(bytes, "\n"), course = strcspn(bytes, "\t\n");
        if (bytes[length] != '\n' || course == 0 || course + 1 >= length ||
            memchr(bytes + course + 1, '\t', length - course - 1) != NULL)
            return false;
        bytes += length + 1;
    }
    return true;
}

/* Is the line COURSE <tab> STEP there? */
static bool has_line(const char *bytes, const char *course, const char *step)
{
    size_t course_length = strlen(course), step_length = strlen(step);

    while ((bytes = strchr(bytes, '\n')) != NULL) {
        bytes++;
        if (strncmp(bytes, course, course_length) == 0 && bytes[course_length] == '\t' &&
            strncmp(bytes + course_length + 1, step, step_length) == 0 &&
            bytes[course_length + 1 + step_length] == '\n')
            return true;
    }
    return false;
}

/* The sound contents, to be freed; NULL when there are none: then errno is ENOENT or the report
 * says why. */
static char *read_sound(const char *path, struct report *report)
{
    char *bytes = slurp(path);

    if (bytes != NULL && is_sound(bytes))
        return bytes;
    bool is_damaged = bytes != NULL || errno == EINVAL;
    if (is_damaged || errno != ENOENT)
        say(report, "the progress kept so far is not used: ", path,
            is_damaged ? "it is damaged, and replaced at the next right answer" : strerror(errno));
    free(bytes);
    return NULL;
}

bool progress_read(struct lessons *lessons, struct report *report)
{
    char *folder = state_folder(), *path = file_in(folder);

    report->text[0] = '\0';
    char *bytes = path == NULL || lessons->key == NULL ? NULL : read_sound(path, report);
    for (uint32_t i = 0; bytes != NULL && i < lessons->course.count; i++)
        lessons->course.steps[i].is_done =
            has_line(bytes, lessons->key, lessons->course.steps[i].id);
    free(bytes);
    free(path);
    free(folder);
    return report->text[0] == '\0';
}

/* ---- writing ---- */

/* The folder and those above it that are missing, for nobody else to look into. */
static bool make_folders(char *folder)
{
    for (char *at = folder + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        bool is_made = mkdir(folder, 0700) == 0 || errno == EEXIST || errno == EISDIR;
        struct stat status;
        is_made = is_made || stat(folder, &status) == 0;
        *at = '/';
        if (!is_made)
            return false;
    }
    return mkdir(folder, 0700) == 0 || errno == EEXIST;
}

/* A file that is written whole keeps its mode; a new one has to have one first. */
static bool make_file(const char *path)
{
    struct stat status;
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NONBLOCK, 0600);

    if (file >= 0)
        return close(file) == 0;
    if (errno != EEXIST || stat(path, &status) != 0)
        return false;
    errno = EINVAL;
    return S_ISREG(status.st_mode);
}

static bool is_one_field(const char *string)
{
    return string[0] != '\0' && string[strcspn(string, "\t\n")] == '\0';
}

/* What is there already and what is done here, to be freed. */
static char *compose(const struct lessons *lessons, const char *old)
{
    size_t size = strlen(HEADER) + 1 + (old != NULL ? strlen(old) : 0);
    struct text text;

    for (uint32_t i = 0; i < lessons->course.count; i++)
        size += strlen(lessons->key) + strlen(lessons->course.steps[i].id) + 2;
    char *bytes = malloc(size);
    if (bytes == NULL)
        return NULL;
    text_init(&text, bytes, size);
    text_add(&text, old != NULL && *old != '\0' ? old : HEADER);
    for (uint32_t i = 0; i < lessons->course.count; i++) {
        const struct lesson *step = &lessons->course.steps[i];
        if (step->is_done && is_one_field(step->id) && !has_line(bytes, lessons->key, step->id))
            text_addf(&text, "%s\t%s\n", lessons->key, step->id);
    }
    return bytes;
}

static bool write_file(const struct lessons *lessons, char *folder, const char *path,
                       struct report *report)
{
    struct report ignored;

    if (!make_folders(folder) || !make_file(path))
        return say(report, "progress cannot be kept in ", path,
                   errno == EINVAL ? "this is no file" : strerror(errno));
    char *old = read_sound(path, &ignored), *bytes = compose(lessons, old);
    bool is_done = bytes != NULL && output_replace(path, bytes, strlen(bytes), &ignored);
    if (!is_done)
        say(report, "progress cannot be kept in ", path,
            bytes == NULL ? "not enough memory" : ignored.text);
    free(bytes);
    free(old);
    return is_done;
}

bool progress_write(const struct lessons *lessons, struct report *report)
{
    char *folder = state_folder(), *path = file_in(folder);
    bool is_done;

    if (lessons->key == NULL || !is_one_field(lessons->key))
        is_done = say(report, "progress cannot be kept for lessons in this place", "", "");
    else if (path == NULL)
        is_done = say(report,
                      "progress cannot be kept: neither XDG_STATE_HOME nor HOME names a "
                      "folder",
                      "", "");
    else
        is_done = write_file(lessons, folder, path, report);
    free(path);
    free(folder);
    return is_done;
}
