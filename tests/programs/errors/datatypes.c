/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Null and uncommitted datatypes are refused with MPI_ERR_TYPE in communication; predefined ones cannot be freed.
 * MPICH 4.0.2 deviates: a reduction of the null type gives MPI_ERR_OP. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value[4] = {0}, other[4], size, position = 0;
    char buffer[64];
    MPI_Aint low, extent;
    MPI_Request request;
    MPI_Datatype type, made, integer = MPI_INT, null = MPI_DATATYPE_NULL;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Send(value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Irecv(value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Bcast(value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Allreduce(value, other, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Type_size(MPI_DATATYPE_NULL, &size), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Type_get_extent(MPI_DATATYPE_NULL, &low, &extent), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Type_contiguous(2, MPI_DATATYPE_NULL, &made), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Type_dup(MPI_DATATYPE_NULL, &made), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Type_commit(&null), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Type_free(&null), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Type_free(&integer), MPI_ERR_TYPE);
    CHECK(integer == MPI_INT);
    CHECK_ERROR(MPI_Pack(value, 1, MPI_DATATYPE_NULL, buffer, 64, &position, MPI_COMM_WORLD), MPI_ERR_TYPE);

    MPI_Type_contiguous(2, MPI_INT, &type); /* not committed */
    CHECK_ERROR(MPI_Send(value, 1, type, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Recv(value, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Isend(value, 1, type, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Bcast(value, 1, type, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Type_commit(&type)); /* a second time does no harm */
    CHECK_OK(MPI_Type_commit(&integer));
    CHECK_OK(MPI_Sendrecv(value, 1, type, check_rank, 0, other, 1, type, check_rank, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Type_free(&type));
    return check_end();
}
