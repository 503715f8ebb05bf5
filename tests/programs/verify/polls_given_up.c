/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=6 infinite=6 */
/* Rank 0 gives up after five polls. The message may come later than that, and after any number of them before. */
#include <assert.h>
#include <mpi.h>

#ifndef MOST
#define MOST 5
#endif

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (int i = 0; i < MOST && !flag; i++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        assert(flag);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
