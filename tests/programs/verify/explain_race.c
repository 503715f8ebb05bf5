/* Rank 0 expects rank 1's message first. One receive decides, and is named with the messages that it could take. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-finding assertion */
/* smpi: expect-explanation inevitable since rank 0's 3rd MPI_Recv at explain_race.c:13 took the message that rank 2 sent at explain_race.c:28, and not the message that rank 1 sent at explain_race.c:28: the only continuation fails */
/* smpi: expect-explanation fails whenever rank 0's 1st MPI_Recv at explain_race.c:13 takes the message that rank 2 sent at explain_race.c:26, and rank 0's 3rd MPI_Recv at explain_race.c:13 takes the message that rank 2 sent at explain_race.c:28: the only execution that does; none of 3 others fails */
#include <assert.h>
#include <mpi.h>

static int first_of_two(void) {
    int from[2];
    for (int i = 0; i < 2; i++)
        MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return from[0];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int before = first_of_two();
        MPI_Barrier(MPI_COMM_WORLD);
        assert(first_of_two() == 1 || before == 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
