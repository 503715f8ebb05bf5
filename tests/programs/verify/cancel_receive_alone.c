/* smpi: ranks 4 */
/* smpi: verify --buffering both */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* Receives that nobody sends to are cancelled, whatever else goes on: one execution. */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, size, spare[2], value = 0, flag, i;
    MPI_Request requests[2], both[2];
    MPI_Status statuses[2];
    MPI_Comm other;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Irecv(&spare[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, &requests[0]);
    MPI_Recv_init(&spare[1], 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Start(&requests[1]);
    for (i = 0; i < 3; i++) {
        MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &both[0]);
        MPI_Irecv(&value, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    for (i = 0; i < 2; i++)
        MPI_Cancel(&requests[i]);
    MPI_Waitall(2, requests, statuses);
    for (i = 0; i < 2; i++) {
        MPI_Test_cancelled(&statuses[i], &flag);
        assert(flag);
    }
    MPI_Request_free(&requests[1]);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
