/* Whose message comes first decides whether two ranks stop: else they send each other the same for ever, without a
   choice. */
/* smpi: ranks 3 */
/* smpi: verify --stateful */
/* smpi: expect-finding livelock */
/* smpi: expect-stderr-contains its ranks go on for ever without a choice */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        second = 0;
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    while (rank < 2 && first == 2)
        MPI_Sendrecv(&first, 1, MPI_INT, 1 - rank, 1, &second, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    MPI_Finalize();
}
