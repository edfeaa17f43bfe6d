/* `:w FILE.csv`: the order on screen, of the puzzle or of the present schedule, as a table in
 * PyTorch's form. */
#ifndef APP_SAVE_TABLE_H
#define APP_SAVE_TABLE_H

#include "model/session.h"

/* Serves a request to save under a name that ends in .csv; what came of it is said in the
 * session. */
void save_table(struct session *session, const struct request *request);

#endif
