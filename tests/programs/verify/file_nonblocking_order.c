/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains in no certain order */
/* Nonblocking accesses by a shared file pointer have one order: the verdict says so. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Request request;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_nonblocking_order.dat", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_File_iwrite_shared(file, &rank, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
