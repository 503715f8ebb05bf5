/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Types beyond 2^31: sizes, extents, bounds and pack sizes by the functions with MPI_Count, MPI_UNDEFINED by those with
 * int; what a type was made of; elements that a status counts (MPI 5.0 sections 5.1 and 5.2). */
#include "large.h"

static void judge(MPI_Datatype type, MPI_Count size, MPI_Count low, MPI_Count extent, MPI_Count true_low,
                  MPI_Count true_extent)
{
    MPI_Count found = -1, found_low = -1, found_extent = -1;
    MPI_Aint address_low = -1, address_extent = -1;
    int small = -1;

    CHECK_OK(MPI_Type_size_c(type, &found));
    CHECK_INT(found, size);
    CHECK_OK(MPI_Type_size_x(type, &found));
    CHECK_INT(found, size);
    CHECK_OK(MPI_Type_size(type, &small));
    CHECK_INT(small, size >= BEYOND ? MPI_UNDEFINED : size);
    CHECK_OK(MPI_Type_get_extent_c(type, &found_low, &found_extent));
    CHECK_INT(found_low, low);
    CHECK_INT(found_extent, extent);
    CHECK_OK(MPI_Type_get_extent(type, &address_low, &address_extent));
    CHECK(address_low == low && address_extent == extent);
    CHECK_OK(MPI_Type_get_true_extent_c(type, &found_low, &found_extent));
    CHECK_INT(found_low, true_low);
    CHECK_INT(found_extent, true_extent);
    CHECK_OK(MPI_Type_free(&type));
}

/* Each constructor with a number that no int can be. */
static void constructors(void)
{
    MPI_Count n = BEYOND + 5, lengths[2] = {n, 2}, places[2] = {2 * n, 0}, sizes[2] = {n, 3}, parts[2] = {n - 1, 1};
    MPI_Count starts[2] = {1, 2};
    MPI_Datatype type, types[2] = {MPI_SHORT, MPI_BYTE};
    int kinds[1] = {MPI_DISTRIBUTE_BLOCK}, defaults[1] = {MPI_DISTRIBUTE_DFLT_DARG}, grid[1] = {2};

    CHECK_OK(MPI_Type_contiguous_c(n, MPI_INT, &type));
    judge(type, 4 * n, 0, 4 * n, 0, 4 * n);
    CHECK_OK(MPI_Type_vector_c(3, n, 2 * n, MPI_SHORT, &type));
    judge(type, 6 * n, 0, 10 * n, 0, 10 * n);
    CHECK_OK(MPI_Type_vector_c(2, 1, -n, MPI_INT, &type));
    judge(type, 8, -4 * n, 4 * n + 4, -4 * n, 4 * n + 4);
    CHECK_OK(MPI_Type_create_hvector_c(n, 1, 3, MPI_BYTE, &type));
    judge(type, n, 0, 3 * n - 2, 0, 3 * n - 2);
    CHECK_OK(MPI_Type_indexed_c(2, lengths, places, MPI_SHORT, &type));
    judge(type, 2 * n + 4, 0, 6 * n, 0, 6 * n);
    CHECK_OK(MPI_Type_create_hindexed_c(2, lengths, places, MPI_BYTE, &type));
    judge(type, n + 2, 0, 3 * n, 0, 3 * n);
    CHECK_OK(MPI_Type_create_indexed_block_c(2, n, places, MPI_SHORT, &type));
    judge(type, 4 * n, 0, 6 * n, 0, 6 * n);
    CHECK_OK(MPI_Type_create_hindexed_block_c(2, n, places, MPI_BYTE, &type));
    judge(type, 2 * n, 0, 3 * n, 0, 3 * n);
    CHECK_OK(MPI_Type_create_struct_c(2, lengths, places, types, &type));
    judge(type, 2 * n + 2, 0, 4 * n, 0, 4 * n);
    CHECK_OK(MPI_Type_create_resized_c(MPI_INT, -n, 3 * n, &type));
    judge(type, 4, -n, 3 * n, 0, 4);
    CHECK_OK(MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_C, MPI_BYTE, &type));
    judge(type, n - 1, 0, 3 * n, 5, 3 * (n - 1) - 2);
    CHECK_OK(MPI_Type_create_darray_c(2, 1, 1, sizes, kinds, defaults, grid, MPI_ORDER_C, MPI_BYTE, &type));
    judge(type, n / 2, 0, n, n / 2 + 1, n / 2);
}

/* The numbers that a type was made with. */
static void contents(void)
{
    MPI_Count n = BEYOND + 5, lengths[1] = {n}, places[1] = {3 * n}, numbers[3] = {0};
    MPI_Count integers = -1, addresses = -1, counts = -1, types = -1;
    MPI_Datatype type, old;
    MPI_Aint nowhere[1];
    int nothing[1], combiner = -1;

    CHECK_OK(MPI_Type_create_hindexed_c(1, lengths, places, MPI_INT, &type));
    CHECK_OK(MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner));
    CHECK(integers == 0 && addresses == 0 && counts == 3 && types == 1 && combiner == MPI_COMBINER_HINDEXED);
    CHECK_OK(MPI_Type_get_contents_c(type, 0, 0, 3, 1, nothing, nowhere, numbers, &old));
    CHECK(numbers[0] == 1 && numbers[1] == n && numbers[2] == 3 * n && old == MPI_INT);
    CHECK_OK(MPI_Type_free(&type));
}

static void packing(void)
{
    MPI_Count n = BEYOND + 5, size = -1, places[2] = {0, 4 * n}, position = 0;
    MPI_Datatype far;
    char *memory = large_sparse(4 * n + 8);
    int packed[2] = {-1, -1}, back[2] = {7, 9};

    CHECK_OK(MPI_Pack_size_c(n, MPI_INT, MPI_COMM_WORLD, &size));
    CHECK(size >= 4 * n);
    CHECK_OK(MPI_Pack_external_size_c("external32", n, MPI_LONG, &size));
    CHECK_INT(size, 4 * n);
    CHECK_OK(MPI_Type_create_hindexed_block_c(2, 1, places, MPI_INT, &far));
    CHECK_OK(MPI_Type_commit(&far));
    *(int *)memory = 3;
    *(int *)(memory + 4 * n) = 5;
    CHECK_OK(MPI_Pack_c(memory, 1, far, packed, sizeof packed, &position, MPI_COMM_WORLD));
    CHECK(position == 8 && packed[0] == 3 && packed[1] == 5);
    position = 0;
    CHECK_OK(MPI_Unpack_c(back, sizeof back, &position, memory, 1, far, MPI_COMM_WORLD));
    CHECK(position == 8 && *(int *)memory == 7 && *(int *)(memory + 4 * n) == 9);
    /* The place in a buffer of packed data is beyond, too. */
    position = 4 * n;
    CHECK_OK(MPI_Unpack_c(memory, 4 * n + 8, &position, back, 1, MPI_INT, MPI_COMM_WORLD));
    CHECK(position == 4 * n + 4 && back[0] == 9);
    position = 4 * n + 4;
    CHECK_OK(MPI_Pack_c(&back[1], 1, MPI_INT, memory, 4 * n + 8, &position, MPI_COMM_WORLD));
    CHECK(position == 4 * n + 8 && *(int *)(memory + 4 * n + 4) == 9);
    CHECK_OK(MPI_Type_free(&far));
    large_unmap(memory, 4 * n + 8);
}

static void statuses(void)
{
    MPI_Count n = BEYOND + 6, found = -1;
    MPI_Status status;
    MPI_Datatype pair, triple;
    int small = -1;

    memset(&status, 0, sizeof status);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_contiguous(3, MPI_INT, &triple);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&triple);
    CHECK_OK(MPI_Status_set_elements_c(&status, MPI_INT, n));
    CHECK_OK(MPI_Get_elements_c(&status, MPI_INT, &found));
    CHECK_INT(found, n);
    CHECK_OK(MPI_Get_elements(&status, MPI_INT, &small));
    CHECK_INT(small, MPI_UNDEFINED);
    CHECK_OK(MPI_Get_count_c(&status, MPI_INT, &found));
    CHECK_INT(found, n);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &small));
    CHECK_INT(small, MPI_UNDEFINED);
    CHECK_OK(MPI_Get_count(&status, pair, &small));
    CHECK_INT(small, n / 2);
    CHECK_OK(MPI_Get_elements_c(&status, pair, &found));
    CHECK_INT(found, n);
    CHECK_OK(MPI_Get_count_c(&status, triple, &found));
    CHECK_INT(found, n % 3 == 0 ? n / 3 : MPI_UNDEFINED);
    CHECK_OK(MPI_Status_set_elements_x(&status, MPI_BYTE, 5 * n));
    CHECK_OK(MPI_Get_elements_x(&status, MPI_BYTE, &found));
    CHECK_INT(found, 5 * n);
    MPI_Type_free(&pair);
    MPI_Type_free(&triple);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    constructors();
    contents();
    packing();
    statuses();
    return check_end();
}
