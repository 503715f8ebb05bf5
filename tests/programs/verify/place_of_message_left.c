/* A message that nobody receives names the line of its send, whichever kind that was, and whether or not it has a
 * request still. */
/* smpi: ranks 2 */
/* smpi: verify --buffering infinite --keep-going */
/* smpi: expect-finding mpi/pending-at-finalize */
/* smpi: expect-occurrences 4 */
/* smpi: expect-stderr-contains MPI_Send at place_of_message_left.c:19 */
/* smpi: expect-stderr-contains MPI_Sendrecv at place_of_message_left.c:20 */
/* smpi: expect-stderr-contains MPI_Isend at place_of_message_left.c:21 */
/* smpi: expect-stderr-contains MPI_Isend at place_of_message_left.c:23 */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, x = 0, y;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Sendrecv(&x, 1, MPI_INT, 1, 2, &y, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Isend(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Isend(&x, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
