/* smpi: ranks 2 */
/* smpi: verify --buffering infinite --keep-going */
/* smpi: expect-finding race/message */
/* smpi: expect-complete */
/* smpi: expect-executions 4 */
/* Messages do not overtake each other, a cancelled one included (MPI 5.0 sections 3.5 and 3.8.4): rank 1 has received the second
 * message when the first, of another tag, is cancelled or not; the third, of the first's tag, comes behind it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, values[3] = {1, 2, 3}, i;
    MPI_Request requests[3];
    MPI_Status statuses[3];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (i = 0; i < 3; i++)
            MPI_Isend(&values[i], 1, MPI_INT, 1, i == 1, MPI_COMM_WORLD, &requests[i]);
        MPI_Recv(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Cancel(&requests[0]);
        MPI_Cancel(&requests[2]);
        MPI_Waitall(3, requests, statuses);
        for (i = 0; i < 3; i += 2) {
            int flag;
            MPI_Test_cancelled(&statuses[i], &flag);
            if (flag)
                MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        }
    } else {
        MPI_Recv(&values[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&values[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&values[2], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %d %d\n", values[0], values[1], values[2]);
    }
    MPI_Finalize();
    return 0;
}
