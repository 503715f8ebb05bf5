/* Listing 4.3 of "SimGrid MC" with its assertion: the last message need not be the one of the last rank. */
/* smpi: ranks 4 */
/* smpi: requires smpi */
/* smpi: expect-finding assertion */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MC_assert(value == size - 1);
    MPI_Finalize();
    return 0;
}
