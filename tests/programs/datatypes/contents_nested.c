/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Derived types out of MPI_Type_get_contents are new handles that work and must be freed (MPI 5.0 section 5.1.13). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Datatype inner, outer, found;
    int count, combiner, ints, addresses, types, size;

    check_begin(&argc, &argv);
    MPI_Type_vector(2, 1, 3, MPI_INT, &inner);
    MPI_Type_contiguous(4, inner, &outer);
    MPI_Type_free(&inner);
    MPI_Type_get_contents(outer, 1, 0, 1, &count, NULL, &found);
    CHECK_INT(count, 4);
    MPI_Type_get_envelope(found, &ints, &addresses, &types, &combiner);
    CHECK_INT(combiner, MPI_COMBINER_VECTOR);
    MPI_Type_free(&outer);
    MPI_Type_size(found, &size);
    CHECK_INT(size, 8);
    MPI_Type_commit(&found);
    int out[4] = {1, 2, 3, 4}, in[2] = {0, 0};
    MPI_Sendrecv(out, 1, found, 0, 0, in, 2, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK(in[0] == 1 && in[1] == 4);
    MPI_Type_free(&found);
    return check_end();
}
