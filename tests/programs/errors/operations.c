/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Operations that the standard does not define for a type are refused with MPI_ERR_OP.
 * MPICH 4.0.2 deviates: it does logical operations on floating point. */
#include "../check.h"

int main(int argc, char **argv)
{
    double real = 1, real_result;
    int number[4] = {1, 2, 3, 4}, result[4];
    MPI_Op op = MPI_OP_NULL, sum = MPI_SUM;
    MPI_Datatype pair;
    MPI_Request request;

    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    CHECK_ERROR(MPI_Allreduce(number, result, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);
    CHECK_ERROR(MPI_Iallreduce(number, result, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD, &request), MPI_ERR_OP);
    CHECK_ERROR(MPI_Allreduce(&real, &real_result, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
    CHECK_ERROR(MPI_Allreduce(&real, &real_result, 1, MPI_DOUBLE, MPI_LXOR, MPI_COMM_WORLD), MPI_ERR_OP);
    CHECK_ERROR(MPI_Reduce(number, result, 1, MPI_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD), MPI_ERR_OP);
    CHECK_ERROR(MPI_Scan(number, result, 1, MPI_2INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
    CHECK_ERROR(MPI_Allreduce(number, result, 4, MPI_BYTE, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
    CHECK_ERROR(MPI_Allreduce(number, result, 2, pair, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
    CHECK_ERROR(MPI_Allreduce(number, result, 1, MPI_INT, MPI_REPLACE, MPI_COMM_WORLD), MPI_ERR_OP);
    CHECK_ERROR(MPI_Op_free(&op), MPI_ERR_OP);
    CHECK_ERROR(MPI_Op_free(&sum), MPI_ERR_OP);
    CHECK(sum == MPI_SUM);
    CHECK_OK(MPI_Allreduce(number, result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    MPI_Type_free(&pair);
    return check_end();
}
