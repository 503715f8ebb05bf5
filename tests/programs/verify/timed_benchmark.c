/* smpi: ranks 2 */
/* smpi: verify --buffering both */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* smpi: reductions dpor=1 */
/* A program that measures times and prints them has no more executions than one that does not. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, i, value = 0;
    double start, total;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (i = 0; i < 5; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        start = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
        total = MPI_Wtime() - start;
        if (total <= 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        if (rank == 0)
            printf("%g seconds, %ld per second\n", total, 1000000 / (long)(total * 1e9));
    }
    MPI_Finalize();
    return 0;
}
