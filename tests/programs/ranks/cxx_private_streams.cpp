// smpi: ranks 2
// smpi: requires smpi
// smpi: smpirun-args --privatize libstdc++.so.6
// smpi: stdout-order exact
// smpi: expect-stdout 0: ff 1.50
// smpi: expect-stdout 1: 255 1.5
// With a private libstdc++ the flags of std::cout are the rank's, also in a program that has no copy of std::cout.
#include <mpi.h>
#include <iomanip>
#include <iostream>
#include <stdexcept>

int main()
{
    int rank;
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        std::cout << std::hex << std::fixed << std::setprecision(2);
    MPI_Barrier(MPI_COMM_WORLD);
    try {
        throw std::runtime_error("ignored");
    } catch (const std::exception &) {
        std::cout << std::dec << rank << ": ";
    }
    if (rank == 0)
        std::cout << std::hex;
    std::cout << 255 << ' ' << 1.5 << std::endl;
    MPI_Finalize();
    return 0;
}
