/* What is typed after `:` (and where costs and file names are asked for): a session, lines with every
 * editing key in between, each line given with Enter. The message must be a sentence and the state
 * one that can be drawn. No screen: see keys.c. */
#include "script.h"

#include <string.h>

/* Bytes below a blank are keys; anything else is pasted, up to the next of these. */
static const char *const keys[32] = {
    "Esc",   "Up",     "Down",   "Left",  "Right",  "Home",   "End",    "Delete",
    "Ctrl-H", "Tab",   "Enter",  "Ctrl-A", "Ctrl-E", "Ctrl-M", "Ctrl-K", "Ctrl-U",
    "Ctrl-W", "Ctrl-P", "Ctrl-N", "Ctrl-B", "Ctrl-F", "Ctrl-D", "Space", "Backspace",
    "u",     "U",      "y",      "e",     "o",      "Ctrl-S", "q",      "Ctrl-C",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char part[300];
    struct script script;
    uint32_t turns = 0;

    if (size > 1024)
        return 0;
    script_start(&script, size > 0 ? data[0] & 7u : 0);
    session_set_view(script.session, &(struct session_view){0, 40, 60, 4, 10, 60});
    for (size_t i = 1; i < size && turns++ < 100 && !script.has_quit;) {
        if (data[i] < ' ') {
            script_key(&script, keys[data[i++]]);
            continue;
        }
        size_t length = 0;
        while (i < size && data[i] >= ' ' && length < sizeof part - 1)
            part[length++] = (char)data[i++];
        part[length] = '\0';
        if (script.snapshot.mode == MODE_CHART)
            script_key(&script, ":");
        script_paste(&script, part);
    }
    if (!script.has_quit)
        script_check_undo(&script);
    script_end(&script);
    return 0;
}
