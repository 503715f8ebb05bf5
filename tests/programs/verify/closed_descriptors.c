/* A daemon closes all descriptors, or puts something else in their place; the verdict is heard nevertheless. */
/* smpi: ranks 4 */
/* smpi: verify --keep-going --buffering zero */
/* smpi: expect-finding assertion */
/* smpi: expect-stderr-contains 4 errors found in 1 execution; exploration complete */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, null;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    switch (rank) {
    case 0:
        for (int i = 0; i < 5000; i++)
            close(i);
        assert(rank != 0);
    case 1:
        closefrom(0);
        assert(rank != 1);
    case 2:
        close_range(1, ~0u, 0);
        assert(rank != 2);
    default:
        null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        dup2(null, 2);
        assert(rank != 3);
    }
    return 0;
}
