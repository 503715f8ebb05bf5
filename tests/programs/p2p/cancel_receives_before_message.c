/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Many receives wait, and then a message comes that none of them takes: cancelling them leaves it as it is. */
#include "../check.h"

enum { MANY = 300 };

int main(int argc, char **argv)
{
    int rank, values[MANY], value = 0, cancelled;
    MPI_Request requests[MANY];
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < MANY; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &requests[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Probe(1, 5, MPI_COMM_WORLD, &status);
        for (int i = 0; i < MANY; i++) {
            MPI_Cancel(&requests[i]);
            MPI_Wait(&requests[i], &status);
            MPI_Test_cancelled(&status, &cancelled);
            CHECK(cancelled);
        }
        MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(value, 42);
    } else {
        value = 42;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    return check_end();
}
