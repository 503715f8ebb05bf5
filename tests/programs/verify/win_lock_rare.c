/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-executions 3 */
/* smpi: expect-complete */
/* Only if the message of rank 2 comes first, two ranks ask for an exclusive lock, and their order makes a
 * difference. */
#include <assert.h>
#include <mpi.h>

static int rank;
static MPI_Win window;

/* Makes 2 * x + digit of what is there; returns that. */
static int append(int digit)
{
    int value;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    value = 2 * value + digit;
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    return value;
}

int main(int argc, char **argv)
{
    int mine = 1, first, second, value = 0;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        first = status.MPI_SOURCE;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        for (int to = 1; to < 3; to++)
            MPI_Send(&first, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&second, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (second == 2)
            value = append(rank - 1);
    }
    assert(value != 6);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
