#define _GNU_SOURCE
/* Names that are given, taken away and shared: rename, link, symlink, directories with what is in them, lists. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include "parts/choices.h"
#include "parts/texts.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>

/* The names in a directory, sorted. */
static const char *list(const char *name)
{
    static char all[1000];
    struct dirent **entries;
    int count = scandir(name, &entries, NULL, alphasort);
    assert(count >= 2);
    all[0] = 0;
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.')
            strcat(strcat(all, entries[i]->d_name), " ");
        free(entries[i]);
    }
    free(entries);
    /* The same by a stream. */
    DIR *directory = opendir(name);
    size_t len = 0;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.') {
            struct stat about;
            assert(strstr(all, entry->d_name));
            assert(fstatat(dirfd(directory), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0);
            assert(S_ISDIR(about.st_mode) == (entry->d_type == DT_DIR));
            assert(S_ISLNK(about.st_mode) == (entry->d_type == DT_LNK));
            len += strlen(entry->d_name) + 1;
        }
    closedir(directory);
    assert(len == strlen(all));
    return all;
}

static void work(int rank)
{
    char text[PATH_MAX], here[PATH_MAX], there[PATH_MAX];
    struct stat one, other;
    assert(getcwd(here, sizeof here));
    assert(!is_there("moved") && mkdir("moved", 0755) == 0 && mkdir("moved", 0755) == -1 && errno == EEXIST);
    assert(mkdir("moved/in", 0700) == 0);
    put("moved/in/file", "w", "one");
    assert(symlink("in/file", "moved/link") == 0);
    assert(contents("moved/link", text) && !strcmp(text, "one"));
    int first = receive();
    assert(!strcmp(list("moved"), "in link "));
    if (first == 1) {
        assert(rename("moved/in", "moved/out") == 0);
        assert(!strcmp(list("moved"), "link out ") && !strcmp(list("moved/out"), "file "));
        assert(!contents("moved/link", text) && errno == ENOENT);
        assert(link("moved/out/file", "moved/hard") == 0);
        put("moved/hard", "a", " more");
        assert(contents("moved/out/file", text) && !strcmp(text, "one more"));
        assert(unlink("moved/out/file") == 0 && contents("moved/hard", text) && !strcmp(text, "one more"));
        assert(rename("moved/hard", "moved/link") == 0 && lstat("moved/link", &one) == 0 && S_ISREG(one.st_mode));
        assert(rmdir("moved") == -1 && errno == ENOTEMPTY);
        assert(rmdir("moved/out") == 0 && remove("moved/link") == 0 && rmdir("moved") == 0);
    } else {
        assert(readlink("moved/link", text, sizeof text) == 7 && !memcmp(text, "in/file", 7));
        assert(realpath("moved/link", text));
        sprintf(there, "%s/moved/in/file", here);
        assert(!strcmp(text, there));
        assert(chdir("moved/in") == 0 && getcwd(text, sizeof text));
        sprintf(there, "%s/moved/in", here);
        assert(!strcmp(text, there) && contents("file", text) && !strcmp(text, "one"));
        put("../beside", "w", "two");
        assert(chdir(here) == 0 && contents("moved/beside", text) && !strcmp(text, "two"));
        assert(stat("moved/beside", &one) == 0 && stat("moved/in/../../moved/beside", &other) == 0);
        assert(one.st_ino == other.st_ino);
        assert(renameat2(AT_FDCWD, "moved/beside", AT_FDCWD, "moved/link", RENAME_NOREPLACE) == -1 && errno == EEXIST);
        int directory = open("moved", O_RDONLY | O_DIRECTORY);
        assert(unlinkat(directory, "beside", 0) == 0 && mkdirat(directory, "last", 0700) == 0);
        int file = openat(directory, "last/x", O_WRONLY | O_CREAT | O_EXCL, 0600);
        assert(file >= 0 && close(file) == 0 && close(directory) == 0);
        assert(!strcmp(list("moved"), "in last link ") && !strcmp(list("moved/last"), "x "));
    }
    assert(!strcmp(list("."), list(here)));
    receive();
    assert(is_there("moved") == (first == 2));
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
