/* Each collective operation that has algorithms to choose from, twice: with buffers of its own and in place. */
#include <mpi.h>
enum { MOST = 8, EACH = 4 };
int main(int argc, char **argv) {
    int rank, size, from[MOST * EACH] = {0}, to[MOST * EACH], counts[MOST], starts[MOST];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > MOST) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Datatype types[MOST];
    int bytes[MOST];
    for (int each = 0; each < size; each++) {
        counts[each] = EACH;
        starts[each] = EACH * each;
        bytes[each] = (int)sizeof(int) * EACH * each;
        types[each] = MPI_INT;
    }
    for (int round = 0; round < 2; round++) {
        const void *own = round ? MPI_IN_PLACE : from, *roots = round && rank == 0 ? MPI_IN_PLACE : from;
        void *own_result = round && rank == 0 ? MPI_IN_PLACE : to;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Bcast(to, EACH, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Gather(roots, EACH, MPI_INT, to, EACH, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Gatherv(roots, EACH, MPI_INT, to, counts, starts, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Scatter(from, EACH, MPI_INT, own_result, EACH, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Scatterv(from, counts, starts, MPI_INT, own_result, EACH, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Allgather(own, EACH, MPI_INT, to, EACH, MPI_INT, MPI_COMM_WORLD);
        MPI_Allgatherv(own, EACH, MPI_INT, to, counts, starts, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoall(own, EACH, MPI_INT, to, EACH, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallv(own, counts, starts, MPI_INT, to, counts, starts, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallw(own, counts, bytes, types, to, counts, bytes, types, MPI_COMM_WORLD);
        MPI_Reduce(roots, to, EACH, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Allreduce(own, to, EACH, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Reduce_scatter(own, to, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Reduce_scatter_block(own, to, EACH, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Scan(own, to, EACH, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Exscan(own, to, EACH, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
