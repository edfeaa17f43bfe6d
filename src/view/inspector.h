/* What the inspector says, in pieces: each has a long and a short wording, and long ones are taken as
 * far as all pieces fit into the rows there are, whole. wording.c lays them out; inspector.c has what
 * there is to say of an operation and of all stages, inspector_gap.c that of a gap. */
#ifndef VIEW_INSPECTOR_H
#define VIEW_INSPECTOR_H

#include "view/panels.h"

/* A gap has the most to say: four pieces, INSPECTOR_MOST_LINKS of its chain, and three to end it. */
enum { MOST_PIECES = 16, PIECE_SIZE = 200 };

struct piece {
    enum style style;
    bool is_more; /* all in the long wording with the piece before, or none */
    char full[PIECE_SIZE], brief[PIECE_SIZE];
};

struct report_line {
    struct piece pieces[MOST_PIECES];
    int count;
};

/* The two wordings of a piece while they are being written. */
struct wording {
    struct text full, brief;
};

/* One more piece, with both wordings empty. */
struct wording wording_add(struct report_line *line, enum style style);
void wording_both(struct wording *wording, const char *text);
void wording_time(struct wording *wording, double time);
/* "F0 of stage 5" and "F0@5" */
void wording_op(struct wording *wording, const struct pg_op *op);
/* False, and nothing is drawn, when not even the short wordings fit. */
bool report_draw(const struct canvas *canvas, const struct report_line *line);
/* As much as there is room for, in the short wording. */
void report_draw_brief(const struct canvas *canvas, const struct report_line *line);

/* From when to when. */
void report_span(struct report_line *line, double start, double end);
/* What the device keeps at most, where that is more than there is room for. */
void report_excess(struct report_line *line, const struct snapshot *snapshot, uint32_t device);

/* The gap that is selected, with the links of the chain behind it that are shown. */
enum { INSPECTOR_MOST_LINKS = 8 };
void inspect_gap(struct report_line *line, const struct snapshot *snapshot, uint32_t links);

#endif
