/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains in no certain order */
/* Closing a file removes it, and nothing orders that and a rank that asks whether it is there. */
#include <mpi.h>
#include <unistd.h>

#define NAME "file_beside_close.dat"

int main(int argc, char **argv)
{
    MPI_File file;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_File_open(MPI_COMM_SELF, NAME, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_File_close(&file);
    else
        access(NAME, F_OK);
    MPI_Finalize();
    return 0;
}
