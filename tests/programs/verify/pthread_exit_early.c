/* Who leaves by pthread_exit() has not called MPI_Finalize; the finding says where that was. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/finalize-missing */
/* smpi: expect-stderr-contains pthread_exit_early.c:14 */
#include <mpi.h>
#include <pthread.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        char block[16];
        pthread_exit(block);
    }
    MPI_Finalize();
    return 0;
}
