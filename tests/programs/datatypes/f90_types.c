/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Types by decimal precision and range; equal arguments give the same handle, which cannot be freed (MPI 5.0 section 19.1.9).
 * MPICH 4.0.2 deviates: it lets them be freed, and crashes later. */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Datatype real, same, complex_type, integer;
    int size, ints, addresses, types, combiner, values[2];

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &real));
    MPI_Type_size(real, &size);
    CHECK_INT(size, 8);
    CHECK_OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &same));
    CHECK(real == same);
    MPI_Type_get_envelope(real, &ints, &addresses, &types, &combiner);
    CHECK_INT(combiner, MPI_COMBINER_F90_REAL);
    CHECK_INT(ints, 2);
    MPI_Type_get_contents(real, 2, 0, 0, values, NULL, NULL);
    CHECK(values[0] == 15 && values[1] == MPI_UNDEFINED);
    CHECK(MPI_Type_free(&real) != MPI_SUCCESS);
    CHECK_OK(MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &complex_type));
    MPI_Type_size(complex_type, &size);
    CHECK_INT(size, 8);
    CHECK_OK(MPI_Type_create_f90_integer(9, &integer));
    MPI_Type_size(integer, &size);
    CHECK_INT(size, 4);
    CHECK(MPI_Type_create_f90_integer(500, &integer) != MPI_SUCCESS);
    return check_end();
}
