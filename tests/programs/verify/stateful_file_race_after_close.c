/* Rank 0 writes a file and closes it; whether rank 1 has heard of that before it writes the same bytes depends on which message it
 * takes first. Both ways lead to the same memory, and one of them is a race. */
/* smpi: ranks 3 */
/* smpi: compile-args -O1 */
/* smpi: verify --stateful */
/* smpi: expect-finding race/file */
#include <mpi.h>
#include <string.h>

#define NAME "stateful_file_race_after_close.dat"

static void write_file(int value)
{
    MPI_File file;

    MPI_File_open(MPI_COMM_SELF, NAME, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        write_file(7);
    if (rank != 1)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        write_file(7);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
