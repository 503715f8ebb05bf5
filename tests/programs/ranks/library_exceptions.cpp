// smpi: ranks 3
// smpi: library parts/throws.cpp
// smpi: stdout-order exact
// smpi: expect-stdout 0: too small, 1 destroyed, 1 live
// smpi: expect-stdout 1: too small, 1 destroyed, 1 live
// smpi: expect-stdout 2: too small, 1 destroyed, 1 live
// Exceptions thrown by a library of each rank pass its frames and the program's, with MPI calls in destructors.
#include "parts/throws.h"
#include <mpi.h>
#include <cstdio>

static int destroyed;

struct Waits {
    ~Waits()
    {
        MPI_Barrier(MPI_COMM_WORLD);
        destroyed++;
    }
};

static void call(int value)
{
    Waits waits;
    check(value);
}

int main()
{
    int rank;
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        through(call, -1 - rank);
    } catch (const TooSmall &error) {
        std::printf("%d: %s, %d destroyed, %d live\n", rank, error.what(), destroyed, live_objects());
    }
    MPI_Finalize();
    return 0;
}
