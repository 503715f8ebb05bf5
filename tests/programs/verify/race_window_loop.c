/* Rank 1 puts into one element while rank 0 goes over all of its window memory, forwards and back, by lines that touch
   the same bytes: the first line that does is told. */
// smpi: ranks 2
// smpi: compile-args --verify -O1
// smpi: verify --keep-going
// smpi: expect-finding race/window
// smpi: expect-occurrences 2
#include <mpi.h>

enum { COUNT = 1000 };

int main(int argc, char **argv) {
    int rank, value = 7;
    double *base;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(COUNT * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        for (int i = 0; i < COUNT; i++) base[i] = i;
        for (int i = COUNT - 1; i >= 0; i--) base[i] = base[i] * 2;
    } else {
        MPI_Put(&value, 1, MPI_INT, 0, 500, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
