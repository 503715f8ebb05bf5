// smpi: ranks 2
// smpi: requires smpi
// smpi: compile-args -O0 -g
// smpi: expect-exit 139
// smpi: expect-stderr-contains in main
// smpi: expect-stderr-contains crash_in_header.cpp:21
// A crash in a function that a header of the library defines is shown where the program called it.
#include <mpi.h>
#include <vector>

static volatile std::size_t length;

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<int> some(3), *none = size > 1 ? nullptr : &some;
    if (rank == 1)
        length = none->size();
    MPI_Finalize();
    return 0;
}
