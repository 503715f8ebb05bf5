/*
 * What accesses to windows cost: two ranks, of which rank 0 accesses the memory of rank 1. Prints the simulated
 * microseconds of each pattern with 8 bytes, 64 KiB and 1 MiB, of the rank that takes longer; both begin at one instant.
 * For docs/platforms.md ("An access to a window"), under libsmpi and under SMPI.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1 << 20 };

/* What a pattern needs to have been begun. */
enum { NONE, FENCE, LOCK };

static int rank;
static MPI_Win window;
static char *mine, *theirs;

static void empty_fence(int size) {
    (void)size;
    MPI_Win_fence(0, window);
}

static void put_fence(int size) {
    if (rank == 0)
        MPI_Put(mine, size, MPI_BYTE, 1, 0, size, MPI_BYTE, window);
    MPI_Win_fence(0, window);
}

static void get_fence(int size) {
    if (rank == 0)
        MPI_Get(mine, size, MPI_BYTE, 1, 0, size, MPI_BYTE, window);
    MPI_Win_fence(0, window);
}

static void accumulate_fence(int size) {
    if (rank == 0)
        MPI_Accumulate(mine, size / 8, MPI_DOUBLE, 1, 0, size / 8, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
}

static void lock_put_unlock(int size) {
    if (rank == 1)
        return;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Put(mine, size, MPI_BYTE, 1, 0, size, MPI_BYTE, window);
    MPI_Win_unlock(1, window);
}

static void put_flush(int size) {
    if (rank == 1)
        return;
    MPI_Put(mine, size, MPI_BYTE, 1, 0, size, MPI_BYTE, window);
    MPI_Win_flush(1, window);
}

static void fetch_flush(int size) {
    long one = 1, before;
    (void)size;
    if (rank == 1)
        return;
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 1, 0, MPI_SUM, window);
    MPI_Win_flush(1, window);
}

static void general(int size) {
    MPI_Group all, other;
    const int partner = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &partner, &other);
    if (rank == 0) {
        MPI_Win_start(other, 0, window);
        MPI_Put(mine, size, MPI_BYTE, 1, 0, size, MPI_BYTE, window);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
}

/* The slower rank's microseconds. */
static double measure(void (*pattern)(int), int size) {
    double now, took, most;
    MPI_Barrier(MPI_COMM_WORLD);
    now = MPI_Wtime();
    MPI_Bcast(&now, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    const double begin = (double)(long)now + 2;
    usleep((useconds_t)((begin - MPI_Wtime()) * 1e6 + 0.5));
    now = MPI_Wtime();
    pattern(size);
    took = MPI_Wtime() - now;
    MPI_Reduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return most * 1e6;
}

int main(int argc, char **argv) {
    static const struct { const char *name; void (*pattern)(int); int epoch, sizes; } rows[] = {
        {"empty fence", empty_fence, FENCE, 1},
        {"put, fence", put_fence, FENCE, 3},
        {"get, fence", get_fence, FENCE, 3},
        {"accumulate, fence", accumulate_fence, FENCE, 3},
        {"lock, put, unlock", lock_put_unlock, NONE, 3},
        {"put, flush", put_flush, LOCK, 3},
        {"MPI_Fetch_and_op, flush", fetch_flush, LOCK, 1},
        {"post, start, put, complete, wait", general, NONE, 3},
    };
    static const int sizes[] = {8, 1 << 16, MOST};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = calloc(1, MOST);
    theirs = calloc(1, MOST);
    for (unsigned row = 0; row < sizeof rows / sizeof *rows; row++) {
        MPI_Win_create(theirs, MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        if (rows[row].epoch == FENCE)
            MPI_Win_fence(0, window);
        if (rows[row].epoch == LOCK && rank == 0)
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        if (rank == 0)
            printf("%s:", rows[row].name);
        for (int i = 0; i < rows[row].sizes; i++) {
            const double took = measure(rows[row].pattern, sizes[i]);
            if (rank == 0)
                printf(" %.0f", took);
        }
        if (rank == 0)
            printf("\n");
        if (rows[row].epoch == LOCK && rank == 0)
            MPI_Win_unlock(1, window);
        MPI_Win_free(&window);
    }
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
