/* One round of a ring: a look whether the message is there, whose answer is returned, and a wait for it. With TELLS the second
 * message says what was found before the first one, so that ranks are told different things. */
#include <mpi.h>

static int look_and_wait(int round) {
    static int told;
    int rank, ranks, got = -1, found = 0;
    MPI_Request received, sent;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Irecv(&got, 1, MPI_INT, (rank + ranks - 1) % ranks, round, MPI_COMM_WORLD, &received);
    MPI_Isend(&told, 1, MPI_INT, (rank + 1) % ranks, round, MPI_COMM_WORLD, &sent);
    MPI_Test(&received, &found, MPI_STATUS_IGNORE);
    MPI_Wait(&received, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
#ifdef TELLS
    told = round == 0 && found;
#endif
    return found;
}
