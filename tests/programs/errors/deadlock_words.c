/* A deadlock says who is missing from which collective operation, the shortest round of ranks that wait for each other, and which
 * message nearly is the one that a rank waits for, with the line that has sent it. */
/* smpi: ranks 8 */
/* smpi: compile-args -g */
/* smpi: requires smpi */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains MPI_Bcast waits for rank 5 to call MPI_Bcast (collective 0 of a communicator of ranks 1,3,5,7) */
/* smpi: expect-stderr-contains ; rank 2 has sent it one with tag 8 ( */
/* smpi: expect-stderr-contains deadlock_words.c:28) */
/* smpi: expect-stderr-contains ; rank 0 has posted a receive from rank 2 with tag 7 ( */
/* smpi: expect-stderr-contains deadlock_words.c:26) */
/* smpi: expect-stderr-contains cycle: rank 0 → rank 2 → rank 0 */
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
