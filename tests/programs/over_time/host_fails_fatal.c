/* smpi: ranks 4 */
/* smpi: platform failing.toml */
/* smpi: expect-exit 5 */
/* smpi: expect-stderr-contains host node-1 failed at 1.000000 s: rank 1 ended after MPI_Comm_rank in main */
/* smpi: expect-stderr-contains MPI_ERR_PROC_ABORTED */
/* smpi: twice */
/* smpi: requires smpi */
/* A host fails, and with it the rank that computes there. Its partner's receive fails with MPI_ERR_PROC_ABORTED (MPI 5.0
 * §9.4), and the error handler ends the run. */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char** argv)
{
    int rank, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        smpi_execute_flops(1e10);
    if (rank == 0)
        MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2 || rank == 3)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
