/* As unseen_loop.c, with all results tried: 24 executions of four requests. */
/* smpi: requires smpi */
/* smpi: compile-args --verify -O2 */
/* smpi: ranks 5 */
/* smpi: verify --no-prune */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=24 infinite=24 */
#include <mpi.h>

#define COUNT 4

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[COUNT];
        int values[COUNT], done;
        for (int i = 0; i < COUNT; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < COUNT; i++)
            MPI_Waitany(COUNT, requests, &done, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
