/* Figure 4 of "A Simple Model of Communication APIs": a server believes that the last of three clients is number 3. The
 * first execution in which another one is last shows that it is not. */
/* smpi: ranks 4 */
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
        for (int count = 0; count < 3; count++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MC_assert(value == 3);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
