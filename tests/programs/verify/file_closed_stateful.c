/* smpi: ranks 3 */
/* smpi: verify --stateful */
/* smpi: expect-finding assertion */
/* What is in a file that nobody has open is part of the state, too: the message that came first is in it, and nowhere
 * else. */
#include <assert.h>
#include <mpi.h>

#define NAME "file_closed_stateful.dat"

int main(int argc, char **argv)
{
    MPI_File file;
    int rank, i, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (i = 0; i < 2; i++) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (i == 0) {
                MPI_File_open(MPI_COMM_SELF, NAME, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
                MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
                MPI_File_close(&file);
            }
            value = 0;
        }
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_File_open(MPI_COMM_SELF, NAME, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
        assert(value != 2);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
