/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* A file that the program writes without MPI, and every execution anew, before MPI reads it. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

#define NAME "file_after_stream.dat"

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Offset size;
    char text[8] = "";
    int rank, from[2] = {0, 0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&from[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&from[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        FILE *stream = fopen(NAME, "w");
        fprintf(stream, "%d %d\n", from[0], from[1]);
        fclose(stream);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Bcast(from, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, NAME, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_get_size(file, &size);
    MPI_File_read_all(file, text, 8, MPI_CHAR, MPI_STATUS_IGNORE);
    assert(size == 4 && text[0] == '0' + from[0] && text[2] == '0' + from[1]);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
