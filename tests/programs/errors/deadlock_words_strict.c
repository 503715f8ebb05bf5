/* With --strict, a deadlock also says where the message was sent that nearly is the one that a rank waits for. */
/* smpi: ranks 8 */
/* smpi: compile-args -g */
/* smpi: requires smpi */
/* smpi: smpirun-args --strict */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains deadlock_words_strict.c:23) */
#include <mpi.h>

static int large[1 << 20];

int main(int argc, char **argv)
{
    MPI_Comm odd;
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &odd);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2) {
        MPI_Send(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
        MPI_Send(large, 1 << 20, MPI_INT, 0, 9, MPI_COMM_WORLD);
    }
    if (rank % 2 == 1 && rank != 5)
        MPI_Bcast(&value, 1, MPI_INT, 0, odd);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&odd);
    MPI_Finalize();
    return 0;
}
