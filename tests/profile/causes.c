/* Reasons for waiting, of which each has its own part. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv)
{
    int rank, size, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(argv[1], "two") == 0) {
        /* All wait for rank 0: for a second in their receives, and for three in the barrier. */
        if (rank == 0) {
            smpi_execute_flops(1e9);
            for (int other = 1; other < size; other++)
                MPI_Send(&x, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
            smpi_execute_flops(3e9);
        } else {
            MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(argv[1], "ended") == 0) {
        /* Rank 1 goes on for two seconds when all others have ended. */
        if (rank == 1)
            smpi_execute_flops(2e9);
    } else if (strcmp(argv[1], "pipe") == 0) {
        /* All messages cross one link together, and each has all of it. */
        char* data = calloc(1, 1 << 20);
        MPI_Sendrecv_replace(data, 1 << 20, MPI_CHAR, rank ^ 1, 0, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        free(data);
    } else {
        /* Rank 0 waits for ever. */
        if (rank == 0)
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            smpi_execute_flops(1e9);
    }
    MPI_Finalize();
    return 0;
}
