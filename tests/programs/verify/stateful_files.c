/* What ranks have open belongs to a state: where a file is read next, and whether two descriptors are one file. Nothing
 * else tells the two orders apart, and the assertion fails in one of them. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-states zero=5 infinite=5 */
#include <assert.h>
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

/* Leaves nothing in memory of which came first. */
static void order(int file) {
    MPI_Status status;
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    lseek(file, status.MPI_SOURCE == 1 ? 0 : 10, SEEK_SET);
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    status = (MPI_Status){0};
}

int main(int argc, char **argv) {
    int rank, file = open(argv[0], O_RDONLY);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        order(file);
    else
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    assert(rank != 0 || lseek(file, 0, SEEK_CUR) == 0);
    close(file);
    MPI_Finalize();
    return 0;
}
