/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=3 infinite=3 */
// A rank of C++ waits for what another one hands over in memory that they share.
#include <atomic>
#include <cassert>
#include <mpi.h>
#include <new>

struct Box {
    double content = 0;
    std::atomic<bool> is_full{false};
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, unit;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *memory;
    MPI_Aint size;
    MPI_Win window;
    MPI_Win_allocate_shared(rank == 0 ? sizeof(Box) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &memory);
    if (rank == 0)
        new (memory) Box;
    MPI_Barrier(MPI_COMM_WORLD);
    Box *box = static_cast<Box *>(memory);
    if (rank == 0) {
        box->content = 0.5;
        box->is_full.store(true, std::memory_order_release);
    } else {
        while (!box->is_full.load(std::memory_order_acquire)) { }
        assert(box->content == 0.5);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
