/* Messages come in any order, and what is printed is the same in all of them: lines of each rank are its own, and a server
 * that prints for ever whom it serves has no result. */
/* smpi: ranks 5 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 1; i < 3; i++) {
            int value;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("message %d\n", i);
            sum += value;
            value = 0;
        }
        printf("%d\n", sum);
        for (;;) {
            MPI_Status status;
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            printf("for %d\n", status.MPI_SOURCE);
            status = (MPI_Status){0};
        }
    }
    if (rank < 3) {
        printf("I am %d\n", rank);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Finalize();
        return 0;
    }
    for (;;)
        MPI_Ssend(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
}
