/* Lessons as files: reading one, finding a course of them, and the progress that is kept. */
#ifndef APP_LESSON_H
#define APP_LESSON_H

#include "app/config.h"
#include "model/lesson.h"

#include <stdio.h>

/* Reads a lesson, and makes sure that its scenario runs and its question is still open there. The
 * lesson is freed with lesson_free only when this succeeds. `id` is what it is known by. */
bool lesson_read_file(const char *path, const char *id, struct lesson *lesson,
                      struct file_error *error);

/* A course with the place it came from. */
struct lessons {
    struct course course;
    char *key;      /* what its progress is kept under; NULL: it is not */
    bool is_one;    /* a single step of it was named */
    uint32_t first; /* the step to begin with */
    bool was_told;  /* that progress cannot be kept */
};

/* `name` is an installed lesson, a file, a folder of them; NULL: the course that comes with the
 * program. The note has something to say of the progress so far, or is empty. */
bool lessons_open(struct lessons *lessons, const char *name, struct report *note,
                  struct file_error *error);
void lessons_free(struct lessons *lessons);
/* False when there was not enough memory for all of them. */
bool lessons_list(FILE *out);

/* Marks the steps that were answered rightly before. False when the file that says so was not to be
 * used, with the reason. */
bool progress_read(struct lessons *lessons, struct report *report);
/* Adds what is done now. False with the reason when it cannot be kept. */
bool progress_write(const struct lessons *lessons, struct report *report);

#endif
