/* smpi: ranks 3 */
/* smpi: compile-args --verify -g -O0 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: passes mpi/invalid/epoch mpi/collective-mismatch race/window */
/* Assertions that are true, locks between fences of epochs that are empty, and locks that are ordered by messages. */
#include <mpi.h>

static int rank, x, *memory;
static MPI_Win window;

static void fences(void)
{
    memory[0] = rank;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    if (rank == 0)
        MPI_Put(&rank, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, window);
    MPI_Get(&x, 1, MPI_INT, (rank + 1) % 3, 1, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSTORE | (rank == 1 ? MPI_MODE_NOPUT : 0), window);
    if (rank == 0)
        MPI_Put(&rank, 1, MPI_INT, 2, 1, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    memory[0] = 5;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
    MPI_Win_fence(0, window);
    if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Get(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

static void unchecked(void)
{
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < 3; turn++) {
        if (turn == rank) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, turn % 2 ? MPI_MODE_NOCHECK : 0, window);
            MPI_Put(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
            MPI_Win_unlock(0, window);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void exposed(MPI_Group zero, MPI_Group one)
{
    for (int round = 0; round < 3; round++) {
        int assertion = round == 1 ? MPI_MODE_NOCHECK : 0;
        if (rank == 1)
            MPI_Win_post(zero, assertion | (round == 2 ? MPI_MODE_NOPUT | MPI_MODE_NOSTORE : 0), window);
        if (round == 1)
            MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Win_start(one, assertion, window);
            if (round < 2)
                MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
            else
                MPI_Get(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
            MPI_Win_complete(window);
        }
        if (rank == 1)
            MPI_Win_wait(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    MPI_Get(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_unlock(1, window);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Group world, zero, one;
    int numbers[2] = {0, 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &numbers[0], &zero);
    MPI_Group_incl(world, 1, &numbers[1], &one);
    MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    fences();
    unchecked();
    exposed(zero, one);
    MPI_Win_free(&window);
    MPI_Group_free(&one);
    MPI_Group_free(&zero);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
