/* Who is missing from a collective operation has called it on another communicator, and a rank that fails has neither
 * completed a receive nor called what all others wait in: the lines are said. */
/* smpi: ranks 3 */
/* smpi: compile-args -g */
/* smpi: verify --buffering infinite --keep-going */
/* smpi: expect-finding deadlock */
/* smpi: expect-finding assertion */
/* smpi: expect-stderr-contains it on another communicator, of 1 rank (deadlock_called_elsewhere.c:32) */
/* smpi: expect-stderr-contains open: rank 0 has not completed MPI_Irecv at deadlock_called_elsewhere.c:23 */
/* smpi: expect-stderr-contains missing: rank 0 has not called MPI_Bcast (collective 0 of its communicator), */
/* smpi: expect-stderr-contains in which ranks 1,2 wait at deadlock_called_elsewhere.c:34 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Request request;
    int rank, from = 0, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(from == 1);
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_SELF);
    }
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
