/* Blocks of every way to allocate and of sizes from bytes to 8 MiB hold what was written, in every execution, whatever
 * became of them in the executions before. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifndef WAYS
#define WAYS 6
#endif

static const size_t sizes[] = {2 << 20, 8 << 20, 3000000, 1 << 20, 200000, 5000, 24};
enum { SIZES = sizeof sizes / sizeof *sizes };

static unsigned char *blocks[WAYS][SIZES];
static MPI_Win windows[2][SIZES];

static void *obtain(int way, int index) {
    size_t size = sizes[index];
    void *block = NULL;
    switch (way) {
    case 0: return malloc(size);
    case 1: return calloc(size, 1);
    case 2: return posix_memalign(&block, 65536, size) ? NULL : block;
    case 3: MPI_Alloc_mem((MPI_Aint)size, MPI_INFO_NULL, &block); return block;
    case 4: MPI_Win_allocate((MPI_Aint)size, 1, MPI_INFO_NULL, MPI_COMM_SELF, &block, &windows[0][index]); return block;
    default:
        MPI_Win_allocate_shared((MPI_Aint)size, 1, MPI_INFO_NULL, MPI_COMM_SELF, &block, &windows[1][index]);
        return block;
    }
}

static void give_up(int way, int index) {
    unsigned char *block = blocks[way][index];
    switch (way) {
    case 0: free(block); break;
    case 1: {
        /* Grows, and shrinks to nothing much. */
        block = realloc(block, 3 * sizes[index]);
        memset(block + sizes[index], 99, 2 * sizes[index]);
        free(realloc(block, 10));
        break;
    }
    case 2: free(block); break;
    case 3: MPI_Free_mem(block); break;
    default: MPI_Win_free(&windows[way - 4][index]);
    }
}

static void check(int value) {
    for (int way = 0; way < WAYS; way++)
        for (int index = 0; index < SIZES; index++) {
            const unsigned char *block = blocks[way][index];
            for (size_t at = 0; at < sizes[index]; at++)
                assert(block[at] == (at == sizes[index] / 2 ? value : 1 + way * 10 + index));
        }
}

int main(int argc, char **argv) {
    int rank, first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int way = 0; way < WAYS; way++)
            for (int index = 0; index < SIZES; index++) {
                blocks[way][index] = obtain(way, index);
                memset(blocks[way][index], 1 + way * 10 + index, sizes[index]);
                blocks[way][index][sizes[index] / 2] = 0;
            }
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(0);
        for (int way = 0; way < WAYS; way++)
            for (int index = 0; index < SIZES; index++)
                blocks[way][index][sizes[index] / 2] = (unsigned char)first;
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(first);
        /* Half of them by one execution, all by the other. */
        for (int way = 0; way < WAYS; way++)
            for (int index = 0; index < SIZES; index++)
                if (first == 1 || (way + index) % 2)
                    give_up(way, index);
        /* What is given up is used again by one execution only: pages that were written are known to be. */
        for (int round = 0; first != 1 && round < 3; round++) {
            void *block = malloc(2000000 << round);
            memset(block, round, (size_t)2000000 << round);
            free(block);
        }
        if (first != 1)
            for (int way = 0; way < WAYS; way++)
                for (int index = 0; index < SIZES; index++)
                    if ((way + index) % 2 == 0)
                        give_up(way, index);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
