/* A function of the program that a collective calls computes for ever. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --call-timeout 0.3 */
/* smpi: expect-finding non-termination */
#include <mpi.h>

static volatile int never;

static void reduce(void *in, void *inout, int *len, MPI_Datatype *type) {
    while (!never)
        ;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, sum;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op op;
    MPI_Op_create(reduce, 1, &op);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
