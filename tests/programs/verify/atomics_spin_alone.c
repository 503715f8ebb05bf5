/* smpi: compile-args --verify */
/* smpi: ranks 3 */
/* smpi: platform none */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=12 infinite=12 */
/* Rank 0 waits for a flag in memory that it shares with rank 1, and calls nothing meanwhile. What it reads then is what
 * rank 1 has stored before, without being atomic. */
#include <assert.h>
#include <mpi.h>
#include <stdatomic.h>

struct message {
    int content;
    atomic_int is_there;
};

int main(int argc, char **argv)
{
    int rank, unit;
    struct message *message;
    MPI_Aint size;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *message : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &message, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &message);
    if (rank == 0)
        atomic_store(&message->is_there, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        message->content = 7;
        atomic_store(&message->is_there, 1);
    } else if (rank == 0) {
        while (!atomic_load(&message->is_there)) { }
        assert(message->content == 7);
    } else {
        atomic_load(&message->is_there);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
