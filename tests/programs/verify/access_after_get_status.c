/* MPI_Request_get_status says that an operation is complete: its buffers are the program's again, although the request
   is still there (MPI 5.0 section 3.7.6). Received data may be read, and what was sent may be written. */
/* smpi: ranks 2 */
/* smpi: compile-args --verify -O1 -g */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: passes race/buffer */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, flag = 0, which, count, indices[1], values[4] = {1, 2, 3, 4};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int way = 0; way < 4; way++) {
        if (rank == 0)
            MPI_Irecv(&values[way], 1, MPI_INT, 1, way, MPI_COMM_WORLD, &request);
        else
            MPI_Isend(&values[way], 1, MPI_INT, 0, way, MPI_COMM_WORLD, &request);
        flag = 0;
        while (!flag) {
            switch (way) {
            case 0: MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE); break;
            case 1: MPI_Request_get_status_any(1, &request, &which, &flag, MPI_STATUS_IGNORE); break;
            case 2: MPI_Request_get_status_all(1, &request, &flag, MPI_STATUSES_IGNORE); break;
            default:
                MPI_Request_get_status_some(1, &request, &count, indices, MPI_STATUSES_IGNORE);
                flag = count == 1;
            }
        }
        assert(values[way] == way + 1);
        values[way] = -1;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        assert(values[way] == -1);
    }
    MPI_Finalize();
    return 0;
}
