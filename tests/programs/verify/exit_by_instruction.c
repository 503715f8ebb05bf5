/* A rank that ends its thread past libc ends that of all ranks: a finding that names the rank, and no hang. */
/* smpi: ranks 2 */
/* smpi: verify --call-timeout 1 */
/* smpi: expect-finding crash */
/* smpi: nowhere */
/* smpi: expect-stderr-contains rank 1 ended its thread by a system call */
#include <mpi.h>
#include <sys/syscall.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        __asm__ volatile("syscall" : : "a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
    MPI_Finalize();
    return 0;
}
