/* smpi: ranks 3 */
/* smpi: platform failing.toml */
/* smpi: expect-exit 5 */
/* smpi: expect-stderr-contains host node-1 failed at 1.000000 s: rank 1 ended */
/* smpi: expect-stdout rank 0: first 0, second 58 */
/* smpi: expect-stdout rank 2: matched 58 */
/* smpi: twice */
/* smpi: requires smpi */
/* A probe finds what the failed rank had sent, and then fails, whether it began before or behind the failure. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        smpi_execute_flops(1e10);
    } else if (rank == 0) {
        smpi_execute_flops(2e9);
        int first = MPI_Probe(1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int second = MPI_Probe(1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("rank 0: first %d, second %d\n", first, second);
    } else {
        MPI_Message message;
        int matched = MPI_Mprobe(1, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        printf("rank 2: matched %d\n", matched);
    }
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
