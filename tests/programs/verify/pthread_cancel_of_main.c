/* The thread of main() is that of all ranks, and cannot be cancelled: a finding, and no hang. */
/* smpi: ranks 2 */
/* smpi: expect-finding crash */
/* smpi: expect-stderr-contains pthread_cancel() of the thread that runs main() */
#include <mpi.h>
#include <pthread.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        pthread_cancel(pthread_self());
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
