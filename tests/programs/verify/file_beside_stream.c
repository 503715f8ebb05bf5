/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains in no certain order */
/* One rank reads by MPI what the other writes by a stream, and nothing orders the two. */
#include <mpi.h>
#include <stdio.h>

#define NAME "file_beside_stream.dat"

int main(int argc, char **argv)
{
    MPI_File file;
    char letter = 0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        FILE *stream = fopen(NAME, "w");
        fputs("x", stream);
        fclose(stream);
    } else if (MPI_File_open(MPI_COMM_SELF, NAME, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
        MPI_File_read(file, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
    MPI_Finalize();
    return 0;
}
