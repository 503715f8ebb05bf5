/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* MPI_Finalize waits for the messages in all attached buffers, a communicator's own included (MPI 5.0 sections 3.6 and 11.2). */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static char buffer[4096];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    int rank, value = 42;
    double start;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start = now();
    if (rank == 0) {
        MPI_Comm_attach_buffer(MPI_COMM_WORLD, buffer, sizeof buffer);
        MPI_Bsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        sleep(2); /* of simulated time */
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    if (now() - start < 2.0)
        printf("FAIL: rank %d left MPI after %g s\n", rank, now() - start);
    else if (rank == 0)
        printf("PASS\n");
    return 0;
}
