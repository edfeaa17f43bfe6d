/* Drawing into a rectangle of a grid: see canvas.h. */
#include "view/canvas.h"

struct canvas canvas_sub(const struct canvas *canvas, struct rect area)
{
    struct canvas sub = *canvas;
    const struct rect *outer = &canvas->area;
    int left = area.x < 0 ? 0 : area.x, top = area.y < 0 ? 0 : area.y;
    int right = area.x + area.columns, bottom = area.y + area.rows;

    right = right > outer->columns ? outer->columns : right;
    bottom = bottom > outer->rows ? outer->rows : bottom;
    sub.area = (struct rect){outer->x + left, outer->y + top, right > left ? right - left : 0,
                             bottom > top ? bottom - top : 0};
    return sub;
}

struct cell *canvas_at(const struct canvas *canvas, int x, int y)
{
    if (x < 0 || y < 0 || x >= canvas->area.columns || y >= canvas->area.rows)
        return NULL;
    return grid_at(canvas->grid, canvas->area.x + x, canvas->area.y + y);
}

/* A wide character that loses one of its halves loses the other. */
static void part_halves(const struct canvas *canvas, int x, int y, const struct cell *at)
{
    int column = canvas->area.x + x, row = canvas->area.y + y;
    struct cell *before = grid_at(canvas->grid, column - 1, row);
    struct cell *after = grid_at(canvas->grid, column + 1, row);

    if (at->glyph == 0 && before != NULL)
        before->glyph = ' ';
    if (after != NULL && after->glyph == 0)
        after->glyph = ' ';
}

void canvas_cell(const struct canvas *canvas, int x, int y, struct cell cell)
{
    struct cell *at = canvas_at(canvas, x, y);

    if (at == NULL)
        return;
    if (cell.glyph != 0) /* a right half was parted from its past when the left one was put */
        part_halves(canvas, x, y, at);
    *at = cell;
}

static int put(const struct canvas *canvas, int x, int y, const struct style_info *look, uint32_t c)
{
    int width = text_width(c);
    struct cell cell = {c, (uint8_t)look->ink, (uint8_t)look->paper, look->attributes};

    if (width == 0)
        return x;
    if (width == 1) {
        canvas_cell(canvas, x, y, cell);
        return x + 1;
    }
    bool is_whole = canvas_at(canvas, x, y) != NULL && canvas_at(canvas, x + 1, y) != NULL;
    struct cell filler = cell;
    filler.glyph = ' ';
    canvas_cell(canvas, x + 1, y, filler);
    canvas_cell(canvas, x, y, is_whole ? cell : filler);
    filler.glyph = 0;
    if (is_whole)
        canvas_cell(canvas, x + 1, y, filler);
    return x + 2;
}

int canvas_text(const struct canvas *canvas, int x, int y, enum style style, const char *text)
{
    const struct style_info *look = style_info(style);

    while (*text != '\0') {
        uint32_t c = text_decode(&text);
        if (text_is_control(c))
            c = TEXT_REPLACEMENT;
        if (c < 0x80 || !canvas->theme->is_ascii) {
            x = put(canvas, x, y, look, c);
            continue;
        }
        for (const char *s = text_plain(c); *s != '\0'; s++)
            x = put(canvas, x, y, look, (unsigned char)*s);
    }
    return x;
}

int canvas_text_cut(const struct canvas *canvas, int x, int y, enum style style, const char *text)
{
    char part[1024];
    struct text kept;
    int room = canvas->area.columns - x;
    const char *dots = "…";

    if (canvas_columns(canvas, text) <= room)
        return canvas_text(canvas, x, y, style, text);
    text_init(&kept, part, sizeof part);
    text_add(&kept, text);
    while (kept.length > 0 && (part[kept.length] != ' ' || canvas_columns(canvas, part) +
                                                               canvas_columns(canvas, dots) > room)) {
        part[kept.length] = '\0';
        kept.length--;
    }
    part[kept.length] = '\0';
    x = canvas_text(canvas, x, y, style, part);
    return canvas_columns(canvas, dots) <= room ? canvas_text(canvas, x, y, style, dots) : x;
}

int canvas_character_columns(const struct canvas *canvas, uint32_t c)
{
    int columns = 0;

    if (text_is_control(c))
        return 1;
    if (c < 0x80 || !canvas->theme->is_ascii)
        return text_width(c);
    for (const char *s = text_plain(c); *s != '\0'; s++)
        columns++;
    return columns;
}

int canvas_columns(const struct canvas *canvas, const char *text)
{
    int columns = 0;

    while (*text != '\0')
        columns += canvas_character_columns(canvas, text_decode(&text));
    return columns;
}

void canvas_fill(const struct canvas *canvas, struct rect area, enum style style)
{
    const struct style_info *look = style_info(style);
    struct cell cell = {' ', (uint8_t)look->ink, (uint8_t)look->paper, look->attributes};

    for (int y = area.y; y < area.y + area.rows; y++)
        for (int x = area.x; x < area.x + area.columns; x++)
            canvas_cell(canvas, x, y, cell);
}

void canvas_rule(const struct canvas *canvas, int y, enum style style)
{
    const struct style_info *look = style_info(style);
    struct cell cell = {canvas->theme->is_ascii ? '-' : 0x2500, (uint8_t)look->ink,
                        (uint8_t)look->paper, look->attributes};

    for (int x = 0; x < canvas->area.columns; x++)
        canvas_cell(canvas, x, y, cell);
}
