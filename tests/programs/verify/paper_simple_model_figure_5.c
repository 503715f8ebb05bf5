/* Figure 5 of "A Simple Model of Communication APIs": a reduction that takes two messages in each step does not take
 * one of each client: the two of client 2 may come first. */
/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: expect-finding assertion */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int value = rank;
    if (rank == 0) {
        for (int step = 0; step < 2; step++) {
            int first, second;
            MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MC_assert(first == 1 || second == 1);
        }
    } else {
        for (int step = 0; step < 2; step++)
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
