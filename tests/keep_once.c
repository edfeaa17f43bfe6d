/* A run of the program as far as unsaved changes are concerned, without a terminal: for
 * tests/faults.sh.
 *
 *     keep_once new      changes the default scenario and ends; prints kept, failed or nothing
 *     keep_once again    takes up what was kept, changes it once more and ends
 *     keep_once twice    changes it and lets time pass, two times, and ends as by SIGKILL; prints how it
 *                        stands then
 *     keep_once holds    changes it, lets time pass and runs until its input ends
 *     keep_once offers   prints M of everything that is offered, a line each
 *     keep_once says     prints what a start says
 *     keep_once learn N  answers the first N steps of the course; prints kept or failed
 *     keep_once learned  prints how many are answered */
#include "app/lesson.h"
#include "app/recovery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_asking(struct session *session)
{
    struct snapshot snapshot;

    session_snapshot(session, &snapshot);
    return snapshot.mode == MODE_CONFIRM;
}

static void answer(struct recovery *recovery, struct session *session, const char *key)
{
    session_key(session, key);
    struct request request = session_take_request(session);
    recovery_serve(recovery, session, &request);
}

/* A change, and as long after it as any failure keeps the program from trying again. */
static void change(struct recovery *recovery, struct session *session, int64_t *now)
{
    session_key(session, "M");
    for (int i = 0; i < 2; i++) {
        recovery_tend(recovery, session, *now);
        *now += RECOVERY_PAUSE + 2 * RECOVERY_BACK_OFF;
    }
    recovery_tend(recovery, session, *now);
}

static void go_on(struct recovery *recovery, struct session *session, int times)
{
    int64_t now = 1000000;

    while (times-- > 0)
        change(recovery, session, &now);
    puts(recovery->is_due ? "failed" : "kept");
    fflush(stdout);
}

static void say(struct recovery *recovery, struct session *session)
{
    struct snapshot snapshot;

    recovery_offer(recovery, session, true);
    session_snapshot(session, &snapshot);
    puts(snapshot.message);
}

static void print_offers(struct recovery *recovery)
{
    struct snapshot snapshot;

    for (uint32_t skipped = 0;; skipped++) {
        struct session *session = session_make();
        recovery_free(recovery);
        recovery_init(recovery);
        recovery_offer(recovery, session, true);
        answer(recovery, session, "R");
        for (uint32_t i = 0; i < skipped && is_asking(session); i++)
            answer(recovery, session, "n");
        bool is_more = is_asking(session);
        if (is_more) {
            answer(recovery, session, "y");
            session_snapshot(session, &snapshot);
            printf("%u\n", snapshot.scenario->micro_batches);
        }
        session_free(session);
        if (!is_more)
            return;
    }
}

/* Of the course that comes with the program; count < 0: only looks. */
static int learn(int count)
{
    struct lessons lessons;
    struct report report;
    struct file_error error;
    uint32_t done = 0;

    if (!lessons_open(&lessons, NULL, &report, &error))
        return 1;
    for (uint32_t i = 0; i < lessons.course.count; i++) {
        if ((int)i < count)
            lessons.course.steps[i].is_done = true;
        done += lessons.course.steps[i].is_done;
    }
    if (count < 0)
        printf("%u\n", done);
    else
        puts(progress_write(&lessons, &report) ? "kept" : "failed");
    lessons_free(&lessons);
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const words[] = {"nothing", "kept", "failed"};
    struct recovery recovery;
    const char *mode = argc > 1 ? argv[1] : "new";
    struct session *session = session_make();

    recovery_init(&recovery);
    if (session == NULL)
        return 1;
    if (strncmp(mode, "learn", 5) == 0) {
        session_free(session);
        return learn(argc > 2 ? atoi(argv[2]) : -1);
    }
    if (strcmp(mode, "offers") == 0) {
        print_offers(&recovery);
    } else if (strcmp(mode, "twice") == 0) {
        go_on(&recovery, session, 2);
    } else if (strcmp(mode, "holds") == 0) {
        go_on(&recovery, session, 1);
        while (getchar() != EOF)
            ;
    } else if (strcmp(mode, "says") == 0) {
        say(&recovery, session);
    } else {
        if (strcmp(mode, "again") == 0) {
            recovery_offer(&recovery, session, true);
            answer(&recovery, session, "R");
            answer(&recovery, session, "y");
        }
        session_key(session, "M");
        recovery_keep(&recovery, session);
        puts(words[recovery_write(&recovery)]);
    }
    recovery_free(&recovery);
    session_free(session);
    return 0;
}
