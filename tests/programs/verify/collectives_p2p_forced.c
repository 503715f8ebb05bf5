/* The same with algorithms that take ranks for groups of a host, in trees and segments, and by Open MPI's table. */
/* smpi: ranks 6 */
/* smpi: verify --collectives p2p --cfg=smpi/coll-selector:ompi --cfg=smpi/allreduce:rab2 --cfg=smpi/bcast:ompi_split_bintree --cfg=smpi/reduce:ompi_in_order_binary --cfg=smpi/allgather:ompi_neighborexchange --cfg=smpi/alltoall:2dmesh --cfg=smpi/barrier:mpich_smp */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <mpi.h>
#include <stdlib.h>

static int vector[1200];

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int mine = rank, sum = 0, all[6], others[6], counts[6] = { 1, 0, 2, 1, 1, 1 };
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    if (rank == 2 && sum != 15)
        abort();
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(all, 1, MPI_INT, others, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce_scatter(MPI_IN_PLACE, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    vector[1199] = rank;
    MPI_Bcast(vector, 1200, MPI_INT, 3, MPI_COMM_WORLD);
    if (others[0] != rank || vector[1199] != 3)
        abort();
    MPI_Scatter(others, 1, MPI_INT, &mine, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
