/* The end that nobody asked for: a signal, a crash, a terminal that is gone or does not take a
 * byte.
 *
 * Whatever is needed then is ready before: how to give the terminal back, and unsaved changes as
 * text. So all of it can be done by a signal handler, wherever the program is stuck. */
#ifndef APP_ENDING_H
#define APP_ENDING_H

#include "app/recovery.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct ending {
    int wake[2];               /* signals write here, and the loop reads */
    int terminal;              /* file descriptor */
    struct termios before;     /* as the terminal was */
    bool has_before;
    char goodbye[256];         /* what gives the screen back when curses cannot */
    size_t goodbye_size;
    struct recovery *recovery; /* of unsaved changes; NULL: none */
    volatile sig_atomic_t number;      /* the signal that is to end the program; 0: none */
    volatile sig_atomic_t is_stopping; /* SIGTSTP came, and no SIGCONT since */
    volatile sig_atomic_t is_kept;     /* unsaved changes have been written, or could not be */
    enum recovered kept;               /* what became of them */
};

struct handlers {
    void (*notice)(int); /* the loop sees to it */
    void (*end)(int);
    void (*crash)(int);
};

/* Every signal that would do something else than stop the program until it goes on. `stack`: for
 * crashes by want of stack. */
void ending_catch(const struct handlers *handlers, void *stack, size_t stack_size);

/* Opens the pipe that wakes the loop. */
bool ending_open(struct ending *ending);
/* Tells the loop of a signal. */
void ending_notice(struct ending *ending, int number);
/* Stops until SIGCONT, unless that has come meanwhile, or an end. `is_asked`: by a key, which
 * stops the whole job as the terminal would have done. */
void ending_stop(struct ending *ending, bool is_asked, void (*notice)(int));
/* Is the terminal gone? Readable, and yet nothing comes. */
bool ending_is_lost(int keys, short events);

/* In between no signal gets through: what comes waits for the release. `lets_crashes`: but for those
 * of a crash; one that is held would end the program on the spot, with no handler run. */
void ending_hold(sigset_t *before, bool lets_crashes);
void ending_release(const sigset_t *before);

/* A signal to end came. True when it is to be taken from the loop, in order; it is given a short
 * time for that. False when that time is over, or the signal came again: ending_now is due. */
bool ending_begins(struct ending *ending, int number);
/* Writes unsaved changes, once. */
void ending_keep(struct ending *ending);
/* What became of them; NULL where there were none. */
const char *ending_word(const struct ending *ending);
/* Says it, for handlers too. */
void ending_say(const struct ending *ending);
/* The terminal's settings as they were before. */
void ending_restore(const struct ending *ending);
/* Ends by the signal, the terminal given back as far as it takes that. Does not return. */
void ending_now(struct ending *ending, int number, bool is_crash);
/* Ends by a signal, in default of anything else. */
void ending_by(int number);

/* Writes as much as a terminal takes without making anyone wait for long; false where it did not take
 * all. */
bool ending_write(int terminal, const char *bytes, size_t count);

#endif
