/* Cells of the chart: what is noise in the decisions, and how a decision is painted. See chart.h. */
#include "view/chart.h"

#include <math.h>

/* Eighths that operations have to have for shades and for edges between columns where bytes are
 * spared. */
#define SPARING_SHADES 8
#define SPARING_EDGES 24

/* ---- what says nothing ---- */

int chart_piece_kind(uint8_t piece, bool *is_second)
{
    *is_second = piece - PIECE_OP >= PIECE_SECOND;
    return (piece - PIECE_OP - (*is_second ? PIECE_SECOND : 0)) / 2;
}

/* Is a piece so narrow that its shade says nothing? */
static bool piece_is_dense(const bool is_dense[DRAWN_KINDS], uint8_t piece)
{
    bool is_second;
    return piece >= PIECE_OP && is_dense[chart_piece_kind(piece, &is_second)];
}

/* The least cost of each drawn kind on a device; infinite where it has none. */
static void least_costs(const struct pg_plan *plan, uint32_t device, double least[DRAWN_KINDS])
{
    const uint32_t *stages = plan->slot_cell + (size_t)device * plan->slots;

    for (int k = 0; k < DRAWN_KINDS; k++)
        least[k] = INFINITY;
    for (uint32_t slot = 0; slot < plan->slots; slot++)
        for (int k = 0; k < PG_KINDS && stages[slot] != PG_NONE; k++)
            least[k] = fmin(least[k], plan->cost[(size_t)stages[slot] * PG_KINDS + (size_t)k]);
    least[KIND_FUSED] = (least[PG_FORWARD] + least[PG_BACKWARD]) * plan->fused;
}

void chart_calm(const struct pg_plan *plan, uint32_t device, const struct axis *axis,
                struct decision *cells)
{
    double least[DRAWN_KINDS];
    bool is_dense[DRAWN_KINDS];

    least_costs(plan, device, least);
    double narrowest = fmin(least[PG_FORWARD], least[PG_BACKWARD]) * axis->eighths;
    double narrow = plan->micro_each > 32 ? 8 : 4;
    bool is_whole = axis->is_sparing && narrowest < SPARING_EDGES;
    bool is_plain = axis->is_sparing && narrowest < SPARING_SHADES;
    for (int k = 0; k < DRAWN_KINDS; k++)
        is_dense[k] = is_plain || (narrowest < narrow && least[k] * axis->eighths < 8);
    for (int x = 0; x < axis->columns; x++) {
        struct decision *cell = &cells[x];
        bool is_left = piece_is_dense(is_dense, cell->left);
        bool is_right = piece_is_dense(is_dense, cell->right);
        if (is_left)
            cell->left = (uint8_t)(cell->left - (cell->left - PIECE_OP) % 2);
        if (is_right)
            cell->right = (uint8_t)(cell->right - (cell->right - PIECE_OP) % 2);
        bool is_noise = cell->left >= PIECE_OP && cell->right >= PIECE_OP && (is_left || is_right);
        if (is_whole || is_noise)
            cell->left = cell->right = cell->eighths >= 4 ? cell->left : cell->right;
    }
}

/* ---- painting ---- */

static enum colour piece_paper(uint8_t piece)
{
    bool is_second;

    if (piece >= PIECE_OTHER)
        return piece == PIECE_OTHER ? COLOUR_OTHER_A : COLOUR_OTHER_B;
    if (piece == PIECE_OUTSIDE)
        return COLOUR_OWN;
    if (piece == PIECE_IDLE)
        return COLOUR_IDLE;
    int kind = chart_piece_kind(piece, &is_second);
    unsigned shade = (unsigned)(piece - PIECE_OP) & 1u;
    return is_second ? theme_second_paper(kind, shade) : theme_kind_paper(kind, shade);
}

static struct cell solid_cell(const struct theme *theme, uint8_t piece)
{
    struct cell cell = {' ', COLOUR_OWN, (uint8_t)piece_paper(piece), 0};
    bool is_second;

    if (piece == PIECE_IDLE) {
        cell.glyph = theme_idle_glyph(theme);
        cell.ink = COLOUR_HATCH;
    } else if (piece >= PIECE_OTHER) {
        cell.ink = COLOUR_DIM;
    } else if (piece >= PIECE_OP) {
        int kind = chart_piece_kind(piece, &is_second);
        cell.ink = (uint8_t)theme_kind_ink(kind);
        cell.glyph = theme_fill(theme, kind, is_second);
    }
    return cell;
}

struct cell chart_cell(const struct theme *theme, const struct decision *decision)
{
    uint8_t larger = decision->eighths >= 4 ? decision->left : decision->right;

    if (decision->left == decision->right)
        return solid_cell(theme, decision->left);
    /* U+2588 less one per eighth: the left part in ink, the rest in paper. */
    enum colour ink = piece_paper(decision->left), paper = piece_paper(decision->right);
    bool is_coarse = theme->is_ascii || theme->depth == DEPTH_MONO;
    if (is_coarse || ink == COLOUR_OWN) /* the terminal's own background cannot be ink */
        return solid_cell(theme, larger);
    return (struct cell){0x2590u - decision->eighths, (uint8_t)ink, (uint8_t)paper, 0};
}

/* Without room for a hatch idle time needs a colour that is neither kind's. */
static enum colour plain_paper(uint8_t piece)
{
    return piece == PIECE_IDLE ? COLOUR_IDLE_PLAIN : piece_paper(piece);
}

/* Two devices a row: the upper one is the ink of an upper half block. */
struct cell chart_half(const struct decision *upper, const struct decision *lower)
{
    uint8_t above = upper->eighths >= 4 || upper->left == upper->right ? upper->left : upper->right;
    uint8_t below = lower->eighths >= 4 || lower->left == lower->right ? lower->left : lower->right;
    enum colour ink = plain_paper(above), paper = plain_paper(below);

    if (ink == COLOUR_OWN && paper == COLOUR_OWN)
        return (struct cell){' ', COLOUR_OWN, COLOUR_OWN, 0};
    if (ink == COLOUR_OWN)
        return (struct cell){0x2584, (uint8_t)paper, COLOUR_OWN, 0};
    return (struct cell){0x2580, (uint8_t)ink, (uint8_t)paper, 0};
}

/* The same in fewer bytes: a blank where both halves are one colour, and of two colours the same one
 * above and below as ink, so that neighbours share a look. */
void chart_settle_half(struct cell *cell)
{
    enum colour ink = (enum colour)cell->ink, paper = (enum colour)cell->paper;

    if (cell->glyph != 0x2580)
        return;
    if (ink == paper)
        *cell = (struct cell){' ', COLOUR_OWN, (uint8_t)paper, 0};
    else if (ink > paper && paper != COLOUR_OWN)
        *cell = (struct cell){0x2584, (uint8_t)paper, (uint8_t)ink, 0};
}
