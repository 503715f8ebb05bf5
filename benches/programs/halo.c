/*
 * Halo exchange on a periodic square of ranks: every iteration each rank sends 8 KB to and receives 8 KB from its four
 * neighbours with Isend, Irecv and Waitall. The argument is the number of iterations; the number of ranks is a square.
 * Measures many flows at a time and requests in groups.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES 8192

static char out[4][BYTES], in[4][BYTES];

int main(int argc, char **argv)
{
    int rank, size, side = 1, iterations = argc > 1 ? atoi(argv[1]) : 100, neighbours[4];
    MPI_Request requests[8];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (side * side < size)
        side++;
    if (side * side != size) {
        if (rank == 0)
            fprintf(stderr, "halo: %d ranks are not a square\n", size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int row = rank / side, column = rank % side;
    neighbours[0] = (row + side - 1) % side * side + column;
    neighbours[1] = (row + 1) % side * side + column;
    neighbours[2] = row * side + (column + side - 1) % side;
    neighbours[3] = row * side + (column + 1) % side;
    for (int iteration = 0; iteration < iterations; iteration++) {
        /* What I send to direction i arrives at that neighbour as from direction i^1. */
        for (int i = 0; i < 4; i++)
            MPI_Irecv(in[i], BYTES, MPI_CHAR, neighbours[i], i ^ 1, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < 4; i++)
            MPI_Isend(out[i], BYTES, MPI_CHAR, neighbours[i], i, MPI_COMM_WORLD, &requests[4 + i]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
