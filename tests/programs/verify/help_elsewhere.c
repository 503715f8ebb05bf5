/* Two errors that have nothing to do with each other. What helps against the first leaves the second, and says so. */
/* smpi: ranks 3 */
/* smpi: verify --explain-within 60 --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-finding leak/datatype */
/* smpi: expect-help would help: with the sources named at help_elsewhere.c:18 (rank 0: 1, 2): not this error in 2 executions, of which 2 still show another one; complete */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, from[2];
    MPI_Datatype pair;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(from[0] == 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
