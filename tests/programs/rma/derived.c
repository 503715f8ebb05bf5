/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Derived datatypes at both sides, of different layouts (MPI 5.0 §12.3.1): columns into rows, elements in any
 * order, with gaps that stay, below the address, and accumulated element by element. */
#include "../check.h"

#define N 6

static double memory[N][N], own[N][N];
static MPI_Win win;

static void clear(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            memory[i][j] = -1;
            own[i][j] = 100 * check_rank + 10 * i + j;
        }
    MPI_Win_fence(0, win);
}

/* What rank 0 has at its row and column, as it comes to rank 1. */
static double sent(int i, int j)
{
    return 10 * i + j;
}

static void columns_into_rows(void)
{
    MPI_Datatype column, rows;

    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, sizeof(double), &rows);
    MPI_Type_commit(&column);
    MPI_Type_commit(&rows);
    clear();
    if (check_rank == 0) {
        MPI_Put(own, N, rows, 1, 0, N * N, MPI_DOUBLE, win);
        MPI_Win_fence(0, win);
    } else {
        MPI_Win_fence(0, win);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                CHECK(memory[i][j] == sent(j, i));
    }
    MPI_Win_fence(0, win);
    if (check_rank == 0)
        MPI_Get(&own[0][2], 1, column, 1, 4 * N, N, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    if (check_rank == 0)
        for (int i = 0; i < N; i++)
            CHECK(own[i][2] == sent(i, 4));
    MPI_Type_free(&column);
    MPI_Type_free(&rows);
}

static void parts(void)
{
    int sizes[2] = {N, N}, subsizes[2] = {2, 3}, starts[2] = {1, 2}, places[3] = {8, 0, 4}, one[2] = {1, 2};
    MPI_Aint bytes[2] = {-16, 8};
    MPI_Datatype block, any, below;

    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &block);
    MPI_Type_create_indexed_block(3, 2, places, MPI_DOUBLE, &any);
    MPI_Type_create_hindexed(2, one, bytes, MPI_DOUBLE, &below);
    MPI_Type_commit(&block);
    MPI_Type_commit(&any);
    MPI_Type_commit(&below);
    clear();
    if (check_rank == 0)
        MPI_Put(own, 1, any, 1, 0, 1, block, win);
    MPI_Win_fence(0, win);
    if (check_rank == 1) {
        const double expected[6] = {sent(1, 2), sent(1, 3), sent(0, 0), sent(0, 1), sent(0, 4), sent(0, 5)};
        for (int i = 0; i < 6; i++)
            CHECK(memory[1 + i / 3][2 + i % 3] == expected[i]);
        CHECK(memory[1][1] == -1 && memory[1][5] == -1 && memory[3][2] == -1 && memory[0][2] == -1);
    }
    clear();
    if (check_rank == 0)
        MPI_Put(&own[3][3], 1, below, 1, 2, 1, below, win);
    MPI_Win_fence(0, win);
    if (check_rank == 1) {
        CHECK(memory[0][0] == sent(3, 1));
        CHECK(memory[0][3] == sent(3, 4));
        CHECK(memory[0][4] == sent(3, 5));
        CHECK(memory[0][2] == -1);
    }
    MPI_Type_free(&block);
    MPI_Type_free(&any);
    MPI_Type_free(&below);
}

static void accumulated(void)
{
    MPI_Datatype every_other;
    double before[3];

    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &every_other);
    MPI_Type_commit(&every_other);
    clear();
    MPI_Accumulate(own, 3, MPI_DOUBLE, 0, 0, 1, every_other, MPI_SUM, win);
    MPI_Win_fence(0, win);
    if (check_rank == 1)
        MPI_Get_accumulate(own, 1, every_other, before, 3, MPI_DOUBLE, 0, 0, 1, every_other, MPI_PROD, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 3; i++) {
        if (check_rank == 1)
            CHECK(before[i] == 99 + 2 * i);
        else
            CHECK(memory[0][2 * i] == (99 + 2 * i) * (100 + 2 * i));
    }
    CHECK(memory[0][1] == -1);
    MPI_Type_free(&every_other);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    columns_into_rows();
    parts();
    accumulated();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    return check_end();
}
