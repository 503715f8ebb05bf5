/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: expect-finding mpi/invalid/buffer */
/* smpi: expect-stderr-contains the memory of rank 0 */
/* An address that another rank has told: under other MPIs it is an address of another process. */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, x = 5, y = 7;
    MPI_Aint address;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_address(&x, &address);
    MPI_Bcast(&address, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(&y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv((void *)address, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
