/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: expect-finding mpi/invalid/buffer */
/* smpi: expect-stderr-contains parameter 1 (buf) */
/* smpi: expect-stderr-contains buffer_wild.c:17 */
/* A message without elements is received where there is no memory: nothing is written, and the buffer is none all the
 * same. */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, x = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&x, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv((void *)0x7e0000001000, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
