/* smpi: ranks 6 */
/* smpi: expect-pass */
/* Ranks, sources and translation on a communicator whose order differs from the world's. */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm reversed;
    int rank, size, value = -1, flag;
    MPI_Status status;
    MPI_Request request;

    check_begin(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank, &reversed);
    MPI_Comm_rank(reversed, &rank);
    MPI_Comm_size(reversed, &size);
    CHECK_INT(rank, size - 1 - check_rank);
    MPI_Isend(&check_rank, 1, MPI_INT, (rank + 1) % size, rank, reversed, &request);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, reversed, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_INT(status.MPI_SOURCE, (rank + size - 1) % size);
    CHECK_INT(status.MPI_TAG, status.MPI_SOURCE);
    CHECK_INT(value, size - 1 - status.MPI_SOURCE);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK_INT(flag, 0);
    MPI_Comm_free(&reversed);
    return check_end();
}
