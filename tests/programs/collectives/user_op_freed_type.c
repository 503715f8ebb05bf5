/* smpi: ranks 3 */
/* smpi: expect-pass */
/* A datatype may be freed while a reduction uses it (MPI 5.0 section 5.1.9); the program's function still gets a handle
   that it can ask. */
#include "../check.h"

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    MPI_Aint lb, extent;
    int size = -1;

    CHECK_OK(MPI_Type_get_extent(*type, &lb, &extent));
    CHECK_OK(MPI_Type_size(*type, &size));
    CHECK_INT(size, 4);
    CHECK_INT(extent, 8);
    for (int i = 0; i < *length; i++)
        *(int *)((char *)inout + i * extent) += *(int *)((char *)in + i * extent);
}

int main(int argc, char **argv)
{
    int values[6] = {1, -1, 2, -1, 3, -1}, sums[6] = {0, -2, 0, -2, 0, -2};
    MPI_Datatype spaced;
    MPI_Op op;
    MPI_Request request;

    check_begin(&argc, &argv);
    MPI_Type_create_resized(MPI_INT, 0, 8, &spaced);
    MPI_Type_commit(&spaced);
    MPI_Op_create(add, 1, &op);
    MPI_Iallreduce(values, sums, 3, spaced, op, MPI_COMM_WORLD, &request);
    MPI_Type_free(&spaced);
    MPI_Op_free(&op);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(sums[2 * i], 3 * (i + 1));
        CHECK_INT(sums[2 * i + 1], -2);
    }
    return check_end();
}
