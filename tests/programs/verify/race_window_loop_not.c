/* Rank 0 goes over all of its window memory but one element, into which rank 1 puts; before and behind a fence over
   that one, too. What lies on both sides of an element is no range that has it. */
// smpi: ranks 2
// smpi: compile-args --verify -O1
// smpi: verify
// smpi: expect-no-finding
// smpi: passes race/window
// smpi: expect-complete
#include <mpi.h>

enum { COUNT = 1000, OTHERS = 500 };

int main(int argc, char **argv) {
    int rank;
    double value = 7, *base;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(COUNT * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    for (int i = 0; i < COUNT; i++) base[i] = i;
    MPI_Win_fence(0, win);
    if (rank == 0) {
        for (int i = 0; i < COUNT; i++)
            if (i != OTHERS) base[i] = i;
        for (int i = COUNT - 1; i >= 0; i--)
            if (i != OTHERS) base[i] = base[i] * 2;
    } else {
        MPI_Put(&value, 1, MPI_DOUBLE, 0, OTHERS, 1, MPI_DOUBLE, win);
    }
    MPI_Win_fence(0, win);
    for (int i = 0; i < COUNT; i++) base[i] = i;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
