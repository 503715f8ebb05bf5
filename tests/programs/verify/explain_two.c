/* Two receives of different ranks commute, and only both of them together fail: either can be the last one. */
/* smpi: ranks 6 */
/* smpi: verify */
/* smpi: expect-finding assertion */
/* smpi: expect-explanation in whichever order: rank 1's MPI_Recv at explain_two.c:16 took the message that rank 5 sent at explain_two.c:23, and rank 0's MPI_Recv at explain_two.c:16 took the message that rank 4 sent at explain_two.c:23: the only continuation fails */
/* smpi: expect-explanation only then: none of 3 others fails */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank < 2) {
        int first;
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int late = first > 3, all;
        MPI_Allreduce(&late, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
        assert(rank == 1 || !all);
    } else {
        int late = 1, all;
        MPI_Send(&rank, 1, MPI_INT, rank % 2, 0, MPI_COMM_WORLD);
        MPI_Allreduce(&late, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
