/* Rank 0 takes its order from whoever is first, and waits for a message that nobody sends in one of two lines: which
 * one follows from a choice that does not matter. That is one fault, seen under both kinds of buffering. */
/* smpi: ranks 5 */
/* smpi: verify --keep-going */
/* smpi: expect-finding deadlock */
/* smpi: expect-faults deadlock=1 */
/* smpi: expect-guises deadlock=3 */
/* smpi: expect-occurrences 4 */
/* smpi: expect-complete */
/* smpi: expect-explanation inevitable since rank 0's MPI_Recv at one_fault_two_places.c:21 took the message that rank 2 sent */
/* smpi: expect-beside fails | is right: */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, order, report;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 || rank == 2) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank > 2) MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(&order, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&report, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (order == 1)
            MPI_Recv(&order, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (report == 3)
            MPI_Recv(&order, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Recv(&order, 1, MPI_INT, 4, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&report, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
