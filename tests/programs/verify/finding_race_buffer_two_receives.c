/* Two pending receives share a byte. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/buffer */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    char text[8] = "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request requests[2];
    for (int i = 0; i < 2; i++) {
        if (rank == 0)
            MPI_Irecv(&text[i * 3], 4, MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Isend(&text[i * 3], 4, MPI_CHAR, 0, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
