/* smpi: ranks 6 */
/* smpi: verify --buffering infinite --keep-going */
/* smpi: expect-finding race/message */
/* smpi: expect-complete */
/* smpi: expect-executions 24 */
/* smpi: requires smpi */
/* Choices are named by the order of their rank's calls, whatever other ranks have done meanwhile: here MPI_Wait blocks or does
 * not, and the receive before it comes before the random number after it in any case. Outcomes: rank 1 takes the message of rank 2
 * or 4 first (2), Waitany returns one or the other receive (the message of rank 3 depends on which of 4 and 5 it hears of
 * first: 2), the random number (3). */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int from_1, either[2], any, index, random;
        MPI_Request named, pair[2], wildcard;
        MPI_Irecv(&from_1, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &named);
        MPI_Irecv(&either[0], 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &pair[0]);
        MPI_Irecv(&either[1], 1, MPI_INT, 3, 1, MPI_COMM_WORLD, &pair[1]);
        MPI_Waitany(2, pair, &index, MPI_STATUS_IGNORE);
        MPI_Irecv(&any, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &wildcard);
        MPI_Wait(&named, MPI_STATUS_IGNORE);
        random = MC_random(0, 2);
        MPI_Wait(&wildcard, MPI_STATUS_IGNORE);
        MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
        printf("%d %d %d %d %d\n", from_1, either[1], index, random, any);
    } else if (rank == 1 || rank == 3) {
        int other, tag = rank == 1 ? 5 : 1;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    } else {
        if (rank == 2 || rank == 4)
            MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        if (rank == 4 || rank == 5)
            MPI_Send(&rank, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);
        if (rank == 2) {
            MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
