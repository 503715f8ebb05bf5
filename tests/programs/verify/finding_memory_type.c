/* A float that is sent as an integer: no error, because its bytes arrive, but worth a warning. */
/* smpi: requires smpi */
/* smpi: ranks 2 */
/* smpi: expect-exit 0 */
/* smpi: smpirun-args --strict */
/* smpi: compile-args -g -O0 */
/* smpi: expect-stderr-contains warning: memory/type: rank 0: buf of MPI_Send has MPI_INT where the */
/* smpi: expect-stderr-contains program declares value as float */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    float value = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
