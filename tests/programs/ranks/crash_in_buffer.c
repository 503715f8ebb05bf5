// smpi: ranks 2
// smpi: requires smpi
// smpi: expect-exit 1
// smpi: expect-stderr-contains rank 1: MPI_Recv: parameter 1 (buf)
/* A buffer that is no memory is reported, not left to a silent crash. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv((int *)64, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
