/* smpi: ranks 30 */
/* smpi: platform none */
/* smpi: verify --keep-going --reduction histories */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=11 infinite=11 */
/* Ten receives with two senders each, of which nobody hears together: not 1,024 executions. */
#include <assert.h>
#include <mpi.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif

int main(int argc, char **argv)
{
    int rank, first = 0, second = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank % 3 == 0) {
            MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef WRONG
            assert(rank != WRONG || first < second);
#endif
        } else
            MPI_Send(&rank, 1, MPI_INT, rank / 3 * 3, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
