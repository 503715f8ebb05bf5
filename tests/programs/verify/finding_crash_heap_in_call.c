/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: expect-finding crash */
/* smpi: expect-stderr-contains the heap is damaged */
/* A program has written over the end of its heap's blocks; MPI is the first to notice, when it needs memory of the rank. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, sent[1000] = {0}, sum[1000];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *first = malloc(9000), *volatile second = malloc(9000);
    char *third = malloc(64);
    free(second);
    if (rank == 1)
        memset(second, 0xff, 64);
    MPI_Allreduce(sent, sum, 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    free(first);
    free(third);
    MPI_Finalize();
    return 0;
}
