/* Ranks 0 to 2 do what `work` has; ranks 3 and 4 have a choice of their own, which goes on whatever the others do: so
 * that a choice is tried again in vain can be seen. */
#include <mpi.h>

static void work(int rank);

int main(int argc, char **argv)
{
    int rank, word = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank < 3)
        work(rank);
    else if (rank == 3)
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&word, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

static void exchange(int other, int sends)
{
    int word = 0;

    if (sends)
        MPI_Send(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void finish(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Request_free(request);
}
