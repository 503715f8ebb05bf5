/* A file that was there before the run is read, removed, made anew, cut and changed in one execution, and is there for the
 * next one, and after the run. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include "parts/choices.h"
#include "parts/texts.h"
#include <errno.h>

static long size_of(const char *name)
{
    struct stat about;
    return stat(name, &about) == 0 ? (long)about.st_size : -1;
}

static int is_program(const char *name)
{
    char text[4] = "";
    int file = open(name, O_RDONLY);
    assert(file >= 0);
    ssize_t len = read(file, text, 4);
    close(file);
    return len == 4 && !memcmp(text, "\177ELF", 4);
}

static void work(int rank)
{
    long size = size_of(own_file);
    char text[100];
    assert(size > 1000 && is_program(own_file));
    int before = open(own_file, O_RDONLY);
    int first = receive();
    assert(size_of(own_file) == size && is_program(own_file));
    if (first == 1) {
        assert(unlink(own_file) == 0 && !is_there(own_file));
        assert(unlink(own_file) == -1 && errno == ENOENT);
        assert(open(own_file, O_RDONLY) == -1 && errno == ENOENT);
        put(own_file, "wx", "new");
        assert(contents(own_file, text) && !strcmp(text, "new"));
        assert(read(before, text, 4) == 4 && !memcmp(text, "\177ELF", 4));
    } else {
        /* Whoever has it open sees the change. */
        assert(truncate(own_file, 3) == 0 && size_of(own_file) == 3);
        put(own_file, "a", "more");
        assert(read(before, text, 99) == 7 && !memcmp(text, "\177ELmore", 7));
        assert(chmod(own_file, 0400) == 0);
    }
    close(before);
    receive();
    struct stat about;
    assert(stat(own_file, &about) == 0 && about.st_size == (first == 1 ? 3 : 7));
    assert(first == 1 || (about.st_mode & 0777) == 0400);
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
