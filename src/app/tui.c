/* The interactive screen: the only file that talks to curses.
 *
 * Curses looks after modes, keys and the mouse, and has the terminal's description. What that says
 * is judged in terminal.c; what is shown goes through frames.c, as a rule in bytes of our own, so
 * that the screen that curses knows stays blank; loop.c has the order of work. This file ties them to
 * curses. Keys become names and go to the session. Signals only write a byte into a pipe, which wakes
 * the loop, so that no handler does more than a handler may. Ends that cannot wait for it are the
 * exception: see ending.h. */
#include "app/tui.h"

#include "app/ending.h"
#include "app/extent.h"
#include "app/frames.h"
#include "app/keys.h"
#include "app/loop.h"
#include "app/mouse.h"
#include "app/output.h"
#include "app/sequence.h"
#include "app/terminal.h"

#include <curses.h>
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

/* The one screen there is. Signal handlers reach it, so it is file-level. */
static struct {
    SCREEN *screen;
    struct ending end; /* with the terminal that is drawn on and configured */
    int keys;          /* that keys come from */
    bool has_mouse;
    bool never_stops; /* SIGTSTP was ignored at the start: nobody would let it go on */
    struct modes modes;
    struct extent extent;
    int drag_x; /* column of a drag; -1: none */
} tui;

static struct frames frames;

/* ---- its description ---- */

static const char *string_of(const char *name)
{
    const char *value = tigetstr(name);
    return value != NULL && value != (char *)-1 && value[0] != '\0' ? value : NULL;
}

static const char *expand(const char *name, int a, int b)
{
    const char *value = string_of(name);
    return value != NULL ? tparm(value, a, b) : NULL;
}

static bool has_flag(const char *name)
{
    return tigetflag(name) > 0;
}

static const struct description description = {string_of, expand, tigetnum, has_flag};

/* ---- colours ---- */

/* Pairs of colours that curses knows by now; pair 0 is the terminal's own. */
static struct {
    short ink[4096], paper[4096];
    int count, most;
} pairs;

static int pair_of(int ink, int paper)
{
    if (ink < 0 && paper < 0)
        return 0;
    for (int i = 1; i < pairs.count; i++)
        if (pairs.ink[i] == ink && pairs.paper[i] == paper)
            return i;
    if (pairs.count >= pairs.most || init_extended_pair(pairs.count, ink, paper) == ERR)
        return 0;
    pairs.ink[pairs.count] = (short)ink;
    pairs.paper[pairs.count] = (short)paper;
    return pairs.count++;
}

static enum depth open_colours(const struct cli *cli)
{
    if (!cli_wants_colour(cli) || !has_colors() || start_color() == ERR)
        return DEPTH_MONO;
    use_default_colors();
    pairs.most = COLOR_PAIRS < 4096 ? COLOR_PAIRS : 4096;
    pairs.count = 1;
    return terminal_depth(&description, COLORS, cli->colour == WHEN_FEW);
}

/* ---- frames ---- */

static void clear_terminal(void)
{
    clearok(curscr, TRUE); /* by curses, which has to know of it when the size has changed */
    refresh();
}

/* Waits for a slow reader, as curses does: a part of a frame would stay wrong. */
static void send_bytes(const char *bytes, size_t count)
{
    output_write_all(tui.end.terminal, bytes, count);
}

static void put_cell(const struct theme *theme, int x, int y, const struct cell *cell)
{
    wchar_t glyph[2] = {(wchar_t)cell->glyph, 0};
    cchar_t out;
    attr_t attributes = 0;
    int pair = pair_of(theme_index(theme, cell->ink), theme_index(theme, cell->paper));
    bool is_mono = theme->depth == DEPTH_MONO;

    if (cell->attributes & ATTR_BOLD)
        attributes |= A_BOLD;
    if (cell->attributes & ATTR_REVERSE || (is_mono && cell->attributes & ATTR_REVERSE_MONO))
        attributes |= A_REVERSE;
    setcchar(&out, glyph, attributes, 0, &pair);
    mvadd_wch(y, x, &out);
}

static void show_cells(int x, int y)
{
    move(y, x);
    refresh();
}

static const struct display display = {clear_terminal, send_bytes, put_cell, show_cells};

/* With the next frame. */
static void repaint(void)
{
    clearok(curscr, TRUE);
    frames.is_stale = true;
}

/* `told`: how often a size was said to be new. */
static void take_size(int told)
{
    struct winsize size;

    enum extent_change change = extent_follow(&tui.extent, tui.end.terminal, told, COLS, LINES,
                                              &size);
    if (change == EXTENT_DOUBTFUL)
        repaint();
    if (change != EXTENT_CHANGED)
        return;
    /* First smaller, then larger: much of both at once takes curses seconds. */
    resizeterm(size.ws_row < LINES ? size.ws_row : LINES, size.ws_col < COLS ? size.ws_col : COLS);
    resizeterm(size.ws_row, size.ws_col);
    /* Curses may have set the scrolling region for the old size when the terminal had this one.
     * What comes next clears the screen, so it does not matter that this moves the cursor. */
    const char *whole = expand("csr", 0, size.ws_row - 1);
    if (whole != NULL)
        ending_write(tui.end.terminal, whole, strlen(whole));
}

static void redraw(struct session *session, bool is_whole)
{
    if (tui.extent.is_behind)
        take_size(0);
    if (tui.extent.is_behind)
        session_message(session, "there is not enough memory for this size of the terminal", true);
    bool is_first = !frames.has_begun;
    if (!is_first && (frames.grid.columns != COLS || frames.grid.rows != LINES))
        erase(); /* what curses has is cut to the new size, or stands beside it */
    if (!frames_draw(&frames, session, COLS, LINES, is_whole)) { /* the next key tries again */
        erase();
        mvaddstr(0, 0, "not enough memory to draw");
        refresh();
        return;
    }
    /* The screen that curses began with is blank, and it need not walk it to know. */
    if (is_first && frames.is_wired) {
        clearok(curscr, FALSE);
        untouchwin(stdscr);
    }
    curs_set(frames.frame.cursor_x >= 0 ? 1 : 0);
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
        mouse_take(session, &frames.frame, &sequence.pointer, &tui.drag_x);
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

/* A character or a key of curses, if there is one. Curses drops the first bytes of a character whose
 * others are still under way, unless it may wait for them. */
static int read_key(wint_t *c)
{
    int waiting = 0;

    ioctl(tui.keys, FIONREAD, &waiting);
    timeout(waiting > 0 ? 100 : 0);
    int got = get_wch(c);
    timeout(0);
    return got;
}

static bool take_key(struct session *session)
{
    char buffer[32];
    const char *name;
    wint_t c;
    int got = read_key(&c);

    if (got == ERR)
        return false;
    if (got != KEY_CODE_YES)
        name = c == 27 ? take_sequence(session) : key_of_character(c, buffer, sizeof buffer);
    else if (c == KEY_PASTE_BEGIN || c == KEY_PASTE_END || c == KEY_RESIZE)
        name = NULL;
    else
        name = name_of_key((int)c, buffer, sizeof buffer);
    if (name != NULL)
        session_key(session, name);
    if (got == KEY_CODE_YES && c == KEY_PASTE_BEGIN)
        take_paste(session);
    return true;
}

/* ---- giving the terminal back ---- */

static void modes_on(void)
{
    ending_write(tui.end.terminal, tui.modes.on, strlen(tui.modes.on));
}

static void modes_off(void)
{
    ending_write(tui.end.terminal, tui.modes.off, strlen(tui.modes.off));
}

/* What a crash handler writes: only bytes that were ready before. */
static void prepare_goodbye(void)
{
    char goodbye[sizeof tui.end.goodbye];
    struct text text;
    sigset_t held;

    text_init(&text, goodbye, sizeof goodbye);
    terminal_add_goodbye(&description, &tui.modes, &text);
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

/* ---- suspending ---- */

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

static void suspend_by_key(struct session *session)
{
    if (tui.never_stops)
        session_message(session, "not suspended: whatever started this program has switched that "
                                 "off", true);
    else
        suspend(session, true);
}

/* ---- signals ---- */

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

/* The signal itself may still be under way. */
static void lose_terminal(void)
{
    end_by_signal(SIGHUP);
}

static const struct screen_calls screen_calls = {
    take_key, take_signals, redraw, repaint, suspend_by_key, lose_terminal,
};

/* ---- opening ---- */

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
    if (!terminal_take_modes(&description, !cli->has_no_mouse, &tui.modes))
        return;
    tui.has_mouse = !cli->has_no_mouse;
    define_key("\033[200~", KEY_PASTE_BEGIN);
    define_key("\033[201~", KEY_PASTE_END);
}

static void open_frames(const struct cli *cli)
{
    const char *type = getenv("TERM");
    bool is_console = type != NULL && strcmp(type, "linux") == 0;
    bool is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

    frames.display = &display;
    frames.theme = (struct theme){
        .depth = open_colours(cli),
        .is_ascii = cli->is_ascii || is_console || !is_utf8,
        .is_sparing = cli->colour == WHEN_FEW,
    };
    frames.is_wired = is_utf8 && terminal_has_wire(&description, &frames.theme, &frames.wire);
    terminal_take_sync(&description, frames.sync);
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
    if (string_of("cup") == NULL || string_of("clear") == NULL) {
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
    if (string_of("kmous") != NULL) /* curses would wait for what is missing of a report */
        define_key(string_of("kmous"), 0);
    nodelay(stdscr, TRUE);
    idlok(stdscr, FALSE);
    open_frames(cli);
    tui.drag_x = -1;
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
    int status = loop_run(&(struct loop){
        .screen = &screen_calls,
        .desk = desk,
        .session = session,
        .workers = workers,
        .keys = tui.keys,
        .wake = tui.end.wake[0],
    });
    recovery_keep(desk->recovery, session);
    ending_keep(&tui.end);
    close_screen();
    workers_free(workers);
    frames_free(&frames);
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
