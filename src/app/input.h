/* Files on their way in: opening what may be read. */
#ifndef APP_INPUT_H
#define APP_INPUT_H

#include "app/config.h"

/* A stream to be closed; NULL with the error. `may_wait`: pipes and devices too, for as long as they
 * take; else regular files only, and never a wait. */
FILE *input_open(const char *path, bool may_wait, struct file_error *error);

#endif
