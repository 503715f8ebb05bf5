/* What a program prints is not shown while it is explored, however much it is, and is compared to the last byte. */
/* smpi: ranks 3 */
/* smpi: smpirun-args --verify --buffering zero -quiet */
/* smpi: requires smpi */
/* smpi: expect-exit 1 */
/* smpi: expect-stderr-contains race/message */
/* smpi: stdout-order exact */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, from;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 300000; i++)
            printf("line %d\n", i == 7 ? from : i);
        printf("no line end");
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
