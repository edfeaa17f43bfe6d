/* The table behind command.h, and the search for a key in it. */
#include "model/command.h"

#include <string.h>

static const struct command_info infos[COMMAND_COUNT] = {
#define COMMAND(id, group, name, keys, bar, help) {GROUP_##group, name, keys, bar, help},
#include "model/command.def"
#undef COMMAND
};

const struct command_info *command_info(enum command command)
{
    return &infos[command];
}

const char *command_group_title(enum command_group group)
{
    static const char *const titles[GROUP_COUNT] = {
        [GROUP_PIPELINE] = "Pipeline", [GROUP_COSTS] = "Costs",   [GROUP_CHANGES] = "Changes",
        [GROUP_SELECT] = "Selection",  [GROUP_WINDOW] = "Window",
        [GROUP_EXPLAIN] = "Explaining", [GROUP_PLAY] = "Playing",
        [GROUP_LEARN] = "Learning",
        [GROUP_FILES] = "Files",
        [GROUP_PROGRAM] = "Program",
    };
    return titles[group];
}

static bool has_key(const char *keys, const char *key)
{
    size_t length = strlen(key);

    while (*keys != '\0') {
        size_t word = strcspn(keys, " ");
        if (word == length && memcmp(keys, key, length) == 0)
            return true;
        keys += word + strspn(keys + word, " ");
    }
    return false;
}

enum command command_of_key(const char *key)
{
    for (enum command c = 0; c < COMMAND_COUNT; c++)
        if (has_key(infos[c].keys, key))
            return c;
    return COMMAND_COUNT;
}

const char *command_first_key(enum command command, char *buffer, size_t size)
{
    size_t length = strcspn(infos[command].keys, " ");

    if (length >= size)
        length = size - 1;
    memcpy(buffer, infos[command].keys, length);
    buffer[length] = '\0';
    return buffer;
}
