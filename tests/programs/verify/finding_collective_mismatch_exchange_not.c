/* What the operations with a block for each rank allow: other types of the same signature, zero elements, in place, neighbours
   on both sides that are the same rank, and both kinds of root between groups. */
/* smpi: passes mpi/collective-mismatch */
/* smpi: ranks 4 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <stddef.h>

static MPI_Datatype pair;
static int rank, size, out[64], in[64];
static int counts[4] = {1, 2, 3, 0}, starts[4] = {0, 4, 8, 12};

static void all_to_all(void) {
    int expected[4], halves[4] = {0, 2, 4, 6};
    for (int i = 0; i < size; i++)
        expected[i] = counts[rank];
    MPI_Alltoallv(out, counts, starts, MPI_INT, in, expected, starts, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, in, (int[4]){1, 1, 1, 1}, starts, MPI_INT, MPI_COMM_WORLD);
    /* Ranks 0 and 1 describe two ints as one pair. */
    int two[4] = {2, 2, 2, 2}, one[4] = {1, 1, 1, 1};
    MPI_Alltoallv(out, rank < 2 ? one : two, rank < 2 ? halves : starts, rank < 2 ? pair : MPI_INT, in, two, starts, MPI_INT,
                  MPI_COMM_WORLD);
    int bytes[4] = {0, 16, 32, 48};
    MPI_Datatype types[4] = {pair, pair, pair, pair}, ints[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Alltoallw(out, one, bytes, types, in, two, bytes, ints, MPI_COMM_WORLD);
}

static void gathers(void) {
    int root = 2;
    MPI_Gatherv(out, counts[rank], MPI_INT, in, counts, starts, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Gatherv(rank == root ? MPI_IN_PLACE : out, counts[rank], MPI_INT, in, counts, starts, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatterv(out, counts, starts, MPI_INT, in, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatterv(out, counts, starts, MPI_INT, rank == root ? MPI_IN_PLACE : in, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
    MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, starts, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, in, counts, starts, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void neighbours(void) {
    MPI_Comm grid;
    int dims[2] = {2, 2}, periods[2] = {1, 0}, up[4] = {1, 2, 3, 4}, down[4] = {2, 1, 4, 3}, places[4] = {0, 4, 8, 12};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    /* Along the first dimension, the same rank is before and behind. */
    MPI_Neighbor_alltoallv(out, up, places, MPI_INT, in, down, places, MPI_INT, grid);
    MPI_Neighbor_allgather(out, 1, pair, in, 2, MPI_INT, grid);
    MPI_Comm_free(&grid);
}

static void between_groups(void) {
    MPI_Comm own, between;
    int left = rank < 2, here = rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, left, rank, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, left ? 2 : 0, 0, &between);
    MPI_Bcast(out, 2, MPI_INT, left ? here : 1, between);
    MPI_Reduce(out, in, 2, MPI_INT, MPI_SUM, left ? here : 1, between);
    MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, left ? here : 1, between);
    MPI_Scatterv(out, counts, starts, MPI_INT, in, left ? 0 : counts[rank - 2], MPI_INT, left ? here : 1, between);
    MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, between);
    /* The sides may contribute different numbers. */
    MPI_Allgather(out, left ? 1 : 3, MPI_INT, in, left ? 3 : 1, MPI_INT, between);
    MPI_Alltoall(out, left ? 2 : 0, MPI_INT, in, left ? 0 : 2, MPI_INT, between);
    MPI_Comm_free(&between);
    MPI_Comm_free(&own);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    all_to_all();
    gathers();
    neighbours();
    between_groups();
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
