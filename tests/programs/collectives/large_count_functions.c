/* smpi: ranks 3 */
/* smpi: expect-pass */
/* The collectives with MPI_Count counts and MPI_Aint displacements (MPI 5.0 chapter 6). */
#include "../check.h"

#define RANKS 3

static void add(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
    (void)type;
    for (MPI_Count i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    int out[RANKS], in[RANKS] = {-1, -1, -1}, value;
    MPI_Count counts[RANKS] = {1, 1, 1};
    MPI_Aint places[RANKS] = {2, 1, 0}, bytes[RANKS] = {0, 4, 8};
    MPI_Datatype types[RANKS] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Request request;
    MPI_Op op;

    check_begin(&argc, &argv);
    for (int i = 0; i < RANKS; i++)
        out[i] = check_rank * 10 + i;
    value = check_rank;
    MPI_Bcast_c(&value, 1, MPI_INT, 2, MPI_COMM_WORLD);
    CHECK_INT(value, 2);
    MPI_Allreduce_c(&check_rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(value, 3);
    MPI_Op_create_c(add, 1, &op);
    MPI_Allreduce_c(out, in, RANKS, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(in[0] == 30 && in[1] == 33 && in[2] == 36);
    MPI_Reduce(out, in, RANKS, MPI_INT, op, 1, MPI_COMM_WORLD); /* a large operation in a call with int counts */
    CHECK(check_rank != 1 || in[2] == 36);
    MPI_Op_free(&op);
    MPI_Gather_c(&check_rank, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(check_rank != 0 || (in[0] == 0 && in[2] == 2));
    MPI_Allgatherv_c(&check_rank, 1, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    CHECK(in[0] == 2 && in[1] == 1 && in[2] == 0);
    MPI_Alltoall_c(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(in[0] == check_rank && in[2] == 20 + check_rank);
    MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    CHECK_INT(in[2], 2 - check_rank);
    MPI_Alltoallw_c(out, counts, bytes, types, in, counts, bytes, types, MPI_COMM_WORLD);
    CHECK(in[0] == check_rank && in[2] == 20 + check_rank);
    MPI_Iallreduce_c(out, in, RANKS, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in[0] == 20 && in[2] == 22);
    MPI_Reduce_scatter_c(out, &value, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(value, 30 + 3 * check_rank);
    MPI_Scan_c(&check_rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(value, check_rank * (check_rank + 1) / 2);
    return check_end();
}
