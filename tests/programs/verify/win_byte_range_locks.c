/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding deadlock */
/* Byte-range locks made of windows ("Implementing Byte-Range Locks Using MPI One-Sided Communication", Thakur, Ross,
 * Latham; EuroPVM/MPI 2005): who meets a conflict withdraws its request and waits to be woken. If both withdraw, nobody
 * wakes anybody. ISP found that after 1,522 interleavings (Pervez and others, EuroPVM/MPI 2007). */
#include <mpi.h>

#define WAKE 1

static int rank;
static MPI_Win window;

/* Writes this rank's request, and reads that of the other one. */
static void exchange(int flag, int start, int end, int other[3])
{
    int request[3] = {flag, start, end};

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(request, 3, MPI_INT, 0, 3 * rank, 3, MPI_INT, window);
    MPI_Get(other, 3, MPI_INT, 0, 3 * (1 - rank), 3, MPI_INT, window);
    MPI_Win_unlock(0, window);
}

static void acquire(int start, int end)
{
    int other[3];

    for (;;) {
        exchange(1, start, end, other);
        if (!(other[0] == 1 && other[1] <= end && other[2] >= start))
            return;
        exchange(0, start, end, other);
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, WAKE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void release(int start, int end)
{
    int other[3];

    exchange(0, -1, -1, other);
    if (other[0] == 0 && other[1] >= 0 && other[1] <= end && other[2] >= start)
        MPI_Send(NULL, 0, MPI_BYTE, 1 - rank, WAKE, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int table[6] = {0, -1, -1, 0, -1, -1};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(table, sizeof table, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    acquire(10 * rank, 10 * rank + 15);
    release(10 * rank, 10 * rank + 15);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
