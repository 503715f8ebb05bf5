/* Six requests, six times Waitany, nobody looks at index and status: one execution instead of 720. */
/* smpi: requires smpi */
/* smpi: compile-args --verify -O2 */
/* smpi: ranks 7 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <assert.h>
#include <mpi.h>

#define COUNT 6

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[COUNT];
        MPI_Status status;
        int values[COUNT], done, sum = 0;
        for (int i = 0; i < COUNT; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < COUNT; i++)
            MPI_Waitany(COUNT, requests, &done, &status);
        for (int i = 0; i < COUNT; i++)
            sum += values[i];
        assert(sum == COUNT * (COUNT + 1) / 2);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
