/* smpi: ranks 3 */
/* smpi: compile-args --verify -g */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: passes race/buffer request/never-completed */
/* The buffer of a send whose request was freed is used again: once the receiver has said, directly or by a third rank or a
 * barrier, that it has the message. That of a receive, once MPI has ended; and that of one without elements at any time. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 1, word = 0, late = 0, nothing = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int way = 0; way < 3; way++) {
        if (rank == 0) {
            MPI_Isend(&value, 1, MPI_INT, 1, way, MPI_COMM_WORLD, &request);
            MPI_Request_free(&request);
        } else if (rank == 1)
            MPI_Recv(&value, 1, MPI_INT, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (way == 0) {
            if (rank == 1)
                MPI_Send(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
            if (rank == 0)
                MPI_Recv(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (way == 1) {
            if (rank != 1)
                MPI_Recv(&word, 1, MPI_INT, rank == 2 ? 1 : 2, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank != 0)
                MPI_Send(&word, 1, MPI_INT, rank == 1 ? 2 : 0, 8, MPI_COMM_WORLD);
        } else
            MPI_Barrier(MPI_COMM_WORLD);
        value = way + 5;
    }
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(&nothing, 0, MPI_INT, 1, 5, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Irecv(&late, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        MPI_Irecv(&nothing, 0, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        nothing = 3;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return rank == 1 && late != 7;
}
