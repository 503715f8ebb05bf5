/* As polls_echo_static.c, by random executions: none of them is void because a rank was told "not yet" for what did not come. */
/* smpi: ranks 2 */
/* smpi: verify --sample 20 */
/* smpi: expect-no-finding */
/* smpi: expect-executions zero=21 infinite=21 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    static int found, over;
    int rank, size, received = 0, done = 0, is_in_barrier = 0, values[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request sent[2], barrier;
    MPI_Status status;
    for (int i = 0; i < 2; i++)
        MPI_Issend(&rank, 1, MPI_INT, (rank + 1 + i) % size, 0, MPI_COMM_WORLD, &sent[i]);
    while (!done) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, &status);
        if (found) {
            MPI_Recv(&values[received], 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            received++;
        }
        if (is_in_barrier) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
            continue;
        }
        MPI_Testall(2, sent, &over, MPI_STATUSES_IGNORE);
        if (over) {
            MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
            is_in_barrier = 1;
        }
    }
    assert(received == 2 && values[0] + values[1] == 1);
    MPI_Finalize();
    return 0;
}
