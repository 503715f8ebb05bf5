/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: passes mpi/invalid/file */
/* smpi: expect-complete */
/* Errors of files return by default: a program that looks at them is right. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file = MPI_FILE_NULL;
    int x, class;

    MPI_Init(&argc, &argv);
    MPI_Error_class(MPI_File_open(MPI_COMM_WORLD, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), &class);
    assert(class == MPI_ERR_NO_SUCH_FILE);
    MPI_Error_class(MPI_File_read(file, &x, 1, MPI_INT, MPI_STATUS_IGNORE), &class);
    assert(class == MPI_ERR_FILE);
    MPI_Finalize();
    return 0;
}
