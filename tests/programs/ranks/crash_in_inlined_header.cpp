// smpi: ranks 2
// smpi: requires smpi
// smpi: compile-args -O2 -g
// smpi: expect-exit 139
// smpi: expect-stderr-contains in main
// smpi: expect-stderr-contains crash_in_inlined_header.cpp:21
// The same where the compiler has put that function into its caller.
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
