// smpi: ranks 2
// smpi: compile-args -g
// smpi: requires smpi
// smpi: expect-exit 134
// smpi: expect-stderr-contains rank 1: free() was given a pointer that is not an allocated block
// smpi: expect-stderr-contains frees_again (
// smpi: expect-stderr-contains heap_double_free.c:16
/* A block that is freed twice is noticed at once, with the place in the source. */
#include <mpi.h>
#include <stdlib.h>

static void *volatile kept;

__attribute__((noinline)) static void frees_again(void *block)
{
    free(block);
    kept = NULL;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *block = malloc(100);
    kept = block;
    free(kept);
    if (rank == 1) {
        kept = block;
        frees_again(kept);
    }
    MPI_Finalize();
    return 0;
}
