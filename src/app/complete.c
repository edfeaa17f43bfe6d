/* Completing the name of a file that is being typed: as much as all files have in common that could be
 * opened and begin like it, and a word on how many there are. */
#include "app/complete.h"

#include "app/desk.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct match {
    char common[4096];
    size_t count;
};

static void add_match(struct match *match, const char *name, bool is_folder)
{
    if (match->count++ == 0) {
        struct text text;
        text_init(&text, match->common, sizeof match->common);
        text_addf(&text, "%s%s", name, is_folder ? "/" : "");
        return;
    }
    size_t same = 0;
    while (match->common[same] != '\0' && match->common[same] == name[same])
        same++;
    match->common[same] = '\0';
}

static bool is_folder(const char *folder, const char *name)
{
    char path[8200];
    struct text text;
    struct stat status;

    text_init(&text, path, sizeof path);
    text_addf(&text, "%s/%s", folder, name);
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

void complete_file(struct session *session, const char *typed)
{
    const char *slash = strrchr(typed, '/'), *base = slash == NULL ? typed : slash + 1;
    size_t folder_length = (size_t)(base - typed), base_length = strlen(base);
    char folder[4096], completed[8300];
    struct text text;
    struct match match = {.count = 0};

    text_init(&text, folder, sizeof folder);
    text_addf(&text, "%.*s", (int)folder_length, typed);
    DIR *dir = opendir(folder_length == 0 ? "." : folder);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (strncmp(entry->d_name, base, base_length) != 0 ||
            (entry->d_name[0] == '.' && base_length == 0))
            continue;
        bool is_in_folder = is_folder(folder_length == 0 ? "." : folder, entry->d_name);
        if (is_in_folder || desk_can_open(entry->d_name))
            add_match(&match, entry->d_name, is_in_folder);
    }
    bool is_memory = dir == NULL && errno == ENOMEM;
    if (dir != NULL)
        closedir(dir);
    if (match.count == 0) {
        session_message(session, is_memory ? "there is not enough memory to look for files"
                                           : "no scenario file begins like this", true);
        return;
    }
    text_init(&text, completed, sizeof completed);
    text_addf(&text, "%.*s%s", (int)folder_length, typed, match.common);
    session_complete(session, completed);
    if (match.count > 1) {
        char message[60];
        text_init(&text, message, sizeof message);
        text_addf(&text, "%zu files begin like this", match.count);
        session_message(session, message, false);
    }
}
