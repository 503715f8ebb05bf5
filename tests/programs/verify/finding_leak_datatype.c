/* A datatype that is not freed on rank 1. */
/* smpi: ranks 2 */
/* smpi: expect-finding leak/datatype */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    if (rank == 0)
        MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
