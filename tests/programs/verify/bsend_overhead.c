/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-finding mpi/invalid/buffer */
/* smpi: expect-stderr-contains MPI_BSEND_OVERHEAD included */
/* The attached buffer has room for the data only: other libraries may need more than this one. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, size;
    char room[100];
    void *detached;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Buffer_attach(room, sizeof room);
        MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Buffer_detach(&detached, &size);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
