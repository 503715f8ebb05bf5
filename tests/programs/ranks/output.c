// smpi: ranks 3
// smpi: twice
// smpi: shuffled
// smpi: requires smpi
// smpi: stdout-order exact
// smpi: expect-stdout 0: printf puts
// smpi: expect-stdout 0: write
// smpi: expect-stdout 0: writev twice
// smpi: expect-stdout 1: printf puts
// smpi: expect-stdout 1: write
// smpi: expect-stdout 1: writev twice
// smpi: expect-stdout 2: printf puts
// smpi: expect-stdout 2: write
// smpi: expect-stdout 2: writev twice
// smpi: expect-stderr-contains 1: to stderr
// smpi: expect-stderr-contains 2: perror: No such file or directory
/* Lines of one instant come in rank order and whole, whatever way they are printed and whatever buffering is asked for. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    char line[40];

    setvbuf(stdout, NULL, _IOLBF, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d: printf ", rank);
    puts("puts");
    snprintf(line, sizeof line, "%d: write\n", rank);
    if (write(STDOUT_FILENO, line, strlen(line)) != (ssize_t)strlen(line))
        return 1;
    snprintf(line, sizeof line, "%d: writev", rank);
    struct iovec parts[] = {{line, strlen(line)}, {" twice\n", 7}};
    if (writev(STDOUT_FILENO, parts, 2) != 16)
        return 1;
    fprintf(stderr, "%d: to stderr\n", rank);
    snprintf(line, sizeof line, "%d: perror", rank);
    errno = ENOENT;
    perror(line);
    MPI_Finalize();
    return 0;
}
