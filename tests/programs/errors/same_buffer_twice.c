/* smpi: ranks 3 */
/* smpi: expect-pass */
/* An output argument may be no other argument (MPI 5.0 section 2.3): collectives refuse to receive where they send from,
   as far as the blocks begin at the same place. MPI_IN_PLACE, empty blocks and neighbouring blocks are no such thing.
   MPICH 4.0.2 deviates: it does not find all of these. */
#include "../check.h"

int main(int argc, char **argv)
{
    int data[12] = {0}, counts[3] = {1, 1, 1}, displs[3] = {0, 1, 2}, none[3] = {0, 0, 0};
    MPI_Request request;

    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Comm world = MPI_COMM_WORLD;

    CHECK_ERROR(MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Iallreduce(data, data, 1, MPI_INT, MPI_SUM, world, &request), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Scan(data, data, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Reduce_scatter_block(data, data, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Reduce_scatter(data, data, counts, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Allgather(data + check_rank, 1, MPI_INT, data, 1, MPI_INT, world), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Allgatherv(data + check_rank, 1, MPI_INT, data, counts, displs, MPI_INT, world), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Alltoall(data, 1, MPI_INT, data, 1, MPI_INT, world), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Alltoallv(data, counts, displs, MPI_INT, data, counts, displs, MPI_INT, world), MPI_ERR_BUFFER);

    /* Only the root receives, or sends; the others do not begin. */
    MPI_Comm self = MPI_COMM_SELF;
    CHECK_ERROR(MPI_Reduce(data, data, 1, MPI_INT, MPI_SUM, 0, self), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Gather(data, 1, MPI_INT, data, 1, MPI_INT, 0, self), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Gatherv(data, 1, MPI_INT, data, counts, displs, MPI_INT, 0, self), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Scatter(data, 1, MPI_INT, data, 1, MPI_INT, 0, self), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Scatterv(data, counts, displs, MPI_INT, data, 1, MPI_INT, 0, self), MPI_ERR_BUFFER);

    CHECK_OK(MPI_Allreduce(data, data, 0, MPI_INT, MPI_SUM, world));
    CHECK_OK(MPI_Allreduce(data, data + 1, 1, MPI_INT, MPI_SUM, world));
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, data, 2, MPI_INT, MPI_SUM, world));
    CHECK_OK(MPI_Alltoallv(data, none, displs, MPI_INT, data, none, displs, MPI_INT, world));
    CHECK_OK(MPI_Allgather(data + 3, 1, MPI_INT, data, 1, MPI_INT, world));
    CHECK_OK(MPI_Reduce(data, check_rank == 1 ? data + 1 : data, 1, MPI_INT, MPI_SUM, 1, world));
    return check_end();
}
