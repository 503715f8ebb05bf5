/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: verify */
/* smpi: expect-finding mpi/invalid/file */
/* A closed file is read, and the program lets errors of files end it. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;
    int x;

    MPI_Init(&argc, &argv);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
    MPI_File_open(MPI_COMM_WORLD, "/tmp/smpi-invalid", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    MPI_File_read(file, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
