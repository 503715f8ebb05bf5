// Returns 0 when there are as many ranks as the argument says.
#include <mpi.h>
#include <string>

int main(int argc, char **argv)
{
    int ranks = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Finalize();
    return argc == 2 && std::to_string(ranks) == argv[1] ? 0 : 1;
}
