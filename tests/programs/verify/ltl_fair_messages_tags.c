/* The server takes messages with two tags in turn. Rank 1 sends one of the first tag, and goes on to send others of the
 * second one, which are taken: so it is this one message, and not rank 1, that is left out for ever without fairness. */
/* smpi: ranks 3 */
/* smpi: verify --ltl=Fheard --fair-messages */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <smpi/smpi.h>

enum { FIRST, SECOND };

int main(int argc, char **argv) {
    static int heard;
    int rank;
    MPI_Request once;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MC_proposition("heard", &heard);
    if (rank == 1)
        MPI_Issend(NULL, 0, MPI_INT, 0, FIRST, MPI_COMM_WORLD, &once);
    for (;;)
        if (rank == 0) {
            MPI_Status status;
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, FIRST, MPI_COMM_WORLD, &status);
            if (status.MPI_SOURCE == 1)
                heard = 1;
            status = (MPI_Status){0};
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, SECOND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else
            MPI_Ssend(NULL, 0, MPI_INT, 0, rank == 1 ? SECOND : FIRST, MPI_COMM_WORLD);
}
