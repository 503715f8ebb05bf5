/* Rank 0 receives N messages of rank 1: one after the other or all at once, from anyone or from there. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int count = argc > 2 ? atoi(argv[2]) : 1, source = strstr(how, "any") ? MPI_ANY_SOURCE : 1, rank, value = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        for (int i = 0; i < count; i++)
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else if (rank == 0 && strstr(how, "each")) {
        for (int i = 0; i < count; i++)
            MPI_Recv(&value, 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
        MPI_Request *requests = malloc((size_t)count * sizeof *requests);
        int *values = malloc((size_t)count * sizeof *values);

        for (int i = 0; i < count; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, source, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        free(values);
        free(requests);
    }
    MPI_Finalize();
    return 0;
}
