/* Did somebody else change a file since the session read or wrote it?
 *
 * The file itself is the answer: it is read again and compared with what the session knows it to
 * have. Times of files are not looked at, for they are too coarse and change without a change. */
#ifndef APP_STALE_H
#define APP_STALE_H

#include "app/cli.h"
#include "model/session.h"

/* Of the file that the session saves to. One that cannot be read, be it for want of memory, is
 * not in the way. */
bool stale_file(const struct cli *cli, const struct session *session);

#endif
