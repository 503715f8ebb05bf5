/* Rank 0 sends 1, 2 and 12 ints to rank 1, if there is one; all agree on a sum. It knows nothing of any tool. */
#include <mpi.h>

int main(int argc, char **argv)
{
    const int counts[3] = {1, 2, 12};
    int rank, ranks, sum, numbers[12] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 3 && ranks > 1; i++)
        if (rank == 0)
            MPI_Send(numbers, counts[i], MPI_INT, 1, i, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(numbers, counts[i], MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == ranks * (ranks - 1) / 2 ? 0 : 1;
}
