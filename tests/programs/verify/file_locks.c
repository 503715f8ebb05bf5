/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* Ranks that take turns by the lock of a file neither hang nor fail; the other order is not tried, and is said to be
   missing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    file = open("/tmp", O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 3; i++) {
        if (flock(file, LOCK_EX) != 0)
            abort();
        usleep(100);
        if (flock(file, LOCK_UN) != 0)
            abort();
    }
    MPI_Finalize();
    return 0;
}
