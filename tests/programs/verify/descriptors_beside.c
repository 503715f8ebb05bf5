/* An open file is read and written where it was when a choice was made, with the flags and permissions that it had. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#define _GNU_SOURCE
#include "parts/choices.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int mode_of(int descriptor)
{
    struct stat about;
    assert(fstat(descriptor, &about) == 0);
    return about.st_mode & 0777;
}

static void expect(int descriptor, int place, int closes, int appends)
{
    assert(lseek(descriptor, 0, SEEK_CUR) == place);
    assert(((fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0) == closes);
    assert(((fcntl(descriptor, F_GETFL) & O_APPEND) != 0) == appends);
}

static void work(int rank)
{
    char bytes[4];
    int in = open(own_file, O_RDONLY | O_CLOEXEC);
    unlink("descriptors_beside.txt");
    int out = open("descriptors_beside.txt", O_CREAT | O_TRUNC | O_RDWR, 0600);
    assert(rank == 0 && in >= 0 && out >= 0);
    assert(read(in, bytes, 4) == 4 && memcmp(bytes + 1, "ELF", 3) == 0);
    assert(write(out, "one", 3) == 3);
    int first = receive();
    expect(in, 4, 1, 0);
    expect(out, 3, 0, 0);
    assert(mode_of(out) == 0600);
    /* The next number is free again in every execution. */
    assert(dup(in) == out + 1);
    assert(read(in, bytes, 4) == 4 && write(out, "four", 4) == 4);
    fcntl(in, F_SETFD, 0);
    fcntl(out, F_SETFD, FD_CLOEXEC);
    fcntl(out, F_SETFL, O_APPEND);
    fchmod(out, first == 1 ? 0640 : 0604);
    receive();
    expect(in, 8, 0, 0);
    expect(out, 7, 1, 1);
    assert(mode_of(out) == (first == 1 ? 0640 : 0604));
    close(in);
    close(out);
    unlink("descriptors_beside.txt");
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
