/* States that are met again are compared: here each of them is explored from its next three arrivals, too. Philosophers (even
 * ranks) and forks (odd ones) come to the same states in many ways, with and without a deadlock reported meanwhile, and a
 * philosopher that throws a coin has in its registers what other calls have left there. */
/* smpi: ranks 4 */
/* smpi: verify --stateful --reduction none --compare-states 3 --keep-going --buffering infinite */
/* smpi: expect-finding deadlock */
/* smpi: expect-complete */
/* smpi: requires smpi */
#include <mpi.h>
#include <smpi/smpi.h>

enum { TAKE, GIVEN, BACK };

static void take(int fork) {
    MPI_Send(NULL, 0, MPI_INT, fork, TAKE, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, fork, GIVEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    while (rank % 2 == 1) {
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, TAKE, MPI_COMM_WORLD, &status);
        MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, GIVEN, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, status.MPI_SOURCE, BACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        status = (MPI_Status){0};
    }
    for (;;) {
        int first = MC_random(0, 1) ? left : right;
        take(first);
        take(left + right - first);
        MPI_Send(NULL, 0, MPI_INT, left, BACK, MPI_COMM_WORLD);
        MPI_Send(NULL, 0, MPI_INT, right, BACK, MPI_COMM_WORLD);
    }
}
