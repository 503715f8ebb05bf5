/* A socket has a state that nobody can see: states are told apart by what led to them while it is open, and it is said
 * why. When it is closed, states have names again: in the end both orders have led to the same one. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --buffering infinite */
/* smpi: expect-no-finding */
/* smpi: expect-executions 1 */
/* smpi: expect-stderr-contains told apart by what led to them, because a rank has a socket */
#include <mpi.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, ends[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    if (rank > 0)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < 3; i++)
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    close(ends[0]);
    close(ends[1]);
    MPI_Finalize();
    return 0;
}
