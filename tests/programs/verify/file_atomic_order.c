/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* In atomic mode either order of two writes is right, and both are explored. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "/tmp/smpi-atomic-order", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_File_set_atomicity(file, 1);
    MPI_File_write_at(file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
