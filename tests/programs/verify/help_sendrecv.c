/* The receive of a combined call names its source, as a rank of its communicator, in which ranks have other numbers. */
/* smpi: ranks 3 */
/* smpi: verify --explain-within 60 --buffering infinite */
/* smpi: expect-finding assertion */
/* smpi: expect-help would help: with the sources named at help_sendrecv.c:18 (rank 0: 1, 0): no error in 1 execution; complete */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, from[2];
    MPI_Comm reversed;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            /* In the new communicator, rank 0 is 2, rank 1 is 1, and rank 2 is 0. */
            MPI_Sendrecv(&rank, 1, MPI_INT, i, 1, &from[i], 1,
                         MPI_INT, MPI_ANY_SOURCE, 0, reversed, MPI_STATUS_IGNORE);
        assert(from[0] == 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 2, 0, reversed);
        MPI_Recv(&rank, 1, MPI_INT, 2, 1, reversed, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&reversed);
    MPI_Finalize();
    return 0;
}
