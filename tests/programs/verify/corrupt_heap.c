/* A program that writes beyond the end of a block of its heap: noticed at the next use of the heap, in all forms. */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero --keep-going */
/* smpi: expect-finding crash */
/* smpi: expect-stderr-contains corrupt_heap.c */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void use(char *volatile block, int byte, size_t size) {
    memset(block, byte, size);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, kind;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        char *first = malloc(16), *second = malloc(16), *third = malloc(16);
        MPI_Recv(&kind, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (kind == 1) {
            use(first, 0xff, 120); /* Over the sizes of the blocks that follow. */
            free(second);
        } else {
            free(second);
            use(second, 0xff, 16); /* Over the links of a free block. */
            second = malloc(16);
        }
        free(second);
        free(third);
        free(first);
        MPI_Recv(&kind, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
