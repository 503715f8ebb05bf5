/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: compile-args -fopenmp */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/*
 * Parallel regions of all ranks are open while they communicate: what the
 * run-time library of OpenMP knows of them is put back with the rank.
 */
#include "../check.h"
#include <omp.h>

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    int rank, size, from[2] = {0, 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma omp parallel
    {
#pragma omp master
        for (int i = 1; i < size; i++) {
            if (rank == 0)
                MPI_Recv(&from[i - 1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else if (rank == i)
                MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
#pragma omp barrier
        CHECK_INT(omp_get_level(), 1);
    }
    CHECK_INT(omp_get_level(), 0);
    CHECK_INT(from[0] + from[1], rank == 0 ? 3 : 0);
    return check_end();
}
