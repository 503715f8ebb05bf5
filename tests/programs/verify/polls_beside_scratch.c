/* smpi: ranks 3 */
/* smpi: platform none */
/* smpi: verify --keep-going --deviations 100000 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* Rank 2 polls for a scan while rank 0 has not yet called it. Where rank 2 is does not depend on how far the others have
 * come: the scratch memory of the scan, which lies in its heap, tells nothing, and is released when it learns of the end. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag = 0, in = 1, out[2] = {0}, never;
    MPI_Request request, other;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&never, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &other);
        MPI_Test(&other, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Iscan(&in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 2)
        do MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        while (!flag);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Wait(&other, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
