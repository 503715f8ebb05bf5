/* Where computing takes time, a rank that has computed waits in the call that sends, and others call meanwhile: the line is that of the
 * sender. */
/* smpi: ranks 3 */
/* smpi: compile-args -g */
/* smpi: smpirun-args --compute=measured */
/* smpi: requires smpi */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains ; rank 1 has sent it one with tag 8 ( */
/* smpi: expect-stderr-contains deadlock_lines_computed.c:30) */
/* smpi: expect-stderr-contains ; rank 2 has sent it one with tag 9 ( */
/* smpi: expect-stderr-contains deadlock_lines_computed.c:34) */
#include <mpi.h>

static volatile double sum;

static void compute(int times)
{
    for (int i = 0; i < 100000 * times; i++)
        sum += i;
}

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    compute(4 - rank);
    if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
        compute(1);
        MPI_Recv(&value, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
        MPI_Send(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
