/* Driving the model as a user would, for unit tests: keys pressed by name, lines typed, scenarios
 * made and loaded, what a session shows looked at. One notation of keys serves all of them, so that
 * a test of one page can be read by whoever knows another. What is drawn: see driver_screen.h. */
#ifndef TESTS_DRIVER_H
#define TESTS_DRIVER_H

#include "model/session.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* ---- assertions ---- */

/* To a relative 1e-12; a part of a text. */
#define assert_near(actual, expected) near_or_fail(actual, expected, __FILE__, __LINE__)
#define assert_in(part, whole) in_or_fail(part, whole, __FILE__, __LINE__)
void near_or_fail(double actual, double expected, const char *file, int line);
void in_or_fail(const char *part, const char *whole, const char *file, int line);

/* The core's own check finds nothing wrong. */
void assert_verified(const struct pg_plan *plan);

/* ---- scenarios ---- */

/* The default one, to be freed; and with settings, pairs of key and value. */
struct scenario fresh_scenario(void);
#define SCENARIO(...) scenario_with((const char *const[]){__VA_ARGS__, NULL})
struct scenario scenario_with(const char *const *settings);
/* Must be taken. */
void set(struct scenario *scenario, enum param param, const char *value);
void set_count(struct scenario *scenario, enum param param, uint32_t count);
/* The parameter as text, to be freed; it must fit the room that is asked for. */
char *written(const struct scenario *scenario, enum param param);
void assert_written(const struct scenario *scenario, enum param param, const char *expected);

/* For families that the table does not have: all forwards of a slot after another, and all the way
 * back; and a rule that allows anything. */
void emit_there_and_back(const struct pg_problem *problem, uint32_t device, struct pg_writer *out);
bool can_any(const struct pg_problem *problem);

/* ---- sessions ---- */

/* Keys by name with blanks between them; what stands in <> is typed character by character, as in
 * ": <m 12> Enter". A < by itself is the key. */
struct keys {
    const char *at;
    bool is_typing;
    char key[32];
};
/* Takes the next one into `key`; false after the last. */
bool next_key(struct keys *keys);

/* A new session after the keys, to be freed. */
struct session *session_after(const char *keys);
void press(struct session *session, const char *keys);
/* Character by character. */
void type(struct session *session, const char *text);
/* A line after `:`, and Enter. */
void command(struct session *session, const char *line);
struct snapshot look(struct session *session);
/* Must be taken; the scenario is freed. */
void load(struct session *session, struct scenario scenario, struct origin origin);
/* A file by this name, without comments; NULL: no file. */
struct origin from_file(const char *path);

/* The message has the words in it, whether a refusal or not. */
#define assert_says(session, words) assert_in(words, look(session).message)
/* This is asked of the program, and nothing else. */
void assert_request(struct session *session, enum request_kind kind);

/* ---- chance and work ---- */

/* The same numbers on every run and machine; the dice start from anything but 0. */
uint64_t roll_bits(uint64_t *dice);
uint32_t roll(uint64_t *dice, uint32_t sides);
/* Fewer rounds where a virtual machine runs us fifty times slower. */
uint32_t rounds(uint32_t many);

/* Runs that are waited for, all of them, by one hand; NULL: none. */
void run_batch(struct batch *batch);

#endif
