/* Drives the allocator of failing.c, from a test that links it. */
#ifndef TESTS_FAILING_H
#define TESTS_FAILING_H

#include <stdbool.h>

/* From now on allocation number `at` fails, counted from 1; with `all` every one after it too. 0: none. */
void failing_start(long at, bool all);
/* None fails any more; did one? */
bool failing_stop(void);
/* Pieces that are allocated and not freed. */
long failing_live(void);

#endif
