// smpi: ranks 1000
// smpi: requires smpi
// smpi: timeout 30
// smpi: expect-stdout 1000 ranks, the sum of what they allocated is 499500
/* A thousand ranks with heap, statics and messages. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long sum;

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *block = malloc(1000 * sizeof *block);
    block[500] = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0)
        MPI_Send(&block[500], 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        for (int from = 1; from < size; from++) {
            int number;
            MPI_Recv(&number, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += number;
        }
    if (rank == 0)
        printf("%d ranks, the sum of what they allocated is %ld\n", size, sum);
    else if (sum != 0)
        printf("%d: another rank's sum\n", rank);
    free(block);
    MPI_Finalize();
    return 0;
}
