/* Text that came from outside, on its way to a stream that may be a terminal. */
#ifndef APP_SAFE_H
#define APP_SAFE_H

#include <stdio.h>

/* With nothing in it that a terminal could obey, in characters that the locale has. */
void safe_print(FILE *out, const char *string);
/* A string of json, quotes included, in ASCII. */
void safe_json(FILE *out, const char *string);
/* A field of csv in quotes. */
void safe_csv(FILE *out, const char *string);

#endif
