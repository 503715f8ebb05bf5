/* A large block that is freed goes back to the kernel at once, and what it held is there again in the next execution:
 * the assertion fails when rank 2 comes first. A small block, and a large one that stays, are beside it. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-executions zero=2 infinite=2 */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 1 << 10, LARGE = 2 << 20, PLACE = 8192 };

int main(int argc, char **argv) {
    int rank, first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        char *small = malloc(SMALL), *block = malloc(LARGE), *stays = malloc(LARGE);
        memset(small, 1, SMALL);
        memset(block, 2, LARGE);
        memset(stays, 3, LARGE);
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(small[SMALL / 2] == 1 && stays[PLACE] == 3);
        if (block[PLACE] == 2)
            assert(first != 2);
        free(small);
        free(block);
        free(stays);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
