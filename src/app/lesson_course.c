/* Finding lessons: the course that comes with the program, a folder, one file. A course is the .ini
 * files of a folder in the order of their names; a lesson is known by its file's name. */
#include "app/config_table.h"
#include "app/desk.h"
#include "app/lesson.h"
#include "app/safe.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_STEPS 500

struct names {
    char *name[MOST_STEPS]; /* "01-idle.ini" */
    size_t count;
};

static bool fail(struct file_error *error, const char *where, int status, const char *what, int why)
{
    struct text text;

    file_error_name(error, where);
    text_init(&text, error->report.text, sizeof error->report.text);
    text_add(&text, what);
    if (why != 0)
        text_addf(&text, ": %s", strerror(why));
    error->status = status;
    error->report.is_memory = why == ENOMEM;
    return false;
}

static bool fail_memory(struct file_error *error)
{
    fail(error, "memory", 1, "there is not enough for a course", 0);
    error->report.is_memory = true;
    return false;
}

static bool is_lesson_name(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && name[0] != '.' && strcmp(name + length - 4, ".ini") == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_free(struct names *names)
{
    while (names->count > 0)
        free(names->name[--names->count]);
}

static bool list_folder(const char *folder, struct names *names, struct file_error *error)
{
    DIR *dir = opendir(folder);

    names->count = 0;
    if (dir == NULL)
        return fail(error, folder, 1, "cannot be opened", errno);
    bool is_whole = true;
    for (struct dirent *entry;
         is_whole && (entry = readdir(dir)) != NULL && names->count < MOST_STEPS;) {
        if (!is_lesson_name(entry->d_name))
            continue;
        names->name[names->count] = strdup(entry->d_name);
        is_whole = names->name[names->count] != NULL;
        names->count += is_whole;
    }
    closedir(dir);
    if (!is_whole) {
        names_free(names);
        return fail_memory(error);
    }
    qsort(names->name, names->count, sizeof names->name[0], by_name);
    return names->count > 0 ||
           fail(error, folder, 2, "there is no lesson (.ini) in this folder", 0);
}

/* `folder`/`name`, to be freed. */
static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);

    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static char *installed_folder(void)
{
    return join(desk_assets_folder(), "lessons");
}

/* The file's name without its ending, and what is before its first letters: 01-idle is idle too. */
static void write_id(const char *file, char *id, size_t size)
{
    struct text text;

    text_init(&text, id, size);
    text_addf(&text, "%.*s", (int)strlen(file) - 4, file);
}

static bool is_called(const char *file, const char *name)
{
    char id[300];
    uint64_t wanted, number;

    write_id(file, id, sizeof id);
    size_t digits = strspn(id, "0123456789");
    if (strcmp(id, name) == 0 || (id[digits] == '-' && strcmp(id + digits + 1, name) == 0))
        return true;
    id[digits] = '\0';
    return count_parse(name, &wanted) && count_parse(id, &number) && wanted == number;
}

/* ---- opening ---- */

static bool read_step(struct lessons *lessons, const char *path, const char *file,
                      struct file_error *error)
{
    char id[300];

    write_id(file, id, sizeof id);
    if (!lesson_read_file(path, id, &lessons->course.steps[lessons->course.count], error))
        return false;
    lessons->course.count++;
    return true;
}

static bool make_room(struct lessons *lessons, size_t count, struct file_error *error)
{
    lessons->course.steps = calloc(count, sizeof lessons->course.steps[0]);
    return lessons->course.steps != NULL || fail_memory(error);
}

static bool read_steps(struct lessons *lessons, const char *folder, const struct names *names,
                       struct file_error *error)
{
    bool is_good = make_room(lessons, names->count, error);

    for (size_t i = 0; is_good && i < names->count; i++) {
        char *path = join(folder, names->name[i]);
        is_good = path != NULL ? read_step(lessons, path, names->name[i], error)
                               : fail_memory(error);
        free(path);
    }
    return is_good;
}

static bool open_folder(struct lessons *lessons, const char *folder, struct file_error *error)
{
    struct names names;

    if (!list_folder(folder, &names, error))
        return false;
    bool is_good = read_steps(lessons, folder, &names, error);
    names_free(&names);
    lessons->key = realpath(folder, NULL);
    return is_good;
}

/* A file of its own: its progress counts for the folder that it is in. */
static bool open_file(struct lessons *lessons, const char *path, struct file_error *error)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash == NULL ? path : slash + 1;
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);

    lessons->key = folder != NULL ? realpath(folder, NULL) : NULL;
    free(folder);
    if (!is_lesson_name(file))
        return fail(error, path, 2, "a lesson is a file whose name ends in .ini", 0);
    return make_room(lessons, 1, error) && read_step(lessons, path, file, error);
}

static bool open_installed(struct lessons *lessons, const char *name, struct file_error *error)
{
    struct names names;
    char *folder = installed_folder();
    bool is_good = folder != NULL ? list_folder(folder, &names, error) : fail_memory(error);
    size_t found = 0;

    while (is_good && name != NULL && found < names.count && !is_called(names.name[found], name))
        found++;
    if (is_good && found == names.count) {
        is_good = fail(error, name, 1,
                       "no such file or folder, and no installed lesson of that name "
                       "(--list-lessons lists them)",
                       0);
        names_free(&names);
    }
    if (is_good) {
        is_good = read_steps(lessons, folder, &names, error);
        names_free(&names);
    }
    free(folder);
    lessons->key = strdup("pipegantt");
    lessons->is_one = name != NULL;
    lessons->first = (uint32_t)found;
    return is_good;
}

bool lessons_open(struct lessons *lessons, const char *name, struct report *note,
                  struct file_error *error)
{
    struct stat status;
    bool is_good;

    *lessons = (struct lessons){.key = NULL};
    note->text[0] = '\0';
    if (name == NULL || stat(name, &status) != 0)
        is_good = open_installed(lessons, name, error);
    else if (S_ISDIR(status.st_mode))
        is_good = open_folder(lessons, name, error);
    else
        is_good = open_file(lessons, name, error);
    if (!is_good) {
        lessons_free(lessons);
        return false;
    }
    progress_read(lessons, note);
    if (!lessons->is_one)
        lessons->first = course_first_open(&lessons->course);
    return true;
}

void lessons_free(struct lessons *lessons)
{
    course_free(&lessons->course);
    free(lessons->key);
    *lessons = (struct lessons){.key = NULL};
}

static void list_line(FILE *out, const char *id, const char *between, const char *about,
                      const char *end)
{
    safe_print(out, id);
    fputs(between, out);
    safe_print(out, about);
    fputs(end, out);
}

bool lessons_list(FILE *out)
{
    struct names names = {.count = 0};
    struct file_error error = {.status = 0};
    char *folder = installed_folder(), id[300];
    bool is_whole = folder != NULL;

    if (is_whole && !list_folder(folder, &names, &error)) {
        names.count = 0;
        is_whole = !error.report.is_memory;
    }
    for (size_t i = 0; i < names.count; i++) {
        struct lesson lesson;
        char *path = join(folder, names.name[i]);
        write_id(names.name[i], id, sizeof id);
        if (path != NULL && lesson_read_file(path, id, &lesson, &error)) {
            list_line(out, id, "\t", lesson.title, "\n");
            lesson_free(&lesson);
        } else if (path == NULL || error.report.is_memory) {
            is_whole = false;
        } else {
            list_line(out, id, "\t(", error.report.text, ")\n");
        }
        free(path);
        if (!is_whole)
            break;
    }
    names_free(&names);
    free(folder);
    return is_whole;
}
