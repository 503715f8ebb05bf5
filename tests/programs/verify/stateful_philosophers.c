/* Dining philosophers over messages, for ever: even ranks eat, odd ones are forks. Everybody who takes the left fork
 * first may wait for the right one for ever; with the argument `polite` the last one takes the right fork first. */
/* smpi: ranks 6 */
/* smpi: verify --stateful --buffering zero */
/* smpi: expect-finding deadlock */
#include <mpi.h>
#include <string.h>

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
    int is_polite = argc > 1 && strcmp(argv[1], "polite") == 0 && rank == 0;
    while (rank % 2 == 1) {
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, TAKE, MPI_COMM_WORLD, &status);
        MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, GIVEN, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, status.MPI_SOURCE, BACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        status = (MPI_Status){0};
    }
    for (;;) {
        take(is_polite ? right : left);
        take(is_polite ? left : right);
        MPI_Send(NULL, 0, MPI_INT, left, BACK, MPI_COMM_WORLD);
        MPI_Send(NULL, 0, MPI_INT, right, BACK, MPI_COMM_WORLD);
    }
}
