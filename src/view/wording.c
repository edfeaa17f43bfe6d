/* Pieces of text in two wordings, laid out whole: see inspector.h. */
#include "view/inspector.h"

struct wording wording_add(struct report_line *line, enum style style)
{
    struct piece *piece = &line->pieces[line->count++];
    struct wording wording;

    piece->style = style;
    piece->is_more = false;
    text_init(&wording.full, piece->full, sizeof piece->full);
    text_init(&wording.brief, piece->brief, sizeof piece->brief);
    return wording;
}

void wording_both(struct wording *wording, const char *text)
{
    text_add(&wording->full, text);
    text_add(&wording->brief, text);
}

void wording_time(struct wording *wording, double time)
{
    text_brief(&wording->full, time);
    text_brief(&wording->brief, time);
}

/* Lays the pieces out, those of the bits of `full` in the long wording. Did all fit? */
static bool lay_out(const struct canvas *canvas, const struct report_line *line, uint32_t full,
                    bool is_drawn)
{
    int x = 1, y = 0;
    bool is_whole = true;

    for (int i = 0; i < line->count; i++) {
        const struct piece *piece = &line->pieces[i];
        const char *text = full >> i & 1 ? piece->full : piece->brief;
        int columns = canvas_columns(canvas, text);
        if (columns == 0)
            continue;
        if (x + columns > canvas->area.columns && x > 1) {
            x = 1;
            y++;
        }
        if (y >= canvas->area.rows || x + columns > canvas->area.columns)
            is_whole = false;
        if (y >= canvas->area.rows)
            break;
        if (is_drawn)
            canvas_text_cut(canvas, x, y, piece->style, text);
        x += columns + 2;
    }
    return is_whole;
}

/* Long wordings for as many pieces as leave room for all, those that come first before others. */
bool report_draw(const struct canvas *canvas, const struct report_line *line)
{
    uint32_t full = 0;

    if (!lay_out(canvas, line, 0, false))
        return false;
    for (int i = 0, next; i < line->count; i = next) {
        uint32_t bits = 1u << i;
        for (next = i + 1; next < line->count && line->pieces[next].is_more; next++)
            bits |= 1u << next;
        full |= lay_out(canvas, line, full | bits, false) ? bits : 0;
    }
    return lay_out(canvas, line, full, true);
}

void report_draw_brief(const struct canvas *canvas, const struct report_line *line)
{
    lay_out(canvas, line, 0, true);
}

void wording_op(struct wording *wording, const struct pg_op *op)
{
    text_addf(&wording->full, "%s%u of stage %u", kind_letter(op->kind), op->micro_batch,
              op->stage);
    text_addf(&wording->brief, "%s%u@%u", kind_letter(op->kind), op->micro_batch, op->stage);
}
