/* Figure 3(b) of the Waitany paper, which is 2(a) with annotations <1,0> and <0,1>: one execution. Without: two. */
/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* smpi: verified assertion */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[2];
        int values[2], done;
        MPI_Irecv(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &requests[1]);
        int in_order = 0;
        for (int i = 0; i < 2; i++) {
            int matter[2];
            for (int j = 0; j < 2; j++)
                matter[j] = j == i;
            SMPI_ANNOTATE(2, matter);
            MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
            if (done == i)
                in_order++;
        }
        MC_assert(in_order == 2);
    } else {
        MPI_Request request;
        int value = rank;
        MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
