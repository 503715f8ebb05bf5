/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A null buffer with data in it is refused with MPI_ERR_BUFFER, as is MPI_IN_PLACE where it has no meaning.
 * MPICH 4.0.2 deviates: it takes MPI_IN_PLACE for an address in MPI_Bcast, and crashes. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value[4] = {0};
    MPI_Request request;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Isend(NULL, 3, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Recv(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Irecv(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Bcast(NULL, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Allreduce(NULL, value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Allreduce(value, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    return check_end();
}
