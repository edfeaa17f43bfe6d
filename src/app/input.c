/* Files on their way in: see input.h.
 *
 * A pipe that nobody writes to, a terminal, a device can keep a reader waiting for ever. On the command
 * line that is what was asked for, and Ctrl-C ends it. While a screen is open, or where a file names
 * another, it would be a program that hangs: there only regular files are read, and the kernel's log,
 * which calls itself one, has nothing to say instead of waiting. */
#include "app/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *refuse(struct file_error *error, const char *path, const char *what, int why)
{
    struct text text;

    file_error_name(error, path);
    text_init(&text, error->report.text, sizeof error->report.text);
    text_add(&text, what);
    if (why != 0)
        text_addf(&text, ": %s", strerror(why));
    error->report.is_memory = why == ENOMEM;
    error->status = 1;
    return NULL;
}

FILE *input_open(const char *path, bool may_wait, struct file_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (may_wait ? 0 : O_NONBLOCK));
    struct stat status;

    if (file < 0)
        return refuse(error, path, "cannot be opened", errno);
    bool is_known = fstat(file, &status) == 0;
    if (is_known && S_ISDIR(status.st_mode))
        refuse(error, path, "is a directory", 0);
    else if (!may_wait && !(is_known && S_ISREG(status.st_mode)))
        refuse(error, path, "is not a regular file: others could keep this waiting", 0);
    else {
        FILE *stream = fdopen(file, "r");
        if (stream != NULL)
            return stream;
        refuse(error, path, "cannot be opened", errno);
    }
    close(file);
    return NULL;
}
