/* Prints what the library says. */
#include <mpi.h>
#include <stdio.h>

int rank_by_scan(void);

int main(int argc, char **argv)
{
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    printf("rank %d of %d has %d\n", rank, ranks, rank_by_scan());
    MPI_Finalize();
    return 0;
}
