/* smpi: ranks 3 */
/* smpi: verify --buffering infinite --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* A rank probes until a deadline, by a clock of libc, and relies on that one of two messages has come by then. */
#include <mpi.h>
#include <assert.h>
#include <sys/time.h>

static double seconds(void)
{
    struct timeval now;
    gettimeofday(&now, 0);
    return now.tv_sec + now.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0, i;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        double start = seconds();
        while (!flag && seconds() - start < 3600.0)
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        assert(flag);
        for (i = 0; i < 2; i++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
