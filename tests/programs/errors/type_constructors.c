/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Type constructors refuse negative counts and block lengths, and subarrays that do not fit; nothing crashes.
 * MPICH 4.0.2 deviates: it does not check that subarrays fit. */
#include "../check.h"

#define REFUSED(call) CHECK((call) != MPI_SUCCESS)

int main(int argc, char **argv)
{
    MPI_Datatype type, null = MPI_DATATYPE_NULL;
    int minus[1] = {-1}, one[1] = {1}, zero[1] = {0};
    MPI_Aint place[1] = {0};

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Type_vector(-1, 1, 1, MPI_INT, &type), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Type_indexed(-1, one, zero, MPI_INT, &type), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Type_create_struct(-1, one, place, &null, &type), MPI_ERR_COUNT);
    REFUSED(MPI_Type_vector(1, -1, 1, MPI_INT, &type));
    REFUSED(MPI_Type_create_hvector(1, -1, 8, MPI_INT, &type));
    REFUSED(MPI_Type_indexed(1, minus, zero, MPI_INT, &type));
    REFUSED(MPI_Type_create_indexed_block(1, -1, zero, MPI_INT, &type));
    REFUSED(MPI_Type_create_hindexed(1, minus, place, MPI_INT, &type));
    CHECK_ERROR(MPI_Type_create_struct(1, one, place, &null, &type), MPI_ERR_TYPE);
    REFUSED(MPI_Type_create_subarray(1, (int[]){4}, (int[]){3}, (int[]){2}, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_subarray(1, (int[]){4}, (int[]){5}, (int[]){0}, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_subarray(1, (int[]){4}, (int[]){2}, (int[]){-1}, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_subarray(0, NULL, NULL, NULL, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_subarray(1, (int[]){4}, (int[]){2}, (int[]){1}, -5, MPI_INT, &type));
    REFUSED(MPI_Type_create_darray(4, 4, 1, (int[]){9}, (int[]){MPI_DISTRIBUTE_BLOCK},
                                   (int[]){MPI_DISTRIBUTE_DFLT_DARG}, (int[]){4}, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_darray(4, 0, 1, (int[]){9}, (int[]){MPI_DISTRIBUTE_BLOCK}, (int[]){1},
                                   (int[]){4}, MPI_ORDER_C, MPI_INT, &type));
    return check_end();
}
