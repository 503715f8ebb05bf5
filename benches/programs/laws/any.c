/*
 * Rank 0 posts N receives, whose messages rank 1 sends from the last to the first, and takes one after the other from
 * the array of all: with Waitany or, given another word, with Testany until it finds one.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int waits = argc > 1 && strcmp(argv[1], "wait") == 0, count = argc > 2 ? atoi(argv[2]) : 1, rank, index, flag;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        for (int i = count - 1; i >= 0; i--)
            MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Request *requests = malloc((size_t)count * sizeof *requests);
        int *values = malloc((size_t)count * sizeof *values);

        for (int i = 0; i < count; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < count; i++) {
            if (waits)
                MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
            else
                for (flag = 0; !flag;)
                    MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
            if (values[index] != index)
                MPI_Abort(MPI_COMM_WORLD, 1);
        }
        free(values);
        free(requests);
    }
    MPI_Finalize();
    return 0;
}
