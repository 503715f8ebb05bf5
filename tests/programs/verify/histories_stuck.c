/* smpi: ranks 4 */
/* smpi: requires smpi */
/* smpi: platform none */
/* smpi: verify --keep-going --reduction histories */
/* smpi: expect-finding deadlock */
/* smpi: expect-executions zero=3 infinite=3 */
/* Rank 0 may leave out the barrier. Then the message does not come that rank 2 is pinned to, and it could take another one:
 * that is no reason to be stuck, and both ranks are explored together. (Rank 2's first receive takes a message that is sent
 * after the barrier in the first execution: with a receive that is posted before, and in the order of ranks.) */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    int rank, both[2];
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&both[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[i]);
    if (rank == 3)
        MPI_Isend(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &requests[0]);
    if (rank != 0 || MC_random(0, 1) == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Isend(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &requests[0]);
    if (rank > 0)
        MPI_Waitall(rank == 2 ? 2 : 1, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
