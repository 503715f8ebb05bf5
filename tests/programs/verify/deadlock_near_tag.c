/* Rank 3 waits for another tag than the one that rank 1 has sent it, and rank 2 for what rank 1 has sent on another communicator. */
/* smpi: ranks 4 */
/* smpi: compile-args -g */
/* smpi: verify --buffering infinite */
/* smpi: expect-finding deadlock */
/* smpi: expect-stderr-contains near: rank 2 waits for a message from rank 1 with tag 5; rank 1 has */
/* smpi: expect-stderr-contains near: rank 3 waits for a message from rank 1 with tag 7; rank 1 has */
/* smpi: expect-stderr-contains deadlock_near_tag.c:21) */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm other;
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 3, 8, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 2, 5, other);
    }
    if (rank == 2)
        MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 3)
        MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
