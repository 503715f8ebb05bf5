/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: passes mpi/invalid/buffer memory/freed */
/* Memory that is the caller's own although it lies in no block of its heap and no frame of its stack: from mmap, of a
 * library, constant, thread-local, of another rank by a shared window, and one behind the last block; and addresses that
 * nobody looks at, because there are no elements. */
#define _GNU_SOURCE
#include "../check.h"

#include <stdint.h>
#include <sys/mman.h>

static const int constant[4] = {1, 2, 3, 4};
static __thread int local[4];
static int zeros[4];

static void exchange(int rank, const void *sent, void *received)
{
    if (rank == 0)
        CHECK_OK(MPI_Send(sent, 4, MPI_INT, 1, 0, MPI_COMM_WORLD));
    else
        CHECK_OK(MPI_Recv(received, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void mapped(int rank)
{
    size_t page = 4096;
    char *pages = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(pages != MAP_FAILED);
    /* Two mappings side by side. */
    CHECK(mprotect(pages + 2 * page, 2 * page, PROT_READ) == 0);
    exchange(rank, pages + 2 * page - 8, pages + page);
    exchange(rank, pages + 3 * page, pages);
    CHECK(mprotect(pages + 2 * page, 2 * page, PROT_READ | PROT_WRITE) == 0);
    exchange(rank, pages + 3 * page, pages + 3 * page);
    CHECK(munmap(pages, 4 * page) == 0);
}

static void shared(int rank)
{
    int *own, *others, unit;
    MPI_Aint size;
    MPI_Win window;

    CHECK_OK(MPI_Win_allocate_shared(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window));
    CHECK_OK(MPI_Win_shared_query(window, 1 - rank, &size, &unit, &others));
    MPI_Win_fence(0, window);
    if (rank == 0)
        CHECK_OK(MPI_Sendrecv(constant, 4, MPI_INT, 0, 0, others, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MPI_Win_fence(0, window);
    if (rank == 1)
        CHECK_INT(own[3], 4);
    CHECK_OK(MPI_Win_free(&window));
}

static void nothing(int rank)
{
    void *wild = (void *)0x7e0000001000;
    int zero[2] = {0, 0};

    if (rank == 0)
        CHECK_OK(MPI_Send(wild, 0, MPI_INT, 1, 0, MPI_COMM_WORLD));
    else
        CHECK_OK(MPI_Recv(wild, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Waitall(0, wild, wild));
    CHECK_OK(MPI_Send(wild, 5, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Gather(&rank, 1, MPI_INT, rank == 0 ? (void *)zeros : wild, 1, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Gatherv(&rank, 1, MPI_INT, zeros, rank == 0 ? (int[]){1, 1} : wild, rank == 0 ? (int[]){0, 1} : wild,
                         MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Allgatherv(wild, 0, MPI_INT, wild, zero, zero, MPI_INT, MPI_COMM_WORLD));
    CHECK_OK(MPI_Exscan(constant, rank == 0 ? wild : (void *)zeros, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_OK(MPI_Bcast(rank == 0 ? (void *)constant : (void *)zeros, 4, MPI_INT, 0, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    int rank, *block = malloc(16);

    check_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange(rank, constant, zeros);
    exchange(rank, local, block);
    exchange(rank, (int[]){4, 3, 2, 1}, block);
    exchange(rank, strerror(1), block);
    exchange(rank, "a text of more than sixteen characters", block);
    mapped(rank);
    shared(rank);
    nothing(rank);
    free(block);
    return check_end();
}
