/* What the files of tuitest share: see tuitest.c. */
#ifndef TUITEST_H
#define TUITEST_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <termios.h>
#include <vterm.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define FAIL_IF(condition, ...)                                                                    \
    do {                                                                                           \
        if (condition)                                                                             \
            fail(__VA_ARGS__);                                                                     \
    } while (0)

enum { END_MS = 5000 }; /* a program ends in this time */

struct buf { /* bytes, with a NUL behind them */
    char *data;
    size_t len, cap;
};

extern struct test { /* the one there is */
    const char *script, *srcdir;
    char *program, tmp[256];
    struct buf source;       /* the script */
    char *next, *verb;       /* its next line; the word that the current line begins with */
    char line[4096];         /* the current line as it was written */
    long line_number, quiet; /* quiet: TUITEST_QUIET, else 0 */
    double slow;
    int cols, rows;
    VTerm *vt; /* NULL before the first run */
    VTermScreen *screen;
    int cursor_visible, alternate, mouse; /* as the program asked for */
    int master, slave, reports;
    struct termios before;
    struct buf raw, out; /* all that was received; what is still to be sent */
    size_t fed, mark;    /* in raw: seen by the emulator; where the last input began */
    bool storm;          /* sizes differ: keep output from the emulator */
    bool is_stalled;     /* nothing is read */
    pid_t leader, job;
    bool keeps_unsaved, is_hasty; /* hasty: start() does not wait */
    bool is_shell, ended, hung_up; /* started by run-sh; has ended; its terminal has gone */
    int status;
    struct {
        char *name, *text;
    } saved[32];
} t;

struct args { /* of a command, as its row in the table says */
    int number[2];
    char *word[2], *text;
};

/* tuitest.c */
__attribute__((format(printf, 1, 2))) _Noreturn void fail(const char *format, ...);
_Noreturn void skip(const char *why);
long now(void);       /* ms */
long scaled(long ms); /* by TUITEST_SLOW */
void buf_add(struct buf *b, const char *data, size_t len);
bool read_file(const char *path, struct buf *b);
void write_file(char *path, const struct buf *b);
/* "DIRECTORY/NAME", until the next call. */
char *path_in(const char *directory, const char *name);
/* Cuts off the next word, with or without the quoting of a shell; NULL at the end. */
char *cut(char **rest, bool quoting);
int number(const char *word);
char *literal(char *s);
int signal_number(const char *name);
void do_size(const struct args *a);

/* tuitest_term.c: the screen, and the processes behind it */
extern volatile sig_atomic_t interrupted; /* by a signal to tuitest itself */
/* The rows without the blanks at their ends, each ended by a newline. To be freed. */
char *screen_text(bool with_attributes);
void show_screen(bool with_attributes);
void send_bytes(const char *s, size_t len, void *user);
void feed_emulator(void);
/* Visits the descendants of a process, parents first. */
void each_below(pid_t pid, void (*visit)(pid_t, void *), void *arg);
char process_state(pid_t pid, long *ticks);
/* Moves bytes both ways and takes reports, after at most ms. Says whether anything moved. */
bool pump(int ms);
/* Waits until the program has nothing left to do. */
void settle(void);
void start(char *const argv[], bool is_shell);
void need_program(void);
void wait_for_end(void);
void clean_up(void);

/* tuitest_input.c */
void do_key(const struct args *a);
void do_keys(const struct args *a);
void do_press(const struct args *a);
void do_type(const struct args *a); /* and paste */
void do_raw(const struct args *a);
void do_mouse(const struct args *a);
void do_resize(const struct args *a);
void do_storm(const struct args *a);
void do_stall(const struct args *a); /* and flow */
void do_signal(const struct args *a);
void do_hangup(const struct args *a);
void do_wait(const struct args *a);

/* tuitest_hail.c */
void do_hail(const struct args *a);

/* tuitest_check.c */
void do_await(const struct args *a);
void do_expect(const struct args *a); /* and reject */
void do_until(const struct args *a); /* and until-screen */
void do_expect_row(const struct args *a);
void do_expect_re(const struct args *a);
void do_expect_order(const struct args *a);
void do_screen(const struct args *a); /* and attrs */
void do_save(const struct args *a);   /* and same, differs */
void do_cursor(const struct args *a);
void do_dump(const struct args *a);
void do_bytes(const struct args *a);
void do_idle(const struct args *a);
void do_stopped(const struct args *a);
void do_exit(const struct args *a); /* and exit-signal */
void do_restored(const struct args *a);
void do_after_exit(const struct args *a);
void do_stderr_has(const struct args *a);
void do_filehas(const struct args *a); /* and filelacks, fileexists */

#endif
