/* smpi: ranks 6 */
/* smpi: expect-pass */
/* Collectives on vectors of 4 MB, where libraries cut vectors into segments, on all sizes up to 6 ranks. */
#include "../check.h"

#define COUNT 1000003 /* cannot be divided evenly */

static int out[COUNT], in[COUNT];

static void test(MPI_Comm comm, int rank, int size)
{
    int wrong = 0, root = size - 1, share = COUNT / size;

    for (int i = 0; i < COUNT; i++)
        out[i] = rank == root ? i ^ 0x5555 : 0;
    MPI_Bcast(out, COUNT, MPI_INT, root, comm);
    for (int i = 0; i < COUNT; i++)
        wrong += out[i] != (i ^ 0x5555);
    CHECK_INT(wrong, 0);

    for (int i = 0; i < COUNT; i++)
        out[i] = rank + i;
    MPI_Allreduce(out, in, COUNT, MPI_INT, MPI_MAX, comm);
    for (int i = 0; i < COUNT; i++)
        wrong += in[i] != size - 1 + i;
    CHECK_INT(wrong, 0);
    MPI_Reduce(out, in, COUNT, MPI_INT, MPI_MIN, root, comm);
    for (int i = 0; i < COUNT && rank == root; i++)
        wrong += in[i] != i;
    CHECK_INT(wrong, 0);
    MPI_Reduce_scatter_block(out, in, share, MPI_INT, MPI_MAX, comm);
    for (int i = 0; i < share; i++)
        wrong += in[i] != size - 1 + rank * share + i;
    CHECK_INT(wrong, 0);
    MPI_Allgather(out, share, MPI_INT, in, share, MPI_INT, comm);
    for (int i = 0; i < size * share; i++)
        wrong += in[i] != i / share + i % share;
    CHECK_INT(wrong, 0);
    MPI_Alltoall(out, share, MPI_INT, in, share, MPI_INT, comm);
    for (int i = 0; i < size * share; i++)
        wrong += in[i] != i / share + rank * share + i % share;
    CHECK_INT(wrong, 0);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
