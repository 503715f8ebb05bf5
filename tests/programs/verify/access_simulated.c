/* A simulation with --strict notices accesses, too. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: smpirun-args --strict */
/* smpi: expect-exit 1 */
/* smpi: twice */
/* smpi: shuffled */
/* smpi: expect-stderr-contains race/buffer */
/* smpi: expect-stderr-contains access_simulated.c:21 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int mine = rank, other;
    MPI_Request requests[2];
    MPI_Irecv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    mine = 5;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
