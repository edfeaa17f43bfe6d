/* The panels around the chart: title, metrics, legend, inspector, notes, message line, key bar and
 * the help screen. Each draws into its own rectangle. */
#ifndef VIEW_PANELS_H
#define VIEW_PANELS_H

#include "model/session.h"
#include "view/canvas.h"

/* What P holds and what keys act on is said where there are keys. */
void panel_title(const struct canvas *canvas, const struct snapshot *snapshot, bool is_interactive);
void panel_metrics(const struct canvas *canvas, const struct snapshot *snapshot);
void panel_legend(const struct canvas *canvas, const struct snapshot *snapshot);
void panel_inspector(const struct canvas *canvas, const struct snapshot *snapshot);
void panel_notes(const struct canvas *canvas, const struct snapshot *snapshot);
/* Message, question or the line being typed; the beginning of the notes where these have no panel.
 * *cursor: column of the text cursor, or -1. */
void panel_message(const struct canvas *canvas, const struct snapshot *snapshot, bool has_notes,
                   int *cursor);
/* Is there a refusal too long for one line? It then has two. */
bool panel_has_long_refusal(const struct canvas *canvas, const struct snapshot *snapshot);
void panel_long_refusal(const struct canvas *canvas, const struct snapshot *snapshot);
void panel_keys(const struct canvas *canvas);
void panel_too_small(const struct canvas *canvas);
/* Draws from line `snapshot->help_top`; returns how many lines there are in all. */
uint32_t panel_help(const struct canvas *canvas, const struct snapshot *snapshot);
/* The table of families instead of the chart. */
void panel_families(const struct canvas *canvas, const struct snapshot *snapshot);
/* The page of advice instead of the chart. */
void panel_advice(const struct canvas *canvas, const struct snapshot *snapshot);
/* The page of sweeps instead of the chart; *cursor as above, in the last row but one. */
void panel_sweep(const struct canvas *canvas, const struct snapshot *snapshot, int *cursor);
/* The page of idle time instead of the chart. */
void panel_idle(const struct canvas *canvas, const struct snapshot *snapshot);
/* Rows that the step of a lesson takes on a screen; 0 without one, or without room. And the panel. */
int lesson_rows(const struct canvas *canvas, const struct snapshot *snapshot);
void panel_lesson(const struct canvas *canvas, const struct snapshot *snapshot);
/* Where it has too little room: the word on an answer, or the question, where messages stand. */
void panel_lesson_line(const struct canvas *canvas, const struct snapshot *snapshot);
/* Rows that the notes take at a width. */
int notes_rows(const struct scenario *scenario, int columns);

#endif
