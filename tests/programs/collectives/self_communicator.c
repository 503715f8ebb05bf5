/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Every collective works on MPI_COMM_SELF, where it is a copy. */
#include "../check.h"

int main(int argc, char **argv)
{
    int out[2] = {3, 4}, in[2] = {-1, -1}, one = 2, zero = 0;

    check_begin(&argc, &argv);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Bcast(out, 2, MPI_INT, 0, MPI_COMM_SELF);
#define CHECK_COPY()                                                                             \
    do {                                                                                         \
        CHECK(in[0] == 3 && in[1] == 4);                                                         \
        in[0] = in[1] = -1;                                                                      \
    } while (0)
    MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_SELF);
    CHECK_COPY();
    MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_SELF);
    CHECK_COPY();
    MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_SELF);
    CHECK_COPY();
    MPI_Allgatherv(out, 2, MPI_INT, in, &one, &zero, MPI_INT, MPI_COMM_SELF);
    CHECK_COPY();
    MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_SELF);
    CHECK_COPY();
    MPI_Alltoallv(out, &one, &zero, MPI_INT, in, &one, &zero, MPI_INT, MPI_COMM_SELF);
    CHECK_COPY();
    MPI_Reduce(out, in, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_SELF);
    CHECK_COPY();
    MPI_Allreduce(out, in, 2, MPI_INT, MPI_PROD, MPI_COMM_SELF);
    CHECK_COPY();
    MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_MAX, MPI_COMM_SELF);
    CHECK_COPY();
    MPI_Scan(out, in, 2, MPI_INT, MPI_BXOR, MPI_COMM_SELF);
    CHECK_COPY();
    MPI_Exscan(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    return check_end();
}
