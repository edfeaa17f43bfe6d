/* The interactive screen: the only file that talks to curses.
 *
 * Everything is drawn into a grid of cells first. The cells that changed go to the terminal as
 * bytes of our own (wire.c) where it speaks ECMA-48, else through curses, whose screen is blank
 * otherwise: it looks after modes, keys and the mouse. Keys become names and go to the session.
 * Signals only write a byte into a pipe; the loop sleeps on the terminal and that pipe and does
 * everything itself, so that idle costs nothing and no handler does more than a handler may. Ends
 * that cannot wait for the loop are the exception: see ending.h. */
#include "app/tui.h"

#include "app/ending.h"
#include "app/extent.h"
#include "app/keys.h"
#include "app/mouse.h"
#include "app/output.h"
#include "app/sequence.h"
#include "app/ticker.h"
#include "app/wire.h"
#include "app/workers.h"
#include "view/screen.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define KEY_PASTE_BEGIN (KEY_MAX + 1)
#define KEY_PASTE_END (KEY_MAX + 2)
#define PASTE_SIZE 4096
#define UNSEEN_MS 50 /* keys are taken no longer than this without a frame */

/* The one screen there is. Signal handlers reach it, so it is file-level. */
static struct {
    SCREEN *screen;
    struct ending end; /* with the terminal that is drawn on and configured */
    int keys;          /* that keys come from */
    bool has_mouse;
    bool never_stops; /* SIGTSTP was ignored at the start: nobody would let it go on */
    char modes_on[60], modes_off[60]; /* modes that curses does not know */
} tui;

static struct {
    struct grid grid, shown, spare;
    struct theme theme;
    struct frame frame;
    int drag_x;                /* column of a drag; -1: none */
    int unexplained;           /* changes of the size that changed nothing */
    bool is_behind;            /* there was no memory for the size that the terminal has */
    short pair_ink[4096], pair_paper[4096];
    int pairs, most_pairs;
    bool is_wired;             /* frames do not go through curses */
    struct wire wire;
    char *bytes;               /* room for a frame */
    size_t room;
    char sync[2][16];          /* around a frame: hold it back, show it */
    bool has_begun;            /* something was drawn */
    bool is_stale;             /* what is shown is not to be relied on */
    bool has_cursor;           /* that stands at the line that is typed, */
    int cursor_x, cursor_y;    /* here */
} draw;

/* ---- colours ---- */

static int pair_of(int ink, int paper)
{
    if (ink < 0 && paper < 0)
        return 0;
    for (int i = 1; i < draw.pairs; i++)
        if (draw.pair_ink[i] == ink && draw.pair_paper[i] == paper)
            return i;
    if (draw.pairs >= draw.most_pairs || init_extended_pair(draw.pairs, ink, paper) == ERR)
        return 0;
    draw.pair_ink[draw.pairs] = (short)ink;
    draw.pair_paper[draw.pairs] = (short)paper;
    return draw.pairs++;
}

static enum depth depth_of_terminal(const struct cli *cli)
{
    if (!cli_wants_colour(cli) || !has_colors() || start_color() == ERR)
        return DEPTH_MONO;
    use_default_colors();
    draw.most_pairs = COLOR_PAIRS < 4096 ? COLOR_PAIRS : 4096;
    draw.pairs = 1;
    /* With direct colour an index would be a colour of its own, but for the first eight. */
    if (tigetflag("RGB") > 0 || COLORS > 256)
        return DEPTH_8;
    if (COLORS >= 256 && cli->colour != WHEN_FEW)
        return DEPTH_256;
    return COLORS >= 16 ? DEPTH_16 : COLORS >= 8 ? DEPTH_8 : DEPTH_MONO;
}

/* ---- the blit ---- */

static void put_cell(int x, int y, const struct cell *cell)
{
    wchar_t glyph[2] = {(wchar_t)cell->glyph, 0};
    cchar_t out;
    attr_t attributes = 0;
    int pair = pair_of(theme_index(&draw.theme, cell->ink), theme_index(&draw.theme, cell->paper));
    bool is_mono = draw.theme.depth == DEPTH_MONO;

    if (cell->attributes & ATTR_BOLD)
        attributes |= A_BOLD;
    if (cell->attributes & ATTR_REVERSE || (is_mono && cell->attributes & ATTR_REVERSE_MONO))
        attributes |= A_REVERSE;
    setcchar(&out, glyph, attributes, 0, &pair);
    mvadd_wch(y, x, &out);
}

/* Sends what looks different from what is shown. */
static void blit(bool is_whole)
{
    const struct grid *grid = &draw.grid;

    for (int y = 0; y < grid->rows; y++) {
        struct cell left = {.glyph = ' ', .paper = COLOUR_OWN};
        for (int x = 0; x < grid->columns; x++) {
            const struct cell *cell = grid_at(grid, x, y);
            struct cell *old = grid_at(&draw.shown, x, y);
            if (is_whole || !cell_looks_equal(cell, old)) {
                *old = cell_as_sent(grid, x, y, &left);
                if (cell->glyph != 0)
                    put_cell(x, y, old);
            }
            left = *old;
        }
    }
}

/* Sends the frame as bytes of our own; `is_recoloured`: every cell looks another way. */
static void send(bool is_whole, bool is_recoloured)
{
    bool has_cursor = draw.frame.cursor_x >= 0;
    bool is_first = !draw.has_begun;
    struct text text;

    if (is_whole && !is_first) { /* curses clears, which it has to know of when the size has changed */
        clearok(curscr, TRUE);
        refresh();
        grid_clear(&draw.shown);
    } else if (is_recoloured) {
        wire_forget(&draw.shown);
    }
    text_init(&text, draw.bytes, draw.room);
    text_add(&text, draw.sync[0]);
    if (is_first) { /* the screen that curses began with is blank, and it need not walk it to know */
        text_add(&text, "\033[m\033[H\033[J");
        clearok(curscr, FALSE);
        untouchwin(stdscr);
        draw.has_begun = true;
    }
    size_t mark = text.length;
    wire_frame(&draw.wire, &draw.theme, &draw.grid, &draw.shown, &draw.spare, &text);
    bool is_moved = has_cursor && (text.length > mark || !draw.has_cursor ||
                                   draw.cursor_x != draw.frame.cursor_x ||
                                   draw.cursor_y != draw.frame.cursor_y);
    if (is_moved)
        text_addf(&text, "\033[%d;%dH", draw.frame.cursor_y + 1, draw.frame.cursor_x + 1);
    draw.has_cursor = has_cursor;
    draw.cursor_x = draw.frame.cursor_x;
    draw.cursor_y = draw.frame.cursor_y;
    if (text.length == mark)
        return;
    text_add(&text, draw.sync[1]);
    /* Waits for a slow reader, as curses does: a part of a frame would stay wrong. */
    output_write_all(tui.end.terminal, text.buffer, text.length);
}

static void send_by_curses(bool is_whole)
{
    bool has_cursor = draw.frame.cursor_x >= 0;

    draw.has_begun = true;
    blit(is_whole);
    if (has_cursor)
        move(draw.frame.cursor_y, draw.frame.cursor_x);
    else if (LINES > 0)
        move(LINES - 1, 0);
    refresh();
}

/* Grids of the terminal's size, and room for a frame's bytes. */
static bool fit_grids(void)
{
    if (!grid_resize(&draw.grid, COLS, LINES) || !grid_resize(&draw.shown, COLS, LINES) ||
        (draw.is_wired && !grid_resize(&draw.spare, COLS, LINES)))
        return false;
    size_t room = draw.is_wired ? wire_frame_size(&draw.grid) + 2 * sizeof draw.sync + 32 : 0;
    char *bytes = room > 0 ? realloc(draw.bytes, room) : NULL;
    if (room > 0 && bytes == NULL)
        return false;
    draw.bytes = bytes;
    draw.room = room;
    return true;
}

static void take_size(int told);

static void redraw(struct session *session, bool is_whole)
{
    struct snapshot snapshot;

    if (draw.is_behind)
        take_size(0);
    if (draw.is_behind)
        session_message(session, "there is not enough memory for this size of the terminal", true);
    if (draw.grid.columns != COLS || draw.grid.rows != LINES) {
        if (!fit_grids()) {
            grid_free(&draw.grid); /* the next key tries again */
            erase();
            mvaddstr(0, 0, "not enough memory to draw");
            refresh();
            draw.has_begun = true;
            return;
        }
        if (draw.has_begun) /* before, the screen that curses has is blank */
            erase();
        is_whole = true;
    }
    session_snapshot(session, &snapshot);
    bool was_bubble = draw.theme.is_bubble_view;
    draw.theme.is_bubble_view = snapshot.is_bubble_view;
    screen_draw(&draw.grid, &draw.theme, &snapshot, true, &draw.frame);
    if (!draw.frame.layout.is_too_small) {
        uint32_t top = snapshot.lane_top;
        session_set_view(session, &draw.frame.view);
        session_snapshot(session, &snapshot);
        if (snapshot.lane_top != top)
            screen_draw(&draw.grid, &draw.theme, &snapshot, true, &draw.frame);
    }
    bool is_recoloured = was_bubble != draw.theme.is_bubble_view;
    if (draw.is_wired)
        send(is_whole || draw.is_stale, is_recoloured);
    else
        send_by_curses(is_whole || is_recoloured);
    draw.is_stale = false;
    curs_set(draw.frame.cursor_x >= 0 ? 1 : 0);
}

/* ---- keys ---- */

static const char *name_of_key(int key, char *buffer, size_t size)
{
    static const struct {
        int key;
        const char *name;
    } names[] = {
        {KEY_LEFT, "Left"},       {KEY_RIGHT, "Right"},      {KEY_UP, "Up"},
        {KEY_DOWN, "Down"},       {KEY_HOME, "Home"},        {KEY_END, "End"},
        {KEY_NPAGE, "PageDown"},  {KEY_PPAGE, "PageUp"},     {KEY_DC, "Delete"},
        {KEY_BACKSPACE, "Backspace"}, {KEY_ENTER, "Enter"},  {KEY_SLEFT, "Shift-Left"},
        {KEY_SRIGHT, "Shift-Right"}, {KEY_BTAB, "Shift-Tab"}, {KEY_F(1), "F1"},
    };
    struct text text;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].key == key)
            return names[i].name;
    text_init(&text, buffer, size);
    text_addf(&text, key >= KEY_F0 && key < KEY_F0 + 64 ? "F%d" : "key %d",
              key >= KEY_F0 && key < KEY_F0 + 64 ? key - KEY_F0 : key);
    return buffer;
}

/* ---- what follows an Esc ---- */

static int next_character(void *about, int patience)
{
    wint_t c;

    (void)about;
    timeout(patience);
    int got = get_wch(&c);
    timeout(0);
    if (got == KEY_CODE_YES) { /* a key of its own: later */
        ungetch((int)c);
        return -1;
    }
    return got == OK ? (int)c : -1;
}

static int next_byte(void *about, int patience)
{
    struct pollfd wait = {tui.keys, POLLIN, 0};
    unsigned char byte;

    (void)about;
    return poll(&wait, 1, patience) > 0 && read(tui.keys, &byte, 1) == 1 ? byte : -1;
}

static void put_back(void *about, int character)
{
    (void)about;
    unget_wch((wchar_t)character);
}

/* Its key, NULL for none. */
static const char *take_sequence(struct session *session)
{
    const struct source source = {next_character, next_byte, put_back, NULL, tui.has_mouse};
    struct sequence sequence = sequence_take(&source);

    if (sequence.is_pointer)
        mouse_take(session, &draw.frame, &sequence.pointer, &draw.drag_x);
    return sequence.key;
}

/* Collects what is pasted up to the end mark; a paste that stalls ends there. */
static void take_paste(struct session *session)
{
    char buffer[PASTE_SIZE];
    struct text text;
    wint_t c;

    text_init(&text, buffer, sizeof buffer);
    timeout(500);
    for (int got; (got = get_wch(&c)) != ERR;) {
        if (got == KEY_CODE_YES && c == KEY_PASTE_END)
            break;
        if (got == OK)
            text_add_character(&text, c);
    }
    timeout(0);
    session_paste(session, buffer);
}

/* ---- giving the terminal back ---- */

static void modes_on(void)
{
    ending_write(tui.end.terminal, tui.modes_on, strlen(tui.modes_on));
}

static void modes_off(void)
{
    ending_write(tui.end.terminal, tui.modes_off, strlen(tui.modes_off));
}

static bool has_capability(const char *name)
{
    const char *value = tigetstr(name);
    return value != NULL && value != (char *)-1 && value[0] != '\0';
}

static void add_capability(struct text *text, const char *name)
{
    if (has_capability(name))
        text_add(text, tigetstr(name));
}

/* What a crash handler writes: only bytes that were ready before. */
static void prepare_goodbye(void)
{
    char goodbye[sizeof tui.end.goodbye];
    struct text text;
    sigset_t held;

    text_init(&text, goodbye, sizeof goodbye);
    text_add(&text, tui.modes_off);
    add_capability(&text, "sgr0");
    add_capability(&text, "rmkx");
    add_capability(&text, "rmcup");
    add_capability(&text, "cnorm");
    ending_hold(&held, false);
    memcpy(tui.end.goodbye, goodbye, text.length);
    tui.end.goodbye_size = text.length;
    ending_release(&held);
}

static void close_screen(void)
{
    if (tui.screen == NULL)
        return;
    modes_off();
    endwin();
    delscreen(tui.screen);
    tui.screen = NULL;
    ending_restore(&tui.end);
}

/* Curses leaves by exit where it finds no memory, whatever state the terminal is in. */
static void on_exit_of_curses(void)
{
    if (tui.screen == NULL)
        return;
    ending_write(tui.end.terminal, tui.end.goodbye, tui.end.goodbye_size);
    ending_restore(&tui.end);
}

static void on_signal(int number)
{
    ending_notice(&tui.end, number);
}

/* The loop may be stuck in a write that nobody reads; then it is not waited for. */
static void on_end(int number)
{
    if (ending_begins(&tui.end, number))
        on_signal(number);
    else
        ending_now(&tui.end, tui.end.number, false);
}

static void on_crash(int number)
{
    ending_now(&tui.end, number, true);
}

static void end_by_signal(int number)
{
    ending_begins(&tui.end, number); /* a terminal that takes nothing is not waited for */
    ending_keep(&tui.end);
    close_screen();
    ending_say(&tui.end);
    ending_by(number);
}

/* ---- resizing and suspending ---- */

/* `told`: how often a size was said to be new. */
static void take_size(int told)
{
    struct winsize size;

    if (!extent_ask(tui.end.terminal, &size))
        return;
    draw.unexplained += told;
    if (size.ws_row == LINES && size.ws_col == COLS) {
        if (draw.unexplained > 1) { /* in between there was one that may have cut the screen off */
            clearok(curscr, TRUE);
            draw.is_stale = true;
            draw.unexplained = 0;
        }
        return;
    }
    draw.unexplained = 0;
    draw.is_behind = !extent_has_room(&size);
    if (draw.is_behind)
        return;
    /* First smaller, then larger: much of both at once takes curses seconds. */
    resizeterm(size.ws_row < LINES ? size.ws_row : LINES, size.ws_col < COLS ? size.ws_col : COLS);
    resizeterm(size.ws_row, size.ws_col);
    /* Curses may have set the scrolling region for the old size when the terminal had this one.
     * What comes next clears the screen, so it does not matter that this moves the cursor. */
    if (has_capability("csr")) {
        const char *whole = tparm(tigetstr("csr"), 0, size.ws_row - 1);
        if (whole != NULL)
            ending_write(tui.end.terminal, whole, strlen(whole));
    }
}

static void come_back(struct session *session)
{
    reset_prog_mode();
    take_size(0);
    modes_on();
    clearok(curscr, TRUE);
    redraw(session, true);
}

/* `is_asked`: by a key, not by a signal. */
static void suspend(struct session *session, bool is_asked)
{
    recovery_settle(tui.end.recovery, session); /* who stands still can be killed, but not write */
    modes_off();
    endwin();
    ending_restore(&tui.end);
    ending_stop(&tui.end, is_asked, on_signal);
    refresh(); /* here again after SIGCONT */
    come_back(session);
}

/* ---- the loop ---- */

enum outcome_of_turn { TURN_GOES_ON, TURN_QUITS, TURN_LOST };

static void take_signals(struct session *session)
{
    char numbers[64];
    ssize_t count = read(tui.end.wake[0], numbers, sizeof numbers);
    int resized = 0;

    for (ssize_t i = 0; i < count; i++) {
        if (numbers[i] == SIGWINCH)
            resized++;
        else if (numbers[i] == SIGTSTP)
            suspend(session, false);
        else if (numbers[i] == SIGCONT)
            come_back(session);
        else
            end_by_signal(numbers[i]);
    }
    take_size(resized);
}

/* False when the session asked to leave. */
static bool serve(struct desk *desk, struct session *session)
{
    struct request request = session_take_request(session);

    switch (request.kind) {
    case REQUEST_NONE:
        return true;
    case REQUEST_QUIT:
        if (!request.is_forced)
            return !recovery_lets_go(desk->recovery, session);
        recovery_keep(desk->recovery, session);
        recovery_discard(desk->recovery);
        return false;
    case REQUEST_SUSPEND:
        if (tui.never_stops)
            session_message(session, "not suspended: whatever started this program has switched that "
                                     "off", true);
        else
            suspend(session, true);
        return true;
    case REQUEST_REPAINT:
        clearok(curscr, TRUE);
        draw.is_stale = true;
        return true;
    default:
        desk_serve(desk, session, &request);
        if (request.kind != REQUEST_SAVE || !request.quits_after || session_is_unsaved(session))
            return true;
        session_apply(session, COMMAND_QUIT); /* which asks about what else is unsaved */
        return serve(desk, session);
    }
}

/* A key, if there is one. Curses drops the first bytes of a character whose others are still under
 * way, unless it may wait for them. */
static int take_key(wint_t *c)
{
    int waiting = 0;

    ioctl(tui.keys, FIONREAD, &waiting);
    timeout(waiting > 0 ? 100 : 0);
    int got = get_wch(c);
    timeout(0);
    return got;
}

/* Where a key takes longer than it takes to repeat, there is always one more to be read. What curses
 * has read already would not end the wait for more, so that there has to be more. */
static bool is_frame_due(int64_t began)
{
    int waiting = 0;

    return ticker_now() - began >= UNSEEN_MS && ioctl(tui.keys, FIONREAD, &waiting) == 0 && waiting > 0;
}

/* Everything that is waiting to be read; the frame is drawn once after it, or after a while. */
static enum outcome_of_turn take_keys(struct desk *desk, struct session *session)
{
    char buffer[32];
    wint_t c;
    int taken = 0;
    int64_t began = ticker_now();

    for (int got; !is_frame_due(began) && (got = take_key(&c)) != ERR; taken++) {
        if (got == KEY_CODE_YES && c == KEY_PASTE_BEGIN)
            take_paste(session);
        if (got == KEY_CODE_YES &&
            (c == KEY_PASTE_BEGIN || c == KEY_PASTE_END || c == KEY_RESIZE))
            continue;
        const char *name = got == KEY_CODE_YES ? name_of_key((int)c, buffer, sizeof buffer)
                           : c == 27           ? take_sequence(session)
                                               : key_of_character(c, buffer, sizeof buffer);
        if (name != NULL)
            session_key(session, name);
        if (!serve(desk, session))
            return TURN_QUITS;
    }
    return taken > 0 ? TURN_GOES_ON : TURN_LOST;
}

static int loop(struct desk *desk, struct session *session, struct workers *workers)
{
    struct pollfd waits[2] = {{tui.keys, POLLIN, 0}, {tui.end.wake[0], POLLIN, 0}};
    struct ticker ticker = {.is_on = false};
    int patience = -1; /* only a key or a signal ends the wait while nothing is to be done */

    redraw(session, true);
    for (;;) {
        if (recovery_tend(desk->recovery, session, ticker_now()))
            redraw(session, false);
        int wait = ticker_wait(&ticker, session, patience);
        wait = recovery_wait(desk->recovery, ticker_now(), wait);
        if (poll(waits, 2, wait) < 0 && errno != EINTR)
            return 1;
        if (waits[1].revents & POLLIN)
            take_signals(session);
        if (waits[0].revents != 0) {
            /* Before they are taken: the first byte of a character that is still under way makes
             * no key, and leaves nothing behind either. */
            bool is_lost = ending_is_lost(tui.keys, waits[0].revents);
            enum outcome_of_turn turn = take_keys(desk, session);
            if (turn == TURN_QUITS)
                return 0;
            if (turn == TURN_LOST && is_lost)
                end_by_signal(SIGHUP); /* the signal itself may still be under way */
        }
        ticker_run(&ticker, session);
        patience = workers_attend(workers, session_batch(session));
        struct batch *next = patience < 0 ? session_batch(session) : NULL;
        if (next != NULL && batch_is_open(next))
            patience = 0; /* what was just done led to more */
        redraw(session, false);
        waits[0].revents = waits[1].revents = 0;
    }
}

/* ---- opening ---- */

static bool says(const char *capability, const char *wanted)
{
    return capability != NULL && capability != (char *)-1 && strcmp(capability, wanted) == 0;
}

static const char *with(const char *name, int a, int b)
{
    return has_capability(name) ? tparm(tigetstr(name), a, b) : NULL;
}

/* The parameters of "ESC [ parameters m"; false for anything else. */
static bool take_code(char *code, const char *sequence)
{
    size_t length = sequence == NULL ? 0 : strspn(sequence + (sequence[0] == '\033' ? 2 : 0),
                                                  "0123456789;:");

    if (sequence == NULL || strncmp(sequence, "\033[", 2) != 0 || length == 0 ||
        length >= WIRE_CODE_SIZE || strcmp(sequence + 2 + length, "m") != 0)
        return false;
    memcpy(code, sequence + 2, length);
    code[length] = '\0';
    return strchr("349", code[0]) != NULL || strncmp(code, "10", 2) == 0;
}

/* Codes of all colours there are, in both views. */
static bool take_codes(struct wire *wire)
{
    struct theme theme = draw.theme;

    for (int c = 0; c < COLOUR_COUNT * 2; c++) {
        theme.is_bubble_view = c % 2 == 1;
        int index = theme_index(&theme, (enum colour)(c / 2));
        if (index >= 0 && wire->ink[index][0] == '\0' &&
            !(take_code(wire->ink[index], with("setaf", index, 0)) &&
              take_code(wire->paper[index], with("setab", index, 0))))
            return false;
    }
    return says(tigetstr("op"), "\033[39;49m");
}

/* Does the description of this terminal say what ECMA-48 does, in all that frames need? */
static bool take_wire(struct wire *wire)
{
    const char *reset = has_capability("sgr0") ? tigetstr("sgr0") : "";
    int unusable = tigetnum("ncv"); /* attributes that colours rule out: 4 reverse, 32 bold */

    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0 || tigetflag("xenl") <= 0 ||
        tigetnum("xmc") > 0 || (unusable > 0 && (unusable & (4 | 32)) != 0) ||
        (strncmp(reset, "\033[m", 3) != 0 && strcmp(reset, "\033(B\033[m") != 0) ||
        !says(with("cup", 4, 6), "\033[5;7H") || !says(with("cuf", 3, 0), "\033[3C") ||
        !says(tigetstr("el"), "\033[K") || !says(tigetstr("bold"), "\033[1m") ||
        !says(tigetstr("rev"), "\033[7m"))
        return false;
    wire->has_colours = draw.theme.depth != DEPTH_MONO;
    wire->has_bce = tigetflag("bce") > 0;
    wire->has_erase = says(with("ech", 7, 0), "\033[7X");
    wire->has_shift = says(with("dch", 7, 0), "\033[7P") && says(with("ich", 7, 0), "\033[7@");
    wire->has_moves = says(tigetstr("cub1"), "\b") && says(tigetstr("cud1"), "\n") &&
                      says(with("cub", 3, 0), "\033[3D") && says(with("cuu", 3, 0), "\033[3A") &&
                      says(with("cud", 3, 0), "\033[3B") && says(with("hpa", 6, 0), "\033[7G") &&
                      says(with("vpa", 4, 0), "\033[5d");
    return !wire->has_colours || take_codes(wire);
}

/* Where the description says how to hold output back until it is complete. */
static void take_sync(void)
{
    for (int i = 0; i < 2 && has_capability("Sync"); i++) {
        const char *bytes = tparm(tigetstr("Sync"), i + 1);
        if (bytes != NULL && strlen(bytes) < sizeof draw.sync[i])
            strcpy(draw.sync[i], bytes);
    }
}

static bool fail(struct report *report, const char *sentence)
{
    struct text text;

    text_init(&text, report->text, sizeof report->text);
    text_add(&text, sentence);
    return false;
}

/* A screen on a terminal type that curses knows: the one that is set, or a plain one. */
static const char *open_type(FILE *keys)
{
    static const char *const plain[] = {"xterm", "ansi", "vt100"};
    const char *type = getenv("TERM");

    if (type != NULL && type[0] != '\0' && (tui.screen = newterm(type, stdout, keys)) != NULL)
        return NULL;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if ((tui.screen = newterm(plain[i], stdout, keys)) != NULL)
            return plain[i];
    return "";
}

static void ask_for_modes(const struct cli *cli)
{
    struct text on, off;

    text_init(&on, tui.modes_on, sizeof tui.modes_on);
    text_init(&off, tui.modes_off, sizeof tui.modes_off);
    if (!has_capability("kmous")) /* not like xterm */
        return;
    tui.has_mouse = !cli->has_no_mouse;
    if (tui.has_mouse) {
        text_add(&on, "\033[?1000h\033[?1002h\033[?1006h");
        text_add(&off, "\033[?1006l\033[?1002l\033[?1000l");
    }
    define_key("\033[200~", KEY_PASTE_BEGIN);
    define_key("\033[201~", KEY_PASTE_END);
    text_add(&on, "\033[?2004h");
    text_add(&off, "\033[?2004l");
}

static bool open_screen(const struct cli *cli, FILE *keys, const char **fallback,
                        struct report *report)
{
    static char stack[1 << 16]; /* for a crash by want of stack */
    struct sigaction stops;
    sigset_t held;

    if (!extent_has_start())
        return fail(report, "there is not enough memory for a screen");

    tui.end.terminal = STDOUT_FILENO;
    extent_export(tui.end.terminal);
    tui.keys = fileno(keys);
    tui.end.has_before = tcgetattr(tui.end.terminal, &tui.end.before) == 0;
    if (!ending_open(&tui.end))
        return fail(report, "no pipe for signals");
    /* Before curses starts, so that it keeps its own handlers away and a resize now is not lost. */
    tui.never_stops = sigaction(SIGTSTP, NULL, &stops) == 0 && stops.sa_handler == SIG_IGN;
    ending_catch(&(struct handlers){on_signal, on_end, on_crash}, stack, sizeof stack);
    if (tui.never_stops)
        signal(SIGTSTP, SIG_IGN);
    /* Curses takes the screen before it is known how to give it back: this does where it may crash. */
    const char *usual = "\033[?1000l\033[?1006l\033[?1049l\033[?25h\033[0m";
    memcpy(tui.end.goodbye, usual, strlen(usual));
    tui.end.goodbye_size = strlen(usual);
    ending_hold(&held, true);
    *fallback = open_type(keys);
    if (tui.screen != NULL) {
        ask_for_modes(cli);
        prepare_goodbye();
    }
    ending_release(&held);
    if (tui.screen == NULL)
        return fail(report, "no terminal description is usable; --print needs none");
    if (!has_capability("cup") || !has_capability("clear")) {
        close_screen();
        return fail(report, "this terminal cannot place text on a screen; --print draws the chart "
                            "as plain text");
    }
    prepare_goodbye(); /* and again when it is known which modes there are */
    atexit(on_exit_of_curses);
    set_escdelay(getenv("SSH_CONNECTION") != NULL ? 100 : 25);
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    if (has_capability("kmous")) /* curses would wait for what is missing of a report */
        define_key(tigetstr("kmous"), 0);
    nodelay(stdscr, TRUE);
    idlok(stdscr, FALSE);
    const char *type = getenv("TERM");
    bool is_console = type != NULL && strcmp(type, "linux") == 0;
    draw.theme = (struct theme){
        .depth = depth_of_terminal(cli),
        .is_ascii = cli->is_ascii || is_console || strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
        .is_sparing = cli->colour == WHEN_FEW,
    };
    draw.drag_x = -1;
    draw.is_wired = take_wire(&draw.wire);
    take_sync();
    modes_on(); /* nothing is cleared yet: the first frame does that, and is the last that is sent */
    curs_set(0);
    take_size(0);
    return true;
}

int tui_run(struct desk *desk, struct session *session, FILE *keys, struct report *report)
{
    const char *fallback = NULL;

    report->text[0] = '\0';
    tui.end.recovery = desk->recovery;
    if (!open_screen(desk->cli, keys, &fallback, report)) {
        close_screen();
        return 1;
    }
    struct workers *workers = workers_make();
    int status = loop(desk, session, workers);
    recovery_keep(desk->recovery, session);
    ending_keep(&tui.end);
    close_screen();
    workers_free(workers);
    grid_free(&draw.grid);
    grid_free(&draw.shown);
    grid_free(&draw.spare);
    free(draw.bytes);
    draw.bytes = NULL;
    if (ending_word(&tui.end) != NULL)
        fail(report, ending_word(&tui.end));
    else if (fallback != NULL && status == 0) {
        struct text text;
        const char *type = getenv("TERM");
        text_init(&text, report->text, sizeof report->text);
        text_add(&text, "the terminal type '");
        text_printable(&text, type == NULL ? "" : type);
        text_addf(&text, "' is unknown here: %s was used instead", fallback);
    }
    return status;
}
