/* smpi: ranks 2 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=5 infinite=5 */
/* smpi: reductions none=20 dpor=11 */
/* A loop that looks at the clock between polls, and prints how long it took: the number of polls is not seen in that, and no
 * race is reported. The time is there after the first poll only, so that the second one may be in vain, too. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0;
    double start, now = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        start = MPI_Wtime();
        do {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            now = MPI_Wtime();
        } while (!flag);
        printf("%g seconds\n", now - start);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
