/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains rank    0  MPI_Recv waits for a message from rank 1 with tag 7 in main ( */
/* smpi: expect-stderr-contains place_of_deadlock.c:17) */
/* smpi: expect-stderr-contains place_of_deadlock.c:19) */
/* A deadlock in a simulation says where in the program each rank waits. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Ssend(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
