/* A rank calls MPI for ever, and none of its calls waits for anything. */
/* smpi: ranks 2 */
/* smpi: verify --call-timeout 0.05 */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: passes non-termination */
/* smpi: expect-stderr-contains rank 1 runs for more than 0.5 s with MPI calls */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 1) {
        int size;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    MPI_Finalize();
}
