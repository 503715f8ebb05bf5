/* A rank whose main() ends by pthread_exit() ends as one that exits with 0 when no other thread is left (POSIX.1-2017
 * pthread_exit). Its handlers run. */
/* smpi: ranks 3 */
/* smpi: args 0 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    switch (rank) {
    case 0: pthread_exit(NULL);
    case 1: thrd_exit(3);
    default: syscall(SYS_exit, 0);
    }
    return 1;
}
