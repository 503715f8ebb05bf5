/* smpi: ranks 3 */
/* smpi: platform failing.toml */
/* smpi: smpirun-args --report-html=page.html */
/* smpi: expect-exit 5 */
/* smpi: expect-stderr-contains host node-1 failed at 1.000000 s: rank 1 ended after MPI_Comm_rank in main */
/* smpi: expect-stderr-contains deadlock at */
/* smpi: requires smpi */
/* A receive from any rank does not fail with one of them: another one may still send. If nobody does, the run says who
 * has failed and who waits. Its page has nothing but waiting. */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char** argv)
{
    int rank, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        smpi_execute_flops(1e10);
    if (rank == 0)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
}
