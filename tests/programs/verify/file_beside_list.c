/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains in no certain order */
/* One rank lists a directory, the other one makes a file there, and nothing orders the two. */
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
    } else {
        MPI_File_open(MPI_COMM_SELF, "file_beside_list.dat", MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
        MPI_File_close(&file);
    }
    MPI_Finalize();
    return 0;
}
