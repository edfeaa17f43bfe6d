/* The comparison: two charts on one time axis, A above B, and their numbers side by side. */
#ifndef VIEW_COMPARE_H
#define VIEW_COMPARE_H

#include "view/screen.h"

/* Where both charts lie. A has lanes only; the other panels are those of B's layout. */
struct compare_layout {
    struct layout a, b;
    struct rect head_a, head_b; /* a line above the lanes of each */
    struct rect table;          /* the numbers: five rows, or four, or none; all of them if printed */
};

/* Pure, and right at every size; lanes of both have the same height and the same columns. A printed
 * one has as many rows as it wants, `table_rows` of them for the numbers. */
void compare_layout_make(struct compare_layout *layout, int columns, int rows,
                         const struct wishes *a, const struct wishes *b, int table_rows);

void screen_compare(const struct canvas *canvas, const struct snapshot *snapshot,
                    bool is_interactive, int lesson, struct frame *frame);
int compare_printed_rows(const struct snapshot *snapshot);

/* compare_table.c: the line over a chart, the table of differences below both, and all numbers from
 * line `top` on, of which there are compare_lines. */
void compare_head(const struct canvas *canvas, const struct compared *compared, bool is_b);
void compare_table(const struct canvas *canvas, const struct compared *compared);
void compare_numbers(const struct canvas *canvas, const struct compared *compared, uint32_t top);
uint32_t compare_lines(const struct compared *compared);

/* screen.c */
void screen_wishes(struct wishes *wishes, const struct theme *theme,
                   const struct snapshot *snapshot, int columns, bool is_interactive);
void screen_tell_view(struct frame *frame, uint32_t devices);

#endif
