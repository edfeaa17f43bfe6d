/* The help screen: every command of command.def by group, in as many columns as there is room for. */
#include "view/panels.h"

#include <string.h>

#define KEYS_COLUMNS 14

/* Line `n` of the help: a group's heading, one of its commands, or nothing between groups. */
struct help_line {
    const char *heading, *keys, *help;
};

/* The keys of the puzzle with their heading, and a blank line. */
#define BUILD_LINES (BUILD_KEY_COUNT + 2)

static uint32_t lines_in_all(void)
{
    return COMMAND_COUNT + GROUP_COUNT * 2 + BUILD_LINES - 1;
}

static struct help_line build_line_at(uint32_t wanted)
{
    if (wanted == 0)
        return (struct help_line){"Build it yourself (E)", NULL, NULL};
    if (wanted > BUILD_KEY_COUNT)
        return (struct help_line){NULL, NULL, NULL};
    const struct build_key_info *info = build_key_info((enum build_key)(wanted - 1));
    const char *colon = strchr(info->help, ':'); /* the heading has said "build:" */
    return (struct help_line){NULL, info->keys, colon == NULL ? info->help : colon + 2};
}

static struct help_line command_line_at(uint32_t wanted)
{
    uint32_t at = 0;

    for (enum command_group group = 0; group < GROUP_COUNT; group++) {
        if (at++ == wanted)
            return (struct help_line){command_group_title(group), NULL, NULL};
        for (enum command c = 0; c < COMMAND_COUNT; c++)
            if (command_info(c)->group == group && at++ == wanted)
                return (struct help_line){NULL, command_info(c)->keys, command_info(c)->help};
        if (at++ == wanted)
            break;
    }
    return (struct help_line){NULL, NULL, NULL};
}

/* Inside the puzzle its own keys come first, elsewhere last. */
static struct help_line line_at(uint32_t wanted, bool is_build)
{
    uint32_t commands = lines_in_all() - BUILD_LINES + 1;

    if (is_build)
        return wanted < BUILD_LINES ? build_line_at(wanted) : command_line_at(wanted - BUILD_LINES);
    return wanted < commands ? command_line_at(wanted) : build_line_at(wanted - commands);
}

static void draw_line(const struct canvas *canvas, int y, const struct help_line *line)
{
    if (line->heading != NULL) {
        canvas_text(canvas, 1, y, STYLE_HEADING, line->heading);
        return;
    }
    if (line->keys == NULL)
        return;
    canvas_text(canvas, 3, y, STYLE_NUMBER, line->keys);
    canvas_text(canvas, 3 + KEYS_COLUMNS, y, STYLE_LABEL, line->help);
}

uint32_t panel_help(const struct canvas *canvas, const struct snapshot *snapshot)
{
    uint32_t lines = lines_in_all();
    int rows = canvas->area.rows - 1;
    char footer[120];
    struct text text;

    for (int y = 0; y < rows && snapshot->help_top + (uint32_t)y < lines; y++) {
        struct help_line line = line_at(snapshot->help_top + (uint32_t)y,
                                        snapshot->build != NULL);
        draw_line(canvas, y, &line);
    }
    text_init(&text, footer, sizeof footer);
    text_add(&text, " q closes");
    if (rows > 0 && lines > (uint32_t)rows) {
        uint32_t last = snapshot->help_top + (uint32_t)rows;
        text_addf(&text, "   lines %u to %u of %u   arrows and pages scroll",
                  snapshot->help_top + 1, last < lines ? last : lines, lines);
    }
    canvas_fill(canvas, (struct rect){0, rows, canvas->area.columns, 1}, STYLE_KEY_TEXT);
    canvas_text(canvas, 0, rows, STYLE_KEY_TEXT, footer);
    return lines;
}
