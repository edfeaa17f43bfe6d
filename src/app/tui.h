/* The interactive screen. */
#ifndef APP_TUI_H
#define APP_TUI_H

#include "app/desk.h"

/* Runs a session on the terminal until the user leaves. `keys` is where keys are read from, standard
 * input or the controlling terminal. Returns the exit status; on failure the report says why (the
 * screen was not opened, or is closed again). A signal that ends the program ends it from in here,
 * with the terminal given back. */
int tui_run(struct desk *desk, struct session *session, FILE *keys, struct report *report);

#endif
