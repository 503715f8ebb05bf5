/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Type_get_envelope and MPI_Type_get_contents give back how every type was made (MPI 5.0 section 5.1.13). */
#include "../check.h"

#define MOST 40

/* Compares and frees the type. Lists end with the counts given. */
static void check_type(MPI_Datatype type, int combiner, int ints, const int *expected_ints, int addresses,
                       const MPI_Aint *expected_addresses, int types, MPI_Datatype expected_type)
{
    int int_count, address_count, type_count, found, values[MOST];
    MPI_Aint places[MOST];
    MPI_Datatype members[MOST];

    MPI_Type_get_envelope(type, &int_count, &address_count, &type_count, &found);
    CHECK_INT(found, combiner);
    CHECK_INT(int_count, ints);
    CHECK_INT(address_count, addresses);
    CHECK_INT(type_count, types);
    MPI_Type_get_contents(type, MOST, MOST, MOST, values, places, members);
    for (int i = 0; i < ints; i++)
        CHECK_INT(values[i], expected_ints[i]);
    for (int i = 0; i < addresses; i++)
        CHECK_INT(places[i], expected_addresses[i]);
    for (int i = 0; i < types; i++)
        CHECK(members[i] == expected_type);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Datatype type;
    int ints, addresses, types, combiner;
    MPI_Aint places[2] = {0, 24};

    check_begin(&argc, &argv);
    MPI_Type_get_envelope(MPI_DOUBLE, &ints, &addresses, &types, &combiner);
    CHECK_INT(combiner, MPI_COMBINER_NAMED);
    CHECK(ints == 0 && addresses == 0 && types == 0);

    MPI_Type_dup(MPI_INT, &type);
    check_type(type, MPI_COMBINER_DUP, 0, NULL, 0, NULL, 1, MPI_INT);
    MPI_Type_contiguous(5, MPI_INT, &type);
    check_type(type, MPI_COMBINER_CONTIGUOUS, 1, (int[]){5}, 0, NULL, 1, MPI_INT);
    MPI_Type_vector(2, 3, 4, MPI_DOUBLE, &type);
    check_type(type, MPI_COMBINER_VECTOR, 3, (int[]){2, 3, 4}, 0, NULL, 1, MPI_DOUBLE);
    MPI_Type_create_hvector(2, 3, 40, MPI_INT, &type);
    check_type(type, MPI_COMBINER_HVECTOR, 2, (int[]){2, 3}, 1, (MPI_Aint[]){40}, 1, MPI_INT);
    MPI_Type_indexed(2, (int[]){1, 2}, (int[]){0, 5}, MPI_INT, &type);
    check_type(type, MPI_COMBINER_INDEXED, 5, (int[]){2, 1, 2, 0, 5}, 0, NULL, 1, MPI_INT);
    MPI_Type_create_hindexed(2, (int[]){1, 2}, places, MPI_INT, &type);
    check_type(type, MPI_COMBINER_HINDEXED, 3, (int[]){2, 1, 2}, 2, places, 1, MPI_INT);
    MPI_Type_create_indexed_block(2, 3, (int[]){7, 1}, MPI_INT, &type);
    check_type(type, MPI_COMBINER_INDEXED_BLOCK, 4, (int[]){2, 3, 7, 1}, 0, NULL, 1, MPI_INT);
    MPI_Type_create_hindexed_block(2, 3, places, MPI_INT, &type);
    check_type(type, MPI_COMBINER_HINDEXED_BLOCK, 2, (int[]){2, 3}, 2, places, 1, MPI_INT);
    MPI_Type_create_struct(2, (int[]){1, 4}, places, (MPI_Datatype[]){MPI_INT, MPI_INT}, &type);
    check_type(type, MPI_COMBINER_STRUCT, 3, (int[]){2, 1, 4}, 2, places, 2, MPI_INT);
    MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 0}, MPI_ORDER_C, MPI_INT, &type);
    check_type(type, MPI_COMBINER_SUBARRAY, 8, (int[]){2, 4, 5, 2, 3, 1, 0, MPI_ORDER_C}, 0, NULL, 1,
               MPI_INT);
    MPI_Type_create_darray(4, 1, 1, (int[]){9}, (int[]){MPI_DISTRIBUTE_CYCLIC}, (int[]){2}, (int[]){4},
                           MPI_ORDER_FORTRAN, MPI_INT, &type);
    check_type(type, MPI_COMBINER_DARRAY, 8,
               (int[]){4, 1, 1, 9, MPI_DISTRIBUTE_CYCLIC, 2, 4, MPI_ORDER_FORTRAN}, 0, NULL, 1, MPI_INT);
    MPI_Type_create_resized(MPI_INT, -4, 16, &type);
    check_type(type, MPI_COMBINER_RESIZED, 0, NULL, 2, (MPI_Aint[]){-4, 16}, 1, MPI_INT);
    return check_end();
}
