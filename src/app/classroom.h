/* The lesson of a run: between command line, lesson files and session, as desk.h is for scenarios.
 */
#ifndef APP_CLASSROOM_H
#define APP_CLASSROOM_H

#include "app/desk.h"
#include "app/print.h"

/* Begins the course that the command line names (or the one that comes with the program). */
bool classroom_begin(struct desk *desk, struct session *session, const char *name,
                     struct file_error *error);
/* Serves REQUEST_LESSON and REQUEST_PROGRESS. */
void classroom_serve(struct desk *desk, struct session *session, const struct request *request);
void classroom_close(struct desk *desk);

/* The course as text with a chart for each step: a handout. No answers. */
int classroom_print(FILE *out, const struct cli *cli, const struct theme *theme, int columns,
                    struct file_error *error);
/* What of the command line has no meaning for a lesson; false with the place and the sentence. */
bool classroom_check(const struct cli *cli, struct cli_error *error);

#endif
