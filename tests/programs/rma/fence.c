/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Epochs of MPI_Win_fence (MPI 5.0 §12.5.1): puts and gets are complete behind the fence, at the origin and at the
 * target; all of its assertions; a rank may access its own memory; windows may overlap.
 * MPICH 4.0.2 deviates: it moves nothing in the second of two windows on the same memory. */
#include "../check.h"

#define WIDTH 1000

/* Each rank gives its neighbours its borders. */
static void halo(void)
{
    int *row = malloc((WIDTH + 2) * sizeof *row);
    int left = (check_rank + check_size - 1) % check_size, right = (check_rank + 1) % check_size;
    MPI_Win win;

    MPI_Win_create(row, (WIDTH + 2) * sizeof *row, sizeof *row, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int step = 0; step < 5; step++) {
        for (int i = 0; i < WIDTH + 2; i++)
            row[i] = 10000 * step + 1000 * check_rank + i % 7;
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        MPI_Put(&row[1], 1, MPI_INT, left, WIDTH + 1, 1, MPI_INT, win);
        MPI_Put(&row[WIDTH], 1, MPI_INT, right, 0, 1, MPI_INT, win);
        MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, win);
        CHECK_INT(row[0], 10000 * step + 1000 * left + WIDTH % 7);
        CHECK_INT(row[WIDTH + 1], 10000 * step + 1000 * right + 1);
    }
    MPI_Win_free(&win);
    free(row);
}

static void gets(void)
{
    static double memory[200000], copy[200000];
    double sum = 0;
    MPI_Win win;

    for (int i = 0; i < 200000; i++)
        memory[i] = check_rank + 1;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE, win);
    for (int rank = 0; rank < check_size; rank++)
        MPI_Get(&copy[rank * 50000], 50000, MPI_DOUBLE, rank, rank * 8 * 50000, 50000, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 200000; i++)
        sum += copy[i];
    CHECK(sum == 50000 * 10);
    MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOSTORE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
}

/* Two windows over the same memory, and accesses of a rank to itself. */
static void overlapping(void)
{
    int memory[8] = {0}, one = 1, two = 2, seen = -1;
    MPI_Win whole, half;

    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &whole);
    MPI_Win_create(&memory[4], 4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &half);
    MPI_Win_fence(0, whole);
    MPI_Put(&one, 1, MPI_INT, check_rank, 4, 1, MPI_INT, whole);
    MPI_Win_fence(0, whole);
    MPI_Win_fence(0, half);
    MPI_Get(&seen, 1, MPI_INT, (check_rank + 1) % check_size, 0, 1, MPI_INT, half);
    MPI_Put(&two, 1, MPI_INT, check_rank, 1, 1, MPI_INT, half);
    MPI_Win_fence(0, half);
    CHECK_INT(seen, 1);
    CHECK_INT(memory[4], 1);
    CHECK_INT(memory[5], 2);
    MPI_Win_free(&half);
    MPI_Win_free(&whole);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    halo();
    gets();
    overlapping();
    return check_end();
}
