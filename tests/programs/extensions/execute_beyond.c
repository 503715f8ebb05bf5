/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-exit 2 */
/* smpi: expect-stderr-contains wait for something that ends later than 1.8e308 s, the largest number */
/* smpi: expect-stderr-contains rank    0  MPI_Barrier waits for */
/* So much work that no number tells when it ends is no deadlock: ranks do not wait for each other. */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        smpi_execute(1e308);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
