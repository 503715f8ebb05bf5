/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: verify */
/* smpi: expect-finding race/file */
/* A nonblocking access is over when its rank has waited for it: a message before that orders nothing. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Request request;
    int rank, value = 5;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "/tmp/smpi-race-pending", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 100);
    if (rank == 0) {
        MPI_File_iwrite_at(file, 8, &value, 1, MPI_INT, &request);
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_File_read_at(file, 8, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
