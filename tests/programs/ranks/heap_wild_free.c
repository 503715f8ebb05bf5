// smpi: ranks 2
// smpi: compile-args -g
// smpi: requires smpi
// smpi: shuffled
// smpi: expect-exit 134
// smpi: expect-stderr-contains rank 0: free() was given a pointer that is not an allocated block
// smpi: expect-stderr-contains heap_wild_free.c:21
/* A pointer whose lower half was overwritten with zeros is no block of any rank, and not taken for one. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *volatile block = malloc(100);
    if (rank == 0) {
        block = (void *)((uintptr_t)block >> 32 << 32);
        free(block);
    }
    MPI_Finalize();
    return 0;
}
