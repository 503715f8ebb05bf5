/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Reduce_local with MPI_Count arguments, with predefined operations and with ones of both kinds of the program
 * (MPI 5.0 section 6.9.7). */
#include "../check.h"

static void weigh(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] = 10 * ((int *)in)[i] + ((int *)inout)[i];
}

static void weigh_large(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
    (void)type;
    for (MPI_Count i = 0; i < *count; i++)
        ((int *)inout)[i] = 100 * ((int *)in)[i] + ((int *)inout)[i];
}

static void expect(MPI_Op op, int first, int second)
{
    int in[2] = {3, 4}, both[2] = {1, 2};

    CHECK_OK(MPI_Reduce_local_c(in, both, 2, MPI_INT, op));
    CHECK(both[0] == first && both[1] == second);
    both[0] = 1, both[1] = 2;
    CHECK_OK(MPI_Reduce_local(in, both, 2, MPI_INT, op));
    CHECK(both[0] == first && both[1] == second);
}

int main(int argc, char **argv)
{
    MPI_Op op;
    int commutes = 7;

    check_begin(&argc, &argv);
    expect(MPI_SUM, 4, 6);
    CHECK_OK(MPI_Op_create(weigh, 0, &op));
    expect(op, 31, 42);
    CHECK_OK(MPI_Op_commutative(op, &commutes));
    CHECK(!commutes);
    CHECK_OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    CHECK_OK(MPI_Op_create_c(weigh_large, 1, &op));
    CHECK_OK(MPI_Op_commutative(op, &commutes));
    CHECK(commutes);
    expect(op, 301, 402);
    CHECK_OK(MPI_Op_free(&op));
    return check_end();
}
