/* The root of a nonblocking broadcast changes its buffer, another rank reads it, before the broadcast is complete; and the send
 * buffer of a nonblocking reduction is changed by a function of libc. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --keep-going */
/* smpi: expect-finding race/buffer */
/* smpi: expect-stderr-contains 3 errors */
/* smpi: expect-stderr-contains access_collective.c:22 */
/* smpi: expect-stderr-contains access_collective.c:24 */
/* smpi: expect-stderr-contains access_collective.c:30 */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 3, early = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (rank == 0)
        value++;
    else
        early = value;
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    static char mine[100], all[100];
    MPI_Iallreduce(mine, all, sizeof mine, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, &request);
    if (rank == 1)
        memset(mine + 50, early, argc);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
