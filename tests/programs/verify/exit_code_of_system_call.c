/* `exit` as a system call gives the rank's exit code; it does not end the thread of all ranks. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding exit-code */
#define _GNU_SOURCE
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    if (rank == 1)
        syscall(SYS_exit, 3);
    syscall(SYS_exit_group, 0);
    return 1;
}
