/* Gives files to a fuzz harness, without libFuzzer and with any compiler.
 *
 * So every check replays the corpus, under sanitizers in the tree that has them. Arguments are files,
 * or folders whose files are taken in order of their names; without any, standard input is one input,
 * which is what a fuzzer that starts a process for each one wants. */
#include "fuzz.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int failed;
static unsigned long replayed;

/* In a block that is as long as the input, so that a sanitizer sees a read behind its end. */
static void replay_stream(FILE *stream, const char *name)
{
    size_t room = 1 << 16, count = 0, got;
    uint8_t *bytes = malloc(room);

    while (bytes != NULL && (got = fread(bytes + count, 1, room - count, stream)) > 0) {
        count += got;
        if (count == room)
            bytes = realloc(bytes, room *= 2);
    }
    uint8_t *exact = bytes == NULL ? NULL : malloc(count > 0 ? count : 1);
    if (exact == NULL || ferror(stream)) {
        fprintf(stderr, "%s: cannot be read\n", name);
        exit(1);
    }
    memcpy(exact, bytes, count);
    free(bytes);
    LLVMFuzzerTestOneInput(exact, count);
    free(exact);
    replayed++;
}

static void replay_file(const char *name)
{
    FILE *stream = fopen(name, "rb");

    if (stream == NULL) {
        perror(name);
        failed = 1;
        return;
    }
    if (getenv("FUZZ_TELL") != NULL) /* which file it was that crashed */
        fprintf(stderr, "%s\n", name);
    replay_stream(stream, name);
    fclose(stream);
}

static void replay_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);

    if (count < 0) {
        perror(folder);
        failed = 1;
    }
    for (int i = 0; i < count; i++) {
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && length > 0 && (size_t)length < sizeof path)
            replay_file(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

int main(int argc, char **argv)
{
    struct stat status;

    for (int i = 1; i < argc; i++)
        if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode))
            replay_folder(argv[i]);
        else
            replay_file(argv[i]);
    if (argc == 1)
        replay_stream(stdin, "standard input");
    printf("%lu inputs\n", replayed);
    return failed != 0 || replayed == 0;
}
