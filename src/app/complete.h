/* Tab behind a file's name. */
#ifndef APP_COMPLETE_H
#define APP_COMPLETE_H

#include "model/session.h"

/* Answers REQUEST_COMPLETE: `typed` is what there is of the name. */
void complete_file(struct session *session, const char *typed);

#endif
