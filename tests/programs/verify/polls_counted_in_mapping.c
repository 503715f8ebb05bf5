/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* Rank 0 counts its polls in a file that it has mapped, in memory that it has instead of a file's, or in the file by
 * its descriptor, and relies on a number that it has not reached in any execution that is tried. */
#define _GNU_SOURCE
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef HOW
#define HOW "shared"
#endif

int main(int argc, char **argv)
{
    char name[] = "counted-XXXXXX";
    int rank, value = 0, found = 0, by_descriptor = !strcmp(HOW, "descriptor");
    long zero = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int file = strcmp(HOW, "memfd") ? mkstemp(name) : memfd_create("counted", 0);
        unlink(name);
        assert(write(file, &zero, sizeof zero) == sizeof zero);
        int flags = strcmp(HOW, "private") ? MAP_SHARED : MAP_PRIVATE;
        volatile long *looks = mmap(NULL, sizeof zero, PROT_READ | PROT_WRITE, flags, file, 0);
        assert(looks != MAP_FAILED);
        if (!by_descriptor)
            close(file);
        while (!found) {
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            long next = *looks + 1;
            if (by_descriptor)
                assert(pwrite(file, &next, sizeof next, 0) == sizeof next);
            else
                *looks = next;
        }
        assert(*looks < 10);
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
