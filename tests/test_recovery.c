/* What is kept of unsaved changes, with time at hand: when it is written and when it goes, that a
 * running program's is nobody else's business, that what is built by hand comes back, and what
 * becomes of it all where nothing can be written. Each recovery stands for a program of its own:
 * locks know no difference. */
#include "app/config.h"
#include "app/desk.h"
#include "app/recovery.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char box[64];

/* A run of the program as far as this goes. */
struct run {
    struct session *session;
    struct recovery recovery;
    struct cli cli;
    struct desk desk;
    int64_t now;
};

static void begin(struct run *run)
{
    struct file_error error;

    memset(run, 0, sizeof *run);
    run->cli.action = ACTION_RUN;
    run->desk = (struct desk){.cli = &run->cli, .recovery = &run->recovery};
    run->session = session_make();
    run->now = 1000;
    assert_non_null(run->session);
    assert_true(desk_show_slide(&run->desk, run->session, 0, &error));
    recovery_init(&run->recovery);
    recovery_offer(&run->recovery, run->session, true);
}

/* As by SIGKILL: only the kernel does anything. */
static void end(struct run *run)
{
    recovery_free(&run->recovery);
    session_free(run->session);
}

static void press(struct run *run, const char *keys)
{
    char key[32];

    for (keys += strspn(keys, " "); *keys != '\0'; keys += strspn(keys, " ")) {
        size_t length = strcspn(keys, " ");
        assert_true(length < sizeof key);
        memcpy(key, keys, length);
        key[length] = '\0';
        session_key(run->session, key);
        struct request request = session_take_request(run->session);
        if (request.kind == REQUEST_QUIT && request.is_forced) {
            recovery_keep(&run->recovery, run->session);
            recovery_discard(&run->recovery);
        } else if (request.kind > REQUEST_REPAINT) {
            desk_serve(&run->desk, run->session, &request);
        }
        keys += length;
    }
}

static void type(struct run *run, const char *line)
{
    press(run, ":");
    for (; *line != '\0'; line++) {
        char key[] = {*line, '\0'};
        press(run, *line == ' ' ? "Space" : key);
    }
    press(run, "Enter");
}

/* Time goes by; the loop wakes when it said it would. */
static void pass(struct run *run, int64_t milliseconds)
{
    int64_t until = run->now + milliseconds;

    for (;;) {
        recovery_tend(&run->recovery, run->session, run->now);
        int sleep = recovery_wait(&run->recovery, run->now, -1);
        if (sleep < 0 || run->now + sleep > until)
            break;
        run->now += sleep > 0 ? sleep : 1;
    }
    run->now = until;
}

static const char *message_of(struct run *run)
{
    struct snapshot snapshot;
    session_snapshot(run->session, &snapshot);
    return snapshot.message;
}

static enum mode mode_of(struct run *run)
{
    struct snapshot snapshot;
    session_snapshot(run->session, &snapshot);
    return snapshot.mode;
}

static char *scenario_of(struct run *run)
{
    struct snapshot snapshot;
    session_snapshot(run->session, &snapshot);
    return config_text(snapshot.scenario);
}

/* ---- the folder ---- */

static void path_of(char path[400], const char *name)
{
    snprintf(path, 400, "%s/pipegantt/%s", box, name);
}

/* Files in the folder; the name of the last one that was found into `name`. */
static unsigned files(char *name)
{
    char path[400];
    unsigned count = 0;

    path_of(path, "");
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (name != NULL)
            path_of(name, entry->d_name);
        count++;
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}

static ino_t inode_of_one(void)
{
    char path[400];
    struct stat status;

    assert_int_equal(files(path), 1);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    return status.st_ino;
}

static int empty_box(void **state)
{
    char path[400];

    (void)state;
    path_of(path, "");
    chmod(path, 0700);
    while (files(path) > 0)
        if (unlink(path) != 0 && rmdir(path) != 0)
            return -1;
    unlink("a.ini");
    unlink("b.ini");
    unlink("t.csv");
    path_of(path, "");
    return rmdir(path) == 0 || access(path, F_OK) != 0 ? 0 : -1;
}

/* M of what is offered first; 0: nothing is. */
static uint32_t offered(struct run *run)
{
    struct snapshot snapshot;

    pass(run, 0);
    press(run, "R");
    if (mode_of(run) != MODE_CONFIRM)
        return 0;
    press(run, "y");
    session_snapshot(run->session, &snapshot);
    return snapshot.scenario->micro_batches;
}

static void assert_offered(uint32_t micro_batches)
{
    struct run next;

    begin(&next);
    assert_int_equal(offered(&next), micro_batches);
    end(&next);
}

/* ---- when ---- */

static void nothing_is_written_while_nothing_is_unsaved(void **state)
{
    struct run run;

    (void)state;
    begin(&run);
    assert_int_equal(recovery_wait(&run.recovery, run.now, -1), -1);
    press(&run, "j + > ? q");
    pass(&run, 100000);
    assert_int_equal(files(NULL), 0);
    assert_int_equal(recovery_wait(&run.recovery, run.now, -1), -1);
    assert_int_equal(recovery_wait(&run.recovery, run.now, 7), 7);
    end(&run);
}

static void it_is_written_when_changes_pause(void **state)
{
    struct run run;

    (void)state;
    begin(&run);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE - 1);
    assert_int_equal(files(NULL), 0);
    assert_int_equal(recovery_wait(&run.recovery, run.now, -1), 1);
    assert_int_equal(recovery_wait(&run.recovery, run.now, 0), 0);
    pass(&run, 1);
    ino_t first = inode_of_one();
    /* and not again: nobody has to wake up */
    assert_int_equal(recovery_wait(&run.recovery, run.now, -1), -1);
    pass(&run, 1000000);
    press(&run, "j + > ? q v Esc");
    pass(&run, 1000000);
    assert_int_equal(inode_of_one(), first);
    /* away and back to what is there already */
    press(&run, "M u");
    pass(&run, 1000000);
    assert_int_equal(inode_of_one(), first);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    assert_int_not_equal(inode_of_one(), first);
    end(&run);
    assert_offered(10);
}

static void it_is_written_while_changes_go_on(void **state)
{
    struct run run;
    unsigned most = 0, writes = 0;
    ino_t last = 0;

    (void)state;
    begin(&run);
    for (unsigned i = 0, since = 0; i < 1000; i++, since++) { /* 100 s of a key held down */
        press(&run, i % 400 < 200 ? "M" : "m");
        pass(&run, 100);
        ino_t now = files(NULL) > 0 ? inode_of_one() : 0;
        if (now != last) {
            most = since > most ? since : most;
            since = 0;
            writes++;
        }
        last = now;
    }
    assert_in_range(writes, 8, 10);
    assert_in_range(most * 100, RECOVERY_LONGEST - 200, RECOVERY_LONGEST + 1000);
    end(&run);
}

static void it_goes_when_undone_or_saved_or_given_up(void **state)
{
    struct run run;

    (void)state;
    begin(&run);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    inode_of_one();
    press(&run, "u");
    pass(&run, 0); /* at once */
    assert_int_equal(files(NULL), 0);
    press(&run, "U");
    pass(&run, RECOVERY_PAUSE);
    inode_of_one();
    type(&run, "w a.ini");
    assert_int_equal(files(NULL), 0);
    pass(&run, 1000000);
    assert_int_equal(files(NULL), 0);
    press(&run, "P");
    pass(&run, RECOVERY_PAUSE);
    inode_of_one();
    press(&run, "q y");
    assert_int_equal(files(NULL), 0);
    assert_int_equal(recovery_write(&run.recovery), RECOVERED_NOTHING);
    assert_int_equal(files(NULL), 0);
    end(&run);
}

static void files_left_behind_have_one_each(void **state)
{
    struct run run, next;

    (void)state;
    begin(&run);
    type(&run, "w a.ini");
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    type(&run, "o 1f1b");
    press(&run, "P");
    pass(&run, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 2);
    press(&run, "P P M");
    pass(&run, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 2);
    end(&run);
    begin(&next);
    assert_non_null(strstr(message_of(&next), "1 of 2"));
    assert_non_null(strstr(message_of(&next), "changes to 1f1b"));
    press(&next, "R n");
    assert_non_null(strstr(message_of(&next), "changes to a.ini"));
    press(&next, "y");
    struct snapshot snapshot;
    session_snapshot(next.session, &snapshot);
    assert_int_equal(snapshot.scenario->micro_batches, 9);
    end(&next);
}

/* ---- others ---- */

static void what_runs_is_not_offered(void **state)
{
    struct run run, other;

    (void)state;
    begin(&run);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    begin(&other);
    assert_string_equal(message_of(&other), "");
    assert_int_equal(offered(&other), 0);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    assert_int_equal(offered(&other), 0);
    inode_of_one();
    press(&other, "M M M");
    pass(&other, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 2);
    end(&run);
    assert_int_equal(offered(&other), 10); /* it has ended by now */
    end(&other);
}

static void what_one_opens_is_not_the_others(void **state)
{
    struct run run, one, other;

    (void)state;
    begin(&run);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    end(&run);
    begin(&one);
    begin(&other);
    press(&one, "R"); /* both ask */
    press(&other, "R");
    assert_int_equal(mode_of(&other), MODE_CONFIRM);
    press(&one, "y");
    press(&other, "y");
    assert_non_null(strstr(message_of(&other), "another pipegantt has these changes open"));
    assert_int_equal(offered(&other), 0);
    /* nor deleted by somebody who was asked before */
    inode_of_one();
    /* the one that has it takes it over */
    press(&one, "M");
    pass(&one, RECOVERY_PAUSE);
    inode_of_one();
    assert_int_equal(offered(&other), 0);
    end(&one);
    assert_int_equal(offered(&other), 10);
    end(&other);
}

static void deleting_what_another_has_opened_is_refused(void **state)
{
    struct run run, one, other;

    (void)state;
    begin(&run);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    end(&run);
    begin(&one);
    begin(&other);
    press(&other, "R d");
    assert_int_equal(offered(&one), 9);
    press(&other, "y");
    assert_non_null(strstr(message_of(&other), "could not be deleted"));
    inode_of_one();
    end(&one);
    press(&other, "R d y");
    assert_int_equal(files(NULL), 0);
    end(&other);
}

static bool file_has(const char *path, const char *text)
{
    char contents[4096];
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    contents[fread(contents, 1, sizeof contents - 1, file)] = '\0';
    fclose(file);
    return strstr(contents, text) != NULL;
}

/* A of a comparison is a file of its own; the state's stays its own, whatever is pinned. */
static void what_is_pinned_is_kept_beside(void **state)
{
    char path[400];
    struct run run;

    (void)state;
    begin(&run);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    ino_t inode = inode_of_one();
    press(&run, "d"); /* the same on both sides */
    pass(&run, RECOVERY_PAUSE);
    assert_true(inode_of_one() == inode);
    assert_int_equal(files(path), 1);
    assert_true(file_has(path, "micro_batches = 9"));
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 2);
    assert_true(file_has(path, "micro_batches = 10"));
    press(&run, "u u"); /* the pin goes */
    pass(&run, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 1);
    press(&run, "u");
    pass(&run, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 0);
    end(&run);
}

static void what_is_recovered_and_undone_stays(void **state)
{
    struct run run, one;

    (void)state;
    begin(&run);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    end(&run);
    begin(&one);
    assert_int_equal(offered(&one), 9);
    press(&one, "M");
    pass(&one, RECOVERY_PAUSE);
    inode_of_one();
    press(&one, "u u"); /* nothing is unsaved any more, but nobody gave it up */
    pass(&one, 1000000);
    assert_int_equal(files(NULL), 1);
    assert_int_equal(offered(&one), 10);
    pass(&one, 1000000);
    inode_of_one();
    press(&one, "u P"); /* changes of its own get a file of their own */
    pass(&one, 1000000);
    assert_int_equal(files(NULL), 2);
    press(&one, "q y");
    assert_int_equal(files(NULL), 1);
    end(&one);
    begin(&one);
    assert_int_equal(offered(&one), 10);
    type(&one, "w a.ini");
    assert_int_equal(files(NULL), 0);
    end(&one);
}

/* A name that somebody else has taken since is not ours. */
static void what_is_taken_away_is_written_anew(void **state)
{
    struct run run;
    char path[400], text[20] = "";

    (void)state;
    begin(&run);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    inode_of_one();
    files(path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(recovery_write(&run.recovery), RECOVERED_KEPT);
    inode_of_one();
    files(path);
    assert_int_equal(unlink(path), 0);
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(file, "mine", 4), 4);
    close(file);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 2);
    file = open(path, O_RDONLY);
    assert_int_equal(read(file, text, sizeof text), 4);
    assert_string_equal(text, "mine");
    close(file);
    end(&run);
    assert_offered(10);
}

static void what_was_cut_short_is_cleared_away(void **state)
{
    static const char *const names[] = {".unsaved-20260101-000000-h-1-000-0.tmp",
                                        "unsaved-20260101-000000-h-1-000-0.ini"};
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char path[400];
    struct run run;

    (void)state;
    path_of(path, "");
    mkdir(path, 0700);
    for (int i = 0; i < 2; i++) {
        path_of(path, names[i]);
        close(open(path, O_WRONLY | O_CREAT, 0600));
    }
    begin(&run); /* they may be under way */
    assert_int_equal(files(NULL), 2);
    end(&run);
    for (int i = 0; i < 2; i++) {
        path_of(path, names[i]);
        utimensat(AT_FDCWD, path, old, 0);
    }
    int file = open(path, O_RDWR);
    assert_int_equal(flock(file, LOCK_EX), 0);
    begin(&run); /* one of them is */
    assert_int_equal(files(NULL), 1);
    end(&run);
    close(file);
    begin(&run);
    assert_int_equal(files(NULL), 0);
    end(&run);
}

/* Of more than one run looks at, those of the latest runs. */
static void of_many_the_latest_are_offered(void **state)
{
    char path[400], name[80], text[2][1000];
    ssize_t size[2];
    struct run run;

    (void)state;
    begin(&run);
    for (int i = 0; i < 2; i++) { /* M=9 and M=10 */
        press(&run, "M");
        pass(&run, RECOVERY_PAUSE + 1000);
        inode_of_one();
        files(path);
        int file = open(path, O_RDONLY);
        size[i] = read(file, text[i], sizeof text[i]);
        close(file);
    }
    press(&run, "q y");
    end(&run);
    path_of(path, "");
    mkdir(path, 0700);
    for (int i = 0; i < 2 * RECOVERY_MOST; i++) {
        bool is_latest = i == 77;
        snprintf(name, sizeof name, "unsaved-20260101-00%04d-h-1-000-0.ini", is_latest ? 9999 : i);
        path_of(path, name);
        int file = open(path, O_WRONLY | O_CREAT, 0600);
        assert_int_equal(write(file, text[is_latest], (size_t)size[is_latest]), size[is_latest]);
        futimens(file, (struct timespec[2]){{.tv_sec = 1000}, {.tv_sec = 1000}});
        close(file);
    }
    begin(&run);
    assert_non_null(strstr(message_of(&run), "1 of 64"));
    assert_int_equal(offered(&run), 10);
    end(&run);
}

/* ---- what cannot be written ---- */

static void a_failure_is_said_once_and_tried_ever_more_seldom(void **state)
{
    struct run run;
    char path[400];

    (void)state;
    begin(&run);
    path_of(path, "");
    path[strlen(path) - 1] = '\0';
    int file = open(path, O_WRONLY | O_CREAT, 0600); /* where the folder should be */
    close(file);
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE - 1);
    press(&run, "M ?"); /* a page is no place to say it */
    pass(&run, RECOVERY_PAUSE);
    assert_null(strstr(message_of(&run), "cannot be kept"));
    press(&run, "q");
    pass(&run, RECOVERY_BACK_OFF);
    assert_non_null(strstr(message_of(&run), "cannot be kept safe from a crash: Not a directory"));
    press(&run, "j");
    int last = 0;
    for (int i = 0; i < 12; i++) {
        int wait = recovery_wait(&run.recovery, run.now, -1);
        assert_in_range(wait, last < RECOVERY_BACK_OFF ? 1 : last * 2 - 200,
                        RECOVERY_BACK_OFF_MOST + 1000);
        last = wait > RECOVERY_BACK_OFF_MOST / 2 ? RECOVERY_BACK_OFF_MOST / 2 : wait;
        press(&run, "M"); /* does not bring it nearer */
        pass(&run, wait - 1);
        assert_true(recovery_wait(&run.recovery, run.now, -1) >= 1);
        pass(&run, 1);
        assert_null(strstr(message_of(&run), "cannot be kept"));
    }
    unlink(path);
    pass(&run, 2 * RECOVERY_BACK_OFF_MOST);
    inode_of_one();
    assert_int_equal(recovery_wait(&run.recovery, run.now, -1), -1);
    press(&run, "M"); /* all is forgotten */
    pass(&run, RECOVERY_PAUSE + 1000);
    end(&run);
    assert_offered(23);
}

static void without_a_folder_nobody_wakes_up(void **state)
{
    struct run run;

    (void)state;
    begin(&run);
    run.recovery.folder[0] = '\0';
    press(&run, "M");
    pass(&run, 1);
    assert_non_null(strstr(message_of(&run), "there is no folder"));
    assert_int_equal(recovery_wait(&run.recovery, run.now, -1), -1);
    assert_int_equal(recovery_write(&run.recovery), RECOVERED_FAILED);
    end(&run);
}

/* ---- what is built by hand ---- */

static void built_moves_come_back(void **state)
{
    static const char *const rules[] = {"gpipe", "zb-h1", "interleaved",
                                        "dualpipe", "zbv", "chimera"};
    uint32_t random = 3;

    (void)state;
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++) {
        struct run run, next;
        struct snapshot a, b;
        char line[60];
        begin(&run);
        snprintf(line, sizeof line, "schedule %s", rules[r]);
        type(&run, line);
        press(&run, "E");
        assert_int_equal(mode_of(&run), MODE_BUILD);
        for (int i = 0; i < 60; i++) {
            static const char *const keys[] = {"Enter", "Enter", "Right", "j", "k", "F", "B",
                                               "I", "W", "&", "Enter", "H", "Enter", "u"};
            random = random * 1664525 + 1013904223;
            press(&run, keys[(random >> 16) % (sizeof keys / sizeof keys[0])]);
        }
        pass(&run, RECOVERY_PAUSE);
        session_snapshot(run.session, &a);
        uint32_t made = a.build->build->made;
        bool is_twice = a.build->build->plan.replicas > 1;
        assert_true(made > 5);
        begin(&next);
        assert_int_equal(offered(&next), 0);
        struct pg_move *moves = malloc(made * sizeof *moves);
        memcpy(moves, a.build->build->moves, made * sizeof *moves);
        end(&run);
        assert_int_not_equal(offered(&next), 0);
        if (mode_of(&next) != MODE_BUILD) /* the rules were changes as well, and come first */
            offered(&next);
        assert_int_equal(mode_of(&next), MODE_BUILD);
        session_snapshot(next.session, &b);
        assert_int_equal(b.build->build->made, made);
        assert_memory_equal(b.build->build->moves, moves, made * sizeof *moves);
        free(moves);
        /* written to a table it is nobody's any more */
        press(&next, "c b");
        if (mode_of(&next) == MODE_BUILD && b.build->is_done && !is_twice) {
            type(&next, "w t.csv");
            pass(&next, RECOVERY_PAUSE);
            press(&next, "q y q y");
            assert_true(files(NULL) <= 1);
        }
        end(&next);
        empty_box(NULL);
        unlink("t.csv");
    }
}

static void a_table_in_no_file_comes_back(void **state)
{
    struct run run, next;

    (void)state;
    begin(&run);
    type(&run, "p 2");
    type(&run, "m 3");
    type(&run, "forward 1,1.5");
    press(&run, "E 1 F F Down 1 F c b t");
    assert_int_equal(mode_of(&run), MODE_CHART);
    char *was = scenario_of(&run);
    assert_non_null(strstr(was, "file:\n"));
    struct snapshot snapshot;
    session_snapshot(run.session, &snapshot);
    struct table *table = table_share(snapshot.scenario->table);
    pass(&run, RECOVERY_PAUSE);
    inode_of_one();
    end(&run);
    begin(&next);
    offered(&next);
    char *now = scenario_of(&next);
    assert_string_equal(now, was);
    session_snapshot(next.session, &snapshot);
    assert_true(table_equal(snapshot.scenario->table, table));
    assert_string_equal(snapshot.scenario->table->path, "");
    table_release(&table);
    free(now);
    free(was);
    end(&next);
}

/* Taking what was built and recovered hands its file on. */
static void recovered_and_taken(void **state)
{
    struct run run, next;

    (void)state;
    begin(&run);
    type(&run, "w a.ini");
    press(&run, "E 1 F Enter Enter");
    pass(&run, RECOVERY_PAUSE);
    end(&run);
    inode_of_one();
    begin(&next);
    assert_non_null(strstr(message_of(&next), "what was built by hand"));
    offered(&next);
    pass(&next, RECOVERY_PAUSE);
    inode_of_one();
    press(&next, "c b t");
    pass(&next, RECOVERY_PAUSE);
    inode_of_one();
    end(&next);
    begin(&next);
    offered(&next);
    assert_int_equal(mode_of(&next), MODE_CHART);
    type(&next, "w t.csv");
    type(&next, "w b.ini");
    assert_int_equal(files(NULL), 0);
    end(&next);
}

/* What was taken is not lost by undoing that. */
static void taken_and_undone(void **state)
{
    struct run run, next;

    (void)state;
    begin(&run);
    type(&run, "p 2");
    type(&run, "m 3");
    press(&run, "E 1 F F Down 1 F c b t u");
    pass(&run, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 2); /* P and M, and what was built */
    press(&run, "q");
    assert_int_equal(mode_of(&run), MODE_CONFIRM);
    press(&run, "n U");
    pass(&run, RECOVERY_PAUSE);
    inode_of_one();
    press(&run, "M"); /* with another number of micro-batches it is a family's again */
    press(&run, "u u");
    pass(&run, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 2);
    end(&run);
    begin(&next);
    offered(&next);
    offered(&next);
    assert_int_equal(mode_of(&next), MODE_BUILD);
    end(&next);
}

/* Changes of this run are not forgotten for those of an earlier one. */
static void recovered_over_changes(void **state)
{
    struct run run, next;

    (void)state;
    begin(&run);
    type(&run, "w a.ini");
    press(&run, "M");
    pass(&run, RECOVERY_PAUSE);
    end(&run);
    begin(&next);
    type(&next, "o a.ini");
    press(&next, "P");
    pass(&next, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 2);
    assert_int_equal(offered(&next), 9);
    pass(&next, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 2);
    press(&next, "M");
    pass(&next, RECOVERY_PAUSE);
    assert_int_equal(files(NULL), 2);
    press(&next, "q");
    assert_non_null(strstr(message_of(&next), "Unsaved changes here and in a.ini"));
    press(&next, "n");
    type(&next, "w b.ini"); /* saved, what was recovered; what was left behind stays */
    pass(&next, RECOVERY_PAUSE);
    inode_of_one();
    end(&next);
    begin(&next);
    assert_int_equal(offered(&next), 8);
    end(&next);
}

static void moves_that_are_not_legal_are_refused(void **state)
{
    static const char *const moves[] = {"", "0:0F", "0:0F0 0:0F0", "1:0F0", "0:0B0", "0:1F0",
                                        "4096:0F0", "0:0F8", "0:0F0x", "0:(0F0;0B0)",
                                        "0:0F99999999999", "0:64F0", "0", ":", "0:0X0", "0:(0F0"};
    struct scenario scenario;
    struct refusal refusal;

    (void)state;
    assert_true(scenario_init(&scenario));
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        struct session *session = session_make();
        assert_false(session_recover_build(session, &scenario, moves[i], 1, &refusal));
        assert_string_equal(refusal.report.text, "its moves are not all legal");
        session_free(session);
    }
    struct session *session = session_make();
    assert_true(session_recover_build(session, &scenario, " 0:0F0  1:0F0 ", 1, &refusal));
    assert_false(session_recover_build(session, &scenario, "0:0F0", 1, &refusal));
    assert_non_null(strstr(refusal.report.text, "something else is being built"));
    session_free(session);
    scenario_free(&scenario);
}

/* ---- anything ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What is unsaved by the session's account against what is in the folder. */
static void assert_is_kept(struct run *run)
{
    struct unsaved unsaved[UNSAVED_MOST];
    char *wanted[UNSAVED_MOST], *got[UNSAVED_MOST + 1], path[400];
    size_t count = session_unsaved(run->session, unsaved), found = 0;

    path_of(path, "");
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        struct config config;
        struct file_error error;
        char *moves;
        if (entry->d_name[0] == '.')
            continue;
        path_of(path, entry->d_name);
        assert_true(kept_read(path, &config, &moves, &error));
        assert_true(found < count);
        got[found++] = config_text(&config.scenario);
        config_free(&config);
        free(moves);
    }
    if (folder != NULL)
        closedir(folder);
    assert_int_equal(found, count);
    for (size_t i = 0; i < count; i++)
        wanted[i] = config_text(unsaved[i].scenario);
    qsort(wanted, count, sizeof wanted[0], by_text);
    qsort(got, count, sizeof got[0], by_text);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(wanted[i], got[i]);
        free(wanted[i]);
        free(got[i]);
    }
}

static void the_folder_has_what_is_unsaved(void **state)
{
    uint32_t random = 11;

    (void)state;
    for (int round = 0; round < 20; round++) {
        struct run run;
        begin(&run);
        type(&run, "w a.ini");
        for (int i = 0; i < 60; i++) {
            random = random * 1664525 + 1013904223;
            switch (random >> 16 & 15) {
            case 0:
                type(&run, "o 1f1b");
                break;
            case 1:
                type(&run, "o a.ini");
                break;
            case 2:
                press(&run, random >> 24 & 1 ? "Ctrl-S" : "r");
                if (mode_of(&run) != MODE_CHART)
                    press(&run, "y Esc");
                break;
            case 3:
            case 4:
            case 5:
                press(&run, "u");
                break;
            case 6:
                press(&run, "U");
                break;
            case 7:
                press(&run, "u u u u");
                break;
            default:
                press(&run, random >> 24 & 1 ? "M" : "P");
            }
            if (random >> 25 & 1)
                continue;
            pass(&run, random >> 26 & 1 ? RECOVERY_PAUSE + 2000 : 300);
            if (random >> 26 & 1)
                assert_is_kept(&run);
        }
        recovery_settle(&run.recovery, run.session);
        assert_is_kept(&run);
        end(&run);
        assert_int_equal(empty_box(NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, empty_box, empty_box)
        TEST(nothing_is_written_while_nothing_is_unsaved),
        TEST(it_is_written_when_changes_pause),
        TEST(it_is_written_while_changes_go_on),
        TEST(it_goes_when_undone_or_saved_or_given_up),
        TEST(files_left_behind_have_one_each),
        TEST(what_runs_is_not_offered),
        TEST(what_one_opens_is_not_the_others),
        TEST(deleting_what_another_has_opened_is_refused),
        TEST(what_is_pinned_is_kept_beside),
        TEST(what_is_recovered_and_undone_stays),
        TEST(what_is_taken_away_is_written_anew),
        TEST(what_was_cut_short_is_cleared_away),
        TEST(of_many_the_latest_are_offered),
        TEST(a_failure_is_said_once_and_tried_ever_more_seldom),
        TEST(without_a_folder_nobody_wakes_up),
        TEST(built_moves_come_back),
        TEST(a_table_in_no_file_comes_back),
        TEST(recovered_and_taken),
        TEST(taken_and_undone),
        TEST(recovered_over_changes),
        TEST(moves_that_are_not_legal_are_refused),
        TEST(the_folder_has_what_is_unsaved),
#undef TEST
    };

    strcpy(box, "/tmp/recovery-XXXXXX");
    if (mkdtemp(box) == NULL || chdir(box) != 0)
        return 99;
    setenv("XDG_STATE_HOME", box, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (chdir("/") == 0)
        rmdir(box);
    return failed;
}
