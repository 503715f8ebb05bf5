/* fwrite looks at the index of one rank: all results are tried there. Another rank sorts what is no result: one is. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 4 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *one, const void *other) { return *(const int *)one - *(const int *)other; }

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
            fwrite(&done, sizeof done, 1, null);
            fclose(null);
        }
    } else if (rank == 3) {
        MPI_Request requests[2];
        int values[2], done;
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < 2; i++)
            MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
        qsort(values, 2, sizeof values[0], compare);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
