/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: verify */
/* smpi: expect-finding leak/file */
/* A file that no rank closes. (race_file_not.c closes its own.) */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "/tmp/smpi-leak", MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_Finalize();
    return 0;
}
