/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Gather, scatter and alltoall with derived types that interleave: a matrix transposed by MPI_Alltoall. */
#include "../check.h"

#define RANKS 4
#define BLOCK 3
#define EDGE (RANKS * BLOCK)

int main(int argc, char **argv)
{
    int rows[BLOCK][EDGE], transposed[BLOCK][EDGE], whole[EDGE][EDGE], wrong = 0;
    MPI_Datatype column, columns, row_of_block, column_of_whole, columns_of_whole;

    check_begin(&argc, &argv);
    for (int i = 0; i < BLOCK; i++)
        for (int j = 0; j < EDGE; j++)
            rows[i][j] = (check_rank * BLOCK + i) * EDGE + j;

    /* A block goes out by columns and comes in by rows: each of BLOCK columns has BLOCK elements. */
    MPI_Type_vector(BLOCK, 1, EDGE, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &columns);
    MPI_Type_commit(&columns);
    MPI_Type_vector(BLOCK, BLOCK, EDGE, MPI_INT, &row_of_block);
    MPI_Datatype in_block;
    MPI_Type_create_resized(row_of_block, 0, BLOCK * sizeof(int), &in_block);
    MPI_Type_commit(&in_block);
    MPI_Alltoall(rows, BLOCK, columns, transposed, 1, in_block, MPI_COMM_WORLD);
    for (int i = 0; i < BLOCK; i++)
        for (int j = 0; j < EDGE; j++)
            wrong += transposed[i][j] != j * EDGE + check_rank * BLOCK + i;
    CHECK_INT(wrong, 0);

    /* Gather every rank's rows as columns of the whole. */
    MPI_Type_vector(EDGE, 1, EDGE, MPI_INT, &column_of_whole);
    MPI_Type_create_resized(column_of_whole, 0, sizeof(int), &columns_of_whole);
    MPI_Type_commit(&columns_of_whole);
    MPI_Gather(rows, BLOCK * EDGE, MPI_INT, whole, BLOCK, columns_of_whole, 2, MPI_COMM_WORLD);
    wrong = 0;
    for (int i = 0; i < EDGE && check_rank == 2; i++)
        for (int j = 0; j < EDGE; j++)
            wrong += whole[i][j] != j * EDGE + i;
    CHECK_INT(wrong, 0);

    /* And scatter them back. */
    memset(transposed, 0, sizeof transposed);
    MPI_Scatter(whole, BLOCK, columns_of_whole, transposed, BLOCK * EDGE, MPI_INT, 2, MPI_COMM_WORLD);
    CHECK(memcmp(transposed, rows, sizeof rows) == 0);
    MPI_Type_free(&column);
    MPI_Type_free(&columns);
    MPI_Type_free(&row_of_block);
    MPI_Type_free(&in_block);
    MPI_Type_free(&column_of_whole);
    MPI_Type_free(&columns_of_whole);
    return check_end();
}
