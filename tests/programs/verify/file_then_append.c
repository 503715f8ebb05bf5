/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-complete */
/* A stream appends to a file which MPI has changed, and MPI finds what it has written. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

#define NAME "file_then_append.dat"

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Offset size;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, NAME, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    if (rank == 0) {
        FILE *stream = fopen(NAME, "a");
        fputs("more\n", stream);
        fclose(stream);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, NAME, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_get_size(file, &size);
    assert(size == 5);
    MPI_File_close(&file);
    if (rank == 0)
        remove(NAME);
    MPI_Finalize();
    return 0;
}
