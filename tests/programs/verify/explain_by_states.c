/* Explored by states, a finding is explained as without: the condition, the nearest execution, and what would help. */
/* smpi: ranks 3 */
/* smpi: compile-args -g */
/* smpi: verify --stateful */
/* smpi: expect-finding assertion */
/* smpi: expect-stderr-contains fails whenever rank 0's 2nd MPI_Recv at explain_by_states.c:21 takes the */
/* smpi: expect-stderr-contains all 2 executions that do; none of 4 others fails */
/* smpi: expect-stderr-contains would help: with the sources named at explain_by_states.c:21 */
/* smpi: expect-stderr-contains random schedules with zero buffering */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, from[4];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 4; i++)
            MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(!(from[1] == 2 && from[3] == 1));
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
