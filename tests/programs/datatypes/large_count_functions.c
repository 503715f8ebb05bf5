/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Type constructors and pack functions with MPI_Count arguments (MPI 5.0 section 5.1). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, inner;
    MPI_Count size, low, extent, position = 0, ints, addresses, counts, types;
    MPI_Count lengths[2] = {1, 2}, places[2] = {0, 12}, large_counts[4];
    int combiner, data[8] = {0, 1, 2, 3, 4, 5, 6, 7}, integers[1];
    MPI_Aint no_addresses[1];
    char packed[64];

    check_begin(&argc, &argv);
    MPI_Type_contiguous_c((MPI_Count)1 << 33, MPI_BYTE, &type);
    MPI_Type_size_c(type, &size);
    CHECK_INT(size, 1ll << 33);
    MPI_Type_get_extent_c(type, &low, &extent);
    CHECK(low == 0 && extent == 1ll << 33);
    MPI_Type_free(&type);
    MPI_Type_create_hindexed_c(2, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Pack_size_c(1, type, MPI_COMM_WORLD, &size);
    CHECK(size >= 12);
    MPI_Pack_c(data, 1, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
    CHECK_INT(position, 12);
    memset(data, 0xff, sizeof data);
    position = 0;
    MPI_Unpack_c(packed, 12, &position, data, 1, type, MPI_COMM_WORLD);
    CHECK(data[0] == 0 && data[1] == -1 && data[3] == 3 && data[4] == 4 && data[5] == -1);
    MPI_Type_free(&type);
    MPI_Type_vector_c(2, 3, 5, MPI_INT, &type);
    MPI_Type_get_envelope_c(type, &ints, &addresses, &counts, &types, &combiner);
    CHECK_INT(combiner, MPI_COMBINER_VECTOR);
    CHECK(ints == 0 && addresses == 0 && counts == 3 && types == 1);
    MPI_Type_get_contents_c(type, 0, 0, 3, 1, integers, no_addresses, large_counts, &inner);
    CHECK(large_counts[0] == 2 && large_counts[1] == 3 && large_counts[2] == 5 && inner == MPI_INT);
    MPI_Type_free(&type);
    return check_end();
}
