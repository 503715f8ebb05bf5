/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* A file that has two names is changed under one of them by MPI, and is changed under the other one as well. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME "file_hard_link.dat"
#define OTHER "file_hard_link.too"

int main(int argc, char **argv)
{
    MPI_File file;
    char text[10];

    MPI_Init(&argc, &argv);
    unlink(OTHER);
    unlink(NAME);
    fclose(fopen(NAME, "w"));
    link(NAME, OTHER);
    MPI_File_open(MPI_COMM_WORLD, NAME, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write(file, "data", 4, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    FILE *stream = fopen(OTHER, "r");
    assert(stream && fread(text, 1, sizeof text, stream) == 4 && !memcmp(text, "data", 4));
    fclose(stream);
    unlink(OTHER);
    MPI_Finalize();
    return 0;
}
