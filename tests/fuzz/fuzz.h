/* What the fuzz harnesses share: bytes taken as numbers, and checks that abort.
 *
 * A harness is one file with one LLVMFuzzerTestOneInput. It knows nothing of who calls it: libFuzzer,
 * AFL++ through its driver, or replay.c with files of the corpus. Any bytes are an input, and the same
 * bytes do the same thing every time. What must hold is checked with `must`, which aborts: that is
 * what fuzzers look for. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "model/resolve.h"

#include <stdint.h>
#include <stdio.h>

/* Returns 0, as libFuzzer wants it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger steps are not run: an input has to take less than a millisecond or two. */
#define FUZZ_MOST_OPS 20000u
#define FUZZ_MOST_PLAYED 6000u /* more than can be built by hand */
#define FUZZ_MOST_JUDGED 1500u

#define must(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fuzz_fail(__FILE__, __LINE__, #condition);                                             \
    } while (0)

_Noreturn void fuzz_fail(const char *file, int line, const char *what);

/* ---- bytes as numbers; an input that has come to its end goes on with zeros ---- */

struct bytes {
    const uint8_t *at, *end;
};

uint32_t take_byte(struct bytes *bytes);
/* 0 … most; two bytes where one is not enough. */
uint32_t take_up_to(struct bytes *bytes, uint32_t most);
/* Mostly a number that a person would type; now and then any double there is. */
double take_number(struct bytes *bytes);

/* ---- blocks for arenas ---- */

/* An arena as long as was asked for to the byte, in memory that is aligned badly, and alike each time. */
struct block {
    void *memory;
    struct pg_arena arena;
    size_t mark; /* of the arena while it is empty */
};

struct block fuzz_block(size_t size);

/* ---- what must hold of anything ---- */

/* Is it something, valid UTF-8, and nothing that a terminal could obey? */
void check_sentence(const char *text);
/* The same, but it may be "". */
void check_text(const char *text);
bool is_about_equal(double a, double b, double scale);

/* judge.c: everything the core says of a timed plan, held against everything else it says. */
void check_plan(const struct pg_plan *plan);

/* ---- scenarios ---- */

/* Does the text name a table that lies anywhere but beside it? Harnesses open no other files. */
bool names_foreign_file(const uint8_t *data, size_t size);
/* Operations of its step, at most. */
double scenario_ops(const struct scenario *scenario);
/* A file with these bytes: its name, for as long as there is no other one. */
const char *fuzz_file(const void *bytes, size_t size);
/* Runs it, unless it is larger than most plans need be to be wrong, and checks plan or refusal. */
void check_scenario(const struct scenario *scenario);
/* Is it the same once it was written and read again? */
void check_saving(const struct scenario *scenario);

#endif
