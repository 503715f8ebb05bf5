/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-complete */
/* A file that one execution leaves behind: the next one does not find it, as a run of its own would not. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

#define NAME "file_left_over.dat"

int main(int argc, char **argv)
{
    MPI_File file;
    int rank, first, second;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(MPI_File_open(MPI_COMM_SELF, NAME, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        FILE *stream = fopen(NAME, "w");
        fprintf(stream, "%d %d\n", first, second);
        fclose(stream);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
