/* Whether two descriptors are one open file belongs to a state: both stand at the same place of the same file, and only
 * what is read through one of them later tells. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
#include <assert.h>
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

static void order(int file, const char *name) {
    MPI_Status status;
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    int other = status.MPI_SOURCE == 1 ? open(name, O_RDONLY) : dup(file);
    assert(other == file + 1);
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    status = (MPI_Status){0};
}

int main(int argc, char **argv) {
    int rank, file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        file = open(argv[0], O_RDONLY);
        order(file, argv[0]);
    } else
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        lseek(file, 10, SEEK_SET);
        assert(lseek(file + 1, 0, SEEK_CUR) == 0);
        close(file + 1);
        close(file);
    }
    MPI_Finalize();
    return 0;
}
