/* What would be lost by ending now, against a second account of the same history; the questions
 * about it, and changes of an earlier run that are taken up. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

enum { FILES = 4, STEPS = 4000 };

static struct scenario scenario_of(uint32_t micro_batches)
{
    struct scenario scenario = fresh_scenario();

    set_count(&scenario, PARAM_MICRO_BATCHES, micro_batches);
    return scenario;
}

static void load_file(struct session *session, const char *path, uint32_t micro_batches)
{
    load(session, scenario_of(micro_batches), from_file(path));
}

/* ---- a second account ---- */

struct entry {
    int file;
    unsigned count; /* of micro-batches */
    bool was_unsaved;
};

struct account {
    struct entry past[STEPS + 1], now, future[STEPS + 1];
    size_t pasts, futures;
    unsigned disk[FILES];
};

static bool differs(const struct account *account, const struct entry *entry)
{
    return entry->count != account->disk[entry->file];
}

static void push(struct account *account, struct entry next)
{
    account->now.was_unsaved = differs(account, &account->now);
    account->past[account->pasts++] = account->now;
    account->futures = 0;
    account->now = next;
}

static void assert_agrees(const struct session *session, const struct account *account)
{
    static const char *const names[FILES] = {"/a", "/b", "/c", "/d"};
    struct unsaved unsaved[UNSAVED_MOST];
    size_t count = session_unsaved(session, unsaved), found = 0;
    const struct entry *next = &account->now;

    if (differs(account, next)) {
        assert_true(count > found);
        assert_string_equal(unsaved[found].path, names[next->file]);
        assert_int_equal(unsaved[found++].scenario->micro_batches, next->count);
    }
    for (size_t i = account->pasts; i-- > 0 && found < UNSAVED_MOST; next = &account->past[i]) {
        const struct entry *entry = &account->past[i];
        if (entry->file == next->file || !entry->was_unsaved || !differs(account, entry))
            continue;
        assert_true(count > found);
        assert_string_equal(unsaved[found].path, names[entry->file]);
        assert_int_equal(unsaved[found++].scenario->micro_batches, entry->count);
    }
    assert_int_equal(count, found);
}

static void both_accounts_agree(void **state)
{
    static const char *const names[FILES] = {"/a", "/b", "/c", "/d"};
    static struct account account;
    struct session *session = session_after("");
    uint32_t random = 7;

    (void)state;
    for (int i = 0; i < FILES; i++)
        account.disk[i] = 20 + (unsigned)i;
    account.now = (struct entry){0, account.disk[0], false};
    load_file(session, names[0], account.disk[0]);
    for (int step = 0; step < STEPS; step++) {
        random = random * 1664525 + 1013904223;
        unsigned what = random >> 24 & 15;
        uint64_t moves = session_moves(session);
        struct entry next = account.now;
        bool is_moved = true;
        if (what < 5) {
            bool is_more = what < 3 || account.now.count < 3;
            next.count += is_more ? 1 : -1u;
            push(&account, next);
            press(session, is_more ? "M" : "m");
        } else if (what < 8) {
            int file = (int)(random >> 16 & (FILES - 1));
            push(&account, (struct entry){file, account.disk[file], false});
            load_file(session, names[file], account.disk[file]);
        } else if (what < 11) {
            is_moved = account.pasts > 0;
            if (is_moved) {
                account.future[account.futures++] = account.now;
                account.now = account.past[--account.pasts];
            }
            press(session, "u");
        } else if (what < 14) {
            is_moved = account.futures > 0;
            if (is_moved) {
                account.now.was_unsaved = differs(&account, &account.now);
                account.past[account.pasts++] = account.now;
                account.now = account.future[--account.futures];
            }
            press(session, "U");
        } else {
            account.disk[account.now.file] = account.now.count;
            session_saved(session, names[account.now.file]);
        }
        assert_int_equal(look(session).scenario->micro_batches, account.now.count);
        assert_agrees(session, &account);
        assert_true(!is_moved || session_moves(session) != moves);
    }
    session_free(session);
}

/* ---- questions ---- */

static void quitting_names_what_was_left(void **state)
{
    struct session *session = session_after("");

    (void)state;
    load_file(session, "/a", 8);
    press(session, "M");
    load_file(session, "/b", 8);
    press(session, "q");
    assert_int_equal(look(session).mode, MODE_CONFIRM);
    assert_non_null(strstr(look(session).message, "in /a (u goes back). Quit?"));
    press(session, "s"); /* nothing here to save */
    assert_request(session, REQUEST_NONE);
    press(session, "q n");
    assert_request(session, REQUEST_NONE);
    press(session, "q y");
    struct request request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_QUIT);
    assert_true(request.is_forced); /* it was asked */
    press(session, "Q");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_QUIT);
    assert_false(request.is_forced);
    press(session, "u q s"); /* here is what there is to save */
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_SAVE);
    assert_true(request.quits_after);
    session_saved(session, "/a");
    press(session, "q");
    request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_QUIT);
    assert_false(request.is_forced);
    session_free(session);
}

/* Names that come from files never crowd out the answers. */
static void long_names_leave_room(void **state)
{
    struct session *session = session_after("");
    char name[300];

    (void)state;
    for (int i = 0; i < 12; i++) {
        memset(name, 'a' + i, sizeof name - 1);
        name[sizeof name - 1] = '\0';
        load_file(session, name, 8);
        press(session, "M");
    }
    press(session, "q");
    const char *message = look(session).message;
    assert_non_null(strstr(message, "here and in kkkkk"));
    assert_non_null(strstr(message, "… and 10 more. Quit?  y quits, s saves, n stays"));
    assert_true(text_columns(message) < 100);
    session_free(session);
}

static void an_offer_takes_three_answers(void **state)
{
    static const struct {
        const char *keys;
        enum request_kind kind;
    } answers[] = {
        {"y", REQUEST_RECOVER},  {"Y", REQUEST_RECOVER}, {"n", REQUEST_OFFER},
        {"d y", REQUEST_FORGET}, {"d n", REQUEST_OFFER}, {"d d", REQUEST_OFFER},
        {"d Esc", REQUEST_OFFER}, {"Esc", REQUEST_NONE}, {"d", REQUEST_NONE},
        {"Ctrl-Z", REQUEST_SUSPEND}, {"Ctrl-L", REQUEST_REPAINT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct session *session = session_after("");
        session_offer(session, "y n d?");
        assert_int_equal(look(session).mode, MODE_CONFIRM);
        press(session, answers[i].keys);
        assert_request(session, answers[i].kind);
        session_free(session);
    }
    /* what is no answer does what it does */
    struct session *session = session_after("");
    session_offer(session, "y n d?");
    press(session, "M");
    assert_int_equal(look(session).mode, MODE_CHART);
    assert_int_equal(look(session).scenario->micro_batches, 9);
    session_offer(session, "y n d?");
    press(session, "q");
    assert_int_equal(look(session).mode, MODE_CONFIRM); /* whether to quit */
    press(session, "y");
    assert_request(session, REQUEST_QUIT);
    session_free(session);
}

/* ---- taken up again ---- */

static void recovered_changes_are_unsaved_until_saved(void **state)
{
    struct scenario changed = scenario_of(12), saved = scenario_of(8);
    struct origin origin = {"a.ini", "/a.ini", false};
    struct unsaved unsaved[UNSAVED_MOST];
    struct refusal refusal;

    (void)state;
    for (int is_known = 0; is_known < 2; is_known++) {
        struct session *session = session_after("");
        load_file(session, "/b.ini", 5);
        const struct scenario *base = is_known ? &saved : NULL;
        assert_true(session_recover(session, &changed, base, &origin, 3, &refusal));
        assert_int_equal(look(session).scenario->micro_batches, 12);
        assert_true(session_is_unsaved(session));
        assert_int_equal(session_unsaved(session, unsaved), 1);
        assert_int_equal(unsaved[0].recovered, 3);
        assert_string_equal(unsaved[0].path, "/a.ini");
        press(session, "u"); /* given up, but not for good */
        assert_int_equal(look(session).scenario->micro_batches, 5);
        assert_int_equal(session_unsaved(session, unsaved), 0);
        press(session, "U m");
        assert_int_equal(session_unsaved(session, unsaved), 1);
        assert_int_equal(unsaved[0].recovered, 3);
        press(session, "m m m"); /* as many as the file has: nothing to save, where that is known */
        assert_int_equal(session_is_unsaved(session), !is_known);
        session_saved(session, "/a.ini");
        assert_false(session_is_unsaved(session));
        press(session, "M");
        assert_int_equal(session_unsaved(session, unsaved), 1);
        assert_int_equal(unsaved[0].recovered, 0); /* the file has them: these are others */
        session_free(session);
    }
    scenario_free(&changed);
    scenario_free(&saved);
}

static void what_is_built_is_asked_about(void **state)
{
    struct session *session = session_after("");

    (void)state;
    load_file(session, "/a", 3);
    press(session, "E F q y q"); /* one move made, the puzzle left */
    assert_non_null(strstr(look(session).message, "What you built will be lost"));
    press(session, "n q s"); /* there is nothing that could be saved */
    assert_int_equal(session_take_request(session).kind, REQUEST_NONE);
    press(session, "q y");
    assert_request(session, REQUEST_QUIT);
    press(session, "E u q q"); /* all taken back */
    assert_request(session, REQUEST_QUIT);
    press(session, "E c f");
    session_table_saved(session, "/a.csv");
    press(session, "q y q");
    assert_request(session, REQUEST_QUIT);
    press(session, "E R c f q t q"); /* made anew, and taken: GPipe, which it was before */
    assert_request(session, REQUEST_QUIT);
    session_free(session);
}

/* Beside unsaved changes a puzzle is named too: s does not save it. */
static void what_is_built_is_asked_about_as_well(void **state)
{
    struct session *session = session_make();

    (void)state;
    load_file(session, "/a", 3);
    press(session, "E F q y M q");
    assert_string_equal(look(session).message,
                        "Unsaved: here, a puzzle. Quit?  y quits, s saves, n stays");
    press(session, "n");
    load_file(session, "/a_name_too_long_to_be_shown.ini", 3);
    press(session, "q");
    assert_string_equal(look(session).message, "Unsaved: /a, a puzzle. Quit?  y quits, n stays");
    press(session, "n M");
    load_file(session, "/c", 3);
    press(session, "M q");
    assert_string_equal(look(session).message, "Unsaved: here, /a_name_… and 1 more, a puzzle. "
                                               "Quit?  y quits, s saves, n stays");
    assert_true(text_columns(look(session).message) < 80);
    session_free(session);
    session = session_make();
    load_file(session, "/a", 3);
    press(session, "E F u q M q"); /* taken back: not asked about */
    assert_string_equal(look(session).message,
                        "There are unsaved changes. Quit?  y quits, s saves and quits, n stays");
    session_free(session);
}

/* What is changed and exchanged for what the file has is on nobody's screen, and is not lost for that. */
static void what_is_pinned_is_asked_about(void **state)
{
    struct session *session = session_make();
    struct unsaved unsaved[UNSAVED_MOST];

    (void)state;
    load_file(session, "/a", 3);
    press(session, "d M D");
    assert_false(session_is_unsaved(session));
    assert_int_equal(session_unsaved(session, unsaved), 1);
    assert_true(unsaved[0].is_pinned);
    assert_int_equal(unsaved[0].scenario->micro_batches, 4);
    assert_string_equal(unsaved[0].path, "/a");
    press(session, "q");
    assert_string_equal(look(session).message,
                        "Unsaved changes in A (D shows it). Quit?  y quits, n stays");
    press(session, "n D");
    assert_int_equal(session_unsaved(session, unsaved), 1); /* A is in its file, B is not */
    assert_false(unsaved[0].is_pinned);
    press(session, "d d d"); /* the same on both sides: once */
    assert_int_equal(session_unsaved(session, unsaved), 1);
    press(session, "M");
    assert_int_equal(session_unsaved(session, unsaved), 2);
    assert_true(!unsaved[0].is_pinned && unsaved[1].is_pinned);
    session_free(session);
    session = session_make();
    load_file(session, "/a", 3);
    press(session, "d q");
    assert_request(session, REQUEST_QUIT);
    session_free(session);
}

static void one_key_quits_and_keeps(void **state)
{
    struct session *session = session_after("");

    (void)state;
    load_file(session, "/a", 3);
    press(session, "M q Q");
    struct request request = session_take_request(session);
    assert_int_equal(request.kind, REQUEST_QUIT);
    assert_false(request.is_forced); /* the question was not answered: the changes are kept */
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_accounts_agree),
        cmocka_unit_test(quitting_names_what_was_left),
        cmocka_unit_test(what_is_built_is_asked_about),
        cmocka_unit_test(what_is_built_is_asked_about_as_well),
        cmocka_unit_test(what_is_pinned_is_asked_about),
        cmocka_unit_test(one_key_quits_and_keeps),
        cmocka_unit_test(long_names_leave_room),
        cmocka_unit_test(an_offer_takes_three_answers),
        cmocka_unit_test(recovered_changes_are_unsaved_until_saved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
