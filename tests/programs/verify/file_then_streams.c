/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-complete */
/* What MPI wrote is what the program's other functions find, though the disk does not have it: contents, size, and that
 * it is gone. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "file_then_streams.dat"

static void look(int size)
{
    char text[32] = "";
    struct stat about;

    FILE *stream = fopen("./" NAME, "r");
    assert(stream && fread(text, 1, sizeof text, stream) == (size_t)size);
    assert(strncmp(text, "first line\nsecond line\n", size) == 0);
    fclose(stream);
    assert(stat(NAME, &about) == 0 && about.st_size == size && S_ISREG(about.st_mode));
    assert(lstat(NAME, &about) == 0 && about.st_size == size && S_ISREG(about.st_mode));
    assert(access(NAME, R_OK) == 0);
    int file = open(NAME, O_RDONLY | O_NOFOLLOW);
    assert(file >= 0 && pread(file, text, 4, 6) == 4 && memcmp(text, "line", 4) == 0);
    close(file);
}

int main(int argc, char **argv)
{
    MPI_File file;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        unlink(NAME);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, NAME, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    if (rank == 0)
        MPI_File_write_at(file, 0, "first line\n", 11, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    look(11);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_File_write_at(file, 11, "second line\n", 12, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    look(23);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        assert(remove(NAME) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    assert(!fopen(NAME, "r") && errno == ENOENT);
    assert(unlink(NAME) == -1 && errno == ENOENT);
    MPI_Finalize();
    return 0;
}
