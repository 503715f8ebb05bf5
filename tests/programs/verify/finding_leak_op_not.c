/* The same, freed on both ranks. */
/* smpi: passes leak/op */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <mpi.h>

static void add(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
