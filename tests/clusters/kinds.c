/* Rank 0 receives so many messages of each of the others, of anybody, and does for some of the orders what it is told
 * to: KINDS EACH KIND MODULUS. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kind;

static int is(const char *name) {
    return strcmp(kind, name) == 0;
}

/* What rank 0 does where the order is one of those; what it would have sent to rank 1 in any case. */
static void fail(int size) {
    static int value;
    float other = 0;
    MPI_Request request;
    if (is("deadlock")) MPI_Recv(&value, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is("crash")) *(volatile int *)0 = value;
    if (is("exit")) exit(3);
    if (is("assert")) assert(value > 0);
    if (is("collective")) MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (is("type")) MPI_Send(&other, 1, MPI_FLOAT, 1, 1, MPI_COMM_WORLD);
    if (is("truncated")) MPI_Send((int[2]){0, 0}, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (is("pending")) MPI_Irecv(&value, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, &request);
    if (is("invalid")) MPI_Send(&value, 1, MPI_INT, size, 1, MPI_COMM_WORLD);
    if (is("ready")) MPI_Rsend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (is("root")) MPI_Reduce(&value, &other, 1, MPI_INT, MPI_SUM, size, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank, size, from, sum = 0, each = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    kind = argv[2];
    for (int i = 0; i < each * (size - 1) && rank == 0; i++) {
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = sum * 4 + from;
    }
    for (int i = 0; i < each && rank > 0; i++) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    int fails = rank == 0 && sum % atoi(argv[3]) == 0, sends = is("type") || is("truncated") || is("ready");
    if (is("printed") && rank == 0) printf("%d\n", fails);
    if (fails) fail(size);
    if (sends && rank == 0 && !fails) MPI_Send(&sum, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (sends && rank == 1) MPI_Recv(&from, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
