/* Who gets a lock first is a choice, which is found out on the way: the search begins anew with it. */
/* smpi: ranks 3 */
/* smpi: verify --ltl=G(!first2) */
/* smpi: expect-finding liveness */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    static int first2, memory;
    int rank, value = 1, before = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        MC_proposition("first2", &first2);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank > 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Get(&before, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
        first2 = rank == 2 && before == 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
