/* A rank that is blocked in poll outside of MPI is left after --call-timeout, and nothing wakes it before. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --call-timeout 1 */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: passes non-termination */
/* smpi: expect-stderr-contains system call */
#include <mpi.h>
#include <poll.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ends_of_pipe[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && pipe(ends_of_pipe) == 0) {
        struct pollfd ends = {ends_of_pipe[0], POLLIN, 0};
        poll(&ends, 1, -1);
    }
    MPI_Finalize();
    return 0;
}
