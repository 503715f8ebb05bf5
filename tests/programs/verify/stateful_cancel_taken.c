/* A rank cancels a receive in each round until it has taken its message once: that it takes it for the first time in any round is
 * the same from there on. Nobody stays for ever in rounds in which the message is there and is not taken. */
/* smpi: ranks 2 */
/* smpi: compile-args -O1 */
/* smpi: verify --stateful --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 1, round = 0, cancelled = 1;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        while (cancelled) {
            MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            MPI_Cancel(&request);
            MPI_Wait(&request, &status);
            MPI_Test_cancelled(&status, &cancelled);
            round = (round + 1) % 3;
            assert(cancelled || round != 2);
        }
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
