/*
 * A token goes round a ring: rank 0 sends it to rank 1, that to rank 2, and so
 * on until it is back. The first program to try:
 *
 *   smpicc ring.c -o ring
 *   smpirun -platform platforms/gigabit-64.toml -np 16 ./ring
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, token = 0, rounds = argc > 1 ? atoi(argv[1]) : 10;
    double start;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    start = MPI_Wtime();
    for (int round = 0; round < rounds && size > 1; round++) {
        if (rank == 0) {
            token++;
            MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            token++;
            MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("%d rank%s, %d rounds: the token is %d, a round takes %.3f ms on this platform\n", size,
               size == 1 ? "" : "s", rounds, token, 1e3 * (MPI_Wtime() - start) / rounds);
    MPI_Finalize();
    return 0;
}
