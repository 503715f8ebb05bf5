/* Rank 0 polls for a message of rank 1, which is there at once, and for one of rank 2. That one comes after an answer to the
 * first, or before: this depends on whom rank 2 has heard of, and rank 0 is told the same in either case. So the first executions
 * show rank 0 no way to get the second message first, and there is one in combination. */
/* smpi: ranks 5 */
/* smpi: platform none */
/* smpi: compile-args -O1 */
/* smpi: verify --reduction histories --buffering infinite */
/* smpi: expect-finding assertion */
#include <assert.h>
#include <mpi.h>

static void receiver(void) {
    int first = 0, second = 0, flag, got, late;
    MPI_Request request;
    MPI_Irecv(&late, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, &request);
    while (!first || !second) {
        if (!first) {
            MPI_Iprobe(1, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            if (flag) {
                MPI_Recv(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(&got, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
                first = 1;
            }
        }
        if (!second) {
#ifdef ONCE
            flag = first;
            if (flag)
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            else
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
#else
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
#endif
            second = flag;
            assert(!second || first);
        }
    }
}

int main(int argc, char **argv) {
    int rank, heard, other, got = 0, same = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        receiver();
    else if (rank == 1)
        MPI_Send(&same, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    else if (rank > 2)
        MPI_Send(&rank, 1, MPI_INT, 2, 4, MPI_COMM_WORLD);
    else {
        MPI_Recv(&heard, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (heard < other)
            MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&same, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        if (heard > other)
            MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
