/* smpi: ranks 2 */
/* smpi: library ../ranks/parts/counter.c */
/* smpi: plain-library */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* A variable of a library that was not built for us is not put back: no exploration is complete in which it is
   written, be it by one rank. */
#include <mpi.h>

int calls(int by);

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        calls(1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
