/* An operation that is not freed on rank 1. */
/* smpi: ranks 2 */
/* smpi: expect-finding leak/op */
#include <mpi.h>

static void add(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    if (rank == 0)
        MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
