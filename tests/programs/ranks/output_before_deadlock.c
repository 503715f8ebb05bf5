/* What ranks printed before a deadlock is seen, also without a line end. */
/* smpi: ranks 2 */
/* smpi: expect-exit 3 */
/* smpi: expect-stdout partial 0partial 1 */
/* smpi: requires smpi */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, x;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("partial %d", rank);
    MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
