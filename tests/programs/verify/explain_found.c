/* A poll that finds its message at once is what the failure takes: it could have said "not yet". */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding assertion */
/* smpi: expect-explanation inevitable since rank 0's MPI_Test at explain_found.c:16 returned yes, instead of not yet: the only continuation fails */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 0, found = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &found, MPI_STATUS_IGNORE);
        assert(!found);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
