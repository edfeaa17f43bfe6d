/* The interactive screen as far as it needs no curses: a description becomes decisions, frames are
 * sent when there is something to send, and the loop works in its order. */
#include "app/extent.h"
#include "app/frames.h"
#include "app/loop.h"
#include "app/recovery.h"
#include "driver.h"

#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- a description ---- */

/* Much as terminfo has xterm-256color. "%a" and "%b" are the parameters, "%i" and "%j" one more. */
static const char *const xterm[][2] = {
    {"xenl", "yes"},          {"bce", "yes"},           {"sgr0", "\033(B\033[m"},
    {"cup", "\033[%i;%jH"},   {"cuf", "\033[%aC"},      {"el", "\033[K"},
    {"bold", "\033[1m"},      {"rev", "\033[7m"},       {"ech", "\033[%aX"},
    {"dch", "\033[%aP"},      {"ich", "\033[%a@"},      {"cub1", "\b"},
    {"cud1", "\n"},           {"cub", "\033[%aD"},      {"cuu", "\033[%aA"},
    {"cud", "\033[%aB"},      {"hpa", "\033[%iG"},      {"vpa", "\033[%id"},
    {"op", "\033[39;49m"},    {"setaf", "\033[38;5;%am"}, {"setab", "\033[48;5;%am"},
    {"kmous", "\033[<"},      {"rmkx", "\033[?1l"},     {"rmcup", "\033[?1049l"},
    {"cnorm", "\033[?25h"},   {"Sync", "\033P=%as\033\\"},
};

/* What this terminal has instead; no value: nothing. */
static struct {
    const char *name, *value;
} other;

static const char *string_of(const char *name)
{
    if (other.name != NULL && strcmp(name, other.name) == 0)
        return other.value;
    for (size_t i = 0; i < sizeof xterm / sizeof xterm[0]; i++)
        if (strcmp(xterm[i][0], name) == 0)
            return xterm[i][1];
    return NULL;
}

static const char *expand(const char *name, int a, int b)
{
    static char buffer[64];
    const char *format = string_of(name);
    struct text text;

    if (format == NULL)
        return NULL;
    text_init(&text, buffer, sizeof buffer);
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            text_add_character(&text, (unsigned char)*format);
            continue;
        }
        char which = *++format;
        text_addf(&text, "%d", which == 'a' ? a : which == 'b' ? b : which == 'i' ? a + 1 : b + 1);
    }
    return buffer;
}

static int number_of(const char *name)
{
    const char *value = string_of(name);
    return value == NULL ? -1 : value[0] - '0';
}

static bool has_flag(const char *name)
{
    return string_of(name) != NULL;
}

static const struct description description = {string_of, expand, number_of, has_flag};

static bool judge(const char *name, const char *value, enum depth depth, struct wire *wire)
{
    other.name = name;
    other.value = value;
    *wire = (struct wire){.has_colours = false};
    bool is_usable = terminal_has_wire(&description, &(struct theme){.depth = depth}, wire);
    other.name = NULL;
    return is_usable;
}

static void test_wire(void **state)
{
    static const char *const needed[][2] = {
        {"xenl", NULL},        {"xmc", "1"},          {"ncv", "4"},
        {"sgr0", NULL},        {"sgr0", "\033[0m"},   {"cup", NULL},
        {"cup", "\033[%j;%iH"}, {"cup", "\033=%a%b"}, {"cuf", "\033[C"},
        {"el", "\033[0K"},     {"bold", NULL},        {"rev", "\033[3m"},
    };
    static const char *const coloured[][2] = {
        {"setaf", NULL}, {"setaf", "\033[%a"}, {"setaf", "\033[1;3%am"}, {"setab", "\033]4;%a\a"},
        {"op", NULL},    {"op", "\033[m"},
    };
    struct wire wire;

    (void)state;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        assert_false(judge(needed[i][0], needed[i][1], DEPTH_256, &wire));
    for (size_t i = 0; i < sizeof coloured / sizeof coloured[0]; i++) {
        assert_false(judge(coloured[i][0], coloured[i][1], DEPTH_256, &wire));
        assert_true(judge(coloured[i][0], coloured[i][1], DEPTH_MONO, &wire));
        assert_false(wire.has_colours);
    }
    assert_true(judge("sgr0", "\033[m\017", DEPTH_256, &wire));
    assert_true(judge("ncv", "2", DEPTH_256, &wire)); /* underlines: none are drawn */
}

static void test_abilities(void **state)
{
    static const char *const rows[][3] = { /* what it has, and what it then can beyond the rest */
        {"", NULL, "bce erase shift moves "},
        {"bce", NULL, "erase shift moves "},
        {"ech", NULL, "bce shift moves "},
        {"ich", NULL, "bce erase moves "},
        {"dch", "\033[P", "bce erase moves "},
        {"cud1", "\033D", "bce erase shift "},
        {"hpa", "\033[%a`", "bce erase shift "},
    };
    struct wire wire;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char buffer[64];
        struct text text;
        assert_true(judge(rows[i][0], rows[i][1], DEPTH_256, &wire));
        assert_true(wire.has_colours);
        text_init(&text, buffer, sizeof buffer);
        text_add(&text, wire.has_bce ? "bce " : "");
        text_add(&text, wire.has_erase ? "erase " : "");
        text_add(&text, wire.has_shift ? "shift " : "");
        text_add(&text, wire.has_moves ? "moves " : "");
        assert_string_equal(buffer, rows[i][2]);
    }
    int index = theme_index(&(struct theme){.depth = DEPTH_256}, theme_kind_paper(0, 0));
    char code[WIRE_CODE_SIZE];
    struct text text;
    text_init(&text, code, sizeof code);
    text_addf(&text, "48;5;%d", index);
    assert_string_equal(wire.paper[index], code);
}

static void test_depth(void **state)
{
    static const struct {
        int colours;
        bool is_sparing;
        enum depth depth;
    } rows[] = {
        {0, false, DEPTH_MONO}, {2, false, DEPTH_MONO}, {8, false, DEPTH_8},    {15, false, DEPTH_8},
        {16, false, DEPTH_16},  {88, false, DEPTH_16},  {256, false, DEPTH_256}, {256, true, DEPTH_16},
        {8, true, DEPTH_8},     {1 << 24, false, DEPTH_8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(terminal_depth(&description, rows[i].colours, rows[i].is_sparing),
                         rows[i].depth);
    other.name = "RGB";
    other.value = "yes";
    assert_int_equal(terminal_depth(&description, 256, false), DEPTH_8);
    other.name = NULL;
}

static void test_modes(void **state)
{
    struct modes modes;
    char bytes[256], sync[2][SYNC_SIZE] = {"", ""};
    struct text text;

    (void)state;
    assert_true(terminal_take_modes(&description, true, &modes));
    assert_in("\033[?1002h", modes.on);
    assert_in("\033[?2004h", modes.on);
    text_init(&text, bytes, sizeof bytes);
    terminal_add_goodbye(&description, &modes, &text);
    assert_string_equal(bytes, "\033[?1006l\033[?1002l\033[?1000l\033[?2004l"
                               "\033(B\033[m\033[?1l\033[?1049l\033[?25h");
    assert_true(terminal_take_modes(&description, false, &modes));
    assert_string_equal(modes.on, "\033[?2004h");
    terminal_take_sync(&description, sync);
    assert_string_equal(sync[0], "\033P=1s\033\\");
    assert_string_equal(sync[1], "\033P=2s\033\\");
    other.name = "kmous";
    other.value = NULL;
    assert_false(terminal_take_modes(&description, true, &modes));
    assert_string_equal(modes.on, "");
    other.name = NULL;
}

/* ---- its size ---- */

static enum extent_change resize(struct extent *extent, int terminal, unsigned short columns, int told)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};

    assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
    return extent_follow(extent, terminal, told, 80, 24, &size);
}

/* The screen stays at 80 columns here, whatever is told. */
static void test_extent(void **state)
{
    struct extent extent = {.is_behind = false};
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);

    (void)state;
    assert_true(terminal >= 0);
    assert_int_equal(resize(&extent, terminal, 80, 1), EXTENT_KEPT);
    assert_int_equal(resize(&extent, terminal, 80, 1), EXTENT_DOUBTFUL); /* there and back */
    assert_int_equal(resize(&extent, terminal, 80, 1), EXTENT_KEPT);
    assert_int_equal(resize(&extent, terminal, 100, 1), EXTENT_CHANGED);
    assert_int_equal(resize(&extent, terminal, 80, 0), EXTENT_KEPT);
    extent.is_behind = true; /* a size for which there was no memory, and back to what is shown */
    assert_int_equal(resize(&extent, terminal, 80, 1), EXTENT_KEPT);
    assert_false(extent.is_behind);
    close(terminal);
}

/* ---- frames ---- */

static struct {
    char first[64]; /* the beginning of the last frame */
    size_t bytes;   /* of all of it */
    int sends, clears, cells, shows, x, y;
} seen;

static void note_clear(void)
{
    seen.clears++;
}

static void note_send(const char *bytes, size_t count)
{
    struct text text;

    text_init(&text, seen.first, sizeof seen.first);
    for (size_t i = 0; i < count && i < 40; i++)
        text_add_character(&text, (unsigned char)bytes[i]);
    seen.bytes = count;
    seen.sends++;
}

static void note_cell(const struct theme *theme, int x, int y, const struct cell *cell)
{
    (void)theme, (void)x, (void)y, (void)cell;
    seen.cells++;
}

static void note_show(int x, int y)
{
    seen.shows++;
    seen.x = x;
    seen.y = y;
}

static const struct display display = {note_clear, note_send, note_cell, note_show};

static size_t drawn(struct frames *frames, struct session *session, int columns)
{
    memset(&seen, 0, sizeof seen);
    assert_true(frames_draw(frames, session, columns, 24, false));
    return seen.bytes;
}

static void test_bytes(void **state)
{
    struct session *session = session_after("");
    struct frames frames = {.display = &display, .is_wired = true, .sync = {"<", ">"}};

    (void)state;
    frames.theme.depth = DEPTH_256;
    assert_true(judge("", NULL, DEPTH_256, &frames.wire));
    size_t whole = drawn(&frames, session, 80);
    assert_true(strncmp(seen.first, "<\033[m\033[H\033[J", 10) == 0 && seen.clears == 0);
    assert_int_equal(drawn(&frames, session, 80), 0);
    assert_int_equal(seen.sends, 0);
    press(session, "Down");
    size_t part = drawn(&frames, session, 80);
    assert_true(part > 2 && part < whole / 4 && seen.clears == 0 && seen.first[0] == '<');
    press(session, "Up :");
    drawn(&frames, session, 80);
    press(session, "Left"); /* nothing but the cursor may move */
    assert_true(drawn(&frames, session, 80) < 16);
    press(session, "Esc");
    drawn(&frames, session, 80);
    frames.is_stale = true;
    assert_true(drawn(&frames, session, 80) > whole / 2 && seen.clears == 1);
    drawn(&frames, session, 100);
    assert_true(seen.clears == 1 && seen.sends == 1);
    assert_int_equal(drawn(&frames, session, 100), 0);
    frames_free(&frames);
    session_free(session);
}

static void test_cells(void **state)
{
    struct session *session = session_after("");
    struct frames frames = {.display = &display};

    (void)state;
    drawn(&frames, session, 80);
    assert_true(seen.cells == 80 * 24 && seen.shows == 1 && seen.sends == 0);
    assert_true(seen.x == 0 && seen.y == 23);
    drawn(&frames, session, 80);
    assert_true(seen.cells == 0);
    press(session, ":");
    drawn(&frames, session, 80);
    assert_true(seen.cells > 0 && seen.cells < 160 && seen.x == frames.frame.cursor_x);
    frames_free(&frames);
    session_free(session);
}

/* ---- the loop ---- */

/* A screen whose keys are bytes of a pipe, and that writes down what it is asked for. */
static struct {
    int keys, wake;
    long pause; /* ms that a key takes */
    char log[400];
    struct text text;
} played;

static bool take_key(struct session *session)
{
    char key[2] = "";
    struct timespec pause = {0, played.pause * 1000000};

    if (read(played.keys, key, 1) != 1)
        return false;
    nanosleep(&pause, NULL);
    text_add(&played.text, key[0] == '\f' ? "^L" : key);
    session_key(session, key[0] == '\f' ? "Ctrl-L" : key);
    return true;
}

static void take_signals(struct session *session)
{
    char byte;

    (void)session;
    assert_int_equal(read(played.wake, &byte, 1), 1);
    text_add(&played.text, "(signal)");
}

static void draw(struct session *session, bool is_whole)
{
    (void)session;
    text_add(&played.text, is_whole ? "[whole]" : "[frame]");
}

static void repaint(void)
{
    text_add(&played.text, "(repaint)");
}

static void suspend(struct session *session)
{
    (void)session;
    text_add(&played.text, "(suspend)");
}

/* The real one does not come back. */
static void lose(void)
{
    text_add(&played.text, "(lost)");
}

static const struct screen_calls screen = {take_key, take_signals, draw, repaint, suspend, lose};

/* What is done when these keys wait, and so many signals; a Q has to be among the keys. */
static const char *play(const char *keys, const char *signals, long pause)
{
    static struct recovery recovery; /* that keeps nothing: nothing is unsaved */
    struct desk desk = {.recovery = &recovery};
    struct loop loop = {.screen = &screen, .desk = &desk, .session = session_after("")};
    int from[2], wake[2];

    recovery.moves = session_moves(loop.session);
    assert_true(pipe(from) == 0 && pipe(wake) == 0);
    assert_int_equal(write(from[1], keys, strlen(keys)), strlen(keys));
    assert_int_equal(write(wake[1], signals, strlen(signals)), strlen(signals));
    played.pause = pause;
    played.keys = loop.keys = from[0];
    played.wake = loop.wake = wake[0];
    text_init(&played.text, played.log, sizeof played.log);
    assert_int_equal(loop_run(&loop), 0);
    close(from[0]), close(from[1]), close(wake[0]), close(wake[1]);
    session_free(loop.session);
    return played.log;
}

static void test_loop(void **state)
{
    (void)state;
    assert_string_equal(play("Q", "", 0), "[whole]Q");
    assert_string_equal(play("jk\fjQ", "s", 0), "[whole](signal)jk^L(repaint)jQ");
}

/* Keys that take 20 ms each, all waiting: a frame after every third. */
static void test_held(void **state)
{
    const char *log = play("jkjkjkjkjkjkQ", "", 20);
    int frames = 0, most = 0, keys = 0;

    (void)state;
    for (const char *at = log + strlen("[whole]"); *at != '\0'; at++) {
        keys = *at == '[' ? 0 : keys + (*at == 'j' || *at == 'k' || *at == 'Q');
        most = keys > most ? keys : most;
        frames += *at == '[';
    }
    assert_true(most <= 3 && frames >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wire),   cmocka_unit_test(test_abilities), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_modes),  cmocka_unit_test(test_bytes),     cmocka_unit_test(test_cells),
        cmocka_unit_test(test_extent), cmocka_unit_test(test_loop),   cmocka_unit_test(test_held),
    };
    setlocale(LC_CTYPE, "C.UTF-8"); /* for the width of characters */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
