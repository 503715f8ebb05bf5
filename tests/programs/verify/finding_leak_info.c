/* An info object that is not freed on rank 1. */
/* smpi: ranks 2 */
/* smpi: expect-finding leak/info */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info info;
    MPI_Info_create(&info);
    if (rank == 0)
        MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
