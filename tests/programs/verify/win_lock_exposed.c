/* smpi: ranks 3 */
/* smpi: compile-args -g -O0 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/invalid/epoch */
/* smpi: expect-stderr-contains may be exposed by MPI_Win_post of rank 1 at the same time */
/* smpi: expect-stderr-contains is exposed between the same fences, where MPI_Get reaches it */
/* Memory is locked while it is exposed (MPI 5.0 section 12.5.3): by a post, also where the two happen to be apart here; and
 * by an access between fences. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, x = 1, numbers[2] = {0, 1};
    MPI_Win window;
    MPI_Group world, zero, one;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &numbers[0], &zero);
    MPI_Group_incl(world, 1, &numbers[1], &one);
    MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank == 0) {
        MPI_Win_start(one, 0, window);
        MPI_Win_complete(window);
    } else if (rank == 1) {
        MPI_Win_post(zero, 0, window);
        MPI_Win_wait(window);
    } else {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Win_unlock(1, window);
    }
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Get(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Get(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
    MPI_Group_free(&one);
    MPI_Group_free(&zero);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
