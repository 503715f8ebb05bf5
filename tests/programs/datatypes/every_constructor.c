/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Each type constructor with int and with MPI_Count arguments makes the same type (MPI 5.0 section 5.1): the bytes that
 * it picks out of a buffer are compared with a list, and so are size, extent, true extent and pack size. */
#include "../check.h"

enum { BYTES = 64 };

static unsigned char data[BYTES], packed[BYTES], again[BYTES];

/* What a type must be: the places of its bytes in the order of the type map, and its bounds. */
struct layout {
    int size, low, extent, true_low, true_extent;
    int places[16];
};

static void judge(const char *name, MPI_Datatype type, const struct layout *expected)
{
    int size = -1, position = 0, pack_size = -1, before = check_failures;
    MPI_Count size_c = -1, low_c = -1, extent_c = -1, position_c = 0, pack_size_c = -1;
    MPI_Aint low = -1, extent = -1;

    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Type_size(type, &size));
    CHECK_OK(MPI_Type_size_c(type, &size_c));
    CHECK(size == expected->size && size_c == size);
    CHECK_OK(MPI_Type_get_extent(type, &low, &extent));
    CHECK_OK(MPI_Type_get_extent_c(type, &low_c, &extent_c));
    CHECK(low == expected->low && extent == expected->extent && low_c == low && extent_c == extent);
    low = extent = low_c = extent_c = -1;
    CHECK_OK(MPI_Type_get_true_extent(type, &low, &extent));
    CHECK_OK(MPI_Type_get_true_extent_c(type, &low_c, &extent_c));
    CHECK(low == expected->true_low && extent == expected->true_extent && low_c == low && extent_c == extent);
    CHECK_OK(MPI_Pack_size(1, type, MPI_COMM_WORLD, &pack_size));
    CHECK_OK(MPI_Pack_size_c(1, type, MPI_COMM_WORLD, &pack_size_c));
    CHECK(pack_size >= size && pack_size_c >= size);
    memset(packed, 0, sizeof packed);
    CHECK_OK(MPI_Pack(data, 1, type, packed, BYTES, &position, MPI_COMM_WORLD));
    CHECK_INT(position, size);
    for (int i = 0; i < size; i++)
        CHECK_INT(packed[i], data[expected->places[i]]);
    memset(again, 0, sizeof again);
    CHECK_OK(MPI_Unpack_c(packed, size, &position_c, again, 1, type, MPI_COMM_WORLD));
    CHECK_INT(position_c, size);
    for (int i = 0; i < size; i++)
        CHECK_INT(again[expected->places[i]], data[expected->places[i]]);
    CHECK_OK(MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);
    if (check_failures > before)
        printf("with %s\n", name);
}

#define BOTH(name, arguments, large, ...)                                                                     \
    do {                                                                                                      \
        const struct layout expected = __VA_ARGS__;                                                           \
        MPI_Datatype type = MPI_DATATYPE_NULL;                                                                \
        CHECK_OK(name(ARGUMENTS arguments, &type));                                                           \
        judge(#name, type, &expected);                                                                        \
        type = MPI_DATATYPE_NULL;                                                                             \
        CHECK_OK(name##_c(ARGUMENTS large, &type));                                                           \
        judge(#name "_c", type, &expected);                                                                   \
    } while (0)
#define ARGUMENTS(...) __VA_ARGS__

static void constructors(void)
{
    int lengths[2] = {2, 1}, elements[2] = {3, 0};
    MPI_Count lengths_c[2] = {2, 1}, elements_c[2] = {3, 0}, bytes_c[2] = {7, 2};
    MPI_Aint bytes[2] = {7, 2};
    int sizes[2] = {4, 5}, parts[2] = {2, 3}, starts[2] = {1, 2};
    MPI_Count sizes_c[2] = {4, 5}, parts_c[2] = {2, 3}, starts_c[2] = {1, 2};
    int kinds[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, grid[2] = {2, 2};
    int defaults[2] = {MPI_DISTRIBUTE_DFLT_DARG, 1};
    MPI_Datatype types[2] = {MPI_BYTE, MPI_INT16_T};

    BOTH(MPI_Type_contiguous, (3, MPI_BYTE), (3, MPI_BYTE), {3, 0, 3, 0, 3, {0, 1, 2}});
    BOTH(MPI_Type_vector, (2, 2, 5, MPI_BYTE), (2, 2, 5, MPI_BYTE), {4, 0, 7, 0, 7, {0, 1, 5, 6}});
    BOTH(MPI_Type_create_hvector, (2, 1, 6, MPI_INT16_T), (2, 1, 6, MPI_INT16_T), {4, 0, 8, 0, 8, {0, 1, 6, 7}});
    BOTH(MPI_Type_indexed, (2, lengths, elements, MPI_INT16_T), (2, lengths_c, elements_c, MPI_INT16_T),
         {6, 0, 10, 0, 10, {6, 7, 8, 9, 0, 1}});
    BOTH(MPI_Type_create_hindexed, (2, lengths, bytes, MPI_BYTE), (2, lengths_c, bytes_c, MPI_BYTE),
         {3, 2, 7, 2, 7, {7, 8, 2}});
    BOTH(MPI_Type_create_indexed_block, (2, 2, elements, MPI_BYTE), (2, 2, elements_c, MPI_BYTE),
         {4, 0, 5, 0, 5, {3, 4, 0, 1}});
    BOTH(MPI_Type_create_hindexed_block, (2, 2, bytes, MPI_BYTE), (2, 2, bytes_c, MPI_BYTE),
         {4, 2, 7, 2, 7, {7, 8, 2, 3}});
    /* Bytes 2 to 8 are used; an extent of 8 keeps the integers of the next one aligned. */
    BOTH(MPI_Type_create_struct, (2, lengths, bytes, types), (2, lengths_c, bytes_c, types),
         {4, 2, 8, 2, 7, {7, 8, 2, 3}});
    BOTH(MPI_Type_create_resized, (MPI_INT16_T, -3, 9), (MPI_INT16_T, -3, 9), {2, -3, 9, 0, 2, {0, 1}});
    BOTH(MPI_Type_create_subarray, (2, sizes, parts, starts, MPI_ORDER_C, MPI_BYTE),
         (2, sizes_c, parts_c, starts_c, MPI_ORDER_C, MPI_BYTE), {6, 0, 20, 7, 8, {7, 8, 9, 12, 13, 14}});
    BOTH(MPI_Type_create_subarray, (2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_BYTE),
         (2, sizes_c, parts_c, starts_c, MPI_ORDER_FORTRAN, MPI_BYTE), {6, 0, 20, 9, 10, {9, 10, 13, 14, 17, 18}});
    /* Process 3 of a 2 by 2 grid: the lower half of the rows, and of five columns the second and the fourth. */
    BOTH(MPI_Type_create_darray, (4, 3, 2, sizes, kinds, defaults, grid, MPI_ORDER_C, MPI_BYTE),
         (4, 3, 2, sizes_c, kinds, defaults, grid, MPI_ORDER_C, MPI_BYTE), {4, 0, 20, 11, 8, {11, 13, 16, 18}});
}

/* The canonical representation: big endian, whatever the machine is. */
static void canonical(void)
{
    short values[2] = {0x0102, 0x0304}, back[2] = {0, 0};
    MPI_Aint position = 0, size = -1;
    MPI_Count position_c = 0, size_c = -1;
    unsigned char expected[4] = {1, 2, 3, 4};

    CHECK_OK(MPI_Pack_external_size("external32", 2, MPI_SHORT, &size));
    CHECK_OK(MPI_Pack_external_size_c("external32", 2, MPI_SHORT, &size_c));
    CHECK(size == 4 && size_c == 4);
    memset(packed, 0, sizeof packed);
    CHECK_OK(MPI_Pack_external("external32", values, 2, MPI_SHORT, packed, BYTES, &position));
    CHECK(position == 4 && memcmp(packed, expected, 4) == 0);
    memset(packed, 0, sizeof packed);
    CHECK_OK(MPI_Pack_external_c("external32", values, 2, MPI_SHORT, packed, BYTES, &position_c));
    CHECK(position_c == 4 && memcmp(packed, expected, 4) == 0);
    position = position_c = 0;
    CHECK_OK(MPI_Unpack_external("external32", packed, 4, &position, back, 2, MPI_SHORT));
    CHECK(position == 4 && back[0] == 0x0102 && back[1] == 0x0304);
    memset(back, 0, sizeof back);
    CHECK_OK(MPI_Unpack_external_c("external32", packed, 4, &position_c, back, 2, MPI_SHORT));
    CHECK(position_c == 4 && back[0] == 0x0102 && back[1] == 0x0304);
}

/* What a status says of an element count that was put into it. */
static void counts_of_status(void)
{
    MPI_Datatype pair;
    MPI_Status status;
    int count = -1;
    MPI_Count count_c = -1;

    memset(&status, 0, sizeof status);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    CHECK_OK(MPI_Status_set_elements(&status, MPI_INT, 7));
    CHECK_OK(MPI_Get_elements(&status, pair, &count));
    CHECK_INT(count, 7);
    CHECK_OK(MPI_Get_count(&status, pair, &count));
    CHECK_INT(count, MPI_UNDEFINED);
    CHECK_OK(MPI_Status_set_elements_c(&status, pair, 4));
    CHECK_OK(MPI_Get_elements_c(&status, pair, &count_c));
    CHECK_INT(count_c, 4);
    CHECK_OK(MPI_Get_count_c(&status, pair, &count_c));
    CHECK_INT(count_c, 2);
    CHECK_OK(MPI_Status_set_elements_x(&status, MPI_INT, 6));
    CHECK_OK(MPI_Get_elements_x(&status, pair, &count_c));
    CHECK_INT(count_c, 6);
    MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int i = 0; i < BYTES; i++)
        data[i] = (unsigned char)(i + 1);
    constructors();
    canonical();
    counts_of_status();
    return check_end();
}
