/* A program that says why it gives up: beside the exit code stands what it has printed last. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding exit-code */
/* smpi: expect-stderr-contains printed: rank 1 has printed last `1 is no even number` */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("this is rank %d\n", rank);
    if (rank % 2 == 1)
        printf("%d is no even number\n", rank);
    MPI_Finalize();
    return rank % 2;
}
