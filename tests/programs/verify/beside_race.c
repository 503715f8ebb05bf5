/* What rank 0 prints depends on who is first: both executions stand beside each other, with what they print. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-finding race/message */
/* smpi: expect-explanation one execution: line 2 that rank 0 prints is `rank 1 is first` (--replay */
/* smpi: expect-explanation another: line 2 that rank 0 prints is `rank 2 is first` (--replay */
/* smpi: expect-beside came first | gives another result: the first 2 calls are the same, and all that ranks 1,2 do */
/* smpi: expect-beside 0: MPI_Recv beside_race.c:19 takes the message that rank 1 sent at beside_race.c:23 | MPI_Recv beside_race.c:19 takes the message that rank 2 sent at beside_race.c:23 */
/* smpi: expect-beside 0: ends, having printed `rank 1 is first` | ends, having printed `rank 2 is first` */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("begin\n");
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("rank %d is first\n", first);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
