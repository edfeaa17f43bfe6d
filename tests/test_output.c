/* Writing files: whole or not at all, through links, past full disks and against protections, with
 * nothing left lying about. Each test has a folder of its own and looks at all that is in it. */
#include "app/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- help ---- */

struct place {
    char folder[64], path[400];
};

static int make(void **state)
{
    static struct place place;

    *state = &place;
    strcpy(place.folder, "/tmp/test_output.XXXXXX");
    signal(SIGPIPE, SIG_IGN);
    umask(022);
    return mkdtemp(place.folder) == NULL || chmod(place.folder, 0755) != 0 ? -1 : 0;
}

/* Path of something in the folder; good until the next call. */
static const char *in(struct place *place, const char *name)
{
    snprintf(place->path, sizeof place->path, "%s/%s", place->folder, name);
    return place->path;
}

static unsigned count_entries(const char *folder)
{
    DIR *stream = opendir(folder);
    unsigned count = 0;

    assert_non_null(stream);
    while (readdir(stream) != NULL)
        count++;
    closedir(stream);
    return count - 2;
}

static int drop(void **state)
{
    struct place *place = *state;
    char command[100];

    snprintf(command, sizeof command, "rm -rf %s", place->folder);
    return system(command);
}

static void put(const char *path, const char *contents, mode_t mode)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(contents, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void assert_contents(const char *path, const char *expected)
{
    static char contents[1000];
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    size_t count = fread(contents, 1, sizeof contents - 1, file);
    contents[count] = '\0';
    fclose(file);
    assert_string_equal(contents, expected);
}

static mode_t mode_of(const char *path)
{
    struct stat status;

    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

static void write_good(const char *path, const char *contents)
{
    struct report report;

    if (!output_write(path, contents, strlen(contents), &report))
        fail_msg("%s %s", path, report.text);
}

static void assert_fails(const char *path, const char *contents, const char *words)
{
    struct report report = {.text = ""};

    assert_false(output_write(path, contents, strlen(contents), &report));
    if (strstr(report.text, words) == NULL)
        fail_msg("'%s' lacks '%s'", report.text, words);
}

/* Runs a test in a child process; it passes when the child ends with 0. */
static int run(int (*test)(struct place *), struct place *place)
{
    int status;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(test(place));
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static bool become_nobody(void)
{
    return geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
}

/* ---- files ---- */

static void a_new_file_is_made(void **state)
{
    struct place *place = *state;

    write_good(in(place, "new.txt"), "hello\n");
    assert_contents(in(place, "new.txt"), "hello\n");
    assert_int_equal(mode_of(in(place, "new.txt")), 0644);
    umask(077);
    write_good(in(place, "mine.txt"), "x");
    assert_int_equal(mode_of(in(place, "mine.txt")), 0600);
    umask(0);
    write_good(in(place, "ours.txt"), "x");
    assert_int_equal(mode_of(in(place, "ours.txt")), 0666);
    umask(022);
    write_good(in(place, "empty"), "");
    assert_contents(in(place, "empty"), "");
    assert_int_equal(count_entries(place->folder), 4);
}

static void an_old_file_keeps_its_mode(void **state)
{
    static const mode_t modes[] = {0644, 0600, 0666, 0755, 0640, 0200};
    struct place *place = *state;

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        const char *path = in(place, "old.txt");
        struct stat before, after;
        put(path, "a much longer text than what comes\n", modes[i]);
        assert_int_equal(stat(path, &before), 0);
        write_good(path, "short\n");
        assert_int_equal(mode_of(path), modes[i]);
        assert_int_equal(stat(path, &after), 0);
        assert_true(after.st_ino != before.st_ino); /* a new file under the old name */
        assert_int_equal(after.st_uid, before.st_uid);
        assert_int_equal(after.st_gid, before.st_gid);
        assert_int_equal(chmod(path, 0600), 0);
        assert_contents(path, "short\n");
    }
    assert_int_equal(count_entries(place->folder), 1);
}

static void a_group_is_kept_too(void **state)
{
    struct place *place = *state;
    const char *path = in(place, "shared");
    struct stat status;

    put(path, "x", 0664);
    if (geteuid() != 0)
        skip();
    assert_int_equal(chown(path, 65534, 65534), 0);
    write_good(path, "y");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_uid, 65534);
    assert_int_equal(status.st_gid, 65534);
    assert_int_equal(status.st_mode & 07777, 0664);
    assert_int_equal(chown(path, geteuid(), 65534), 0);
    write_good(path, "z");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_uid, geteuid());
    assert_int_equal(status.st_gid, 65534);
    assert_int_equal(status.st_mode & 07777, 0664);
}

/* Somebody else's file in a folder of all: it becomes ours, and set-id bits do not go with it. */
static int write_as_nobody(struct place *place)
{
    struct report report;

    if (geteuid() != 0 || !become_nobody())
        return 77;
    return !output_write(in(place, "file"), "new", 3, &report);
}

static void a_strange_file_loses_its_powers(void **state)
{
    struct place *place = *state;
    struct stat status;

    assert_int_equal(chmod(place->folder, 0777), 0);
    put(in(place, "file"), "old", 06777);
    if (run(write_as_nobody, place) == 77)
        skip();
    assert_contents(in(place, "file"), "new");
    assert_int_equal(stat(in(place, "file"), &status), 0);
    assert_int_equal(status.st_uid, 65534);
    assert_int_equal(status.st_mode & 07777, 0777);
}

static void nothing_stays_open(void **state)
{
    struct place *place = *state;
    int before = dup(STDIN_FILENO);

    assert_true(before >= 0);
    close(before);
    for (int i = 0; i < 3; i++) {
        write_good(in(place, "file"), "x");
        write_good("/dev/null", "x");
        assert_fails(place->folder, "x", "directory");
        assert_fails(in(place, "no/file"), "x", strerror(ENOENT));
    }
    int after = dup(STDIN_FILENO);
    assert_int_equal(after, before);
    close(after);
}

static void who_has_it_open_keeps_the_old_one(void **state)
{
    struct place *place = *state;
    const char *path = in(place, "a");
    char contents[10] = "";

    put(path, "old", 0644);
    FILE *reader = fopen(path, "r");
    assert_non_null(reader);
    write_good(path, "new");
    assert_int_equal(fread(contents, 1, 9, reader), 3);
    assert_string_equal(contents, "old");
    fclose(reader);
    assert_contents(path, "new");
}

static void large_files_and_long_names(void **state)
{
    struct place *place = *state;
    size_t count = (size_t)8 << 20;
    char *bytes = malloc(count), name[256], *back = malloc(count);
    struct report report;

    assert_true(bytes != NULL && back != NULL);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (char)(i * 2654435761u >> 13);
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_true(output_write(in(place, name), bytes, count, &report));
    FILE *file = fopen(in(place, name), "r");
    assert_non_null(file);
    assert_int_equal(fread(back, 1, count, file), count);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    assert_memory_equal(bytes, back, count);
    free(bytes);
    free(back);
    char longer[300];
    memset(longer, 'n', 256);
    longer[256] = '\0';
    assert_fails(in(place, longer), "x", strerror(ENAMETOOLONG));
    assert_int_equal(count_entries(place->folder), 1);
}

static void names_may_be_relative(void **state)
{
    struct place *place = *state;
    char here[PATH_MAX];

    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(place->folder), 0);
    write_good("plain", "1");
    write_good("./dotted", "2");
    assert_int_equal(mkdir("sub", 0755), 0);
    write_good("sub/../sub/deep", "3");
    assert_int_equal(symlink("sub/deep", "link"), 0);
    write_good("link", "4");
    assert_contents("sub/deep", "4");
    assert_contents("plain", "1");
    assert_contents("dotted", "2");
    assert_int_equal(count_entries("sub"), 1);
    assert_int_equal(count_entries("."), 4);
    assert_int_equal(chdir(here), 0);
}

/* ---- links ---- */

static void links_are_followed(void **state)
{
    struct place *place = *state;
    char target[400], link[400];
    struct stat status;

    snprintf(target, sizeof target, "%s", in(place, "sub"));
    assert_int_equal(mkdir(target, 0755), 0);
    put(in(place, "sub/file"), "old", 0640);
    assert_int_equal(symlink("sub/file", in(place, "one")), 0);
    assert_int_equal(symlink("one", in(place, "two")), 0);
    snprintf(link, sizeof link, "%s", in(place, "two"));
    assert_int_equal(symlink(link, in(place, "three")), 0);
    write_good(in(place, "three"), "new");
    assert_contents(in(place, "sub/file"), "new");
    assert_int_equal(mode_of(in(place, "sub/file")), 0640);
    assert_int_equal(count_entries(target), 1);
    static const char *const links[] = {"one", "two", "three"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(lstat(in(place, links[i]), &status), 0);
        assert_true(S_ISLNK(status.st_mode));
    }
    /* A link to the folder on the way there is nothing special. */
    assert_int_equal(symlink("sub", in(place, "way")), 0);
    write_good(in(place, "way/file"), "newer");
    assert_contents(in(place, "sub/file"), "newer");
    assert_int_equal(count_entries(target), 1);
}

static void a_link_may_lead_to_nothing_yet(void **state)
{
    struct place *place = *state;
    struct stat status;

    assert_int_equal(mkdir(in(place, "sub"), 0755), 0);
    assert_int_equal(symlink("sub/later", in(place, "link")), 0);
    write_good(in(place, "link"), "now");
    assert_contents(in(place, "sub/later"), "now");
    assert_int_equal(lstat(in(place, "link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(symlink("nowhere/later", in(place, "lost")), 0);
    assert_fails(in(place, "lost"), "x", strerror(ENOENT));
    assert_int_equal(symlink("round", in(place, "about")), 0);
    assert_int_equal(symlink("about", in(place, "round")), 0);
    assert_fails(in(place, "round"), "x", strerror(ELOOP));
    assert_int_equal(count_entries(place->folder), 5);
}

/* ---- what cannot be ---- */

static void folders_are_refused(void **state)
{
    struct place *place = *state;

    assert_fails(place->folder, "x", "is a directory");
    assert_int_equal(symlink(".", in(place, "self")), 0);
    assert_fails(in(place, "self"), "x", "is a directory");
    assert_fails(in(place, "none/"), "x", strerror(ENOENT));
    assert_fails(in(place, "no/such/folder"), "x", strerror(ENOENT));
    put(in(place, "file"), "old", 0644);
    assert_fails(in(place, "file/"), "x", strerror(ENOTDIR));
    assert_fails(in(place, "file/below"), "x", strerror(ENOTDIR));
    assert_fails("", "x", strerror(ENOENT));
    assert_contents(in(place, "file"), "old");
    assert_int_equal(count_entries(place->folder), 2);
}

static int try_protected_file(struct place *place)
{
    struct report report = {.text = ""};

    if (!become_nobody())
        return 77;
    return output_write(in(place, "file"), "new", 3, &report) ||
           strstr(report.text, strerror(EACCES)) == NULL;
}

static void a_protected_file_stays(void **state)
{
    struct place *place = *state;

    /* The folder would let it be replaced. */
    assert_int_equal(chmod(place->folder, 0777), 0);
    put(in(place, "file"), "old", 0444);
    if (run(try_protected_file, place) == 77)
        skip();
    assert_int_equal(run(try_protected_file, place), 0);
    assert_contents(in(place, "file"), "old");
    assert_int_equal(count_entries(place->folder), 1);
}

static void a_protected_folder_stays(void **state)
{
    struct place *place = *state;

    put(in(place, "file"), "old", 0666);
    assert_int_equal(chmod(place->folder, 0555), 0);
    if (run(try_protected_file, place) == 77)
        skip();
    assert_int_equal(run(try_protected_file, place), 0);
    assert_int_equal(chmod(place->folder, 0755), 0);
    assert_contents(in(place, "file"), "old");
    assert_int_equal(count_entries(place->folder), 1);
}

/* The disk is full after 50 000 bytes. */
static int try_full_disk(struct place *place)
{
    static char bytes[100000];
    struct rlimit limit = {50000, 50000};
    struct report report = {.text = ""};

    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 77;
    return output_write(in(place, "file"), bytes, sizeof bytes, &report) ||
           strstr(report.text, strerror(EFBIG)) == NULL ||
           strstr(report.text, "is as it was") == NULL ||
           output_write(in(place, "other"), bytes, sizeof bytes, &report) ||
           !output_write(in(place, "small"), bytes, 50000, &report);
}

static void a_full_disk_harms_nothing(void **state)
{
    struct place *place = *state;

    put(in(place, "file"), "old", 0644);
    assert_int_equal(run(try_full_disk, place), 0);
    assert_contents(in(place, "file"), "old");
    assert_int_equal(count_entries(place->folder), 2);
}

/* ---- what is no file ---- */

static void devices_are_written_straight(void **state)
{
    struct place *place = *state;
    struct stat status;

    write_good("/dev/null", "x");
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    if (access("/dev/full", W_OK) == 0) {
        assert_fails("/dev/full", "x", strerror(ENOSPC));
        assert_int_equal(symlink("/dev/full", in(place, "link")), 0);
        assert_fails(in(place, "link"), "x", strerror(ENOSPC));
        assert_int_equal(count_entries(place->folder), 1);
    }
}

static volatile sig_atomic_t alarms;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    alarms++;
}

/* A reader so slow that writes come back short, and one that interrupts them. */
static int read_slowly(struct place *place)
{
    static char chunk[3000];
    size_t total = 0;
    uint32_t sum = 0, expected = 0;
    int file = open(in(place, "pipe"), O_RDONLY);

    for (ssize_t got; (got = read(file, chunk, sizeof chunk)) > 0; total += (size_t)got) {
        for (ssize_t i = 0; i < got; i++)
            sum = sum * 31 + (unsigned char)chunk[i];
        if (total % 50000 < sizeof chunk) {
            nanosleep(&(struct timespec){0, 2000000}, NULL);
            kill(getppid(), SIGALRM);
        }
    }
    for (size_t i = 0; i < 1000000; i++)
        expected = expected * 31 + (unsigned char)(i % 251);
    return total != 1000000 || sum != expected;
}

static void a_pipe_gets_everything(void **state)
{
    struct place *place = *state;
    const char *path = in(place, "pipe");
    static char bytes[1000000];
    struct report report;
    struct stat status;
    int result;

    assert_int_equal(mkfifo(path, 0600), 0);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i % 251);
    struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART */
    sigaction(SIGALRM, &action, NULL);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(read_slowly(place));
    bool is_done = output_write(path, bytes, sizeof bytes, &report);
    while (waitpid(child, &result, 0) < 0)
        ;
    assert_true(is_done);
    assert_true(alarms > 0);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
}

static int close_at_once(struct place *place)
{
    close(open(in(place, "pipe"), O_RDONLY));
    return 0;
}

/* Who reads no further has what was wanted. */
static void a_reader_may_leave_early(void **state)
{
    struct place *place = *state;
    static char bytes[1000000];
    struct report report;

    assert_int_equal(mkfifo(in(place, "pipe"), 0600), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(close_at_once(place));
    assert_true(output_write(in(place, "pipe"), bytes, sizeof bytes, &report));
    while (waitpid(child, NULL, 0) < 0)
        ;
}

/* Standard output sent to a file: what stands there before and after stays. */
static int write_to_stdout(struct place *place)
{
    struct report report;
    int file = open(in(place, "out"), O_WRONLY | O_CREAT | O_TRUNC, 0644);

    if (dup2(file, STDOUT_FILENO) < 0 || write(STDOUT_FILENO, "one ", 4) != 4)
        return 1;
    if (!output_write("/dev/stdout", "two ", 4, &report) ||
        !output_write("/dev/fd/1", "three ", 6, &report) ||
        !output_write("/proc/self/fd/1", "four ", 5, &report))
        return 2;
    if (write(STDOUT_FILENO, "five", 4) != 4)
        return 3;
    if (dup2(STDOUT_FILENO, STDERR_FILENO) < 0 || !output_write("/dev/stderr", " six", 4, &report))
        return 4;
    close(STDOUT_FILENO);
    return output_write("/dev/stdout", "x", 1, &report) ||
           strstr(report.text, strerror(EBADF)) == NULL;
}

static void standard_output_is_written_on(void **state)
{
    struct place *place = *state;

    assert_int_equal(run(write_to_stdout, place), 0);
    assert_contents(in(place, "out"), "one two three four five six");
    assert_int_equal(count_entries(place->folder), 1);
}

/* A pipe that somebody made non-blocking is waited for. */
static int write_without_blocking(struct place *place)
{
    static char bytes[300000];
    struct report report;
    int ends[2], status;

    if (pipe(ends) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        static char chunk[1000];
        size_t total = 0;
        close(ends[1]);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        for (ssize_t got; (got = read(ends[0], chunk, sizeof chunk)) > 0;)
            total += (size_t)got;
        _exit(total != sizeof bytes);
    }
    close(ends[0]);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    snprintf(place->path, sizeof place->path, "/dev/fd/%d", ends[1]);
    bool is_done = output_write(place->path, bytes, sizeof bytes, &report);
    close(ends[1]);
    return waitpid(child, &status, 0) != child || status != 0 || !is_done;
}

static void a_full_pipe_is_waited_for(void **state)
{
    assert_int_equal(run(write_without_blocking, *state), 0);
}

/* ---- at the same time ---- */

/* A letter over and over: a file of several letters has been seen half-written. */
static int write_many(struct place *place)
{
    static char bytes[70000];
    struct report report;

    for (int i = 0; i < 60; i++) {
        memset(bytes, 'a' + (int)(getpid() + i) % 26, sizeof bytes);
        if (!output_write(in(place, "file"), bytes, sizeof bytes, &report))
            return 1;
    }
    return 0;
}

static void writers_do_not_meet(void **state)
{
    struct place *place = *state;
    static char bytes[70001];
    unsigned looks = 0, running = 6;

    memset(bytes, 'x', 70000);
    bytes[70000] = '\0';
    write_good(in(place, "file"), bytes);
    fflush(NULL);
    for (unsigned i = 0; i < running; i++)
        if (fork() == 0)
            _exit(write_many(place));
    while (running > 0) {
        int status, file = open(in(place, "file"), O_RDONLY);
        assert_true(file >= 0); /* there is never none */
        assert_int_equal(read(file, bytes, 70001), 70000);
        close(file);
        for (size_t i = 1; i < 70000; i++)
            assert_int_equal(bytes[i], bytes[0]);
        looks++;
        if (waitpid(-1, &status, WNOHANG) > 0) {
            assert_int_equal(status, 0);
            running--;
        }
    }
    assert_true(looks > 1);
    assert_int_equal(count_entries(place->folder), 1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make, drop)

/* While it is written only its owner can read it: a limit on file sizes kills a child in the middle,
 * and what it leaves behind has mode 0600. */
static void a_file_is_private_until_whole(void **state)
{
    struct place *place = *state;
    static char bytes[100000];
    char name[800] = "";
    struct stat status;
    struct report report;

    memset(bytes, 'x', sizeof bytes);
    umask(0);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {1000, 1000};
        setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGXFSZ, SIG_DFL);
        output_write(in(place, "new"), bytes, sizeof bytes, &report);
        _exit(0);
    }
    int end;
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFSIGNALED(end));
    assert_int_equal(stat(in(place, "new"), &status), -1);
    DIR *stream = opendir(place->folder);
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (strstr(entry->d_name, ".tmp") != NULL)
            snprintf(name, sizeof name, "%s/%s", place->folder, entry->d_name);
    closedir(stream);
    assert_int_equal(stat(name, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    unlink(name);
    assert_true(output_write(in(place, "new"), bytes, sizeof bytes, &report));
    assert_int_equal(stat(in(place, "new"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0666);
    umask(027);
    assert_true(output_write(in(place, "other"), bytes, sizeof bytes, &report));
    assert_int_equal(stat(in(place, "other"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_new_file_is_made),           IN_FOLDER(an_old_file_keeps_its_mode),
        IN_FOLDER(a_group_is_kept_too),          IN_FOLDER(a_strange_file_loses_its_powers),
        IN_FOLDER(nothing_stays_open),           IN_FOLDER(who_has_it_open_keeps_the_old_one),
        IN_FOLDER(a_file_is_private_until_whole),
        IN_FOLDER(large_files_and_long_names),   IN_FOLDER(names_may_be_relative),
        IN_FOLDER(links_are_followed),           IN_FOLDER(a_link_may_lead_to_nothing_yet),
        IN_FOLDER(folders_are_refused),          IN_FOLDER(a_protected_file_stays),
        IN_FOLDER(a_protected_folder_stays),     IN_FOLDER(a_full_disk_harms_nothing),
        IN_FOLDER(devices_are_written_straight), IN_FOLDER(a_pipe_gets_everything),
        IN_FOLDER(a_reader_may_leave_early),     IN_FOLDER(standard_output_is_written_on),
        IN_FOLDER(a_full_pipe_is_waited_for),    IN_FOLDER(writers_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
