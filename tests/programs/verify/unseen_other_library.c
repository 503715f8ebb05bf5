/* A function of libc that nobody watches looks at the index: all results are tried, and smpirun says why. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* smpi: expect-stderr-contains the program calls fwrite_unlocked */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[2];
        int values[2], done;
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < 2; i++)
            MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
        FILE *null = fopen("/dev/null", "w");
        if (null) {
            fwrite_unlocked(&done, sizeof done, 1, null);
            fclose(null);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
