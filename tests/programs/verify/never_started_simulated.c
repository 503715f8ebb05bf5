/* A persistent request that is neither started nor freed is worth a warning in a simulation, and no error with --strict. */
/* smpi: requires smpi */
/* smpi: smpirun-args --strict */
/* smpi: expect-pass */
/* smpi: expect-stderr-contains warning: request/never-started: 1 persistent request of rank 0 was */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int value = 0;
    MPI_Request freed, left;
    MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &freed);
    MPI_Request_free(&freed);
    MPI_Send_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &left);
    MPI_Finalize();
    printf("PASS\n");
    return 0;
}
