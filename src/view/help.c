/* The help screen: every command of command.def by group, in as many columns as there is room for. */
#include "view/panels.h"

#include <string.h>

#define KEYS_COLUMNS 14

/* Line `n` of the help: a group's heading, one of its commands, or nothing between groups. */
struct help_line {
    const char *heading;
    enum command command;
};

static uint32_t lines_in_all(void)
{
    return COMMAND_COUNT + GROUP_COUNT * 2 - 1;
}

static struct help_line line_at(uint32_t wanted)
{
    uint32_t at = 0;

    for (enum command_group group = 0; group < GROUP_COUNT; group++) {
        if (at++ == wanted)
            return (struct help_line){command_group_title(group), COMMAND_COUNT};
        for (enum command c = 0; c < COMMAND_COUNT; c++)
            if (command_info(c)->group == group && at++ == wanted)
                return (struct help_line){NULL, c};
        if (at++ == wanted)
            break;
    }
    return (struct help_line){NULL, COMMAND_COUNT};
}

static void draw_line(const struct canvas *canvas, int y, const struct help_line *line)
{
    if (line->heading != NULL) {
        canvas_text(canvas, 1, y, STYLE_HEADING, line->heading);
        return;
    }
    if (line->command == COMMAND_COUNT)
        return;
    const struct command_info *info = command_info(line->command);
    canvas_text(canvas, 3, y, STYLE_NUMBER, info->keys);
    canvas_text(canvas, 3 + KEYS_COLUMNS, y, STYLE_LABEL, info->help);
}

uint32_t panel_help(const struct canvas *canvas, const struct snapshot *snapshot)
{
    uint32_t lines = lines_in_all();
    int rows = canvas->area.rows - 1;
    char footer[120];
    struct text text;

    for (int y = 0; y < rows && snapshot->help_top + (uint32_t)y < lines; y++) {
        struct help_line line = line_at(snapshot->help_top + (uint32_t)y);
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
