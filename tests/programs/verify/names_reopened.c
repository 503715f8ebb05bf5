#define _GNU_SOURCE
/* A file of the disk is changed through what is open to be read: by its descriptor, or opened again through /proc. The
 * disk's stays as it is. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include "parts/choices.h"
#include "parts/texts.h"
#include <sys/syscall.h>

static mode_t mode_of(const char *name)
{
    struct stat about;
    assert(stat(name, &about) == 0);
    return about.st_mode & 0777;
}

static void work(int rank)
{
    char name[50], start[4];
    mode_t before = mode_of(own_file);
    int file = open(own_file, O_RDONLY);
    assert(file >= 0 && before != 0711 && pread(file, start, 4, 0) == 4 && !memcmp(start, "\177ELF", 4));
    struct timespec times[2] = {{1000, 0}, {2000, 0}};
    struct stat about;
    receive();
    if (fstat(file, &about) == 0 && about.st_mtime != 2000)
        assert(fchmod(file, 0711) == 0 && futimens(file, times) == 0);
    assert(mode_of(own_file) == 0711 && fstat(file, &about) == 0 && about.st_mtime == 2000);
    assert((about.st_mode & 0777) == 0711 && utimensat(file, NULL, times, 0) == 0);
    sprintf(name, "/proc/self/fd/%d", file);
    int other = open(name, O_WRONLY | O_APPEND);
    assert(other >= 0 && write(other, "more", 4) == 4 && close(other) == 0);
    off_t end = lseek(file, 0, SEEK_END);
    assert(end == about.st_size + 4 && pread(file, start, 4, end - 4) == 4 && !memcmp(start, "more", 4));
    receive();
    assert(syscall(SYS_unlink, own_file) == 0 && !is_there(own_file));
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
