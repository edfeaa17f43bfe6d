/* The commands a user can give: command.def as an enum and a table. Keys are names ("M", "Left",
 * "Ctrl-S"), here and everywhere but in the one file that talks to the terminal. */
#ifndef MODEL_COMMAND_H
#define MODEL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum command {
#define COMMAND(id, group, name, keys, bar, help) COMMAND_##id,
#include "model/command.def"
#undef COMMAND
    COMMAND_COUNT
};

enum command_group {
    GROUP_PIPELINE,
    GROUP_COSTS,
    GROUP_CHANGES,
    GROUP_SELECT,
    GROUP_WINDOW,
    GROUP_EXPLAIN,
    GROUP_PLAY,
    GROUP_LEARN,
    GROUP_FILES,
    GROUP_PROGRAM,
    GROUP_COUNT
};

struct command_info {
    enum command_group group;
    const char *name, *keys, *bar, *help;
};

const struct command_info *command_info(enum command command);
const char *command_group_title(enum command_group group);
/* The command of a key name; COMMAND_COUNT when the key does nothing. */
enum command command_of_key(const char *key);
/* The first of a command's keys, into buffer[size]. */
const char *command_first_key(enum command command, char *buffer, size_t size);

#endif
