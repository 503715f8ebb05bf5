/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A message longer than the receive's buffer is an error of class MPI_ERR_TRUNCATE, writes nothing beyond the
 * buffer, and leaves the next message intact (MPI 5.0 section 3.2.4). */
#include "../check.h"

#define LARGE 100000

int main(int argc, char **argv)
{
    static int data[LARGE];

    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (check_rank == 0) {
        MPI_Request request;
        for (int i = 0; i < LARGE; i++)
            data[i] = i;
        CHECK_OK(MPI_Send(data, 4, MPI_INT, 1, 0, MPI_COMM_WORLD));
        CHECK_OK(MPI_Send(data, 3, MPI_INT, 1, 1, MPI_COMM_WORLD));
        /* Whether the sender of a long message hears of it is not laid down. */
        MPI_Isend(data, LARGE, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_OK(MPI_Send(data, 2, MPI_INT, 1, 3, MPI_COMM_WORLD));
    } else {
        int small[4] = {-1, -1, -1, -1};
        MPI_Request request;
        CHECK_ERROR(MPI_Recv(small, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    MPI_ERR_TRUNCATE);
        CHECK_INT(small[2], -1);
        CHECK_OK(MPI_Recv(small, 3, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(small[2], 2);
        CHECK_OK(MPI_Irecv(small, 3, MPI_INT, 0, 2, MPI_COMM_WORLD, &request));
        CHECK_ERROR(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        CHECK(request == MPI_REQUEST_NULL);
        CHECK_INT(small[3], -1);
        CHECK_OK(MPI_Recv(small, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(small[1], 1);
    }
    return check_end();
}
