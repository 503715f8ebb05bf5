/* The program of the tests first_key_deadlock*.c. */
#include <assert.h>
#include <mpi.h>

#define COMM MPI_COMM_WORLD

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, first, second;
    MPI_Comm_rank(COMM, &rank);
    if (rank < 2)
        MPI_Ssend(&rank, 1, MPI_INT, 2, 0, COMM);
    if (rank == 2) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, COMM, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, COMM, MPI_STATUS_IGNORE);
        MPI_Ssend(&first, 1, MPI_INT, 0, 0, COMM);
    }
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, 2, 0, COMM, MPI_STATUS_IGNORE);
        MPI_Send(&first, 1, MPI_INT, 1, 5, COMM);
        if (first == 0)
            MPI_Send(&first, 1, MPI_INT, 1, 9, COMM);
    }
    if (rank == 1) {
        MPI_Recv(&first, 1, MPI_INT, 0, 9, COMM, MPI_STATUS_IGNORE);
        MPI_Recv(&first, 1, MPI_INT, 0, 5, COMM, MPI_STATUS_IGNORE);
        assert(first != 0);
    }
    MPI_Finalize();
    return 0;
}
