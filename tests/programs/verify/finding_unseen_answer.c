/* Nobody looks at three of four answers of MPI_Test, and at the last one late: the assertion fails where it said yes. */
/* smpi: requires smpi */
/* smpi: compile-args --verify -O2 */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <assert.h>
#include <mpi.h>

#define COUNT 4

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, values[COUNT], flags[COUNT], got;
    MPI_Request requests[COUNT];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < COUNT; i++) {
            values[i] = i;
            MPI_Isend(&values[i], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[i]);
            MPI_Test(&requests[i], &flags[i], MPI_STATUS_IGNORE);
        }
        MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE);
        assert(!flags[COUNT - 1]);
    } else {
        for (int i = 0; i < COUNT; i++)
            MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
