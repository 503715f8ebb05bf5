/* smpi: ranks 67 */
/* smpi: expect-pass */
/* Every collective on 67 ranks, a number with no pattern, with blocks from 1 to some thousand elements: libraries choose other algorithms there. */
#include "../check.h"

#define RANKS 100
#define LARGEST 3000

static int out[RANKS * LARGEST], in[RANKS * LARGEST];
static int rank, size;

/* Element i of block b as rank r has it. */
static int element(int r, int b, int i)
{
    return r * 1000003 + b * 1009 + i;
}

static void fill(int blocks, int count)
{
    for (int b = 0; b < blocks; b++)
        for (int i = 0; i < count; i++)
            out[b * count + i] = element(rank, b, i);
    memset(in, 0xff, (size_t)(size * count) * sizeof *in);
}

static void test_moves(int count, int root)
{
    int wrong = 0;

    fill(1, count);
    MPI_Bcast(out, count, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        wrong += out[i] != element(root, 0, i);
    CHECK_INT(wrong, 0);
    fill(1, count);
    MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < size * count && rank == root; i++)
        wrong += in[i] != element(i / count, 0, i % count);
    CHECK_INT(wrong, 0);
    fill(size, count);
    MPI_Scatter(out, count, MPI_INT, in, count, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        wrong += in[i] != element(root, rank, i);
    CHECK_INT(wrong, 0);
    fill(1, count);
    MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size * count; i++)
        wrong += in[i] != element(i / count, 0, i % count);
    CHECK_INT(wrong, 0);
    fill(size, count);
    MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size * count; i++)
        wrong += in[i] != element(i / count, rank, i % count);
    CHECK_INT(wrong, 0);
}

static void test_reductions(int count, int root)
{
    int wrong = 0, rank_sum = size * (size - 1) / 2;

    for (int i = 0; i < count; i++)
        out[i] = rank + i;
    MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    for (int i = 0; i < count && rank == root; i++)
        wrong += in[i] != rank_sum + size * i;
    CHECK_INT(wrong, 0);
    MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        wrong += in[i] != rank_sum + size * i;
    CHECK_INT(wrong, 0);
    MPI_Scan(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        wrong += in[i] != rank * (rank + 1) / 2 + (rank + 1) * i;
    CHECK_INT(wrong, 0);
    MPI_Exscan(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count && rank > 0; i++)
        wrong += in[i] != rank * (rank - 1) / 2 + rank * i;
    CHECK_INT(wrong, 0);
    for (int i = 0; i < size * count; i++)
        out[i] = rank + i;
    MPI_Reduce_scatter_block(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        wrong += in[i] != rank_sum + size * (rank * count + i);
    CHECK_INT(wrong, 0);
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 37, LARGEST};

    check_begin(&argc, &argv);
    rank = check_rank;
    size = check_size;
    for (int c = 0; c < 3; c++) {
        test_moves(counts[c], (31 * c + 5) % size);
        test_reductions(counts[c], (17 * c + 3) % size);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return check_end();
}
