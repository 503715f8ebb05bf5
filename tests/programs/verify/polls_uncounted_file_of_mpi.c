/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* Rank 0 polls for what it writes to a file by MPI, and for a message, and reads from there what rank 1 has written. */
#include <assert.h>
#include <mpi.h>

#ifdef MOST
#define GIVES_UP(polls) (++(polls) == MOST)
#else
#define GIVES_UP(polls) 0
#endif

int main(int argc, char **argv)
{
    int rank, value = 3, got = 0, flag = 0, polls = 0;
    MPI_Request request;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "polls.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_atomicity(file, 1);
    MPI_File_iwrite_at(file, rank * sizeof value, &value, 1, MPI_INT, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (flag = 0; !flag && !GIVES_UP(polls);)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        assert(flag);
        MPI_File_read_at(file, sizeof value, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
        assert(got == 3);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
