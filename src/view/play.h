/* What a moment in play, and memory lanes, add to the chart. Either draws nothing while it is
 * off. */
#ifndef VIEW_PLAY_H
#define VIEW_PLAY_H

#include "view/lane.h"

/* play.c */
/* A lane from the moment on, as what has not happened yet. */
void play_dim(const struct lane *lane);
/* What an idle device waits for, beside the moment, on a row of the lane. */
void play_call(const struct lane *lane, int row);
/* The line of the moment through the lanes, and its mark in the ruler. */
void play_line(const struct canvas *lanes, const struct layout *layout, const struct axis *axis,
               const struct snapshot *snapshot);
void play_mark(const struct canvas *ruler, const struct layout *layout, const struct axis *axis,
               const struct snapshot *snapshot);
/* What a device does, as its lane's label has it: "F2", "idle", "done"; where devices have several
 * stages and there are columns for it "F2 on 5". */
void play_label(const struct snapshot *snapshot, uint32_t device, int columns, struct text *text);
/* Instead of the inspector: the moment, the selected device or all of them, and what happens. */
void panel_play(const struct canvas *canvas, const struct snapshot *snapshot);
/* What happens, on the message line where there is no message. Below a panel that has it already
 * only what happens in B of a comparison: A has the panel's line then. */
void panel_narration(const struct canvas *canvas, const struct snapshot *snapshot, bool is_below);
void panel_play_keys(const struct canvas *canvas);

/* memory.c */
/* The memory lane of the device whose lane is drawn at row y of the lanes' rectangle. */
void memory_lane(const struct canvas *canvas, const struct layout *layout, const struct axis *axis,
                 const struct snapshot *snapshot, uint32_t device, int y);
/* The scale, common to all devices; returns where the next legend item begins. */
int memory_legend(const struct canvas *canvas, int x, const struct snapshot *snapshot);
/* The legend where memory lanes stand in the place of operations. */
void memory_only_legend(const struct canvas *canvas, const struct snapshot *snapshot);
/* A level in so many columns; and with "!" behind it when it is over the limit. */
void memory_number(const struct snapshot *snapshot, double level, int columns, struct text *text);
void memory_write(const struct snapshot *snapshot, double level, int columns, struct text *text);

#endif
