/* A rank that returns early leaves two communicators behind: that is one fault. What is left behind in a loop is one
 * anyway; and what no execution takes along is another one for each line. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding leak/communicator */
/* smpi: expect-finding leak/datatype */
/* smpi: expect-faults leak/communicator=1 leak/datatype=2 */
/* smpi: expect-guises leak/communicator=1 leak/datatype=0 */
/* smpi: expect-occurrences 10 */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, first = 1, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm one, other;
    MPI_Datatype type;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 0; i < 3; i++) MPI_Type_contiguous(i + 1, MPI_INT, &type);
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (first == 1) {
        MPI_Comm_free(&one);
        MPI_Comm_free(&other);
    }
    MPI_Finalize();
    return 0;
}
