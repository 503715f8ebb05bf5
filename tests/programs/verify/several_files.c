/* Two files, both compiled with --verify: all accesses are seen, so nobody looks at index and status, and there is one
 * execution instead of six. */
/* smpi: requires smpi */
/* smpi: compile-args --verify -O2 */
/* smpi: sources parts/total.c */
/* smpi: ranks 4 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <assert.h>
#include <mpi.h>

#define COUNT 3

int total(const int *values, int count);

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[COUNT];
        MPI_Status status;
        int values[COUNT], done;
        for (int i = 0; i < COUNT; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < COUNT; i++)
            MPI_Waitany(COUNT, requests, &done, &status);
        assert(total(values, COUNT) == COUNT * (COUNT + 1) / 2);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
