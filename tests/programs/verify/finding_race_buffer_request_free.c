/* smpi: ranks 2 */
/* smpi: compile-args --verify -g */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/buffer */
/* smpi: expect-stderr-contains finding_race_buffer_request_free.c:29 */
/* smpi: expect-stderr-contains finding_race_buffer_request_free.c:32 */
/* smpi: expect-stderr-contains finding_race_buffer_request_free.c:40 */
/* smpi: expect-stderr-contains finding_race_buffer_request_free.c:47 */
/* Who frees the request of a receive can never tell that it is over (MPI 5.0 section 3.7.3): not at once, not after a
 * barrier, not after a later message. A send is over when its receiver says so. */
#include <mpi.h>
#include <stdio.h>

static int sink;

int main(int argc, char **argv)
{
    int rank, first = 1, second = 2, third = 3, answer = 0, *block;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&second, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        sink = first;
        MPI_Recv(&second, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        sink += first;
    }
    /* Another operation. */
    if (rank == 0)
        MPI_Send(&second, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    else {
        MPI_Irecv(&third, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        MPI_Sendrecv(&third, 1, MPI_INT, 0, 9, &sink, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Isend(&answer, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        MPI_Send(&second, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        answer = 5;
    } else
        MPI_Recv(&answer, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
