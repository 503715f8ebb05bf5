/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-exit 1 */
/* smpi: expect-stderr-contains smpi_execute_flops: parameter 1 (flops): inf; allowed: a number from 0 */
/* What is computed is a number: this used to be a deadlock of a rank that computes. */
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        smpi_execute_flops(INFINITY);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
