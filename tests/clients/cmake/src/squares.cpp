// The square of this rank's number counted from 1, from a shared library in C++.
#include <mpi.h>

int square()
{
    int rank = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return (rank + 1) * (rank + 1);
}
