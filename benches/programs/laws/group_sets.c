/*
 * Every rank takes itself out of the group of all ranks, and makes union, intersection and difference with the group of
 * the upper half, and compares what it has. The number of ranks is the size.
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, range[1][3], result, members;
    MPI_Group all, others, upper, groups[3];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_excl(all, 1, &rank, &others);
    range[0][0] = size / 2, range[0][1] = size - 1, range[0][2] = 1;
    MPI_Group_range_incl(all, 1, range, &upper);
    MPI_Group_union(upper, others, &groups[0]);
    MPI_Group_intersection(others, upper, &groups[1]);
    MPI_Group_difference(others, upper, &groups[2]);
    MPI_Group_compare(all, groups[0], &result);
    MPI_Group_size(groups[0], &members);
    for (int i = 0; i < 3; i++)
        MPI_Group_free(&groups[i]);
    MPI_Group_free(&upper);
    MPI_Group_free(&others);
    MPI_Group_free(&all);
    MPI_Finalize();
    return result == MPI_SIMILAR || members < size ? 0 : 1;
}
