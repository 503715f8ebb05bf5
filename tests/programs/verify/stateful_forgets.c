/* A master receives one message of each worker and forgets whose it was: 7! orders (listing 4.3 of the thesis of Cristian
 * Rosa, 2011), and one state for each set of workers. */
/* smpi: ranks 8 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states 128 */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; i++)
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
