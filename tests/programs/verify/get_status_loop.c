/* Loops over the forms of MPI_Request_get_status end, and that they say "not yet" before is no execution of its own. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 1 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 0, done, index, count;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 4; round++) {
        if (rank == 1) {
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
            continue;
        }
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        done = 0;
        while (!done) {
            if (round == 0)
                MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
            else if (round == 1)
                MPI_Request_get_status_all(1, &request, &done, MPI_STATUSES_IGNORE);
            else if (round == 2)
                MPI_Request_get_status_any(1, &request, &index, &done, MPI_STATUS_IGNORE);
            else {
                MPI_Request_get_status_some(1, &request, &count, &index, MPI_STATUSES_IGNORE);
                done = count;
            }
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
