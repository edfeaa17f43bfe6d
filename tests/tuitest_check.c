/* The commands that judge: what is on the screen, what it cost, how it ended. */
#include "tuitest.h"

#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ---- commands that look at the screen ---- */

static bool is_on_screen(const char *what)
{
    char *text = screen_text(false);
    bool is_there = strstr(text, what);
    free(text);
    return is_there;
}

void do_await(const struct args *a)
{
    for (const long start = now(); !is_on_screen(a->text); pump(5))
        FAIL_IF(now() - start > scaled(END_MS), "it does not come");
}

void do_expect(const struct args *a) /* and reject */
{
    bool wanted = *t.verb == 'e';
    FAIL_IF(is_on_screen(a->text) != wanted, "it is %son the screen", wanted ? "not " : "");
}

/* Fails with the lines that differ, if any. */
static void compare(const char *wanted, const char *got)
{
    if (strcmp(wanted, got) == 0)
        return;
    fprintf(stderr, "%s:%ld: lines wanted - and got +\n", t.script, t.line_number);
    for (int line = 1; *wanted || *got; line++) {
        int w = (int)strcspn(wanted, "\n"), g = (int)strcspn(got, "\n");
        if (w != g || strncmp(wanted, got, (size_t)w) != 0)
            fprintf(stderr, "%5d -%.*s\n%5d +%.*s\n", line, w, wanted, line, g, got);
        wanted += w + (wanted[w] == '\n');
        got += g + (got[g] == '\n');
    }
    fail("the screen is another one");
}

void do_until(const struct args *a) /* and until-screen */
{
    struct buf golden = {0};
    char name[300], *text;
    if (!a->text) {
        snprintf(name, sizeof name, "tests/screens/%s", a->word[0]);
        FAIL_IF(!read_file(path_in(t.srcdir, name), &golden), "no such file");
    }
    for (long begin = now();; pump(10)) {
        text = screen_text(false);
        if (a->text ? strstr(text, a->text) != NULL : strcmp(text, golden.data) == 0)
            break;
        if (now() - begin > scaled(END_MS)) {
            if (!a->text)
                compare(golden.data, text);
            fail("it never is on the screen");
        }
        free(text);
    }
    free(text);
    free(golden.data);
}

void do_expect_row(const struct args *a)
{
    int row = a->number[0] < 0 ? a->number[0] + t.rows : a->number[0];
    char *text = screen_text(false), *line = text;
    FAIL_IF(row < 0 || row >= t.rows, "there are %d rows", t.rows);
    while (row-- > 0)
        line = strchr(line, '\n') + 1;
    *strchr(line, '\n') = 0;
    FAIL_IF(!strstr(line, a->text), "the row is \"%s\"", line);
    free(text);
}

void do_expect_re(const struct args *a)
{
    regex_t re;
    char *text = screen_text(false);
    FAIL_IF(regcomp(&re, a->text, REG_EXTENDED | REG_NOSUB | REG_NEWLINE), "a bad regex");
    FAIL_IF(regexec(&re, text, 0, NULL, 0), "no row matches");
    regfree(&re);
    free(text);
}

static int row_of(const char *text, const char *what)
{
    int row = 0;
    const char *found = strstr(text, what);
    FAIL_IF(!found, "\"%s\" is not on the screen", what);
    while (text < found)
        row += *text++ == '\n';
    return row;
}

void do_expect_order(const struct args *a)
{
    char *bars = strstr(a->text, " || "), *text = screen_text(false);
    FAIL_IF(!bars, "A || B is needed");
    *bars = 0;
    int above = row_of(text, literal(a->text)), below = row_of(text, literal(bars + 4));
    FAIL_IF(above >= below, "they are in rows %d and %d", above, below);
    free(text);
}

void do_screen(const struct args *a) /* and attrs */
{
    char *text = screen_text(*t.verb == 'a'), name[300];
    const char *update = getenv("UPDATE");
    struct buf golden = {0}, got = {text, strlen(text), 0};
    snprintf(name, sizeof name, "tests/screens/%s", a->word[0]);
    if (update && strcmp(update, "1") == 0)
        write_file(path_in(t.srcdir, name), &got);
    FAIL_IF(!read_file(path_in(t.srcdir, name), &golden), "no such file; UPDATE=1 writes it");
    compare(golden.data, text);
    free(golden.data);
    free(text);
}

void do_save(const struct args *a) /* and same, differs */
{
    char *text = screen_text(true);
    size_t i = 0;
    while (t.saved[i].name && strcmp(t.saved[i].name, a->word[0]) != 0)
        i++;
    FAIL_IF(i == LENGTH(t.saved) - 1, "too many names");
    if (strcmp(t.verb, "save") == 0) {
        if (!t.saved[i].name)
            t.saved[i].name = strdup(a->word[0]);
        free(t.saved[i].text);
        t.saved[i].text = text;
        return;
    }
    FAIL_IF(!t.saved[i].name, "nothing was saved under this name");
    if (strcmp(t.verb, "same") == 0)
        compare(t.saved[i].text, text);
    else
        FAIL_IF(strcmp(t.saved[i].text, text) == 0, "nothing differs");
    free(text);
}

void do_cursor(const struct args *a)
{
    bool visible = strcmp(a->word[0], "visible") == 0;
    FAIL_IF(!visible && strcmp(a->word[0], "hidden") != 0, "visible or hidden is needed");
    FAIL_IF(visible != t.cursor_visible, "it is not");
}

void do_dump(const struct args *a)
{
    (void)a;
    fprintf(stderr, "%s:%ld: dump\n", t.script, t.line_number);
    show_screen(true);
}

/* ---- commands about costs and the end ---- */

void do_bytes(const struct args *a)
{
    size_t sent = t.raw.len - t.mark;
    bool is_most = strncmp(a->text, "<=", 2) == 0;
    FAIL_IF(!is_most && strncmp(a->text, ">=", 2) != 0, "<=N or >=N is needed");
    size_t limit = (size_t)number(a->text + 2);
    FAIL_IF(is_most ? sent > limit : sent < limit, "%zu bytes were sent", sent);
}

static void add_ticks(pid_t pid, void *arg)
{
    process_state(pid, arg);
}

/* Bytes are wrong at any time. Processor time, of a thread that comes to its end on a busy machine,
 * may be used in the first of these spans; a program that goes on working uses some in each. */
void do_idle(const struct args *a)
{
    long span = (long)(atof(a->text) * 1000), used = 0;

    need_program();
    pump(0);
    size_t len = t.raw.len;
    for (int spans = 0; spans < 3; spans++) {
        long before = 0, after = 0, end = now() + span;
        each_below(t.leader, add_ticks, &before);
        for (long left; (left = end - now()) > 0 && !t.ended;)
            pump((int)left);
        each_below(t.leader, add_ticks, &after);
        FAIL_IF(t.ended, "the program ended");
        FAIL_IF(t.raw.len != len, "%zu bytes were sent", t.raw.len - len);
        used = after - before;
        if (used < 2)
            return;
    }
    FAIL_IF(true, "%ld clock ticks were used", used);
}

void do_stopped(const struct args *a)
{
    (void)a;
    need_program();
    for (long begin = now(); process_state(t.job, &(long){0}) != 'T'; pump(10))
        FAIL_IF(t.ended || now() - begin > scaled(END_MS), "not stopped");
    settle();
}

/* What the program wrote after it left the alternate screen; all if it never did. */
static const char *last_words(void)
{
    const char *words = t.raw.data;
    for (const char *s = words; (s = strstr(s, "\033[?")); s++)
        if (!strncmp(s + 3, "1049l", 5) || !strncmp(s + 3, "1047l", 5))
            words = s + 8;
        else if (!strncmp(s + 3, "47l", 3))
            words = s + 6;
    return words;
}

void do_exit(const struct args *a) /* and exit-signal */
{
    bool by_signal = strcmp(t.verb, "exit-signal") == 0;
    int wanted = by_signal ? signal_number(a->word[0]) : number(a->word[0]);
    wait_for_end();
    if (by_signal ? WIFSIGNALED(t.status) && WTERMSIG(t.status) == wanted
                  : WIFEXITED(t.status) && WEXITSTATUS(t.status) == wanted)
        return;
    for (const char *s = last_words(); *s; s++) /* a sanitizer's report is longer than a screen */
        if ((unsigned char)*s >= ' ' || *s == '\n' || *s == '\t')
            fputc(*s, stderr);
    fail("it ended otherwise");
}

/* Whether parameters of SGR switch something on: all but 0, 10, 22 to 29, 39 and 49 do. */
static bool switches_on(const char *args)
{
    char *end;
    long n = strtol(args, &end, 10);
    bool is_off = n == 0 || n == 10 || (n >= 22 && n <= 29) || n == 39 || n == 49;
    return !is_off || (*end == ';' && switches_on(end + 1));
}

/* Prints what the bytes sent so far have left otherwise than a terminal has it at the start. */
static void print_leftovers(FILE *f)
{
    bool changed[4096] = {false}, keypad = false, drawing = false, shifted = false, pen = false;
    for (const char *s = t.raw.data, *end = s + t.raw.len; s < end; s++) {
        if (*s == '\016' || *s == '\017')
            shifted = *s == '\016';
        if (*s != '\033')
            continue;
        const char *args = ++s + 1;
        if (*s == '\033' || (*s == '(' && *args == '\033')) { /* cut short: terminals begin anew */
            s -= *s == '\033';
            continue;
        }
        if (*s == '=' || *s == '>') {
            keypad = *s == '=';
        } else if (*s == '(') {
            drawing = *++s == '0';
        } else if (*s == ']' || *s == 'P') { /* a string, up to BEL or ESC \ */
            while (s < end && *s != '\007' && !(*s == '\033' && s[1] == '\\'))
                s++;
        } else if (*s == '[') {
            s = args + strspn(args, "0123456789;:<=>?!$ ");
            if (*s == '\033') {
                s--;
                continue;
            }
            if (*s == 'm' && (s == args || !strchr("<=>?", *args)))
                pen = switches_on(args);
            if (*args++ != '?' || (*s != 'h' && *s != 'l'))
                continue;
            for (char *next; args < s; args = next + 1) {
                unsigned long n = strtoul(args, &next, 10);
                if (n < LENGTH(changed)) /* wrapping (7) and the cursor (25) are on at the start */
                    changed[n] = (*s == 'h') != (n == 7 || n == 25);
            }
        }
    }
    for (size_t n = 0; n < LENGTH(changed); n++)
        if (changed[n])
            fprintf(f, " mode %zu,", n);
    fprintf(f, "%s%s%s", keypad ? " keypad mode," : "", pen ? " attributes," : "",
            drawing || shifted ? " line-drawing characters," : "");
}

void do_restored(const struct args *a)
{
    struct termios after;
    char *left;
    size_t len;
    (void)a;
    FILE *f = open_memstream(&left, &len);
    FAIL_IF(!t.leader || !f, "nothing has been run");
    print_leftovers(f);
    if (t.slave >= 0) {
        tcgetattr(t.slave, &after);
        if (after.c_iflag != t.before.c_iflag || after.c_oflag != t.before.c_oflag ||
            after.c_cflag != t.before.c_cflag || after.c_lflag != t.before.c_lflag ||
            memcmp(after.c_cc, t.before.c_cc, sizeof after.c_cc) != 0)
            fprintf(f, " termios,");
    }
    fclose(f);
    FAIL_IF(len, "not restored:%.*s", (int)len - 1, left);
    free(left);
}

void do_after_exit(const struct args *a)
{
    wait_for_end();
    FAIL_IF(t.alternate, "the alternate screen is still on");
    FAIL_IF(!is_on_screen(a->text), "it is not on the screen");
}

void do_stderr_has(const struct args *a)
{
    wait_for_end();
    FAIL_IF(!strstr(last_words(), a->text), "not in \"%s\"", last_words());
}

void do_filehas(const struct args *a) /* and filelacks, fileexists */
{
    struct buf b = {0};
    FAIL_IF(!read_file(path_in(t.tmp, a->word[0]), &b), "%s", strerror(errno));
    bool has = a->text && memmem(b.data, b.len, a->text, strlen(a->text));
    FAIL_IF(a->text && has != (strcmp(t.verb, "filehas") == 0), "the file has%s:\n%s",
            has ? "" : " only", b.data);
    free(b.data);
}
