/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Reduce_local applies an operation without any communication, first operand first (MPI 5.0 section 6.9.7). */
#include "../check.h"

static void minus(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *length; i++)
        b[i] = a[i] - b[i];
}

int main(int argc, char **argv)
{
    int a[4] = {10, 20, 30, 40}, b[4] = {1, 2, 3, 4}, commutes = 0;
    MPI_Op op;

    check_begin(&argc, &argv);
    MPI_Reduce_local(a, b, 3, MPI_INT, MPI_SUM);
    CHECK_INT(b[0], 11);
    CHECK_INT(b[2], 33);
    CHECK_INT(b[3], 4);
    MPI_Op_create(minus, 0, &op);
    MPI_Reduce_local(a, b, 4, MPI_INT, op);
    CHECK_INT(b[0], -1);
    CHECK_INT(b[3], 36);
    MPI_Reduce_local(a, b, 0, MPI_INT, MPI_PROD);
    CHECK_INT(b[0], -1);
    MPI_Op_free(&op);
    /* What is written may be no other argument (section 2.3). */
    check_errors_return();
    CHECK_ERROR(MPI_Reduce_local(b, b, 4, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    CHECK_INT(b[0], -1);
    CHECK_OK(MPI_Reduce_local(b, b, 0, MPI_INT, MPI_SUM));
    MPI_Op_commutative(MPI_SUM, &commutes);
    CHECK_INT(commutes, 1);
    MPI_Op_commutative(MPI_MAXLOC, &commutes);
    CHECK_INT(commutes, 1);
    return check_end();
}
