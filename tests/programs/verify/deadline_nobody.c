/* smpi: ranks 2 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* A rank polls until a deadline for a message that nobody sends: it goes on, so this is no non-termination. The deadline has
 * passed when it looks first, or when nothing else moves. */
#include <mpi.h>
#include <assert.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, flag = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        double end = MPI_Wtime() + 10 * 86400.0;
        while (!flag && MPI_Wtime() < end) {
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            usleep(100);
        }
        assert(!flag);
    }
    MPI_Finalize();
    return 0;
}
