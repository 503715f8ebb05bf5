// smpi: ranks 3
// smpi: twice
// smpi: requires smpi
// smpi: expect-stdout 0: cout 3.1416
// smpi: expect-stdout 1: cout 3.14159
// smpi: expect-stdout 2: cout 3.141593
// smpi: expect-stdout 0: 3.1416 0x10 then printf
// smpi: expect-stdout 1: 3.14159 0x11 then printf
// smpi: expect-stdout 2: 3.141593 0x12 then printf
// smpi: expect-stderr-contains 2: cerr
// smpi: expect-stderr-contains 1: clog
// std::cout, cerr and clog: whole lines in rank order, mixed with printf, and each rank has its own precision and flags,
// also after sync_with_stdio(false).
#include <mpi.h>

#include <cstdio>
#include <iomanip>
#include <iostream>

int main(int argc, char **argv)
{
    int rank;
    std::ios_base::sync_with_stdio(false);
    std::cin.tie(nullptr);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double pi = 3.14159265358979;
    std::cout << std::setprecision(5 + rank);
    MPI_Barrier(MPI_COMM_WORLD);
    std::cout << rank << ": cout " << pi << std::endl;
    std::cerr << rank << ": cerr" << std::endl;
    std::clog << rank << ": clog\n";
    MPI_Barrier(MPI_COMM_WORLD);
    std::cout << rank << ": " << pi << " " << std::hex << std::showbase << 16 + rank << " then ";
    std::printf("printf\n");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
