/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-complete */
/* Two ranks make files in a directory at the same time, and the one that listed it has done so before. */
#include <dirent.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        DIR *directory = opendir(".");
        while (readdir(directory))
            ;
        closedir(directory);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_SELF, rank ? "file_beside_list_not.one" : "file_beside_list_not.two",
                  MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
