/* The commands that a program answers: keys, mouse, sizes, signals. */
#include "tuitest.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Where terminals differ from xterm, whose keys libvterm sends. */
static const char *other_key(const char *key)
{
    static const struct {
        const char *terms, *key, *bytes;
    } others[] = {
        {"tmux screen linux", "Home", "\033[1~"},
        {"tmux screen linux", "End", "\033[4~"},
        {"linux", "F1", "\033[[A"},
        {"linux", "F2", "\033[[B"},
        {"linux", "F3", "\033[[C"},
        {"linux", "F4", "\033[[D"},
        {"linux", "F5", "\033[[E"},
        {"linux", "BackTab", "\033\t"},
        {"vt100", "Backspace", "\b"},
    };
    char term[16] = "";
    if (getenv("TERM"))
        snprintf(term, sizeof term, "%s", getenv("TERM"));
    term[strcspn(term, "-")] = 0;
    for (size_t i = 0; *term && i < LENGTH(others); i++)
        if (strstr(others[i].terms, term) && strcmp(key, others[i].key) == 0)
            return others[i].bytes;
    return NULL;
}

static VTermKey key_number(const char *key)
{
    static const char *const names[] = {
        [VTERM_KEY_ENTER] = "Enter",
        [VTERM_KEY_TAB] = "Tab",
        [VTERM_KEY_BACKSPACE] = "Backspace",
        [VTERM_KEY_ESCAPE] = "Esc",
        [VTERM_KEY_UP] = "Up",
        [VTERM_KEY_DOWN] = "Down",
        [VTERM_KEY_LEFT] = "Left",
        [VTERM_KEY_RIGHT] = "Right",
        [VTERM_KEY_INS] = "Insert",
        [VTERM_KEY_DEL] = "Delete",
        [VTERM_KEY_HOME] = "Home",
        [VTERM_KEY_END] = "End",
        [VTERM_KEY_PAGEUP] = "PageUp",
        [VTERM_KEY_PAGEDOWN] = "PageDown",
    };
    for (size_t i = 1; i < LENGTH(names); i++)
        if (strcmp(key, names[i]) == 0)
            return (VTermKey)i;
    if (*key == 'F' && key[1] > '0' && key[1] <= '9')
        return (VTermKey)VTERM_KEY_FUNCTION(number(key + 1));
    return VTERM_KEY_NONE;
}

static void send_key(const char *name)
{
    const char *key = name, *other = other_key(name);
    int mod = VTERM_MOD_NONE;
    if (other) {
        send_bytes(other, strlen(other), NULL);
        return;
    }
    for (; key[0] && key[1] == '-' && key[2] && strchr("SCA", *key); key += 2)
        mod |= *key == 'S' ? VTERM_MOD_SHIFT : *key == 'C' ? VTERM_MOD_CTRL : VTERM_MOD_ALT;
    if (strncmp(key, "Ctrl-", 5) == 0) {
        mod |= VTERM_MOD_CTRL;
        key += 5;
    } else if (strcmp(key, "BackTab") == 0) {
        mod |= VTERM_MOD_SHIFT;
        key = "Tab";
    } else if (strcmp(key, "Space") == 0) {
        key = " ";
    }
    if (key_number(key)) {
        vterm_keyboard_key(t.vt, key_number(key), (VTermModifier)mod);
        return;
    }
    size_t n = 1; /* one character, in UTF-8 */
    while (*key && (key[n] & 0xc0) == 0x80)
        n++;
    FAIL_IF(!*key || key[n], "there is no key %s", name);
    if (mod & VTERM_MOD_ALT)
        send_bytes("\033", 1, NULL);
    if (mod & VTERM_MOD_CTRL)
        send_bytes(&(char){(char)(*key & 0x1f)}, 1, NULL);
    else
        send_bytes(key, n, NULL);
}

void do_key(const struct args *a)
{
    char *rest = a->text;
    for (char *key; (key = cut(&rest, false)); settle()) {
        need_program();
        send_key(key);
    }
}

void do_keys(const struct args *a)
{
    for (int i = 0; i < a->number[0]; i++)
        send_key(a->text);
}

void do_press(const struct args *a)
{
    char *rest = a->text;
    need_program();
    for (char *key; (key = cut(&rest, false));)
        send_key(key);
}

void do_type(const struct args *a) /* and paste */
{
    if (*t.verb == 'p')
        vterm_keyboard_start_paste(t.vt);
    send_bytes(a->text, strlen(a->text), NULL);
    if (*t.verb == 'p')
        vterm_keyboard_end_paste(t.vt);
}

void do_raw(const struct args *a)
{
    unsigned char byte;
    int n;
    for (const char *s = a->text; *s; s += n) {
        FAIL_IF(sscanf(s, "%2hhx %n", &byte, &n) != 1, "hexadecimal digits are needed");
        send_bytes((char *)&byte, 1, NULL);
    }
}

void do_mouse(const struct args *a)
{
    static const struct {
        const char *name;
        int button;
        bool down, up;
    } actions[] = {
        {"press", 1, true, false}, {"release", 1, false, true}, {"wheelup", 4, true, false},
        {"click", 1, true, true},  {"drag", 0, false, false},   {"wheeldown", 5, true, false},
    };
    size_t i = 0;
    while (i < LENGTH(actions) && strcmp(a->word[0], actions[i].name) != 0)
        i++;
    FAIL_IF(i == LENGTH(actions), "there is no mouse action %s", a->word[0]);
    if (!t.mouse)
        return; /* libvterm 0.1 would send even if the program did not ask for it */
    vterm_mouse_move(t.vt, a->number[1], a->number[0], VTERM_MOD_NONE);
    if (actions[i].down)
        vterm_mouse_button(t.vt, actions[i].button, true, VTERM_MOD_NONE);
    if (actions[i].up)
        vterm_mouse_button(t.vt, actions[i].button, false, VTERM_MOD_NONE);
}

static void set_window_size(int cols, int rows)
{
    struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    FAIL_IF(ioctl(t.master, TIOCSWINSZ, &ws), "TIOCSWINSZ: %s", strerror(errno));
}

void do_resize(const struct args *a)
{
    settle(); /* what was drawn for the old size goes to the old size */
    do_size(a);
    vterm_set_size(t.vt, t.rows, t.cols);
    set_window_size(t.cols, t.rows);
}

/* The emulator sees it all at the end, at the old size: it must not be resized with output under
 * way, and what remains on the screen is what was drawn for the last size. */
void do_storm(const struct args *a)
{
    char *keys[16], *rest = a->text;
    int count = 0;
    uint32_t random = 1;
    while (count < 16 && (keys[count] = cut(&rest, false)))
        count++;
    FAIL_IF(!count, "a key is needed");
    t.storm = true;
    for (int i = 0; i < a->number[0]; i++) {
        need_program();
        random = random * 1664525 + 1013904223;
        set_window_size((int)(random >> 8 & 0xff) % 200 + 1, (int)(random >> 16 & 0xff) % 60 + 1);
        send_key(keys[i % count]);
        pump((int)(random >> 28) % 4);
    }
    set_window_size(t.cols, t.rows);
    settle();
    t.storm = false;
    feed_emulator();
}

void do_stall(const struct args *a) /* and flow */
{
    (void)a;
    t.is_stalled = *t.verb == 's';
}

void do_signal(const struct args *a)
{
    FAIL_IF(kill(t.is_shell ? -tcgetpgrp(t.master) : t.job, signal_number(a->word[0])), "%s",
            strerror(errno));
}

/* The signal comes from here, as from a shell, and first: read() fails a moment later. */
void do_hangup(const struct args *a)
{
    (void)a;
    kill(-t.job, SIGHUP);
    kill(-t.job, SIGCONT);
    close(t.master);
    close(t.slave);
    t.master = t.slave = -1;
    t.hung_up = true;
}

void do_wait(const struct args *a)
{
    for (long end = now() + atol(a->text), left; (left = end - now()) > 0;)
        pump((int)left);
    settle();
}
