/* What changes while a rank computes may lie in a thread-local variable, in memory that it has mapped, or in a large
 * block: none of them goes on for ever. */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero --call-timeout 0.3 --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: passes non-termination */
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>

static __thread volatile unsigned long local;

int main(int argc, char **argv) {
    int rank;
    volatile unsigned long *count;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        count = &local;
    else if (rank == 1)
        count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    else
        count = calloc(1, 64 << 20);
    while (*count < 5000000000ul)
        ++*count;
    MPI_Finalize();
    return 0;
}
