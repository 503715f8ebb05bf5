/*
 * Simulated times of single operations, for a comparison of two simulators on
 * one platform. Rank 0 prints lines `OPERATION BYTES SECONDS`.
 *
 * The first argument chooses the operation: ping-pong (half a round trip
 * between ranks 0 and 1), alltoall or allreduce (from a barrier to the end on
 * the slowest rank). The second argument is the first size in bytes. Each size
 * is done twice and the second is timed, so that nothing depends on how the
 * ranks came out of the first barrier.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static double ping_pong(char *buffer, int bytes)
{
    double start = MPI_Wtime();
    if (rank == 0) {
        MPI_Send(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / 2;
}

static double collective(const char *operation, char *out, char *in, int bytes)
{
    double start, mine, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (strcmp(operation, "alltoall") == 0)
        MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
    else
        MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    mine = MPI_Wtime() - start;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return slowest;
}

int main(int argc, char **argv)
{
    const char *operation = argc > 1 ? argv[1] : "ping-pong";
    int first = argc > 2 ? atoi(argv[2]) : 8, last = 4 << 20, factor = 4;
    char *out, *in;
    double secs = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(operation, "ping-pong") != 0) {
        last = 512 << 10;
        factor = 16;
    }
    out = calloc(size, last);
    in = calloc(size, last);
    for (int bytes = first; bytes <= last; bytes *= factor) {
        for (int i = 0; i < 2; i++)
            secs = strcmp(operation, "ping-pong") == 0 ? ping_pong(out, bytes)
                                                       : collective(operation, out, in, bytes);
        if (rank == 0)
            printf("%s %d %.12e\n", operation, bytes, secs);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
