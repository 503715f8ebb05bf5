/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Ranks outside the group are refused with MPI_ERR_RANK, roots with MPI_ERR_ROOT. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 0, other = 0, all[2];
    MPI_Request request;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, -1000, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Ssend(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Isend(&value, 1, MPI_INT, 1 << 20, 0, MPI_COMM_WORLD, &request), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Send_init(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Recv(&value, 1, MPI_INT, -1000, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Irecv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Recv_init(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Probe(2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &other, 1, MPI_INT, 5, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Bcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CHECK_ERROR(MPI_Bcast(&value, 1, MPI_INT, -1000, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CHECK_ERROR(MPI_Reduce(&value, &other, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CHECK_ERROR(MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 2, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CHECK_ERROR(MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, MPI_PROC_NULL, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CHECK_ERROR(MPI_Ibcast(&value, 1, MPI_INT, 7, MPI_COMM_WORLD, &request), MPI_ERR_ROOT);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    return check_end();
}
