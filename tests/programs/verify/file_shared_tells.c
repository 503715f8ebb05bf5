/* Who has accessed a file by the shared file pointer knows that it had its turn. So what rank 1 does because of rank 0's
 * message comes after rank 0's turn: that is no access which came late, and no reason to try the turns at the other file
 * first. */
/* smpi: ranks 5 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-transitions zero=20 infinite=20 */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank;
    MPI_File file, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_shared_tells.1", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_open(MPI_COMM_WORLD, "file_shared_tells.2", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &other);
    if (rank == 1)
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_File_write_shared(rank < 3 ? file : other, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_File_close(&other);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
