#define _GNU_SOURCE
/* The table of descriptors is put back whatever numbers are in it: those that the program has chosen, those above
 * numbers that are free again; and what belongs to a number (close-on-exec) or to an open file (append). */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include "parts/choices.h"
#include "parts/texts.h"

static char read_at(int file)
{
    char text = 0;
    return pread(file, &text, 1, 0) == 1 ? text : '?';
}

static void work(int rank)
{
    int many[100], one = open("numbered.a", O_CREAT | O_RDWR | O_TRUNC, 0644);
    int other = open("numbered.b", O_CREAT | O_RDWR | O_TRUNC, 0644);
    assert(write(one, "A", 1) == 1 && write(other, "B", 1) == 1);
    assert(dup2(one, 50) == 50 && dup2(one, 300) == 300 && fcntl(one, F_DUPFD, 200) == 200);
    for (int i = 0; i < 100; i++)
        assert((many[i] = dup(one)) >= 0);
    for (int i = 0; i < 99; i++)
        close(many[i]);
    close(one);
    assert(many[99] > 64);
    receive();
    assert(read_at(50) == 'A' && read_at(300) == 'A' && read_at(200) == 'A' && read_at(many[99]) == 'A');
    assert(!(fcntl(50, F_GETFD) & FD_CLOEXEC) && !(fcntl(300, F_GETFL) & O_APPEND) && fcntl(one, F_GETFD) == -1);
    assert(dup3(other, 50, O_CLOEXEC) == 50 && fcntl(300, F_SETFL, O_APPEND) == 0 && dup2(other, many[99]) >= 0);
    close(200);
    close(other);
    receive();
    assert(read_at(50) == 'B' && (fcntl(50, F_GETFD) & FD_CLOEXEC) && fcntl(200, F_GETFD) == -1);
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
