/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Type_create_darray: every element of a distributed array belongs to exactly one rank, by HPF's rules (MPI 5.0 section 5.1.4). */
#include "../check.h"

#define ROWS 7
#define COLUMNS 10
#define DEFAULT MPI_DISTRIBUTE_DFLT_DARG

/* Which process of `processes` has index `i` of `n`, distributed in this way. */
static int owner(int i, int n, int processes, int distribution, int argument)
{
    if (distribution == MPI_DISTRIBUTE_NONE)
        return 0;
    if (distribution == MPI_DISTRIBUTE_BLOCK)
        return i / (argument == DEFAULT ? (n + processes - 1) / processes : argument);
    return i / (argument == DEFAULT ? 1 : argument) % processes;
}

static void test(const int distributions[2], const int arguments[2], const int grid[2], int order)
{
    int sizes[2] = {ROWS, COLUMNS}, ranks = grid[0] * grid[1];

    for (int rank = 0; rank < ranks; rank++) {
        int array[ROWS * COLUMNS], packed[ROWS * COLUMNS], count = 0, wrong = 0, size, position = 0;
        int fast = order == MPI_ORDER_C ? 1 : 0, slow = 1 - fast;
        MPI_Aint low, extent;
        MPI_Datatype type;

        MPI_Type_create_darray(ranks, rank, 2, sizes, distributions, arguments, grid, order, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Type_size(type, &size);
        MPI_Type_get_extent(type, &low, &extent);
        CHECK_INT(low, 0);
        CHECK_INT(extent, (MPI_Aint)sizeof array);
        for (int i = 0; i < ROWS * COLUMNS; i++)
            array[i] = i;
        MPI_Pack(array, 1, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            int index[2], at[2];
            index[fast] = i % sizes[fast];
            index[slow] = i / sizes[fast];
            for (int d = 0; d < 2; d++)
                at[d] = owner(index[d], sizes[d], grid[d], distributions[d], arguments[d]);
            /* The process grid is in C order, whatever the order of the array. */
            if (at[0] * grid[1] + at[1] == rank)
                wrong += packed[count++] != i;
        }
        CHECK_INT(wrong, 0);
        CHECK_INT(size, count * (int)sizeof(int));
        MPI_Type_free(&type);
    }
}

int main(int argc, char **argv)
{
    static const int kinds[3] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};

    check_begin(&argc, &argv);
    for (int order = 0; order < 2; order++)
        for (int rows = 0; rows < 3; rows++)
            for (int columns = 0; columns < 3; columns++) {
                int distributions[2] = {kinds[rows], kinds[columns]};
                int grid[2] = {rows == 2 ? 1 : 2, columns == 2 ? 1 : 3};
                int mpi_order = order ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
                test(distributions, (int[]){DEFAULT, DEFAULT}, grid, mpi_order);
                test(distributions, (int[]){rows == 0 ? 5 : rows == 1 ? 2 : DEFAULT,
                                            columns == 0 ? 4 : columns == 1 ? 3 : DEFAULT},
                     grid, mpi_order);
            }
    return check_end();
}
