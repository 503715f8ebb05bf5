// smpi: ranks 2
// smpi: compile-args -pthread
// smpi: expect-stdout 0: 5 seen, own 100
// smpi: expect-stdout 1: 5 seen, own 101
// std::thread starts threads from inside the C++ library: they too have the initial values of thread_local variables.
#include <mpi.h>

#include <cstdio>
#include <thread>

static thread_local int own = 5;

int main(int argc, char **argv)
{
    int rank, seen = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = 100 + rank;
    MPI_Barrier(MPI_COMM_WORLD);
    std::thread thread([&seen] { seen = own; });
    thread.join();
    MPI_Barrier(MPI_COMM_WORLD);
    std::printf("%d: %d seen, own %d\n", rank, seen, own);
    MPI_Finalize();
    return 0;
}
