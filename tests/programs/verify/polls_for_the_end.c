/* A token goes round. Each rank waits for it and, in turn, for the sum of how many tokens were sent and received; it begins the
 * next sum until both are the same. In the end it cancels the receive that nobody needs any more. How often sums are
 * formed before is not bounded, so there are executions without end, and few states. */
/* smpi: ranks 2 */
/* smpi: compile-args -O1 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states zero=964 infinite=1376 */
#include <mpi.h>

#define ROUNDS 3

int main(int argc, char **argv) {
    int rank, size, here, out, is_there, sum[2] = {0, 1}, mine[2], counts[2] = {0, 0};
    MPI_Request token, summed;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Irecv(&here, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &token);
    if (rank == 0) {
        out = ROUNDS;
        MPI_Send(&out, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
        counts[0]++;
    }
    mine[0] = counts[0], mine[1] = counts[1];
    MPI_Iallreduce(mine, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &summed);
    for (;;) {
        MPI_Test(&token, &is_there, MPI_STATUS_IGNORE);
        if (is_there) {
            counts[1]++;
            if (here > 1) {
                out = here - 1;
                MPI_Send(&out, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
                counts[0]++;
            }
            MPI_Irecv(&here, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &token);
        }
        MPI_Test(&summed, &is_there, MPI_STATUS_IGNORE);
        if (!is_there)
            continue;
        if (sum[0] == sum[1])
            break;
        mine[0] = counts[0], mine[1] = counts[1];
        MPI_Iallreduce(mine, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &summed);
    }
    MPI_Cancel(&token);
    MPI_Wait(&token, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
