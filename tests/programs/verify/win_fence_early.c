/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains not everything can be explored: MPI_Win_fence */
/* A fence that ends no epoch need not wait for all ranks (MPI 5.0 12.5.1): rank 1 may send before rank 2 receives. That is
 * not explored, and the verdict says so. */
#ifndef ASSERTED
#define ASSERTED MPI_MODE_NOPRECEDE
#endif
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, mine = 0, word = 0;
    MPI_Win window;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
#ifdef TWICE
    MPI_Win_fence(0, window);
    MPI_Win_fence(0, window);
#endif
    if (rank == 0)
        MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (rank == 2) {
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        printf("%d\n", status.MPI_SOURCE);
    }
    MPI_Win_fence(ASSERTED, window);
    if (rank == 1)
        MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
