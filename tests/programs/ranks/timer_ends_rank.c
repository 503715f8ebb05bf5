/* A rank that is blocked for longer than its alarm ends by SIGALRM, at that simulated time. */
/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-exit 142 */
/* smpi: expect-stderr-contains rank 1: SIGALRM */
/* smpi: expect-stderr-contains inside MPI_Recv */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    alarm(rank == 1 ? 5 : 0);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        sleep(6);
    MPI_Finalize();
    return 0;
}
