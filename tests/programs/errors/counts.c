/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Negative counts are refused with MPI_ERR_COUNT.
 * MPICH 4.0.2 deviates: some functions do not check, and crash. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value[2] = {0}, other[2] = {0};
    MPI_Request request;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Send(value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Isend(value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Recv(value, -5, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Irecv(value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Recv_init(value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Sendrecv_replace(value, -1, MPI_INT, 0, 0, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Bcast(value, -1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Allreduce(value, other, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Gather(value, -1, MPI_INT, other, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Allgather(value, -1, MPI_INT, other, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Scan(value, other, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Ialltoall(value, -1, MPI_INT, other, 1, MPI_INT, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Reduce_local(value, other, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    return check_end();
}
