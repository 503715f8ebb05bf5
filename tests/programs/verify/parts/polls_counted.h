/* Rank POLLER polls for a message of the other rank until it comes, or until `count` says that it was called so many
 * times. What `count` keeps is nowhere in the rank's own memory. */
#include <assert.h>
#include <mpi.h>

#ifndef POLLER
#define POLLER 0
#endif
#define MOST 5

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    begin();
    if (rank == POLLER) {
        MPI_Irecv(&value, 1, MPI_INT, 1 - POLLER, 0, MPI_COMM_WORLD, &request);
        while (MPI_Test(&request, &flag, MPI_STATUS_IGNORE), !flag && count() < MOST)
            ;
        assert(flag);
    } else {
        MPI_Send(&rank, 1, MPI_INT, POLLER, 0, MPI_COMM_WORLD);
    }
    end();
    MPI_Finalize();
    return 0;
}
