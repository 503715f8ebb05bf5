/* Each rank sends four messages, and calls MPI_Test after each without a look at flag and status: "not yet" stands for
 * both answers. */
/* smpi: requires smpi */
/* smpi: compile-args --verify -O2 */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <mpi.h>

#define COUNT 4

/* What it is told is forgotten when it returns. */
static __attribute__((noinline)) void progress(MPI_Request *request) {
    int flag;
    MPI_Status status;
    MPI_Test(request, &flag, &status);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, values[COUNT], got, counts[2] = {1, 1}, displs[2] = {0, 1}, all[2];
    MPI_Request requests[COUNT];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < COUNT; i++) {
        values[i] = rank;
        MPI_Isend(&values[i], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[i]);
        progress(&requests[i]);
    }
    for (int i = 0; i < COUNT; i++)
        MPI_Recv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allgatherv(&rank, 1, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Finalize();
    return got == rank;
}
