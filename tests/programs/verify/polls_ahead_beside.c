/* Two ranks poll for two messages each, and what one of them sees first it tells the other one. Each order that each can see is
 * an execution, and no number of polls is one. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/message */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, values[2] = {0, 0}, order[2], count = 0, done;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank < 2) {
        MPI_Request requests[2], sent = MPI_REQUEST_NULL;
        MPI_Irecv(&values[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &requests[1]);
        if (rank == 0)
            MPI_Isend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &sent);
        while (count < 2)
            for (int i = 0; i < 2; i++) {
                if (requests[i] == MPI_REQUEST_NULL)
                    continue;
                MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
                if (!done)
                    continue;
                order[count++] = i;
                if (rank == 1 && count == 1) {
                    int told = 10 + i;
                    MPI_Send(&told, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
                }
            }
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        printf("%d: %d %d, %d\n", rank, order[0], order[1], values[0]);
    } else {
        for (int i = 0; i < 2; i++)
            MPI_Send(&rank, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
