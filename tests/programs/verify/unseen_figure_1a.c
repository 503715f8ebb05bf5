/* Figure 1(a) of the Waitany paper: the program looks at the index, which its compiler tells us: two executions. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[2];
        int values[2], done;
        MPI_Irecv(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &requests[1]);
        int order = 0;
        MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
        if (done == 0)
            order = 1;
        else if (done == 1)
            order = 2;
        MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
        MPI_Bcast(&order, 1, MPI_INT, 0, MPI_COMM_SELF);
    } else {
        MPI_Request request;
        int value = rank;
        MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
