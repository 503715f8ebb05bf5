/* smpi: ranks 2 */
/* smpi: compile-args --verify -g -O0 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/invalid/epoch */
/* smpi: expect-finding mpi/collective-mismatch */
/* smpi: expect-stderr-contains MPI_MODE_NOPRECEDE says that */
/* smpi: expect-stderr-contains MPI_Win_fence(MPI_MODE_NOPRECEDE), rank 1 */
/* smpi: expect-stderr-contains MPI_Win_fence(MPI_MODE_NOSUCCEED), rank 1 */
/* smpi: expect-stderr-contains MPI_Win_fence of rank 1 says by MPI_MODE_NOPUT */
/* smpi: expect-stderr-contains MPI_Win_post of rank 1 says by MPI_MODE_NOPUT */
/* smpi: expect-stderr-contains MPI_Win_fence: MPI_MODE_NOSTORE */
/* smpi: expect-stderr-contains MPI_Win_post: MPI_MODE_NOSTORE */
/* smpi: expect-stderr-contains MPI_Win_lock_all of rank */
/* smpi: expect-stderr-contains MPI_Win_post of rank 1 is without */
/* smpi: expect-stderr-contains was called before, and nothing makes sure of that */
/* Assertions that are not true (MPI 5.0 section 12.5.5), each at a window of its own. */
#include <mpi.h>

static int rank, x, *memory;
static MPI_Win window;
static MPI_Group peer;

static void begin(void)
{
    MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
}

static void end(void)
{
    MPI_Win_free(&window);
}

static void put(void)
{
    if (rank == 0)
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
}

static void fences(void)
{
    begin();
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Get(&x, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Win_fence(0, window);
    end();
    begin();
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOPRECEDE : 0, window);
    put();
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOSUCCEED : 0, window);
    end();
    begin();
    MPI_Win_fence(rank == 1 ? MPI_MODE_NOPUT : 0, window);
    put();
    MPI_Win_fence(0, window);
    if (rank == 1)
        memory[1] = 1;
    MPI_Win_fence(MPI_MODE_NOSTORE, window);
    end();
}

/* Rank 1 exposes its memory to rank 0. */
static void exposed(int at_post, int at_start, int stores)
{
    begin();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    if (rank == 1) {
        if (stores)
            memory[1] = 1;
        MPI_Win_post(peer, at_post, window);
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(peer, at_start, window);
        put();
        MPI_Win_complete(window);
    }
    end();
}

/* Both say that nothing need be checked, and nothing makes sure that the memory is exposed first. */
static void unordered(void)
{
    begin();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    if (rank == 1) {
        MPI_Win_post(peer, MPI_MODE_NOCHECK, window);
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(peer, MPI_MODE_NOCHECK, window);
        MPI_Win_complete(window);
    }
    end();
}

static void locks(void)
{
    begin();
    if (rank == 0) {
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
        MPI_Win_unlock_all(window);
    } else {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Win_unlock(1, window);
    }
    end();
}

int main(int argc, char **argv)
{
    MPI_Group world;
    int other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &peer);
    fences();
    exposed(MPI_MODE_NOPUT, 0, 0);
    exposed(MPI_MODE_NOSTORE, 0, 1);
    exposed(0, MPI_MODE_NOCHECK, 0);
    unordered();
    locks();
    MPI_Group_free(&peer);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
