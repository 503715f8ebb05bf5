/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-complete */
/* MPI_File_delete of a symbolic link removes the link, and not what it stands for: as unlink does. */
#include <assert.h>
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "file_link_removed.dat"
#define LINK "file_link_removed.lnk"

int main(int argc, char **argv)
{
    MPI_File file;
    struct stat about;
    char text[8] = "";
    int rank, class;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        unlink(LINK);
        unlink(NAME);
        assert(symlink(NAME, LINK) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, LINK, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    if (rank == 1)
        MPI_File_write_at(file, 0, "data", 4, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    assert(stat(NAME, &about) == 0 && about.st_size == 4);
    assert(lstat(LINK, &about) == 0 && S_ISLNK(about.st_mode));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_File_delete(LINK, MPI_INFO_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    assert(lstat(LINK, &about) == -1 && errno == ENOENT);
    assert(stat(LINK, &about) == -1 && errno == ENOENT);
    assert(stat(NAME, &about) == 0 && about.st_size == 4);
    MPI_Error_class(MPI_File_open(MPI_COMM_WORLD, LINK, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), &class);
    assert(class == MPI_ERR_NO_SUCH_FILE);
    MPI_File_open(MPI_COMM_WORLD, NAME, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_read_at(file, 0, text, 4, MPI_CHAR, MPI_STATUS_IGNORE);
    assert(strcmp(text, "data") == 0);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
