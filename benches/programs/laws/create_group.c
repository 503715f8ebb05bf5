/*
 * Every second rank makes a communicator of every second rank, by range and collectively among the members only; all
 * translate their rank. The number of ranks is the size.
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, range[1][3], zero = 0, found;
    MPI_Group all, some;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    range[0][0] = rank % 2, range[0][1] = size - 1, range[0][2] = 2;
    MPI_Group_range_incl(all, 1, range, &some);
    MPI_Group_translate_ranks(some, 1, &zero, all, &found);
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    MPI_Finalize();
    return found == rank % 2 ? 0 : 1;
}
