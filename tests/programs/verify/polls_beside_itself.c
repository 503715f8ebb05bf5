/* smpi: ranks 2 */
/* smpi: verify --keep-going --buffering infinite */
/* smpi: expect-finding mpi/pending-at-finalize */
/* smpi: expect-incomplete */
/* Rank 0 sends itself a message between two polls, and counts them all afterwards: how often it has polled is seen then,
 * although its own memory does not tell while it polls. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0, here = 1, count = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Ssend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (MPI_Test(&request, &flag, MPI_STATUS_IGNORE); !flag; MPI_Test(&request, &flag, MPI_STATUS_IGNORE))
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
        for (; here; count += here) {
            MPI_Iprobe(0, 0, MPI_COMM_SELF, &here, MPI_STATUS_IGNORE);
            if (here)
                MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        }
        assert(count != 3);
    }
    MPI_Finalize();
    return 0;
}
