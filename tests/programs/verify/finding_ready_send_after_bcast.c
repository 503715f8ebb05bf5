/* A broadcast tells its root nothing of the other ranks, and a reduction nothing to those that are not the root. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/ready-send */
#include <mpi.h>

static int value[2];

static void after(int rank, int root) {
    MPI_Request request;
    if (rank == 1 - root)
        MPI_Irecv(&value[1], 1, MPI_INT, root, 0, MPI_COMM_WORLD, &request);
    if (root == 0)
        MPI_Bcast(value, 1, MPI_INT, root, MPI_COMM_WORLD);
    else
        MPI_Reduce(rank ? &value[0] : MPI_IN_PLACE, value, 1, MPI_INT, MPI_SUM, 1 - root, MPI_COMM_WORLD);
    if (rank == root)
        MPI_Rsend(&value[1], 1, MPI_INT, 1 - root, 0, MPI_COMM_WORLD);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    after(rank, 0);
    after(rank, 1);
    MPI_Finalize();
    return 0;
}
