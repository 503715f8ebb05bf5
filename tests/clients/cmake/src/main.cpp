// Returns 0 when the sum of the squares of all ranks is the number given.
#include "sum.h"
#include <cstdlib>
#include <mpi.h>

int square();

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int found = sum(square());
    MPI_Finalize();
    return argc == 2 && found == std::atoi(argv[1]) ? 0 : 1;
}
