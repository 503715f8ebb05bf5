// smpi: ranks 3
// smpi: compile-args -g
// smpi: requires smpi
// smpi: expect-exit 134
// smpi: expect-stderr-contains terminate called after throwing an instance of 'std::runtime_error'
// smpi: expect-stderr-contains rank 1: SIGABRT
// smpi: expect-stderr-contains fails_here
// smpi: expect-stderr-contains cxx_uncaught.cpp:18
// smpi: expect-stderr-contains MPI_Barrier
// An exception that nobody catches ends the run, and the message names the rank and the place.
#include <mpi.h>

#include <stdexcept>

__attribute__((noinline)) static void fails_here(int rank)
{
    if (rank == 1)
        throw std::runtime_error("nobody wants this");
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    fails_here(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
