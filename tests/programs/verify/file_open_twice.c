/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains while it is open */
/* A stream that was opened before MPI writes does not see what MPI writes in memory. */
#include <mpi.h>
#include <stdio.h>

#define NAME "file_open_twice.dat"

int main(int argc, char **argv)
{
    MPI_File file;
    FILE *stream;

    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_SELF, NAME, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    stream = fopen(NAME, "r");
    MPI_File_write(file, "new", 3, MPI_CHAR, MPI_STATUS_IGNORE);
    fgetc(stream);
    fclose(stream);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
